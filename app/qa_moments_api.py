"""Moments of robot episodes: kept or dropped one at a time, and the kept ones for an author's list, a page at a time."""

from __future__ import annotations

from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa import moments
from annotation.qa.items import VIEW_WORDS
from annotation.qa.moments import finding
from annotation.qa.moments.finding import Found, Wanted
from annotation.qa.subtasks import SUBTASKS
from app import identity, rights
from app.bodies import Body, Word, Words
from app.guard import HttpError
from app.http import guarded, reply, run
from app.services import Services, current
from app.verify_api import write
from data.store import now

MOST_OFFSET = 1_000_000
MOST_WORDS = 200
"""Longest search, in characters."""


class DecideBody(Body):
    verdict: Literal["keep", "drop"]
    reason: Word = ""
    """One of the moment's reasons; needed to drop it."""
    note: Words = ""
    """The reason in words; needed for ``other``."""


class UndoBody(Body):
    """Nothing: the address says which."""


@guarded
async def decide(request: Request) -> Response:
    """POST /api/qa/moment/{moment}/decide {verdict, reason, note}: {saved_at}. One that stands so already stays as it is."""
    cookie, moment_id = identity.cookie(request), request.path_params["moment"]

    def work(services: Services, body: DecideBody) -> dict[str, Any]:
        grant, moment = rights.sifted(services.store, cookie, moment_id)
        if (body.verdict, moment.state) not in (("keep", "kept"), ("drop", "dropped")):
            moments.decide(services.store, moment_id, body.verdict, body.reason, grant.staff_id or "", note=body.note)
        return {"saved_at": now()}

    return await write(request, DecideBody, work)


@guarded
async def undo(request: Request) -> Response:
    """POST /api/qa/moment/{moment}/undo {}: {saved_at}. One that nobody has decided stays as it is: a repeat of what was done."""
    cookie, moment_id = identity.cookie(request), request.path_params["moment"]

    def work(services: Services, body: UndoBody) -> dict[str, Any]:
        grant, moment = rights.sifts(services.store, cookie, moment_id)
        if moment.decided_by:
            moments.undo(services.store, moment_id, grant.staff_id or "")
        return {"saved_at": now()}

    return await write(request, UndoBody, work)


@guarded
async def find(request: Request) -> Response:
    """GET /api/qa/moments/{project}?subtask=…&words=…&source=…&unused=1&offset=0: {count, moments, kept_back}."""
    services, cookie, project = current(), identity.cookie(request), request.path_params["project"]
    asked = request.query_params

    def work() -> dict[str, Any]:
        store = services.store
        rights.maker(store, cookie, project)
        subtask, offset = asked.get("subtask", ""), asked.get("offset", "0")
        if subtask not in SUBTASKS:
            raise HttpError(400, "bad_request", f"A subtask is one of {', '.join(SUBTASKS)}.")
        if not (offset.isascii() and offset.isdigit() and len(offset) < 8 and int(offset) <= MOST_OFFSET):
            raise HttpError(400, "bad_request", f"offset is a whole number from 0 to {MOST_OFFSET}.")
        wanted = Wanted(
            subtask=subtask, words=asked.get("words", "")[:MOST_WORDS], source=asked.get("source", ""), unused=asked.get("unused") == "1"
        )
        page = finding.find(store, project, wanted, int(offset))
        hidden = rights.kept_moments(store, cookie, page.moments)
        shown = [told(found) for found in page.moments if found.moment_id not in hidden]
        return {"count": page.count, "moments": shown, "passed": len(page.moments), "kept_back": len(hidden)}

    return reply(await run(services.reading, work))


def told(found: Found) -> dict[str, Any]:
    """What an author's browser is told of a moment."""
    views = [
        {"url": f"api/qa/moment/{found.moment_id}/{view.view}?small", "words": VIEW_WORDS.get(view.view, view.view)}
        | {"width": view.width, "height": view.height}
        for view in found.views
    ]
    return {
        "id": found.moment_id, "source": found.source, "episode": found.episode, "task": found.task, "frame": found.frame_index,
        "used": found.used, "fits": found.fits, "views": views,
    }  # fmt: skip


ROUTES = [
    Route("/api/qa/moments/{project}", find, methods=["GET"]),
    Route("/api/qa/moment/{moment}/decide", decide, methods=["POST"]),
    Route("/api/qa/moment/{moment}/undo", undo, methods=["POST"]),
]
