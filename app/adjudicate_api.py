"""The adjudicator's page: what comes next, what was found, and the pictures that may be seen. Of a disputed gold no reply holds the gold, a
vote, or who answered what.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation import adjudicating
from annotation.adjudicating import KINDS, Shown
from annotation.reviewing.errors import NothingToReview
from annotation.reviewing.kind import Axis
from annotation.reviewing.kinds.gold_disputes import CANNOT_TELL
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import takeover, verifications
from app import identity, rights
from app.bodies import Body, Id, Percent, Word, Words
from app.http import guarded
from app.services import Services
from app.verify_api import DraftBody, StepInBody, first_told, kept, one_picture, picture_told, rest_told, write
from data.store import Store, dumps, now

StudyOfPage = Annotated[str, Meta(max_length=100)]
"""The study whose page it is; empty: what stands in no study."""


class NextBody(Body):
    study: StudyOfPage = ""


class FoundBody(Body):
    vote: Word = ""
    """A choice of the axis; empty: `answer`."""
    answer: Any = None
    """In the question's form."""
    confidence: Percent | None = None
    reasons: Annotated[list[Word], Meta(max_length=30)] = []


class JudgeBody(Body):
    review: Id
    study: StudyOfPage
    votes: Annotated[dict[str, FoundBody], Meta(max_length=10)]
    note: Words = ""


class SkipBody(Body):
    review: Id
    study: StudyOfPage
    why: Words


class UndoBody(Body):
    review: Id
    study: StudyOfPage


def _standing(services: Services, study: str, who: str, study_wide: bool) -> dict[str, Any]:
    """What is before somebody now; the next is given out where nothing is."""
    store = services.store
    last = adjudicating.last_judged(store, who)
    told: dict[str, Any] = {"item": None, "nothing": "", "undo": last.review_id if last else ""}
    here = [
        one.verification_id
        for one in verifications.all_of(store)
        if one.study_id == (study or None) or (study_wide and one.study_id is None)
    ]
    try:
        review = adjudicating.next_one(store, who, [study] if study else [], here)
    except NothingToReview as nothing:
        return told | {"nothing": str(nothing)}
    return told | {"item": _item(services, review, who)}


def _item(services: Services, review: Review, who: str) -> dict[str, Any]:
    shown, chosen = adjudicating.shown(services.store, review), adjudicating.draft_of(services.store, review.review_id, who)
    told: dict[str, Any] = {"review": review.review_id, "noun": KINDS[review.kind].noun, "about": shown.about}
    told |= {"first": first_told(review, shown.first, "first", PICTURES), "views": _views(review, shown)}
    told |= {"rest": None if shown.rest is None else rest_told(review, shown.rest, PICTURES)}
    return told | {"axes": [_axis(axis) for axis in shown.axes], "draft": json.loads(chosen) if chosen else None}


def _views(review: Review, shown: Shown) -> list[dict[str, Any]]:
    return [picture_told(review, one, f"view-{n}", PICTURES) for n, one in enumerate(shown.views)]


def _axis(axis: Axis) -> dict[str, Any]:
    """One question, as the page draws it: with the form of an answer, or with choices."""
    written = axis.reads is not None
    return {
        "name": axis.name, "label": axis.label, "ask": axis.ask, "written": written,
        "choices": [
            {"vote": one.vote, "label": one.label, "key": one.key, "explained": one.explained, "comment": one.comment}
            for one in axis.choices
            if not written or one.vote == CANNOT_TELL
        ],
        "reasons": [list(pair) for pair in axis.reasons.items()],
    }  # fmt: skip


PICTURES = "api/adjudicate/picture"


@guarded
async def following(request: Request) -> Response:
    """POST /api/adjudicate/next {study}: what is before this person, or the next."""
    cookie = identity.cookie(request)

    def work(services: Services, body: NextBody) -> dict[str, Any]:
        who, wide = rights.adjudicator(services.store, cookie, body.study)
        return _standing(services, body.study, who, wide)

    return await write(request, NextBody, work)


@guarded
async def judge(request: Request) -> Response:
    """POST /api/adjudicate/judge {review, study, votes, note}: what was found; the reply has what comes next."""

    def act(store: Store, review: Review, body: JudgeBody) -> None:
        said = _said(body)
        if review.decided_at is not None:
            # a repeat of what is stored, whose reply got lost, is answered as the first one
            adjudicating.judged_so(store, review, said)
            return
        with kept(store, review, {"votes": msgspec.to_builtins(body.votes), "note": body.note}):
            adjudicating.judge(store, body.review, review.reviewer, said)

    return await _act(request, JudgeBody, act)


async def _act(request: Request, kind: Any, act: Callable[[Store, Review, Any], object]) -> Response:
    """Something done with an adjudication; the reply has what comes next on the page, which is that of one study or of none."""
    cookie = identity.cookie(request)

    def work(services: Services, body: Any) -> dict[str, Any]:
        review = rights.adjudicating(services.store, cookie, body.review)
        who, wide = rights.adjudicator(services.store, cookie, body.study)
        act(services.store, review, body)
        return _standing(services, body.study, who, wide)

    return await write(request, kind, work)


def _said(body: JudgeBody) -> dict[str, Vote]:
    """The votes; the one note stands with the last axis, which is the one that may need it."""
    noted = next(reversed(body.votes), "")
    return {
        name: Vote(_words(one), one.confidence, tuple(one.reasons), body.note.strip() if name == noted else "")
        for name, one in body.votes.items()
    }


def _words(found: FoundBody) -> str:
    if found.vote or found.answer is None:
        return found.vote
    return found.answer if isinstance(found.answer, str) else dumps(found.answer)


@guarded
async def skip(request: Request) -> Response:
    """POST /api/adjudicate/skip {review, study, why}: this person cannot judge it; its place goes to somebody else."""
    return await _act(request, SkipBody, lambda store, review, body: adjudicating.skip(store, body.review, review.reviewer, body.why))


@guarded
async def undo(request: Request) -> Response:
    """POST /api/adjudicate/undo {review, study}: take the last one back, as long as nothing was built upon it."""
    return await _act(request, UndoBody, lambda store, review, body: adjudicating.undo(store, body.review, review.reviewer))


@guarded
async def step_in(request: Request) -> Response:
    """POST /api/adjudicate/stepin {review, n}: {episode}, in which this person tries something themselves."""
    cookie = identity.cookie(request)

    def work(services: Services, body: StepInBody) -> dict[str, Any]:
        store = services.store
        review = rights.adjudicating(store, cookie, body.review)
        # of a disputed gold the trajectory is not done again: it leads to the answer
        n = body.n if adjudicating.shown(store, review).rest is not None else 0
        task = adjudicating.task_of(store, review)
        return {"episode": takeover.begin_at(services.engine, task, review.review_id, review.reviewer, n)}

    return await write(request, StepInBody, work, simulates=True)


@guarded
async def draft(request: Request) -> Response:
    """POST /api/adjudicate/draft {review, draft}: what is chosen and not yet sent; `saved_at` is empty where it came too late."""
    cookie = identity.cookie(request)

    def work(services: Services, body: DraftBody) -> dict[str, Any]:
        review = rights.adjudicating(services.store, cookie, body.review)
        is_kept = adjudicating.save_draft(services.store, body.review, review.reviewer, dumps(body.draft))
        return {"saved_at": now() if is_kept else ""}

    return await write(request, DraftBody, work)


@guarded
async def picture(request: Request) -> Response:
    """GET /api/adjudicate/picture/{review}/{place}: one picture (``first-0``, ``view-3``, ``moment-3``, ``twin-0``)."""
    return await one_picture(request, rights.adjudicating, adjudicating.pictures)


ROUTES = [
    Route("/api/adjudicate/next", following, methods=["POST"]),
    Route("/api/adjudicate/judge", judge, methods=["POST"]),
    Route("/api/adjudicate/skip", skip, methods=["POST"]),
    Route("/api/adjudicate/undo", undo, methods=["POST"]),
    Route("/api/adjudicate/stepin", step_in, methods=["POST"]),
    Route("/api/adjudicate/draft", draft, methods=["POST"]),
    Route("/api/adjudicate/picture/{review}/{place}", picture, methods=["GET"]),
]
