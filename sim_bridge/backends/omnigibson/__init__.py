"""OmniGibson (BEHAVIOR-1K) behind the bridge: the released tasks in their own buildings, with their own models and physics.

Runs in OmniGibson's own Python, which needs nothing of ours but `sim_bridge`. Calls into it are declared in `calls` and made by `engine`
and `world`; everything else is plain functions. What has been checked without the simulator, and what has not, says the README here.
"""

from __future__ import annotations

from sim_bridge.backends.omnigibson import settings
from sim_bridge.backends.omnigibson.backend import OmniGibsonBackend


def create() -> OmniGibsonBackend:
    """The backend, as the environment's variables say (`settings`)."""
    return OmniGibsonBackend(settings.read())
