"""The verifier's page: what comes next, what was said of it, and the pictures of the stage that is released.

Nothing of the second stage is in any reply, nor served as a picture, before the votes of the first stand in the database. A picture is
named by its place in what is shown, never by a hash or a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.reviewing import claims, drafts, votes
from annotation.reviewing.errors import NothingToReview
from annotation.reviewing.kind import VOID
from annotation.reviewing.kinds.tasks import CANNOT_TELL, FIRST, KIND, REST, TRAINING, TRAINING_KIND, kind_of
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import guides, history, masks, queue, showing, takeover, verifications
from annotation.verifying.errors import Closed, Ended, Paused
from annotation.verifying.evidence import FirstView, Picture, Rest
from app import identity, rights
from app.bodies import Body, Fields, Id, Percent, SequenceNumber, Word, Words
from app.guard import HttpError, check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.services import Services, current
from data.store import Store, dumps, new_id, now
from study import trajectories
from study.words import answer_in_words

CACHE = {"cache-control": "private, max-age=3600", "vary": "cookie", "x-content-type-options": "nosniff"}
"""An address holds a review's id, and a picture never changes: its reviewer's own browser may keep it."""


class NextBody(Body):
    verification: Id


class LookBody(Body):
    review: Id
    told: Word
    answer: Any = None
    """In the question's form; null: none."""
    confidence: Percent | None = None


class VoteBody(Body):
    vote: Word
    reasons: Annotated[list[Word], Meta(max_length=20)] = []


class JudgeBody(Body):
    review: Id
    votes: Annotated[dict[str, VoteBody], Meta(max_length=10)]
    note: Words = ""


class SkipBody(Body):
    review: Id
    why: Words


class UndoBody(Body):
    review: Id


class StepInBody(Body):
    review: Id
    n: SequenceNumber
    """The view at which to begin, from 0."""


class DraftBody(Body):
    review: Id
    draft: Fields


async def write(request: Request, kind: Any, work: Callable[[Services, Any], dict[str, Any]], *, simulates: bool = False) -> Response:
    """A write of somebody on the staff: check, limit, run. `simulates`: it waits for a simulator, and keeps no quick write waiting."""
    check_origin(request)
    services, cookie = current(), identity.cookie(request)
    body = await read_body(request, kind)
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()
    return reply(await run(services.opening if simulates else services.acting, lambda: work(services, body)))


@contextmanager
def kept(store: Store, review: Review, chosen: dict[str, Any]) -> Iterator[None]:
    """Keep what is sent as a draft as well: where its review has ended meanwhile, as the refusal says; and where it is stored, so that a
    verdict that is taken back comes with what was chosen. What is no vote is kept nowhere."""
    try:
        yield
    except (Ended, Closed):
        drafts.save(store, review, dumps(chosen))
        raise
    drafts.save(store, review, dumps(chosen))


# what a page is told


def _standing(services: Services, verification_id: str, who: str) -> dict[str, Any]:
    """What is before somebody now; the next task is given out where none is."""
    store = services.store
    last = queue.last_judged(store, verification_id, who)
    told: dict[str, Any] = {"item": None, "nothing": "", "where": "", "undo": _can_undo(services, last, who)}
    try:
        review = queue.next_item(store, verification_id, who)
    except (NothingToReview, Closed, Paused) as why:
        return told | {"nothing": str(why)}
    if last is not None and review.stages:
        told["undo"] = ""
    return told | {"item": _item(services, review, who), "where": _where(services, review, who)}


def _can_undo(services: Services, last: Review | None, who: str) -> str:
    """The verdict that can be taken back; empty: none."""
    if last is None or last.kind == TRAINING:
        return ""
    late = votes.taken_back_late(services.store, kind_of(last), last.review_id, who)
    return last.review_id if late is None else ""


def _where(services: Services, review: Review, who: str) -> str:
    """How far somebody is, in words."""
    store, scope = services.store, review.scope
    if review.kind == TRAINING:
        place = votes.completed_by(store, TRAINING_KIND, scope, who) + 1
        of = min(verifications.get(store, scope).protocol.training, place + claims.waiting_for(store, TRAINING_KIND, scope, who))
        return f"Exercise {place} of {of}: afterwards you read what is known of it"
    waiting = claims.waiting_for(store, KIND, scope, who)
    return f"{waiting} more wait for you" if waiting > 1 else "One more waits for you" if waiting else "The last one for now"


def _item(services: Services, review: Review, who: str) -> dict[str, Any]:
    """The task of a review as far as it is released. Which kind of thing it is, a task or a hidden control, is not told."""
    store = services.store
    first = queue.first_view(store, review, who)
    chosen = queue.draft_of(store, review.review_id, who)
    told: dict[str, Any] = {"review": review.review_id, "stage": REST if review.stages else FIRST}
    told |= {"first": first_told(review, first, "first"), "draft": json.loads(chosen) if chosen else None}
    if not review.stages:
        return told
    released = queue.release(store, review, who)
    assert isinstance(released, Rest)
    said = votes.votes_of(store, review.review_id)
    answer, sure = said["answer"].vote, said["answer"].confidence
    words = "that you cannot tell" if answer == CANNOT_TELL else f"{_plain(answer)}{'' if sure is None else f', {sure} % sure'}"
    tells = "the first view tells it" if said["told"].vote == "yes" else "one has to look further"
    return told | {"rest": rest_told(review, released), "said": f"{words}; {tells}"}


def _plain(answer: str) -> str:
    """A stored answer as people read it."""
    return answer_in_words(json.loads(answer) if answer.startswith(("[", "{")) else answer)


PICTURES = "api/verify/picture"
"""Where the pictures of a review are served."""


def picture_told(review: Review, one: Picture, place: str, at: str = PICTURES) -> dict[str, Any]:
    """One picture as pages get it: named by its place in what is shown, at the address `at`."""
    return {"url": f"{at}/{quote(review.review_id)}/{quote(place)}", "width": one.width, "height": one.height}


def first_told(review: Review, first: FirstView, place: str, at: str = PICTURES) -> dict[str, Any]:
    """A question with its first view."""
    told: dict[str, Any] = msgspec.to_builtins(first)
    return told | {"pictures": [picture_told(review, one, f"{place}-{n}", at) for n, one in enumerate(first.pictures)]}


def rest_told(review: Review, rest: Rest, at: str = PICTURES) -> dict[str, Any]:
    """Everything that is released after the first stage."""
    told: dict[str, Any] = msgspec.to_builtins(rest)
    if rest.evidence is not None:
        moments = [
            msgspec.to_builtins(moment) | {"picture": picture_told(review, moment.picture, f"moment-{n}", at)}
            for n, moment in enumerate(rest.evidence.moments)
        ]
        # the actions as the scene has them name its handles: they are for programs
        told["evidence"] = {name: value for name, value in told["evidence"].items() if name != "path_of_actions"} | {"moments": moments}
    return told | {"twin": None if rest.twin is None else first_told(review, rest.twin, "twin", at)}


# routes


@guarded
async def following(request: Request) -> Response:
    """POST /api/verify/next {verification}: the task before this person, or the next."""
    cookie = identity.cookie(request)

    def work(services: Services, body: NextBody) -> dict[str, Any]:
        who = rights.verifier(services.store, cookie, body.verification)
        return _standing(services, body.verification, who)

    return await write(request, NextBody, work)


@guarded
async def look(request: Request) -> Response:
    """POST /api/verify/look {review, told, answer, confidence}: what the first view tells; the reply has the rest."""
    cookie = identity.cookie(request)

    def work(services: Services, body: LookBody) -> dict[str, Any]:
        review = rights.verifying(services.store, cookie, body.review)
        answer = CANNOT_TELL if body.answer is None else body.answer if isinstance(body.answer, str) else dumps(body.answer)
        # a repeat of what is stored, whose reply got lost, is answered as the first one
        if not review.stages:
            chosen = {"stage": FIRST, "told": body.told, "answer": body.answer, "confidence": body.confidence}
            with kept(services.store, review, chosen):
                queue.look(services.store, body.review, review.reviewer, body.told, answer, body.confidence)
        return _standing(services, review.scope, review.reviewer)

    return await write(request, LookBody, work)


@guarded
async def judge(request: Request) -> Response:
    """POST /api/verify/judge {review, votes, note}: the verdict; the reply has what comes next, and what is known of an exercise."""
    cookie = identity.cookie(request)

    def work(services: Services, body: JudgeBody) -> dict[str, Any]:
        review = rights.verifying(services.store, cookie, body.review)
        # one note: it stands with the first axis that fails, else with the first
        noted = next((axis for axis, said in body.votes.items() if said.vote == "fail"), next(iter(body.votes), ""))
        said = {
            axis: Vote(given.vote, reasons=tuple(given.reasons), comment=body.note if axis == noted else "")
            for axis, given in body.votes.items()
        }
        if review.decided_at is None:
            chosen = {"stage": REST, "votes": msgspec.to_builtins(body.votes), "note": body.note}
            with kept(services.store, review, chosen):
                queue.judge(services.store, body.review, review.reviewer, said)
        else:
            # a repeat of what is stored, whose reply got lost, is answered as the first one
            queue.judged_so(services.store, review, said)
        feedback = queue.feedback(services.store, body.review, review.reviewer) if review.kind == TRAINING else None
        told = _standing(services, review.scope, review.reviewer)
        return told | {"feedback": feedback and msgspec.to_builtins(feedback) | {"agrees": feedback.agrees}}

    return await write(request, JudgeBody, work)


@guarded
async def skip(request: Request) -> Response:
    """POST /api/verify/skip {review, why}: this person cannot judge it; its place goes to somebody else."""
    cookie = identity.cookie(request)

    def work(services: Services, body: SkipBody) -> dict[str, Any]:
        review = rights.verifying(services.store, cookie, body.review)
        queue.cannot_judge(services.store, body.review, review.reviewer, body.why)
        return _standing(services, review.scope, review.reviewer)

    return await write(request, SkipBody, work)


@guarded
async def undo(request: Request) -> Response:
    """POST /api/verify/undo {review}: take the verdict back; it is asked again, now."""
    cookie = identity.cookie(request)

    def work(services: Services, body: UndoBody) -> dict[str, Any]:
        review = rights.verifying(services.store, cookie, body.review)
        queue.undo(services.store, body.review, review.reviewer)
        return _standing(services, review.scope, review.reviewer)

    return await write(request, UndoBody, work)


@guarded
async def step_in(request: Request) -> Response:
    """POST /api/verify/stepin {review, n}: {episode}, in which this person tries something themselves from that view on."""
    cookie = identity.cookie(request)

    def work(services: Services, body: StepInBody) -> dict[str, Any]:
        review = rights.verifying(services.store, cookie, body.review)
        return {"episode": takeover.begin(services.engine, body.review, review.reviewer, body.n)}

    return await write(request, StepInBody, work, simulates=True)


@guarded
async def draft(request: Request) -> Response:
    """POST /api/verify/draft {review, draft}: what is chosen and not yet sent; `saved_at` is empty where it came too late."""
    cookie = identity.cookie(request)

    def work(services: Services, body: DraftBody) -> dict[str, Any]:
        review = rights.verifying(services.store, cookie, body.review)
        first = body.draft.get("stage") == FIRST
        is_kept = queue.save_draft(services.store, body.review, review.reviewer, dumps(body.draft), first=first)
        return {"saved_at": now() if is_kept else ""}

    return await write(request, DraftBody, work)


@guarded
async def picture(request: Request) -> Response:
    """GET /api/verify/picture/{review}/{place}: one picture (``first-0``, ``moment-3``, ``twin-0``) of what is released to its reviewer."""
    return await one_picture(request, rights.verifying, released)


def released(store: Store, review: Review, part: str) -> tuple[Picture, ...]:
    """The pictures of one part that are released to the reviewer."""
    return showing.pictures(store, review, part) if part == "first" or review.stages else ()


async def one_picture(
    request: Request, allowed: Callable[[Store, str | None, str], Review], shown: Callable[[Store, Review, str], tuple[Picture, ...]]
) -> Response:
    """The picture at the place that the address names, of a review that this browser has."""
    services, cookie = current(), identity.cookie(request)
    part, _, number = request.path_params["place"].partition("-")

    def work() -> bytes:
        review = allowed(services.store, cookie, request.path_params["review"])
        if review.state == VOID:
            raise HttpError(404, "not_found", "This was given back.")
        found = shown(services.store, review, part)
        n = int(number) if number.isdecimal() and len(number) < 6 else -1
        if not 0 <= n < len(found):
            raise HttpError(404, "not_found", "There is no such picture.")
        return services.frames.kept(services.store, found[n].pixel_hash)

    return Response(await run(services.reading, work), media_type="image/webp", headers=CACHE)


@guarded
async def mask(request: Request) -> Response:
    """GET /api/verify/mask/{review}/{seq}: which thing each pixel of that view of the evidence shows, from a simulator that does the
    trajectory again up to there."""
    services, cookie, n = current(), identity.cookie(request), request.path_params["seq"]

    def work() -> bytes:
        store = services.store
        review = rights.verifying(store, cookie, request.path_params["review"])
        task = trajectories.known(store, showing.task_of(store, review.subject))
        found = showing.evidence_of(store, task.content_hash) if review.stages and review.state != VOID else None
        if found is None or n >= len(found.moments):
            raise HttpError(404, "not_found", "There is no such view.")
        return msgspec.json.encode(masks.overlay(services.pool, new_id("mask"), task, found.moments, n))

    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()
    return Response(await run(services.opening, work), media_type="application/json", headers=CACHE)


@guarded
async def guide(request: Request) -> Response:
    """GET /api/verify/guide: the guide that votes are cast by now."""
    services, cookie = current(), identity.cookie(request)

    def work() -> dict[str, Any]:
        rights.verifies(services.store, cookie)
        found = guides.current()
        return {"guide": found.guide, "text": found.text}

    return reply(await run(services.reading, work))


@guarded
async def past(request: Request) -> Response:
    """GET /api/verify/past/{verification}: what this person has judged so far, and in how many hours."""
    services, cookie, verification = current(), identity.cookie(request), request.path_params["verification"]

    def work() -> dict[str, Any]:
        who = rights.verifier(services.store, cookie, verification)
        found = history.history(services.store, verification, who)
        return {"hours": history.hours(services.store, verification, who), "past": msgspec.to_builtins(found)}

    return reply(await run(services.reading, work))


ROUTES = [
    Route("/api/verify/next", following, methods=["POST"]),
    Route("/api/verify/look", look, methods=["POST"]),
    Route("/api/verify/judge", judge, methods=["POST"]),
    Route("/api/verify/skip", skip, methods=["POST"]),
    Route("/api/verify/undo", undo, methods=["POST"]),
    Route("/api/verify/stepin", step_in, methods=["POST"]),
    Route("/api/verify/draft", draft, methods=["POST"]),
    Route("/api/verify/picture/{review}/{place}", picture, methods=["GET"]),
    Route("/api/verify/mask/{review}/{seq:step}", mask, methods=["GET"]),
    Route("/api/verify/guide", guide, methods=["GET"]),
    Route("/api/verify/past/{verification}", past, methods=["GET"]),
]
