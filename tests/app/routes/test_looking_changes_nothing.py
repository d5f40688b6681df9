"""A GET changes nothing: every address that answers a GET is asked as everybody, and the database is the same afterwards.

So is every page drawn as everybody. A page is no GET: it is drawn over a connection of its own, and a few note something when somebody is
there; `NOTES` lists what, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from study import access
from tests.app.routes.test_roles import BY_PAGE, ROWS

NOTES: dict[str, set[str]] = {
    # who takes part is given the next task when they come to its page, and asking again gives the same
    "study": {"episodes", "slots", "events", "participants", "openings", "places"},
    # which moment was shown to whom is a fact of the study
    "moments": {"events"},
    # whoever opens the page is given the next item to review
    "review": {"reviews", "qa_items", "events"},
    # whoever opens the page is given the next answer to code; new answers are looked at first
    "answers": {"coded_answers", "coded_texts", "reviewed", "reviews", "events"},
}
"""Page → tables that may change when it is drawn for somebody who may."""
AGAIN = {"moments": {"events"}}
"""The same for a second look."""


Content = dict[str, list[tuple[Any, ...]]]


def content(store: Any) -> Content:
    """The rows of each table."""
    names = [row["name"] for row in store.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'")]
    return {name: store.db.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}


def changed(before: Content, after: Content) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


GETS = [row for row in ROWS if row.method == "GET"]
AHEAD: tuple[dict[str, str], ...] = ({}, {"sec-purpose": "prefetch;prerender", "purpose": "prefetch"})


@pytest.mark.parametrize("row", GETS, ids=lambda row: row.path)
def test_a_get_changes_nothing(world: Any, row: Any) -> None:
    roles = access.ROLES if row.path == "/enter" else ()
    invites = [access.create_invite(world.store, role, world.place["study"], uses=1) for role in roles] or [""]
    before, files = content(world.store), sorted(str(path) for path in world.store.home.frames.rglob("*"))
    for invite in invites:
        address = row.address if "rest" in row.path else (row.address or row.path).format(**world.place | {"invite": invite})
        for person in world.people.values():
            for method in ("GET", "HEAD"):
                for headers in AHEAD:
                    reply = world.doors.ask(person, method, address, headers=headers | {"origin": ""} if headers else {})
                    assert reply.status < 500 and "vantage_session" not in reply.headers.get("set-cookie", "")
    assert changed(before, content(world.store)) == set()
    assert sorted(str(path) for path in world.store.home.frames.rglob("*")) == files


@pytest.mark.parametrize("path", sorted(BY_PAGE))
def test_a_page_notes_only_what_it_must(world: Any, open_page: Callable[..., Any], path: str) -> None:
    for name, person in world.people.items():
        if person.grant is None:
            continue
        before = content(world.store)
        open_page(path, name, f"item={world.place['item']}&episode={world.place['episode']}")
        may = person.grant.role in BY_PAGE[path]
        assert changed(before, content(world.store)) <= (NOTES.get(path, set()) if may else set()), name
        if may:
            before = content(world.store)
            open_page(path, name, f"item={world.place['item']}&episode={world.place['episode']}")
            assert changed(before, content(world.store)) <= AGAIN.get(path, set()), f"{name}: a second look changed something"
