"""What a session is beside the simulator's own state: camera, phase, what the hand holds. The simulator's dump has none of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from sim_bridge.backends.omnigibson.config import Planned
from sim_bridge.errors import BadRequest
from sim_bridge.spec import Object, Phase, Pose, Scene

MOVED_M = 0.01
MOVED_DEG = 1.0
"""A thing that is farther than this from where it was, when a session goes on from a snapshot, is told of."""


class Record(msgspec.Struct):
    """Everything that changes during a session; its MessagePack form is the snapshot."""

    camera: Pose
    phase: str = ""
    held: str = ""
    first: dict[str, Pose] = {}
    """handle → where it was before it was picked up for the first time."""
    gone_m: dict[str, float] = {}
    """handle → how far a robot has walked on its path."""
    removed: list[str] = []
    """Cloths that have been taken away."""
    moved: list[str] = []
    """Things that were elsewhere when the session went on from a snapshot."""
    poses: dict[str, Pose] = {}
    """handle → where it was when the snapshot was taken."""
    cloths: dict[str, bytes] = {}
    """handle → places of its particles."""
    drops: bytes = b""
    """Places of all drops of water."""
    state: bytes = b""
    """The simulator's dump."""


@dataclass
class Session:
    """One session.

    Attributes:
        record: kept up to date but for the simulator's part, which is filled in when the session leaves the simulator.
    """

    scene: Scene
    start: Pose
    seed: int
    cloths: frozenset[str]
    planned: tuple[Planned, ...]
    record: Record
    objects: dict[str, Object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.objects = {o.handle: o for o in self.scene.objects}

    @property
    def phase(self) -> Phase | None:
        """The phase the session is in; None: the scene has none."""
        return next((p for p in self.scene.phases if p.name == self.record.phase), None)

    @property
    def lighting(self) -> str:
        """The light of this phase."""
        return (self.phase.lighting if self.phase else "") or self.scene.lighting

    def absent(self, handle: str) -> bool:
        """Not there in this phase, or taken away."""
        return handle in self.record.removed or (self.phase is not None and handle in self.phase.hidden)

    def planned_pose(self, handle: str) -> Pose:
        """Where the scene puts an object in this phase."""
        moved = self.phase.moved if self.phase is not None else {}
        return moved.get(handle, self.objects[handle].pose)


def read_record(snapshot: bytes, session: Session) -> Record:
    """The record in a snapshot.

    Raises:
        BadRequest: it is none, or of other objects.
    """
    try:
        record = msgspec.msgpack.decode(snapshot, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise BadRequest(f"snapshot: not a state of this backend ({problem})") from None
    strangers = {*record.poses, *record.first, *record.removed, *record.cloths} - session.objects.keys()
    if strangers or (record.held and record.held not in session.objects):
        raise BadRequest(f"snapshot: of another scene, it has {', '.join(sorted(strangers) or [record.held])}")
    if record.phase and record.phase not in {p.name for p in session.scene.phases}:
        raise BadRequest(f"snapshot: of another scene, it is in the phase {record.phase!r}")
    return record
