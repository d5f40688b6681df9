"""A reviewer's writes: the answer, the verdict, giving an item to somebody else, taking the last verdict back.

Each is committed before the reply, which says when. What is shown next is read from the database by the page (`app.pages.qa_review`), so
that nothing of the author's answer comes this way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa.work import pool
from annotation.reviewing.rows import Review
from app import identity, rights
from app.bodies import Body, Percent, Word, Words
from app.http import guarded
from app.services import Services
from app.verify_api import write
from data.store import Store, now


class AnswerBody(Body):
    answer: Word
    """A letter."""
    confidence: Percent | None = None


class VerdictBody(Body):
    verdict: Word
    reasons: Annotated[list[Word], Meta(max_length=30)] = []
    comment: Words = ""


class SkipBody(Body):
    why: Words


class UndoBody(Body):
    """Nothing: the address says which."""


async def _act(request: Request, kind: Any, act: Callable[[Store, Review, Any], object]) -> Response:
    """Something done with a review that somebody of this browser has."""
    cookie, review_id = identity.cookie(request), request.path_params["review"]

    def work(services: Services, body: Any) -> dict[str, Any]:
        act(services.store, rights.reviewing(services.store, cookie, review_id), body)
        return {"saved_at": now()}

    return await write(request, kind, work)


@guarded
async def answer(request: Request) -> Response:
    """POST /api/qa/review/{review}/answer {answer, confidence}: {saved_at}, or 409 where it is answered, or has ended."""

    def act(store: Store, review: Review, body: AnswerBody) -> None:
        pool.answer_review(store, review.review_id, review.reviewer, body.answer, body.confidence)

    return await _act(request, AnswerBody, act)


@guarded
async def decide(request: Request) -> Response:
    """POST /api/qa/review/{review}/decide {verdict, reasons, comment}: {saved_at}, or 409 where it is decided, or has ended."""

    def act(store: Store, review: Review, body: VerdictBody) -> None:
        pool.decide(store, review.review_id, review.reviewer, body.verdict, reasons=body.reasons, comment=body.comment)

    return await _act(request, VerdictBody, act)


@guarded
async def skip(request: Request) -> Response:
    """POST /api/qa/review/{review}/skip {why}: {saved_at}; this person cannot judge it, somebody else gets it."""
    return await _act(request, SkipBody, lambda store, review, body: pool.skip(store, review.review_id, review.reviewer, body.why))


@guarded
async def undo(request: Request) -> Response:
    """POST /api/qa/review/{review}/undo {}: {saved_at}; its verdict is asked again."""
    return await _act(request, UndoBody, lambda store, review, body: pool.take_back(store, review.review_id, review.reviewer))


ROUTES = [
    Route("/api/qa/review/{review}/answer", answer, methods=["POST"]),
    Route("/api/qa/review/{review}/decide", decide, methods=["POST"]),
    Route("/api/qa/review/{review}/skip", skip, methods=["POST"]),
    Route("/api/qa/review/{review}/undo", undo, methods=["POST"]),
]
