"""A request whose reply got lost is sent again by its page, with the same body: it is done once."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.qa.work import pool, reviews
from tests.app.routes.conftest import build_item
from tests.app.routes.test_roles import ROWS, Row

OPENED = {"/api/open", "/api/qa/play/open", "/api/form/open"}
"""Opening once more is another opening, of which there is an event."""
STANDS = {
    "/api/qa/review/{review}/answer": "bad_transition",
    "/api/qa/review/{review}/decide": "bad_transition",
    "/api/author/{draft}/fly": "draft_changed",
}
"""Refused the second time, with a code by which the page reads where things stand and goes on from there."""
ELSEWHERE = {
    "/api/next": "the episodes of this world have a camera: tests/study/test_paged_paradigms.py",
    "/api/again": "none of them is a worked example: below",
    "/api/author/{draft}/put": "nothing stands in the draft; as `fly`",
    "/api/qa/item/{item}/picture": "by `rev`, as the fields of an item",
    "/api/qa/item/{item}/next": "test_writes_by_routes.py",
    "/api/qa/moments/{project}": "test_writes_by_routes.py",
    "/api/qa/items/{project}": "below",
    "/api/qa/review/{review}/skip": "below",
}
"""Not to be done in this world as its rows have it, or of no effect; and where it is tried."""
WRITES = [row for row in ROWS if row.method == "POST" and row.may != "everybody" and not row.path.startswith("/api/agent/")]


def done(world: Any, row: Row) -> tuple[Any, Any, dict[str, int]]:
    """The replies of the same request sent twice by the first who can, and the tables that grew by the second."""
    world.renew()
    for name in sorted(row.may):
        body, address = row.body(world) if row.body else {}, (row.address or row.path).format(**world.place)
        first = world.doors.ask(world.people[name], "POST", address, body)
        if first.status < 300:
            before = world.counts()
            second = world.doors.ask(world.people[name], "POST", address, body)
            return first, second, {table: more for table, rows in world.counts().items() if (more := rows - before[table])}
    raise AssertionError(f"nobody can: {first.body!r}")


@pytest.mark.parametrize("row", [row for row in WRITES if row.path not in ELSEWHERE], ids=lambda row: row.path)
def test_what_is_sent_twice_is_done_once(world: Any, row: Row) -> None:
    first, second, grown = done(world, row)
    if row.path in STANDS:
        assert (second.status, second.json()["error"]) == (409, STANDS[row.path])
    else:
        assert second.status == first.status, second.body
    assert grown == ({"events": 1} if row.path in OPENED else {})


def test_a_task_that_is_given_back_twice_is_given_back_once(world: Any) -> None:
    row = next(row for row in WRITES if row.path == "/api/skip")
    first, second, _ = done(world, row)
    assert first.json() == second.json() == {"state": "returned"}


def test_a_review_that_is_given_away_twice_is_given_away_once(world: Any, judged: str) -> None:
    for _ in range(2):
        assert world.send("reviewer, no review", f"/api/qa/review/{judged}/skip", {"why": "Too dark"}).status == 200
    assert len(world.store.query("SELECT seq FROM events WHERE data ->> '$.review' = ? AND kind LIKE '%skipped'", [judged])) == 1


def test_a_verdict_that_is_taken_back_twice_is_taken_back_once_and_no_later_one_with_it(world: Any, judged: str) -> None:
    at, who = f"/api/qa/review/{judged}", "reviewer, no review"
    assert world.send(who, f"{at}/undo", {}).status == 409, "there was none"
    world.send(who, f"{at}/answer", {"answer": "B", "confidence": 80})
    world.send(who, f"{at}/decide", {"verdict": "clean", "comment": "A slip"})
    for _ in range(2):
        assert world.send(who, f"{at}/undo", {}).status == 200
    assert reviews.read(world.store, judged).state == "answered"
    world.send(who, f"{at}/skip", {"why": "Too dark"})
    assert world.send(who, f"{at}/undo", {}).status == 409


def test_several_items_that_are_moved_twice_are_moved_once_and_none_is_called_not_done(world: Any) -> None:
    store, project = world.store, world.place["project"]
    made = build_item(store.home, "viewpoint", 300, item_id="qa-moved")
    item = pool.create_item(store, project, made, world.people["annotator"].grant.staff_id).item.item_id
    given = {"what": "assign", "why": "She knows it", "to": world.people["author"].grant.staff_id}
    for body in (given, {"what": "discard", "why": "too dark"}, {"what": "restore", "why": "not so"}):
        for _ in range(2):
            told = world.send("researcher", f"/api/qa/items/{project}", {"items": [item]} | body)
            assert told.json() == {"done": [item], "refused": []}
    events = [row["kind"] for row in store.query("SELECT kind FROM events WHERE subject = ? ORDER BY seq", [item])]
    assert events[1:] == ["qa_item_assigned", "qa_item", "qa_item"]
