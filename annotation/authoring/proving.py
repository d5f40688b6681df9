"""The generators' own checks of what a person made: played in a fresh session, its gold derived again, its twin compared.

What a generator's judge says is one of three things: the gold (all is well), another answer (the gold contradicts the state: refused), or
which of its conditions does not hold (told; the author may say why the task is sound all the same).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from annotation.authoring import draft as drafting
from annotation.authoring.draft import Draft, compose, missing
from annotation.authoring.drafts import Kept
from annotation.authoring.stage import FAULTS, called, in_words
from data.generators.framework import CANNOT_READ, ENOUGH_PIXELS, FIRST_VIEW_DIFFERENCE, Generator
from data.generators.framework import derived as read_by
from data.generators.lab import Lab, Playing, Trial, difference, play
from data.generators.registry import GENERATORS
from data.task import REHEARSAL, Answer, Task
from sim_bridge.errors import ActionError, SceneError
from study.scoring import read_strictly


@dataclass(frozen=True)
class Found:
    """One thing that a check found."""

    text: str
    """A sentence."""
    stops: bool = True
    """The task cannot be handed in with it; otherwise its author may say why it is sound all the same."""


@dataclass(frozen=True)
class Proof:
    """What the checks say of a draft."""

    found: tuple[Found, ...]
    derived: str
    """What the simulator says that the answer is; empty: it cannot say."""
    views: int
    """Observations of the recorded way."""
    early: tuple[str, ...] = ()
    """Where no generator's condition was checked: on which things the answer depends that the first view shows well, with their pixels."""

    @property
    def stops(self) -> tuple[str, ...]:
        """What must be put right."""
        return tuple(one.text for one in self.found if one.stops)


def generator_of(draft: Draft) -> Generator | None:
    """The generator of a subcategory; None: nothing generates it."""
    return next((g for g in GENERATORS if (g.category, g.subcategory) == (draft.category, draft.subcategory)), None)


def worded(draft: Draft) -> str:
    """The question as the generator words it; empty where it cannot."""
    generator = generator_of(draft)
    if generator is None or draft.asks not in generator.asks:
        return ""
    keys = {thing.key: thing.key for thing in draft.things}
    asked = drafting.ask(draft, keys)
    names = {thing.key: thing.words.strip() for thing in draft.things if thing.words.strip()}
    assert asked is not None
    try:
        return generator.wordings(draft.asks)[0](asked, names, draft.options)
    except CANNOT_READ:
        return ""


def rehearsed(kept: Kept) -> Task:
    """The draft as its author plays it: a task without a trajectory that is in no list.

    Raises:
        BadDraft: it makes no task yet.
    """
    draft = kept.draft
    task = compose(draft.model_copy(update={"argument": draft.argument or "rehearsal"}), kept.task_id, kept.family, with_path=False)
    provenance = task.provenance.model_copy(update={"dataset": REHEARSAL})
    return task.model_copy(update={"task_id": f"rehearsal-{task.task_id}", "provenance": provenance})


def finished(kept: Kept, twin: Kept | None) -> Task:
    """The task that a draft becomes.

    Raises:
        BadDraft: it makes none yet.
    """
    return compose(
        kept.draft, kept.task_id, kept.family, twin=twin.task_id if twin else None, first_view=FIRST_VIEW_DIFFERENCE if twin else None
    )


def prove(lab: Lab, kept: Kept, twin: Kept | None) -> Proof:
    """Check a draft as the generators check their own.

    Args:
        lab: a simulator.
        kept: the draft.
        twin: its twin's draft, where it has one.

    Raises:
        BridgeError: no simulator can be reached.
    """
    draft = kept.draft
    found = [Found(text) for text in missing(draft, twin=twin is not None)]
    if not draft.path:
        found.append(Found("Record the way that shows the answer."))
    if found:
        return Proof(tuple(found), "", 0)
    task = finished(kept, twin)
    try:
        with lab.open(task.scene, task.start) as trial:
            found += _stands(draft, kept.family, trial)
        playing = play(lab, task, pictures=False)
    except SceneError as error:
        return Proof((*found, Found(f"The scene cannot be built: {in_words(str(error), draft, kept.family)}.")), "", 0)
    except ActionError as error:
        return Proof((*found, Found(f"The recorded way does not fit this scene: {error} Record it again.")), "", 0)
    derived, more = _judged(draft, task, playing)
    found += more
    # where the judge derives the right answer, what fails is part of what shows it: a thing that was tried and does not fit
    tried = bool(derived) and not any(one.stops for one in more)
    found += _seen(draft, kept.family, playing, tried=tried)
    views = len(playing.steps)
    if views > draft.budget * 2 // 3:
        found.append(Found(f"The way takes {views} views: a proof has two thirds of the budget, which are {draft.budget * 2 // 3}."))
    if twin is not None:
        found += _twins(lab, task, kept, twin)
    return Proof(tuple(found), derived, views, () if derived or more or twin else _early(draft, kept.family, playing))


def _stands(draft: Draft, family: str, trial: Trial) -> list[Found]:
    """What is wrong with how things stand at the start."""
    keys = {handle: key for key, handle in drafting.handles(draft, family).items()}
    names = {thing.key: called(thing) for thing in draft.things}
    state = trial.audited()
    found = [
        Found(FAULTS[flag].format(f"The {names[keys[o.handle]]}"), stops=flag != "moved_after_settling")
        for o in sorted(state.objects, key=lambda o: int(keys[o.handle][1:]))
        for flag in FAULTS
        if o.present and o.flags.get(flag)
    ]
    if trial.first.observation.clipped:
        found.append(Found("The start view is inside a wall or a thing."))
    return found


def _judged(draft: Draft, task: Task, playing: Playing) -> tuple[str, list[Found]]:
    """What the generator's judge derives, and what is wrong with it."""
    generator = generator_of(draft)
    if generator is None or generator.judge is None or not draft.asks:
        return "", []
    if draft.asks not in generator.asks:
        return "", [Found(f"The generator of this subcategory asks {', '.join(generator.asks)}, and not {draft.asks!r}.")]
    derived = read_by(generator, playing)
    if derived is None:
        return "", [Found("The generator's judge cannot read this scene: it is built otherwise than the generator's own.", stops=False)]
    if derived in task.gold.accepted:
        return _text(derived), []
    if _is_answer(task, derived):
        says = f"the simulator finds {_text(derived)!r}, you say {_text(task.gold.accepted[0])!r}"
        return _text(derived), [Found(f"The right answer contradicts the state: {says}.")]
    return "", [Found(f"A condition of this subcategory does not hold: {_text(derived)}.", stops=False)]


def _is_answer(task: Task, derived: Answer) -> bool:
    """Whether a judge's word answers the question, and does not say what is amiss."""
    question = task.question
    if isinstance(derived, str):
        return derived in question.options or (question.form in ("count", "number") and derived[:1].isdigit())
    return read_strictly(task, derived) is not None


def _text(answer: Answer) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, sort_keys=True)


def _seen(draft: Draft, family: str, playing: Playing, *, tried: bool) -> list[Found]:
    """Steps that fail, views from inside something, and what is never seen well."""
    named = drafting.handles(draft, family)
    found = [
        Found(in_words(f"Step {n} of the way fails: {step.action}{f', {step.reason}' if step.reason else ''}.", draft, family))
        for n, step in enumerate(playing.steps)
        if not step.ok and not tried
    ]
    found += [Found(f"The view of step {n} is inside a wall or a thing.") for n, step in enumerate(playing.steps) if step.clipped][:1]
    for thing in draft.things:
        best = max((step.visible.get(named[thing.key], 0) for step in playing.steps[1:]), default=0)
        if thing.essential and best < ENOUGH_PIXELS:
            found.append(Found(f"The {called(thing)}, on which the answer depends, is never seen well on the way: {best} pixels at most."))
    return found


def _early(draft: Draft, family: str, playing: Playing) -> tuple[str, ...]:
    """What the answer depends on and the first view shows well."""
    named = drafting.handles(draft, family)
    pixels = {thing.key: playing.steps[0].visible.get(named[thing.key], 0) for thing in draft.things if thing.essential}
    return tuple(f"the {called(one)} ({pixels[one.key]} pixels)" for one in draft.things if pixels.get(one.key, 0) >= ENOUGH_PIXELS)


def _twins(lab: Lab, task: Task, kept: Kept, twin: Kept) -> list[Found]:
    """What keeps two drafts from being twins."""
    other = finished(twin, kept) if not missing(twin.draft, twin=True) else None
    if other is None:
        return [Found("The twin is not complete: open it, and fill in what is missing.")]
    found = []
    if other.gold.accepted[0] == task.gold.accepted[0]:
        found.append(Found("Twins have opposite answers, and these have the same."))
    if other.question != task.question:
        found.append(Found("Twins ask the same question with the same options about the same things, and these differ."))
    with lab.open(task.scene, task.start) as one, lab.open(other.scene, other.start) as two:
        apart = difference(one.first.observation.frames[-1], two.first.observation.frames[-1])
    if apart > FIRST_VIEW_DIFFERENCE:
        told = f"{apart:.2f} grey levels a pixel, and may by {FIRST_VIEW_DIFFERENCE:g}"
        found.append(Found(f"The twins' first views differ by {told}: one view would tell."))
    return found


def settled(lab: Lab, task: Task) -> Task:
    """The task with where everything lies at its start."""
    with lab.open(task.scene, task.start) as trial:
        objects = trial.state().objects
    # + 0.0: no −0
    there = {o.handle: tuple(round(v, 3) + 0.0 for v in o.pose.position_m) for o in objects if o.present}
    return task.model_copy(update={"settled": there})


__all__ = ["Found", "Proof", "finished", "generator_of", "prove", "rehearsed", "settled", "worded"]
