"""Marks of a multi-view QA item: read them, and replace them if nobody else has since.

Saving is optimistic: a browser names the revision its marks grew from. When there is a newer one, nothing is written and the reply
(409 ``marks_changed``) carries the newer state, so that the person can choose and nothing is lost. A repeat of a save whose reply got
lost is answered as the first one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from annotation.qa.canvas_marks import PoolMarks
from app import identity
from app.guard import NO_STORE, HttpError, check_origin, code_of, read_body, too_fast
from app.http import guarded, reply, run
from app.services import Services, current
from data.store import now
from study import access
from study.access import Grant
from study.errors import NotAllowed, StudyError

MARKS_CHANGED = "marks_changed"
"""`code` of the error with which a store refuses a save that grew from an older revision."""
MAX_BODY_BYTES = 1024 * 1024
"""Largest body of a save."""
MAX_MARKS = 200
"""Marks of one item."""
MAX_POINTS = 500
"""Points of one track."""
EDITORS = ("author", "researcher")
"""Roles of the item's study that may read and change marks here; reviewers are shown them by their page."""

Marks = list[dict[str, Any]]
Point = Annotated[list[float], msgspec.Meta(min_length=2, max_length=2)]


class Conflict(StudyError):
    """Somebody has saved other marks of this item in the meantime."""

    code = MARKS_CHANGED


class MarkStore(Protocol):
    """Where marks of items are kept. Methods are called in threads and may be called at the same time."""

    def study_of(self, item: str) -> str | None:
        """The study an item belongs to; None: there is no such item."""

    def load(self, item: str) -> tuple[int, Marks]:
        """The newest revision of an item's marks, and the marks. An item without marks has revision 0."""

    def save(self, item: str, rev: int, marks: Marks, actor: str) -> int:
        """Keep `marks`, which grew from revision `rev`, as the next revision.

        Raises:
            StudyError: with the code ``marks_changed`` when `rev` is not the newest revision; with any other, why these marks
                cannot be saved now (say, the item is under review).
        """


class Mark(msgspec.Struct, forbid_unknown_fields=True):
    """One drawn thing; coordinates in continuous pixels of the original image, (0, 0) its top-left corner."""

    id: str
    view: str
    kind: Literal["box", "track", "grasp"]
    colour: Literal["red", "yellow", "green", "blue", "pink", "purple", "orange"]
    points: list[Point]


class SaveBody(msgspec.Struct, forbid_unknown_fields=True):
    rev: int
    marks: list[Mark]


def _pool(services: Services) -> MarkStore:
    """The pool's items."""
    return PoolMarks(services.store)


_store: Callable[[Services], MarkStore] = _pool


def install(store: Callable[[Services], MarkStore] | None) -> None:
    """Keep marks elsewhere than in the pool's items (None: there again): a function that gives the store of the running services."""
    global _store
    _store = store or _pool


def check(marks: list[Mark]) -> None:
    """Refuse marks that nobody can have drawn.

    Raises:
        HttpError: 422, naming the mark and what is wrong with it.
    """
    if len(marks) > MAX_MARKS:
        raise HttpError(422, "bad_marks", f"An item has at most {MAX_MARKS} marks; got {len(marks)}.")
    seen: set[str] = set()
    for mark in marks:
        name = f"The {mark.colour} {mark.kind} in {mark.view!r}"
        if not 0 < len(mark.id) <= 80 or mark.id in seen:
            raise HttpError(422, "bad_marks", f"{name} has no id of its own; got {mark.id!r}.")
        seen.add(mark.id)
        count = len(mark.points)
        if count < 2 or (mark.kind != "track" and count != 2) or count > MAX_POINTS:
            wanted = f"2 to {MAX_POINTS} points" if mark.kind == "track" else "2 points"
            raise HttpError(422, "bad_marks", f"{name} needs {wanted}; got {count}.")
        if mark.kind == "box" and not (mark.points[0][0] < mark.points[1][0] and mark.points[0][1] < mark.points[1][1]):
            raise HttpError(422, "bad_marks", f"{name} names its top-left corner first; got {mark.points}.")
        if min(min(point) for point in mark.points) < 0:
            raise HttpError(422, "bad_marks", f"{name} lies outside its image; got {mark.points}.")


def _allowed(services: Services, cookie: str | None, store: MarkStore, item: str) -> Grant:
    """The browser's grant to edit in the item's study; an unknown item is answered as a foreign one."""
    study = store.study_of(item)
    grant = next((g for g in access.grants(services.store, cookie) if study and any(g.allows(role, study) for role in EDITORS)), None)
    if grant is None:
        raise NotAllowed("This item is not yours to open, or your access has ended. Open your invitation link again, or ask for one.")
    return grant


@guarded
async def load(request: Request) -> Response:
    """GET /api/qa/marks/{item}: {rev, marks}."""
    services, cookie, item = current(), identity.cookie(request), request.path_params["item"]
    store = _store(services)

    def work() -> dict[str, Any]:
        _allowed(services, cookie, store, item)
        rev, marks = store.load(item)
        return {"rev": rev, "marks": marks}

    return reply(await run(services.reading, work))


@guarded
async def save(request: Request) -> Response:
    """POST /api/qa/marks/{item} {rev, marks}: {rev, saved_at}, or 409 {error, message, rev, marks} with the newer state."""
    check_origin(request)
    services, cookie, item = current(), identity.cookie(request), request.path_params["item"]
    store = _store(services)
    body = await read_body(request, SaveBody, MAX_BODY_BYTES)
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def work() -> Response:
        grant = _allowed(services, cookie, store, item)
        check(body.marks)
        marks: Marks = msgspec.to_builtins(body.marks)
        try:
            rev = store.save(item, body.rev, marks, grant.staff_id or "")
        except Exception as error:
            if code_of(error) != MARKS_CHANGED:
                raise
            rev, newest = store.load(item)
            if newest != marks:
                told = {"error": MARKS_CHANGED, "message": str(error), "rev": rev, "marks": newest}
                return JSONResponse(told, 409, headers=NO_STORE)
        return reply({"rev": rev, "saved_at": now()})

    return await run(services.acting, work)


ROUTES = [
    Route("/api/qa/marks/{item}", load, methods=["GET"]),
    Route("/api/qa/marks/{item}", save, methods=["POST"]),
]
