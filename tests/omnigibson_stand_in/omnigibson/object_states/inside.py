from __future__ import annotations

from typing import Any

from .. import _boxes
from .._noted import noted
from .object_state_base import BaseObjectState


@noted
class Inside(BaseObjectState):
    def _get_value(self, other: Any) -> bool:
        mine, box = _boxes.bounds(self.obj), _boxes.bounds(other)
        middle = (mine[0] + mine[1]) / 2
        return other.hollow and bool((box[0] <= middle).all() and (middle <= box[1]).all())
