"""What a paper says of a study, as one folder: instructions, consent, questionnaires, pay, ethics record, protocol, and every sentence that
its people read. All of it follows from the study's rows; no answer of anybody, no gold, no completion code, no id of a recruiter is in it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from data.files import replace_folder
from data.store import Store
from study.briefing import instructions_of, welcome_of
from study.citations import uncited
from study.errors import ExportRefused
from study.ethics import missing
from study.forms.form import MOMENTS, Form, Item
from study.paying import PART_IN_WORDS
from study.plans import plans
from study.studies import Study, get_study
from study.versions import versions
from study.wording import say, speaking, wording

SECRET = ("code", "link", "external_study", "study_param", "person_param", "session_param")
"""Settings whose values stay here: whoever reads a code could claim a pay with it."""
ELSEWHERE = ("tasks", "forms", "protocol")
"""Settings that have a page of their own."""


@dataclass(frozen=True)
class Part:
    """One file of the folder."""

    name: str
    about: str
    """A line of the index."""
    write: Callable[[Store, Study], str]


def write(store: Store, study_id: str, out: Path, *, version: int | None = None, pictures: Callable[[Path], str] | None = None) -> Path:
    """Write the folder.

    Args:
        store: the database.
        study_id: the study.
        out: a folder that is not there yet, or is empty, or was written by this before.
        version: which published version; None: the newest, or what is being edited where none is published.
        pictures: takes screenshots into a folder, and returns a sentence on them for the index; None: none are taken.

    Raises:
        UnknownStudy: there is none.
        ExportRefused: `out` holds something else.
    """
    study = get_study(store, study_id, version)
    if out.exists() and not (out.is_dir() and (not any(out.iterdir()) or (out / INDEX).is_file())):
        raise ExportRefused(f"{out} holds something that is no folder of materials: name another one, or empty it.")
    out = out.absolute()

    def fill(folder: Path) -> None:
        with speaking(study.language):
            for part in PARTS:
                (folder / part.name).write_text(part.write(store, study), encoding="utf-8")
        said = NO_PICTURES if pictures is None else pictures(folder / "screenshots")
        (folder / INDEX).write_text(_index(store, study, said), encoding="utf-8")

    replace_folder(out, fill)
    return out


INDEX = "README.md"
NO_PICTURES = "Screenshots were not asked for."


def _index(store: Store, study: Study, pictures: str) -> str:
    published = {version.version: version for version in versions(store, study.study_id)}
    known = published.get(study.version)
    rows = [
        ("Study", f"{study.name} (`{study.study_id}`)"),
        ("State", study.state),
        ("Version", f"{study.version}, published {known.published_at}, SHA-256 `{known.sha256}`" if known else "not published"),
        *((f"Plan, version {plan.version}", f"locked {plan.locked_at}, SHA-256 `{plan.sha256}`") for plan in plans(store, study.study_id)),
    ]
    files = "\n".join(f"- [{part.name}]({part.name}): {part.about}" for part in PARTS)
    return f"# Materials of “{study.name}”\n\n{_table(('', ''), rows)}\n{files}\n\n{pictures}\n"


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows)]) + "\n"


def _cell(words: object) -> str:
    return str(words).replace("|", "\\|").replace("\n", " ")


def _quoted(text: str) -> str:
    """Words as people read them, set off from ours."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))


def _sections(title: str, texts: Mapping[str, str]) -> str:
    return f"# {title}\n\n" + "\n\n".join(f"## {name}\n\n{_quoted(text)}" for name, text in texts.items() if text.strip()) + "\n"


def _instructions(store: Store, study: Study) -> str:
    texts = {
        "Welcome": welcome_of(study),
        "Before the tasks": instructions_of(study),
        "In practice": say("task.practice_told"),
        "About the confidence": say("answer.confidence"),
        "When all views are used": say("play.used_up"),
        "Between tasks": say("task.pause"),
        "When somebody stops": "\n\n".join(filter(None, (say("stop.any_time"), study.stopping or say("stop.payment")))),
        "At the end": study.thanks or say("end.thanks_told"),
        "Debriefing": study.debriefing,
        "Contact": study.contact,
    }
    return _sections("Instructions", texts)


def _consent(store: Store, study: Study) -> str:
    text = study.consent or say("consent.text")
    digest = hashlib.sha256(study.consent.encode()).hexdigest()
    told = f"Version `{study.consent_version}`; SHA-256 of the text, as it is kept beside each consent: `{digest}`.\n"
    choices = f"{say('consent.agree')}\n\n{say('consent.take_part')} / {say('consent.no_thanks')}"
    return _sections("Consent", {"Text": text, "What is agreed to": choices}) + f"\n{told}"


def _questionnaires(store: Store, study: Study) -> str:
    order = [moment.name for moment in MOMENTS]
    forms = sorted((*study.forms, *study.checks.forms), key=lambda form: order.index(form.when))
    if not forms:
        return "# Questionnaires\n\nThere are none.\n"
    return "# Questionnaires\n\n" + "\n".join(map(_form, forms))


def _form(form: Form) -> str:
    asked = [f"Asked {form.moment.meaning}."]
    if form.moment.repeats:
        asked.append(f"After every {form.every} tasks.")
    if form.moment.judges:
        asked.append(f"Wrong answers allowed: {form.wrong_allowed}; attempts: {form.attempts}.")
    parts = [f"## {form.title} (`{form.name}`)", " ".join(asked), _quoted(form.text) if form.text else ""]
    texts = [item.text + (f" ({item.note})" if item.note else "") for item in form.items]
    rows = [(n, text, _answers(item), _passes(item)) for n, (text, item) in enumerate(zip(texts, form.items, strict=True), 1)]
    parts += [_table(("", "Item", "Answers", "Passes"), rows), f"Source and terms: {form.licence}" if form.licence else ""]
    return "\n\n".join(filter(None, parts)) + "\n"


def _answers(item: Item) -> str:
    if item.options:
        return " / ".join(filter(None, (*item.options, item.none)))
    if item.kind == "scale":
        return f"1 ({item.low}) to {item.points} ({item.high})"
    ends = [f"{name} {value:g}" for name, value in (("from", item.least), ("to", item.most)) if value is not None]
    return " ".join([item.of.name, item.unit, *ends]).strip()


def _passes(item: Item) -> str:
    ends = [f"{name} {value:g}" for name, value in (("from", item.passes_from), ("to", item.passes_to)) if value is not None]
    return " / ".join((*item.passes, *ends))


def _compensation(store: Store, study: Study) -> str:
    pay = study.pay
    if not pay.currency:
        return "# Compensation\n\nNobody is paid by this study.\n"
    by_time = f"{pay.per_hour} {pay.currency} an hour of a finished session"
    each = by_time if pay.per_session is None else f"{pay.per_session} {pay.currency} for a finished session"
    rows = [(what, PART_IN_WORDS[getattr(pay, field)]) for field, what in (
        ("stopped", "Who ends early"), ("technical", "People who were stopped by a fault of ours"),
        ("screened_out", "People who are screened out or find no place left"),
    )]  # fmt: skip
    return (
        f"# Compensation\n\n{each}. Time in which people wait for us is paid time; time away is not.\n\n"
        f"{_table(('', 'is paid for a session that they began'), rows)}\n{_settings(pay, '')}"
    )


def _ethics(store: Store, study: Study) -> str:
    lacking = missing(study.ethics)
    record = "There is no record.\n" if study.ethics is None else _settings(study.ethics, "")
    return f"# Ethics record\n\n{record}" + (f"\nNot said: {', '.join(lacking)}.\n" if lacking else "")


def _protocol(store: Store, study: Study) -> str:
    return f"# Protocol\n\nHow a task is met.\n\n{_settings(study.protocol, '')}\n## The study\n\n{_settings(study, '')}"


def _settings(model: BaseModel, above: str) -> str:
    return _table(("Setting", "Value", "Meaning"), _rows(model, above))


def _rows(model: BaseModel, above: str) -> Iterator[tuple[str, str, str]]:
    """Every field with its value and its docstring; a group's fields follow it."""
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if not above and isinstance(model, Study) and name in ELSEWHERE:
            continue
        said = uncited(" ".join((field.description or "").split()))
        if isinstance(value, BaseModel):
            yield f"`{above}{name}`", "", said
            yield from _rows(value, f"{above}{name}.")
        else:
            yield f"`{above}{name}`", "(kept here)" if value and name in SECRET else _value(value), said


def _value(value: Any) -> str:
    if value is None or value == "" or value == ():
        return "–"
    if isinstance(value, tuple):
        whole = (one.model_dump(mode="json") if isinstance(one, BaseModel) else one for one in value)
        return "; ".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in whole)
    return str(value)


def _tasks(store: Store, study: Study) -> str:
    tasks = [store.get_task(content_hash) for content_hash in study.tasks]
    counted = Counter((task.category, task.subcategory) for task in tasks)
    table = _table(("Category", "Subcategory", "Tasks"), [(*kind, count) for kind, count in sorted(counted.items())])
    listed = _table(("Task", "Category", "Form", "Content hash"),
                    [(task.task_id, task.category, task.question.form, f"`{task.content_hash}`") for task in tasks])  # fmt: skip
    ways = ", ".join(way.name for way in study.ways)
    return f"# Tasks\n\n{len(tasks)} tasks, each met in: {ways}.\n\n{table}\n## Each of them\n\n{listed}"


def _words(store: Store, study: Study) -> str:
    rows = sorted(wording(study.language).texts.items())
    head = f"# All that participants can read beside the study's own texts\n\nLanguage: `{study.language}`."
    return f"{head}\n\n{_table(('Key', 'Words'), rows)}"


PARTS: tuple[Part, ...] = (
    Part("instructions.md", "what people were told, in their words", _instructions),
    Part("consent.md", "the text they agreed to, its version and its hash", _consent),
    Part("questionnaires.md", "every item, its answers, and what passes", _questionnaires),
    Part("compensation.md", "what was paid, for what", _compensation),
    Part("ethics.md", "who decided that the study may be done", _ethics),
    Part("protocol.md", "every setting with its value and meaning", _protocol),
    Part("tasks.md", "which tasks, without their answers", _tasks),
    Part("words.md", "every sentence of the program", _words),
)
"""The registry of what the folder holds. Another part: a function and a line."""
