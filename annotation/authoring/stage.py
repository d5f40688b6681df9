"""A draft in a simulator: its picture from any place, what stands where, and what settles.

One session of the pool belongs to each draft that somebody looks at; it is loaded again when the scene is another one, or when the pool
gave its place to somebody else.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from annotation.authoring.draft import PARTS, Draft, Eye, Placed, Rest, handles, scene
from annotation.authoring.drafts import Kept
from annotation.authoring.errors import BadDraft
from data.task import SIM_SEED
from sim_bridge.client import Client
from sim_bridge.errors import SceneError, UnknownSession, WorkerLost
from sim_bridge.kinematics import angles_deg, apply_camera_action
from sim_bridge.pool import Pool
from sim_bridge.protocol import StateReply
from sim_bridge.spec import Frame, Pose, Scene

T = TypeVar("T")
FAULTS = {
    "floating": "{} floats.",
    "interpenetrating": "{} runs into something.",
    "moved_after_settling": "{} had not come to rest.",
    "out_of_room": "{} is outside the room.",
}
"""Flag of an audit → what is wrong, to its author."""
DROP_M = 0.02
"""A thing that is put on another one is let go so far above it."""
LONG = 500
"""Physics steps that a thing is given to come to rest where it is put: two seconds of its time."""
WAIT_S = 30.0


class Standing(msgspec.Struct, frozen=True):
    """One thing as the simulator has it."""

    key: str
    words: str
    category: str
    room: str
    present: bool
    pixels: int
    """In the start view."""
    box_m: tuple[float, float, float, float, float, float]
    """x0, y0, z0, x1, y1, z1 of the box around it."""
    states: tuple[str, ...]
    faults: tuple[str, ...]
    """Flags of what is wrong."""


class Shown(msgspec.Struct, frozen=True):
    """A draft as a simulator built it."""

    frame: Frame
    clipped: bool
    """The start view is inside a wall or a thing."""
    things: tuple[Standing, ...]
    relations: tuple[str, ...]
    faults: tuple[str, ...]
    """What is wrong with the scene, each a sentence."""


def called(thing: Placed) -> str:
    """How its author knows a thing."""
    return thing.words.strip() or f"{thing.category.replace('_', ' ')} ({thing.key})"


def called_by_handle(draft: Draft, family: str) -> dict[str, str]:
    """Handle in the scene → how the author knows the thing."""
    by_key = handles(draft, family)
    return {by_key[thing.key]: called(thing) for thing in draft.things}


def in_words(message: str, draft: Draft, family: str) -> str:
    """What a simulator says of a scene, with things by their names."""
    keys = {handle: key for key, handle in handles(draft, family).items()}
    names = {thing.key: called(thing) for thing in draft.things}
    order = sorted(keys, key=lambda handle: int(handle.split("_")[1]))

    def name(handle: str) -> str:
        return f"the {names[keys[handle]]}" if handle in keys else handle

    def place(match: re.Match[str]) -> str:
        if int(match[1]) >= len(order):
            return match[0]
        field = {None: "", "category": "", "params": ", further settings"}.get(match[2], f", {match[2] or ''}".replace("_", " "))
        return name(order[int(match[1])]) + field

    said = re.sub(r"scene\.objects\[(\d+)\](?:\.(\w+))?", place, message)
    return re.sub(r"\bobject_\d+\b", lambda m: name(m[0]), said)


@dataclass
class _Open:
    lock: threading.Lock = field(default_factory=threading.Lock)
    scene: Scene | None = None
    start: Pose | None = None
    part: int = 1
    seq: int = 0


class Stage:
    """Where drafts stand while their authors look at them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()

    def build(self, kept: Kept, part: int = 1) -> Shown:
        """Build a draft and look from its start.

        Raises:
            BadDraft: it cannot be built; the message says what is wrong with which thing.
            Busy, WorkerLost: no simulator now.
        """
        draft = kept.draft

        def work(client: Client, session: str) -> Shown:
            state = client.state(session, audit="audit" in client.hello.capabilities)
            (frame,) = client.views(session, [draft.eye.pose])
            return _shown(draft, kept.family, frame, state, client.observe(session).observation.clipped)

        return self._on(kept, draft, part, work, from_start=True)

    def look(self, kept: Kept, eye: Eye, part: int = 1) -> Frame:
        """The picture from a place."""
        return self._on(kept, kept.draft, part, lambda client, session: client.views(session, [eye.pose])[0])

    def settled(self, kept: Kept, part: int = 1) -> dict[str, Rest]:
        """Key → where each loose thing came to rest."""
        draft = kept.draft.model_copy(update={"settle_steps": max(kept.draft.settle_steps, LONG)})
        keys = {handle: key for key, handle in handles(draft, kept.family).items()}
        loose = {thing.key for thing in draft.things if thing.loose}

        def work(client: Client, session: str) -> dict[str, Rest]:
            there = [o for o in client.state(session).objects if o.present and keys[o.handle] in loose]
            return {keys[o.handle]: _rest(o.pose) for o in there}

        return self._on(kept, draft, part, work)

    def above(self, kept: Kept, key: str, on: str) -> Placed:
        """A thing let go a little above another one, to fall onto or into it.

        Raises:
            BadDraft: one of them is not there.
        """
        there = {thing.key: thing for thing in self.build(kept).things if thing.present}
        thing = next((thing for thing in kept.draft.things if thing.key == key), None)
        if thing is None or on not in there or key == on:
            raise BadDraft("Choose a thing and another one on which it is to lie.")
        x0, y0, _, x1, y1, top = there[on].box_m
        x, y = thing.x_m, thing.y_m
        if not (x0 < x < x1 and y0 < y < y1):
            x, y = round((x0 + x1) / 2, 3), round((y0 + y1) / 2, 3)
        update = {"x_m": x, "y_m": y, "z_m": round(top + DROP_M, 4), "loose": True, "rest": None}
        return thing.model_copy(update=update)

    def close(self, kept: Kept) -> None:
        """Give a draft's place in the pool up."""
        with self._lock:
            self._open.pop(kept.draft_id, None)
        self._pool.release(_session(kept))

    def _on(self, kept: Kept, draft: Draft, part: int, work: Callable[[Client, str], T], *, from_start: bool = False) -> T:
        """Do something with the draft's session, which is loaded first where that is needed.

        Args:
            kept: the draft.
            draft: its document.
            part: of the task.
            work: gets the connection and the session's name.
            from_start: the session's own camera must stand at the start.
        """
        with self._lock:
            place = self._open.setdefault(kept.draft_id, _Open())
        session, wanted = _session(kept), scene(draft, kept.family)
        with place.lock:
            for last in (False, True):
                try:
                    client = self._pool.acquire(session, wait_s=WAIT_S)
                    if from_start and place.start != draft.eye.pose:
                        place.scene = None
                    _load(client, session, place, wanted, draft.eye.pose, part)
                    return work(client, session)
                except SceneError as error:
                    place.scene = None
                    raise BadDraft(in_words(str(error), draft, kept.family)) from None
                except (UnknownSession, WorkerLost) as error:
                    place.scene = None
                    if isinstance(error, WorkerLost):
                        self._pool.report_lost(session)
                    if last:
                        raise
        raise AssertionError("unreachable")


def _session(kept: Kept) -> str:
    return f"author-{kept.draft_id}"


def _load(client: Client, session: str, place: _Open, wanted: Scene, start: Pose, part: int) -> None:
    """Load the scene where another one stands, or another part of it; a session's parts go forward only."""
    if place.scene != wanted or part < place.part:
        place.scene = None
        place.seq += 1
        client.load(session, wanted, start, seed=SIM_SEED, seq=place.seq)
        place.scene, place.start, place.part = wanted, start, 1
    if part > place.part and wanted.phases:
        place.seq += 1
        client.set_phase(session, place.seq, PARTS[part - 1])
        place.part = part


def _shown(draft: Draft, family: str, frame: Frame, state: StateReply, clipped: bool) -> Shown:
    by_handle = {named: key for key, named in handles(draft, family).items()}
    placed = {thing.key: thing for thing in draft.things}
    things, faults = [], []
    for o in sorted(state.objects, key=lambda o: int(by_handle[o.handle][1:])):
        thing = placed[by_handle[o.handle]]
        wrong = tuple(name for name in FAULTS if o.present and o.flags.get(name))
        faults += [FAULTS[name].format(f"The {called(thing)}") for name in wrong]
        states = tuple(
            [name for name, holds in o.flags.items() if holds and name not in FAULTS and name != "never_visible"]
            + [f"{name.replace('_', ' ')} {value:g}" for name, value in o.levels.items() if value]
        )
        box = tuple(round(v, 3) for v in (*o.aabb_min_m, *o.aabb_max_m))
        things.append(
            Standing(thing.key, called(thing), thing.category, o.room or "", o.present, o.visible_pixels, box, states, wrong)  # type: ignore[arg-type]
        )
    if clipped:
        faults.append("The start view is inside a wall or a thing.")
    names = {handle: called(placed[key]) for handle, key in by_handle.items()}
    relations = tuple(f"the {names[r.subject]} is {r.kind} the {names[r.object]}" for r in state.relations if r.kind != "touching")
    return Shown(frame, clipped, tuple(things), relations, tuple(faults))


def _rest(pose: Pose) -> Rest:
    x, y, z = (round(v, 4) for v in pose.position_m)
    a, b, c, d = (round(v, 6) for v in pose.quaternion_xyzw)
    return Rest(position_m=(x, y, z), quaternion_xyzw=(a, b, c, d))


def flown(eye: Eye, action: str) -> Eye:
    """The start view after one camera action, as a participant's camera moves.

    Raises:
        BadDraft: it is no camera action.
    """
    try:
        pose = apply_camera_action(eye.pose, action)
    except ValueError:
        raise BadDraft(f"{action!r} moves no camera.") from None
    yaw, _, pitch = angles_deg(pose.quaternion_xyzw)
    x, y, z = pose.position_m
    return Eye(x_m=x, y_m=y, z_m=z, yaw_deg=yaw if yaw <= 180 else yaw - 360, pitch_deg=pitch - 90)
