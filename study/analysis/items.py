"""Items of a study: difficulty, discrimination and flags of each task in each paradigm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from data.plurals import number_of
from study.analysis.accuracy import by, counted, excluded, scored
from study.analysis.choice import Choice
from study.analysis.trials import Trial
from study.measures.items import FLAGS, Item, items


@dataclass(frozen=True)
class StudyItem:
    """One task in one paradigm."""

    task_id: str
    task: str
    """Hash of the task document that was met most often."""
    category: str
    subcategory: str
    paradigm: str
    item: Item


def items_of(rows: Sequence[Trial], choice: Choice) -> list[StudyItem]:
    """The items of a study, by paradigm and task, in order of first appearance. Each paradigm has abilities and a family of tests of its
    own."""
    found = []
    for (paradigm,), group in by(rows, "paradigm").items():
        known = scored(counted(group, choice), choice.truth)
        tasks = by((row for row, _ in known), "task_id")
        of_task = by(group, "task_id")
        made = items(
            [right for _, right in known],
            [row.person for row, _ in known],
            [row.task_id for row, _ in known],
            [row.chance for row, _ in known],
            [row.confidence for row, _ in known],
            seed=choice.seed,
        )
        for item in made:
            answered, whole = tasks[(str(item.task),)], of_task[(str(item.task),)]
            versions = [row.task for row in answered]
            difficulty = replace(
                item.difficulty,
                n_missing=len(counted(whole, choice)) - len(answered),
                n_excluded=excluded(whole, choice),
            )
            first = answered[0]
            most = max(dict.fromkeys(versions), key=versions.count)
            told = replace(item, difficulty=difficulty)
            found.append(StudyItem(first.task_id, most, first.category, first.subcategory, paradigm, told))
    return found


def flagged(found: Sequence[StudyItem]) -> list[StudyItem]:
    """The items that a flag sends back to verification, those with most flags first."""
    return sorted((one for one in found if one.item.flags), key=lambda one: (-len(one.item.flags), one.task_id, one.paradigm))


def reasons(found: Sequence[StudyItem]) -> dict[str, str]:
    """Why flagged tasks are verified once more: content hash → a sentence for each paradigm in which one is flagged."""
    told: dict[str, list[str]] = {}
    for one in found:
        flags = " ".join(FLAGS[flag] for flag in one.item.flags)
        told.setdefault(one.task, []).append(
            f"Flagged by {number_of(one.item.difficulty.n, 'answer')} ({one.paradigm.replace('_', ' ')}): {flags}"
        )
    return {task: " ".join(lines) for task, lines in told.items()}
