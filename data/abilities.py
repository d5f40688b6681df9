"""What a simulator can do and show, asked in a process of its own: who judges what can be played never loads the simulator."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import sim_bridge
from sim_bridge.errors import BridgeError

EMBEDDED = "mujoco"
"""The simulator that comes with the product."""
PATIENCE_S = 120
"""Longest wait for a simulator to say what it can (one on a GPU takes a minute to load)."""


class BackendUnavailable(BridgeError):
    """The simulator cannot be asked; the message is its own, or says that it did not answer."""

    code = "bridge_down"
    status = 503


class Match(Protocol):
    """What a catalogue has for one category."""

    @property
    def grade(self) -> str: ...
    @property
    def transparent(self) -> bool: ...
    @property
    def hollow(self) -> bool: ...


class Catalogue(Protocol):
    """An asset catalogue, as far as playability needs it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    def lookup(self, category: str) -> Any:
        """What it has for a category, a `Match`: one of the grade ``none`` where it has nothing."""
        ...


@dataclass(frozen=True)
class Anything:
    """The match of a category whose models nobody has judged: taken for fit."""

    grade: str = "exact"
    transparent: bool = True
    hollow: bool = True


@dataclass(frozen=True)
class Unjudged:
    """Stands for the catalogue of a simulator that has none: only actions and features are judged."""

    name: str
    version: str = "(its models are not judged)"

    def lookup(self, category: str) -> Anything:
        """The same for every category."""
        return Anything()


@dataclass(frozen=True)
class Abilities:
    """What one simulator can do and show."""

    backend: str
    capabilities: tuple[str, ...]
    """Action names and features that it declares."""
    catalogue: Catalogue
    """Its object models."""


@cache
def capabilities_of(backend: str) -> tuple[str, ...]:
    """Action names and features that a simulator declares.

    Args:
        backend: ``toy``, ``mujoco``, ``recorded`` or ``module:callable``.

    Raises:
        BackendUnavailable: there is none of this name, or it does not load here.
    """
    return tuple(_described(backend)["capabilities"])


def abilities_of(backend: str = EMBEDDED) -> Abilities:
    """What a simulator can do and show.

    Its catalogue is the class ``Catalogue`` of the module ``catalogue`` in the backend's package, where there is one; it must be importable
    without the simulator.

    Raises:
        BackendUnavailable: as `capabilities_of`.
    """
    told = _described(backend)
    module = told["catalogue"]
    catalogue: Catalogue = import_module(module).Catalogue.load() if module else Unjudged(told["name"])
    return Abilities(backend, tuple(told["capabilities"]), catalogue)


def fingerprint_of(backend: str = EMBEDDED) -> dict[str, str]:
    """What decides the pixels of a simulator on this machine.

    Raises:
        BackendUnavailable: as `capabilities_of`; there is no renderer.
    """
    found: dict[str, str] = _described(backend, "--fingerprint")["fingerprint"]
    return found


@cache
def _described(backend: str, *more: str) -> dict[str, Any]:
    package = Path(sim_bridge.__file__).resolve().parent
    command = [sys.executable, str(package / "_start.py"), str(package.parent), "describe", "--backend", backend, *more]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        raise BackendUnavailable(f"The simulator {backend} did not say within {PATIENCE_S} s what it can do.") from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise BackendUnavailable(said[-1].removeprefix("sim_bridge: ") if said else f"The simulator {backend} did not say what it can do.")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
