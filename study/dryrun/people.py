"""Simulated people: how fast each is, whether they leave, and what they do at each stage of their way.

A life is a generator: it does something through the same functions as the pages, and yields how many seconds pass until it does the next
thing. Many lives are told one after the other by `study.dryrun.running`. What they think of a task is their mind's (`study.dryrun.minds`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from data.store import Store
from sim_bridge.actions import CAMERA_ACTIONS
from study import breaks, participants, sittings
from study.dryrun.minds import Meets, Minds
from study.episode import EpisodeEngine
from study.errors import EpisodeOver
from study.forms import answers, sending
from study.place import Place
from study.stations import instructions
from study.stations.forms import occasion
from study.studies import Study
from study.views import EpisodeView, StepView

LOOK_S = 6.0
"""Median time at one view, seconds."""
READ_S = 25.0
"""Median time with a page of text or a question, seconds."""
SPREAD = 0.5
"""Standard deviation of the logarithm of these times, within a person."""
SPEEDS = (0.5, 2.0)
"""How much slower or faster than that a person is, drawn evenly on a logarithmic scale."""
PASSES = 0.9
"""How likely somebody is to pass an item that is judged, beside the luck of guessing."""
PAUSE = 0.1
"""Share of tasks after which somebody takes a break."""
PAUSE_MIN = (2.0, 40.0)
"""How long a break is, minutes."""
HOURS = (0.5, 30.0)
"""After how long somebody comes back who left and returns, hours."""
WAIT_S = 60.0
"""How often somebody in the line looks whether they have a place, seconds."""
PATIENCE_H = 3.0
"""How long they wait, hours."""

How = Literal["away", "stop", "return", "later"]
"""How somebody leaves: closes the window for good; stops by the button; gives the task back and then stops; goes and comes back later."""
HOWS: tuple[tuple[How, float], ...] = (("away", 0.4), ("stop", 0.3), ("return", 0.1), ("later", 0.2))
"""Each with its share of those who leave."""
Life = Iterator[float]


@dataclass(frozen=True)
class Leaving:
    """When and how somebody leaves."""

    task: int
    """In which of their tasks, from 1."""
    within: float
    """How far into it, as a share of its actions."""
    how: How
    after_h: float
    """Of those who come back: after how many hours."""


@dataclass(frozen=True)
class Person:
    """What is known of a simulated person beforehand."""

    number: int
    comes_s: float
    """When they come, seconds after the beginning."""
    speed: float
    """Their times are so many times the usual ones."""
    leaves: Leaving | None


@dataclass
class Meeting:
    """What became of somebody."""

    person: Person
    participant_id: str = ""
    end: str = ""
    """Where they ended: a stage, ``away`` or ``gave_up`` (in the line)."""
    tasks: int = 0
    """Tasks that they were given."""
    waited: bool = False
    """They stood in the line."""
    asked: int = 0
    """How often they were told that there is nothing for them now."""
    since_s: float | None = None
    """Since when they stand in the line, seconds after the beginning; None: they do not."""
    asked_s: float = 0.0
    """When they last asked."""


@dataclass(frozen=True)
class World:
    """What all lives share."""

    store: Store
    engine: EpisodeEngine
    study: Study
    mode: str
    minds: Minds
    refused: Callable[[Meeting, Place], None]
    """Called when somebody is told that there is nothing for them, at that very moment."""


def crowd(count: int, dropout: float, seed: int, tasks: int, gap_s: float) -> list[Person]:
    """The people of a dry run, in the order in which they come: some together, as a class does.

    Args:
        count: how many.
        dropout: probability that somebody leaves.
        seed: decides all of it.
        tasks: of a session.
        gap_s: mean time between two arrivals, seconds.
    """
    draw = random.Random(f"{seed}/people")
    people, at = [], 0.0
    for number in range(count):
        if draw.random() > 0.3:
            at += draw.expovariate(0.7 / gap_s)
        low, high = SPEEDS
        leaving = None
        if draw.random() < dropout:
            how = draw.choices([name for name, _ in HOWS], [share for _, share in HOWS])[0]
            leaving = Leaving(draw.randint(1, tasks), draw.random(), how, draw.uniform(*HOURS))
        people.append(Person(number, at, low * (high / low) ** draw.random(), leaving))
    return people


def live(world: World, met: Meeting, seed: int) -> Life:
    """Somebody's way, from the consent to wherever it ends. `met` is told what became of them."""
    draw = random.Random(f"{seed}/life/{met.person.number}")
    store, who = world.store, met.person
    me = met.participant_id = participants.add_participant(store, world.study.study_id, mode=world.mode)
    yield _time(draw, who, READ_S)
    participants.decide(store, me, "consent")
    waited_s = 0.0
    while True:
        here = participants.place(store, world.engine, me)
        if here.stage in LINE:
            world.refused(met, here)
            met.waited, waited_s = True, waited_s + WAIT_S
            if waited_s > PATIENCE_H * 3600:
                met.end, met.since_s = "gave_up", None
                return
            yield WAIT_S
            continue
        met.since_s = None
        if here.stage in ENDS:
            met.end = here.stage
            if here.stage in REFUSALS or (here.stage == "thanks" and here.done < here.total and not sittings.cuts(store, me)):
                world.refused(met, here)
            return
        elif here.episode_id is not None:
            met.tasks += here.stage == "task"
            leaving = who.leaves if who.leaves is not None and here.stage == "task" and who.leaves.task == met.tasks else None
            try:
                yield from _play(world, met, here, draw, leaving)
            except EpisodeOver:
                leaving = None  # its time was up
            if leaving is not None and leaving.how != "later":
                met.end = _leave(world, me, leaving.how)
                return
            if leaving is not None:
                yield leaving.after_h * 3600
            elif draw.random() < PAUSE:
                yield 60 * draw.uniform(*PAUSE_MIN)
        else:
            yield from PARTS[here.stage](world, me, here, draw, who)


LINE: frozenset[str] = frozenset(("waiting",))
"""Stages at which one waits for a place."""
REFUSALS: frozenset[str] = frozenset(("full",))
"""Stages at which one is told that there is nothing for one."""
ENDS: frozenset[str] = frozenset((*REFUSALS, "thanks", "declined", "stopped", "screened_out", "failed", "withdrawn"))
"""Stages after which nothing comes."""


def _form(world: World, me: str, here: Place, draw: random.Random, who: Person) -> Life:
    """A questionnaire, opened, read and sent; what is judged is mostly answered so that it passes."""
    form = next(form for form in world.study.every_form if form.name == here.part)
    showing = answers.show(world.store, me, form, occasion(here.done, form.when))
    for _ in form.items:
        yield _time(draw, who, LOOK_S)
    given = {}
    for item in form.items:
        sure = item.judged and draw.random() < PASSES
        given[item.name] = answers.Given(value=item.of.right(item) if sure else item.of.drawn(item, draw))
    sending.send(world.store, world.engine, showing.showing_id, given)
    yield 1.0


def _rest(world: World, me: str, here: Place, draw: random.Random, who: Person) -> Life:
    """A break that the study offers."""
    breaks.begin(world.store, me, here.done)
    yield 60 * draw.uniform(*PAUSE_MIN)
    breaks.end(world.store, me, here.done)
    yield 1.0


def _read(world: World, me: str, here: Place, draw: random.Random, who: Person) -> Life:
    """The study's own instructions."""
    yield _time(draw, who, READ_S)
    instructions.go_on(world.store, me)


def _come_back(world: World, me: str, here: Place, draw: random.Random, who: Person) -> Life:
    """Between two sessions: somebody comes back after hours, and again until the next can be begun."""
    yield 3600 * draw.uniform(*HOURS)
    if participants.place(world.store, world.engine, me).part == "begin":
        participants.begin_session(world.store, world.engine, me)


PARTS: Mapping[str, Callable[[World, str, Place, random.Random, Person], Life]] = {
    "form": _form,
    "break": _rest,
    "instructions": _read,
    "between": _come_back,
}
"""What is neither a task nor an end: stage → how somebody goes through it."""


def _leave(world: World, me: str, how: How) -> str:
    """Leave for good; returns where that ends."""
    if how == "away":
        return "away"
    if how == "return":
        here = participants.place(world.store, world.engine, me)
        if here.episode_id is not None:
            world.engine.end(here.episode_id, "return", actor=me)
    participants.stop(world.store, world.engine, me)
    return "stopped"


def _play(world: World, met: Meeting, here: Place, draw: random.Random, leaving: Leaving | None) -> Life:
    """One task, or as much of it as somebody does who leaves in it."""
    engine, episode = world.engine, here.episode_id or ""
    view = engine.open(episode, tab=f"bot {met.person.number}")
    yield _time(draw, met.person, READ_S)
    mind = _mind(world, met, here, view, draw)
    moves = [name for name in view.actions if name in CAMERA_ACTIONS]
    # of pictures that come one after the other all are looked at, else the answer is not asked for
    # who comes back to a task has looked at some of it already
    used = view.step.seq
    wanted, expected = view.budget - 1 - used, float(view.budget - 1 - used)
    if not view.step.paged:
        wanted, expected = mind.wanted(wanted if moves else 0, draw)
    step, before, acted, stated = view.step, None, 0, -1
    thought = mind.first_thought(draw)
    for taken in range(wanted):
        if leaving is not None and taken >= leaving.within * wanted:
            return
        if step.forced:
            break
        if _probed(view, step):
            # what is thought at first is said once; then the mind is made up, and says so wherever it may
            engine.belief(episode, view.epoch, taken + 1, thought, mind.confidence)
            stated, thought = step.seq, mind.answer
        if step.paged:
            step = engine.next_picture(episode, view.epoch, step.seq + 1, given_with="key")
        elif step.phase_used:
            step, before = engine.next_phase(episode, view.epoch, step.seq + 1, given_with="key"), None
        else:
            before, acted = mind.next_action(before, moves, draw), acted + 1
            step = engine.act(episode, view.epoch, step.seq + 1, before, given_with="key")
        yield _time(draw, met.person, LOOK_S)
    if leaving is None:
        yield _time(draw, met.person, READ_S)
        changes = 0 <= stated < step.seq and _probed(view, step)
        if changes:
            engine.belief(episode, view.epoch, wanted + 1, mind.answer, mind.confidence)
        if here.stage == "task":
            habit = mind.minds.traits.repeats
            again = habit + (1 - habit) / len(moves) if moves else None
            world.minds.put[episode] = replace(
                mind.so_far,
                looks=used + expected,
                acts=bool(moves),
                parts=step.parts,
                repeats=again if acted > 1 else None,
                revisable=changes and not used,
            )
        engine.answer(episode, view.epoch, mind.answer, mind.confidence)


def _mind(world: World, met: Meeting, here: Place, view: EpisodeView, draw: random.Random) -> Meets:
    """What somebody thinks of the task; practice is guided, so there they are right."""
    task = world.engine.task_of(view.episode_id)
    row = world.store.one("SELECT task_hash, paradigm FROM episodes WHERE episode_id = ?", [view.episode_id])
    assert row is not None
    if here.stage == "practice":
        return world.minds.guided(met.person.number, task, view)
    return world.minds.meets(met.person.number, row["task_hash"], row["paradigm"], task, view, draw)


def _probed(view: EpisodeView, step: StepView) -> bool:
    """Whether the current answer can be stated at this view."""
    return view.belief_bar and (step.seq + 1) % view.probe_every == 0


def _time(draw: random.Random, who: Person, median_s: float) -> float:
    return who.speed * median_s * draw.lognormvariate(0.0, SPREAD)
