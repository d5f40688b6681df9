from __future__ import annotations

from typing import Any

from .._noted import noted
from ..prims.xform_prim import XFormPrim


@noted
class BaseSensor(XFormPrim):
    def get_obs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        found: tuple[dict[str, Any], dict[str, Any]] = self._get_obs()  # type: ignore[attr-defined]
        return found
