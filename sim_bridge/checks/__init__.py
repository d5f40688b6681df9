"""What a backend must do, as small named checks: each builds its own session, looks at one promise, and fails with what it saw.

`sim_bridge.conformance` runs them in the order in which the modules are imported here.
"""

# isort: off
from sim_bridge.checks import connection, pictures, camera, acting, seeing, resuming, phases, sessions, physical  # noqa: F401

# isort: on
from sim_bridge.checks.probe import CHECKS

__all__ = ["CHECKS"]
