"""How large a study is before anybody has come: places, people, sessions, hours, pay; and which answers it will have, for its power.

Answers are planned as places are given (`study.seating`): people come one after the other, each session takes the least filled places in
counterbalanced order, and who leaves frees the rest. Places of a partner's paradigm are taken as open from the beginning.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

import msgspec
import numpy as np

from data.store import Store
from study import seating
from study.contents import contents
from study.errors import StudyError
from study.fits import Fit, fits
from study.measures.intervals import Whole
from study.paying import HOUR_MS
from study.seating import Levels, Offer, Rule
from study.seats import CATEGORIES
from study.studies import Study

SECONDS_PER_TASK = 120.0
"""Where no pilot says otherwise: the time of one task, its answer included. A guess to be replaced."""
MINUTES_AROUND = 12.0
"""Consent, worked examples and questionnaires of a first session, until a pilot says otherwise. A guess to be replaced."""
ENOUGH_PILOTED = 5
"""Answered tasks of a pilot in a paradigm from which its speed is taken."""


class NoPlan(StudyError):
    """A study of which no answers can be planned; the message says why."""

    code = "no_plan"


@dataclass(frozen=True)
class Size:
    """How large a study is."""

    places: Mapping[str, int]
    """Paradigm → places; without a number of places per task, what the planned people would take."""
    people: int
    """Who are to take part."""
    people_to_fill: int | None
    """How many it takes until every place is filled, if nobody leaves; None: it has no number of places."""
    tasks_each: int
    """Tasks that each of them does, over all sessions."""
    sessions: int
    """Sessions of all people together."""
    seconds: Mapping[str, float]
    """Paradigm → how long a task takes."""
    piloted: tuple[str, ...]
    """The paradigms whose time is the pilot's; that of the others is a guess."""
    hours_each: float
    """Of one person, over all sessions."""
    hours: float
    """Of all people."""

    @property
    def places_in_all(self) -> int:
        """Of all paradigms."""
        return sum(self.places.values())


class _Row(msgspec.Struct, frozen=True):
    paradigm: str
    seconds: float


def speeds(store: Store, study: Study) -> dict[str, float]:
    """Paradigm → seconds of a task, the median of its pilot; without those of which too little was piloted."""
    rows = store.rows(
        "SELECT paradigm, (julianday(finished_at) - julianday(started_at)) * 86400.0 AS seconds FROM episodes "
        "WHERE study_id = ? AND mode = 'pilot' AND state = 'completed' AND started_at IS NOT NULL AND trial_index > 0",
        _Row,
        [study.study_id],
    )
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row.paradigm, []).append(row.seconds)
    return {name: median(times) for name, times in found.items() if len(times) >= ENOUGH_PILOTED}


def size(
    store: Store, study: Study, *, people: int | None = None, seconds: float = SECONDS_PER_TASK, around: float = MINUTES_AROUND
) -> Size:
    """How large the study is.

    Args:
        store: the database.
        study: the study.
        people: who are to take part; None: as it plans, else as many as fill it.
        seconds: of a task, where no pilot says it.
        around: minutes of a first session beside its tasks.

    Raises:
        NoPlan: it has no tasks, or neither places nor people are planned.
    """
    found = fits(store, study.tasks, study.ways, study.language)
    each = min(study.trials * study.sessions, _groups(store, study, found))
    if not each:
        raise NoPlan("This study has no tasks that its paradigms can show: choose tasks first.")
    places = {one.paradigm: len(one.fit) * study.per_task for one in found} if study.per_task else {}
    to_fill = max(math.ceil(sum(places.values()) / each), _most_at_one(study, found)) if places else None
    people = people or study.planned_people or to_fill
    if people is None:
        raise NoPlan("Neither places nor people are planned: say how many people there are per task and paradigm, or how many take part.")
    own = speeds(store, study)
    times = {way.name: own.get(way.name, seconds) for way in study.ways}
    if not places:
        share = _shares(found)
        places = {name: round(people * each * part) for name, part in share.items()}
    total = sum(places.values())
    mean = sum(times[name] * number for name, number in places.items()) / total
    hours_each = (each * mean + around * 60) / 3600
    return Size(
        places=places,
        people=people,
        people_to_fill=to_fill,
        tasks_each=each,
        sessions=people * math.ceil(each / study.trials),
        seconds=times,
        piloted=tuple(sorted(own.keys() & times.keys())),
        hours_each=hours_each,
        hours=hours_each * people,
    )


@dataclass(frozen=True)
class Costs:
    """What a study of a size pays to people who complete it."""

    currency: str
    each: float
    all: float
    an_hour: float


def pay_of(study: Study, of: Size) -> Costs | None:
    """What a study of this size pays; None: it pays nothing."""
    pay = study.pay
    if not pay.currency:
        return None
    sessions = math.ceil(of.tasks_each / study.trials)
    each = sessions * pay.for_session(round(of.hours_each / sessions * HOUR_MS)) / 100
    return Costs(pay.currency, each, each * of.people, each / of.hours_each)


def _groups(store: Store, study: Study, found: tuple[Fit, ...]) -> int:
    """How many contents one person can meet."""
    group = contents(store, study).group
    return len({group[task] for one in found for task in one.fit})


def _most_at_one(study: Study, found: tuple[Fit, ...]) -> int:
    """People that one task needs: nobody meets it in two paradigms."""
    ways: dict[str, int] = {}
    for one in found:
        for task in one.fit:
            ways[task] = ways.get(task, 0) + 1
    return max(ways.values(), default=0) * (study.per_task or 0)


def _shares(found: tuple[Fit, ...]) -> dict[str, float]:
    """Each paradigm's share of the answers where places are made as people come."""
    able = [one for one in found if one.fit]
    return {one.paradigm: 1 / len(able) for one in able}


@dataclass(frozen=True)
class Answers:
    """The answers that a study will have."""

    person: Whole
    """Number of whoever gives it, from 0."""
    task: Whole
    """Number of its task in the study's list."""
    way: Whole
    """Number of its paradigm in the study's list."""
    left: int
    """Places that stay free."""
    finished: int
    """People who complete all their sessions."""


def planned(
    store: Store,
    study: Study,
    people: int,
    *,
    dropout: float = 0.0,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Answers:
    """Which answers there will be, as places are given.

    Args:
        store: the database.
        study: the study.
        people: how many come.
        dropout: share of people who leave at some moment of their way.
        seed: decides draws between equals, and who leaves when.
        progress: told how many people are done of how many.

    Raises:
        NoPlan: the study has no places.
    """
    every = contents(store, study)
    number = {content_hash: n for n, content_hash in enumerate(study.tasks)}
    ways = [way.name for way in study.ways]
    barred = every.barred(store, [study.practice_task]) if study.practice_task else set()
    found = fits(store, study.tasks, study.ways, study.language)
    offered = [(one.paradigm, task) for one in found for task in one.fit if task not in barred]
    if not offered:
        raise NoPlan("This study has no tasks that its paradigms can show: choose tasks first.")
    names = sorted({every.category[task] for _, task in offered})
    groups = len({every.group[task] for _, task in offered})
    wanted = min(study.trials, groups)
    least = min(study.min_categories or CATEGORIES, wanted, len(names))
    filled = dict.fromkeys(offered, 0)
    draw = random.Random(seed)
    rows: list[tuple[int, int, int]] = []
    finished = 0
    for person in range(people):
        met: set[int] = set()
        stays = draw.random() >= dropout
        leaves = study.trials * study.sessions if stays else draw.randrange(study.trials * study.sessions)
        done = 0
        for session in range(study.sessions):
            offers = [
                Offer(n, 0, draw.getrandbits(32), way, every.category[task], every.group[task], task)
                for (way, task), n in filled.items()
                if (study.per_task is None or n < study.per_task) and every.group[task] not in met
            ]
            turn = seating.turns(ways, names, person + session)
            session_plan = seating.plan(
                offers, _levels(filled, every.category), turn, Rule(wanted, least, early=study.session_minutes is not None)
            )
            for offer in (session_plan or ())[: leaves - done]:
                filled[offer.way, offer.task_hash] += 1
                met.add(offer.group)
                rows.append((person, number[offer.task_hash], ways.index(offer.way)))
                done += 1
            if session_plan is None or done >= leaves:
                break
        finished += stays and done == study.trials * study.sessions
        progress(person + 1, people)
    left = sum(study.per_task - n for n in filled.values()) if study.per_task else 0
    columns = np.asarray(rows, dtype=np.int64).reshape(-1, 3)
    return Answers(columns[:, 0], columns[:, 1], columns[:, 2], left, finished)


def _levels(filled: Mapping[tuple[str, str], int], category: Mapping[str, str]) -> Levels:
    by_way: dict[str, tuple[int, int]] = {}
    by_cell: dict[tuple[str, str], tuple[int, int]] = {}
    for (way, task), n in filled.items():
        low, high = by_way.get(way, (n, n))
        by_way[way] = (min(low, n), max(high, n))
        low, high = by_cell.get((way, category[task]), (n, n))
        by_cell[way, category[task]] = (min(low, n), max(high, n))
    return Levels(by_way, by_cell)


def pair(answers: Answers, first: int, second: int) -> tuple[Whole, Whole, Whole]:
    """Person, task and arm (0, 1) of the answers in two paradigms, of the tasks that are answered in both."""
    chosen = np.isin(answers.way, (first, second))
    both = np.intersect1d(answers.task[answers.way == first], answers.task[answers.way == second])
    chosen &= np.isin(answers.task, both)
    return answers.person[chosen], answers.task[chosen], (answers.way[chosen] == second).astype(np.int64)
