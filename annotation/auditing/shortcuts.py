"""How well golds are guessed without looking: small cross-validated models of what stands in a row's text.

A question is a choice among candidate answers; a candidate has features; a conditional logit (softmax over the candidates, ridge 1)
learns from the other folds which features golds have. Rows that say the same (twins, repeated questions) are in one fold, so that nothing
is recognised again. Nothing here reads a picture, a pose or the ground-truth trajectory.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from data.task import Answer, Task

FOLDS = 10
MAX_CANDIDATES = 200
"""A question with more possible answers is not modelled."""
ENOUGH = 12
"""Kinds with fewer different questions are not tested: even all right would be no alarm after correction."""
LEVEL = 0.05
"""Family-wise over an audit: Holm over the kinds, Bonferroni over the signals."""
RIDGE = 1.0

Features = dict[str, float]
_COUNTED = re.compile(r'category "([^"]+)"')
"""How released questions name what they count."""
_WORD = re.compile(r"[a-z]+|\d+")


@dataclass(frozen=True)
class Choice:
    """A question as a choice: its candidates, which of them are right, and its group (rows that say the same)."""

    task: Task
    candidates: tuple[Answer, ...]
    right: tuple[bool, ...]
    group: str


def words(text: str) -> list[str]:
    """Lower-case words and numbers of a text."""
    return _WORD.findall(text.lower().replace("_", " "))


def flat(answer: Answer) -> tuple[str, ...]:
    """An answer as a tuple of texts; a mapping in the order of its keys."""
    if isinstance(answer, str):
        return (answer,)
    return tuple(answer) if isinstance(answer, list) else tuple(f"{key}: {answer[key]}" for key in sorted(answer))


def candidates(task: Task) -> tuple[Answer, ...]:
    """Every well-formed answer where they can be listed, else none."""
    asked = task.question
    if asked.form == "sequence":
        if math.factorial(len(asked.options)) > MAX_CANDIDATES:
            return ()
        return tuple(list(order) for order in itertools.permutations(asked.options))
    if asked.form in ("blanks", "pair"):
        if not asked.blanks or math.prod(map(len, asked.blanks)) > MAX_CANDIDATES:
            return ()
        found = itertools.product(*asked.blanks)
        names = asked.blank_names
        return tuple(dict(zip(names, one, strict=True)) if asked.form == "pair" and names else list(one) for one in found)
    if asked.form == "assignment":
        if not asked.targets or len(asked.targets) ** len(asked.options) > MAX_CANDIDATES:
            return ()
        return tuple(dict(zip(asked.options, one, strict=True)) for one in itertools.product(asked.targets, repeat=len(asked.options)))
    return tuple(asked.options) if len(asked.options) <= MAX_CANDIDATES else ()


def choices(tasks: Iterable[Task]) -> list[Choice]:
    """Questions whose candidates are known and hold the gold, one for each (question, gold): a copy tells nothing new."""
    tasks = list(tasks)
    found: dict[tuple[str, str, str], Choice] = {}
    for task, same in zip(tasks, groups(tasks), strict=True):
        listed = candidates(task)
        accepted = {flat(answer) for answer in task.gold.accepted}
        right = tuple(flat(one) in accepted for one in listed)
        if len(listed) < 2 or not any(right):
            continue
        found.setdefault((_text(task), _scene(task), str(sorted(accepted))), Choice(task, listed, right, same))
    return list(found.values())


def groups(tasks: Sequence[Task]) -> list[str]:
    """To which group each task of one kind belongs: twins, and rows that say the same, are one group and one observation."""
    texts = Counter(_text(task) for task in tasks)
    # where few texts serve a whole kind they are a template, and the same text is not the same question
    template = bool(texts) and (len(texts) < ENOUGH or max(texts.values()) > len(tasks) / 3)
    return [min(task.task_id, task.twin) if task.twin else _scene(task) if template else _text(task) for task in tasks]


def _text(task: Task) -> str:
    return json.dumps([task.question.text, sorted(task.question.options)])


def _scene(task: Task) -> str:
    return json.dumps([_text(task), sorted((o.category, [round(x, 2) for x in o.pose.position_m]) for o in task.scene.objects)])


# --- what a candidate shows -------------------------------------------------------------------------------------------


def position(choice: Choice, n: int, closed: bool) -> Features:
    """Where it stands among the options, and when the question names it."""
    parts = flat(choice.candidates[n])
    options = choice.task.question.options
    if choice.task.question.form == "sequence":
        named = _mentioned(choice.task, options)
        return {f"option {options.index(p)} at {i}": 1.0 for i, p in enumerate(parts)} | {
            f"mention {named.index(p)} at {i}": 1.0 for i, p in enumerate(parts)
        }
    if len(parts) != 1 or choice.task.question.form not in ("choice", "yes_no", "count", "number"):
        return {}
    found = {f"place {n}": 1.0, f"from the end {len(options) - n}": 1.0}
    named = _mentioned(choice.task, options)
    if all(option.lower() in choice.task.question.text.lower() for option in options):
        found[f"mention {named.index(parts[0])}"] = 1.0
    return found


def _mentioned(task: Task, options: Sequence[str]) -> list[str]:
    text = task.question.text.lower()
    return sorted(options, key=lambda option: (text.find(option.lower()) % (1 << 30), option))


def rank(choice: Choice, n: int, closed: bool) -> Features:
    """Its rank in size among numerals, and in length among words."""
    values = [flat(c) for c in choice.candidates]
    if any(len(v) != 1 for v in values):
        return {}
    own = values[n][0]
    if _numerals(choice):
        numbers = sorted(int(v[0]) for v in values)
        at = numbers.index(int(own))
        return {f"rank {at}": 1.0, f"rank from the largest {len(numbers) - at}": 1.0, f"value {int(own)}": 1.0}
    longer = sum(len(v[0]) > len(own) for v in values)
    return {"longest": float(longer == 0), "shortest": float(longer == len(values) - 1)}


def wording(choice: Choice, n: int, closed: bool) -> Features:
    """Its words, each with its place in an order; of a closed set (yes and no, A and B) beside the question's words."""
    parts = flat(choice.candidates[n])
    if choice.task.question.form == "sequence":
        middle = (len(parts) - 1) / 2
        return _sum((f"{word} higher", (i - middle) / max(middle, 1)) for i, part in enumerate(parts) for word in words(part))
    if closed:
        own = "|".join(parts)
        return {own: 1.0} | {f"{own} & {word}": 0.5 for word in set(words(choice.task.question.text))}
    return _sum((word, 1.0) for part in parts for word in words(part))


def objects(choice: Choice, n: int, closed: bool) -> Features:
    """The kind of thing it names (its last word); of a closed set beside the kinds of things that the question names or asks about."""
    parts = flat(choice.candidates[n])
    if choice.task.question.form == "sequence":
        middle = (len(parts) - 1) / 2
        return _sum((f"{(words(p) or [''])[-1]} higher", (i - middle) / max(middle, 1)) for i, p in enumerate(parts))
    if closed:
        own = "|".join(parts)
        return {own: 1.0} | {f"{own} & {kind}": 1.0 for kind in named_categories(choice.task)}
    return _sum((words(part)[-1], 1.0) for part in parts if words(part))


def ratio(choice: Choice, n: int, closed: bool) -> Features:
    """A numeral's size as a share of the largest option, of their sum, and of the last number in the question."""
    values = [flat(c) for c in choice.candidates]
    if not _numerals(choice):
        return {}
    numbers = [int(v[0]) for v in values]
    found = {f"of the largest {numbers[n] / max(*numbers, 1):.1f}": 1.0, f"of the sum {numbers[n] / max(sum(numbers), 1):.2f}": 1.0}
    told = [int(word) for word in words(choice.task.question.text) if word.isdecimal()]
    return found | ({f"of the number told {numbers[n] / told[-1]:.1f}": 1.0} if told and told[-1] else {})


def _sum(pairs: Iterable[tuple[str, float]]) -> Features:
    found: Features = {}
    for name, value in pairs:
        found[name] = found.get(name, 0.0) + value
    return found


def named_categories(task: Task) -> list[str]:
    """Categories of what the question is about: what it counts, else the named things, else the essential ones; each once, unordered."""
    counted = {name.lower() for name in _COUNTED.findall(task.question.text)}
    handles = set(task.names) or set(task.essential)
    return sorted(counted or {o.category for o in task.scene.objects if o.handle in handles})


Family = Callable[[Choice, int, bool], Features]
FAMILIES: dict[str, tuple[str, Family]] = {
    "position": ("where the answer stands among the options or in the question", position),
    "rank": ("its rank among the options", rank),
    "wording": ("the words of question and options", wording),
    "objects": ("the kinds of things that are named", objects),
    "ratio": ("a constant share of the largest option, of their sum or of a number in the question", ratio),
}
"""Signal → (in words, the features)."""


# --- the model --------------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]


def guesses(found: Sequence[Choice], family: Family, folds: int = FOLDS) -> list[bool] | None:
    """For each question whether a model that learned from the other folds guesses it; None: the signal tells candidates apart in none.

    Groups go to the folds in turn, in the order of their first row. A tie between candidates, one of them wrong, counts as wrong.
    """
    shares = credited(found, family, folds)
    return None if shares is None else [one == 1.0 for one in shares]


def credited(found: Sequence[Choice], family: Family, folds: int = FOLDS) -> list[float] | None:
    """The same, 0 to 1, where candidates that tie share the guess: a signal that says nothing gets what chance gets."""
    closed = len({frozenset(map(flat, choice.candidates)) for choice in found}) == 1 or all(map(_numerals, found))
    names: dict[str, int] = {}
    table = [[family(choice, n, closed) for n in range(len(choice.candidates))] for choice in found]
    if not any(one != here[0] for here in table for one in here):
        return None
    entries = [
        (line, names.setdefault(name, len(names)), value)
        for line, one in enumerate(itertools.chain.from_iterable(table))
        for name, value in one.items()
        if value
    ]
    sizes = np.array([len(choice.candidates) for choice in found])
    lines, columns, values = zip(*entries, strict=True)
    x = scipy.sparse.csr_matrix((values, (lines, columns)), shape=(int(sizes.sum()), len(names)), dtype=np.float64)
    owner = np.repeat(np.arange(len(found)), sizes)
    right = np.array([r for choice in found for r in choice.right], dtype=np.float64)
    fold = _folds(found, folds)
    told = [0.0] * len(found)
    for held in range(int(fold.max()) + 1):
        learn = fold[owner] != held
        weights = _fit(x[learn], owner[learn], right[learn])
        scores = x[~learn] @ weights
        for question in np.flatnonzero(fold == held):
            mine = owner[~learn] == question
            best = scores[mine] >= scores[mine].max() - 1e-9
            told[question] = float(right[owner == question][best].mean())
    return told


def _numerals(choice: Choice) -> bool:
    return all(isinstance(one, str) and one.strip().isdecimal() for one in choice.candidates)


def _folds(found: Sequence[Choice], folds: int) -> NDArray[np.int64]:
    groups: dict[str, int] = {}
    for choice in found:
        groups.setdefault(choice.group, len(groups))
    return np.array([groups[choice.group] % folds for choice in found])


def _fit(x: scipy.sparse.csr_matrix, owner: NDArray[np.int64], right: Floats) -> Floats:
    """Weights of the conditional logit: the logarithm of the probability of all right candidates, less a ridge."""
    _, question = np.unique(owner, return_inverse=True)
    count = int(question.max()) + 1
    transposed = x.T.tocsr()

    def loss(weights: Floats) -> tuple[float, Floats]:
        score = x @ weights
        top = np.full(count, -np.inf)
        np.maximum.at(top, question, score)
        weight = np.exp(score - top[question])
        whole = np.bincount(question, weight, count)
        good = np.bincount(question, weight * right, count)
        miss = weight / whole[question] - weight * right / np.maximum(good, 1e-300)[question]
        value = float(np.log(whole / np.maximum(good, 1e-300)).sum() + RIDGE / 2 * weights @ weights)
        return value, transposed @ miss + RIDGE * weights

    # conjugate gradients call no threaded library: on a busy machine its waiting takes far longer than these small fits (design 0052)
    found: Floats = scipy.optimize.minimize(loss, np.zeros(x.shape[1]), jac=True, method="CG", options={"maxiter": 60}).x
    return found


# --- what it is measured against --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Signal:
    """How far one signal gets in one kind."""

    right: int
    n: int
    """Different questions."""
    against: float
    """The better of always saying the most frequent gold and guessing blindly."""
    p: float
    """One-sided, exact binomial on the groups: rows that say the same are one observation."""
    guessed: tuple[Choice, ...]


def base_rate(found: Sequence[Choice]) -> tuple[float, float]:
    """(share of the most frequent gold, mean chance) of questions."""
    golds = Counter(flat(choice.task.gold.accepted[0]) for choice in found)
    chance = sum(sum(choice.right) / len(choice.right) for choice in found) / len(found)
    return max(golds.values()) / len(found), chance


def signal(tasks: Iterable[Task], name: str) -> Signal | None:
    """How far a signal gets in the tasks of one kind; None: too few different questions, or it tells no candidates apart."""
    found = choices(tasks)
    groups = len({choice.group for choice in found})
    told = guesses(found, FAMILIES[name][1]) if groups >= ENOUGH else None
    if told is None:
        return None
    against = max(base_rate(found))
    guessed = tuple(choice for choice, yes in zip(found, told, strict=True) if yes)
    return Signal(len(guessed), len(told), against, _p(len(guessed) / len(told), groups, against), guessed)


def _p(share: float, groups: int, against: float) -> float:
    if against >= 1:
        return 1.0
    return float(scipy.stats.binomtest(math.floor(share * groups + 1e-9), groups, against, alternative="greater").pvalue)
