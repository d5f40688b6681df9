"""What a section of the page Set-up is, and how it asks for settings: fields made from the models of a study."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made
from datetime import date
from decimal import Decimal, InvalidOperation
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import streamlit as st
from pydantic import BaseModel

from app import identity, rights
from app.pages import said
from app.pages.parts import plain_text
from app.pages.setup import typed
from app.services import Services
from data.store import StoreError
from study import drafting
from study.access import Grant
from study.citations import uncited
from study.errors import StudyError
from study.readiness import Concern, NotReady
from study.studies import Study

SAVE = "Save and go on"
"""The button below a section."""
SAID = "setup"
"""Where the page says what was done."""
LEFT = "setup_left"
"""The section in which it was done."""
_REFUSED = "setup_refused"


@dataclass(frozen=True)
class Setup:
    """A study that is being set up, and who does it."""

    services: Services
    grant: Grant
    study: Study
    """As it is being edited."""
    concerns: tuple[Concern, ...]
    section: str = ""
    """The section that is drawn."""
    labels: Mapping[str, str] = made(default_factory=dict)
    """Setting (``protocol.budget``) → what its field is called."""
    wrong: list[str] = made(default_factory=list)
    """What stands in fields of this section and cannot be read, as sentences."""
    title: str = ""
    """Of the section, as people read it."""

    def hold(self, name: str, kept: Any, **more: Any) -> dict[str, Any]:
        """What an element is given in place of its value: what is typed in it stays until it is saved (`app.pages.setup.typed`)."""
        return typed.field(self.study.study_id, self.section, name, kept, **more)

    def press(self, label: str, *, primary: bool = False, ask: str = "", **how: Any) -> bool:
        """A button, and below it why its last press was refused.

        Args:
            label: on the button.
            primary: whether it is the section's main one.
            ask: a question that is put before it is done; empty: it is done at once.
            how: of ``st.button``.

        Returns:
            Whether it is to be done now. What stands in the section's fields can be read then.
        """
        place = (self.study.study_id, self.section, label)
        left, _ = st.columns([1, 2])
        pressed = left.button(
            plain_text(label), key="/".join(("press", *place)), type="primary" if primary else "secondary", width="stretch", **how
        )
        if pressed:
            st.session_state[_REFUSED] = (place, tuple(self.wrong) if primary else ())
        asked = bool(ask) and self._asked(place, pressed, ask, label)
        refused, sentences = st.session_state.get(_REFUSED, ((), ()))
        if refused == place and sentences:
            st.error("\n\n".join(plain_text(one) for one in sentences))
        return asked if ask else pressed and not (primary and self.wrong)

    def _asked(self, place: tuple[str, str, str], pressed: bool, ask: str, label: str) -> bool:
        """The question before something is done; whether it was answered with yes."""
        if pressed:
            st.session_state["setup_asks"] = place
        if st.session_state.get("setup_asks") != place:
            return False
        st.warning(plain_text(ask))
        left, middle, _ = st.columns([1, 1, 1])
        yes = left.button(
            plain_text(f"Yes, {label[:1].lower()}{label[1:]}"), key="/".join(("yes", *place)), type="primary", width="stretch"
        )
        no = middle.button("Leave it as it is", key="/".join(("no", *place)), width="stretch")
        if yes or no:
            st.session_state.pop("setup_asks")
        if no:
            st.rerun()
        return yes

    def save(self, *, tasks: Sequence[str] | None = None, then: str = "", by: str = SAVE, **settings: Any) -> None:
        """Keep settings, after the server has said that this browser may; what came of it is told by the next run.

        Args:
            tasks: content hashes, in place of the tasks there are.
            then: the section to go on to.
            by: the button that was pressed.
            settings: fields of `Study`; of a table of settings those that change.
        """
        done = f"Saved “{self.title}”." if self.title else "Saved."
        self.do(
            lambda actor: drafting.edit(self.services.store, self.study.study_id, settings, tasks=tasks, actor=actor), done, then, by=by
        )

    def do(self, work: Callable[[str], Any], done: str, then: str = "", *, by: str) -> None:
        """Do something to the study as `save` does; `work` is given who does it. What is refused is said below the button `by`."""
        place = (self.study.study_id, self.section, by)
        try:
            rights.in_study(self.services.store, identity.page_cookie(), "researcher", self.study.study_id)
            work(self.grant.staff_id or "")
        except drafting.BadStudy as error:
            st.session_state[_REFUSED] = (place, in_words(error, self.labels))
        except NotReady as error:
            st.session_state[_REFUSED] = (place, error.lacks)
        except (StudyError, StoreError, ValueError) as error:
            st.session_state[_REFUSED] = (place, (str(error),))
        else:
            st.session_state.pop(_REFUSED, None)
            typed.forget(self.study.study_id, self.section)
            st.session_state[LEFT] = self.section
            said.done(SAID, done, known=tuple(concern.says for concern in self.concerns))
            if then:
                st.session_state["setup_section"] = then
        st.rerun()


def in_words(error: drafting.BadStudy, labels: Mapping[str, str]) -> tuple[str, ...]:
    """What was refused, with the fields as the page calls them."""
    if not error.faults:
        return (str(error),)
    named = {path.rpartition(".")[2]: label for path, label in labels.items() if "_" in path.rpartition(".")[2]}
    found = []
    for fault in error.faults:
        says = re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda word: f"“{named[word[0]]}”" if word[0] in named else word[0], fault.says)
        known = labels.get(fault.where, "")
        # a rule over several settings says itself what it is about
        found.append(replace(fault, says=says, where="").sentence(known))
    return tuple(found)


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


@dataclass(frozen=True)
class Section:
    """One section of the set-up."""

    name: str
    """As `study.readiness.Concern.about` and the address name it."""
    title: str
    draw: Callable[[Setup], None]
    also: tuple[str, ...] = ()
    """Other names under which a concern belongs here."""
    asks: Mapping[str, Sequence[Asked]] = made(default_factory=dict)
    """Table of settings (``protocol``; empty: the study's own) → what is asked for of it."""


def labels(sections: Sequence[Section]) -> dict[str, str]:
    """Setting, as a settings file names it → what its field is called."""
    every = [(above, one) for section in sections for above, asked in section.asks.items() for one in asked]
    return {f"{above}.{one.field}" if above else one.field: one.label for above, one in every}


def ask(setup: Setup, model: BaseModel, asked: Sequence[Asked], key: str, *, columns: int = 2) -> dict[str, Any]:
    """Draw fields for some settings of a model, two beside each other. Numbers and days are asked for as text: a browser's own fields drop
    what they cannot read without a word.

    Args:
        setup: the study; what cannot be read is added to its `Setup.wrong`.
        model: as it stands now.
        asked: which settings, in order.
        key: of the group.
        columns: how many short fields stand beside each other.

    Returns:
        Field → what stands in it; those that cannot be read are not in it.
    """
    found: dict[str, Any] = {}
    row: list[Any] = []
    for one in asked:
        if one.lines:
            row, place = [], st
        else:
            row = row or list(st.columns(columns))
            place = row.pop(0)
        try:
            found[one.field] = _field(setup, place, model, one, f"{key}-{one.field}")
        except Unread as error:
            setup.wrong.append(str(error))
    return found


class Unread(ValueError):
    """What stands in a field is none of its values; the message says what it has to be."""


def _field(setup: Setup, place: Any, model: BaseModel, one: Asked, name: str) -> Any:
    info = type(model).model_fields[one.field]
    value = getattr(model, one.field)
    kind, may_be_none = _kind(info.annotation)
    label = plain_text(one.label)
    about = plain_text(_words(info.description or "") if one.help is None else one.help) or None
    if kind is bool:
        return place.checkbox(label, **setup.hold(name, value, help=about))
    if get_origin(kind) is Literal:
        choices = [choice for choice in get_args(kind) if choice != "" or value == ""]
        words = {choice: one.words.get(choice, str(choice) or "choose") for choice in choices}
        return place.selectbox(label, choices, format_func=words.__getitem__, **setup.hold(name, value, help=about))
    if one.lines:
        return place.text_area(label, height=34 * one.lines, placeholder=one.empty, **setup.hold(name, value or "", help=about))
    text = place.text_input(label, placeholder=one.empty, **setup.hold(name, _shown(value), help=about)).strip()
    if kind in (int, float, Decimal, date):
        return read(text, kind, one, may_be_none=may_be_none)
    return None if may_be_none and not text else text


def _shown(value: Any) -> str:
    """A value as its field has it."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def read(text: str, kind: type, one: Asked, *, may_be_none: bool) -> Any:
    """A number, an amount or a day, as it was typed.

    Args:
        text: what stands in the field.
        kind: ``int``, ``float``, ``Decimal`` or ``date``.
        one: the field, with its bounds.
        may_be_none: whether an empty field means something.

    Returns:
        It; an amount as text with two decimals, which is what settings have.

    Raises:
        Unread: it is none, or out of bounds.
    """
    if not text and may_be_none:
        return None
    what = {int: "a whole number", float: "a number", Decimal: "an amount such as 9.50", date: "a day such as 2026-03-31"}[kind]
    if one.least is not None and one.most is not None:
        what += f" from {one.least} to {one.most}"
    refusal = Unread(f"{one.label}: write {what}{f', got “{text[:60]}”' if text else ''}.")
    value: Any
    try:
        if kind is date:
            value = date.fromisoformat(text)
        else:
            value = Decimal(text.replace(",", ".") if kind is not int else text)
    except (InvalidOperation, ValueError):
        raise refusal from None
    if kind is date:
        if value > date.today():
            raise Unread(f"{one.label}: this day has not come yet, got “{text}”.")
        return value
    whole = value.is_finite() and (kind is not int or (value == value.to_integral_value() and not set(text) - set("+-0123456789")))
    if not whole or (one.least is not None and value < one.least) or (one.most is not None and value > one.most):
        raise refusal
    if kind is Decimal:
        if value < 0 or value >= 10_000_000 or value != round(value, 2):
            raise Unread(f"{one.label}: write an amount from 0 to 9999999.99 with two decimals at most, got “{text[:60]}”.")
        return f"{value:.2f}"
    return kind(value)


def _kind(annotation: Any) -> tuple[Any, bool]:
    """The type of a field's values, and whether it may be None."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kind = next(part for part in parts if part is not type(None))
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind, type(None) in parts


_EMPTINESS = re.compile(r"\s*[;,.]?\s*\b(?:None|0|empty): [^.;]*(?=[.;]|$)", re.IGNORECASE)
"""What a field's documentation says of its emptiness: the empty field says it itself."""


def _words(text: str) -> str:
    """A field's documentation for a reader of the page: without the marks and references of the code, and without what the values of the
    program mean."""
    shown = re.sub(r"\s*\((?:see )?`[\w.]+`\)", "", uncited(" ".join(text.split())))
    return _EMPTINESS.sub("", shown).replace("``", "").replace("`", "").strip()


def submitted(setup: Setup) -> bool:
    """The button below a section, which keeps what was filled in and goes on; and what is typed and not saved yet. Whether it was pressed
    and everything can be read."""
    pressed = setup.press(SAVE, primary=True)
    if not pressed and setup.section in typed.unsaved(setup.study.study_id):
        st.caption("Not saved yet. It stays here while you look at other sections, and is gone when this window is closed.")
        if st.button("Take back what is typed", type="tertiary", key=f"back/{setup.study.study_id}/{setup.section}"):
            typed.forget(setup.study.study_id, setup.section)
            st.session_state.pop(_REFUSED, None)
            st.rerun()
    return pressed
