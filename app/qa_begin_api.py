"""Beginning an item: on a chosen moment, or the next of a subtask on the moment that stands first in the author's list.

The browser names the item (``qa_`` and twenty hexadecimal digits), so that a request whose reply got lost begins nothing twice.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa import moments
from annotation.qa.errors import QaError, UnknownItem
from annotation.qa.moments import finding
from annotation.qa.moments.finding import Wanted
from annotation.qa.work import pool
from app import identity, rights
from app.bodies import Body, Id, Word
from app.http import guarded
from app.services import Services
from app.verify_api import write
from data.store import Store
from study.errors import NotAllowed

LOOKED_THROUGH = 120
"""Kept moments that are looked through for one that this person may see."""
NewItem = Annotated[str, Meta(pattern="^qa_[0-9a-f]{20}$", max_length=23)]


class BeginBody(Body):
    item: NewItem
    subtask: Word
    moment: Id


class NextBody(Body):
    item: NewItem


def _begun(store: Store, item_id: str, author: str) -> bool:
    """Whether this very item is begun already, by this person.

    Raises:
        NotAllowed: it is another's.
    """
    try:
        stored = pool.get(store, item_id)
    except UnknownItem:
        return False
    if stored.author != author:
        raise NotAllowed(rights.FOREIGN)
    return True


@guarded
async def begin(request: Request) -> Response:
    """POST /api/qa/moments/{project} {item, subtask, moment}: {item}, begun on that moment."""
    cookie, project = identity.cookie(request), request.path_params["project"]

    def work(services: Services, body: BeginBody) -> dict[str, Any]:
        store = services.store
        grant = rights.maker(store, cookie, project)
        if not _begun(store, body.item, grant.staff_id or ""):
            _, moment = rights.sifted(store, cookie, body.moment)
            moments.start_item(store, project, moment.moment_id, body.subtask, grant.staff_id or "", item_id=body.item)
        return {"item": body.item}

    return await write(request, BeginBody, work)


@guarded
async def following(request: Request) -> Response:
    """POST /api/qa/item/{item}/next {item}: {item}, another of the subtask of this one."""
    cookie, before = identity.cookie(request), request.path_params["item"]

    def work(services: Services, body: NextBody) -> dict[str, Any]:
        store = services.store
        grant, stored = rights.worker(store, cookie, before)
        if not _begun(store, body.item, grant.staff_id or ""):
            page = finding.find(store, stored.project_id, Wanted(subtask=stored.item.subtask), limit=LOOKED_THROUGH)
            hidden = rights.kept_moments(store, cookie, page.moments)
            free = [found.moment_id for found in page.moments if found.moment_id not in hidden and found.moment_id != stored.item.moment]
            if not free:
                raise QaError("No other kept moment serves this subtask now: keep more moments, or choose another subtask.")
            moments.start_item(store, stored.project_id, free[0], stored.item.subtask, grant.staff_id or "", item_id=body.item)
        return {"item": body.item}

    return await write(request, NextBody, work)


ROUTES = [
    Route("/api/qa/moments/{project}", begin, methods=["POST"]),
    Route("/api/qa/item/{item}/next", following, methods=["POST"]),
]
