"""The play page's routes: one episode, one action at a time. Every call names (episode, epoch) and is checked against the cookie's grants.

Replies are JSON; a step's reply is its JSON and then its frames in one body (see `step_body`). Status 202 means "not yet": send the same
request again, it joins the work that runs.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app import ahead, identity, rights, wire
from app.bodies import Body, Epoch, Id, Milliseconds, Percent, Pixels, Ratio, SequenceNumber, Word, Words
from app.guard import HttpError, check_origin, read_body, too_fast
from app.http import Joined, guarded, reply, run
from app.services import Services, current
from sim_bridge.errors import Refusal
from study import devices, participants
from study.access import Grant
from study.devices import Device
from study.looks import Look
from study.studies import Study
from study.tongue import Tongue, tongue
from study.tutorial import passing
from study.tutorial.todo import GIVEN
from study.views import StepView
from study.wording import say, speaking, spoken

OPEN_PATIENCE_S = 0.5
"""An opening that takes longer is answered "not yet", with the place in the line."""
ACT_PATIENCE_S = 5.0
"""The same for a step."""

log = logging.getLogger("vantage.play")
_joined = Joined()
STEP_TYPE = "application/vnd.vantage.step"
FRAME_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class DeviceBody(Body):
    """What the page is shown with; browser and system are read from the request's head."""

    viewport_width: Pixels | None = None
    viewport_height: Pixels | None = None
    screen_width: Pixels | None = None
    screen_height: Pixels | None = None
    pixel_ratio: Ratio | None = None
    zoom: Ratio | None = None
    colour_scheme: Literal["", "light", "dark"] = ""
    touch: bool | None = None


class OpenBody(Body):
    episode: Id
    tab: Word = ""
    device: DeviceBody | None = None


class StepBody(Body, kw_only=True):
    episode: Id
    epoch: Epoch
    seq: SequenceNumber
    t: Milliseconds | None = None
    painted_ms: Milliseconds | None = None
    queued_ms: Milliseconds | None = None


class PhaseBody(StepBody, kw_only=True):
    input: Literal["", "key", "button", "pointer", "touch"] = ""


class NextBody(StepBody, kw_only=True):
    input: Literal["", "key", "button", "pointer", "touch", "pace"] = ""


class ActBody(PhaseBody, kw_only=True):
    action: Word


class BeliefBody(Body):
    episode: Id
    epoch: Epoch
    n: SequenceNumber
    answer: Any = None
    confidence: Percent | None = None
    t: Milliseconds | None = None


class AnswerBody(Body):
    episode: Id
    epoch: Epoch
    answer: Any = None
    confidence: Percent | None = None
    t: Milliseconds | None = None


class TimeBody(Body):
    episode: Id
    epoch: Epoch
    answer: Any = None
    confidence: Percent | None = None


class EventBody(Body):
    episode: Id
    epoch: Epoch
    n: SequenceNumber
    what: Literal["hidden", "visible", "blur", "focus", "resized", "offline", "online", "watched_again", "scaled"]
    t: Milliseconds | None = None
    detail: Word = ""


class LookBody(Body):
    n: SequenceNumber
    seq: SequenceNumber
    began_ms: Milliseconds
    ended_ms: Milliseconds
    scale: Ratio
    enlarged: bool = False


class LooksBody(Body):
    episode: Id
    epoch: Epoch
    looks: Annotated[list[LookBody], Meta(max_length=400)]


class SkipBody(Body):
    episode: Id


class StopBody(Body):
    episode: Id
    take_back: bool = False


class ReportBody(Body):
    episode: Id
    epoch: Epoch
    text: Words


def step_body(told: Mapping[str, Any], frames: Sequence[bytes]) -> bytes:
    """A step as a browser gets it: the JSON's length in four bytes (big-endian), the JSON, and all frames of the step one after the other,
    the last being the observation. ``sizes`` in the JSON tells the frames apart.

    Nothing of it stands in a header: with many objects to choose from, the JSON is longer than what proxies take as a header (4 kB).
    """
    head = msgspec.json.encode({**told, "sizes": [len(frame) for frame in frames]})
    return b"".join((len(head).to_bytes(4, "big"), head, *frames))


def step_reply(services: Services, episode: str, view: StepView) -> Response:
    """A step with its frames."""
    image = view.image if view.image is not None else services.engine.frame(episode, view.seq)
    parts = [*(services.engine.frame(episode, view.seq, index) for index in range(view.frames - 1)), image]
    told = wire.step(view)
    if words := _tongue(services, episode):
        told = words.step(told)
    if services.settings.test_hook:
        told["timing"] = view.timing_ms
    return Response(step_body(told, parts), media_type=STEP_TYPE, headers=FRAME_HEADERS)


@contextmanager
def playing(services: Services, cookie: str | None, episode: str) -> Iterator[Grant]:
    """The episode's own player, spoken to in the language of their study.

    Raises:
        NotAllowed: it is not this browser's.
    """
    grant = rights.player(services.store, cookie, episode)
    with participants.spoken_to(services.store, grant.participant_id):
        yield grant


def _tongue(services: Services, episode: str) -> Tongue | None:
    """The episode's task in the language that is spoken now; None: its own words are read."""
    if spoken() == "en":
        return None
    row = services.store.one("SELECT task_hash FROM episodes WHERE episode_id = ?", [episode])
    return None if row is None else tongue(services.store.get_task(row["task_hash"]), spoken())


def _read(told: dict[str, Any], words: Tongue | None) -> dict[str, Any]:
    """What a page is told of an episode, in the words that are read."""
    if words is None:
        return told
    belief = told["belief"] and told["belief"] | {"answer": words.answer(told["belief"]["answer"])}
    return told | {"question": words.question(told["question"]), "step": words.step(told["step"]), "belief": belief}


async def write(request: Request, kind: Any, work: Callable[[Services, Any], Response]) -> Response:
    """A write of the episode's own player that is not a step: check, limit, run."""
    check_origin(request)
    services = current()
    body = await read_body(request, kind)
    cookie = identity.cookie(request)

    def checked() -> Response:
        with playing(services, cookie, body.episode):
            return work(services, body)

    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()
    return await run(services.acting, checked)


@guarded
async def open_episode(request: Request) -> Response:
    """POST /api/open {episode, tab}: take the episode over; 202 {waiting, place} while no simulator is free."""
    check_origin(request)
    services = current()
    body = await read_body(request, OpenBody)
    cookie = identity.cookie(request)
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    device = device_of(request, body.device)

    def work(on_wait: Callable[[int], None]) -> dict[str, Any]:
        with playing(services, cookie, body.episode):
            view = services.engine.open(body.episode, tab=body.tab[:80], device=device, on_wait=on_wait)
            told = _read(wire.episode(view), _tongue(services, body.episode))
            told |= {"controls": wire.controls(view.actions, paged=view.opens == "frames")}
            return told | {"clock": {"left": view.seconds_left, "limit": view.limit}, "ended_by": view.ended_by, "answered": view.answered}

    def warm(told: dict[str, Any]) -> None:
        """Bring the simulator to the current step while the person looks, so that the next action finds it there."""
        try:
            services.engine.prepare(told["episode"], told["epoch"])
        except Exception as error:
            # The next action meets the same trouble and tells the person; here nobody waits for an answer.
            log.info("not prepared: %s", error, exc_info=None if isinstance(error, Refusal) else error)

    done, result = await _joined.result(f"open {cookie} {body.episode} {body.tab}", services.opening, work, OPEN_PATIENCE_S)
    if done and not result["over"] and result["step"]["seq"] > 0:
        services.opening.submit(warm, result)
    return reply(result) if done else reply({"waiting": True, "place": result}, 202)


async def _step(request: Request, kind: Any, call: Callable[[Services, Any, Callable[[int], None]], StepView]) -> Response:
    check_origin(request)
    services = current()
    body = await read_body(request, kind)
    cookie = identity.cookie(request)
    if not services.act_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def work(on_wait: Callable[[int], None]) -> Response:
        with playing(services, cookie, body.episode):
            return step_reply(services, body.episode, call(services, body, on_wait))

    key = f"{request.url.path} {cookie} {body.episode} {body.epoch} {body.seq} {getattr(body, 'action', '')}"
    done, result = await _joined.result(key, services.acting, work, ACT_PATIENCE_S)
    return result if done else reply({"waiting": True, "place": result}, 202)


def device_of(request: Request, told: DeviceBody | None) -> Device:
    """What the page is shown with, as far as it and the request's head say."""
    known = devices.named(request.headers.get("user-agent", ""), touch=None if told is None else told.touch)
    return known if told is None else msgspec.structs.replace(known, **msgspec.structs.asdict(told))


def _given(body: PhaseBody | NextBody) -> dict[str, Any]:
    """How an action was given."""
    return {"client_time_ms": body.t, "frame_painted_ms": body.painted_ms, "queued_ms": body.queued_ms, "given_with": body.input}


@guarded
async def act(request: Request) -> Response:
    """POST /api/act {episode, epoch, seq, action, t}: one action, once."""
    return await _step(
        request,
        ActBody,
        lambda s, b, on_wait: s.engine.act(b.episode, b.epoch, b.seq, b.action, **_given(b), on_wait=on_wait),
    )


@guarded
async def phase(request: Request) -> Response:
    """POST /api/phase {episode, epoch, seq}: on to the task's next part."""
    return await _step(
        request, PhaseBody, lambda s, b, on_wait: s.engine.next_phase(b.episode, b.epoch, b.seq, **_given(b), on_wait=on_wait)
    )


@guarded
async def next_picture(request: Request) -> Response:
    """POST /api/next {episode, epoch, seq, t}: the next of pictures that are shown one after the other."""
    return await _step(request, NextBody, lambda s, b, _on_wait: s.engine.next_picture(b.episode, b.epoch, b.seq, **_given(b)))


@guarded
async def frame(request: Request) -> Response:
    """GET /api/frame/{episode}/{seq}: a frame that the history rule shows; ``?strip``: fetched by the page, nobody chose to look;
    ``?index=0``: the first of the pictures of a step with several."""
    services, looked = current(), "strip" not in request.query_params
    wanted = request.query_params.get("index", "-1")
    index = int(wanted) if re.fullmatch(r"-1|\d{1,3}", wanted) else -1
    episode, seq, cookie = request.path_params["episode"], request.path_params["seq"], identity.cookie(request)

    def work() -> bytes:
        with playing(services, cookie, episode):
            return services.engine.frame(episode, seq, index, looked=looked)

    return Response(await run(services.reading, work), media_type="image/webp", headers=FRAME_HEADERS)


@guarded
async def belief(request: Request) -> Response:
    """POST /api/belief {episode, epoch, n, answer, confidence}: what the person thinks so far."""

    def work(services: Services, body: BeliefBody) -> Response:
        words = _tongue(services, body.episode)
        noted = words.given(body.answer) if words else body.answer
        kept = services.engine.belief(body.episode, body.epoch, body.n, noted, body.confidence, client_time_ms=body.t)
        return reply({"n": body.n, "saved_at": kept.saved_at})

    return await write(request, BeliefBody, work)


@guarded
async def answer(request: Request) -> Response:
    """POST /api/answer {episode, epoch, answer, confidence, t}: the final answer."""

    def work(services: Services, body: AnswerBody) -> Response:
        check_done(services, body.episode)
        words = _tongue(services, body.episode)
        given = words.given(body.answer) if words else body.answer
        final = services.engine.answer(body.episode, body.epoch, given, body.confidence, client_time_ms=body.t)
        ahead.after_answer(services, body.episode)
        told = wire.final(final)
        if words and "feedback" in told:
            told["feedback"] |= {"right_answer": words.answer(told["feedback"]["right_answer"])}
        if words:
            told["answer"] = words.answer(told["answer"])
        if (study := example_of(services, body.episode)) is not None:
            told["comes_again"] = passing.comes_again(services.store, study, body.episode)
        return reply(told)

    return await write(request, AnswerBody, work)


def example_of(services: Services, episode: str) -> Study | None:
    """The study of a worked example; None: the episode is none."""
    row = services.store.one("SELECT participant_id FROM episodes WHERE episode_id = ?", [episode])
    if row is None or row["participant_id"] is None:
        return None
    study = participants.study_of(services.store, participants.get_participant(services.store, row["participant_id"]))
    return study if passing.in_tutorial(services.store, study, episode) else None


def check_done(services: Services, episode: str) -> None:
    """Refuse the answer to a worked example in which something is still to be done.

    Raises:
        HttpError: so it is; the message names it.
    """
    study = example_of(services, episode)
    if study is None:
        return
    with speaking(study.language):
        if left := [thing.words for thing in passing.doing(services.store, episode) if not thing.done and thing.name not in GIVEN]:
            raise HttpError(422, "still_to_do", say("tutorial.first", things="; ".join(left)))


@guarded
async def todo(request: Request) -> Response:
    """GET /api/todo/{episode}: what is to be done in a worked example, and what of it is done; nothing for other tasks."""
    services, cookie, episode = current(), identity.cookie(request), request.path_params["episode"]

    def work() -> Response:
        rights.player(services.store, cookie, episode)
        study = example_of(services, episode)
        if study is None:
            return reply({"todo": []})
        with speaking(study.language):
            told = [{"name": one.name, "text": one.words, "done": one.done} for one in passing.doing(services.store, episode)]
        return reply({"todo": told})

    return await run(services.reading, work)


@guarded
async def again(request: Request) -> Response:
    """POST /api/again {episode}: give a worked example back, to begin it anew; also where no view is left. It is no attempt to pass it."""

    def work(services: Services, body: SkipBody) -> Response:
        row = services.store.one("SELECT participant_id, last_seq, state FROM episodes WHERE episode_id = ?", [body.episode])
        if row is None or row["last_seq"] < 0 or example_of(services, body.episode) is None:
            raise HttpError(409, "no_example", "Only a worked example that has begun can be begun again.")
        return reply({"state": _given_back(services, body.episode, row)})

    return await write(request, SkipBody, work)


def _given_back(services: Services, episode: str, row: Mapping[str, Any]) -> str:
    """Give an episode back; one that is given back stays so: the request is sent again, because its reply got lost."""
    if row["state"] == "returned":
        return "returned"
    return services.engine.end(episode, "return", actor=row["participant_id"] or "")


@guarded
async def time_up(request: Request) -> Response:
    """POST /api/time {episode, epoch, answer, confidence}: by the page's clock the time is up; whether it is, the server's says."""

    def work(services: Services, body: TimeBody) -> Response:
        words = _tongue(services, body.episode)
        given = words.given(body.answer) if words and body.answer is not None else body.answer
        return reply({"left": services.engine.time_up(body.episode, body.epoch, given, body.confidence)})

    return await write(request, TimeBody, work)


@guarded
async def report(request: Request) -> Response:
    """POST /api/report {episode, epoch, text}: a problem, in the participant's words."""
    return await write(request, ReportBody, lambda s, b: reply({"saved_at": s.engine.report_problem(b.episode, b.epoch, b.text).saved_at}))


@guarded
async def event(request: Request) -> Response:
    """POST /api/event {episode, epoch, n, what, t, detail}: the page was hidden, left, resized, …; for the events of an export."""

    def work(services: Services, body: EventBody) -> Response:
        services.engine.page_event(body.episode, body.epoch, body.n, body.what, client_time_ms=body.t, detail=body.detail)
        return Response(status_code=204)

    return await write(request, EventBody, work)


@guarded
async def looks(request: Request) -> Response:
    """POST /api/looks {episode, epoch, looks}: which pictures were on the screen from when to when; for the looks of an export."""

    def work(services: Services, body: LooksBody) -> Response:
        services.engine.looked(body.episode, body.epoch, [Look(**msgspec.structs.asdict(look)) for look in body.looks])
        return Response(status_code=204)

    return await write(request, LooksBody, work)


@guarded
async def skip(request: Request) -> Response:
    """POST /api/skip {episode}: give back a task of which no view could ever be shown; others cannot be skipped."""

    def work(services: Services, body: SkipBody) -> Response:
        row = services.store.one("SELECT participant_id, last_seq, state FROM episodes WHERE episode_id = ?", [body.episode])
        if row is None or row["last_seq"] >= 0:
            raise HttpError(409, "episode_begun", "This task has begun; give your answer when you are ready.")
        return reply({"state": _given_back(services, body.episode, row)})

    return await write(request, SkipBody, work)


@guarded
async def stop(request: Request) -> Response:
    """POST /api/stop {episode, take_back}: the episode's player ends their part in the study, and leaves what they did or takes it back."""

    def work(services: Services, body: StopBody) -> Response:
        row = services.store.one("SELECT participant_id FROM episodes WHERE episode_id = ?", [body.episode])
        person = row["participant_id"] if row else ""
        if body.take_back:
            participants.withdraw(services.store, services.engine, person)
        else:
            participants.stop(services.store, services.engine, person)
        return reply({"state": participants.get_participant(services.store, person).state})

    return await write(request, StopBody, work)


ROUTES = [
    Route("/api/open", open_episode, methods=["POST"]),
    Route("/api/act", act, methods=["POST"]),
    Route("/api/phase", phase, methods=["POST"]),
    Route("/api/next", next_picture, methods=["POST"]),
    Route("/api/frame/{episode}/{seq:step}", frame, methods=["GET"]),
    Route("/api/belief", belief, methods=["POST"]),
    Route("/api/answer", answer, methods=["POST"]),
    Route("/api/time", time_up, methods=["POST"]),
    Route("/api/report", report, methods=["POST"]),
    Route("/api/todo/{episode}", todo, methods=["GET"]),
    Route("/api/event", event, methods=["POST"]),
    Route("/api/looks", looks, methods=["POST"]),
    Route("/api/again", again, methods=["POST"]),
    Route("/api/skip", skip, methods=["POST"]),
    Route("/api/stop", stop, methods=["POST"]),
]
