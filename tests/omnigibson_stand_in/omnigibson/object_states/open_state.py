from __future__ import annotations

from .._noted import noted
from .object_state_base import BaseObjectState


@noted
class Open(BaseObjectState):
    def _get_value(self) -> bool:
        found: bool = self.obj.opened
        return found

    def _set_value(self, new_value: bool, fully: bool = False) -> bool:
        assert fully, "the joint would stop at a random place"
        self.obj.opened = new_value
        return True
