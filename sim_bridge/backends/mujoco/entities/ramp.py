"""A ramp: a wooden wedge, or a plank that the scene tilts, which then gets a block under its upper end.

Friction. MuJoCo uses one sliding coefficient per contact: that of the surface with the higher priority, the greater of both where the
priorities are equal. An object with its own ``friction`` has the higher priority, everything else the lower (`building.collider_looks`).
A ramp that states none has nearly none (`SMOOTH`), so that whatever lies on it slides by its *own* coefficient: the one of its
parameters, else the catalogue's. A ramp's own ``friction`` is the coefficient of everything that states none, and the greater of the
two counts where both state one. What a ramp is covered with (``surface``) changes its look alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sim_bridge.backends.mujoco.engine.building import GROUP_OPAQUE, add_solids, collider_looks
from sim_bridge.backends.mujoco.entities.base import Entity
from sim_bridge.backends.mujoco.meshes.coverings import COVERINGS
from sim_bridge.backends.mujoco.meshes.shapes import Array, Model, Solid
from sim_bridge.backends.mujoco.models.cloths_and_ramps import RAMP_ANGLE_DEG, RAMP_LENGTH_M, RAMP_WIDTH_M, board, support, wedge
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import rotation_matrix

if TYPE_CHECKING:
    import mujoco

    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.spec import Object, Scene

SMOOTH = 1e-4
"""Sliding coefficient of a ramp that states none."""
STEEPEST_DEG, FLATTEST_DEG = 60.0, 2.0
PLANK_SHARE = 0.15
"""A box lower than this share of its length (8.5°) is a plank, not a wedge."""


@dataclass(frozen=True)
class Slope:
    """The sliding surface in the world."""

    centre: Array
    down: Array
    """Unit vector along the surface, downhill."""
    across: Array
    normal: Array
    length: float
    width: float

    @property
    def angle_rad(self) -> float:
        return math.acos(min(max(float(self.normal[2]), -1.0), 1.0))


class Ramp(Entity):
    """A surface to slide on, down along its own +x. Parameters: ``angle_deg`` (2 to 60), ``friction`` (see the module), ``surface``
    (what the sliding face shows: a key of `coverings.COVERINGS`).

    With ``angle_deg`` and no size the slope is 0.6 m long and 0.3 m wide. With a size the angle follows from its length and height.
    """

    params: ClassVar[tuple[str, ...]] = ("angle_deg", "surface")

    def __init__(self, placed: Placed, thing: Object, scene: Scene) -> None:
        super().__init__(placed, thing, scene)
        placed.physical = replace(placed.physical, graspable=False, friction=float(thing.params.get("friction", SMOOTH)))
        self.plank = _is_plank(thing)

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        return match.maker == "ramp"

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        surface = thing.params.get("surface")
        if surface is not None and (not isinstance(surface, str) or surface not in COVERINGS):
            raise SceneError(f"{where}.params.surface: expected one of {', '.join(COVERINGS)}, got {surface!r}")
        angle = thing.params.get("angle_deg")
        if angle is None:
            return
        if isinstance(angle, bool) or not isinstance(angle, (int, float)) or not FLATTEST_DEG <= angle <= STEEPEST_DEG:
            raise SceneError(f"{where}.params.angle_deg: expected {FLATTEST_DEG:g} to {STEEPEST_DEG:g} degrees, got {angle!r}")
        if thing.size_m is not None:
            x, _, z = (a * b for a, b in zip(thing.size_m, thing.scale, strict=True))
            if abs(math.degrees(math.atan2(z, x)) - angle) > 0.1:
                raise SceneError(
                    f"{where}.params.angle_deg: a ramp {x:g} m long and {z:g} m high slopes {math.degrees(math.atan2(z, x)):.1f}°; "
                    f"leave one of the two out or make it {x * math.tan(math.radians(angle)):.4f} m high, got {angle!r}"
                )

    @classmethod
    def shape(cls, thing: Object, model: Model) -> Model:
        surface = str(thing.params.get("surface", ""))
        angle = math.radians(float(thing.params.get("angle_deg", RAMP_ANGLE_DEG)))
        if thing.size_m is not None:
            x, y, z = (float(a * b) for a, b in zip(thing.size_m, thing.scale, strict=True))
            made = board(x, y, z, surface) if _is_plank(thing) else wedge(x, y, z, surface)
        elif surface or "angle_deg" in thing.params:
            made = wedge(RAMP_LENGTH_M * math.cos(angle), RAMP_WIDTH_M, RAMP_LENGTH_M * math.sin(angle), surface)
        else:
            return model
        colour = model.parts[0].rgb
        return made if "color" not in thing.params else made.coloured(colour)

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        if not self.plank:
            return
        corners = self._prop()
        if corners is None:
            return
        builder.show(body, support(corners), GROUP_OPAQUE)
        if any(p.dynamic for p in placed):
            add_solids(builder, body, (Solid(corners),), 1.0, collider_looks(self.placed.physical, "friction" in self.thing.params))

    def _prop(self) -> Array | None:
        """Corners, in the plank's own frame, of a block between its upper end and the floor; None where it lies low."""
        p = self.placed
        turn, centre = np.array(rotation_matrix(p.home.quaternion_xyzw)), np.array(p.home.position_m)
        slope = self._slope(turn, centre)
        thick = float(min(p.size_m))
        half_width, deep = slope.width / 2 - 0.01, 0.02
        far, near = slope.length / 2 - 0.02, slope.length / 2 - 0.02 - 2 * deep
        top = np.array(
            [slope.centre - slope.normal * thick - slope.down * a + slope.across * b
             for a, b in ((far, -half_width), (near, -half_width), (near, half_width), (far, half_width))]
        )  # fmt: skip
        floor = self.scene.room.floor_z_m
        if float(top[:, 2].min()) < floor + 0.015 or slope.angle_rad < math.radians(FLATTEST_DEG):
            return None
        low = top.copy()
        low[:, 2] = floor
        if float(np.cross(top[1] - top[0], top[2] - top[1])[2]) < 0:
            top, low = top[::-1], low[::-1]
        return np.asarray((np.concatenate([low, top]) - centre) @ turn)

    # --- in the world ------------------------------------------------------------------------------------------------

    def slope(self, s: Session) -> Slope:
        """The surface as it lies now."""
        body = self.placed.body
        return self._slope(s.data.xmat[body].reshape(3, 3), np.array(s.data.xpos[body]))

    def _slope(self, turn: Array, centre: Array) -> Slope:
        x, y, z = (float(v) for v in self.placed.size_m)
        if not self.plank:
            length = math.hypot(x, z)
            return Slope(centre, turn @ np.array([x, 0, -z]) / length, turn[:, 1], turn @ np.array([z, 0, x]) / length, length, y)
        up = turn[:, 2] * (1.0 if turn[2, 2] >= 0 else -1.0)
        axes: list[tuple[Array, float, float]] = [(turn[:, 0], x, y), (-turn[:, 0], x, y), (turn[:, 1], y, x), (-turn[:, 1], y, x)]
        down, length, width = min(axes, key=lambda a: round(float(a[0][2]), 9))
        return Slope(centre + up * z / 2, down, np.cross(up, down), up, length, width)

    def flags(self, s: Session) -> dict[str, bool]:
        """``slid`` (the last thing put on it moved more than 3 cm in XY) and ``fell`` (more than 5 cm below its bottom)."""
        trial = self._trial(s)
        return {"slid": bool(trial["slid"]), "fell": bool(trial["fell"])} if trial else {}

    def levels(self, s: Session) -> dict[str, float]:
        """``slide_m``: XY move of the last thing put on it; ``angle_deg``."""
        trial = self._trial(s)
        angle = math.degrees(self.slope(s).angle_rad)
        return {"angle_deg": angle, **({"slide_m": float(trial["slide_m"])} if trial else {})}

    def _trial(self, s: Session) -> dict[str, Any]:
        found = s.extras.get(self.handle, {}).get("trial", {})
        return dict(found)


def _is_plank(thing: Object) -> bool:
    if "angle_deg" in thing.params or thing.size_m is None:
        return False
    x, y, z = (a * b for a, b in zip(thing.size_m, thing.scale, strict=True))
    return z < PLANK_SHARE * max(x, y)


ENTITIES = (Ramp,)
