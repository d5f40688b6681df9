"""What a researcher writes to somebody who takes part: one sentence, read between two tasks, with a receipt. Nobody can answer it; the page
that shows it names whom to reach.

A message never stands beside a picture, and it holds nothing of a task: words of what they are doing, or will come to, are refused.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, new_id, now
from study.errors import NoTaskLeft, StudyError
from study.records import ParticipantRecord
from study.words import person as person_name

LONGEST = 300
"""Characters of a message: it is read in one look."""
MOST_UNREAD = 3
"""Messages that may wait for one person."""
HEARS: tuple[str, ...] = ("entered", "welcomed", "consented", "practised")
"""States of a participant who comes by the page that shows messages."""


class BadMessage(StudyError):
    """A message that cannot be sent; the message says why."""

    code = "bad_message"


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message to a participant."""

    message_id: str
    text: str
    actor: str
    at: str
    read_at: str | None
    """When they said that they had read it; None: not yet."""


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    actor: str
    at: str
    data: Annotated[dict[str, Any], Json]


def send(store: Store, participant_id: str, text: str, *, actor: str) -> Message:
    """Write to somebody.

    Args:
        store: the database.
        participant_id: to whom.
        text: one sentence; line breaks become blanks.
        actor: who writes.

    Raises:
        NoTaskLeft: there is nobody with this id.
        BadMessage: empty or too long; it holds words of a task; too many wait unread; or they do not come by any more.
    """
    text = " ".join(text.split())
    if not text or len(text) > LONGEST:
        raise BadMessage(f"A message has 1 to {LONGEST} characters, this one has {len(text)}.")
    with store.atomic():
        person = _person(store, participant_id)
        who = person_name(person.number)
        if person.state not in HEARS:
            raise BadMessage(f"{who} is at the end ({person.state}) and would not read it. Write to them by the platform they came from.")
        waiting = [one for one in messages(store, participant_id) if one.read_at is None]
        if len(waiting) >= MOST_UNREAD:
            raise BadMessage(f"{who} has {len(waiting)} messages that they have not read yet, which is the most. Wait until they have.")
        if told := _of_a_task(store, participant_id, text):
            raise BadMessage(f"The message holds words of a task that {who} does or will do (“{told}”). Write nothing about tasks.")
        kept = Message(message_id=new_id("ms"), text=text, actor=actor, at=now(), read_at=None)
        store.event(
            "message",
            {"message": kept.message_id, "text": text},
            at=kept.at,
            actor=actor,
            study_id=person.study_id,
            participant_id=participant_id,
        )
    return kept


def messages(store: Store, participant_id: str) -> list[Message]:
    """All that was written to somebody, oldest first."""
    told = store.rows(
        "SELECT kind, actor, at, data FROM events WHERE participant_id = ? AND kind IN ('message', 'message_read') ORDER BY seq",
        _Told,
        [participant_id],
    )
    read = {one.data["message"]: one.at for one in told if one.kind == "message_read"}
    return [
        Message(
            message_id=one.data["message"],
            text=one.data["text"],
            actor=one.actor,
            at=one.at,
            read_at=read.get(one.data["message"]),
        )
        for one in told
        if one.kind == "message"
    ]


def unread(store: Store, participant_id: str) -> Message | None:
    """The oldest that they have not read; None: there is none."""
    return next((one for one in messages(store, participant_id) if one.read_at is None), None)


def has_read(store: Store, participant_id: str, message_id: str) -> None:
    """Keep that somebody read a message; twice is once, and another's or an unknown one is nothing."""
    with store.atomic():
        if any(one.message_id == message_id and one.read_at is None for one in messages(store, participant_id)):
            study = _person(store, participant_id).study_id
            store.event("message_read", {"message": message_id}, study_id=study, participant_id=participant_id)


def _person(store: Store, participant_id: str) -> ParticipantRecord:
    person = store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [participant_id])
    if person is None:
        raise NoTaskLeft(f"There is no participant {participant_id[:40]!r}.")
    return person


def _of_a_task(store: Store, participant_id: str, text: str) -> str:
    """Words in a message that stand in a task which somebody does or has a place for: an object's name, an option of several words, the
    question. Empty: there are none. The right answer is not looked for: whether a message is refused would tell it."""
    rows = store.query(
        "SELECT DISTINCT task_hash FROM slots WHERE (participant_id = :id AND state = 'held') OR claimed_by = :id", {"id": participant_id}
    )
    said = text.casefold()
    for row in rows:
        task = store.get_task(row["task_hash"])
        question = task.question
        phrases = [question.text, *question.options, *(option for blank in question.blanks for option in blank), *question.targets]
        phrases = [phrase for phrase in phrases if len(phrase.split()) > 1] + [name for name in task.names.values() if len(name) > 2]
        for phrase in phrases:
            if re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", said):
                return phrase
    return ""
