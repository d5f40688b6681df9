"""Macros lock when they are first read."""

from __future__ import annotations

from typing import Any

from ._noted import note


class MacroDict(dict[str, Any]):
    def __init__(self) -> None:
        super().__init__()
        self["_read"] = set()

    def __setattr__(self, name: str, value: Any) -> None:
        note(f"macros.gm.{name}")
        if name in self["_read"]:
            raise AttributeError(f"Cannot set attribute {name} in MacroDict, it has already been used.")
        self[name] = value

    def __getattr__(self, name: str) -> Any:
        self["_read"].add(name)
        if name not in self:
            raise AttributeError(name)
        return self[name]


gm = MacroDict()
for _name in ("HEADLESS", "USE_GPU_DYNAMICS", "ENABLE_HQ_RENDERING", "ENABLE_FLATCACHE"):
    gm[_name] = False
for _name in ("RENDER_VIEWER_CAMERA", "ENABLE_OBJECT_STATES", "ENABLE_TRANSITION_RULES"):
    gm[_name] = True
