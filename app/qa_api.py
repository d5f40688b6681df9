"""Marks of a multi-view QA item: read them, and replace them if nobody else has since.

Saving is optimistic: a browser names the revision its marks grew from. When there is a newer one, nothing is written and the reply
(409 ``marks_changed``) carries the newer state, so that the person can choose and nothing is lost. A repeat of a save whose reply got
lost is answered as the first one.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from annotation.qa.work.canvas_marks import MarksChanged, PoolMarks
from annotation.qa.work.canvas_marks import read as read_marks
from app import identity
from app.bodies import Body, Fields, Revision
from app.guard import NO_STORE, HttpError, check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.rights import worker
from app.services import current
from data.store import now

MAX_BODY_BYTES = 1024 * 1024
"""Largest body of a save."""
MAX_MARKS = 200
"""Marks of one item."""


class SaveBody(Body):
    rev: Revision
    marks: Annotated[list[Fields], Meta(max_length=10_000)]
    """As `annotation.qa.work.canvas_marks.wire`; half-drawn ones are kept too, and the item's rules name them."""


@guarded
async def load(request: Request) -> Response:
    """GET /api/qa/marks/{item}: {rev, marks}."""
    services, cookie, item = current(), identity.cookie(request), request.path_params["item"]
    store = PoolMarks(services.store)

    def work() -> dict[str, Any]:
        worker(services.store, cookie, item)
        rev, marks = store.load(item)
        return {"rev": rev, "marks": marks}

    return reply(await run(services.reading, work))


@guarded
async def save(request: Request) -> Response:
    """POST /api/qa/marks/{item} {rev, marks}: {rev, saved_at}, or 409 {error, message, rev, marks} with the newer state."""
    check_origin(request)
    services, cookie, item = current(), identity.cookie(request), request.path_params["item"]
    store = PoolMarks(services.store)
    body = await read_body(request, SaveBody, MAX_BODY_BYTES)
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def work() -> Response:
        grant, _ = worker(services.store, cookie, item)
        if len(body.marks) > MAX_MARKS:
            raise HttpError(422, "bad_marks", f"An item has at most {MAX_MARKS} marks; got {len(body.marks)}. Nothing was saved.")
        try:
            rev = store.save(item, body.rev, body.marks, grant.staff_id or "")
        except MarksChanged as error:
            rev, newest = store.load(item)
            if read_marks(newest) != read_marks(body.marks):
                told = {"error": error.code, "message": str(error), "rev": rev, "marks": newest}
                return JSONResponse(told, 409, headers=NO_STORE)
        return reply({"rev": rev, "saved_at": now()})

    return await run(services.acting, work)


ROUTES = [
    Route("/api/qa/marks/{item}", load, methods=["GET"]),
    Route("/api/qa/marks/{item}", save, methods=["POST"]),
]
