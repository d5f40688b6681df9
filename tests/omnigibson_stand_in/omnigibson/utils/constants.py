from __future__ import annotations

from typing import Any

from .._noted import note


class _PrimType:
    def __getattr__(self, name: str) -> Any:
        if name not in ("RIGID", "CLOTH"):
            raise AttributeError(name)
        note(f"utils.constants.PrimType.{name}")
        return {"RIGID": 0, "CLOTH": 1}[name]


PrimType = _PrimType()
