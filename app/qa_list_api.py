"""Items in lists: an author's own and a lead's, a page at a time, and what is done with several of them at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast, get_args

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa import projects
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import listing, pool
from annotation.qa.work.listing import Line, Sort, Wanted
from annotation.reviewing import things
from annotation.reviewing.kinds.robot_questions import FLAGGED, KIND, REASONS
from app import identity, rights
from app.bodies import Body, Id, Word, Words
from app.guard import HttpError, check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.services import current
from data.store import Store
from sim_bridge.errors import Refusal
from study.people import staff_names

MOST_OFFSET = 1_000_000
MOST_WORDS = 200
"""Longest search, in characters."""
ASSIGN = "assign"
"""Beside the moves of the state table: another author goes on with it."""


class SeveralBody(Body):
    """What is done with several items."""

    items: Annotated[list[Id], Meta(min_length=1, max_length=200)]
    what: Word
    """A move of the state table (`annotation.reviewing.kinds.robot_questions`), or ``assign``."""
    why: Words
    to: Id = ""
    """With ``assign``: the new author."""


def wanted(asked: Mapping[str, str], mine: set[str]) -> Wanted:
    """What a query asks for; what it names wrongly is left out, as by an old link.

    Args:
        asked: ``words``, ``subtask``, ``state``, ``author``, ``sort``.
        mine: staff ids whose items alone are shown; empty: everybody's.
    """
    state, sort, author = asked.get("state", ""), asked.get("sort", ""), asked.get("author", "")
    return Wanted(
        words=asked.get("words", "")[:MOST_WORDS],
        subtask=asked["subtask"] if asked.get("subtask") in SUBTASKS else "",
        state=state if state in (*KIND.states, listing.TODO) else "",
        authors=tuple(sorted(mine)) if mine else (author,) if author else (),
        sort=cast(Sort, sort) if sort in get_args(Sort) else "changed",
    )


@guarded
async def find(request: Request) -> Response:
    """GET /api/qa/items/{project}?whose=mine&words=…&subtask=…&state=…&author=…&sort=…&offset=0&limit=24: {count, items}."""
    services, cookie, project = current(), identity.cookie(request), request.path_params["project"]
    asked = request.query_params

    def work() -> dict[str, Any]:
        store = services.store
        offset, limit = _whole(asked, "offset", 0, MOST_OFFSET), _whole(asked, "limit", listing.PAGE, listing.PAGE)
        own = asked.get("whose") == "mine"
        mine = rights.makers_here(store, cookie, project) if own else set[str]()
        if not own:
            rights.lead(store, cookie, project)
        page = listing.find(store, project, wanted(asked, mine), offset, limit)
        kept = rights.to_judge(store, cookie, [line.item_id for line in page.lines])
        people = staff_names(store, {line.author for line in page.lines})
        return {"count": page.count, "items": [told(store, line, people, line.item_id in kept, own) for line in page.lines]}

    return reply(await run(services.reading, work))


def _whole(asked: Mapping[str, str], name: str, otherwise: int, most: int) -> int:
    """A number of the query.

    Raises:
        HttpError: it is none, or too large.
    """
    text = asked.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) <= most):
        raise HttpError(400, "bad_request", f"{name} is a whole number from 0 to {most}.")
    return int(text)


def told(store: Store, line: Line, people: Mapping[str, str], kept: bool, own: bool) -> dict[str, Any]:
    """What a browser is told of an item in a list.

    Args:
        store: the database.
        line: the item.
        people: staff id → name.
        kept: whoever looks may still be given it to review: nothing that tells its answer.
        own: it is told to its author, with what reviewers said of it.
    """
    words, shown = KIND.words[line.state], None if kept else line.picture
    return {
        "id": line.item_id, "name": f"{SUBTASKS[line.subtask].name} {line.number}", "question": line.question, "trial": line.trial,
        "state": line.state, "label": words.label, "tone": words.tone, "button": words.button if own else "Open",
        "changed": line.updated_at, "author": people.get(line.author, line.author),
        "from": " · ".join(filter(None, [line.source, line.episode])),
        "clean": None if kept else line.clean, "flags": None if kept else line.flags, "skips": line.skips, "kept": kept,
        "said": _said(store, line) if own and words.returned and not kept else [],
        "picture": shown and {
            "url": f"api/qa/image/{line.item_id}/{shown.view}?small&v={shown.image[:12]}", "width": shown.width, "height": shown.height,
            "marks": shown.marks,
        },
    }  # fmt: skip


def _said(store: Store, line: Line) -> list[str]:
    """What those who sent it back in the last round said, without their names."""
    found = [r for r in pool.feedback(store, line.item_id) if r.round == line.round and r.state == FLAGGED]
    return [" ".join([*(REASONS[reason] for reason in r.reasons), *([f"“{r.comment}”"] if r.comment.strip() else [])]) for r in found]


@guarded
async def several(request: Request) -> Response:
    """POST /api/qa/items/{project} {items, what, why, to}: {done: [id], refused: [{id, name, why}]}. Each item by itself: one that is
    refused hinders no other."""
    check_origin(request)
    services, cookie, project = current(), identity.cookie(request), request.path_params["project"]
    body = await read_body(request, SeveralBody)
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def work() -> dict[str, Any]:
        store = services.store
        rights.maker(store, cookie, project)
        if body.what != ASSIGN and body.what not in {move.event for move in KIND.moves}:
            raise HttpError(400, "bad_request", f"what is one of {', '.join([*(move.event for move in KIND.moves), ASSIGN])}.")
        if not body.why.strip() or len(body.why) > pool.MAX_TEXT:
            raise HttpError(422, "bad_item", "Give a reason in a few words: the others will want to know. Nothing was done.")
        do = _assigning(store, cookie, project, body) if body.what == ASSIGN else _moving(store, cookie, project, body)
        done, refused = [], []
        for item_id in dict.fromkeys(body.items):
            try:
                do(item_id)
                done.append(item_id)
            except Refusal as refusal:
                ((subtask, number),) = pool.numbers(store, [item_id]) or [("", 0)]
                name = f"{SUBTASKS[subtask].name} {number}" if subtask in SUBTASKS else item_id
                refused.append({"id": item_id, "name": name, "why": refusal.for_people})
        return {"done": done, "refused": refused}

    return reply(await run(services.acting, work))


def _moving(store: Store, cookie: str | None, project: str, body: SeveralBody) -> Callable[[str], None]:
    def do(item_id: str) -> None:
        grant, stored = rights.worker(store, cookie, item_id)
        _here(stored, project)
        leads = rights.leads(store, grant, project)
        if not leads and stored.author != grant.staff_id:
            raise HttpError(403, "not_allowed", "It is another author's.")
        if things.done_so(store, KIND, item_id, body.what, grant.staff_id or "", body.why):
            return  # sent again, because its reply got lost
        offered = {move.event for move in KIND.moves_of(stored.state, maker=not leads)}
        if body.what not in offered:
            raise HttpError(409, "bad_transition", f"It is {KIND.words[stored.state].label.lower()}: this cannot be done with it.")
        pool.move(store, item_id, cast(Any, body.what), grant.staff_id or "", body.why)

    return do


def _assigning(store: Store, cookie: str | None, project: str, body: SeveralBody) -> Callable[[str], None]:
    grant = rights.lead(store, cookie, project)
    if body.to not in rights.authors_of(store, projects.get_project(store, project)):
        raise HttpError(422, "bad_item", "Choose somebody who makes questions in this study. Nothing was done.")

    def do(item_id: str) -> None:
        _, stored = rights.worker(store, cookie, item_id)
        _here(stored, project)
        if pool.assigned_so(store, item_id, body.to, grant.staff_id or "", body.why):
            return  # sent again, because its reply got lost
        if not KIND.changeable(stored.state):
            label = KIND.words[stored.state].label.lower()
            raise HttpError(409, "bad_transition", f"It is {label}: only drafts and what was sent back can go to another author.")
        pool.assign(store, item_id, body.to, grant.staff_id or "", body.why)

    return do


def _here(stored: pool.Stored, project: str) -> None:
    if stored.project_id != project:
        raise HttpError(404, "unknown_item", "It is in another project.")


ROUTES = [
    Route("/api/qa/items/{project}", find, methods=["GET"]),
    Route("/api/qa/items/{project}", several, methods=["POST"]),
]
