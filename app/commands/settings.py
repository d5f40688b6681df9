"""Command-line options for every setting of a study, made from the fields of its models: what is declared there can be said here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click
from pydantic import BaseModel

from data.foreign import Unreadable, text_file
from study.citations import uncited
from study.paradigms import PARADIGMS
from study.protocol import Protocol
from study.studies import Recruitment, Study

ELSEWHERE = ("study_id", "name", "state", "version", "tasks", "protocol", "recruitment", "qa_project")
"""Fields of a study that are no settings: the program's own, or said by other means."""
TEXTS = ("welcome", "instructions", "consent", "thanks", "debriefing")
"""Settings that may be long: ``@FILE`` reads one from a file."""
CHOICES: Mapping[str, list[str]] = {"paradigm": [paradigm.name for paradigm in PARADIGMS]}
"""Options of which one may be given several times, each from a registry."""
GROUPS: tuple[tuple[str, type[BaseModel]], ...] = (("", Study), ("protocol", Protocol), ("recruitment", Recruitment))
"""Table of the settings file → the model whose fields are options."""

Decorated = Callable[..., Any]


Groups = tuple[tuple[str, type[BaseModel]], ...]
"""As `GROUPS`."""


def _fields(groups: Groups) -> Iterator[tuple[str, str, str, Any, str]]:
    """(table, field, option's name, type, documentation); an option that two tables would have belongs to the first."""
    taken: set[str] = set()
    for table, model in groups:
        for field, info in model.model_fields.items():
            option = field.removesuffix("s") if get_origin(info.annotation) is tuple else field
            if get_origin(info.annotation) is not tuple and _is_table(info.annotation):
                continue
            if (table or field not in ELSEWHERE) and option not in taken:
                taken.add(option)
                yield table, field, option, info.annotation, " ".join((info.description or "").split())


def _is_table(kind: Any) -> bool:
    """Whether a setting is a table of the settings file, which no option can say."""
    return any(isinstance(part, type) and issubclass(part, BaseModel) for part in (kind, *get_args(kind)))


def options(command: Decorated, groups: Groups = GROUPS) -> Decorated:
    """The command with an option for each setting."""
    for _, _, name, kind, text in reversed(list(_fields(groups))):
        shown = f"--{name.replace('_', '-')}"
        # what stands in brackets beside a name of the program is for whoever reads the code
        first = re.sub(r"\s*\([^()]*`[^()]*\)", "", re.split(r"(?<!App)\. ", uncited(text))[0]).rstrip(".")
        kinds = [part for part in (get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)) if part is not type(None)]
        of = kinds[0]
        made: dict[str, Any] = {"default": None, "help": f"{first}." if first else None}
        if of is bool:
            shown = f"{shown}/--no-{name.replace('_', '-')}"
        elif get_origin(of) is Literal:
            made["type"] = click.Choice([choice for choice in get_args(of) if choice])
        elif get_origin(of) is tuple:
            made |= {"multiple": True, "default": ()}
            if name in CHOICES:
                made["type"] = click.Choice(CHOICES[name])
        else:
            made["type"] = {int: click.INT, float: click.FLOAT}.get(of, click.STRING)
        if name in TEXTS:
            made["help"] = f"{made['help'] or ''} @FILE reads it from a file.".strip()
        command = click.option(shown, name, **made)(command)
    return command


def given(values: dict[str, Any], groups: Groups = GROUPS) -> dict[str, Any]:
    """The settings that were given, as a settings file would have them."""
    found: dict[str, Any] = {}
    for table, field, option, _, _ in _fields(groups):
        value = values[option]
        if value is None or value == ():
            continue
        if option in TEXTS and value.startswith("@"):
            value = _text(Path(value[1:]), option)
        (found.setdefault(table, {}) if table else found)[field] = value
    return found


def _text(path: Path, option: str) -> str:
    try:
        return text_file(path).text.strip()
    except Unreadable as error:
        raise click.BadParameter(f"{path} cannot be read: {error.clause}", param_hint=f"--{option}") from None
