"""The checklist of a task: what its verifier has to make sure of on each axis, filled where the evidence tells.

The lines are declared in `data.subcategories.kind`: those of every task, then those of its subcategory. A line may name one of the tellers
here, which reads the answer from the played trajectory. Where a teller is not certain it leaves the line to people and says what it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.verifying.evidence import Check, Evidence, Moment, Thing
from annotation.verifying.naming import FAULTS, words_of
from data import subcategories
from data.subcategories.kind import EVERY_TASK
from data.task import Task
from sim_bridge.actions import parse_action
from study.words import answer_in_words

SEEN_PIXELS = 400
"""Pixels of a 640 × 480 view from which a thing counts as well seen (measurement 2)."""
UNCERTAIN = frozenset({FAULTS["interpenetrating"], FAULTS["never_visible"]})
"""Faults that the simulator finds also where all is well: a lid that closes tightly, a thing in a shut box."""
SAME_PLACE_M = 0.01
"""Nothing moves less than this."""


@dataclass(frozen=True)
class Seen:
    """What a teller reads."""

    task: Task
    evidence: Evidence

    @property
    def moments(self) -> tuple[Moment, ...]:
        return self.evidence.moments

    @property
    def first(self) -> Moment:
        return self.moments[0]

    @property
    def played(self) -> bool:
        """Whether a trajectory was played; otherwise there are only views."""
        return bool(self.evidence.path_of_actions)

    @property
    def needed(self) -> tuple[str, ...]:
        """The words of what the answer depends on and of what the question asks about."""
        ask, words = self.task.question.ask, words_of(self.task)
        handles = [*self.task.essential, *((*ask.things, ask.against) if ask else ())]
        return tuple(dict.fromkeys(words[handle] for handle in handles if handle in words))

    @property
    def enough(self) -> float:
        """`SEEN_PIXELS` at the size of this task's pictures."""
        return SEEN_PIXELS * self.first.picture.width * self.first.picture.height / (640 * 480)

    def thing(self, words: str, moment: Moment | None = None) -> Thing | None:
        """A thing at a moment (the first one)."""
        return next((one for one in (moment or self.first).things if one.words == words), None)

    def most_pixels(self, words: str) -> int:
        """The most that is seen of a thing in any picture."""
        return max((one.pixels for moment in self.moments for one in moment.things if one.words == words), default=0)


Told = tuple[bool | None, str]
"""(whether it holds, from what it is read); None: people have to look."""


def _instantiated(seen: Seen) -> Told:
    wanted = tuple(dict.fromkeys((*seen.task.names.values(), *seen.needed)))
    there = {one.words for moment in seen.moments for one in moment.things if one.present}
    if not seen.first.things:
        return None, "What stands in these pictures is not known here: look."
    if absent := [words for words in wanted if words not in there]:
        return False, f"Not in the scene: {_list(absent)}."
    # the question may name what `Task.names` does not
    return None, f"In the scene: {_list(wanted)}. Look whether the question names anything else." if wanted else ""


def _places(seen: Seen) -> Told:
    sure: list[str] = []
    perhaps: list[str] = []
    for one in seen.first.things:
        # of what is inside, on or under something the simulator's examination is not certain: boxes touch what they hold
        alone = not any(one.words in relation for relation in seen.first.relations)
        for fault in one.faults if one.present else ():
            if fault in UNCERTAIN:
                perhaps += [f"the {one.words} {fault}"] if fault != FAULTS["never_visible"] else []
            else:
                (sure if alone else perhaps).append(f"the {one.words} {fault}")
    if sure:
        return False, f"At the start {_list([*sure, *perhaps])}."
    if perhaps:
        return None, f"Perhaps at the start {_list(perhaps)}: look."
    if not seen.evidence.examined or not seen.first.things:
        return None, ""
    return True, "Nothing floats, runs into something or lies outside the room."


def _transitions(seen: Seen) -> Told:
    if not seen.played:
        return None, "There is no trajectory."
    # trying what fails is evidence, too: that a thing does not fit, that a lid is locked
    failed = [f"step {one.n} ({one.action})" for one in seen.moments if not one.ok]
    inside = [f"step {one.n}" for one in seen.moments if one.clipped]
    if inside:
        return False, f"Seen from inside a wall or a thing: {_list(inside)}."
    if failed:
        return None, f"Tried, and did not work: {_list(failed)}. Look whether that is as it should be."
    return True, f"All {len(seen.moments) - 1} steps succeed, and none is seen from inside a wall or a thing."


def _drawn(seen: Seen) -> Told:
    unseen = [words for words in seen.needed if not seen.most_pixels(words)]
    if unseen and seen.played:
        return None, f"No picture shows the {_list(unseen)}: look whether what hides it is open or moved."
    return None, ""


def _gold(seen: Seen) -> Told:
    derived = seen.evidence.derived
    if not derived:
        return None, "No rule derives this answer from the state."
    agrees = derived in [answer_in_words(answer) for answer in seen.task.gold.accepted]
    return agrees, f"Read from the states along the trajectory, the answer is: {derived}."


def _reachable(seen: Seen) -> Told:
    if not seen.played:
        return None, f"There is no trajectory; the budget is {seen.task.budget} views."
    asked = [parse_action(action).name for action in seen.evidence.path_of_actions]
    if foreign := sorted(set(asked) - set(seen.task.actions)):
        return False, f"The trajectory needs what is not allowed: {_list([name.replace('_', ' ') for name in foreign])}."
    views = len(seen.moments)
    said = f"The trajectory takes {views} of {seen.task.budget} views."
    return views <= seen.task.budget, said


def _one_answer(seen: Seen) -> Told:
    accepted = [answer_in_words(answer) for answer in seen.task.gold.accepted]
    return None, f"{len(accepted)} answers are accepted: {'; '.join(accepted)}." if len(accepted) > 1 else ""


def _first_view(seen: Seen) -> Told:
    if isinstance(seen.task.first_view, str):
        return None, f"Said by its maker: {seen.task.first_view.rstrip('.')}."
    if seen.task.twin is not None and seen.task.first_view is not None:
        return None, f"Its twin has another answer, and the two first views differ by at most {seen.task.first_view:g} of 255."
    return None, f"In the first view: {_pixels(seen, seen.first)}." if seen.needed else ""


def _hidden_first(seen: Seen) -> Told:
    shown = [words for words in seen.needed if (one := seen.thing(words)) is not None and one.pixels >= seen.enough]
    return None, f"In the first view: {_pixels(seen, seen.first)}." if shown else "None of them is well seen in the first view."


def _shown_later(seen: Seen) -> Told:
    best = {words: seen.most_pixels(words) for words in seen.needed}
    if not best or not seen.played:
        return None, ""
    said = f"Most that is seen of it on the way: {_list([f'{words} {n} pixels' for words, n in best.items()])}."
    return (True, said) if all(n >= seen.enough for n in best.values()) else (None, said)


def _changes(seen: Seen) -> Told:
    parts = list(dict.fromkeys(moment.phase for moment in seen.moments))
    if len(parts) < 2:
        return False, "The task has one part: nothing can change between two."
    before, after = (next(m for m in reversed(seen.moments) if m.phase == parts[0]), next(m for m in seen.moments if m.phase == parts[-1]))
    changed = [
        one.words
        for one in before.things
        if (then := seen.thing(one.words, after)) is not None
        and (one.present != then.present or (one.present and _far(one.centre_m, then.centre_m) > SAME_PLACE_M))
    ]
    return None, f"Between the parts these change: {_list(changed)}." if changed else "Between the parts nothing changes."


def _relations(seen: Seen) -> Told:
    last = seen.moments[-1]
    told = [one for one in last.relations if any(words in one for words in seen.needed)]
    return None, f"At the end: {_list(told)}." if told else "At the end none of them touches, holds or carries another."


def _counts(seen: Seen) -> Told:
    ask = seen.task.question.ask
    if ask is None or not ask.category or not seen.first.things:
        return None, ""
    kind = ask.category.replace("_", " ")
    there = [one for one in seen.first.things if one.present and one.category == kind]
    unseen = [one.words for one in there if not seen.most_pixels(one.words)]
    return None, f"{len(there)} of the category {kind} are in the scene; never seen on the way: {_list(unseen) or 'none'}."


def _sizes(seen: Seen) -> Told:
    told = [
        f"the {words} {' × '.join(f'{side:.2f}' for side in one.size_m)} m"
        for words in seen.needed
        if (one := seen.thing(words)) is not None
    ]
    return None, f"Boxes around them: {_list(told)}." if told else ""


def _distances(seen: Seen) -> Told:
    there = [(words, one.centre_m) for words in seen.needed if (one := seen.thing(words)) is not None]
    told = [f"{a} to {b} {_far(p, q):.2f} m" for n, (a, p) in enumerate(there) for b, q in there[n + 1 :]]
    return None, f"Between their middles: {_list(told)}." if told else ""


def _states(seen: Seen) -> Told:
    last = seen.moments[-1]
    told = [f"{words}: {', '.join(one.states)}" for words in seen.needed if (one := seen.thing(words, last)) is not None and one.states]
    return None, f"At the end {_list(told)}." if told else ""


def _rooms(seen: Seen) -> Told:
    told = [f"the {words}: {one.room}" for words in seen.needed if (one := seen.thing(words)) is not None and one.room]
    names = list(dict.fromkeys(name for name, _ in seen.evidence.map.rooms)) if seen.evidence.map else []
    return None, " ".join([*([f"By the state, {_list(told)}."] if told else []), *([f"Rooms: {_list(names)}."] if len(names) > 1 else [])])


TELLERS: Mapping[str, Callable[[Seen], Told]] = {
    "instantiated": _instantiated,
    "places": _places,
    "transitions": _transitions,
    "drawn": _drawn,
    "gold": _gold,
    "reachable": _reachable,
    "one_answer": _one_answer,
    "first_view": _first_view,
    "hidden_first": _hidden_first,
    "shown_later": _shown_later,
    "changes": _changes,
    "relations": _relations,
    "counts": _counts,
    "sizes": _sizes,
    "distances": _distances,
    "states": _states,
    "rooms": _rooms,
}
"""Name in a declared line → what fills it."""


def filled(task: Task, evidence: Evidence | None) -> tuple[Check, ...]:
    """The lines for a task, those of one axis together.

    Args:
        task: the task.
        evidence: what a simulator made of its trajectory; None, or one without moments: nothing is filled.
    """
    declared = subcategories.BY_KEY.get((task.category, task.subcategory))
    lines = (*EVERY_TASK, *(declared.checklist if declared else ()))
    seen = Seen(task, evidence) if evidence is not None and evidence.moments else None
    found = []
    for axis in dict.fromkeys(line.axis for line in lines):
        for line in lines:
            if line.axis == axis:
                holds, why = TELLERS[line.tells](seen) if seen is not None and line.tells else (None, "")
                found.append(Check(axis, line.text, holds, why))
    return tuple(found)


def _pixels(seen: Seen, moment: Moment) -> str:
    return _list([f"{words} {one.pixels} pixels" for words in seen.needed if (one := seen.thing(words, moment)) is not None])


def _list(words: Sequence[str]) -> str:
    return ", ".join(words)


def _far(a: Sequence[float], b: Sequence[float]) -> float:
    return float(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5)
