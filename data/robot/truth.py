"""Truth files: ``truth.json`` in an episode's folder, where a source knows the poses of everything at every frame.

``{"schema": 1, "frames": N, "up": [0, 0, 1], "objects": [{"name", "category", "size": [x, y, z], "poses": [[x, y, z, qw, qx, qy, qz], …]}],
"grippers": {"left": {"poses": […], "opening_m": […]}, …}, "events": [{"frame", "what", "object", "gripper"}]}``: world frame, metres, z up.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.robot.cameras import cached_json
from data.robot.folder import Folder, Unreadable
from data.robot.records import Body, Gripper, Truth, TruthEvent

SCHEMA = 1
FILE = "truth.json"

_Number = Annotated[float, Field(allow_inf_nan=False)]
_Pose = tuple[_Number, _Number, _Number, _Number, _Number, _Number, _Number]
_Three = tuple[_Number, _Number, _Number]


class _Object(BaseModel):
    model_config = ConfigDict(extra="ignore")
    name: str
    category: str = ""
    size: _Three
    poses: list[_Pose]


class _Gripper(BaseModel):
    model_config = ConfigDict(extra="ignore")
    poses: list[_Pose]
    opening_m: list[_Number] | None = None


class _Event(BaseModel):
    model_config = ConfigDict(extra="ignore")
    frame: int
    what: str
    object: str | None = ""
    gripper: str | None = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)
    schema_version: Literal[1] = Field(alias="schema")
    frames: int
    up: _Three = (0.0, 0.0, 1.0)
    objects: list[_Object]
    grippers: dict[str, _Gripper] = {}
    events: list[_Event] = []


def check(folder: Folder, file: str, frames: int) -> None:
    """Hold a whole truth file to its form.

    Raises:
        Outside, Unreadable: it is not there, not of this form, or its lists have not one entry per frame.
    """
    value = cached_json(folder, file)
    try:
        known = _File.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from None
    if known.frames < frames:
        raise Unreadable(f"{file} knows {known.frames} frames, the episode has {frames}.")
    lists = {thing.name: thing.poses for thing in known.objects} | {f"gripper {name}": g.poses for name, g in known.grippers.items()}
    for name, poses in lists.items():
        if len(poses) != known.frames:
            raise Unreadable(f"{file}: {name} has {len(poses)} poses, not {known.frames}.")


def read(folder: Folder, file: str, index: int) -> Truth:
    """What is true at one frame.

    Raises:
        Outside, Unreadable: the file is not there, or not what `check` found at the import.
    """
    value: Any = cached_json(folder, file)
    try:
        objects = tuple(
            Body(str(o["name"]), str(o.get("category", "")), _three(o["size"]), _pose(o["poses"][index])) for o in value["objects"]
        )
        grippers = {
            str(name): Gripper(_pose(g["poses"][index]), float(g["opening_m"][index]) if g.get("opening_m") else None)
            for name, g in value.get("grippers", {}).items()
        }
        events = tuple(
            TruthEvent(int(e["frame"]), str(e["what"]), str(e.get("object") or ""), str(e.get("gripper") or ""))
            for e in value.get("events", ())
        )
        return Truth(index, _three(value.get("up", (0, 0, 1))), objects, grippers, events)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{file} does not tell frame {index}: {type(error).__name__} {error}.") from None


def _three(value: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in value)
    return x, y, z


def _pose(value: Any) -> tuple[float, ...]:
    x, y, z, qw, qx, qy, qz = (float(v) for v in value)
    return x, y, z, qw, qx, qy, qz
