"""The editor of a task that somebody makes: read its draft, save it by the revision it was read from, build it, fly, put things on things.

Every write replies with the whole draft as the server has it, so that the page shows the server's word. A picture comes as text within
JSON: it is made for this look and never kept.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from annotation.authoring import drafts, proving
from annotation.authoring.draft import missing
from annotation.authoring.drafts import Kept
from annotation.authoring.errors import DraftChanged
from annotation.authoring.stage import flown
from app import identity
from app.bodies import Body, Count, Fields, Revision, Word
from app.guard import NO_STORE, check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.rights import drafter
from app.services import Services, current
from sim_bridge import houses
from sim_bridge.spec import Frame

MAX_BODY_BYTES = 256 * 1024


class DraftBody(Body):
    rev: Revision
    document: Fields
    """The whole draft; `annotation.authoring.draft.Draft` checks it."""


class SceneBody(Body):
    part: Count = 1
    """Of the task: 1, or 2 where it has two."""


class FlyBody(Body):
    rev: Revision
    action: Word
    part: Count = 1


class PutBody(Body):
    rev: Revision
    key: Word
    on: Word


class SettleBody(Body):
    rev: Revision


def state_of(services: Services, kept: Kept) -> dict[str, Any]:
    """A draft as its editor shows it."""
    draft = kept.draft
    generator = proving.generator_of(draft)
    return {
        "rev": kept.rev,
        "saved_at": kept.saved_at,
        "open": kept.state == drafts.OPEN,
        "document": draft.model_dump(mode="json"),
        "asks": list(generator.asks) if generator else [],
        "worded": proving.worded(draft),
        "missing": missing(draft, twin=drafts.twin_of(services.store, kept) is not None),
        "rooms": _rooms(draft.seed, draft.house_rooms) if draft.house_rooms else [],
    }


def _rooms(seed: int, rooms: int) -> list[dict[str, Any]]:
    """The rooms of a house, from above."""
    return [{"name": room.name, "rects": [list(rect) for rect in room.rects_m]} for room in houses.plan(seed, rooms).rooms]


def picture(frame: Frame) -> dict[str, Any]:
    """A picture within JSON."""
    data = base64.b64encode(frame.data).decode()
    return {"url": f"data:{frame.media_type};base64,{data}", "width": frame.width, "height": frame.height}


async def _do(request: Request, work: Callable[[Services, Kept], Response], *, simulator: bool = False) -> Response:
    """Something with a draft of whoever sits at this browser; a clash carries the newer state."""
    services, cookie, draft_id = current(), identity.cookie(request), request.path_params["draft"]
    if not services.act_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def run_it() -> Response:
        kept = drafter(services.store, cookie, draft_id)
        try:
            return work(services, kept)
        except DraftChanged as error:
            newest = drafts.get(services.store, draft_id, kept.staff_id)
            told = {"error": error.code, "message": str(error), **state_of(services, newest)}
            return JSONResponse(told, 409, headers=NO_STORE)

    return await run(services.opening if simulator else services.acting, run_it)


@guarded
async def load(request: Request) -> Response:
    """GET /api/author/{draft}: the state."""
    return await _do(request, lambda services, kept: reply(state_of(services, kept)))


@guarded
async def save(request: Request) -> Response:
    """POST /api/author/{draft} {rev, document}: the state, or 409 ``draft_changed`` with the newer one and nothing written."""
    check_origin(request)
    body = await read_body(request, DraftBody, MAX_BODY_BYTES)

    def work(services: Services, kept: Kept) -> Response:
        return reply(state_of(services, drafts.save(services.store, kept.draft_id, kept.staff_id, body.rev, body.document)))

    return await _do(request, work)


@guarded
async def scene(request: Request) -> Response:
    """POST /api/author/{draft}/scene {part}: the draft built: {frame, things, relations, faults}."""
    check_origin(request)
    body = await read_body(request, SceneBody)

    def work(services: Services, kept: Kept) -> Response:
        shown = services.stage.build(kept, min(body.part, kept.draft.parts))
        told = {name: msgspec.to_builtins(getattr(shown, name)) for name in ("things", "relations", "faults")}
        return reply(told | {"frame": picture(shown.frame)})

    return await _do(request, work, simulator=True)


@guarded
async def fly(request: Request) -> Response:
    """POST /api/author/{draft}/fly {rev, action, part}: move the start view as a participant's camera moves; the state and {frame}."""
    check_origin(request)
    body = await read_body(request, FlyBody)

    def work(services: Services, kept: Kept) -> Response:
        eye = flown(kept.draft.eye, body.action)
        document = kept.draft.model_dump(mode="json") | {"eye": eye.model_dump(mode="json")}
        kept = drafts.save(services.store, kept.draft_id, kept.staff_id, body.rev, document)
        frame = services.stage.look(kept, eye, min(body.part, kept.draft.parts))
        return reply(state_of(services, kept) | {"frame": picture(frame)})

    return await _do(request, work, simulator=True)


@guarded
async def put(request: Request) -> Response:
    """POST /api/author/{draft}/put {rev, key, on}: let a thing fall onto or into another one, and keep where it comes to rest."""
    check_origin(request)
    body = await read_body(request, PutBody)

    def work(services: Services, kept: Kept) -> Response:
        placed = services.stage.above(kept, body.key, body.on)
        things = [placed if thing.key == placed.key else thing for thing in kept.draft.things]
        return _settled(services, kept, body.rev, [thing.model_dump(mode="json") for thing in things])

    return await _do(request, work, simulator=True)


@guarded
async def settle(request: Request) -> Response:
    """POST /api/author/{draft}/settle {rev}: keep where every loose thing comes to rest."""
    check_origin(request)
    body = await read_body(request, SettleBody)

    def work(services: Services, kept: Kept) -> Response:
        return _settled(services, kept, body.rev, [thing.model_dump(mode="json") for thing in kept.draft.things])

    return await _do(request, work, simulator=True)


def _settled(services: Services, kept: Kept, rev: int, things: list[dict[str, Any]]) -> Response:
    document = kept.draft.model_dump(mode="json") | {"things": things}
    kept = drafts.save(services.store, kept.draft_id, kept.staff_id, rev, document)
    rests = {key: rest.model_dump(mode="json") for key, rest in services.stage.settled(kept).items()}
    for thing in things:
        if rest := rests.get(thing["key"]):
            thing |= {"rest": rest, "x_m": rest["position_m"][0], "y_m": rest["position_m"][1]}
    document["things"] = things
    return reply(state_of(services, drafts.save(services.store, kept.draft_id, kept.staff_id, kept.rev, document)))


ROUTES = [
    Route("/api/author/{draft}", load, methods=["GET"]),
    Route("/api/author/{draft}", save, methods=["POST"]),
    Route("/api/author/{draft}/scene", scene, methods=["POST"]),
    Route("/api/author/{draft}/fly", fly, methods=["POST"]),
    Route("/api/author/{draft}/put", put, methods=["POST"]),
    Route("/api/author/{draft}/settle", settle, methods=["POST"]),
]
