"""The editor of a multi-view QA item: read it, save fields by the revision they were read from, make generated texts anew, send it in.

Every reply is the whole state as the server has it, with the rules that it breaks in plain words, so that the page shows the server's word
and never its own. Marks have a route of their own (`app.qa_api`).
"""

from __future__ import annotations

from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from annotation.qa import rules
from annotation.qa.drawn import assist
from annotation.qa.errors import Conflict, QaError
from annotation.qa.items import LETTERS, Item
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import editing, pool
from annotation.qa.work.canvas_marks import wire
from annotation.qa.work.pool import Stored
from annotation.reviewing.kinds.robot_questions import KIND
from app import identity
from app.bodies import Body, Fields, Revision, SequenceNumber, Word, Words
from app.guard import NO_STORE, HttpError, check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.rights import worker
from app.services import current
from data.store import Store

MAX_BODY_BYTES = 256 * 1024


class EditBody(Body):
    rev: Revision
    fields: Fields = {}
    """Item fields as plain JSON."""
    make: Literal["", "question", "options"] = ""
    """What to write anew, whatever it was."""
    draw: SequenceNumber = 0
    """Another number draws other wrong options."""


class PictureBody(Body):
    rev: Revision
    letter: Word
    kind: Word
    """A kind of the subtask's distractors."""


class SendBody(Body):
    rev: Revision
    why: Words = ""


def state_of(store: Store, stored: Stored) -> dict[str, Any]:
    """An item as its editor shows it."""
    item, subtask = stored.item, SUBTASKS[stored.item.subtask]
    found = rules.check_here(store, item)
    return {
        "rev": stored.version,
        "saved_at": stored.updated_at,
        "state": stored.state,
        "changeable": KIND.changeable(stored.state),
        "closed": KIND.words[stored.state].short,
        "returned": KIND.words[stored.state].returned,
        "item": item.document(),
        "marks": wire(item),
        "problems": [{"field": problem.field, "sentence": problem.sentence} for problem in found],
        "left": sum(problem.things for problem in found),
        "template": subtask.question(item),
        "directions": editing.sequences(item),
        "unfit": {letter: dict(subtask.unfit(item, letter)) for letter in LETTERS},
    }


@guarded
async def load(request: Request) -> Response:
    """GET /api/qa/item/{item}: the state."""
    services, cookie, item_id = current(), identity.cookie(request), request.path_params["item"]
    return reply(await run(services.reading, lambda: state_of(services.store, worker(services.store, cookie, item_id)[1])))


async def _write(request: Request, work: Any) -> Response:
    """Run `work(staff id)` on an item that this browser may change and reply with the new state; a conflict carries the newer one."""
    services, cookie, item_id = current(), identity.cookie(request), request.path_params["item"]
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def run_it() -> Response:
        grant, _ = worker(services.store, cookie, item_id)
        try:
            work(services.store, grant.staff_id or "")
        except Conflict as error:
            told = {"error": error.code, "message": str(error), **state_of(services.store, pool.get(services.store, item_id))}
            return JSONResponse(told, 409, headers=NO_STORE)
        return reply(state_of(services.store, pool.get(services.store, item_id)))

    return await run(services.acting, run_it)


@guarded
async def edit(request: Request) -> Response:
    """POST /api/qa/item/{item} {rev, fields, make, draw}: the state, or 409 ``conflict`` with the newer one and nothing written."""
    check_origin(request)
    item_id = request.path_params["item"]
    body = await read_body(request, EditBody, MAX_BODY_BYTES)

    def work(store: Any, staff: str) -> None:
        editing.save_fields(store, item_id, body.rev, staff, body.fields, make=body.make, draw=body.draw)

    return await _write(request, work)


@guarded
async def picture(request: Request) -> Response:
    """POST /api/qa/item/{item}/picture {rev, letter, kind}: the option shows the next image of that kind."""
    check_origin(request)
    item_id = request.path_params["item"]
    body = await read_body(request, PictureBody)
    if body.letter not in LETTERS:
        raise HttpError(422, "bad_item", f"An option is one of {', '.join(LETTERS)}, got {body.letter!r}.")

    def work(store: Any, staff: str) -> None:
        editing.replace_picture(store, item_id, body.rev, staff, body.letter, body.kind)  # type: ignore[arg-type]

    return await _write(request, work)


@guarded
async def send(request: Request) -> Response:
    """POST /api/qa/item/{item}/send {rev, why}: into review, or the sentence that says what is missing."""
    check_origin(request)
    item_id = request.path_params["item"]
    body = await read_body(request, SendBody)
    return await _write(request, lambda store, staff: pool.submit(store, item_id, staff, body.rev, why=body.why))


@guarded
async def helping(request: Request) -> Response:
    """GET /api/qa/item/{item}/help: {help, matrix}: what geometry suggests, null where nothing is known."""
    services, cookie, item_id = current(), identity.cookie(request), request.path_params["item"]

    def work() -> dict[str, Any]:
        item: Item = worker(services.store, cookie, item_id)[1].item
        try:
            return {"help": assist.help_for(services.store, item), "matrix": assist.grid_matrix(services.store, item)}
        except QaError as error:
            return {"help": None, "matrix": None, "message": str(error)}

    return reply(await run(services.reading, work))


ROUTES = [
    Route("/api/qa/item/{item}", load, methods=["GET"]),
    Route("/api/qa/item/{item}", edit, methods=["POST"]),
    Route("/api/qa/item/{item}/picture", picture, methods=["POST"]),
    Route("/api/qa/item/{item}/send", send, methods=["POST"]),
    Route("/api/qa/item/{item}/help", helping, methods=["GET"]),
]
