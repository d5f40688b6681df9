"""A large verification of invented verdicts, and how fast it answers: part of ``vantage bench store``.

Of the tasks two in five wait or are under way, two in five are retained and one in five is rejected; every hundredth retained one is
contested. Each verdict has its votes and each decision its event.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from annotation.reviewing.kinds.tasks import AXES, CANNOT_TELL, CONTROL, FIRST, KIND, REST
from annotation.reviewing.rows import Vote
from annotation.verifying import listing, progress, queue
from annotation.verifying.verifications import Protocol
from data.store import Store, dumps

WHICH = "ver_bench"
PEOPLE = 60
"""Whose verdicts are there; whoever is measured comes new."""
AT = "2026-01-03T00:00:00.000Z"


def make(store: Store, repeats: int) -> None:
    """Put every task of the database under verification."""
    hashes = [row["content_hash"] for row in store.query("SELECT content_hash FROM tasks ORDER BY rowid")]
    lines: dict[str, list[tuple[Any, ...]]] = {name: [] for name in ("items", "reviewed", "reviews", "votes", "events")}
    draw = random.Random(2)
    for n, content_hash in enumerate(hashes):
        subject, state = f"vi_{n:08d}", ("retained", "rejected", "in_verification", "retained", "in_verification")[n % 5]
        decided = state != "in_verification"
        live = 3 if decided else n // 5 % 3
        lines["items"].append((subject, WHICH, content_hash, "task"))
        lines["reviewed"].append((KIND.name, subject, WHICH, state, 1, 1, live, n, AT))
        who = draw.sample(range(PEOPLE), live)
        # contested: two of three reject, each on an axis of their own
        fails = [[], [], []] if state == "retained" else [[AXES[n % 3]], [AXES[n % 3]], []]
        if state == "retained" and n % 100 == 0:
            fails = [[AXES[0]], [AXES[1]], []]
        for slot in range(live):
            review = f"rv_v{n:08d}{slot}"
            lines["reviews"].append((review, KIND.name, WHICH, subject, slot + 1, f"bench_v{who[slot]}", AT, AT, AT))
            lines["votes"] += [(review, FIRST, "told", "no", "[]", AT), (review, FIRST, "answer", CANNOT_TELL, "[]", AT)]
            for axis in AXES:
                failed = axis in fails[slot]
                reasons = dumps([next(iter(listing.REASONS[axis]))]) if failed else "[]"
                lines["votes"].append((review, REST, axis, "fail" if failed else "pass", reasons, AT))
        if decided:
            told: dict[str, Any] = {"task": subject, "event": "keep" if state == "retained" else "drop", "state": state, "version": 1}
            lines["events"].append((AT, KIND.told_of, subject, dumps(told | {"contested": state == "retained" and n % 100 == 0})))
    controls = [(f"vc_{n:08d}", WHICH, content_hash, "control") for n, content_hash in enumerate(hashes[:40])]
    with store.atomic() as db:
        names = [f"bench_v{n}" for n in range(PEOPLE)] + [f"bench_new{n}" for n in range(-1, repeats)]
        db.conn.executemany("INSERT INTO staff (staff_id, name, created_at) VALUES (?, ?, ?)", [(name, name, AT) for name in names])
        document = Protocol(training=0, control_share=0.1).model_dump_json()
        row = {"verification_id": WHICH, "name": "Bench", "document": document, "state": "open", "created_at": AT}
        store.insert("verifications", row)
        for name, into in (
            ("items", "verification_items (subject, verification_id, task_hash, part)"),
            ("reviewed", "reviewed (kind, subject, scope, state, version, round, live, queued, updated_at)"),
            ("events", "events (at, kind, subject, data)"),
            ("votes", "review_votes (review_id, stage, axis, vote, reasons, at)"),
        ):
            rows = lines[name] + (controls if name == "items" else [])
            if name == "votes":
                db.conn.executemany(
                    "INSERT INTO reviews (review_id, kind, scope, subject, version, round, slot, reviewer, state, stages, assigned_at, "
                    "moved_at, decided_at) VALUES (?, ?, ?, ?, 1, 1, ?, ?, 'judged', 2, ?, ?, ?)",
                    lines["reviews"],
                )
            db.conn.executemany(f"INSERT INTO {into} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.conn.executemany(
            "INSERT INTO reviewed (kind, subject, scope, state, version, round, live, queued, updated_at) "
            "VALUES (?, ?, ?, 'in_verification', 1, 1, 0, ?, ?)",
            [(CONTROL, subject, WHICH, n, AT) for n, (subject, *_) in enumerate(controls)],
        )


def measure(store: Store, repeats: int, p95: Callable[[Sequence[float]], float]) -> dict[str, float]:
    """Milliseconds: ``verify claim``, ``verify vote`` (either stage), ``verify list`` (the slowest of the lead's lists)."""
    claims: list[float] = []
    votes: list[float] = []
    lists: dict[str, list[float]] = {"progress": [], "rejected": [], "retained": [], "contested": []}
    passed = {axis: Vote("pass") for axis in AXES}
    pages = max(1, listing.count(store, WHICH, "rejected") // listing.PAGE)
    draw = random.Random(3)
    for n in range(-1, repeats):
        who = f"bench_new{n}"
        started = time.perf_counter()
        review = queue.next_item(store, WHICH, who)
        claims.append(_since(started))
        started = time.perf_counter()
        queue.look(store, review.review_id, who, "no", CANNOT_TELL, 50)
        votes.append(_since(started))
        started = time.perf_counter()
        queue.judge(store, review.review_id, who, passed)
        votes.append(_since(started))
        started = time.perf_counter()
        progress.progress(store, WHICH)
        lists["progress"].append(_since(started))
        for state in ("rejected", "retained"):
            started = time.perf_counter()
            listing.in_state(store, WHICH, state, page=draw.randint(1, pages))
            lists[state].append(_since(started))
        started = time.perf_counter()
        found = [one.subject for one in progress.contested(store, WHICH)]
        listing.of_subjects(store, WHICH, found[: listing.PAGE])
        lists["contested"].append(_since(started))
    # the first round does not count
    figures = {f"verify {name}": p95(took[1:]) for name, took in lists.items()}
    slowest = max(figures.values())
    return {"verify claim": p95(claims[1:]), "verify vote": p95(votes[2:]), "verify list": slowest} | figures


def _since(started: float) -> float:
    return 1000 * (time.perf_counter() - started)
