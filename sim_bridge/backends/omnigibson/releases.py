"""Which releases of OmniGibson the adapter is written for, and which of them its calls were checked against.

OmniGibson 1.1.1 is the last release on the Python package index, so its source can be read by a test. The released ESI-Bench code fits
BEHAVIOR-1K 3.7.2 on Isaac Sim 4.5.0 and Python 3.10 best: the robot R1, `set_simulation_dt` with three arguments, and the two later
arguments of `sample_kinematics` are there, and later releases change robots' names and wrap every edit of the stage. So 3.7.2 is pinned.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim_bridge.errors import BridgeError


@dataclass(frozen=True)
class Release:
    """One release line."""

    version: str
    isaac_sim: str
    """Version of Isaac Sim it runs on."""
    python: str
    """Version of Python its environment has."""
    checked: bool
    """Whether a test compares the declared calls (`calls.CALLS`) with its source."""
    lines: tuple[str, ...]
    """Beginnings of the versions that belong to it."""


RELEASES = (
    Release("1.1.1", "4.1.0", "3.10", checked=True, lines=("1.1.",)),
    Release("3.7.2", "4.5.0", "3.10", checked=False, lines=("3.7.",)),
    Release("3.8.0", "5.1.0", "3.11", checked=False, lines=("3.8.",)),
)
PINNED = "3.7.2"
"""Git tag ``v3.7.2`` of BEHAVIOR-1K."""


class WrongRelease(BridgeError):
    """The installed OmniGibson is of a release that the adapter does not know."""

    code = "wrong_release"


def release_of(version: str, accept_any: bool = False) -> Release:
    """The release line a version belongs to.

    Args:
        version: as ``omnigibson.__version__`` says it.
        accept_any: take an unknown version for one of the pinned line.

    Raises:
        WrongRelease: it belongs to none.
    """
    for release in RELEASES:
        if version.startswith(release.lines):
            return release
    if accept_any:
        return next(r for r in RELEASES if r.version == PINNED)
    known = ", ".join(r.version for r in RELEASES)
    raise WrongRelease(
        f"omnigibson: expected a release of the lines {known} (pinned: {PINNED}), got {version!r}; "
        "install the pinned one, or set SIM_BRIDGE_OMNIGIBSON_RELEASE=any to try this one unchecked."
    )
