from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .stateful_object import StatefulObject


@noted
class PrimitiveObject(StatefulObject):
    def __init__(
        self,
        name: Any,
        primitive_type: str,
        relative_prim_path: Any = None,
        category: str = "object",
        scale: Any = None,
        visible: bool = True,
        fixed_base: bool = False,
        visual_only: bool = False,
        kinematic_only: Any = None,
        self_collisions: bool = False,
        prim_type: Any = 0,
        load_config: Any = None,
        abilities: Any = None,
        include_default_states: bool = True,
        rgba: Any = (0.5, 0.5, 0.5, 1.0),
        radius: Any = None,
        height: Any = None,
        size: Any = None,
        **kwargs: Any,
    ) -> None:
        assert not kwargs, f"unknown: {sorted(kwargs)}"
        super().__init__(name, np.array(scale), fixed_base, False, False)
        self.offset = np.zeros(3)
        self.category, self.colour = category, tuple(255 * c for c in rgba[:3])
