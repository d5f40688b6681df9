"""Small pieces that several pages draw."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from html import escape
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import urljoin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from app.services import current
from app.theme import page_css
from data.store import Store
from study import overview
from study.access import EVERY_STUDY, Grant
from study.states import LIVE, MODES_IN_WORDS
from study.studies import list_studies

T = TypeVar("T")


def begin(title: str, *, layout: Literal["centered", "wide"] = "centered", bare: bool = False) -> None:
    """Page title, layout and style; first call of every page."""
    st.set_page_config(page_title=title, layout=layout, initial_sidebar_state="collapsed")
    st.html(page_css(bare=bare))


def plain(text: str) -> None:
    """Text written by a researcher: plain words, blank lines part paragraphs; no markup is interpreted."""
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    st.html("".join(f"<p style='font-size:1.06rem;line-height:1.6;margin:0 0 .9rem'>{escape(part)}</p>" for part in paragraphs))


def kind_of_run(store: Store, study_id: str) -> str:
    """Which kind of run of a study (or of all, ``*``) a page shows: the study itself, where there is anything of it or nothing at all. A
    choice is drawn only where there is one.

    Returns:
        One of `study.states.MODES`.
    """
    there = overview.modes(store, study_id)
    if there in ([], [LIVE]):
        return LIVE
    if len(there) > 1:
        return str(st.selectbox("Kind of run", there, format_func=MODES_IN_WORDS.__getitem__, key="kind-of-run", width=260))
    st.caption(f"{MODES_IN_WORDS[there[0]]}: nobody has come to the study itself yet.")
    return there[0]


class Named(Protocol):
    """A study, as far as a choice of them asks."""

    @property
    def study_id(self) -> str: ...
    @property
    def name(self) -> str: ...


def told_apart(studies: Iterable[Named]) -> dict[str, str]:
    """Id of each study → what a choice of studies calls it: its name, and where several have one name the id behind it."""
    listed = list(studies)
    names = Counter(study.name for study in listed)
    return {
        study.study_id: f"{study.name or 'Without a name'} ({study.study_id})" if names[study.name] > 1 or not study.name else study.name
        for study in listed
    }


def list_key(ids: Iterable[str]) -> str:
    """Names a list by what stands in it, and where: for the key of an element whose selection is a row number."""
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]


_BLANKS = re.compile(r"[ \t\r\n\f\v]+")
_READ = re.compile(r"(?P<mark>[\\`*_{}\[\]<>#+\-|~$:&@])|(?P<list>(?<=^)(?P<number>\d+)(?P<after>[.)]))|(?<=www)(?P<dot>\.)", re.IGNORECASE)
"""What Markdown, or Streamlit after it, may read: marks, a number that begins a list, the beginning of an address."""
_JOINING = "-<>~:@"
"""Marks that Streamlit joins to something else after Markdown is read, whether escaped or not: arrows, dashes, icons, addresses."""
_NOTHING = ":small[]"
"""An empty piece of markup. It parts two characters without standing between them: the text on the page is the one that was written."""


def plain_text(text: str) -> str:
    """Words of people for an element of Streamlit that reads Markdown: they appear as they were written, on one line.

    Not for the labels of fields, which are also read out as they stand: those are the program's own words.
    Only ``st.html`` (escaped), ``st.text`` and ``st.code`` need it not; `tools/plain_words.py` refuses other uses of such words.
    """

    def kept(found: re.Match[str]) -> str:
        if mark := found["mark"]:
            return f"\\{mark}{_NOTHING if mark in _JOINING else ''}"
        return f"{found['number']}\\{found['after']}" if found["list"] else f"{_NOTHING}."

    return _READ.sub(kept, _BLANKS.sub(" ", text).strip(" "))


def base_address() -> str:
    """Where people reach the app: as it was told, else as this person did."""
    # Pages stand directly below the app's address.
    return str(current().settings.public or urljoin(st.context.url or "", ".").rstrip("/"))


def zone() -> tzinfo:
    """The time zone of this person's browser; UTC where it tells none that is known here."""
    try:
        return ZoneInfo(st.context.timezone or "")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def local(iso: str) -> datetime:
    """A stored time (UTC) by this person's clock."""
    return datetime.fromisoformat(iso).astimezone(zone())


def when(iso: str | None) -> str:
    """A stored time by this person's clock, to the minute: ``2026-11-29 09:15``. The one way to tell a time on a page. Where their clock is
    UTC, or not known, the word stands behind it. Exports have UTC. Empty where there is none."""
    if not iso:
        return ""
    at = local(iso)
    return f"{at:%Y-%m-%d %H:%M}" + (" UTC" if at.tzname() == "UTC" else "")


_KEPT: dict[tuple[str, str], tuple[Any, Any]] = {}
"""(database and name) → (stand, value): the newest of each, for all who look."""
MOST_KEPT = 24


def kept_for_all(name: str, stand: Any, make: Callable[[], T]) -> T:
    """What `make` returns, made again only when `stand` has changed: anything that changes with it in the database, whoever looks.

    Args:
        name: of the value, with the project that it is of.
        stand: as above.
        make: makes it; it must not depend on who looks.
    """
    place = (str(current().home.db), name)
    held = _KEPT.get(place)
    if held is None or held[0] != stand:
        held = (stand, make())
        _KEPT.pop(place, None)
        _KEPT[place] = held
        for old in list(_KEPT)[:-MOST_KEPT]:
            _KEPT.pop(old, None)
    value: T = held[1]
    return value


_SHEETS = "sheets"
"""Session state: name → how many sheets of it are used."""


@dataclass(frozen=True)
class Sheet:
    """A form, or a button, that does its work once. Streamlit runs a page again for a second click that comes before the page is drawn
    anew; with the sheet used, that click is one on a form that is not there any more. What is refused uses no sheet: all that was typed
    stays, and it can be sent again."""

    name: str
    used_up: dict[str, int]

    @property
    def key(self) -> str:
        """Of the form or the button; fields in it that have keys of their own begin with it."""
        return f"{self.name}/{self.used_up.get(self.name, 0)}"

    def used(self) -> None:
        """The work is done: the next run draws another one, empty. To be called before anything of Streamlit, which may end the run."""
        self.used_up[self.name] = self.used_up.get(self.name, 0) + 1


def sheet(name: str) -> Sheet:
    """The sheet that is to be drawn now.

    Args:
        name: of the form or the button, with what it is about where that can be another thing on the same page.
    """
    return Sheet(name, st.session_state.setdefault(_SHEETS, {}))


def chosen_study(store: Store, grant: Grant, key: str) -> str | None:
    """The study to show: the grant's own, the only one, or the one chosen on the page; None: there is none.

    Args:
        store: the database.
        grant: whose page it is.
        key: of the choice.
    """
    if grant.study_id != EVERY_STUDY:
        return grant.study_id
    names = told_apart(list_studies(store))
    if len(names) < 2:
        return next(iter(names), None)
    return st.selectbox("Study", list(names), format_func=names.__getitem__, key=key)
