"""A camera that shows a change three renders late, as the real one lags behind."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .. import _boxes
from .._noted import noted
from .._tensor import Tensor
from .sensor_base import BaseSensor


@noted
class VisionSensor(BaseSensor):
    def __init__(
        self,
        relative_prim_path: Any,
        name: Any,
        modalities: Any = ("rgb",),
        enabled: Any = True,
        noise: Any = None,
        load_config: Any = None,
        image_height: int = 128,
        image_width: int = 128,
        focal_length: float = 17.0,
        clipping_range: Any = (0.001, 1e7),
        viewport_name: Any = None,
    ) -> None:
        super().__init__(name)
        self.width, self.height, self.focal, self.aperture = image_width, image_height, focal_length, 20.955
        self.modalities, self._late = list(modalities), deque(maxlen=3)  # type: ignore[var-annotated]
        self.sim: Any = None

    def add_modality(self, modality: str) -> None:
        assert modality != "seg_instance" or "seg_semantic" in self.modalities, "instances need the categories"
        self.modalities.append(modality)

    @property
    def horizontal_aperture(self) -> float:
        return self.aperture

    @horizontal_aperture.setter
    def horizontal_aperture(self, length: float) -> None:
        self.aperture = length

    @property
    def focal_length(self) -> float:
        return self.focal

    @focal_length.setter
    def focal_length(self, length: float) -> None:
        self.focal = float(length)

    def draw(self, scene: Any, light: float) -> None:
        """What there is to see now; it is drawn when somebody looks."""
        things = [_boxes.Shape.of(t) for t in scene.things] if scene is not None else []
        self._late.append(_boxes.Seen(_boxes.Eye.of(self), tuple(things), light, scene is not None))

    def _get_obs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        seen_then = self._late[0]
        names = {0: "background", 1: "groundPlane"} | {n: t.name for n, t in enumerate(seen_then.things, 2)}
        rgb, ids, depth = _boxes.drawn(seen_then)
        alpha = np.full((*ids.shape, 1), 255, np.uint8)
        seen = {"rgb": Tensor(np.concatenate([rgb, alpha], axis=2), np.uint8)}
        if "seg_instance" in self.modalities:
            seen["seg_instance"] = Tensor(ids, np.int32)
        if "depth_linear" in self.modalities:
            seen["depth_linear"] = Tensor(depth, np.float32)
        return seen, {"seg_instance": {int(k): v for k, v in names.items()}}
