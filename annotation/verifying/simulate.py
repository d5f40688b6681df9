"""A whole verification with made-up people, through the real queue and database: does every task get its votes, and from whom?

All annotators ask for their next task at the same moment, turn after turn, each on a connection of its own. Some walk away from what they
were given; it is given back once its time is over, and a vote that comes after that is refused. Each annotator is right with an accuracy
of their own on each axis. Whether the accuracies can be told from the votes is tried on many draws of votes over the assignment that came
about.
"""

from __future__ import annotations

import random
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from annotation.reviewing import audit, claims
from annotation.reviewing.errors import NothingToReview, ReviewError
from annotation.reviewing.kinds.tasks import AXES, CANNOT_TELL, EVERY_KIND, KIND
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import items, queue
from annotation.verifying.agreement import accuracies, people
from annotation.verifying.cast import Cast, casts, last_whole_rounds, majority
from annotation.verifying.errors import Expired
from annotation.verifying.verifications import Protocol, Verification
from data.generators.practice import practice
from data.home import Home
from data.store import Store, now, written
from data.subcategories import SUBCATEGORIES
from data.task import Task

LEAST, MOST = 0.60, 0.95
"""Accuracies of the simulated annotators, evenly spread."""
PASSING = 0.8
"""Share of tasks that truly pass an axis."""
WALKS_AWAY = 0.04
"""Share of what is given out that is left lying until its time is over."""
CONTROLS = 0.1
"""Share of controls."""
HOLD_MINUTES = 60
BIAS, ERROR = 0.02, 0.07
"""Aims over all draws: of the mean error of an accuracy, and of the mean absolute error (about what knowing the truth of each task would
give, 0.04, and what agreement with the majority would, 0.065)."""
DRAWS = 20
FEWEST = 60
"""Verdicts a person from which the aims are meant."""
REASONS = {"correctness": "not_instantiated", "answerability": "several_answers", "nontriviality": "category_prior"}


@dataclass
class _Met:
    """What happened."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    expired: int = 0
    late_refused: int = 0
    late_taken: int = 0
    turns: int = 0
    at_once: int = 0
    """Turns in which more than one person was given something."""
    errors: list[BaseException] = field(default_factory=list)


def simulate(
    *, annotators: int = 12, tasks: int = 300, seed: int = 1, draws: int = DRAWS, store: Store | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:  # fmt: skip
    """Verify `tasks` tasks with `annotators` people, then look at everything.

    Args:
        annotators: how many people judge, three or more.
        tasks: how many tasks.
        seed: decides truth and votes; who gets what depends on the threads.
        draws: sets of votes over which the accuracies are estimated.
        store: where; None: a new database that is deleted at the end.
        tell: progress in words.

    Returns:
        Figures, ``problems`` (sentences; empty: all is as it must be) and ``ok``.

    Raises:
        ReviewError: fewer people than a task has places.
    """
    if annotators < Protocol().slots:
        raise ReviewError(f"A task is judged by {Protocol().slots} people, there are {annotators}.")
    if store is not None:
        return _run(store, annotators, tasks, seed, draws, tell)
    with tempfile.TemporaryDirectory(prefix="vantage-verify-") as folder:
        own = Store.open(Home.from_env(Path(folder) / "vantage.db"))
        try:
            return _run(own, annotators, tasks, seed, draws, tell)
        finally:
            own.close()


def _run(store: Store, annotators: int, count: int, seed: int, draws: int, tell: Callable[[str], None]) -> dict[str, Any]:
    names = [f"annotator_{n:02d}" for n in range(1, annotators + 1)]
    accuracy = dict(zip(names, np.linspace(LEAST, MOST, annotators).tolist(), strict=True))
    tell(f"{count} tasks and {max(4, round(count * CONTROLS))} controls …")
    verification, truth = _prepare(store, names, count, seed)
    met = _Met()
    _judge(store, verification, accuracy, truth, seed, met, tell)
    tell("Looking at what came of it …")
    given = casts(store, verification.verification_id)
    known = casts(store, verification.verification_id, "control")
    problems = _problems(store, verification, count, given, met)
    rounds: dict[str, list[Cast]] = defaultdict(list)
    for cast in last_whole_rounds(given, verification.protocol.slots):
        rounds[cast.subject].append(cast)
    wrong = sum(majority(votes) != truth[subject] for subject, votes in rounds.items())
    stored = {
        person.staff_id: {"true": round(accuracy[person.staff_id], 3), "verdicts": person.verdicts, "controls": person.controls}
        | {axis: _rounded(measure.value) for axis, measure in person.estimated.items()}
        for person in people(store, verification.verification_id)
    }
    recovery = _recovery(given, known, accuracy, truth, seed, draws)
    enough = len(given) >= FEWEST * annotators
    problems += _missed(recovery, f"{draws} draws") if enough else []
    return {
        "annotators": annotators,
        "tasks": count,
        "controls": sum(1 for _ in items.items_of(store, verification.verification_id, "control")),
        "seed": seed,
        "verdicts_on_tasks": len(given),
        "verdicts_on_controls": len(known),
        "tasks_with_three_votes": sum(len(votes) == verification.protocol.slots for votes in rounds.values()),
        "turns": met.turns,
        "turns_with_simultaneous_claims": met.at_once,
        "leases_expired": met.expired,
        "late_votes_refused": met.late_refused,
        "tasks_decided_otherwise_than_true": wrong,
        "people": stored,
        "recovery": recovery,
        "recovery_of": f"{draws} draws of votes over this assignment" + ("" if enough else f"; too few for the aims: under {FEWEST} each"),
        "problems": problems,
        "ok": not problems,
    }


def simulate_many(
    runs: int, *, annotators: int = 12, tasks: int = 300, seed: int = 1, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:  # fmt: skip
    """`simulate` for several seeds; the accuracies are estimated from the votes that stand in each database.

    Args:
        runs: how many.
        annotators: as there.
        tasks: as there.
        seed: of the first run; the others follow.
        tell: progress in words.
    """
    found = []
    for n in range(runs):
        tell(f"Run {n + 1} of {runs}, seed {seed + n} …")
        found.append(simulate(annotators=annotators, tasks=tasks, seed=seed + n))
    errors = {
        axis: [one[axis] - one["true"] for run in found for one in run["people"].values() if one.get(axis) is not None] for axis in AXES
    }
    recovery = {axis: _spread(of) for axis, of in errors.items() if of}
    enough = sum(run["verdicts_on_tasks"] for run in found) >= FEWEST * annotators * runs
    problems = [f"Seed {run['seed']}: {text}" for run in found for text in run["problems"]]
    problems += _missed(recovery, f"{runs} runs") if enough else []
    return {"runs": found, "recovery": recovery, "recovery_of": f"the votes of {runs} runs", "problems": problems, "ok": not problems}


def _missed(recovery: Mapping[str, Mapping[str, float]], over: str) -> list[str]:
    """Which aims are missed, as sentences."""
    return [
        f"Accuracies on {axis} are not recovered: bias {found['bias']:+.3f} (at most {BIAS}), mean absolute error "
        f"{found['mean_absolute_error']:.3f} (at most {ERROR}) over {over}."
        for axis, found in recovery.items()
        if abs(found["bias"]) > BIAS or found["mean_absolute_error"] > ERROR
    ]


def _spread(errors: Sequence[float]) -> dict[str, float]:
    return {"bias": round(float(np.mean(errors)), 4), "mean_absolute_error": round(float(np.mean(np.abs(errors))), 4)}


def _prepare(store: Store, names: Sequence[str], count: int, seed: int) -> tuple[Verification, dict[str, dict[str, bool]]]:
    """The people, tasks and controls; returns the verification and subject → axis → whether it truly passes."""
    rng = random.Random(seed)
    kinds = _kinds()
    with store.atomic():
        for name in names:
            store.insert("staff", {"staff_id": name, "name": name, "created_at": now()})
        numbers = range(count + max(4, round(count * CONTROLS)))
        made = [kinds[n % len(kinds)].model_copy(update={"task_id": f"simulated-{n:05d}"}) for n in numbers]
        for task in made:
            store.put_task(task)
        protocol = Protocol(control_share=CONTROLS, training=0, hold_minutes=HOLD_MINUTES)
        hashes = [task.content_hash for task in made]
        verification = items.start(store, f"Simulation {seed}", hashes[:count], protocol=protocol, evidence=False, actor="simulation")
        where = verification.verification_id
        for n, content_hash in enumerate(hashes[count:]):
            # half of the controls are sound, the others fail on one axis each
            fails = AXES[n // 2 % len(AXES)] if n % 2 else ""
            expected = {axis: "fail" if axis == fails else "pass" for axis in AXES}
            items.add_known(store, where, "control", content_hash, expected, "", actor="simulation")
        items.submit(store, where, anyway=True, actor="simulation")
    truth = {item.subject: {axis: rng.random() < PASSING for axis in AXES} for item in items.items_of(store, where)}
    for item in items.items_of(store, where, "control"):
        expected = queue.expected(store, item.subject).expected
        truth[item.subject] = {axis: expected[axis] == "pass" for axis in AXES}
    return verification, truth


def _kinds() -> list[Task]:
    """A small task of every subcategory that its question fits."""
    found = []
    for one in SUBCATEGORIES:
        try:
            found.append(Task.model_validate({**practice().model_dump(), "category": one.category, "subcategory": one.name}))
        except ValueError:
            continue
    return found


def _judge(
    store: Store, verification: Verification, accuracy: Mapping[str, float], truth: Mapping[str, Mapping[str, bool]], seed: int,
    met: _Met, tell: Callable[[str], None],
) -> None:  # fmt: skip
    """All people at once, turn after turn, until a turn gives nobody anything."""
    got: dict[str, Review | None] = {}
    going = [True]

    def between() -> None:
        given = sum(review is not None for review in got.values())
        met.turns += 1
        met.at_once += given > 1
        going[0] = bool(given) and not met.errors
        if met.turns % 25 == 0:
            tell(f"  {met.turns} turns …")

    together = threading.Barrier(len(accuracy), action=between)

    def work(who: str) -> None:
        rng = random.Random(f"{seed} {who}")
        try:
            # what is judged here is of no use to anybody: nothing of it has to survive a power cut
            store.db.execute("PRAGMA synchronous=OFF")
            while True:
                try:
                    got[who] = queue.next_item(store, verification.verification_id, who)
                except NothingToReview:
                    got[who] = None
                together.wait()
                if not going[0]:
                    return
                review = got[who]
                if review is not None and rng.random() < WALKS_AWAY:
                    _walk_away(store, verification.verification_id, review, met, looks=rng.random() < 0.5)
                elif review is not None:
                    _vote(store, review, who, accuracy[who], truth[review.subject], seed)
                together_again.wait()
        except BaseException as error:
            met.errors.append(error)
            together.abort()
            together_again.abort()
        finally:
            store.close()

    together_again = threading.Barrier(len(accuracy))
    threads = [threading.Thread(target=work, args=[who]) for who in accuracy]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if met.errors:
        raise next((error for error in met.errors if not isinstance(error, threading.BrokenBarrierError)), met.errors[0])


def _walk_away(store: Store, scope: str, review: Review, met: _Met, *, looks: bool) -> None:
    """Leave a task lying until its time is over, at once or after the first view, then try to vote all the same."""
    if looks:
        queue.look(store, review.review_id, review.reviewer, "no", CANNOT_TELL, None)
    with store.atomic() as db:
        long_ago = written(datetime.fromisoformat(now()) - timedelta(minutes=2 * HOLD_MINUTES))
        db.execute("UPDATE reviews SET moved_at = ? WHERE review_id = ?", [long_ago, review.review_id])
    for kind in EVERY_KIND:
        claims.give_back(store, kind, scope)
    try:
        if looks:
            queue.judge(store, review.review_id, review.reviewer, {axis: Vote("pass") for axis in AXES})
        else:
            queue.look(store, review.review_id, review.reviewer, "no", CANNOT_TELL, None)
    except Expired:
        refused = True
    else:
        refused = False
    with met.lock:
        met.expired += 1
        met.late_refused += refused
        met.late_taken += not refused


def _vote(store: Store, review: Review, who: str, accuracy: float, truth: Mapping[str, bool], seed: int) -> None:
    said = _draw(f"{seed} {who} {review.subject}", accuracy, truth)
    rng = random.Random(f"{seed} {who} {review.subject} first view")
    task = practice()
    right = str(task.gold.accepted[0])
    wrong = next(option for option in task.question.options if option != right)
    trivial = not said["nontriviality"]
    # who finds it trivial has read the right answer in the first view, or names a prior afterwards
    by_first_view = trivial and rng.random() < 0.5
    told, answer = ("yes", right) if by_first_view else ("yes", wrong) if rng.random() < 0.2 else ("no", CANNOT_TELL)
    queue.look(store, review.review_id, who, told, answer, rng.randint(0, 100))
    votes = {axis: Vote("pass") if passes else Vote("fail", reasons=(REASONS[axis],)) for axis, passes in said.items()}
    if by_first_view:
        votes["nontriviality"] = Vote("pass")
    queue.judge(store, review.review_id, who, votes)


def _draw(of: str, accuracy: float, truth: Mapping[str, bool]) -> dict[str, bool]:
    """What somebody says on each axis: the truth, as often as they are right."""
    rng = random.Random(of)
    return {axis: passes == (rng.random() < accuracy) for axis, passes in truth.items()}


def _problems(store: Store, verification: Verification, count: int, given: Sequence[Cast], met: _Met) -> list[str]:
    scope, slots = verification.verification_id, verification.protocol.slots
    found = [f"{subject}: {text}" for kind in EVERY_KIND for subject, texts in audit.audit(store, kind, scope).items() for text in texts]
    by_task: dict[str, list[str]] = defaultdict(list)
    for cast in given:
        by_task[cast.subject].append(cast.reviewer)
    for item in items.items_of(store, scope):
        people_ = by_task[item.subject]
        if len(people_) != slots or len(set(people_)) != slots:
            found.append(f"{item.subject} was judged by {', '.join(people_) or 'nobody'}: {slots} different people were wanted.")
    undecided = store.query(
        "SELECT count(*) AS n FROM reviewed WHERE kind = ? AND scope = ? AND state NOT IN ('retained', 'rejected')", [KIND.name, scope]
    )[0]["n"]  # fmt: skip
    if undecided:
        found.append(f"{undecided} of {count} tasks are not decided.")
    found += _slots_by_events(store, scope, slots)
    if met.late_taken:
        found.append(f"{met.late_taken} votes were taken whose time was over.")
    if met.expired and not met.late_refused:
        found.append("No late vote was refused.")
    return found


def _slots_by_events(store: Store, scope: str, slots: int) -> list[str]:
    """Whether ever more places of a task were taken at once than it has, or one by two people, by the log of events alone."""
    told = (f"{KIND.review_told}_assigned", f"{KIND.review_told}_void")
    rows = store.query(
        "SELECT e.kind, e.subject, e.actor FROM events e WHERE e.kind IN (?, ?) AND e.subject IN "
        "(SELECT subject FROM verification_items WHERE verification_id = ?) ORDER BY e.seq",
        [*told, scope],
    )  # fmt: skip
    held: dict[str, list[str]] = defaultdict(list)
    found = []
    for row in rows:
        if row["kind"] == told[1]:
            held[row["subject"]].remove(row["actor"])
            continue
        held[row["subject"]].append(row["actor"])
        now_ = held[row["subject"]]
        if len(now_) > slots or len(set(now_)) < len(now_):
            found.append(f"{row['subject']} was with {', '.join(now_)} at once.")
    return found


def _recovery(
    given: Sequence[Cast], known: Sequence[Cast], accuracy: Mapping[str, float], truth: Mapping[str, Mapping[str, bool]], seed: int,
    draws: int,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Axis → mean error and mean absolute error of the estimated accuracies, over sets of votes drawn on the assignment that came about."""
    errors: dict[str, list[float]] = defaultdict(list)
    for draw in range(draws):
        drawn = [
            [
                msgspec.structs.replace(cast, passes=_draw(f"{seed + draw} {cast.reviewer} {cast.subject}", accuracy[cast.reviewer], true))
                for cast in part
                for true in (_redrawn(truth[cast.subject], f"{seed + draw} {cast.subject}") if part is given else truth[cast.subject],)
            ]
            for part in (given, known)
        ]
        for axis, measures in accuracies(drawn[0], drawn[1]).items():
            errors[axis] += [measure.value - accuracy[who] for who, measure in measures.items() if measure.value is not None]
    return {axis: _spread(found) for axis, found in errors.items() if found}


def _redrawn(truth: Mapping[str, bool], of: str) -> dict[str, bool]:
    """Another truth of a task, for a further draw."""
    rng = random.Random(of)
    return {axis: rng.random() < PASSING for axis in truth}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
