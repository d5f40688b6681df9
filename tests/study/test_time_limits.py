"""Time limits of tasks and sessions: by the server's clock, without waiting for us, and what is left when somebody comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from data import store as stores
from data.store import Store
from data.task import Task
from study import assignment, briefing, participants, sittings
from study.episode import EpisodeEngine
from study.errors import EpisodeOver, TakenOver
from study.exports.beside import participant_rows
from study.protocol import Protocol
from study.readiness import concerns
from study.stations import instructions
from study.studies import create_study
from tests.present import present
from tests.study.conftest import InlinePool

SESSION_OVER = "The time of this session is up, so the session is over. All that you answered is kept and counts."
LIMITED = Protocol(time_limit_s=60.0)


class Clock:
    """The server's time, moved by hand."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def pass_s(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    @property
    def ms(self) -> float:
        return self.at.timestamp() * 1000


@pytest.fixture
def clock() -> Iterator[Clock]:
    clock = Clock()
    with stores.told_by(lambda: clock.at):
        yield clock


def _answer(store: Store, episode: str) -> tuple[str | None, int | None, str] | None:
    row = store.one("SELECT answer, confidence, stopped_by FROM answers WHERE episode_id = ?", [episode])
    return None if row is None else (row["answer"], row["confidence"], row["stopped_by"])


def test_what_was_thought_last_is_the_answer_when_the_time_of_a_task_is_up(
    store: Store, engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock
) -> None:
    view = begin(protocol=LIMITED)
    assert (view.seconds_left, view.limit) == (60.0, "task")
    clock.pass_s(30)
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 60)
    clock.pass_s(31.9)
    # sent in time, and arrived a little later
    engine.act(view.episode_id, view.epoch, 2, "turn_left")
    clock.pass_s(0.2)
    with pytest.raises(EpisodeOver):
        engine.act(view.episode_id, view.epoch, 3, "turn_left")
    assert _answer(store, view.episode_id) == ('"near the lamp"', 60, "time_limit")
    over = engine.view(view.episode_id)
    assert (over.state, over.ended_by, over.answered, over.seconds_left) == ("completed", "time_limit", True, None)


def test_without_a_thought_the_task_ends_with_no_answer(
    store: Store, engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock
) -> None:
    view = begin(protocol=LIMITED)
    clock.pass_s(100)
    assert engine.time_up(view.episode_id, view.epoch) is None
    assert _answer(store, view.episode_id) == (None, None, "time_limit")
    assert (engine.view(view.episode_id).ended_by, engine.view(view.episode_id).answered) == ("time_limit", False)


def test_what_stands_on_the_page_counts_where_it_comes_in_time(
    store: Store, engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock
) -> None:
    early, late, odd = (begin(protocol=LIMITED.model_copy(update={"belief_bar": False})) for _ in range(3))
    clock.pass_s(59)
    assert engine.time_up(early.episode_id, early.epoch, "near the lamp", 40) == pytest.approx(1.0)
    assert _answer(store, early.episode_id) is None
    clock.pass_s(2.5)
    assert engine.time_up(early.episode_id, early.epoch, "near the lamp", 40) is None
    assert engine.time_up(odd.episode_id, odd.epoch, "no option at all", 40) is None
    clock.pass_s(1)
    assert engine.time_up(late.episode_id, late.epoch, "near the lamp", 40) is None
    assert _answer(store, early.episode_id) == ('"near the lamp"', 40, "time_limit")
    assert _answer(store, late.episode_id) == _answer(store, odd.episode_id) == (None, None, "time_limit")
    # asked again, nothing changes
    assert engine.time_up(early.episode_id, early.epoch, "near the door", 90) is None
    assert _answer(store, early.episode_id) == ('"near the lamp"', 40, "time_limit")


def test_waiting_for_us_is_not_counted(engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock) -> None:
    view = begin(protocol=LIMITED)
    clock.pass_s(10)
    engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 50, client_time_ms=clock.ms)
    pressed = clock.ms
    clock.pass_s(25)  # the simulator was slow, or had to be built again
    engine.act(view.episode_id, view.epoch, 1, "turn_left", client_time_ms=pressed)
    clock.pass_s(5)
    assert engine.view(view.episode_id).seconds_left == pytest.approx(60 - 10 - 5)


def test_a_lost_connection_is_not_counted_and_a_hidden_tab_is(engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock) -> None:
    view = begin(protocol=LIMITED)

    def tell(n: int, what: str) -> None:
        engine.page_event(view.episode_id, view.epoch, n, what, client_time_ms=clock.ms)

    clock.pass_s(5)
    tell(1, "offline")
    clock.pass_s(300)
    tell(2, "online")
    tell(3, "hidden")
    clock.pass_s(20)
    tell(4, "visible")
    assert engine.view(view.episode_id).seconds_left == pytest.approx(60 - 5 - 20)


def test_who_comes_back_goes_on_with_the_time_that_was_left(
    engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock, restart: Callable[[], tuple[EpisodeEngine, InlinePool]]
) -> None:
    view = begin(protocol=LIMITED)
    clock.pass_s(20)
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    clock.pass_s(86_400)  # the window was closed
    later, _ = restart()
    again = later.open(view.episode_id, tab="b")
    assert (again.state, again.seconds_left) == ("active", pytest.approx(40.0))  # type: ignore[comparison-overlap]
    with pytest.raises(TakenOver):
        engine.time_up(view.episode_id, view.epoch)
    clock.pass_s(41)
    assert later.time_up(view.episode_id, again.epoch) is None
    assert later.open(view.episode_id, tab="c").state == "completed"


def test_what_was_up_when_the_page_was_left_is_ended_by_the_next_opening(
    engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock
) -> None:
    view = begin(protocol=LIMITED)
    clock.pass_s(70)
    engine.page_event(view.episode_id, view.epoch, 1, "hidden", client_time_ms=clock.ms)
    clock.pass_s(3600)
    assert engine.open(view.episode_id, tab="b").ended_by == "time_limit"


def test_programs_and_practice_have_no_time_limit(
    store: Store, engine: EpisodeEngine, begin: Callable[..., Any], clock: Clock, make_task: Callable[..., Task]
) -> None:
    model = begin(protocol=LIMITED, agent_kind="model", agent_name="m")
    clock.pass_s(600)
    assert (model.seconds_left, engine.act(model.episode_id, model.epoch, 1, "turn_left").seq) == (None, 1)
    study = _study(store, make_task, practice=True, protocol=LIMITED, session_minutes=1)
    person = _person(store, study)
    assert participants.place(store, engine, person).stage == "instructions"
    instructions.go_on(store, person)
    here = participants.place(store, engine, person)
    assert here.stage == "practice"
    view = engine.open(present(here.episode_id))
    clock.pass_s(600)
    assert (view.seconds_left, engine.view(present(here.episode_id)).state) == (None, "active")


def _study(store: Store, make_task: Callable[..., Task], tasks: int = 6, practice: bool = False, **fields: Any) -> Any:
    made = [make_task(f"t-{n}") for n in range(tasks + practice)]
    for task in made:
        store.put_task(task)
    fields |= {"practice_task": made[-1].content_hash} if practice else {}
    return create_study(store, "S", state="live", tasks=tuple(task.content_hash for task in made[:tasks]), **fields)


def _person(store: Store, study: Any, *, practised: bool = False) -> str:
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent", *(("practise",) if practised else ())):
        participants.advance(store, person, event)
    return person


def _play(store: Store, engine: EpisodeEngine, clock: Clock, person: str, seconds: float) -> None:
    here = participants.place(store, engine, person)
    assert here.stage == "task", here
    view = engine.open(present(here.episode_id))
    clock.pass_s(seconds)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 50)


@pytest.mark.parametrize("per_task", [None, 3])
def test_a_session_ends_when_its_time_is_up_and_what_was_answered_counts(
    store: Store, engine: EpisodeEngine, clock: Clock, make_task: Callable[..., Task], per_task: int | None
) -> None:
    study = _study(store, make_task, trials=4, per_task=per_task, session_minutes=2, min_categories=1)
    person = _person(store, study, practised=True)
    _play(store, engine, clock, person, 50)
    clock.pass_s(900)  # between tasks the time is one's own
    here = participants.place(store, engine, person)
    view = engine.open(present(here.episode_id))
    assert (view.limit, view.seconds_left) == ("session", pytest.approx(70.0))  # type: ignore[comparison-overlap]
    engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 70)
    clock.pass_s(71)
    assert engine.time_up(view.episode_id, view.epoch, "near the lamp", 70) is None
    over = engine.view(view.episode_id)
    assert (over.state, over.ended_by, _answer(store, view.episode_id)) == ("timed_out", "session_time", None)
    assert present(store.one("SELECT count(*) AS n FROM beliefs WHERE episode_id = ?", [view.episode_id]))["n"] == 1, (
        "a belief that was stated stays"
    )
    end = participants.place(store, engine, person)
    assert (
        end.stage == "thanks"
        and end.note == "The time of this session is up, so the session is over. All that you answered is kept and counts."
    )
    assert participants.get_participant(store, person).state == "finished"
    assert store.query("SELECT slot_id FROM slots WHERE claimed_by = ?", [person]) == [], "what was reserved is free for others"
    (row,) = (one for one in participant_rows(store, study.study_id, [person]) if one.participant_id == person)  # type: ignore[arg-type]
    assert (row.outcome, row.tasks_completed, row.sessions_timed_out) == ("done", 1, 1)
    others = [other.task_hash for other in [assignment.assign(store, _person(store, study, practised=True))]]
    assert others, "others are given tasks"


@pytest.mark.parametrize("per_task", [None, 3])
def test_the_next_session_has_its_own_time_and_its_whole_number_of_tasks(
    store: Store, engine: EpisodeEngine, clock: Clock, make_task: Callable[..., Task], per_task: int | None
) -> None:
    study = _study(store, make_task, tasks=8, trials=3, sessions=2, per_task=per_task, session_minutes=1, min_categories=1)
    person = _person(store, study, practised=True)
    _play(store, engine, clock, person, 20)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    clock.pass_s(45)
    assert engine.time_up(view.episode_id, view.epoch) is None
    if per_task is not None:
        between = participants.place(store, engine, person)
        assert (between.stage, between.part) == ("between", "begin") and between.note.startswith("The time of this session is up")
        participants.begin_session(store, engine, person)
    for _ in range(3):
        _play(store, engine, clock, person, 15)
    assert participants.place(store, engine, person).stage == "thanks"
    done = store.one("SELECT count(*) AS n FROM slots WHERE participant_id = ? AND state = 'completed'", [person])
    assert present(done)["n"] == 4 and len(sittings.cuts(store, person)) == 1


def test_no_task_is_begun_with_next_to_nothing_left(
    store: Store, engine: EpisodeEngine, clock: Clock, make_task: Callable[..., Task]
) -> None:
    study = _study(store, make_task, trials=3, session_minutes=2)
    person = _person(store, study, practised=True)
    _play(store, engine, clock, person, 112)
    for _ in range(2):
        assert participants.place(store, engine, person).stage == "thanks"
    assert [cut.done for cut in sittings.cuts(store, person)] == [1]
    assert participants.get_participant(store, person).state == "finished"


def test_the_limit_that_comes_first_is_told(store: Store, engine: EpisodeEngine, clock: Clock, make_task: Callable[..., Task]) -> None:
    study = _study(store, make_task, trials=3, session_minutes=2, protocol=LIMITED)
    person = _person(store, study, practised=True)
    _play(store, engine, clock, person, 50)
    _play(store, engine, clock, person, 30)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    assert (view.limit, view.seconds_left) == ("session", pytest.approx(40.0))  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(
    ("cuts", "completed", "expected"),
    [
        ([], 0, (0, 0, 0)),
        ([], 25, (2, 5, 20)),
        ([(4, 5)], 4, (1, 0, 5)),
        ([(4, 5)], 14, (2, 0, 14)),
        ([(4, 5), (4, 6)], 9, (2, 5, 6)),
        ([(13, 14)], 13, (2, 0, 14)),
    ],
)
def test_sessions_are_counted_by_what_ended_them(
    cuts: list[Any] | list[tuple[int, int]], completed: int, expected: tuple[int, int, int]
) -> None:
    class Slot:
        def __init__(self, trial: int) -> None:
            self.trial_index = trial

    found = sittings.sitting(
        [Slot(n + 1) for n in range(completed)],  # type: ignore[misc]
        10,
        [sittings.Cut(done=done, trial=trial) for done, trial in cuts],
    )
    assert (found.ended, found.done, found.after) == expected


def test_people_are_told_of_limits_before_the_tasks_whoever_wrote_the_instructions(store: Store, make_task: Callable[..., Task]) -> None:
    told = "For each task you have 90 seconds."
    session = "A session takes at most 20 minutes at the tasks."
    plain = _study(store, make_task, protocol=Protocol(time_limit_s=90), session_minutes=20)
    assert told in briefing.instructions_of(plain) and session in briefing.instructions_of(plain)
    own = plain.model_copy(update={"instructions": "Look around."})
    assert briefing.instructions_of(own).startswith("Look around.\n\n") and told in briefing.instructions_of(own)
    free = plain.model_copy(update={"protocol": Protocol(), "session_minutes": None})
    assert briefing.instructions_of(free) == "" and briefing.limits_of(free) == []


@pytest.mark.parametrize(
    ("minutes", "seconds", "least", "says"),
    [
        (None, 900, None, ""),
        (10, 98, None, ""),  # six tasks of 98 seconds, each two seconds late at most
        (10, None, 1, ""),  # no variety is asked for
        (10, 99, None, "10 minutes at tasks, which surely hold 5 tasks of 99 seconds: who takes long may then have met fewer than 6 "
                       "categories, and has finished all the same. Give a session at least 11 minutes, or a task at most 98 seconds, or "
                       "leave sessions without a limit."),
        (10, 99, 4, ""),
        (10, None, None, "and a task has no time limit of its own: who takes long may then have met fewer than 6 categories, and has "
                         "finished all the same. Limit the time of a task too, to at most 98 seconds, or leave sessions without a limit."),
        (0.5, 60, None, "Give a session at least 7 minutes, or leave sessions without a limit."),
    ],
)  # fmt: skip
def test_a_sessions_time_that_may_end_before_the_least_number_of_categories_is_told(
    store: Store, make_task: Callable[..., Task], minutes: float | None, seconds: int | None, least: int | None, says: str
) -> None:
    made = [make_task(f"t-{n}", category=f"C{n}") for n in range(8)]
    for task in made:
        store.put_task(task)
    fields = {"protocol": Protocol(time_limit_s=seconds), "session_minutes": minutes, "min_categories": least, "trials": 8, "per_task": 2}
    study = create_study(store, "S", tasks=tuple(task.content_hash for task in made), **fields)
    told = [one for one in concerns(store, study) if one.about == "protocol"]
    assert [one.stops for one in told] == ([""] if says else []) and all(one.says.endswith(says) for one in told)


def test_who_is_cut_off_after_six_tasks_has_met_six_categories(
    store: Store, engine: EpisodeEngine, clock: Clock, make_task: Callable[..., Task]
) -> None:
    """Two categories lie far behind the others, so that without a limit they would come first, twice."""
    made = [make_task(f"t-{n:02}", category=f"C{n % 8}") for n in range(24)]
    for task in made:
        store.put_task(task)
    hashes = tuple(task.content_hash for task in made)
    met = {}
    for minutes in (None, 7.0):
        study = create_study(store, f"S {minutes}", state="live", tasks=hashes, trials=8, per_task=4, session_minutes=minutes)
        with store.atomic() as db:
            # everybody has done two tasks of each other category
            ahead = [task.content_hash for task in made if task.category not in ("C0", "C1")]
            db.execute(
                "UPDATE places SET filled = 2, completed = 2 WHERE study_id = ? AND task_hash IN (SELECT value FROM json_each(?))",
                [study.study_id, json.dumps(ahead)],
            )
        person = _person(store, study, practised=True)
        for _ in range(6):
            _play(store, engine, clock, person, 60)
        own = store.query("SELECT task_hash FROM slots WHERE participant_id = ? ORDER BY trial_index", [person])
        met[minutes] = len({store.get_task(row["task_hash"]).category for row in own})
        participants.stop(store, engine, person)
    assert met[None] < 6 and met[7.0] == 6
