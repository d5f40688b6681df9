from __future__ import annotations

from typing import Any

from .._data import ABILITIES
from .._noted import noted
from ..prims.entity_prim import EntityPrim


@noted
class StatefulObject(EntityPrim):
    category, scene, colour = "", None, (150.0, 150.0, 150.0)

    @property
    def states(self) -> dict[Any, Any]:
        from .. import object_states as kinds

        able = ABILITIES.get(self.category, {})
        own = [kinds.Inside, kinds.OnTop, kinds.Touching]
        own += [kinds.Open] if "openable" in able else []
        own += [kinds.Filled, kinds.Contains, kinds.ContainedParticles] if "fillable" in able else []
        return {kind: kind(self) for kind in own}
