from __future__ import annotations

from typing import Any

from .. import _boxes
from .._noted import noted
from .object_state_base import BaseObjectState


@noted
class Touching(BaseObjectState):
    def _get_value(self, other: Any) -> bool:
        a, b = _boxes.bounds(self.obj), _boxes.bounds(other)
        return bool((a[0] <= b[1] + 0.005).all() and (b[0] <= a[1] + 0.005).all())
