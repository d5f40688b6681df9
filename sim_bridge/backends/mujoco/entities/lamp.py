"""Lamps: ``lit`` makes the shade and bulb glow and puts a light where the bulb is; the light goes where the lamp goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sim_bridge.backends.mujoco.entities.base import Entity
from sim_bridge.backends.mujoco.models.lamps import GLOWS_FROM, MAKER, unlit
from sim_bridge.backends.mujoco.rooms import lights
from sim_bridge.backends.mujoco.rooms.lights import NIGHT_ASIDE_M, NIGHT_BELOW_M, NIGHT_CONE_DEG
from sim_bridge.errors import SceneError

if TYPE_CHECKING:
    import mujoco

    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.backends.mujoco.meshes.shapes import Model
    from sim_bridge.spec import Object

MAX_LIT = 4
"""The renderer shades with eight lights; headlight, ceiling spot and two fills leave four."""
STRENGTH = {"night": 3.0, "dim": 1.6, "evening": 0.6, "side": 0.4, "day": 0.3}
"""Brightness at the lamp by kind of lighting: by day a lamp hardly shows on its surroundings."""
SHADED = 1.6
"""A hood sends the light downward: so many times as bright there."""


class Lamp(Entity):
    """``lit``: true or false (the default)."""

    params: ClassVar[tuple[str, ...]] = ("lit",)

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        if match.maker != MAKER and "lit" in thing.params:
            raise SceneError(f"scene.objects: {thing.handle}: params.lit: a {thing.category} is no lamp here")
        return match.maker == MAKER

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        lit = thing.params.get("lit", False)
        if not isinstance(lit, bool):
            raise SceneError(f"{where}.params.lit: expected true or false, got {lit!r}")

    @classmethod
    def shape(cls, thing: Object, model: Model) -> Model:
        return model if thing.params.get("lit") else unlit(model)

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        if not self.lit:
            return
        before = [p for p in placed[: placed.index(self.placed)] if any(isinstance(e, Lamp) and e.lit for e in p.entities)]
        if len(before) >= MAX_LIT:
            raise SceneError(f"scene.objects: {self.handle}: params.lit: the renderer has room for {MAX_LIT} lit lamps")
        bulb = np.concatenate([p.vertices for p in self.placed.model.parts if p.emission >= GLOWS_FROM])
        x, y, z = (float(v) for v in (bulb.min(0) + bulb.max(0)) / 2)
        down = dict(self.placed.match.settings).get("kind") == "desk"
        cone = None
        if self.scene.lighting == "night":
            # Below the shade and beside the pole, which would keep the light for itself otherwise.
            cone, (x, y), z = NIGHT_CONE_DEG, NIGHT_ASIDE_M, z - NIGHT_BELOW_M
        strength = STRENGTH[self.scene.lighting] * (SHADED if down else 1.0)
        lights.add_lamp(body, (x, y, z), strength=strength, down=down, cone_deg=cone)

    @property
    def lit(self) -> bool:
        return bool(self.thing.params.get("lit", False))

    def flags(self, s: Session) -> dict[str, bool]:
        return {"lit": self.lit}


ENTITIES = (Lamp,)
