"""The embedded simulator: MuJoCo on the CPU, off-screen, deterministic.

`create()` makes the backend. `catalogue` and everything it needs import without MuJoCo and without a renderer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sim_bridge.backends.mujoco.engine import gl

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.backend import MujocoBackend


os.environ.update(gl.ENVIRONMENT)  # before any module of this package imports MuJoCo, which reads it once


def create() -> MujocoBackend:
    """Make the backend; raises `BridgeError` with one sentence where the software renderer is missing."""
    gl.check()
    from sim_bridge.backends.mujoco.backend import MujocoBackend

    return MujocoBackend()
