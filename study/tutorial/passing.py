"""How far somebody is with an example: what is still to do, and whether it is passed."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import msgspec

from data.store import Store
from study import slots, states
from study.errors import UnknownEpisode
from study.paradigms import paradigm
from study.records import SlotRecord
from study.standing import standing
from study.studies import Study
from study.tutorial.plan import choose
from study.tutorial.settings import Example
from study.tutorial.todo import Met, record_of, todos


@dataclass(frozen=True)
class Doing:
    """A thing to do, and whether it is done."""

    name: str
    words: str
    done: bool


def examples_of(store: Store, study: Study) -> tuple[Example, ...]:
    """The worked examples of a study; those of one that was never published are chosen anew whenever it is edited."""
    if study.tutorial is None:
        return ()
    if study.tutorial.examples:
        return study.tutorial.examples
    kept, key = _CHOSEN.setdefault(store, {}), hash((study.study_id, study.tasks, study.paradigms))
    if key not in kept:
        kept[key] = choose(store, study.tasks, study.ways)
    return kept[key]


_CHOSEN: WeakKeyDictionary[Store, dict[int, tuple[Example, ...]]] = WeakKeyDictionary()


class _Try(msgspec.Struct, frozen=True):
    """One showing of an example to somebody, as far as it counts."""

    slot_id: str
    state: str
    episode_id: str | None
    correct: bool | None
    begun: bool
    """Whether anything of it was seen."""

    @property
    def begun_again(self) -> bool:
        """Whether the person gave it back to do it once more: no attempt to pass it."""
        return self.state == "returned" and self.begun


def doing(store: Store, episode_id: str) -> tuple[Doing, ...]:
    """What is to do in an example, and what of it is done.

    Raises:
        UnknownEpisode: there is no such episode.
    """
    here = standing(store, episode_id)
    if here is None:
        raise UnknownEpisode("There is no such task.")
    did = record_of(store, here)
    return tuple(Doing(todo.name, todo.words(), todo.done(did)) for todo in todos(Met(here.task, here.protocol, here.paradigm)))


def in_tutorial(store: Store, study: Study, episode_id: str) -> bool:
    """Whether an episode is a worked example of a study's tutorial."""
    if study.tutorial is None:
        return False
    sql = "SELECT 1 AS yes FROM episodes e JOIN slots s USING (slot_id) WHERE e.episode_id = ? AND s.practice = 1"
    return store.one(sql, [episode_id]) is not None


def tries(store: Store, participant_id: str, example: Example) -> list[_Try]:
    """Somebody's showings of an example, oldest first."""
    return store.rows(
        "SELECT s.slot_id, s.state, e.episode_id, c.correct_lenient AS correct, "
        "coalesce(e.last_seq, -1) >= 0 AS begun FROM slots s LEFT JOIN episodes e USING (slot_id) "
        "LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash "
        "WHERE s.participant_id = ? AND s.practice = 1 AND s.task_hash = ? AND s.paradigm = ? ORDER BY s.assigned_at, s.rowid",
        _Try,
        [participant_id, example.task, example.paradigm],
    )


def passed(store: Store, participant_id: str, example: Example) -> bool:
    """Whether somebody has passed an example: everything was done, and the answer was right. Where one only looks, the answer need not be:
    what decides it may be out of sight, and nobody is to learn to claim what they did not see."""
    blind = not paradigm(example.paradigm).acts
    return any(
        one.state == "completed" and (one.correct or blind) and one.episode_id and all(thing.done for thing in doing(store, one.episode_id))
        for one in tries(store, participant_id, example)
    )


def behind(store: Store, study: Study, participant_id: str, example: Example) -> bool:
    """Whether somebody goes on: they have passed it, or had it as often as the study gives it."""
    assert study.tutorial is not None
    over = [one for one in tries(store, participant_id, example) if one.state in states.OVER and not one.begun_again]
    return len(over) >= study.tutorial.attempts or passed(store, participant_id, example)


def comes_again(store: Store, study: Study, episode_id: str) -> bool:
    """Whether a worked example that was just answered is given once more."""
    sql = "SELECT s.task_hash, s.paradigm, s.participant_id FROM episodes e JOIN slots s USING (slot_id) WHERE e.episode_id = ?"
    (row,) = store.query(sql, [episode_id])
    return not behind(store, study, row["participant_id"], Example(task=row["task_hash"], paradigm=row["paradigm"]))


def give(store: Store, study: Study, participant_id: str, mode: str, example: Example) -> SlotRecord:
    """The place in which somebody has an example now; another one where the last is over."""
    with store.atomic():
        sql = "SELECT * FROM slots WHERE participant_id = ? AND practice = 1 AND task_hash = ? AND paradigm = ? AND state = 'held'"
        held = store.row(sql, SlotRecord, [participant_id, example.task, example.paradigm])
        if held is not None:
            return held
        slot_id = slots.add(store, study.study_id, example.task, example.paradigm, mode=mode, version=study.version, practice=True)
        return slots.hold(store, slot_id, participant_id, version=study.version, trial=0)
