"""The embedded simulator: MuJoCo on the CPU, off-screen, deterministic.

`create()` makes the backend. `catalogue` and everything it needs import without MuJoCo and without a renderer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.backend import MujocoBackend


def create() -> MujocoBackend:
    """Make the backend; raises `BridgeError` with one sentence where the software renderer is missing."""
    from sim_bridge.backends.mujoco import gl

    gl.prepare()
    from sim_bridge.backends.mujoco.backend import MujocoBackend

    return MujocoBackend()
