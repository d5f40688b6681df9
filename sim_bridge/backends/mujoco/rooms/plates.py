"""Name plates of lived-in rooms stay in sight: what stands tall before one is taken away."""

from __future__ import annotations

from sim_bridge.backends.mujoco.meshes.shapes import Part
from sim_bridge.backends.mujoco.rooms import house_shell
from sim_bridge.backends.mujoco.rooms.furnishing import Piece, overlaps

EYE_M, FROM_M = 1.35, 2.0
"""Height of a reader's eye, and how far before the wall the reader stands; farther off a plate shows more."""
BEFORE_M = 1.0
"""So far before a wall furniture counts."""


def uncover(space: house_shell.Space, pieces: list[Piece]) -> None:
    """Take away, with what stands on it, every piece that hides part of the room's name from a reader.

    Args:
        space: the room; nothing happens in one without a name.
        pieces: its furniture, changed in place.
    """
    plates = [part for part in house_shell.signs(space) if part.texture is not None]
    hiding = [p for p in pieces if any(_hides(p, plate, space.floor_z_m) for plate in plates)]
    feet = [p.footprint for p in hiding if not p.on_wall]
    gone = {id(p) for p in hiding} | {
        id(p) for p in pieces if p.on_wall and any(f[0] <= p.centre_m[0] <= f[2] and f[1] <= p.centre_m[1] <= f[3] for f in feet)
    }
    pieces[:] = [p for p in pieces if id(p) not in gone]


def _hides(piece: Piece, plate: Part, floor_z_m: float) -> bool:
    low, high = plate.vertices.min(0), plate.vertices.max(0)
    thin = 0 if high[0] - low[0] < high[1] - low[1] else 1
    reach = [0.03, 0.03]
    reach[thin] = BEFORE_M
    box = (float(low[0]) - reach[0], float(low[1]) - reach[1], float(high[0]) + reach[0], float(high[1]) + reach[1])
    if not overlaps(box, piece.footprint):
        return False
    deep = max(abs(piece.footprint[thin] - float(low[thin])), abs(piece.footprint[thin + 2] - float(low[thin])))
    lower_edge = float(low[2]) - floor_z_m
    return piece.top_m - floor_z_m > lower_edge - (lower_edge - EYE_M) * deep / FROM_M
