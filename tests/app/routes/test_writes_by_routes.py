"""What authors and reviewers do goes by routes: it stands in the database before the reply, and what is sent again is done once."""

from __future__ import annotations

from typing import Any

from annotation.qa import moments
from annotation.qa.work import pool, reviews

NEW = "qa_0123456789abcdef0123"


def test_an_answer_and_a_verdict_are_stored_once_and_a_verdict_is_taken_back(world: Any, judged: str) -> None:
    at, who = f"/api/qa/review/{judged}", "reviewer, no review"
    assert world.send(who, f"{at}/decide", {"verdict": "clean"}).json()["error"] == "bad_transition"
    assert world.send(who, f"{at}/answer", {"answer": "F"}).status == 400
    assert "saved_at" in world.send(who, f"{at}/answer", {"answer": "B", "confidence": 80}).json()
    again = world.send(who, f"{at}/answer", {"answer": "C"})
    assert (again.status, again.json()["error"]) == (409, "bad_transition")
    review = reviews.read(world.store, judged)
    assert (review.answer, review.confidence) == ("B", 80)
    assert world.send(who, f"{at}/decide", {"verdict": "flag"}).json()["message"].startswith("“Flag” gives one or more reasons")
    assert world.send(who, f"{at}/decide", {"verdict": "clean", "comment": "A slip of mine"}).status == 200
    assert reviews.read(world.store, judged).state == "clean"
    assert world.send(who, f"{at}/undo", {}).status == 200
    assert reviews.read(world.store, judged).state == "answered"
    assert world.send(who, f"{at}/undo", {}).status == 200, "its reply may have got lost"
    assert world.send(who, f"{at}/skip", {"why": "Too dark"}).status == 200
    assert reviews.read(world.store, judged).skipped == "Too dark"


def test_what_is_pinned_twice_is_kept_once_and_by_a_reviewer_only_after_the_answer(world: Any, judged: str) -> None:
    who, store = "reviewer, no review", world.store
    item = reviews.read(store, judged).item_id
    said = {"text": "Too dark here", "view": "head", "x": 3, "y": 4, "review": judged}
    assert world.send(who, f"/api/qa/comments/{item}", said).status in (400, 403)
    assert world.send(who, f"/api/qa/comments/{item}", said | {"review": ""}).status == 403
    world.send(who, f"/api/qa/review/{judged}/answer", {"answer": "A"})
    assert world.send(who, f"/api/qa/comments/{world.place['item']}", said).status == 403
    first, second = (world.send(who, f"/api/qa/comments/{item}", said).json()["comment"] for _ in range(2))
    assert first == second and len(pool.comments(store, item)) == 1
    outside = world.send(who, f"/api/qa/comments/{item}", said | {"x": 5000})
    assert outside.status == 400 and outside.json()["message"].startswith("The place that the comment is pinned to lies in no picture")
    assert world.send(who, f"/api/qa/comments/{item}", said | {"text": " "}).status == 400
    assert world.send("author", f"/api/qa/comments/{item}", said | {"review": ""}).json()["comment"] != first
    world.send(who, f"/api/qa/review/{judged}/skip", {"why": "I know it"})


def test_a_moment_is_decided_taken_back_and_an_item_begun_on_it_once(world: Any) -> None:
    store, moment, project = world.store, world.place["moment"], world.place["project"]
    at = f"/api/qa/moment/{moment}"
    assert world.send("author", f"{at}/decide", {"verdict": "drop", "reason": "other"}).status == 400
    assert world.send("author", "/api/qa/moment/mo_none/decide", {"verdict": "keep"}).status == 403
    for _ in range(2):
        assert world.send("author", f"{at}/decide", {"verdict": "keep"}).status == 200
    assert len(store.query("SELECT seq FROM events WHERE kind = 'moment_decided' AND subject = ?", [moment])) == 1
    assert world.send("annotator", f"{at}/undo", {}).json()["error"] == "not_yours"
    for _ in range(2):
        assert world.send("author", f"{at}/undo", {}).status == 200
    assert moments.get_moment(store, moment).state == "candidate"

    begin = {"item": NEW, "subtask": "distance", "moment": moment}
    assert world.send("author", f"/api/qa/moments/{project}", begin).status == 400, "it is not kept"
    world.send("author", f"{at}/decide", {"verdict": "keep"})
    assert world.send("author", f"/api/qa/moments/{project}", begin | {"item": "mine"}).status == 400
    before = len(store.query("SELECT item_id FROM qa_items"))
    for _ in range(2):
        assert world.send("author", f"/api/qa/moments/{project}", begin).json() == {"item": NEW}
    assert len(store.query("SELECT item_id FROM qa_items")) == before + 1
    assert world.send("annotator", f"/api/qa/moments/{project}", begin).status == 403, "it is another author's"
    following = world.send("author", f"/api/qa/item/{NEW}/next", {"item": "qa_" + "a" * 20})
    assert following.json()["message"].startswith("No other kept moment serves this subtask now")
    for _ in range(2):
        found = world.send("author", "/api/qa/item/qa-asked-0/next", {"item": "qa_" + "b" * 20})
        assert found.json() == {"item": "qa_" + "b" * 20}
    assert len(store.query("SELECT item_id FROM qa_items")) == before + 2


def test_who_steps_in_twice_comes_into_the_same_simulator_until_they_do_something(world: Any) -> None:
    body = {"review": world.place["adjudicated"], "n": 0}
    first, second = (world.send("annotator", "/api/adjudicate/stepin", body).json()["episode"] for _ in range(2))
    assert first == second
    world.services.engine.act(first, world.epoch(first), 1, "turn_left")
    assert world.send("annotator", "/api/adjudicate/stepin", body).json()["episode"] != first
