"""From a row's answer and options to a question and a gold answer in the texts of the options: every form the release uses."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from data.importers import fields
from data.importers.fields import FieldError
from data.importers.rows import Row, decode_json_text
from data.task import Answer, AnswerForm, Gold, Question

RECORDED = "recorded"


def read_answer(row: Row) -> tuple[Question, Gold]:
    """Question and gold of a row.

    Raises:
        FieldError: options or answer do not fit the row's kind.
    """
    form = row.kind.row_forms.get(row.answer_type, row.kind.form)
    if form in _SEVERAL:
        return _SEVERAL[form](row)
    options = _texts(_listed_options(row), "options_json")
    question = Question(text=row.question, form=_form(row, options), options=options, note=row.kind.note)
    return question, Gold(accepted=(_match(row, options),), chance=1 / len(options), derivation=RECORDED)


def _form(row: Row, options: Sequence[str]) -> AnswerForm:
    if {o.lower() for o in options} == {"yes", "no"}:
        return "yes_no"
    return "count" if row.kind.form == "count" else "choice"


def _listed_options(row: Row) -> list[Any]:
    """Options in source order: a list, ``[{option_id, text}]`` (Deformable), or ``{letter: number}`` (Agent Observation)."""
    if isinstance(row.options, dict):
        return list(row.options.values())
    options = fields.listing(row.options, "options_json")
    return [o.get("text") if isinstance(o, dict) else o for o in options]


def _texts(options: Sequence[Any], field: str) -> tuple[str, ...]:
    texts = tuple(
        str(o) if isinstance(o, int) and not isinstance(o, bool) else fields.text(o, f"{field}[{i}]", longest=400)
        for i, o in enumerate(options)
    )
    if not texts:
        raise FieldError(field, "is empty; a question needs options.")
    if len({_plain(t) for t in texts}) != len(texts):
        raise FieldError(field, f"names an option twice: {fields.shown(', '.join(texts))}.")
    return texts


def _plain(text: str) -> str:
    return re.sub(r"[\s_]+", " ", text.strip().lower())


def _match(row: Row, options: Sequence[str]) -> str:
    """The option that the row's answer names: by its place, by text, by the released synonyms, by option id or letter."""
    answer, reading = _plain(row.answer), row.kind.reading
    if answer in reading.sides:
        if len(options) != len(reading.sides):
            raise FieldError("options_json", f"must name one option for each of {', '.join(reading.sides)}, got {len(options)} options.")
        return options[reading.sides.index(answer)]
    by_text = {_plain(o): o for o in options}
    by_other = {reading.same_words.get(text, text): option for text, option in by_text.items()}
    for names, wanted in ((by_text, answer), (by_other, reading.same_words.get(answer, answer)), (_letters(row, options), answer)):
        if (found := names.get(wanted)) is not None:
            return found
    raise FieldError("answer", f"{fields.shown(row.answer)} is none of the options: {', '.join(options)}.")


def _letters(row: Row, options: Sequence[str]) -> dict[str, str]:
    if isinstance(row.options, dict):
        return dict(zip((_plain(k) for k in row.options), options, strict=True))
    ids = [o.get("option_id") if isinstance(o, dict) else None for o in row.options]
    return {_plain(i): o for i, o in zip(ids, options, strict=True) if isinstance(i, str)}


def _sequence(row: Row) -> tuple[Question, Gold]:
    items = _texts(fields.listing(row.options, "options_json"), "options_json")
    by_text = {_plain(i): i for i in items}
    orders = fields.listing(decode_json_text(row.answer, "answer"), "answer")
    if orders and all(isinstance(o, str) for o in orders):
        orders = [orders]
    accepted: list[Answer] = []
    for n, order in enumerate(orders):
        names = [_plain(fields.text(v, f"answer[{n}]", longest=400)) for v in fields.listing(order, f"answer[{n}]")]
        if sorted(names) != sorted(by_text):
            raise FieldError(f"answer[{n}]", f"must order exactly the items {', '.join(items)}.")
        if (named := [by_text[v] for v in names]) not in accepted:
            accepted.append(named)
    if not accepted:
        raise FieldError("answer", "accepts no order.")
    question = Question(text=row.question, form="sequence", options=items, note=row.kind.note)
    return question, Gold(accepted=tuple(accepted), chance=len(accepted) / math.factorial(len(items)), derivation=RECORDED)


def _assignment(row: Row) -> tuple[Question, Gold]:
    targets = _texts(fields.listing(row.options, "options_json"), "options_json")
    by_text = {_plain(t): t for t in targets}
    pairs = fields.keyed(decode_json_text(row.answer, "answer"), "answer")
    gold: dict[str, str] = {}
    for item, target in pairs.items():
        found = by_text.get(_plain(fields.text(target, f"answer.{item}", longest=400)))
        if found is None:
            raise FieldError(f"answer.{item}", f"{fields.shown(target)} is none of the containers: {', '.join(targets)}.")
        gold[fields.text(item, "answer", longest=400)] = found
    if not gold:
        raise FieldError("answer", "assigns no object.")
    items = _in_question_order(list(gold), row.question)
    question = Question(text=row.question, form="assignment", options=tuple(items), targets=targets)
    return question, Gold(accepted=({i: gold[i] for i in items},), chance=len(targets) ** -float(len(items)), derivation=RECORDED)


def _in_question_order(items: list[str], question: str) -> list[str]:
    words = _plain(question)
    return sorted(items, key=lambda i: (at if (at := words.find(_plain(i))) >= 0 else len(words), i))


def _blanks(row: Row) -> tuple[Question, Gold]:
    blanks = tuple(
        _texts(fields.listing(b, f"options_json[{i}]"), f"options_json[{i}]")
        for i, b in enumerate(fields.listing(row.options, "options_json"))
    )
    answers = [a.strip() for a in re.split(r"[|\n]", row.answer)]
    if not blanks or len(answers) != len(blanks):
        raise FieldError("answer", f"fills {len(answers)} blanks, the options have {len(blanks)}.")
    filled = []
    for i, (answer, options) in enumerate(zip(answers, blanks, strict=True)):
        if answer not in options:
            raise FieldError("answer", f"blank {i + 1}: {fields.shown(answer)} is none of {', '.join(options)}.")
        filled.append(answer)
    names = tuple(f"Step {n}" for n in _blank_steps(row, len(blanks)))
    question = Question(text=row.question, form="blanks", blanks=blanks, blank_names=names, note=row.kind.note)
    return question, Gold(accepted=(filled,), chance=math.prod(1 / len(b) for b in blanks), derivation=RECORDED)


def _blank_steps(row: Row, count: int) -> list[int]:
    """Numbers of the steps that are to be filled in, as the question numbers them."""
    steps = [int(n) for n in re.findall(r"(\d{1,3})\.\s(?:[^.\[]*\.\s)?\[please fill in\]", row.question)]
    return steps if len(steps) == count else list(range(1, count + 1))


def _recorded_pair(row: Row) -> tuple[Question, Gold]:
    return _pair(row, row.question, row.options, decode_json_text(row.answer, "answer"), RECORDED)


def _pair(row: Row, text: str, options: Any, answer: Any, derivation: str) -> tuple[Question, Gold]:
    choices = fields.mapping(options, "options_json")
    gold = fields.mapping(answer, "answer")
    blanks = {}
    for name in ("A", "C"):
        listed = fields.listing(choices.get(name), f"options_json.{name}")
        # one released row offers "below" twice
        blanks[name] = _texts(list(dict.fromkeys(fields.text(v, f"options_json.{name}") for v in listed)), f"options_json.{name}")
    filled: dict[str, str] = {}
    for name, texts in blanks.items():
        chosen = gold.get(f"answer_{name}", gold.get(name))
        if chosen not in texts:
            raise FieldError(f"answer.answer_{name}", f"{fields.shown(chosen)} is none of {', '.join(texts)}.")
        filled[name] = chosen
    question = Question(text=text, form="pair", blanks=tuple(blanks.values()), blank_names=tuple(blanks), note=_pair_note(row))
    return question, Gold(accepted=(filled,), chance=math.prod(1 / len(b) for b in blanks.values()), derivation=derivation)


def _pair_note(row: Row) -> str:
    hierarchy = row.payload.get("hierarchy")
    words = hierarchy if isinstance(hierarchy, dict) else {}
    a, c = (str(words.get(f"obj_{n}_cat", n)).replace("_", " ")[:100] for n in ("A", "C"))
    return f"A: where the right {a} is. C: where the right {c} is. Directions are meant as in the first view."


def pair_of_view(row: Row, view: dict[str, Any], field: str) -> tuple[Question, Gold]:
    """Action Order Inference seen from another recorded view: that view's question, options and gold."""
    return _pair(
        row,
        fields.text(view.get("question"), f"{field}.question"),
        {"A": view.get("choices_A"), "C": view.get("choices_C")},
        {"answer_A": view.get("rel_A_correct"), "answer_C": view.get("rel_C_correct")},
        f"{RECORDED} for the start view",
    )


_SEVERAL: dict[AnswerForm, Callable[[Row], tuple[Question, Gold]]] = {
    "pair": _recorded_pair,
    "blanks": _blanks,
    "sequence": _sequence,
    "assignment": _assignment,
}
"""Forms with several values → how a row of them is read; every other form is one of its options."""
