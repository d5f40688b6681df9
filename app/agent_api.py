"""Model agents over HTTP: the same engine, actions, frames and records as for people. Authorization: Bearer <key>.

An agent sends either its raw output (the published prompt format; text that is no action is sent back once) or a canonical action.
Frames travel as base64 in the JSON; they are the bytes a person's browser gets.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app import rights, wire
from app.bodies import Body, Count, Epoch, Id, Output, Percent, Seed, SequenceNumber, Share, Word
from app.guard import HttpError, read_body, too_fast
from app.http import Joined, guarded, reply, run
from app.identity import limit_key
from app.play_api import FRAME_HEADERS
from app.services import Services, current
from app.visitors import bearer
from data.frames import FrameDamaged
from data.store import TaskNotFound
from study import agents
from study.agent_keys import Agent
from study.agents import Rules
from study.studies import get_study, protocol_in
from study.views import EpisodeView, StepView

log = logging.getLogger("vantage.agents")

MAX_OUTPUT_BYTES = 256 * 1024
AT_MOST_S = 600.0
"""Longer than any beginning can take (its waits are bounded at the simulators), seconds."""
_joined = Joined()


class BeginBody(Body):
    task: Id
    paradigm: Word | None = None
    seed: Seed | None = None
    confidence_threshold: Share | None = None
    min_steps: Count = 1
    id: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    """The sender's own word for this episode: sent again, it gives the same episode."""


class ActBody(Body):
    epoch: Epoch
    seq: SequenceNumber
    """With `output`: the observation it is about. With `action`: the new step's number, the current one + 1."""
    output: Output | None = None
    action: Word | None = None
    finish_reason: Word | None = None


class NextBody(Body):
    epoch: Epoch
    seq: SequenceNumber
    """The new picture's number: the current one + 1."""


class AnswerBody(Body):
    epoch: Epoch
    answer: Any = None
    confidence: Percent | None = None
    """0–100."""
    reasoning: Output = ""


class EmptyBody(Body):
    pass


def _key(request: Request) -> str:
    key = bearer(request)
    if key is None:
        raise HttpError(401, "not_allowed", "This needs a key: send it as 'Authorization: Bearer …'.")
    return key


def _frame(services: Services, episode: str, seq: int) -> dict[str, str | None]:
    """The picture of a step; one that is damaged is named, and the episode can still be taken up."""
    try:
        data = services.engine.frame(episode, seq)
    except FrameDamaged as error:
        log.error("agent's frame of step %d: %s", seq, error)
        return {"media_type": "image/webp", "data": None, "missing": error.for_people}
    return {"media_type": "image/webp", "data": base64.b64encode(data).decode()}


def _episode(services: Services, view: EpisodeView) -> dict[str, Any]:
    told = wire.episode(view) | {"prompt": agents.prompt(view)}
    if not view.shown:
        return told | {"frame": None}  # a showing of words alone
    # of pictures that are shown all at once, the first; the others by their numbers (`frames`)
    first = view.shown[0] if view.opens == "grid" else view.step.seq
    return told | {"frame": _frame(services, view.episode_id, first)}


def _step(services: Services, episode: str, view: StepView) -> dict[str, Any]:
    return {"step": wire.step(view), "status": agents.status(view), "frame": _frame(services, episode, view.seq)}


async def _as_agent(
    request: Request, kind: Any, work: Callable[[Services, Agent, Any, str], Any], *, waits: bool = False, status: int = 200
) -> Response:
    """Check the key (and that the episode is its own), then run `work` off the event loop."""
    services, key = current(), _key(request)
    body = await read_body(request, kind, MAX_OUTPUT_BYTES) if request.method == "POST" else None
    episode = request.path_params.get("episode", "")
    if not services.act_limit.allow(limit_key(key)):
        raise too_fast()

    def checked() -> Any:
        agent = rights.agent(services.store, key, episode or None)
        return work(services, agent, body, episode)

    if isinstance(body, BeginBody) and body.id is not None:
        # sent again while the first is on its way: one beginning, not two that count against the agent's share
        _, told = await _joined.result(f"{key} {body!r}", services.agents_opening, lambda _place: checked(), AT_MOST_S)
        return reply(told, status)
    return reply(await run(services.agents_opening if waits else services.agents_acting, checked), status)


@guarded
async def tasks(request: Request) -> Response:
    """GET /api/agent/tasks: ids of the tasks of the key's study."""

    def work(services: Services, agent: Agent, _body: Any, _episode: str) -> Any:
        study = get_study(services.store, agent.study_id)
        return {"study": study.name, "tasks": services.store.task_ids(study.tasks)}

    return await _as_agent(request, None, work)


@guarded
async def begin(request: Request) -> Response:
    """POST /api/agent/episodes {task, id?, paradigm?, seed?, confidence_threshold?, min_steps?}: a new episode, with its first observation.

    It begins whole or not at all; 429 `too_many` where the key has as many going on as it may. `id` makes it safe to repeat.
    """

    def work(services: Services, agent: Agent, body: BeginBody, _episode_id: str) -> Any:
        study = get_study(services.store, agent.study_id)
        try:
            task_hash = services.store.find_task(body.task).content_hash
        except TaskNotFound:
            task_hash = ""
        if task_hash not in study.tasks:
            raise HttpError(404, "not_found", f"The task {body.task[:120]!r} is not part of this study.")
        try:
            rules = Rules(confidence_threshold=body.confidence_threshold, min_steps=body.min_steps)
        except ValidationError as error:
            problem = error.errors()[0]
            raise HttpError(400, "bad_request", f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}.") from None
        protocol = protocol_in(study, body.paradigm)
        view = agents.begin(
            services.engine,
            task_hash,
            agent.name,
            study_id=study.study_id,
            protocol=protocol,
            rules=rules,
            seed=body.seed,
            request=None if body.id is None else f"{agent.key_id}/{body.id}",
        )
        return _episode(services, view)

    return await _as_agent(request, BeginBody, work, waits=True, status=201)


@guarded
async def reopen(request: Request) -> Response:
    """POST /api/agent/episodes/{episode}/open {}: go on after a break; a new epoch, the same step."""

    def work(services: Services, agent: Agent, _body: Any, episode: str) -> Any:
        return _episode(services, services.engine.open(episode, tab=agent.name))

    return await _as_agent(request, EmptyBody, work, waits=True)


@guarded
async def act(request: Request) -> Response:
    """POST /api/agent/episodes/{episode}/act {epoch, seq, output | action}: the next observation, a reprompt, or the end."""

    def work(services: Services, _agent: Agent, body: ActBody, episode: str) -> Any:
        if (body.output is None) == (body.action is None):
            raise HttpError(400, "bad_request", "Send either output (the model's text) or action.")
        if body.action is not None:
            return _step(services, episode, services.engine.act(episode, body.epoch, body.seq, body.action))
        answer = agents.respond(services.engine, episode, body.epoch, body.seq, body.output or "", finish_reason=body.finish_reason)
        told: dict[str, Any] = {"forced": answer.forced}
        if answer.final is not None:
            told["final"] = wire.final(answer.final)
        if answer.reprompt is not None:
            told["reprompt"] = answer.reprompt
        return told | (_step(services, episode, answer.step) if answer.step is not None else {})

    return await _as_agent(request, ActBody, work)


@guarded
async def next_picture(request: Request) -> Response:
    """POST /api/agent/episodes/{episode}/next {epoch, seq}: the next of pictures that are shown one after the other."""

    def work(services: Services, _agent: Agent, body: NextBody, episode: str) -> Any:
        return _step(services, episode, services.engine.next_picture(episode, body.epoch, body.seq))

    return await _as_agent(request, NextBody, work)


@guarded
async def answer(request: Request) -> Response:
    """POST /api/agent/episodes/{episode}/answer {epoch, answer, confidence}: the final answer."""

    def work(services: Services, _agent: Agent, body: AnswerBody, episode: str) -> Any:
        final = services.engine.answer(
            episode, body.epoch, body.answer, body.confidence, reasoning=body.reasoning[:20_000], of_program=True
        )
        return {"final": wire.final(final)}

    return await _as_agent(request, AnswerBody, work)


@guarded
async def frame(request: Request) -> Response:
    """GET /api/agent/episodes/{episode}/frames/{seq}: a frame the history rule shows, as it was rendered."""
    services, key = current(), _key(request)
    episode, seq = request.path_params["episode"], request.path_params["seq"]

    def work() -> bytes:
        rights.agent(services.store, key, episode)
        return services.engine.frame(episode, seq)

    return Response(await run(services.agents_acting, work), media_type="image/webp", headers=FRAME_HEADERS)


ROUTES = [
    Route("/api/agent/tasks", tasks, methods=["GET"]),
    Route("/api/agent/episodes", begin, methods=["POST"]),
    Route("/api/agent/episodes/{episode}/open", reopen, methods=["POST"]),
    Route("/api/agent/episodes/{episode}/act", act, methods=["POST"]),
    Route("/api/agent/episodes/{episode}/next", next_picture, methods=["POST"]),
    Route("/api/agent/episodes/{episode}/answer", answer, methods=["POST"]),
    Route("/api/agent/episodes/{episode}/frames/{seq:step}", frame, methods=["GET"]),
]
