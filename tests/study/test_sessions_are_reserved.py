"""Whoever is let in can complete a session; whoever is not could have had none; places are balanced; judged by a maximum flow."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.home import Home
from data.store import Store
from data.task import Task
from study import access, assignment, line, outcomes, participants, places, seats, slots
from study.dryrun.seats import Item, seatable
from study.episode import EpisodeEngine
from study.errors import NoTaskLeft
from study.returning import Return, Returns
from study.studies import create_study, publish, revise
from tests.present import present

CATEGORIES = (
    "Metric Comparison",
    "Spatial Relations",
    "Perceptual Grounding",
    "Physical Structure",
    "Physical Dynamics",
    "Enumerative Perception",
    "Temporal Understanding",
    "Action Sequencing",
)
WAYS = ("active", "single_view", "question_only")


class World:
    """A study that random people come to, by a clock of its own."""

    def __init__(
        self,
        store: Store,
        make_task: Callable[..., Task],
        monkeypatch: pytest.MonkeyPatch,
        draw: random.Random,
        *,
        even: bool = False,
        **fields: Any,
    ) -> None:
        self.store, self.draw = store, draw
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        for module in (seats, line, slots, participants):
            monkeypatch.setattr(module, "now", lambda: self.now.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z")
        tasks = []
        for n in range(fields.pop("tasks")):
            twin = {"twin": f"t-{n - 1}"} if n % 5 == 4 else {}
            drawn = n if even else draw.randrange(len(CATEGORIES))
            tasks.append(make_task(f"t-{n}", category=CATEGORIES[(drawn if n % 5 != 4 else n - 1) % 8], **twin))
        with store.atomic():
            for task in tasks:
                store.put_task(task)
        self.tasks = {task.content_hash: task for task in tasks}
        self.study = create_study(store, "S", state="live", tasks=tuple(self.tasks), **fields)
        self.group = {h: (task.twin or task.task_id) for h, task in self.tasks.items()}
        self.inside: list[str] = []
        self.waiting: list[str] = []
        self.turned_away = 0

    def person(self) -> str:
        person = participants.add_participant(self.store, self.study.study_id)
        for event in ("welcome", "consent"):
            participants.advance(self.store, person, event)
        return person

    def could_be_seated(self, person: str) -> bool:
        """From the slots alone."""
        own = self.store.query("SELECT task_hash, state, trial_index FROM slots WHERE participant_id = ? ORDER BY trial_index", [person])
        met = {self.group[row["task_hash"]] for row in own}
        rows = self.store.query(
            "SELECT DISTINCT task_hash, paradigm FROM slots WHERE mode = 'live' AND state = 'free' AND practice = 0 "
            "AND (claimed_by IS NULL OR claimed_by = ?)",
            [person],
        )
        items = {
            (row["task_hash"], row["paradigm"]): Item(self.tasks[row["task_hash"]].category, self.group[row["task_hash"]])
            for row in rows
            if self.group[row["task_hash"]] not in met
        }
        size, least = self.size()
        done = [self.tasks[row["task_hash"]].category for row in own if row["state"] == "completed"]
        return seatable(items, size - len(done), least, frozenset(done))

    def size(self) -> tuple[int, int]:
        size = min(self.study.trials, len(set(self.group.values())))
        return size, min(6, size, len({task.category for task in self.tasks.values()}))

    def admit(self, person: str) -> None:
        """Let somebody in, or judge why not."""
        self.free_what_was_left()
        study = participants.study_of(self.store, participants.get_participant(self.store, person))
        before = self.could_be_seated(person)
        answer = line.admit(self.store, study, participants.get_participant(self.store, person))
        if person in self.waiting:
            self.waiting.remove(person)
        if answer is None:
            self.inside.append(person)
            return
        if isinstance(answer, line.Full):
            assert not before
            self.turned_away += 1
        else:
            ahead = self.store.query("SELECT 1 FROM waiting WHERE participant_id <> ?", [person])
            assert not before or ahead
            self.waiting.append(person)

    def free_what_was_left(self) -> None:
        for place in assignment.overdue(self.store, self.study, "live"):
            slots.move(self.store, place.slot_id, "time_out")
        for person in seats.stale(self.store, self.study, "live"):
            seats.give_up(self.store, person, "hold limit")

    def step(self, person: str) -> None:
        """One task of somebody: done, given back, left for good, or for a while."""
        done = sum(slot.state == "completed" for slot in seats.given(self.store, person))
        gave_back = any(slot.state != "completed" for slot in seats.given(self.store, person))
        try:
            slot = assignment.assign(self.store, person)
        except NoTaskLeft:
            assert done == self.size()[0] or gave_back, "somebody who was let in and gave nothing back completes"
            self.inside.remove(person)
            participants.advance(self.store, person, "practise")
            participants.advance(self.store, person, "finish")
            return
        self.no_place_is_held_twice()
        chance = self.draw.random()
        if chance < 0.04:
            self.inside.remove(person)  # gone without a word
        elif chance < 0.08:
            slots.move(self.store, slot.slot_id, "return")
            participants.advance(self.store, person, "stop")
            self.inside.remove(person)
        else:
            slots.move(self.store, slot.slot_id, "return" if chance < 0.1 else "answer")

    def no_place_is_held_twice(self) -> None:
        rows = self.store.query(
            "SELECT task_hash, paradigm, count(*) AS n FROM slots WHERE practice = 0 AND "
            "(state IN ('held', 'completed') OR (state = 'free' AND claimed_by IS NOT NULL)) GROUP BY 1, 2"
        )
        assert all(row["n"] <= self.study.per_task for row in rows)
        assert not self.store.query("SELECT 1 FROM slots WHERE claimed_by IS NOT NULL AND state <> 'free'")
        counted = "SELECT study_id, mode, paradigm, task_hash, {} FROM {} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        sums = (
            "sum(state = 'free' AND claimed_by IS NULL) AS free, sum(state = 'free' AND claimed_by IS NOT NULL) AS claimed, "
            "sum(state IN ('held', 'completed')) AS filled, sum(state = 'completed') AS completed"
        )
        kept = self.store.query(counted.format("free, claimed, filled, completed", "places"))
        assert kept == self.store.query(counted.format(sums, "slots WHERE practice = 0"))

    def everybody_comes(self, people: int) -> None:
        came = 0
        for _ in range(60 * people):
            self.now += timedelta(minutes=self.draw.expovariate(1))
            if came < people and self.draw.random() < 0.2:
                came += 1
                self.admit(self.person())
            if self.waiting and self.draw.random() < 0.3:
                self.admit(self.waiting[0])
            if self.inside:
                self.step(self.draw.choice(self.inside))
            elif came == people and not self.waiting:
                break
            elif came == people:
                self.now += timedelta(minutes=40)

    def completers_have_their_categories_and_no_repeat(self) -> int:
        own = defaultdict(list)
        for row in self.store.query("SELECT participant_id, task_hash, state FROM slots WHERE participant_id IS NOT NULL"):
            own[row["participant_id"]].append((row["task_hash"], row["state"]))
        size, least = self.size()
        completed = 0
        for given_ in own.values():
            groups = [self.group[task_hash] for task_hash, _ in given_]
            assert len(groups) == len(set(groups))
            done = [self.tasks[task_hash].category for task_hash, state in given_ if state == "completed"]
            if len(done) == size:
                completed += 1
                assert len(set(done)) >= least
        return completed


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), tasks=st.integers(4, 20), trials=st.integers(1, 8), per_task=st.integers(1, 3), ways=st.integers(1, 3))
def test_whatever_people_do(
    tmp_path_factory: pytest.TempPathFactory, make_task: Callable[..., Task], seed: int, tasks: int, trials: int, per_task: int, ways: int
) -> None:
    store = Store.open(Home.from_env(tmp_path_factory.mktemp("s") / "vantage.db"))
    with pytest.MonkeyPatch.context() as patch:
        fields: dict[str, Any] = {"tasks": tasks, "trials": trials, "per_task": per_task, "paradigms": WAYS[:ways], "seed": seed}
        world = World(store, make_task, patch, random.Random(seed), **fields)
        world.everybody_comes(12)
        world.completers_have_their_categories_and_no_repeat()
    store.close()


@pytest.mark.parametrize("seed", [6, 10])
def test_places_are_balanced_within_and_between_categories_whoever_leaves(
    store: Store, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    fields = {"tasks": 40, "trials": 8, "per_task": 4, "paradigms": WAYS[:2]}
    world = World(store, make_task, monkeypatch, random.Random(seed), even=True, **fields)
    world.everybody_comes(20)
    assert world.completers_have_their_categories_and_no_repeat() > 5
    # nobody comes any more who could fill what was left
    world.now += timedelta(hours=3)
    world.free_what_was_left()
    cells, whole = defaultdict(list), defaultdict(list)
    for row in store.query("SELECT paradigm, task_hash, filled FROM places"):
        cells[row["paradigm"], world.tasks[row["task_hash"]].category].append(row["filled"])
        whole[row["paradigm"]].append(row["filled"])
    assert all(max(counts) - min(counts) <= 1 for counts in cells.values()), cells
    assert all(max(counts) - min(counts) <= 2 for counts in whole.values()), whole


@pytest.fixture
def world(store: Store, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch) -> World:
    """Eight tasks of as many categories, one place each, sessions of four: two people at a time."""
    return World(store, make_task, monkeypatch, random.Random(0), tasks=8, trials=4, per_task=1, min_categories=1)


def test_a_session_is_reserved_whole_and_given_up_whole(store: Store, make_task: Callable[..., Task], world: World) -> None:
    first, second, third = (world.person() for _ in range(3))
    for person in (first, second):
        world.admit(person)
    assert len(world.inside) == 2
    slots.move(store, assignment.assign(store, first).slot_id, "answer")
    held = assignment.assign(store, first)
    world.admit(third)
    assert world.waiting == [third]
    world.now += timedelta(minutes=121)
    world.admit(third)
    assert third in world.inside and world.waiting == []
    assert store.one("SELECT state FROM slots WHERE slot_id = ?", [held.slot_id]) == {"state": "timed_out"}
    assert Counter(row["claimed_by"] for row in store.query("SELECT claimed_by FROM slots WHERE claimed_by IS NOT NULL")) == {third: 4}
    kept = store.query("SELECT state FROM slots WHERE participant_id = ? ORDER BY trial_index", [first])
    assert [row["state"] for row in kept] == ["completed", "timed_out"]


def test_the_line_is_served_in_its_order_and_who_has_gone_is_passed_over(store: Store, world: World) -> None:
    inside = [world.person() for _ in range(2)]
    waits = [world.person() for _ in range(3)]
    for person in (*inside, *waits):
        world.admit(person)
        world.now += timedelta(seconds=1)
    assert [present(line.of(store, person)).number for person in waits] == [1, 2, 3]
    since = present(line.of(store, waits[1])).since
    participants.advance(store, inside[0], "stop")
    world.admit(waits[1])  # the first is there, and has not asked yet
    assert waits[1] not in world.inside and present(line.of(store, waits[1])).since == since
    world.admit(waits[0])
    assert waits[0] in world.inside and present(line.of(store, waits[1])).number == 1
    participants.advance(store, inside[1], "stop")
    world.now += timedelta(minutes=3)  # the second has closed the page
    world.admit(waits[2])
    assert waits[2] in world.inside
    assert present(line.of(store, waits[1])).number == 1


def test_who_asks_again_while_nothing_has_come_free_costs_no_planning(store: Store, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for person in (world.person() for _ in range(3)):
        world.admit(person)
    (waits,) = world.waiting
    monkeypatch.setattr(seats, "draft", lambda *_: pytest.fail("planned again"))
    world.admit(waits)
    assert world.waiting == [waits]


def test_a_full_study_says_so(store: Store, world: World) -> None:
    for person in (world.person() for _ in range(2)):
        world.admit(person)
        for _ in range(4):
            slots.move(store, assignment.assign(store, person).slot_id, "answer")
    world.admit(world.person())
    assert (world.turned_away, world.waiting) == (1, [])


def test_who_finds_no_place_has_an_outcome_and_can_look_again(store: Store, world: World, engine: EpisodeEngine) -> None:
    revise(store, world.study.study_id, returns=Returns(full=Return(code="FULL77"), done=Return(code="DONE77")))
    publish(store, world.study.study_id)
    slots_ = []
    for person in (world.person() for _ in range(2)):
        world.admit(person)
        for _ in range(4):
            slots_.append(assignment.assign(store, person).slot_id)
            slots.move(store, slots_[-1], "answer")
    late = world.person()
    assert participants.place(store, engine, late).stage == "full"
    assert participants.get_participant(store, late).state == "full"
    assert participants.place(store, engine, late).stage == "full"
    ending = outcomes.conclude(store, late)
    assert (ending.outcome, ending.code) == ("full", "FULL77")
    participants.advance(store, late, "look_again")
    assert participants.place(store, engine, late).stage == "full" and outcomes.conclude(store, late).code == "FULL77"
    for slot_id in slots_:
        slots.move(store, slot_id, "reject")
    participants.advance(store, late, "look_again")
    assert participants.place(store, engine, late).stage == "task"


def test_a_rejected_session_is_offered_again(store: Store, world: World) -> None:
    for person in (world.person() for _ in range(2)):
        world.admit(person)
        given_ = []
        for _ in range(4):
            given_.append(assignment.assign(store, person).slot_id)
            slots.move(store, given_[-1], "answer")
    for slot_id in given_:
        slots.move(store, slot_id, "reject")
    late = world.person()
    world.admit(late)
    assert late in world.inside


def test_somebody_comes_back_for_the_next_session_after_the_hours_between(
    store: Store, make_task: Callable[..., Task], engine: EpisodeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(store, make_task, monkeypatch, random.Random(1), tasks=8, trials=2, per_task=2, sessions=2, min_hours_between_sessions=12)
    monkeypatch.setattr("study.stations.seats.now", seats.now)  # type: ignore[attr-defined]
    person = world.person()
    world.admit(person)
    participants.advance(store, person, "practise")
    for _ in range(2):
        slots.move(store, assignment.assign(store, person).slot_id, "answer")
    here = participants.place(store, engine, person)
    assert (here.stage, here.part) == ("between", "later") and "2026-01-01 12:00 UTC" in here.note
    assert participants.begin_session(store, engine, person) == here
    world.now += timedelta(hours=12, minutes=1)
    here = participants.place(store, engine, person)
    assert (here.stage, here.part) == ("between", "begin") and participants.place(store, engine, person) == here
    assert participants.begin_session(store, engine, person).stage == "task"
    assert present(seats.seat_of(store, person)).session == 2
    slots.move(store, assignment.assign(store, person).slot_id, "answer")
    slots.move(store, assignment.assign(store, person).slot_id, "answer")
    assert participants.place(store, engine, person).stage == "thanks"
    assert len({slot.task_hash for slot in seats.given(store, person)}) == 4


def test_a_new_version_counts_the_places_of_all_versions(store: Store, world: World) -> None:
    early = world.person()
    world.admit(early)
    for _ in range(4):
        slots.move(store, assignment.assign(store, early).slot_id, "answer")
    revise(store, world.study.study_id, thanks="Thank you!")
    publish(store, world.study.study_id)
    late, later = world.person(), world.person()
    world.admit(late)
    world.admit(later)
    assert late in world.inside and later not in world.inside


def test_nobody_is_given_what_they_met_in_another_study_or_had_a_part_in(
    store: Store, make_task: Callable[..., Task], world: World
) -> None:
    other = create_study(store, "Other", state="live", tasks=world.study.tasks[:2], per_task=9, trials=2)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", other.study_id))
    participants.decide(store, present(grant.participant_id), "consent")
    for _ in range(2):
        slots.move(store, assignment.assign(store, present(grant.participant_id)).slot_id, "answer")
    cookie, staff = access.enter(store, access.create_invite(store, "author", world.study.study_id), cookie)
    store.insert("task_people", {"task_hash": world.study.tasks[2], "staff_id": staff.staff_id, "part": "author", "at": "2026-01-01"})
    cookie, here = access.enter(store, access.create_invite(store, "participant", world.study.study_id), cookie)
    participants.decide(store, present(here.participant_id), "consent")
    world.admit(present(here.participant_id))
    reserved = {row["task_hash"] for row in store.query("SELECT task_hash FROM slots WHERE claimed_by = ?", [here.participant_id])}
    met = {world.group[task_hash] for task_hash in world.study.tasks[:3]}
    assert len(reserved) == 4 and not {world.group[task_hash] for task_hash in reserved} & met


def test_who_comes_to_another_study_by_the_same_platform_id_meets_nothing_twice(store: Store, world: World) -> None:
    """In another browser too; and somebody else by another id is barred from nothing."""
    tasks = world.study.tasks
    create_study(store, "Other", state="live", tasks=tasks[:2], per_task=9, trials=2, recruitment={"external_study": "other"})
    here = create_study(store, "Here", state="live", tasks=tasks, per_task=9, trials=8, recruitment={"external_study": "here"})

    def come(person: str, study: str) -> str:
        _, grant = access.enter_recruited(store, {"PROLIFIC_PID": person, "STUDY_ID": study, "SESSION_ID": "s"})
        participants.decide(store, present(grant.participant_id), "consent")
        return grant.participant_id  # type: ignore[return-value]

    first = come("p-1", "other")
    met = set()
    for _ in range(2):
        slot = assignment.assign(store, first)
        met.add(world.group[slot.task_hash])
        slots.move(store, slot.slot_id, "answer")
    offered = {}
    for who in ("p-1", "p-2"):
        person = participants.get_participant(store, come(who, "here"))
        offered[who] = {world.group[offer.task_hash] for offer in seats.supply(store, here, person, (), ()).open}
    assert met and offered["p-2"] == set(world.group.values()) and offered["p-1"] == offered["p-2"] - met


def test_levels_say_what_stays_if_everybody_leaves_and_count_tasks_that_wait_for_a_partner(
    store: Store, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields: dict[str, Any] = {"tasks": 4, "trials": 2, "per_task": 3, "min_categories": 1, "paradigms": ("active", "yoked")}
    world = World(store, make_task, monkeypatch, random.Random(0), **fields)
    ways = world.study.ways

    def stays() -> dict[str, set[int]]:
        found = places.levels(store, world.study.study_id, "live", ways).stays
        return {way.name: {low for (name, _), low in found.items() if name == way.name} for way in ways}

    person = world.person()
    slot = assignment.assign(store, person)
    levels = places.levels(store, world.study.study_id, "live", ways)
    category = world.tasks[slot.task_hash].category
    alone = sum(task.category == category for task in world.tasks.values()) == 1
    assert levels.cell["active", category] == ((1, 1) if alone else (0, 1)) and stays() == {"active": {0}, "yoked": {0}}
    slots.move(store, slot.slot_id, "answer")
    after = places.levels(store, world.study.study_id, "live", ways)
    assert after.stays["active", category] == int(alone)
    # its place in the partner's paradigm can be shown now, the others not yet
    assert after.way["yoked"] == (0, 0) and set(after.cell) - set(levels.cell) == {("yoked", category)}
