"""What a section of the page Set-up is, and how it asks for settings: fields made from the models of a study."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from datetime import date
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import streamlit as st
from pydantic import BaseModel

from app import identity, rights
from app.pages.parts import plain_text
from app.services import Services
from data.store import StoreError
from study import drafting
from study.access import Grant
from study.errors import StudyError
from study.readiness import Concern
from study.studies import Study

SHORT = 300
"""Characters up to which a text is asked for in one line."""


@dataclass(frozen=True)
class Setup:
    """A study that is being set up, and who does it."""

    services: Services
    grant: Grant
    study: Study
    """As it is being edited."""
    concerns: tuple[Concern, ...]

    def save(self, *, tasks: Sequence[str] | None = None, then: str = "", **settings: Any) -> None:
        """Keep settings, after the server has said that this browser may; what came of it is told by the next run.

        Args:
            tasks: content hashes, in place of the tasks there are.
            then: the section to go on to.
            settings: fields of `Study`; of a table of settings those that change.
        """
        self.do(lambda actor: drafting.edit(self.services.store, self.study.study_id, settings, tasks=tasks, actor=actor), "Saved.", then)

    def do(self, work: Callable[[str], Any], done: str, then: str = "") -> None:
        """Do something to the study as `save` does; `work` is given who does it."""
        try:
            rights.in_study(self.services.store, identity.page_cookie(), "researcher", self.study.study_id)
            work(self.grant.staff_id or "")
            st.session_state["setup_said"] = ("", done)
            if then:
                st.session_state["setup_section"] = then
        except (StudyError, StoreError, ValueError) as error:
            st.session_state["setup_said"] = (str(error), "")
        st.rerun()


@dataclass(frozen=True)
class Section:
    """One section of the set-up."""

    name: str
    """As `study.readiness.Concern.about` and the address name it."""
    title: str
    draw: Callable[[Setup], None]
    also: tuple[str, ...] = ()
    """Other names under which a concern belongs here."""


@dataclass(frozen=True)
class Asked:
    """One setting, as it is asked for."""

    field: str
    """Of the model."""
    label: str
    words: Mapping[Any, str] = made(default_factory=dict)
    """Value → what it is called, of a choice."""
    least: int | float | None = None
    most: int | float | None = None
    lines: int = 0
    """Height of a text that has several lines; 0: one line."""
    help: str | None = None
    """What is said beside it; None: what the model says of the field."""
    empty: str = ""
    """What stands in an empty field: what emptiness means."""


def ask(setup: Setup, model: BaseModel, asked: Sequence[Asked], key: str, *, columns: int = 2) -> dict[str, Any]:
    """Draw fields for some settings of a model, two beside each other.

    Args:
        setup: the study.
        model: as it stands now.
        asked: which settings, in order.
        key: of the group; the fields of each study and value are their own, so that what is shown is what is kept.
        columns: how many short fields stand beside each other.

    Returns:
        Field → what stands in it.
    """
    found: dict[str, Any] = {}
    row: list[Any] = []
    for one in asked:
        if one.lines:
            row, place = [], st
        else:
            row = row or list(st.columns(columns))
            place = row.pop(0)
        stand = hash(getattr(model, one.field))
        found[one.field] = _field(place, model, one, f"{key}-{one.field}-{setup.study.study_id}-{stand}")
    return found


def _field(place: Any, model: BaseModel, one: Asked, key: str) -> Any:
    info = type(model).model_fields[one.field]
    value = getattr(model, one.field)
    kind, may_be_none = _kind(info.annotation)
    label = plain_text(one.label)
    common: dict[str, Any] = {"key": key, "help": plain_text(_words(info.description or "") if one.help is None else one.help)}
    if kind is bool:
        return place.checkbox(label, value=value, **common)
    if get_origin(kind) is Literal:
        choices = [choice for choice in get_args(kind) if choice != "" or value == ""]
        words = {choice: one.words.get(choice, str(choice) or "choose") for choice in choices}
        return place.selectbox(label, choices, index=choices.index(value), format_func=words.__getitem__, **common)
    if kind in (int, float):
        least, most = _as(kind, one.least), _as(kind, one.most)
        number = place.number_input(label, least, most, value, kind(1), placeholder=one.empty or None, **common)
        return number if number is not None or may_be_none else value
    if kind is Decimal:
        amount = place.number_input(label, 0.0, 9_999_999.0, None if value is None else float(value), 0.5, "%.2f", **common)
        return None if amount is None and may_be_none else f"{amount or 0:.2f}"
    if kind is date:
        return place.date_input(label, value=value, max_value=date.today(), format="YYYY-MM-DD", **common)
    if one.lines:
        return place.text_area(label, value=value or "", height=34 * one.lines, placeholder=one.empty, **common)
    text = place.text_input(label, value=value or "", placeholder=one.empty, **common).strip()
    return None if may_be_none and not text else text


def _as(kind: type, bound: int | float | None) -> Any:
    return None if bound is None else kind(bound)


def _kind(annotation: Any) -> tuple[Any, bool]:
    """The type of a field's values, and whether it may be None."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kind = next(part for part in parts if part is not type(None))
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind, type(None) in parts


def _words(text: str) -> str:
    """A field's documentation for a reader of the page: without the marks and references of the code."""
    shown = re.sub(r"\s*\((?:see )?`[\w.]+`(?: \d+)?(?:, \d+)*\)", "", " ".join(text.split()))
    return shown.replace("``", "").replace("`", "")


def submitted() -> bool:
    """Whether the button below a form was pressed, which keeps what was filled in and goes on."""
    left, _ = st.columns([1, 2])
    return bool(left.form_submit_button("Save and go on", type="primary", width="stretch"))
