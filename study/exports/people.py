"""The rows of what people said beside the tasks, and the report on each person's quality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, dumps
from study.export_columns_people import FormRow, QualityRow
from study.forms import answers
from study.page_events import GOING
from study.participants import study_of
from study.records import ParticipantRecord
from study.states import LIVE
from study.tabular import Time
from study.tutorial import passing

LEFT, BACK = ("hidden", "blur"), ("visible", "focus")
"""What begins a time in which the page of a task was left, and what ends it (`study.page_events`)."""


class _Page(msgspec.Struct, frozen=True):
    episode_id: str
    data: Annotated[dict[str, Any], Json]


class _Count(msgspec.Struct, frozen=True):
    n: int


class _Version(msgspec.Struct, frozen=True, kw_only=True):
    item: str
    n: int
    value: str | None
    declined: bool
    sent: bool
    passed: bool | None
    client_time_ms: float | None
    server_time: str


def people_of(
    store: Store, study_id: str, only: frozenset[str] | None = None, modes: Sequence[str] = (LIVE,)
) -> Iterator[ParticipantRecord]:
    """The people of a study who agreed to take part and did not withdraw, by their number.

    Args:
        store: the database.
        study_id: the study.
        only: only these; None: all.
        modes: of these kinds of runs.
    """
    people = store.rows(
        "SELECT * FROM participants WHERE study_id = ? AND consented_at IS NOT NULL "
        "AND state NOT IN ('withdrawn', 'declined') AND mode IN (SELECT value FROM json_each(?)) ORDER BY number",
        ParticipantRecord,
        [study_id, dumps(list(modes))],
    )
    yield from (person for person in people if only is None or person.participant_id in only)


def form_rows(store: Store, person: ParticipantRecord) -> Iterator[FormRow]:
    """Every version of every answer that somebody gave in questionnaires, in order."""
    forms = {form.name: form for form in study_of(store, person).every_form}
    for showing in answers.showings_of(store, person.participant_id):
        form = forms.get(showing.form)
        versions = store.rows("SELECT * FROM form_answers WHERE showing_id = ? ORDER BY event_seq", _Version, [showing.showing_id])
        for one in versions:
            item = form.item(one.item) if form else None
            yield FormRow(
                participant_id=person.participant_id,
                study_id=person.study_id,
                study_version=person.version,
                mode=person.mode,
                form=showing.form,
                moment=form.when if form else "",
                occasion=showing.occasion,
                attempt=showing.attempt,
                item=one.item,
                kind=item.kind if item else "",
                text=item.text if item else "",
                n=one.n,
                sent=one.sent,
                value=one.value,
                declined=one.declined,
                passed=one.passed,
                opened_at=None if showing.opened_at is None else Time(showing.opened_at),
                client_time_ms=one.client_time_ms,
                server_time=Time(one.server_time),
            )


def quality_row(store: Store, person: ParticipantRecord) -> QualityRow:
    """How well somebody could and did take part."""
    who, study = person.participant_id, study_of(store, person)
    when = {form.name: form.when for form in study.every_form}
    sent = [one for one in answers.showings_of(store, who) if one.sent_at]
    attention = [one for one in sent if when.get(one.form) == "attention"]
    understood = [one for one in sent if when.get(one.form) == "comprehension"]
    last = {one.form: one for one in sent}
    examples = passing.examples_of(store, study)
    pages = store.rows(
        "SELECT v.episode_id, v.data FROM episodes e JOIN events v ON v.episode_id = e.episode_id AND v.kind = 'page' "
        "WHERE e.participant_id = ? ORDER BY v.seq",
        _Page,
        [who],
    )
    happened = [page.data["what"] for page in pages]
    times, away_ms = _left(pages)

    def count(sql: str) -> int:
        row = store.row(sql, _Count, [who])
        return row.n if row else 0

    return QualityRow(
        participant_id=who,
        study_id=person.study_id,
        mode=person.mode,
        state=person.state,
        tasks_completed=count("SELECT count(*) AS n FROM slots WHERE participant_id = ? AND practice = 0 AND state = 'completed'"),
        attention_asked=len(attention),
        attention_missed=sum(one.passed is False for one in attention),
        comprehension_attempts=len(understood),
        comprehension_passed=all(last[one.form].passed for one in understood) if understood else None,
        examples_given=sum(len(passing.tries(store, who, example)) for example in examples),
        examples_passed=sum(passing.passed(store, who, example) for example in examples),
        checks_missed=dumps(sorted(name for name, one in last.items() if when.get(name) == "check" and one.passed is False)),
        left_tab=times,
        left_tab_ms=away_ms,
        offline=happened.count("offline"),
        resized=happened.count("resized"),
        openings=count("SELECT coalesce(sum(epoch), 0) AS n FROM episodes WHERE participant_id = ?"),
        problems=count("SELECT count(*) AS n FROM episodes JOIN problems USING (episode_id) WHERE participant_id = ?"),
        declined=count(
            "SELECT count(*) AS n FROM form_showings JOIN form_answers USING (showing_id) "
            "WHERE participant_id = ? AND sent = 1 AND declined = 1"
        ),
    )


def _left(pages: Sequence[_Page]) -> tuple[int, float]:
    """How often and for how long (milliseconds) pages of tasks were left; one that is hidden and loses the focus is left once;
    one that goes away (closed, loaded again) is not."""
    times, away_ms, since = 0, 0.0, dict[tuple[str, int], float | None]()
    for page in pages:
        key, what, at = (page.episode_id, page.data["epoch"]), page.data["what"], page.data.get("client_time_ms")
        if what in LEFT and key not in since and page.data.get("detail") != GOING:
            times += 1
            since[key] = at
        elif what in BACK and key in since:
            began = since.pop(key)
            away_ms += max(0.0, at - began) if at is not None and began is not None else 0.0
    return times, away_ms
