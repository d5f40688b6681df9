"""What a page says of the last deed of its person: done, refused, or a link that is shown once.

It stands until their next deed or until they leave the page, however often the page is drawn meanwhile: Streamlit draws a page again for
the second press of a double click, for any field that changes, and by itself. Pages therefore say such things by `done` and `refused`, and
draw them by `show`, where they belong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from app.pages.parts import plain_text
from sim_bridge.errors import Refusal

BREATH_S = 0.7
"""The same press within so many seconds after its deed was done is the second of a double click."""
_SAID, _NOTES, _WHERE, _DEEDS, _LEFT = "said", "said_notes", "said_where", "said_deeds", "said_left"
"""Session state: place → what is said there; name → what a page says in its own words; the page and the grant of which all of it is; deed →
when it was done last; name → what a deed leaves to the next runs."""
_HELD: ContextVar[dict[str, dict[str, Any]] | None] = ContextVar("said", default=None)
"""What is kept of `_SAID`, `_NOTES`, `_DEEDS` and `_LEFT` within `held`."""


@dataclass(frozen=True)
class Said:
    """What is said in one place of a page."""

    done: str = ""
    refused: str = ""
    link: str = ""
    """A secret that cannot be shown again later: it stands also beside a refusal, with what was `done`."""
    of_link: str = ""
    """What is to be known of the link."""
    about: str | None = None
    """The item, study or person that it is about; None: whatever the place is about when it is drawn first."""
    known: tuple[str, ...] = ()
    """Sentences that the page showed before the deed."""


def here(page: str, grant_id: str) -> None:
    """To be called before a page is drawn: what was said on another page, or to another grant, is over.

    Args:
        page: its address.
        grant_id: of whoever looks; empty: nobody.
    """
    if st.session_state.get(_WHERE) != (page, grant_id):
        st.session_state[_WHERE] = (page, grant_id)
        for name in (_SAID, _NOTES, _DEEDS, _LEFT):
            st.session_state.pop(name, None)


@contextmanager
def held() -> Iterator[None]:
    """Within it nothing here touches Streamlit's state. Streamlit ends a run for the next press wherever the run touches it, also between a
    deed and what is said of it: the second press of a double click would take away what the first one came to, and the link with it."""
    token = _HELD.set({name: _kept(name) for name in (_SAID, _NOTES, _DEEDS, _LEFT)})
    try:
        yield
    finally:
        _HELD.reset(token)


def _kept(name: str) -> dict[str, Any]:
    within = _HELD.get()
    kept: dict[str, Any] = st.session_state.setdefault(name, {}) if within is None else within[name]
    return kept


def _all() -> dict[str, Said]:
    return _kept(_SAID)


def forget() -> None:
    """A deed begins: what was said of the one before is over. Links of other places stay, and one beside which a refusal comes to stand."""
    _kept(_NOTES).clear()
    for place, old in list(_all().items()):
        if old.link:
            _all()[place] = replace(old, refused="")
        else:
            del _all()[place]


def done(
    place: str, words: str = "", *, about: str | None = None, link: str = "", of_link: str = "", known: tuple[str, ...] = (),
    deed: str = "",
) -> None:  # fmt: skip
    """Say that something was done.

    Args:
        place: where on the page it is said.
        words: the sentence; empty: nothing but the link is shown.
        about: see `Said`.
        link: as there.
        of_link: as there.
        known: as there.
        deed: its name, for `twice`.
    """
    forget()
    _all()[place] = Said(done=words, link=link, of_link=of_link, about=about, known=known)
    acted(deed)


def over(*places: str) -> None:
    """What is said in these places is over, links too: something was done by which they may not hold any more."""
    for place in places:
        _all().pop(place, None)


def refused(place: str, words: str, *, about: str | None = None) -> None:
    """Say why something was not done. A link that stands in the same place, about the same, stays."""
    forget()
    old = _all().get(place)
    kept = old is not None and (about is None or old.about in (None, about))
    _all()[place] = replace(old, refused=words) if old is not None and kept else Said(refused=words, about=about)


def of(place: str, about: str = "") -> Said | None:
    """What is said in a place now; None: nothing. What is about something else than `about` is over."""
    found = _all().get(place)
    if found is None:
        return None
    if found.about is None:
        found = _all()[place] = replace(found, about=about)
    if found.about != about:
        del _all()[place]
        return None
    return found


def show(place: str, about: str = "") -> Said | None:
    """Draw what is said in a place, and return it.

    Args:
        place: of the page; each is drawn once.
        about: what the place is about now (an item, a study, a person).
    """
    found = of(place, about)
    if found is None:
        return None
    if found.refused:
        st.error(plain_text(found.refused))
    if found.done:
        st.success(plain_text(found.done))
    if found.link:
        st.code(found.link, language=None, wrap_lines=True)
        st.caption(plain_text(found.of_link))
    return found


def note(name: str, value: Any) -> None:
    """Keep what a page says of a deed in words of its own, as long as what `done` says."""
    forget()
    _kept(_NOTES)[name] = value


def noted(name: str) -> Any:
    """What `note` kept; None: nothing."""
    return _kept(_NOTES).get(name)


def acted(deed: str) -> None:
    """Something was done of which nothing needs to be said."""
    _kept(_DEEDS)[deed] = time.monotonic()


def leave(name: str, value: Any) -> None:
    """A deed leaves something to the next runs of its page, such as what it made, until another value takes its place; see `left`."""
    _kept(_LEFT)[name] = value


def left(name: str) -> Any:
    """What `leave` left; None: nothing."""
    return _kept(_LEFT).get(name)


def twice(deed: str) -> bool:
    """Whether a press is the second of a double click, whose first did its deed: it is not meant, least of all where the page has drawn
    something else under the pointer meanwhile, such as the next of several rows.

    Args:
        deed: a name for the kind of deed, the same for all rows.
    """
    at = _kept(_DEEDS).get(deed)
    return at is not None and time.monotonic() - at < BREATH_S


def astray() -> bool:
    """Whether something was done here a breath ago: a press on what lies elsewhere on all pages, such as signing out, is then the second
    of a double click, under whose pointer it came to lie while the page was drawn anew."""
    return any(time.monotonic() - at < BREATH_S for at in _kept(_DEEDS).values())


@held()
def tried(act: Callable[[], object], place: str = "", words: str = "", *, deed: str = "") -> None:
    """Do something and draw the page anew; what is refused is said where it is called.

    Args:
        act: what to do.
        place: where it is said that it was done; empty: nowhere.
        words: that say it.
        deed: a name for the kind of deed, where a double click would do it to something else.
    """
    if not twice(deed):
        try:
            act()
        except Refusal as refusal:
            forget()
            st.error(plain_text(refusal.for_people))
            return
        if place:
            done(place, words)
        if deed:
            acted(deed)
    st.rerun()
