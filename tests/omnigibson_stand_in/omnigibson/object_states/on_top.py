from __future__ import annotations

from typing import Any

from .. import _boxes
from .._noted import noted
from .object_state_base import BaseObjectState


@noted
class OnTop(BaseObjectState):
    def _get_value(self, other: Any) -> bool:
        mine, box = _boxes.bounds(self.obj), _boxes.bounds(other)
        return _boxes.over(mine, box) and abs(mine[0][2] - box[1][2]) < 0.01
