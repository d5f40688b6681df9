"""`truth.json`: where everything is, by frame. World frame, metres, z up; poses are [x, y, z, qw, qx, qy, qz]."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.tabletop.show import Staged

SCHEMA = 1
HANDS = {"left": "left", "right": "right", "arm": "arm"}


def _numbers(rows: Iterable[Iterable[float]], digits: int = 6) -> list[list[float]]:
    return [[round(float(v), digits) for v in row] for row in rows]


def document(staged: Staged) -> dict[str, Any]:
    """The document of one episode."""
    track = staged.track
    return {
        "schema": SCHEMA,
        "frames": track.frames,
        "up": [0, 0, 1],
        "objects": [
            {
                "name": named.name,
                "category": named.noun,
                "size": [round(float(v), 6) for v in named.size_m],
                "poses": _numbers(track.things[:, k]),
            }
            for k, named in enumerate(staged.built.named)
        ],
        "grippers": {
            name: {"poses": _numbers(track.hands[name]), "opening_m": [round(float(v), 6) for v in track.openings[name]]}
            for name in track.hands
        },
        "events": [
            {"frame": frame_of(e.time_s, track.fps, track.frames), "what": e.what, "object": e.thing, "gripper": e.hand}
            for e in sorted(staged.script.events, key=lambda e: e.time_s)
        ],
    }


def frame_of(time_s: float, fps: float, frames: int) -> int:
    """The first frame at or after a time, within the episode."""
    return max(0, min(frames - 1, -int(-time_s * fps // 1)))


def write_json(path: Path, value: Mapping[str, Any] | list[Any]) -> None:
    """JSON without needless space, one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
