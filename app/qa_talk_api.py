"""Comments that people pin to the pictures of an item: its maker, a lead, and a reviewer who has answered it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa.work import pool
from annotation.qa.work.pool import Pin
from app import identity, rights
from app.bodies import Body, Id, Word, Words
from app.http import guarded
from app.services import Services
from app.verify_api import write
from study.errors import NotAllowed

Pixel = Annotated[float, Meta(ge=-1e6, le=1e6)]
"""Of the original image; whether it lies in it is checked where the item is known."""


class PinBody(Body):
    text: Words
    view: Word
    x: Pixel
    y: Pixel
    mark: Word | None = None
    """The mark that it is about."""
    review: Id = ""
    """Of a reviewer: the answered review in which they say it."""


@guarded
async def pin(request: Request) -> Response:
    """POST /api/qa/comments/{item} {text, view, x, y, mark, review}: {comment}. The same said twice at one place is kept once."""
    cookie, item_id = identity.cookie(request), request.path_params["item"]

    def work(services: Services, body: PinBody) -> dict[str, Any]:
        store = services.store
        if body.review:
            review = rights.reviewing(store, cookie, body.review)
            if pool.reveal(store, review.review_id, review.reviewer).item_id != item_id:
                raise NotAllowed(rights.FOREIGN)
            who = review.reviewer
        else:
            who = rights.worker(store, cookie, item_id)[0].staff_id or ""
        return {"comment": pool.comment(store, item_id, who, body.text, Pin(body.view, body.x, body.y, body.mark))}

    return await write(request, PinBody, work)


ROUTES = [Route("/api/qa/comments/{item}", pin, methods=["POST"])]
