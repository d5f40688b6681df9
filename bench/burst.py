"""``vantage simulate --burst``: many invited people come at once, over HTTP, to a server that is started for it.

Each is a browser of their own, as far as HTTP goes: the link, its page, the consent, *where do I stand*, and where that is a task, its
opening. A proxy is played that passes on whose address it is. Not measured: the page's own files and its WebSocket.
"""

from __future__ import annotations

import http.client
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from bench.browsing import Browser
from bench.serving import server
from data.home import Home
from data.store import Store
from study import access, sample
from study.dryrun import checks, log, seats
from study.ethics import EthicsRecord
from study.studies import Study, create_study

WITHIN_S = 10.0
"""All come within so long, seconds."""
CLASSROOM = 60
"""So many share one address."""
PER_ADDRESS = 5
"""And so many on average each other one."""
WAYS, PER_TASK = ("active", "single_view"), 100
"""Paradigms of the study and places of each task in each: eight hundred sessions of ten, so that some of a thousand find none."""
PATIENCE_S = 240.0
"""How long a browser waits for an answer, seconds."""
BACKEND = "study.dryrun.sketch:create"


@dataclass
class Visit:
    """One person's coming in."""

    token: str
    address: str
    comes_s: float
    replies: list[int] = field(default_factory=list)
    """Status of each answer, in order."""
    stage: str = ""
    """Where they stand then."""
    note: str = ""
    opened: int = 0
    """Status of the opening of their first task."""
    took_s: float = 0.0
    """From the first request until they know where they stand."""
    error: str = ""


def run(count: int, *, seed: int, tell: Callable[[str], None], within_s: float = WITHIN_S) -> dict[str, Any]:
    """Let `count` people come to a server of its own, and judge what came of it.

    Args:
        count: how many.
        seed: decides when and from where each comes.
        tell: is told how far it has come.
        within_s: within how long all come, seconds.

    Returns:
        The report, as JSON values; ``ok`` says whether everything holds.
    """
    with tempfile.TemporaryDirectory(prefix="vantage-burst-") as folder:
        home = Home.from_env(Path(folder) / "vantage.db")
        store = Store.open(home)
        study = _study(store)
        draw = random.Random(f"{seed}/burst")
        addresses = _addresses(count)
        came = [
            Visit(access.create_invite(store, "participant", study.study_id, uses=1, label=f"burst {n}"), address, within_s * draw.random())
            for n, address in enumerate(addresses)
        ]
        tell(f"{count} people are invited, from {len(set(addresses))} addresses; the server starts")
        with server(home, BACKEND, options=("--trusted-proxy", "127.0.0.1"), quiet=True) as base:
            _all_come(base, came)
        report = _judged(store, study, came)
        store.close()
    return report


def _study(store: Store) -> Study:
    """A study that is open, with fewer places than people."""
    tasks = sample.choose(sample.playable())
    with store.atomic():
        for task in tasks:
            store.put_task(task)
        return create_study(
            store, "Burst", state="live", paradigms=WAYS, tasks=tuple(task.content_hash for task in tasks), per_task=PER_TASK,
            trials=sample.TRIALS, consent="This is a rehearsal.", ethics=EthicsRecord(basis="demonstration"),
        )  # fmt: skip


def _addresses(count: int) -> list[str]:
    """Whence each comes: a classroom, and the others from their own few."""
    others = max(1, count // PER_ADDRESS - 1)
    return ["198.18.0.1" if n < CLASSROOM else f"198.18.{1 + n % others // 250}.{1 + n % others % 250}" for n in range(count)]


def _all_come(base: str, came: list[Visit]) -> None:
    began = time.monotonic()
    threading.stack_size(256 * 1024)
    threads = [threading.Thread(target=_come, args=(base, visit, began), daemon=True) for visit in came]
    threading.stack_size(0)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _come(base: str, visit: Visit, began: float) -> None:
    time.sleep(max(0.0, began + visit.comes_s - time.monotonic()))
    browser, started = Browser(base, visit.address, visit.replies, PATIENCE_S), time.monotonic()
    try:
        grant = browser.come_in(visit.token)
        told = browser.ask("/api/place", {"grant": grant})
        visit.took_s, visit.stage, visit.note = time.monotonic() - started, told["stage"], told["note"]
        if told["episode_id"]:
            browser.ask("/api/open", {"episode": told["episode_id"], "tab": "burst"})
            visit.opened = visit.replies[-1]
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        visit.took_s = time.monotonic() - started
        visit.error = f"{type(error).__name__}: {error} after {visit.replies}"


def _judged(store: Store, study: Study, came: list[Visit]) -> dict[str, Any]:
    plan = checks.plan(store, study)
    groups = {cell: plan.groups[cell[0]] for cell in plan.cells}
    most = seats.most_sessions(dict.fromkeys(plan.cells, PER_TASK), groups, plan.tasks, len(came))
    rows = store.query(
        "SELECT DISTINCT task_hash, paradigm FROM slots WHERE study_id = ? AND state = 'free' AND claimed_by IS NULL AND practice = 0 "
        "AND mode = 'live'",
        [study.study_id],
    )
    free = {(row["task_hash"], row["paradigm"]) for row in rows}
    more = seats.seatable(plan.items(free & plan.cells, ()), plan.tasks, plan.categories)
    seated = {row["participant_id"] for row in store.query("SELECT participant_id FROM seats WHERE study_id = ?", [study.study_id])}
    book = log.Book(store, study.study_id, "live")
    twice = [slot for slot, most in {**log.most_at_once(book.leases()), **log.claimed_at_once(store, study.study_id)}.items() if most > 1]
    stages = Counter(visit.stage for visit in came if not visit.error)
    line = store.query("SELECT count(*) AS n FROM waiting WHERE study_id = ? AND since <> ''", [study.study_id])[0]["n"]
    statuses = Counter(status for visit in came for status in visit.replies)
    silent = [visit.error for visit in came if visit.error]
    undated = [visit for visit in came if visit.stage in ("waiting", "full") and not visit.note]
    opened = Counter(visit.opened for visit in came if visit.stage == "task")
    took = sorted(visit.took_s for visit in came)
    p95 = took[min(len(took) - 1, int(0.95 * len(took)))]
    findings = (
        checks.Finding("no place is booked twice", not twice, f"{len(twice)} places had two people at once", tuple(twice[:10])),
        checks.Finding(
            "as many are seated as the places allow",
            len(seated) == stages["task"] and (len(seated) == len(came) or not more),
            f"{len(seated)} have a session, {stages['task']} were led to their first task; what is left makes "
            f"{'another' if more else 'no further'} session (known beforehand, all places would have made {most})",
        ),
        checks.Finding(
            "everybody else has a dated place in the line or a clear full",
            not undated and stages["waiting"] == line and sum(stages.values()) == stages["task"] + stages["waiting"] + stages["full"],
            f"{stages['waiting']} wait in the line ({line} of them by date), {stages['full']} were told that it is full",
        ),
        checks.Finding("nobody is told that they are too fast", not statuses[429], f"{statuses[429]} answers of 429"),
        checks.Finding("everybody is answered", not silent, f"{len(silent)} were not let in", tuple(silent[:10])),
    )
    return {
        "ok": all(finding.ok for finding in findings),
        "people": len(came),
        "addresses": len({visit.address for visit in came}),
        "classroom": max(Counter(visit.address for visit in came).values()),
        "within_s": WITHIN_S,
        "hindsight": most,
        "seated": len(seated),
        "stages": dict(stages),
        "first_task": {{200: "opened", 202: "in the line for a simulator"}.get(status, str(status)): n for status, n in opened.items()},
        "entry_s": {"median": round(took[len(took) // 2], 2), "p95": round(p95, 2), "longest": round(took[-1], 2)},
        "answers": {str(status): n for status, n in sorted(statuses.items())},
        "checks": msgspec.to_builtins(findings),
    }
