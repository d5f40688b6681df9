"""The set of views for a multi-view showing: a random walk of camera actions from the start (measurement 4).

The walk is drawn from the task's content hash, uniformly among the ten camera actions. An action that would leave the camera inside a wall
or a thing is taken back and another drawn; so is one that leads where the walk has been, while there is another. A task that brings its
own walk (the generators freeze one for both twins) is shown along that one. Of a task in parts each part has its share of the views, along
a walk of its own from its start. Where something moves by itself, half of the views are taken while time runs, one after each action, and
half once it stands still.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

from data.task import SIM_SEED, Task
from sim_bridge.actions import CAMERA_ACTIONS, inverse_of
from sim_bridge.errors import SceneError
from sim_bridge.protocol import StepReply
from sim_bridge.spec import Pose
from study.errors import SceneUnplayable
from study.frozen import Rendered
from study.paradigms.multi_view import VIEWS
from study.simulators import Client, offerable
from study.standing import as_looked_at

OWN_WALK = "random_walk"
"""Name of a walk that a task brings (`Task.views`)."""
WAIT = "wait"
ROBOT_STEP_M = 0.5
"""Way of a robot per action where its scene says nothing."""
MOST_MOVES = 40
"""Moves of the walk per view, before it is said that there is no way on."""


def render(client: Client, session: str, task: Task) -> list[Rendered]:
    """Render a task's set of views.

    Args:
        client: a simulator.
        session: a name for what is loaded there; whoever calls gives it back.
        task: the task.

    Returns:
        The views, part by part, each part's start view first.

    Raises:
        SceneUnplayable, BridgeError: it cannot be loaded or rendered.
        SceneError: no walk leads to so many views.
    """
    task = as_looked_at(task)
    moving = _moves(task)
    if moving and WAIT not in client.hello.capabilities:
        raise SceneUnplayable("This task needs what this simulator cannot do (wait), so its views cannot be rendered here.")
    offerable(task, client.hello.capabilities)
    actions = (*CAMERA_ACTIONS, *((WAIT,) if moving else ()))
    reply = client.load(session, task.scene, task.start, actions=actions, seed=SIM_SEED, seq=0)
    walk = _Walk(client, session, reply)
    if (own := task.views.get(OWN_WALK, ())) and not task.scene.phases:
        return walk.along([view.pose for view in own])
    views: list[Rendered] = []
    parts = [phase.name for phase in task.scene.phases] or [""]
    for number, part in enumerate(parts):
        if number:
            walk.go_on(part)
        share = VIEWS // len(parts) + (number < VIEWS % len(parts))
        numbers = random.Random(f"{task.content_hash}/{part}")
        views += walk.drawn(numbers, share - share // 2 if moving else share, running=bool(moving))
        if moving:
            walk.wait(moving)
            views += walk.drawn(numbers, share // 2, running=False, goes_on=True)
    return views


class _Walk:
    """A camera that walks in a loaded scene, and what it sees there."""

    def __init__(self, client: Client, session: str, reply: StepReply) -> None:
        self._client, self._session, self._at, self._seq = client, session, reply, 0
        self._start, self._acted = reply, 0
        self._been = {reply.observation.camera}

    def go_on(self, part: str) -> None:
        """To the task's next part: the camera is back at the start."""
        self._seq += 1
        self._start = self._at = self._client.set_phase(self._session, self._seq, part)
        self._been = {self._at.observation.camera}

    def wait(self, moves: int) -> None:
        """Let time pass until what moves by itself stands still."""
        while self._acted < moves:
            self._act(WAIT)

    def along(self, poses: Sequence[Pose]) -> list[Rendered]:
        """The views at given poses of a scene that stands still; the first is the start."""
        frames = self._client.views(self._session, poses[1:])
        counts = "view_counts" in self._client.hello.capabilities
        visible = self._client.visible(self._session, poses[1:]) if counts else [{}] * len(frames)
        return [self._first(), *map(Rendered, frames, poses[1:], [""] * len(frames), visible)]

    def drawn(self, numbers: random.Random, count: int, *, running: bool, goes_on: bool = False) -> list[Rendered]:
        """`count` views of a walk drawn from `numbers`.

        Args:
            numbers: decides the walk.
            count: views, the start included.
            running: whether time runs: then an action cannot be taken back by its inverse.
            goes_on: whether the walk goes on from where it is, which is shown already.
        """
        views = [] if goes_on else [self._first()]
        for _ in range(count - len(views)):
            view = self._next(numbers, running)
            (frame,) = self._client.views(self._session, [view.observation.camera])
            seen = view.observation
            views.append(Rendered(frame, seen.camera, seen.phase, seen.visible, seen.clipped))
        return views

    def _first(self) -> Rendered:
        seen = self._start.observation
        return Rendered(seen.frames[-1], seen.camera, seen.phase, seen.visible, seen.clipped)

    def _next(self, numbers: random.Random, running: bool) -> StepReply:
        """Walk on to a place that does not clip and, where there is one, where the walk has not been."""
        for _ in range(MOST_MOVES):
            known: StepReply | None = None
            for action in numbers.sample(CAMERA_ACTIONS, len(CAMERA_ACTIONS)):
                before = self._at
                reply = self._act(action)
                if reply.ok and not reply.observation.clipped and reply.observation.camera != before.observation.camera:
                    if reply.observation.camera not in self._been:
                        self._been.add(reply.observation.camera)
                        return reply
                    known = known or reply
                self._take_back(before, action, running)
            if known is None:
                break
            for action in CAMERA_ACTIONS:  # through where it has been
                before = self._at
                if self._act(action).observation.camera == known.observation.camera:
                    break
                self._take_back(before, action, running)
        raise SceneError(f"scene: a walk from the start finds no further view after {len(self._been)} without going into something")

    def _act(self, action: str) -> StepReply:
        self._seq += 1
        self._acted += 1
        self._at = self._client.act(self._session, self._seq, action, pictures=False)
        return self._at

    def _take_back(self, before: StepReply, action: str, running: bool) -> None:
        """Stand again as before the action: by its inverse, which is quick, else by what the simulator kept."""
        if not running and self._act(inverse_of(action)).observation.camera == before.observation.camera:
            self._at = before
            return
        if before.snapshot is None:
            raise SceneError("scene: the simulator cannot take an action back here, so no walk can be drawn")
        self._seq += 1
        self._at = self._client.restore(self._session, self._seq, before.snapshot)
        self._at = before
        self._acted -= 1


def _moves(task: Task) -> int:
    """Actions after which everything that moves by itself stands still; 0: nothing does."""

    def steps() -> Iterator[int]:
        for thing in task.scene.objects:
            if path := thing.params.get("path"):
                way = [thing.pose.position_m[:2], *path]
                length = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
                yield math.ceil(length / float(thing.params.get("step_m", ROBOT_STEP_M)) - 1e-9)

    return max(steps(), default=0)
