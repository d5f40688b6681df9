"""One dry run: a copy of a study in a home of its own, a crowd that comes to it, and what is judged of that."""

from __future__ import annotations

import heapq
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from data.frames import FrameStore
from data.home import Home
from data.store import Store
from study import rendering
from study.dryrun import checks, people, seats
from study.dryrun.checks import Finding, Judged, Refusals
from study.dryrun.clock import Clock
from study.dryrun.minds import Minds
from study.dryrun.people import Meeting, World
from study.dryrun.recovered import Recovered, recovered
from study.dryrun.sketch import Sketches
from study.episode import EpisodeEngine
from study.place import Place
from study.runtime import running
from study.simulators import Pool
from study.studies import Study, create_study, get_study, lay_out, publish

log = logging.getLogger("vantage.dryrun")

MODE = "bot"
"""The kind of run of simulated people."""
GAP_S = 240.0
"""Mean time between two arrivals, seconds: a handful are there at once."""
THERE_S = 150.0
"""Who has asked within so long still stands in the line."""
Tell = Callable[[str], None]


class Report(msgspec.Struct, frozen=True):
    """What came of a dry run."""

    ok: bool
    study: dict[str, Any]
    people: dict[str, int]
    """Where they ended → how many."""
    places: dict[str, int]
    checks: tuple[Finding, ...]
    hindsight: dict[str, int]
    """For information: whole sessions that were completed, and the most that all places could have made had everything been known."""
    recovered: tuple[Recovered, ...]
    """What was put into the people, beside what the measures find."""
    left: list[dict[str, Any]]
    """Places that nobody completed, with the reason."""
    errors: tuple[str, ...]
    """What stopped somebody's way."""
    hours: float
    """Of the study, by its own clock."""
    seconds: float
    """That the dry run took."""


@contextmanager
def home_of(keep: Path | None) -> Iterator[Home]:
    """Where a dry run lives: a folder that goes with it, or one to keep."""
    if keep is not None:
        yield Home.from_env(keep / "vantage.db")
        return
    with tempfile.TemporaryDirectory(prefix="vantage-dry-run-") as folder:
        yield Home.from_env(Path(folder) / "vantage.db")


def copy(source: Store, study: Study, store: Store) -> Study:
    """A study with its tasks in another database, published, with places for simulated people."""
    with store.atomic():
        for content_hash in dict.fromkeys((*study.tasks, *filter(None, [study.practice_task]))):
            store.put_task(source.get_task(content_hash))
        fields = study.model_dump(mode="json", exclude={"study_id", "name", "state", "version"})
        # there is one simulator for all of it, whatever is named
        fields["protocol"] |= {"backends": ()}
        made = create_study(store, study.name, **fields)
        published = publish(store, made.study_id, actor="dry run")
        lay_out(store, published, MODE)
    return get_study(store, published.study_id)


def run(source: Store, study: Study, *, count: int, dropout: float, seed: int, render: bool, keep: Path | None, tell: Tell) -> Report:
    """Let simulated people come to a copy of a study, and judge what came of it.

    Args:
        source: the database with the study.
        study: the study.
        count: how many people come.
        dropout: probability that somebody leaves before the end.
        seed: decides who they are and what they do.
        render: with the pictures of the real simulator instead of sketches.
        keep: a folder for the home of the dry run; None: it goes with it.
        tell: is told how far it has come.
    """
    began, clock = time.monotonic(), Clock()
    pool: Pool
    with ExitStack() as held:
        home = held.enter_context(home_of(keep))
        if render:
            runtime = held.enter_context(running(home, wait_s=300.0))
            store, engine, frames, pool = runtime.store, runtime.engine, runtime.frames, runtime.pool
        else:
            store = Store.open(home)
            held.callback(store.close)
            frames, pool = FrameStore(home.frames), Sketches()
            engine = EpisodeEngine(store, frames, pool, wait_s=0.0)
            held.callback(engine.close)
        with clock.ticking():
            mine = copy(source, study, store)
            errors = _freeze(store, frames, pool, mine, tell)
            plan = checks.plan(store, mine)
            refusals = Refusals(store, plan, MODE)
            met = [Meeting(person) for person in people.crowd(count, dropout, seed, plan.tasks, GAP_S)]
            minds = Minds.drawn([way.name for way in mine.ways], mine.tasks, count, seed)
            world = World(store, engine, mine, MODE, minds, lambda one, here: _refused(refusals, met, one, here, clock))
            stopped = _let_live(world, met, seed, clock, tell)
            errors += stopped
            judged = Judged(store, plan, MODE)
            findings = (*(check(judged) for check in checks.CHECKS), refusals.finding())
            tell("measuring what was put in")
            found = recovered(store, mine.study_id, MODE, minds, met, dropout)
            return _report(judged, met, findings, errors, found, clock, time.monotonic() - began)


def _freeze(store: Store, frames: FrameStore, pool: Pool, study: Study, tell: Tell) -> list[str]:
    """Render the sets of pictures that the study's paradigms show; returns what could not be rendered."""
    wanted = [(task_hash, one.frozen) for one in rendering.pictures(store, study) for task_hash in one.missing]
    if wanted:
        tell(f"{len(wanted)} sets of pictures are rendered first")
    refused = rendering.render(store, frames, pool, wanted, actor="dry run")
    return [f"pictures {one.frozen} of {one.task_hash[:12]}: {one.why}" for one in refused]


def _refused(refusals: Refusals, met: list[Meeting], one: Meeting, here: Place, clock: Clock) -> None:
    """Judge that somebody is told that there is nothing for them; the line is what those who wait know of each other."""
    now_s = 3600 * clock.hours
    one.asked, one.asked_s = one.asked + 1, now_s
    ahead: list[str] = []
    if here.stage in people.LINE:
        one.since_s = now_s if one.since_s is None else one.since_s
        ahead = [
            other.participant_id
            for other in met
            if other.since_s is not None and other.since_s < one.since_s and now_s - other.asked_s <= THERE_S
        ]
    refusals.judge(one.participant_id, here.stage, ahead)


def _let_live(world: World, met: list[Meeting], seed: int, clock: Clock, tell: Tell) -> list[str]:
    """Everybody's life, each thing at its time; returns what stopped somebody."""
    lives = [people.live(world, one, seed) for one in met]
    due = [(one.person.comes_s, number) for number, one in enumerate(met)]
    heapq.heapify(due)
    errors, ended, said = [], 0, time.monotonic()
    while due:
        at, number = heapq.heappop(due)
        clock.move_to(at)
        try:
            heapq.heappush(due, (at + next(lives[number]), number))
        except StopIteration:
            ended += 1
        except Exception as error:
            # Whoever meets it is out, the others go on; the report says so and the run has failed.
            log.exception("a simulated person could not go on")
            met[number].end = "error"
            errors.append(f"person {number} ({met[number].participant_id}): {type(error).__name__}: {error}")
            ended += 1
        if time.monotonic() - said > 5:
            said = time.monotonic()
            tell(f"{ended} of {len(met)} people have come and gone, after {clock.hours:.1f} hours of the study")
    return errors


def _report(
    judged: Judged,
    met: list[Meeting],
    findings: tuple[Finding, ...],
    errors: list[str],
    found: tuple[Recovered, ...],
    clock: Clock,
    took: float,
) -> Report:
    plan, study = judged.plan, judged.plan.study
    per_task = study.per_task or 0
    completed = sum(judged.completed.values())
    live = sum(judged.counted.values()) - completed
    left = checks.places_left(judged)
    groups = {cell: plan.groups[cell[0]] for cell in plan.cells}
    most = seats.most_sessions(dict.fromkeys(plan.cells, per_task), groups, plan.tasks, len(met))
    ends = Counter(one.end for one in met)
    ends["turned_away"] = sum(one.asked > 0 and one.end in ("gave_up", "full") for one in met)
    ends["in_the_line"] = sum(one.waited for one in met)
    return Report(
        ok=all(finding.ok for finding in findings) and not errors,
        study={"name": study.name, "study_id": study.study_id, "tasks": len(study.tasks), "paradigms": [way.name for way in study.ways]}
        | {"per_task": study.per_task, "trials": plan.tasks, "categories": plan.categories, "sessions": study.sessions},
        people={"came": len(met), "completed": len(judged.sessions()), **dict(sorted(ends.items()))},
        places={"made": per_task * len(plan.cells), "completed": completed, "live": live, "given": len(judged.leases)},
        checks=findings,
        hindsight={"completed": len(judged.sessions()), "at_most": most},
        recovered=found,
        left=left,
        errors=tuple(errors[:20]),
        hours=round(clock.hours, 1),
        seconds=round(took, 1),
    )
