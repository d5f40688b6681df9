from __future__ import annotations

from typing import Any

import numpy as np

from .. import _boxes
from .._noted import noted
from .._tensor import Tensor, tensor_only
from .cloth_prim import ClothPrim
from .xform_prim import XFormPrim, put


@noted
class EntityPrim(XFormPrim):
    def __init__(self, name: str, extent: Any, fixed: bool, hollow: bool, cloth: bool) -> None:
        super().__init__(name)
        self.extent, self.fixed, self.hollow, self.ghost, self.ready = np.array(extent, float), fixed, hollow, False, False
        # The origin of a model is not the middle of its box.
        self.offset = np.array([0.05, -0.03, 0.1])
        self.quaternion = np.array([0.0, 0.0, 0.0, 1.0])
        self.opened, self.jointed = False, False
        self.boxed: tuple[np.ndarray, np.ndarray] | None = None
        self._root = ClothPrim(self) if cloth else self

    def set_position_orientation(self, position: Any = None, orientation: Any = None, frame: str = "world") -> None:
        assert self.ready, f"{self._name} is not initialised: take a step first"
        put(self, position, orientation, frame)

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        return Tensor(self.position), Tensor(self.quaternion)

    def keep_still(self) -> None:
        pass

    def set_linear_velocity(self, velocity: Any) -> None:
        tensor_only(velocity)

    def now(self) -> tuple[np.ndarray, np.ndarray]:
        """Its box; that of what has joints is as old as the last step."""
        return self.boxed if self.jointed and self.boxed is not None else _boxes.bounds(self)

    @property
    def aabb(self) -> tuple[Tensor, Tensor]:
        low, high = self.now()
        return Tensor(low), Tensor(high)

    @property
    def aabb_center(self) -> Tensor:
        low, high = self.now()
        return Tensor((low + high) / 2)

    @property
    def root_link(self) -> Any:
        return self._root

    @property
    def visual_only(self) -> bool:
        return self.ghost

    @visual_only.setter
    def visual_only(self, val: bool) -> None:
        self.ghost = val

    def state(self) -> np.ndarray:
        return np.array([*self.position, *self.quaternion, float(self.opened)])

    def take_state(self, values: np.ndarray) -> np.ndarray:
        assert len(values) >= 8, "too few values"
        self.position, self.quaternion, self.opened = values[:3].copy(), values[3:7].copy(), bool(values[7] > 0.5)
        return values[8:]
