"""The list of a study's people: where each stands, what they did, when they were last heard of; counts that add up."""

from __future__ import annotations

from pathlib import Path

from study import participants, roster
from study.access import EVERY_STUDY
from study.studies import create_study
from tests.homes import fresh_store


def test_people_are_listed_with_their_state_and_counts_add_up(tmp_path: Path) -> None:
    store = fresh_store(tmp_path)
    study, other = create_study(store, "One", state="live"), create_study(store, "Other", state="live")
    made = [participants.add_participant(store, study.study_id) for _ in range(5)]
    participants.add_participant(store, other.study_id)
    for person in made[:3]:
        participants.advance(store, person, "welcome")
    participants.advance(store, made[0], "consent")
    participants.advance(store, made[1], "decline")
    counts = roster.by_state(store, study.study_id)
    assert counts == {"consented": 1, "declined": 1, "welcomed": 1, "entered": 2}
    assert sum(roster.by_state(store, EVERY_STUDY).values()) == 6
    found = roster.people(store, study.study_id)
    assert found.total == 5 and {row.participant_id for row in found.rows} == set(made) and {row.study for row in found.rows} == {"One"}
    first = next(row for row in found.rows if row.participant_id == made[0])
    moved = store.one("SELECT max(at) AS at FROM events WHERE participant_id = ?", [made[0]])
    assert moved is not None and first.since == first.seen_at == moved["at"]
    assert (first.done, first.total, first.task, first.reports, first.away, first.browser) == (0, 0, None, 0, 0, "")
    assert [row.participant_id for row in roster.people(store, study.study_id, state="declined").rows] == [made[1]]
    assert [row.participant_id for row in roster.people(store, study.study_id, who=first.who).rows] == [made[0]]
    assert roster.people(store, study.study_id, who="somebody").total == 0
    last = roster.people(store, study.study_id, number=9, size=2)
    assert (last.number, last.pages, len(last.rows)) == (3, 3, 1)
