"""A task played once for those who verify it: every step of its trajectory as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from annotation.verifying.evidence import Evidence, Map, Moment, Picture, Thing
from annotation.verifying.naming import FAULTS, without_handles, words_of
from data.generators.framework import derived as read_by
from data.generators.lab import Playing, Step
from data.generators.registry import judging
from data.task import SIM_SEED, Task
from sim_bridge.actions import CAMERA_ACTIONS, parse_action
from sim_bridge.client import Client
from sim_bridge.houses import plan_of
from sim_bridge.kinematics import angles_deg
from sim_bridge.protocol import StateReply, StepReply
from sim_bridge.spec import ObjectState, Pose, Scene
from study.action_results import in_words, put_out_of_sight
from study.frozen import Rendered
from study.ground_truth import parts
from study.simulators import offerable
from study.wording import say
from study.words import answer_in_words

UNSAID = frozenset(FAULTS)
AJAR = "open"
"""Level of a thing that opens: 0 shut, 1 open."""
TOLD = frozenset((AJAR, "water_ml", "capacity_ml"))
"""Levels that are told in words of their own."""
RELATIONS: Mapping[str, str] = {"inside": "is inside", "on": "is on", "touching": "touches", "under": "is under"}
NO_TRAJECTORY = "The task has no verified trajectory: only its start and its recorded views are shown."


@dataclass(frozen=True)
class Played:
    """What one playing gave."""

    evidence: Evidence
    pictures: tuple[Rendered, ...]
    """One per moment, in order."""


def play(client: Client, session: str, task: Task) -> Played:
    """Play a task's ground-truth trajectory and tell every step; without a trajectory, its start view and its recorded views.

    Args:
        client: the simulator.
        session: the session's name; whoever calls gives it back.
        task: the task, with a trajectory that a person recorded filled in (`study.trajectories.known`).

    Raises:
        SceneUnplayable: the simulator cannot do what the task needs.
        BridgeError: it cannot be reached, or cannot build the scene.
    """
    offerable(task, client.hello.capabilities)
    telling = _Telling(client, session, task)
    seq = 0
    # without a list of actions every step counts what is visible
    reply = client.load(session, task.scene, task.start, seed=SIM_SEED, seq=seq)
    telling.add("start", reply, audit=True)
    for n, (name, actions) in enumerate(parts(task)):
        if n:
            seq += 1
            telling.add(f"phase:{name}", client.set_phase(session, seq, name), audit=True)
        for k, action in enumerate(actions):
            seq += 1
            physical = parse_action(action).name not in CAMERA_ACTIONS
            telling.add(action, client.act(session, seq, action), audit=physical or k == len(actions) - 1)
    if not task.gt_trajectory:
        telling.add_views()
    return telling.end()


class _Telling:
    """Collects moments."""

    def __init__(self, client: Client, session: str, task: Task) -> None:
        self.client, self.session, self.task = client, session, task
        self.words = words_of(task)
        self.moments: list[Moment] = []
        self.pictures: list[Rendered] = []
        self.state: StateReply = StateReply(objects=(), relations=())
        self.steps: list[Step] = []

    def add(self, action: str, reply: StepReply, *, audit: bool) -> None:
        seen = reply.observation
        self.state = state = self.client.state(self.session, audit=audit and "audit" in self.client.hello.capabilities)
        frame = seen.frames[-1]
        self.steps.append(
            Step(
                "" if action == "start" else action, reply.ok, reply.reason, dict(seen.visible), seen.clipped, seen.camera, frame,
                len(seen.frames), state if audit or self._walking() else None,
            )
        )  # fmt: skip
        self.pictures.append(Rendered(frame, seen.camera, seen.phase, dict(seen.visible), clipped=seen.clipped))
        unseen = put_out_of_sight(action, reply.ok, seen.visible)
        moment = Moment(
            n=len(self.moments),
            picture=Picture(frame.pixel_hash, frame.width, frame.height),
            action=said(action, self.words),
            result=in_words(action, reply.ok, without_handles(reply.reason or reply.ended, self.words), self.words, unseen=unseen),
            ok=reply.ok,
            phase=seen.phase,
            camera=seen.camera,
            clipped=seen.clipped,
            things=tuple(self._thing(one, seen.boxes.get(one.handle)) for one in state.objects),
            relations=self._relations(state),
        )
        self.moments.append(moment)

    def add_views(self) -> None:
        """The views that the source recorded, from the same simulator."""
        views = self.task.views.get("recorded", ())
        poses = [view.pose for view in views]
        if not poses:
            return
        counted = "view_counts" in self.client.hello.capabilities
        pixels = self.client.visible(self.session, poses) if counted else ({},) * len(poses)
        first = self.moments[0]
        for view, frame, seen in zip(views, self.client.views(self.session, poses), pixels, strict=True):
            self.pictures.append(Rendered(frame, view.pose, first.phase, dict(seen)))
            things = tuple(
                msgspec.structs.replace(thing, pixels=seen.get(one.handle, 0), box=None)
                for thing, one in zip(first.things, self.state.objects, strict=True)
            )
            moment = Moment(
                n=len(self.moments),
                picture=Picture(frame.pixel_hash, frame.width, frame.height),
                action=f"Recorded view {view.label}".strip(),
                result="",
                ok=True,
                phase=first.phase,
                camera=view.pose,
                clipped=False,
                things=things,
                relations=first.relations,
            )
            self.moments.append(moment)

    def end(self) -> Played:
        notes = () if self.task.gt_trajectory else (NO_TRAJECTORY,)
        things = tuple(
            (self.words.get(one.handle, one.handle), _above(one)) for one in self.state.objects if one.present
        )  # fmt: skip
        path = tuple(_place(moment.camera) for moment in self.moments)
        evidence = Evidence(
            tuple(self.moments),
            Map(rooms_of(self.task.scene), things, path),
            notes,
            derived=derived(Playing(self.task, tuple(self.steps))),
            examined="audit" in self.client.hello.capabilities,
            path_of_actions=self.task.gt_trajectory,
        )
        return Played(evidence, tuple(self.pictures))

    def _walking(self) -> bool:
        """Whether something walked at the step before: judges read every state of a walk."""
        before = self.steps[-1].state if self.steps else None
        return before is not None and any(one.flags.get("walking", False) for one in before.objects)

    def _thing(self, one: ObjectState, box: tuple[int, int, int, int] | None) -> Thing:
        low, high = one.aabb_min_m, one.aabb_max_m
        return Thing(
            words=self.words.get(one.handle, one.handle),
            category=one.category.replace("_", " "),
            room=(one.room or "").replace("_", " "),
            present=one.present,
            pixels=one.visible_pixels,
            states=states_of(one),
            faults=tuple(words for flag, words in FAULTS.items() if one.flags.get(flag)),
            centre_m=_three([(a + b) / 2 for a, b in zip(low, high, strict=True)]),
            size_m=_three([b - a for a, b in zip(low, high, strict=True)]),
            box=box,
        )

    def _relations(self, state: StateReply) -> tuple[str, ...]:
        name = self.words.get
        return tuple(
            f"{_the(name(one.subject, one.subject))} {RELATIONS.get(one.kind, one.kind)} {_the(name(one.object, one.object))}"
            for one in state.relations
        )


def derived(playing: Playing) -> str:
    """The answer that the generators' rule of a task's kind reads from the states of its trajectory, in words; empty: no rule judges it, or
    it cannot tell."""
    task = playing.task
    generator = judging(task)
    # the trajectory of a task that somebody changed need not show what its rule reads
    return "" if generator is None or not task.gt_trajectory else answer_in_words(read_by(generator, playing))


def said(action: str, words: Mapping[str, str]) -> str:
    """What is done, before it is known what came of it; empty at the start."""
    if action == "start":
        return ""
    if action.startswith("phase:"):
        return "Go on to the next part"
    parsed = parse_action(action)
    label = say(f"action.{parsed.name}")
    sentence = parsed.kind.sentence()
    if not sentence:
        return label
    relations = [word for word, kind in zip(parsed.args, parsed.kind.form, strict=True) if kind == "rel"]
    names = [_the(words.get(handle, handle)) for handle in parsed.objects]
    return f"{label} {say(f'action.{parsed.name}_sentence', *names, rel=relations[0] if relations else '')}"


def states_of(one: ObjectState) -> tuple[str, ...]:
    """An object's flags and numbers in words."""
    levels, found = one.levels, [flag.replace("_", " ") for flag, on in one.flags.items() if on and flag not in UNSAID]
    if 0.0 < (ajar := levels.get(AJAR, 0.0)) < 1.0:
        found.append(f"{ajar:.0%} open")
    if "water_ml" in levels:
        holds = f"{levels['capacity_ml']:.0f} ml" if "capacity_ml" in levels else ""
        if levels["water_ml"] > 0:
            found.append(f"water {levels['water_ml']:.0f} ml" + (f" of {holds}" if holds else ""))
        else:
            found.append("empty" + (f", holds {holds}" if holds else ""))
    for name, value in levels.items():
        if name not in TOLD:
            quantity, _, unit = name.rpartition("_")
            shown = {"deg": f"{value:.0f}°", "m": f"{value:.2f} m"}.get(unit, f"{value:.2f} {unit}")
            found.append(f"{quantity.replace('_', ' ')} {shown}" if quantity else f"{name} {value:.2f}")
    return tuple(found)


def rooms_of(scene: Scene) -> tuple[tuple[str, tuple[float, float, float, float]], ...]:
    """Rooms from above: (name, rectangle), a room of two rectangles twice."""
    if scene.house is None:
        return (((scene.source_room or scene.room.kind).replace("_", " "), scene.room.bounds_m),)
    return tuple((room.name, rect) for room in plan_of(scene.house).rooms for rect in room.rects_m)


def _above(one: ObjectState) -> tuple[float, float, float, float]:
    low, high = one.aabb_min_m, one.aabb_max_m
    return (round(low[0], 3), round(low[1], 3), round(high[0], 3), round(high[1], 3))


def _place(pose: Pose) -> tuple[float, float, float]:
    """(x, y, yaw°) with yaw 0 along +x; `sim_bridge.kinematics` counts it from +y."""
    x, y, _ = pose.position_m
    return (round(x, 3), round(y, 3), round((angles_deg(pose.quaternion_xyzw)[0] + 90.0) % 360.0, 1))


def _the(words: str) -> str:
    return words if words.startswith("the ") else f"the {words}"


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (round(value, 3) for value in values)
    return (x, y, z)
