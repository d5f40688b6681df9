"""Which workers of a pool come into question for a session: by the simulator that it asks for, and by what it needs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from sim_bridge.client import Client
from sim_bridge.errors import BadRequest
from sim_bridge.process import WorkerProcess
from sim_bridge.pulse import Pulse

STARTING, READY, SUSPECT, DOWN = "starting", "ready", "suspect", "down"
"""States of a worker: starting up; serving; reported lost and being watched (gets no new session); not there, to be started again."""

AWAY = -1
"""In place of a place in the line: there is no worker of the wanted simulator now, and one is waited for."""
ROUTED = frozenset({"recorded"})
"""Capabilities that simulators have or have not by their kind: a session that needs one can only be on a simulator that has it."""
LATENCIES = 20
"""So many of the last health checks say how long a worker takes to answer."""
UNTOLD = "?"
"""Stands for the simulator of workers that have not said yet which one they have: it may be the one that a session needs."""


@dataclass(eq=False)
class Slot:
    """One worker: a local process that is replaced in place, or an address."""

    address: str = ""
    token: str = ""
    local: bool = True
    spec: str = ""
    """Simulator that a local worker is started with (see `sim_bridge.host.create_backend`)."""
    backend: str = ""
    """Name of its simulator, as it said last; empty: it has not been there yet."""
    capabilities: frozenset[str] = frozenset()
    fingerprint: dict[str, str] = field(default_factory=dict)
    places: int = 0
    """Sessions that may be placed on it."""
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES))
    """Milliseconds of the last health checks."""
    process: WorkerProcess | None = None
    state: str = STARTING
    sessions: dict[str, Client | None] = field(default_factory=dict)
    """Sessions placed here; None while the client connects."""
    pulse: Pulse | None = None
    """Its health, on the supervisor's own connection."""
    restarts: int = 0
    failures: int = 0
    """Consecutive starts that failed or did not last."""
    hopeless: bool = False
    """The last start failed for a reason that another try will not cure, or several in a row did."""
    seen_well: float | None = None
    """When it was ready last (monotonic); None: never yet."""
    first_start: float | None = None
    """When it was started first (monotonic)."""
    retry_at: float = 0.0
    since: float = 0.0
    """Start of the present state (monotonic)."""
    busy_s: float = 0.0
    rss_mb: float = 0.0
    message: str = ""

    def enter(self, state: str) -> None:
        """Into another state, from now on."""
        self.state, self.since = state, time.monotonic()


def wanted(slots: Sequence[Slot], own: str, backend: str, needs: Sequence[str]) -> str:
    """Name of the simulator that a session is placed on; empty: that of the local workers, who have not said how it is called.

    Args:
        slots: the pool's workers.
        own: what the pool's own local workers are started with.
        backend: asked for; empty: none.
        needs: capabilities that are needed.

    Raises:
        BadRequest: none is asked for, and the workers have several.
    """
    if backend:
        return backend
    routed = ROUTED.intersection(needs)
    able = {slot.backend for slot in slots if slot.backend and slot.capabilities.issuperset(routed)}
    mine = [slot for slot in slots if slot.local and slot.spec == own]
    named = {slot.backend for slot in mine or slots if slot.backend}
    if named and not named & able:
        if len(able) == 1:
            return able.pop()
        if not able and any(not slot.backend and not slot.hopeless for slot in slots):
            return UNTOLD
    else:
        named &= able
    if len(named) > 1:
        raise BadRequest(f"backend: the workers have several simulators ({', '.join(sorted(named))}), and none is asked for")
    return named.pop() if named else ""


def candidates(slots: Sequence[Slot], own: str, name: str, needs: Sequence[str]) -> Sequence[Slot]:
    """The workers that have this simulator, or may turn out to have it; those that have what is needed, where any has."""
    if not name:
        return [slot for slot in slots if slot.local and slot.spec == own] or slots
    found = [slot for slot in slots if slot.backend in (name, "")]
    return [slot for slot in found if (slot.capabilities.issuperset(needs) if slot.backend else not slot.hopeless)] or found


def line_of(slots: Sequence[Slot], name: str, needs: Sequence[str]) -> str:
    """The line in which a session waits: one for each simulator, and apart for what only some of its workers have."""
    told = [slot for slot in slots if slot.backend and slot.backend == name]
    return " ".join([name, *sorted(need for need in set(needs) if any(need not in slot.capabilities for slot in told))])


def away(found: Sequence[Slot]) -> bool:
    """Whether none of these workers is there, after one was, or one that is started elsewhere."""
    if any(slot.state == READY for slot in found):
        return False
    return any(slot.seen_well is not None or (not slot.local and slot.state in (DOWN, SUSPECT)) for slot in found)


def missing(found: Sequence[Slot], name: str) -> str:
    """Why none of these workers is there, in a sentence."""
    why = "; ".join(dict.fromkeys(slot.message.rstrip(".") for slot in found if slot.message))
    which = "a simulator that this needs" if name == UNTOLD else f"the simulator {name}"
    return f"No worker of {which} is there now" + (f": {why}." if why else ".")
