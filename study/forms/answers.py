"""What is kept of a form: each showing of it to somebody, and every version of every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, dumps, new_id, now
from study.devices import Device
from study.errors import NotAllowed
from study.forms.form import Form, Item
from study.forms.kinds import BadFormAnswer, Value
from study.steps import clock
from study.wording import say

MOST_VERSIONS = 200
"""Most versions kept of one showing's answers to one item."""


class Showing(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `form_showings`: a form that was put before somebody."""

    showing_id: str
    participant_id: str
    form: str
    occasion: int
    """Tasks done when it was asked."""
    attempt: int
    """From 1; more where the form is asked again of people who did not pass."""
    made_at: str
    opened_at: str | None = None
    device: Annotated[dict[str, Any], Json] = {}
    """What it was first opened with (`study.devices.Device`); empty: not told."""
    sent_at: str | None = None
    passed: bool | None = None
    """None: not sent, or nothing in it is judged."""
    wrong: int | None = None
    """Judged items that were missed."""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `form_answers`: one version of an answer."""

    showing_id: str
    item: str
    n: int
    value: Annotated[Value | None, Json]
    """None: declined, or left out."""
    declined: bool
    sent: bool
    """Whether it was sent with the form; versions before that are what stood there meanwhile."""
    passed: bool | None
    server_time: str


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it comes in."""

    value: Value | None = None
    declined: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was said."""
        return self.value is None and not self.declined


class _N(msgspec.Struct, frozen=True):
    n: int


def showings(store: Store, participant_id: str, form: str, occasion: int) -> list[Showing]:
    """The showings of a form to somebody at one occasion, first attempt first."""
    return store.rows(
        "SELECT * FROM form_showings WHERE participant_id = ? AND form = ? AND occasion = ? ORDER BY attempt",
        Showing,
        [participant_id, form, occasion],
    )


def showings_of(store: Store, participant_id: str) -> list[Showing]:
    """Everything that was put before somebody, in order."""
    return store.rows("SELECT * FROM form_showings WHERE participant_id = ? ORDER BY made_at, rowid", Showing, [participant_id])


def is_due(store: Store, participant_id: str, form: Form, occasion: int) -> bool:
    """Whether somebody has still to send a form, or to send it again."""
    sent = [one for one in showings(store, participant_id, form.name, occasion) if one.sent_at]
    return not sent or (sent[-1].passed is False and sent[-1].attempt < form.attempts)


def show(store: Store, participant_id: str, form: Form, occasion: int) -> Showing:
    """The showing that somebody has before them; it is made where there is none."""
    with store.atomic():
        there = showings(store, participant_id, form.name, occasion)
        if there and not there[-1].sent_at:
            return there[-1]
        showing = Showing(
            showing_id=new_id("fs"), participant_id=participant_id, form=form.name, occasion=occasion, attempt=len(there) + 1, made_at=now()
        )
        row = {"showing_id": showing.showing_id, "participant_id": participant_id, "form": form.name, "occasion": occasion}
        store.insert("form_showings", row | {"attempt": showing.attempt, "made_at": showing.made_at})
    return showing


def get_showing(store: Store, showing_id: str) -> Showing:
    """A showing.

    Raises:
        NotAllowed: there is none.
    """
    found = store.row("SELECT * FROM form_showings WHERE showing_id = ?", Showing, [showing_id])
    if found is None:
        raise NotAllowed(say("form.not_yours"))
    return found


def opened(store: Store, showing: Showing, device: Device) -> None:
    """Keep that a form was opened, and with what; each time is an event."""
    with store.atomic() as db:
        at, told = now(), msgspec.to_builtins(device)
        db.execute(
            "UPDATE form_showings SET opened_at = ?, device = ? WHERE showing_id = ? AND opened_at IS NULL",
            [at, dumps(told), showing.showing_id],
        )
        store.event("form_opened", _named(showing) | {"device": told}, at=at, participant_id=showing.participant_id)


def latest(store: Store, showing_id: str) -> dict[str, Answered]:
    """Item → what stands there now."""
    rows = store.rows("SELECT * FROM form_answers WHERE showing_id = ? ORDER BY n", Answered, [showing_id])
    return {row.item: row for row in rows}


def before(store: Store, showing: Showing) -> list[str]:
    """The items that were missed the time before; empty at the first."""
    rows = store.rows(
        "SELECT a.* FROM form_showings f JOIN form_answers a USING (showing_id) WHERE f.participant_id = ? AND f.form = ? "
        "AND f.occasion = ? AND f.attempt = ? AND a.sent = 1 AND a.passed = 0",
        Answered,
        [showing.participant_id, showing.form, showing.occasion, showing.attempt - 1],
    )
    return [row.item for row in rows]


def right_before(store: Store, showing: Showing, form: Form) -> dict[str, Answered]:
    """Item → what was sent the time before, where it was not missed; empty where the form is not there to teach."""
    if not form.moment.teaches or showing.attempt < 2:
        return {}
    earlier = showings(store, showing.participant_id, showing.form, showing.occasion)
    last = next((one for one in earlier if one.attempt == showing.attempt - 1), None)
    missed = before(store, showing)
    return {} if last is None else {name: row for name, row in latest(store, last.showing_id).items() if name not in missed}


def read(item: Item, given: Given) -> Given:
    """An answer as it is kept.

    Raises:
        BadFormAnswer: the item has no such answer.
    """
    if given.declined:
        if not item.may_decline:
            raise BadFormAnswer(say("form.missing"))
        return Given(declined=True)
    return given if given.value is None else Given(value=item.of.read(item, given.value))


def passes(item: Item, given: Given) -> bool | None:
    """Whether an answer passes; None: the item is not judged."""
    if not item.judged:
        return None
    return given.value is not None and item.of.passes(item, given.value)


def note(store: Store, showing: Showing, item: Item, given: Given, client_time_ms: float | None = None) -> str:
    """Keep what somebody has chosen so far; the form is not sent yet. Returns when it was kept.

    Raises:
        BadFormAnswer: the item has no such answer, the form is sent already, or it was changed too often.
    """
    kept = read(item, given)
    with store.atomic():
        if get_showing(store, showing.showing_id).sent_at:
            raise BadFormAnswer(say("form.sent_already"))
        before = latest(store, showing.showing_id).get(item.name)
        if before is not None and (before.value, before.declined) == (kept.value, kept.declined):
            return before.server_time
        return _keep(store, showing, item, kept, sent=False, passed=None, client_time_ms=client_time_ms)


def send(
    store: Store, showing: Showing, form: Form, given: Mapping[str, Given], client_time_ms: float | None = None
) -> tuple[bool | None, int]:
    """Keep all answers of a form as sent; part of the caller's transaction. Returns whether it is passed (None: it is not judged), and how
    many judged items were missed."""
    wrong = 0
    for item in form.items:
        kept = given.get(item.name, Given())
        passed = passes(item, kept)
        wrong += passed is False
        _keep(store, showing, item, kept, sent=True, passed=passed, client_time_ms=client_time_ms)
    passed_all = wrong <= form.wrong_allowed if form.judged else None
    at = now()
    store.db.execute(
        "UPDATE form_showings SET sent_at = ?, passed = ?, wrong = ? WHERE showing_id = ?",
        [at, None if passed_all is None else int(passed_all), wrong if form.judged else None, showing.showing_id],
    )
    told = _named(showing) | {"passed": passed_all, "wrong": wrong, "client_time_ms": clock(client_time_ms)}
    store.event("form_sent", told, at=at, participant_id=showing.participant_id)
    return passed_all, wrong


def _keep(
    store: Store, showing: Showing, item: Item, given: Given, *, sent: bool, passed: bool | None, client_time_ms: float | None
) -> str:
    at = now()
    count = store.row(
        "SELECT coalesce(max(n), 0) AS n FROM form_answers WHERE showing_id = ? AND item = ?", _N, [showing.showing_id, item.name]
    )
    n = (count.n if count else 0) + 1
    if n > MOST_VERSIONS and not sent:
        raise BadFormAnswer(say("form.too_often", most=MOST_VERSIONS))
    told = _named(showing) | {"item": item.name, "n": n, "value": given.value, "declined": given.declined, "sent": sent}
    thought = clock(client_time_ms)
    event_seq = store.event("form_answer", told | {"client_time_ms": thought}, at=at, participant_id=showing.participant_id)
    row = {"showing_id": showing.showing_id, "item": item.name, "n": n, "value": None if given.value is None else dumps(given.value)}
    row |= {"declined": int(given.declined), "sent": int(sent), "passed": None if passed is None else int(passed)}
    store.insert("form_answers", row | {"event_seq": event_seq, "client_time_ms": thought, "server_time": at})
    return at


def _named(showing: Showing) -> dict[str, Any]:
    return {"showing": showing.showing_id, "form": showing.form, "occasion": showing.occasion, "attempt": showing.attempt}
