from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from .._data import ABILITIES, size, usd_path
from .._noted import noted
from ..macros import gm
from .stateful_object import StatefulObject


@noted
class DatasetObject(StatefulObject):
    def __init__(
        self,
        name: Any,
        relative_prim_path: Any = None,
        category: str = "object",
        model: Any = None,
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
        bounding_box: Any = None,
        in_rooms: Any = None,
        **kwargs: Any,
    ) -> None:
        assert not kwargs, f"unknown: {sorted(kwargs)}"
        assert bounding_box is None or scale is None, "You cannot define both scale and bounding box size for an DatasetObject"
        assert model is not None, "a model would be drawn at random"
        cloth = prim_type == 1
        assert not cloth or gm.USE_GPU_DYNAMICS, "cloth needs GPU dynamics"
        extent = bounding_box if bounding_box is not None else np.array(size(category, model)) * (1.0 if scale is None else np.array(scale))
        super().__init__(name, extent, fixed_base, "fillable" in ABILITIES.get(category, {}), cloth)
        self.category, self._model = category, model
        self.jointed = "openable" in ABILITIES.get(category, {})
        seed = np.random.default_rng(zlib.crc32(name.encode()))
        self.colour = tuple(seed.uniform(60, 230, 3))

    @classmethod
    def get_usd_path(cls, category: str, model: str) -> str:
        return usd_path(category, model)

    @property
    def model(self) -> str:
        found: str = self._model
        return found
