"""Is a set of tasks balanced? Entropies, positions, ranks, misleading looks, and what the question's words alone give away."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from data.task import Answer, Task

MIN_ANSWER_ENTROPY = 0.95
MIN_OBJECT_ENTROPY = 0.85
MAX_SHORTCUT = 0.05
"""How far a model that reads the question alone may be above the most frequent answer's rate."""


def entropy(counts: Iterable[int]) -> float:
    """Shannon entropy of the counts, divided by that of a uniform distribution over as many values; 1 for a single value.

    Example:
        >>> round(entropy([5, 5]), 3), round(entropy([9, 1]), 3)
        (1.0, 0.469)
    """
    kept = [n for n in counts if n > 0]
    if len(kept) < 2:
        return 1.0
    total = sum(kept)
    return -sum(n / total * math.log(n / total) for n in kept) / math.log(len(kept))


def answer_text(task: Task) -> str:
    """The canonical gold as one string."""
    return _text(task, task.gold.accepted[0])


def accepted(task: Task) -> set[str]:
    """Every accepted gold as a string."""
    return {_text(task, gold) for gold in task.gold.accepted}


def _text(task: Task, answer: Answer) -> str:
    if isinstance(answer, dict):
        if task.question.form == "pair":  # which of each, whatever the two things are called
            return " > ".join(answer[name] for name in task.question.blank_names)
        return "; ".join(f"{k}={v}" for k, v in sorted(answer.items()))
    return answer if isinstance(answer, str) else " > ".join(answer)


def position(task: Task) -> int | None:
    """Index of the gold among the options in the document's order; None where an answer is no single option."""
    gold = task.gold.accepted[0]
    return task.question.options.index(gold) if isinstance(gold, str) and gold in task.question.options else None


def _places(task: Task, order: Answer) -> tuple[int, ...]:
    """A sequence as the places of its parts in the list of the question."""
    return tuple(task.question.options.index(part) for part in order)


def rank(task: Task) -> int | None:
    """Rank of a numeric gold among numeric options, 0 the least."""
    try:
        values = sorted(float(o) for o in task.question.options)
        return values.index(float(answer_text(task)))
    except ValueError:
        return None


def report(tasks: Sequence[Task]) -> dict[str, Any]:
    """Figures per subcategory, and what misses its bound.

    Returns:
        ``{"subcategories": [{category, subcategory, tasks, answer_entropy, object_entropy, positions, ranks, looks, majority,
        question_only, problems}], "problems": number}``; shares are fractions of 1.
    """
    groups: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        groups[(task.category, task.subcategory)].append(task)
    rows = [_row(category, subcategory, group) for (category, subcategory), group in groups.items()]
    return {"subcategories": rows, "problems": sum(len(r["problems"]) for r in rows)}


def _row(category: str, subcategory: str, tasks: list[Task]) -> dict[str, Any]:
    positions = Counter(p for t in tasks if (p := position(t)) is not None)
    sizes = Counter(len(t.question.options) for t in tasks)
    ranks = Counter(r for t in tasks if (r := rank(t)) is not None)
    looks = Counter(t.tags.get("looks", "neutral") for t in tasks)
    objects = Counter(o.category for t in tasks for o in t.scene.objects if o.handle in t.essential)
    orders = Counter(_places(t, gold) for t in tasks for gold in t.gold.accepted if t.question.form == "sequence")
    # Questions with different numbers of options ("did it change", "which changed") are each balanced for themselves.
    answers = [_answers(tasks)] if orders else [_answers([t for t in tasks if len(t.question.options) == size]) for size in sizes]
    answer_entropy, object_entropy = min(entropy(found.values()) for found in answers), entropy(objects.values())
    majority = max(orders.values()) / len(tasks) if orders else sum(max(found.values()) for found in answers) / len(tasks)
    guessed = question_only(tasks)
    problems = []
    if answer_entropy < MIN_ANSWER_ENTROPY:
        problems.append(f"answers are uneven: entropy {answer_entropy:.2f} < {MIN_ANSWER_ENTROPY}")
    if object_entropy < MIN_OBJECT_ENTROPY:
        problems.append(f"objects are uneven: entropy {object_entropy:.2f} < {MIN_OBJECT_ENTROPY}")
    if len(sizes) == 1 and positions and not _even(positions, next(iter(sizes))):
        problems.append(f"gold positions are uneven: {dict(sorted(positions.items()))}")
    if ranks and len(sizes) == 1 and not _even(ranks, next(iter(sizes))):
        problems.append(f"gold ranks are uneven: {dict(sorted(ranks.items()))}")
    if looks["congruent"] != looks["incongruent"]:
        problems.append(f"looks are uneven: {looks['congruent']} congruent, {looks['incongruent']} incongruent")
    if guessed > majority + MAX_SHORTCUT:
        problems.append(f"the question alone gives the answer away: {guessed:.2f} against {majority:.2f}")
    return {
        "category": category,
        "subcategory": subcategory,
        "tasks": len(tasks),
        "answer_entropy": round(answer_entropy, 4),
        "object_entropy": round(object_entropy, 4),
        "positions": {str(k): v for k, v in sorted(positions.items())},
        "ranks": {str(k): v for k, v in sorted(ranks.items())},
        "looks": dict(sorted(looks.items())),
        "majority": round(majority, 4),
        "question_only": round(guessed, 4),
        "problems": problems,
    }


def _answers(tasks: list[Task]) -> Counter[Any]:
    """How often each answer is the right one; where tasks have options of their own, the place of the gold among them counts."""
    orders = Counter(_places(t, t.gold.accepted[0]) for t in tasks if t.question.form == "sequence")
    places = Counter(p for t in tasks if (p := position(t)) is not None)
    fixed = len({frozenset(t.question.options) for t in tasks}) == 1
    return orders or (Counter(answer_text(t) for t in tasks) if fixed or not places else places)


def _even(counts: Counter[int], values: int) -> bool:
    """As even as whole numbers allow, over all values that may occur."""
    every = [counts.get(v, 0) for v in range(values)]
    return max(every) - min(every) <= 1


def question_only(tasks: Sequence[Task]) -> float:
    """Accuracy of a naive Bayes model that sees the question's words and the options, left-one-item-out (twins are one item).

    Every option is scored by how much more often its words (alone, with its place, and joined to the question's words) belonged to the
    right answer than to a wrong one in the other items; ties share the credit.
    """
    items: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        items[min(task.task_id, task.twin or task.task_id)].append(task)
    features = {t.task_id: [(_features(t, o), o) for o in _options(t)] for t in tasks}
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for task in tasks:
        for found, option in features[task.task_id]:
            (right if option in accepted(task) else wrong).update(found)
    score = 0.0
    for group in items.values():
        own_right: Counter[str] = Counter()
        own_wrong: Counter[str] = Counter()
        for task in group:
            for found, option in features[task.task_id]:
                (own_right if option in accepted(task) else own_wrong).update(found)
        r_total, w_total = sum(right.values()) - sum(own_right.values()), sum(wrong.values()) - sum(own_wrong.values())
        size = len(right | wrong)
        for task in group:
            scores = [
                sum(
                    math.log((right[f] - own_right[f] + 1) / (r_total + size)) - math.log((wrong[f] - own_wrong[f] + 1) / (w_total + size))
                    for f in found
                )
                for found, _ in features[task.task_id]
            ]
            best = [option for value, (_, option) in zip(scores, features[task.task_id], strict=True) if value > max(scores) - 1e-9]
            score += sum(option in accepted(task) for option in best) / max(len(best), 1)
    return score / len(tasks) if tasks else 0.0


def _options(task: Task) -> list[str]:
    """What could be answered: the options, or for composed answers the golds of all kinds that the document allows."""
    gold, asked = answer_text(task), task.question
    if asked.form in ("blanks", "pair"):
        return [" > ".join(words) for words in itertools.product(*asked.blanks)]
    if asked.form == "assignment":
        return [
            _text(task, dict(zip(asked.options, way, strict=True))) for way in itertools.product(asked.targets, repeat=len(asked.options))
        ]
    if asked.form == "sequence":
        return [_text(task, list(parts)) for parts in itertools.permutations(asked.options)]
    return list(task.question.options) if gold in task.question.options else [gold, "another"]


def _features(task: Task, option: str) -> list[str]:
    words = re.findall(r"[a-z0-9']+", option.lower())
    asked = re.findall(r"[a-z0-9']+", task.question.text.lower())
    place = task.question.options.index(option) if option in task.question.options else -1
    return [*words, f"@{place}", *(f"{a}+{w}" for a in set(asked) for w in words)]
