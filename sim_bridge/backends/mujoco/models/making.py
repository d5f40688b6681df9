"""What makers of procedural objects share: registration, materials, colours. `registry` lists their modules and makes by name.

Each maker returns a `Model` of true size from a few settings; no files, no MuJoCo.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

from sim_bridge.backends.mujoco.meshes.shapes import Colour, Model

Maker = Callable[..., Model]
MAKERS: dict[str, Maker] = {}

CLEAR: dict[str, Any] = {"rgb": (0.80, 0.92, 0.94), "alpha": 0.27, "specular": 0.9, "shininess": 0.9}
"""Glass: the contents show clearly (no refraction)."""
STEEL: dict[str, Any] = {"rgb": (0.72, 0.73, 0.75), "specular": 0.8, "shininess": 0.7}
DARK: dict[str, Any] = {"rgb": (0.12, 0.12, 0.13), "specular": 0.3, "shininess": 0.4}
WHITE: dict[str, Any] = {"rgb": (0.93, 0.93, 0.91), "specular": 0.4, "shininess": 0.5}


def maker(function: Maker) -> Maker:
    """Register a maker under its function name."""
    MAKERS[function.__name__] = function
    return function


def kinds(*names: str) -> Callable[[Callable[[str], Model]], Callable[[str], Model]]:
    """Register a function that makes several things, each under its own name."""

    def register(function: Callable[[str], Model]) -> Callable[[str], Model]:
        for name in names:
            MAKERS[name] = functools.partial(function, name)
        return function

    return register


PALETTE: tuple[Colour, ...] = (
    (0.78, 0.14, 0.12),
    (0.13, 0.34, 0.66),
    (0.16, 0.48, 0.24),
    (0.93, 0.70, 0.14),
    (0.88, 0.44, 0.10),
    (0.45, 0.20, 0.52),
    (0.10, 0.52, 0.56),
    (0.90, 0.86, 0.74),
    (0.42, 0.26, 0.15),
    (0.86, 0.42, 0.56),
    (0.22, 0.24, 0.30),
    (0.62, 0.76, 0.30),
)


def pick(text: str, salt: str = "", choices: tuple[Any, ...] = PALETTE) -> Any:
    """A choice that depends on the words alone, so that a product looks the same everywhere."""
    return choices[int.from_bytes(hashlib.sha256(f"{salt}|{text}".encode()).digest()[:4], "big") % len(choices)]
