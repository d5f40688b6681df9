"""Procedural objects by name. Each maker returns a `Model` of true size from a few parameters; no files, no MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim_bridge.backends.mujoco import textures as tx
from sim_bridge.backends.mujoco.shapes import Model, arc, ball, box, lathe, model, tube

Maker = Callable[..., Model]
MAKERS: dict[str, Maker] = {}


def maker(function: Maker) -> Maker:
    """Register a maker under its function name."""
    MAKERS[function.__name__] = function
    return function


def make(name: str, **settings: Any) -> Model:
    return MAKERS[name](**settings)


@maker
def sports_ball(kind: str) -> Model:
    diameter = {"tennis": 0.067}[kind]
    return model(ball(diameter / 2, 18, 36, texture=tx.sports_ball(kind), rgb=(1, 1, 1)), collider="sphere")


@maker
def mug() -> Model:
    look = {"rgb": (0.75, 0.2, 0.15), "tint": True, "specular": 0.5, "shininess": 0.6}
    body = lathe([(0, 0), (0.04, 0), (0.042, 0.095), (0.039, 0.095), (0.037, 0.006), (0, 0.006)], 36, **look)
    handle = tube(arc(0.026, 80, -80, 12, "xz", (0.04, 0, 0.048)), 0.006, 10, **look)
    return model(body, handle, hollow=True, collider="shell")


@maker
def carton(text: str) -> Model:
    image, where = tx.carton_faces(text, (0.85, 0.25, 0.2), (0.95, 0.9, 0.8), (0.14, 0.05, 0.2))
    return model(box(0.14, 0.05, 0.2, uv_of=where, texture=image, rgb=(1, 1, 1)), collider="box")


@maker
def mirror() -> Model:
    return model(box(0.8, 0.03, 1.2, rgb=(0.35, 0.24, 0.15)), collider="box")
