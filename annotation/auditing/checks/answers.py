"""Answers and options as they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.checks.payload import data_of, plain, question, rules_by_kind, tells
from data.importers.registry import importers

_ANSWER = re.compile(r"^answer\b|gold|right option")
_OPTIONS = re.compile(r"^(?:options|blanks)")


def _texts(options: Any) -> list[list[str]]:
    """The options as lists of texts: one list, or one for each blank."""
    if isinstance(options, dict):
        values = list(options.values())
        return [list(map(str, v)) for v in values] if values and isinstance(values[0], list) else [list(map(str, values))]
    if isinstance(options, list):
        if options and all(isinstance(o, list) for o in options):
            return [list(map(str, o)) for o in options]
        return [[str(o.get("text", "")) if isinstance(o, dict) else str(o) for o in options]]
    return []


def _not_an_option(audited: Audited) -> Iterator[Finding]:
    foreign = {importer.dataset for importer in importers().values()}  # an importer has read their answers, or rejected the row
    for row in audited.rows:
        if row.rejected and row.raw and _ANSWER.search(row.rejected):
            yield Finding(row, row.rejected)
        elif row.task is not None and row.task.provenance.dataset not in foreign and (wrong := _own(row)):
            yield Finding(row, wrong)


def _own(row: Row) -> str:
    task = row.task
    assert task is not None
    asked = task.question
    for accepted in task.gold.accepted:
        if isinstance(accepted, str) and asked.options and accepted not in asked.options and asked.form != "free_text":
            return f"The gold {accepted!r} is none of the options: {', '.join(asked.options)}."
        if isinstance(accepted, list) and asked.form == "sequence" and sorted(accepted) != sorted(asked.options):
            return f"The gold {accepted!r} does not order exactly the items {', '.join(asked.options)}."
        if isinstance(accepted, list) and asked.form == "blanks":
            for value, options in zip(accepted, asked.blanks, strict=False):
                if value not in options:
                    return f"The gold {value!r} is none of the options of its blank: {', '.join(options)}."
    return ""


def _unreadable_options(audited: Audited) -> Iterator[Finding]:
    for row in audited.rows:
        if row.rejected and row.raw and _OPTIONS.search(row.rejected):
            yield Finding(row, row.rejected)
            continue
        for texts in _texts(row.raw.get("options")):
            folded = [plain(text) for text in texts]
            twice = sorted({text for text in folded if folded.count(text) > 1})
            if twice:
                yield Finding(row, f"The option {twice[0]!r} stands {folded.count(twice[0])} times among {', '.join(texts)}.")
                break
            if len(folded) == 1:
                yield Finding(row, f"There is one option alone, {texts[0]!r}: nothing is asked.")
                break


def _other_words(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        gold = row.raw.get("answer")
        if task.question.form not in ("choice", "yes_no", "count") or not isinstance(gold, str):
            continue
        texts = [text for found in _texts(row.raw.get("options")) for text in found]
        if texts and gold not in texts:
            yield Finding(row, f"The gold is written {gold!r}; the options are {', '.join(map(repr, texts))}: a comparison of texts fails.")


def _not_asked(audited: Audited) -> Iterator[Finding]:
    """Options that a question which lists its options does not list."""
    for row, task in audited.tasks:
        if row.kind not in _LISTING or not row.raw:
            continue
        text = plain(question(row))
        if missing := [option for option in task.question.options if plain(option) not in text]:
            yield Finding(row, f"The question lists its options, but not {missing[0]!r}: {question(row)[:200]!r}.")


_LISTING = {
    ("Perceptual Grounding", "Partial Occlusion"),
    ("Perceptual Grounding", "View Hallucination"),
    ("Physical Structure", "Liquid Volume"),
    ("Metric Comparison", "Spatial Distance"),
    ("Metric Comparison", "Dimensional Size"),
    ("Cognitive Mapping", "Traversable Passage"),
    ("Physical Dynamics", "Stacking & Stability"),
}


@tells
def _ends(row: Row) -> str | None:
    path = data_of(row)["path_views"]["room_sequence"]
    ends = [option for option in row.raw["options"] if option in (path[0], path[-1]) and option != row.raw["answer"]]
    if ends:
        return f"The options hold {' and '.join(ends)}, an end of the way that the question names: nobody needs to look to rule it out."
    return None


@tells
def _last_step(row: Row) -> str | None:
    """Long-Term Navigation: the one blank is the step into the room that the question names as the goal."""
    asked = plain(question(row))
    goal = re.search(r"you want to navigate to the (.+?)\.", asked)
    last = "[please fill in] you have reached the final destination" in asked and asked.count("[please fill in]") == 1
    if goal and last and plain(row.raw["answer"]) == goal.group(1):
        return f"The only blank is the step before “You have reached the final destination”, and the question names it: {goal.group(1)}."
    return None


@tells
def _not_opposites(row: Row) -> str | None:
    for name, texts in row.raw["options"].items():
        if len(set(texts)) > 1 and set(texts) not in ({"left", "right"}, {"above", "below"}):
            return f"The options of {name} are {' and '.join(texts)}: a thing can be both."
    return None


@tells
def _not_offered(row: Row) -> str | None:
    """Golds in JSON text that name what no option is: told where the importer reads more leniently."""
    gold = json.loads(row.raw["answer"])
    for name, texts in row.raw["options"].items():
        if gold[f"answer_{name}"] not in texts:
            return f"The gold of {name} is {gold[f'answer_{name}']!r}; the options are {', '.join(texts)}."
    return None


def _answers(audited: Audited) -> Iterator[Finding]:
    yield from _not_an_option(audited)
    yield from rules_by_kind({("Action Sequencing", "Action Order Inference"): _not_offered})(audited)


CHECKS = (
    Check(
        id="gold-not-an-option",
        severity="error",
        about="Golds that are none of the options by any of the released scorer's rules, or that cannot be read.",
        fix="Correct the gold or the options; the row cannot be scored.",
        look=_answers,
    ),
    Check(
        id="options-unreadable",
        severity="error",
        about="Options that cannot be read, are empty, stand twice (as the scorer reads them), or are only one.",
        fix="Write the options anew.",
        look=_unreadable_options,
    ),
    Check(
        id="option-not-in-question",
        severity="error",
        about="Questions that list their options and do not list one that is offered.",
        fix="Make the question's list and the options agree.",
        look=_not_asked,
    ),
    Check(
        id="options-overlap",
        severity="error",
        about="Action Order Inference: the two directions of a blank are no opposites, so that both can hold.",
        fix="Offer opposite directions.",
        look=rules_by_kind({("Action Sequencing", "Action Order Inference"): _not_opposites}),
    ),
    Check(
        id="option-ruled-out",
        severity="warning",
        about="Traversable Passage: the options hold an end of the way, which the question itself names: the true chance is higher.",
        fix="Offer other rooms.",
        look=rules_by_kind({("Cognitive Mapping", "Traversable Passage"): _ends}),
    ),
    Check(
        id="gold-in-question",
        severity="warning",
        about="Long-Term Navigation: the only blank is the last step, into the room that the question itself names as the goal.",
        fix="Leave another step blank.",
        look=rules_by_kind({("Cognitive Mapping", "Long-Term Navigation"): _last_step}),
    ),
    Check(
        id="gold-in-other-words",
        severity="note",
        about="Golds that are not written like the option that they mean (Yes for yes, left for the first name, a letter, random "
        "triangle for random): the released scorer reads them by rules, a comparison of texts counts every answer as wrong.",
        fix="Write the gold as its option is written, or score by the released rules.",
        look=_other_words,
    ),
)
