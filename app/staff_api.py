"""Routes for staff: frames of any step of an episode of their study, and finished exports. The role is checked on every request."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app import identity
from app.guard import HttpError
from app.http import guarded, run
from app.play_api import FRAME_HEADERS
from app.services import current


@guarded
async def frame(request: Request) -> Response:
    """GET /api/staff/frame/{episode}/{seq}: the stored frame of a step, for researchers of its study."""
    services, value = current(), identity.cookie(request)
    episode, seq = request.path_params["episode"], request.path_params["seq"]

    def work() -> bytes:
        identity.check_staff_of(services, value, episode)
        row = services.store.one("SELECT pixel_hash FROM steps WHERE episode_id = ? AND seq = ?", [episode, seq])
        if row is None:
            raise HttpError(404, "not_found", f"This episode has no step {seq}.")
        return services.frames.read(row["pixel_hash"])

    return Response(await run(services.reading, work), media_type="image/webp", headers=FRAME_HEADERS)


ROUTES = [Route("/api/staff/frame/{episode}/{seq:int}", frame, methods=["GET"])]
