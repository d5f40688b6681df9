"""Things to do in a worked example. Each is ticked off by what the server has kept of the episode, never by what a page says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from data.store import Store
from data.task import Task
from sim_bridge.actions import BY_NAME, KINDS, OBJECT_ACTIONS, parse_action
from study.looks import looks_of
from study.paradigms.paradigm import Paradigm
from study.protocol import Protocol
from study.standing import Standing
from study.wording import say


class _Did(msgspec.Struct, frozen=True):
    kind: str
    action: str
    ok: bool


class _Thought(msgspec.Struct, frozen=True):
    answered: bool
    sure: bool


@dataclass(frozen=True)
class Record:
    """What is kept of an episode so far."""

    worked: frozenset[str]
    """Names of actions that worked."""
    parts: int
    """How often the person went on to another part."""
    answered: bool
    """An answer was chosen, at least once."""
    sure: bool
    """A confidence was given, at least once."""
    through: bool
    """All pictures of a row were shown, one after the other."""
    enlarged: bool
    """One of several pictures was enlarged."""


@dataclass(frozen=True)
class Met:
    """An example as it is met."""

    task: Task
    """With the actions that are offered."""
    protocol: Protocol
    paradigm: Paradigm


@dataclass(frozen=True)
class Todo:
    """One thing to do."""

    name: str
    """In the export."""
    needed: Callable[[Met], bool]
    """Whether an example has it on its list."""
    done: Callable[[Record], bool]
    words: Callable[[], str]
    """What to do, for the person."""


def _together(word: str, words: Callable[[], str]) -> Todo:
    """Actions of which one is enough (`ActionKind.practised`)."""
    wanted = frozenset(kind.name for kind in KINDS if kind.practised == word)
    return Todo(
        name=word,
        needed=lambda met: met.paradigm.acts and bool(wanted & set(met.task.actions)),
        done=lambda record: bool(wanted & record.worked),
        words=words,
    )


_WORDS: Mapping[str, Callable[[], str]] = {
    "move": lambda: say("tutorial.move"),
    "rise": lambda: say("tutorial.rise"),
    "turn": lambda: say("tutorial.turn"),
    "tilt": lambda: say("tutorial.tilt"),
    "pause": lambda: say("tutorial.wait"),
}
"""What to do, for actions of which one is enough."""


def _noted(met: Met) -> bool:
    """Whether what is thought so far is kept: only then it can be ticked off before the answer."""
    return met.protocol.belief_bar


def _object(name: str) -> Todo:
    kind = BY_NAME[name]
    return Todo(
        name=name,
        needed=lambda met: met.paradigm.acts and name in met.task.actions,
        done=lambda record: name in record.worked,
        words=lambda: say("tutorial.object", action=kind.label),
    )


TODOS: tuple[Todo, ...] = (
    *(_together(word, _WORDS[word]) for word in dict.fromkeys(kind.practised for kind in KINDS if kind.practised)),
    *(_object(name) for name in BY_NAME if name in OBJECT_ACTIONS),
    Todo(
        "part",
        lambda met: met.paradigm.acts and len(met.task.scene.phases) > 1,
        lambda record: record.parts > 0,
        lambda: say("tutorial.part"),
    ),
    Todo(
        "look",
        lambda met: met.paradigm.opens == "grid",
        lambda record: record.enlarged,
        lambda: say("tutorial.look"),
    ),
    Todo(
        "next",
        lambda met: met.paradigm.opens == "frames",
        lambda record: record.through,
        lambda: say("tutorial.next"),
    ),
    Todo("answer", _noted, lambda record: record.answered, lambda: say("tutorial.answer")),
    Todo("sure", _noted, lambda record: record.sure, lambda: say("tutorial.sure")),
)
"""Everything that a worked example can have on its list, in its order."""
GIVEN = frozenset(("answer", "sure"))
"""What comes with the final answer at the latest."""


def todos(met: Met) -> tuple[Todo, ...]:
    """What is to be done in an example."""
    return tuple(todo for todo in TODOS if todo.needed(met))


def record_of(store: Store, here: Standing) -> Record:
    """What is kept of an episode so far."""
    episode_id = here.record.episode_id
    steps = store.rows("SELECT kind, action, ok FROM steps WHERE episode_id = ?", _Did, [episode_id])
    thought = store.rows(
        "SELECT raw NOT IN ('null', '\"\"', '[]', '{}') AS answered, confidence IS NOT NULL AS sure FROM beliefs WHERE episode_id = ?",
        _Thought,
        [episode_id],
    )
    final = store.rows("SELECT 1 AS answered, confidence IS NOT NULL AS sure FROM answers WHERE episode_id = ?", _Thought, [episode_id])
    return Record(
        worked=frozenset(parse_action(step.action).name for step in steps if step.kind == "action" and step.ok),
        parts=sum(step.kind == "phase" for step in steps),
        answered=any(one.answered for one in (*thought, *final)),
        sure=any(one.sure for one in (*thought, *final)),
        through=here.left <= 0,
        enlarged=any(look.enlarged for look in looks_of(store, episode_id)),
    )
