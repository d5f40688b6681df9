"""Where a participant stands, for a program: the same that their page shows, and what is due is given in the same way."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa.evaluating.evaluation import check_taker
from app import identity, rights
from app.bodies import Body, Id
from app.guard import check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.services import current
from study import participants
from study.errors import NotAllowed


class PlaceBody(Body):
    grant: Id


@guarded
async def place(request: Request) -> Response:
    """POST /api/place {grant}: the stage that is due for the participant of this grant, and the episode, where it is a task."""
    check_origin(request)
    services = current()
    body = await read_body(request, PlaceBody)
    cookie = identity.cookie(request)

    def work() -> dict[str, Any]:
        mine = next((one for one in rights.held(services.store, cookie) if one.grant_id == body.grant and one.participant_id), None)
        if mine is None or mine.participant_id is None:
            raise NotAllowed("This is not yours, or your access has ended. Open your link again.")
        study = participants.study_of(services.store, participants.get_participant(services.store, mine.participant_id))
        check_taker(services.store, study, mine.participant_id, cookie)
        return participants.place(services.store, services.engine, mine.participant_id).model_dump(mode="json")

    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()
    return reply(await run(services.reading, work))


ROUTES = [Route("/api/place", place, methods=["POST"])]
