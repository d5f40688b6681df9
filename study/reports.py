"""What participants report outside a task, in their words; a report from within a task stands beside its step (`EpisodeEngine`)."""

from __future__ import annotations

import msgspec

from data.store import Store, new_id, now
from study.errors import BadAnswer
from study.noting import MAX_REPORT, MAX_REPORTS
from study.participants import get_participant
from study.wording import say


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One report, wherever it was written."""

    participant_id: str
    where: str
    """The stage of their way, or the task's id."""
    text: str
    at: str


def report(store: Store, participant_id: str, stage: str, text: str) -> str:
    """Keep a report; the same words on the same page again are one.

    Args:
        store: the database.
        participant_id: whose.
        stage: of their way, where they wrote it.
        text: in their words.

    Returns:
        When it was kept.

    Raises:
        BadAnswer: empty, too long, or more reports than one person has to make.
    """
    text = text.strip()
    if not text or len(text) > MAX_REPORT:
        raise BadAnswer(say("help.length", most=MAX_REPORT))
    with store.atomic():
        person, at = get_participant(store, participant_id), now()
        again = "SELECT at FROM reports WHERE participant_id = ? AND stage = ? AND text = ?"
        if said := store.one(again, [participant_id, stage, text]):
            return str(said["at"])
        counted = store.one("SELECT count(*) AS n FROM reports WHERE participant_id = ?", [participant_id])
        if counted is not None and counted["n"] >= MAX_REPORTS:
            raise BadAnswer(say("help.many"))
        store.insert("reports", {"report_id": new_id("rp"), "participant_id": participant_id, "stage": stage, "text": text, "at": at})
        store.event("report", {"stage": stage, "text": text}, at=at, study_id=person.study_id, participant_id=participant_id)
    return at


def reports_of(store: Store, participant_id: str) -> list[Report]:
    """All that somebody reported, oldest first."""
    return store.rows(
        'SELECT participant_id, stage AS "where", text, at FROM reports WHERE participant_id = :id UNION ALL '
        'SELECT e.participant_id, t.task_id AS "where", r.text, r.server_time AS at FROM problems r JOIN episodes e USING (episode_id) '
        "JOIN tasks t ON t.content_hash = e.task_hash WHERE e.participant_id = :id ORDER BY at",
        Report,
        {"id": participant_id},
    )
