"""The question page's routes: what is asked now, and its pictures. Beliefs, the answer and reports go by the play page's (`app.play_api`).

The pictures of an item are served to the participant whose current question it is, while it is asked, and to nobody else; an address
names a place in the question (a view, or an option's letter), never a file or a hash.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa.drawn.pictures import ImageFolder, drawn, shown
from annotation.qa.evaluating.evaluation import check_taker
from annotation.qa.items import VIEW_WORDS, Mark, ViewImage
from app import identity, rights
from app.http import guarded, reply, run
from app.play_api import OpenBody, device_of, write
from app.qa_images import whole
from app.services import Services, current
from data.home import Home
from study import questions
from study.studies import get_study

PICTURE_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def wire(view: questions.QuestionView) -> dict[str, Any]:
    """What the browser is told of a question: every field is named here. A question that is over shows nothing any more."""
    document, over = view.shown, view.state != "active"
    told: dict[str, Any] = {
        "episode": view.episode_id,
        "epoch": view.epoch,
        "state": view.state,
        "over": over,
        "stopped_by": view.stopped_by,
        "saved_at": view.saved_at,
    }
    if over:
        return told
    belief = view.belief

    def picture(place: str, image: dict[str, Any]) -> dict[str, Any]:
        address = f"api/qa/play/{quote(view.episode_id)}/{quote(place)}"
        return {"url": address, "width": image["width"], "height": image["height"]}

    return told | {
        "question": document["question"],
        "reference": document["reference_view"],
        "views": [{"view": v["view"], "name": VIEW_WORDS.get(v["view"], v["view"]), **picture(v["view"], v)} for v in document["views"]],
        # For those who cannot see them; where they lie is drawn into the pictures.
        "marks": [{name: mark[name] for name in ("view", "kind", "colour")} for mark in document["marks"]],
        "options": [
            {"letter": letter, "text": document["options"][letter]}
            | ({"image": picture(letter, document["option_images"][letter])} if letter in document["option_images"] else {})
            for letter in view.letters
        ],
        "enlarge": view.enlarge,
        "confidence_required": view.confidence_required,
        "references": view.external_references,
        "seconds_left": view.seconds_left,
        "belief": None if belief is None else {"n": belief.n, "answer": belief.answer, "confidence": belief.confidence},
    }


def _check(services: Services, cookie: str | None, episode: str) -> None:
    """Is it this browser's question, and may this person take part?"""
    grant = rights.player(services.store, cookie, episode)
    check_taker(services.store, get_study(services.store, grant.study_id), grant.participant_id or "", cookie)


@guarded
async def open_question(request: Request) -> Response:
    """POST /api/qa/play/open {episode, tab}: take the question over."""
    cookie = identity.cookie(request)

    def work(services: Services, body: OpenBody) -> Response:
        _check(services, cookie, body.episode)
        device = device_of(request, body.device)
        return reply(wire(questions.open_question(services.engine, body.episode, tab=body.tab[:80], device=device)))

    return await write(request, OpenBody, work)


@guarded
async def picture(request: Request) -> Response:
    """GET /api/qa/play/{episode}/{place}: one picture of the question that is asked now, as the item's set shows it."""
    services, cookie = current(), identity.cookie(request)
    episode, place = request.path_params["episode"], request.path_params["place"]

    def work() -> Response:
        _check(services, cookie, episode)
        return _picture(services, questions.picture(services.store, episode, place), place)

    return await run(services.reading, work)


@guarded
async def staff_picture(request: Request) -> Response:
    """GET /api/staff/question/{episode}/{place}: the same picture for a researcher of the study, also when the question is over."""
    services, cookie = current(), identity.cookie(request)
    episode, place = request.path_params["episode"], request.path_params["place"]

    def work() -> Response:
        rights.researcher_of(services.store, cookie, episode)
        return _picture(services, questions.picture(services.store, episode, place, asked=False), place)

    return await run(services.reading, work)


def _picture(services: Services, image: dict[str, Any], place: str) -> Response:
    """A picture with the marks on it, drawn as in the exports that models get."""
    view = ViewImage(view=place, **{name: image[name] for name in ("image", "width", "height", "transform") if name in image})
    if not image["marks"]:
        return whole(services.home, view, PICTURE_HEADERS)
    marks = tuple(Mark.model_validate_json(json.dumps(mark)) for mark in image["marks"])
    return Response(_drawn(services.home, view, marks), media_type="image/png", headers=PICTURE_HEADERS)


@lru_cache(maxsize=64)
def _drawn(home: Home, view: ViewImage, marks: tuple[Mark, ...]) -> bytes:
    """Kept for a while: everybody in a study is shown the same ones."""
    return drawn(view, shown(view, ImageFolder(home)(view.image))[0], marks)


ROUTES = [
    Route("/api/qa/play/open", open_question, methods=["POST"]),
    Route("/api/qa/play/{episode}/{place}", picture, methods=["GET"]),
]
STAFF_ROUTES = [Route("/api/staff/question/{episode}/{place}", staff_picture, methods=["GET"])]
