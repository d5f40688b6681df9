"""Does a simulator keep the bridge's promises? `check_backend` says so, promise by promise; anyone can run it on their own backend.

python -m sim_bridge conformance --backend toy
python -m sim_bridge conformance --address ws://gpu-box:7000 --token-file token --json
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from websockets.exceptions import WebSocketException

from sim_bridge.backend import Backend
from sim_bridge.checks import CHECKS
from sim_bridge.checks.probe import Check, Failed, NotApplicable, Probe
from sim_bridge.client import Client
from sim_bridge.errors import BadRequest, BridgeError
from sim_bridge.local import LocalClient
from sim_bridge.pool import Pool
from sim_bridge.worker import TOKEN_VARIABLE

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not_applicable"
CATEGORIES = ("box_of_crackers", "mug")
"""Objects of the test scene: a large one, and a small and hollow one (a cup), scaled to explicit sizes."""


@dataclass(frozen=True)
class Result:
    """Outcome of one check."""

    name: str
    explanation: str
    """The promise in one line."""
    outcome: str
    """pass, fail or not_applicable."""
    detail: str = ""
    """What was seen, or why the check does not apply."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """Outcome of all checks."""

    backend: str
    address: str
    """Empty for a backend in this process."""
    deterministic: bool
    capabilities: tuple[str, ...]
    fingerprint: dict[str, str]
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Every check that applies passed, and some did."""
        return self.count(FAIL) == 0 and self.count(PASS) > 0

    def count(self, outcome: str) -> int:
        """Number of checks with this outcome."""
        return sum(r.outcome == outcome for r in self.results)

    def failures(self) -> list[Result]:
        """The checks that failed."""
        return [r for r in self.results if r.outcome == FAIL]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        counts = {outcome: self.count(outcome) for outcome in (PASS, FAIL, NOT_APPLICABLE)}
        return {
            "ok": self.ok,
            **counts,
            **{key: value for key, value in asdict(self).items() if key != "results"},
            "checks": [asdict(r) for r in self.results],
        }

    def __str__(self) -> str:
        marks = {PASS: "pass", FAIL: "FAIL", NOT_APPLICABLE: " n/a"}
        lines = [f"{marks[r.outcome]}  {r.name}: {r.explanation}" + (f"\n        {r.detail}" if r.detail else "") for r in self.results]
        total = f"{self.count(PASS)} passed, {self.count(FAIL)} failed, {self.count(NOT_APPLICABLE)} do not apply"
        return "\n".join([*lines, f"{self.backend}: {total}"])


def check_backend(
    target: Client | Backend,
    *,
    token: str = "",
    categories: tuple[str, str] = CATEGORIES,
    only: Iterable[str] | None = None,
    on_result: Callable[[Result], None] | None = None,
) -> Report:
    """Run the checks.

    Args:
        target: a connected `Client`, or a backend object in this process (then the checks of the network part do not apply).
        token: the worker's token; needed with a `Client` for the checks that open further connections.
        categories: a large category, and a small and hollow one, that the backend has objects of.
        only: names of checks to run; None runs all.
        on_result: called after each check.

    Returns:
        The report. Nothing is raised for a backend that misbehaves.
    """
    if isinstance(target, Client):
        client: Client | LocalClient = target
        probe = Probe(target, target.hello, categories, target.address, token)
    else:
        client = LocalClient(target)
        probe = Probe(client, client.hello, categories)
    chosen = None if only is None else set(only)
    unknown = sorted((chosen or set()) - {c.name for c in CHECKS})
    if unknown:
        raise BadRequest(f"only: there is no check {', '.join(unknown)}")
    results = []
    for one in CHECKS:
        if chosen is None or one.name in chosen:
            results.append(_run(one, probe))
            if on_result is not None:
                on_result(results[-1])
    if isinstance(client, LocalClient):
        client.close()
    said = probe.hello
    return Report(said.backend, probe.address, said.deterministic, said.capabilities, said.fingerprint, tuple(results))


def run_conformance(
    *,
    address: str | None = None,
    backend: str | None = None,
    token: str | None = None,
    as_json: bool = False,
    categories: tuple[str, str] = CATEGORIES,
) -> int:
    """The command: checks a running worker, or starts one; prints the report; returns 0 only if everything that applies passes."""
    if (address is None) == (backend is None):
        raise BadRequest("conformance: give either an address or a backend")

    def tell(result: Result) -> None:
        if as_json:
            print(f"{result.outcome:15} {result.name}", file=sys.stderr)

    if address is not None:
        secret = token or os.environ.get(TOKEN_VARIABLE, "")
        with Client(address, secret, name="conformance") as client:
            report = check_backend(client, token=secret, categories=categories, on_result=tell)
    else:
        assert backend is not None
        with (
            tempfile.TemporaryDirectory(prefix="sim-bridge-") as logs,
            Pool(backend=backend, workers=1, log_dir=logs) as pool,
        ):
            client = pool.acquire("conformance", wait_s=120.0)
            report = check_backend(client, token=pool.token_of("conformance"), categories=categories, on_result=tell)
    print(json.dumps(report.as_dict(), indent=2) if as_json else report)
    return 0 if report.ok else 1


def _run(one: Check, probe: Probe) -> Result:
    start = time.perf_counter()
    outcome, detail = PASS, ""
    try:
        if one.wire and not probe.address:
            raise NotApplicable("there is no network: the backend runs in this process")
        one.run(probe)
    except NotApplicable as reason:
        outcome, detail = NOT_APPLICABLE, str(reason)
    except Failed as reason:
        outcome, detail = FAIL, str(reason)
    except (BridgeError, WebSocketException, OSError) as problem:
        kind = problem.code if isinstance(problem, BridgeError) else type(problem).__name__
        outcome, detail = FAIL, f"{kind}: {problem}"
    except Exception as problem:
        # A backend may answer anything; what trips a check is its failure, not the checker's.
        outcome, detail = FAIL, f"the answer cannot be checked: {type(problem).__name__}: {problem}"
    try:
        probe.tidy()
    except (BridgeError, WebSocketException, OSError) as problem:
        if outcome == PASS:
            outcome, detail = FAIL, f"closing the sessions afterwards failed: {problem}"
    return Result(one.name, one.explanation, outcome, detail, round(time.perf_counter() - start, 3))
