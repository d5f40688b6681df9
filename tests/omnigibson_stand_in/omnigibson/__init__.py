"""The stand-in's package: the simulator and the app are found here, as with OmniGibson."""

from __future__ import annotations

import os
import threading
from typing import Any

from ._noted import note, noted

assert threading.current_thread() is threading.main_thread(), "signal only works in main thread"
_held: dict[str, Any] = {"sim": None, "app": None, "__version__": os.environ.get("OMNIGIBSON_STAND_IN_VERSION", "1.1.1")}


def __getattr__(name: str) -> Any:
    if name in _held:
        note(f"__init__.{name}")
        return _held[name]
    if name == "Environment":
        from .envs.env_base import Environment

        return Environment
    raise AttributeError(name)


@noted
def clear(
    gravity: Any = None,
    physics_dt: Any = None,
    rendering_dt: Any = None,
    sim_step_dt: Any = None,
    viewer_width: Any = None,
    viewer_height: Any = None,
    device: Any = None,
) -> None:
    """Everything goes, and a simulator with these settings comes."""
    from .simulator import _launch_simulator

    _held["sim"] = None
    _launch_simulator(
        physics_dt=physics_dt, rendering_dt=rendering_dt, sim_step_dt=sim_step_dt, viewer_width=viewer_width, viewer_height=viewer_height
    )


@noted
def shutdown(due_to_signal: bool = False) -> None:
    """The app ends; told to, it hangs, as the real one may."""
    if os.environ.get("OMNIGIBSON_STAND_IN_HANGS"):
        threading.Event().wait()
    _held["app"] = None
