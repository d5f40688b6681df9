"""Sending a form: every answer is read, then all are kept, and what follows from them happens with it, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from data.store import Store
from study import participants
from study.episode import EpisodeEngine
from study.forms import answers
from study.forms.answers import Given, Showing
from study.forms.form import Form
from study.forms.kinds import BadFormAnswer
from study.studies import Study
from study.wording import say

TAKING_PART = ("consented", "practised")
"""States in which somebody answers questionnaires."""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a form that was sent."""

    saved_at: str
    then: Literal["go_on", "again", "warn", "screen_out"]
    """``again``: it is asked once more, with explanations."""
    message: str = ""
    """warn: what is said."""


class Incomplete(BadFormAnswer):
    """Items that still need an answer, or another one."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(say("form.incomplete"))
        self.faults = dict(faults)
        """Item → what to do."""


def asked_in(store: Store, showing: Showing) -> tuple[Study, Form]:
    """The study of whoever is asked, in their version, and the form.

    Raises:
        BadFormAnswer: the study has none of that name.
    """
    study = participants.study_of(store, participants.get_participant(store, showing.participant_id))
    found = next((form for form in study.every_form if form.name == showing.form), None)
    if found is None:
        raise BadFormAnswer(say("form.no_item"))
    return study, found


def check_taking_part(store: Store, showing: Showing) -> None:
    """Refuse answers of whoever has ended their part.

    Raises:
        BadFormAnswer: so it is.
    """
    if participants.get_participant(store, showing.participant_id).state not in TAKING_PART:
        raise BadFormAnswer(say("form.over"))


def note(store: Store, showing: Showing, form: Form, name: str, given: Given, *, client_time_ms: float | None = None) -> str:
    """Keep what somebody has chosen so far; returns when it was kept.

    Raises:
        BadFormAnswer: there is no such item or answer, or the form is sent.
    """
    item = form.item(name)
    if item is None:
        raise BadFormAnswer(say("form.no_item"))
    with store.atomic():
        check_taking_part(store, showing)
        return answers.note(store, showing, item, given, client_time_ms)


def send(store: Store, engine: EpisodeEngine, showing_id: str, given: Mapping[str, Given], *, client_time_ms: float | None = None) -> Sent:
    """Send a form. Sending it again says the same once more.

    Args:
        store: the database.
        engine: gives back the task of whoever is screened out.
        showing_id: what was before the person.
        given: item → answer.
        client_time_ms: the sender's clock, milliseconds.

    Raises:
        Incomplete: items lack an answer or have one that they cannot have; nothing was sent.
        BadFormAnswer: there is no such item.
    """
    showing = answers.get_showing(store, showing_id)
    _, form = asked_in(store, showing)
    if any(form.item(name) is None for name in given):
        raise BadFormAnswer(say("form.no_item"))
    if showing.sent_at:
        return _then(form, showing, showing.passed, showing.sent_at)
    read, faults = {}, {}
    for item in form.items:
        try:
            read[item.name] = answers.read(item, given.get(item.name, Given()))
            if item.required and read[item.name].empty:
                faults[item.name] = say("form.missing")
        except BadFormAnswer as fault:
            faults[item.name] = str(fault)
    if faults:
        raise Incomplete(faults)
    with store.atomic():
        now_kept = answers.get_showing(store, showing_id)
        if now_kept.sent_at is None:
            check_taking_part(store, showing)
            answers.send(store, showing, form, read, client_time_ms)
            now_kept = answers.get_showing(store, showing_id)
        sent = _then(form, now_kept, now_kept.passed, now_kept.sent_at or "")
        left = participants.end_early(store, engine, showing.participant_id, "screen_out") if sent.then == "screen_out" else []
    for episode_id in left:
        engine.release(episode_id)
    return sent


def _then(form: Form, showing: Showing, passed: bool | None, at: str) -> Sent:
    if passed is not False:
        return Sent(saved_at=at, then="go_on")
    if showing.attempt < form.attempts:
        return Sent(saved_at=at, then="again")
    return Sent(saved_at=at, then=form.rule, message=(form.warning or say("form.warning")) if form.rule == "warn" else "")
