"""Moments as they stand in the database, and what people decide about them.

States: ``candidate`` (sampled, the rules found nothing against it), ``filtered`` (a rule did; a person may take it all the same), ``kept``
and ``dropped`` (a person decided, and may decide otherwise later). Nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import TypeAdapter

from annotation.qa.errors import NotYours, QaError
from annotation.qa.items import VIEWS, ViewImage
from annotation.qa.projects import change_project, get_project
from annotation.qa.scenes import clarity
from annotation.qa.scenes.clarity import Thresholds
from annotation.qa.scenes.moment import ORDER, Moment, get_moment, moments
from data.rows import Json
from data.store import Store, dumps, now
from study.states import Machine, after

MOMENT: Machine = {
    "candidate": {"filter": "filtered", "keep": "kept", "drop": "dropped"},
    "filtered": {"pass": "candidate", "keep": "kept", "drop": "dropped"},
    "kept": {"drop": "dropped", "undo": "candidate"},
    "dropped": {"keep": "kept", "undo": "candidate"},
}
"""A moment. ``filter`` and ``pass`` are the rules' doing, ``keep`` and ``drop`` a person's."""

KEEP_REASONS: Mapping[str, str] = {
    "useful": "Several questions can be asked about it.",
    "views_complement": "What one view hides another shows.",
    "rare": "Its task or its state is rare so far.",
    "hard": "It needs more than one view.",
    "other": "Another reason, in words.",
}
DROP_REASONS: Mapping[str, str] = {
    "nothing_to_ask": "Nothing can be asked about it.",
    "occluded": "What matters is hidden in the views.",
    "unclear": "An image is blurred, dark or spoilt.",
    "unsynchronised": "The views do not show the same moment.",
    "duplicate": "Much like a moment that was kept.",
    "empty": "The robot or the objects are out of sight.",
    "private": "A person or private thing can be recognised.",
    "other": "Another reason, in words.",
}

HELD_S = 300.0
"""A moment that was shown to somebody is not shown to another for so long."""
BREAK_S = 600.0
"""Who takes longer than this to decide did something else in between: such times do not count as effort."""
MAX_NOTE = 1000

_VIEWS: TypeAdapter[list[ViewImage]] = TypeAdapter(list[ViewImage])

State = Literal["candidate", "filtered", "kept", "dropped"]


class _Waiting(msgspec.Struct):
    """A candidate."""

    moment_id: str


class _Document(msgspec.Struct):
    """What a moment's document holds, as it is."""

    document: Annotated[dict[str, Any], Json]


class _Shown(msgspec.Struct):
    """That a moment was shown to somebody."""

    at: str
    actor: str
    subject: str | None


class _Told(msgspec.Struct):
    """When a moment was shown or decided about."""

    at: str
    kind: str


class _Study(msgspec.Struct):
    """The study whose people work on a moment's project."""

    study_id: str | None


def next_moment(
    store: Store, project_id: str, *, actor: str = "", arm: str | None = None, hidden: Callable[[Moment], bool] = lambda moment: False
) -> Moment | None:
    """The next candidate to decide about that is not `hidden` from this person; None when there is none left.

    With `actor` it is noted as shown to this person, once: others get another one for `HELD_S` seconds, and the time until the decision
    counts as effort.
    """
    with store.atomic() if actor else nullcontext():
        rows = store.rows(
            "SELECT m.moment_id FROM moments m JOIN robot_episodes e USING (episode_id) WHERE m.project_id = ? AND m.state = 'candidate' "
            f"AND (? IS NULL OR e.arm = ?) {ORDER}",
            _Waiting,
            [project_id, arm, arm],
        )
        waiting = [row.moment_id for row in rows]
        if not waiting:
            return None
        shown = _shown_lately(store)
        mine = [moment_id for moment_id in waiting if shown.get(moment_id) == actor] if actor else []
        free = [moment_id for moment_id in waiting if moment_id not in shown]
        for moment_id in dict.fromkeys([*mine, *free, *waiting]):
            moment = get_moment(store, moment_id)
            if not hidden(moment):
                if actor:
                    note_shown(store, moment_id, actor)
                return moment
    return None


def ahead(store: Store, project_id: str, moment: Moment, many: int = 2) -> dict[str, list[ViewImage]]:
    """Moment → its views, of the moments in the same state that come first in the order of the sampling."""
    rows = store.query(
        "SELECT moment_id, json_extract(document, '$.views') AS views FROM moments WHERE project_id = ? AND state = ? AND moment_id <> ? "
        "ORDER BY json_extract(document, '$.place'), rowid LIMIT ?",
        [project_id, moment.state, moment.moment_id, many],
    )
    return {row["moment_id"]: _VIEWS.validate_json(row["views"] or "[]") for row in rows}


def note_shown(store: Store, moment_id: str, actor: str) -> None:
    """Leave an event that a moment is shown to a person, unless the last one still counts."""
    last = _last_shown(store, moment_id, actor)
    if last is None or _seconds_since(last) > BREAK_S:
        store.event("moment_shown", {"moment": moment_id}, actor=actor, study_id=_study(store, moment_id), subject=moment_id)


def decide(store: Store, moment_id: str, what: Literal["keep", "drop"], reason: str = "", actor: str = "", *, note: str = "") -> Moment:
    """Keep or drop a moment.

    Args:
        store: the database.
        moment_id: which.
        what: ``keep`` or ``drop``.
        reason: a key of `KEEP_REASONS` or `DROP_REASONS`; may be left out when keeping (``useful``).
        actor: who decides (staff id).
        note: the reason in words; needed for ``other``.

    Raises:
        QaError: no such reason, no words for ``other``, or it has not all its images.
        BadTransition: it is kept, or dropped, already.
    """
    known = {"keep": KEEP_REASONS, "drop": DROP_REASONS}.get(what)
    if known is None:
        raise QaError(f"A moment is kept or dropped (keep, drop); got {what!r}.")
    reason = reason or ("useful" if what == "keep" else "")
    if reason not in known:
        raise QaError(f"Say why: {', '.join(known)}; got {reason or 'nothing'!r}.")
    note = note.strip()
    if len(note) > MAX_NOTE:
        raise QaError(f"A reason in words has at most {MAX_NOTE} characters, got {len(note)}.")
    if reason == "other" and not note:
        raise QaError("Say in a few words what the other reason is.")
    with store.atomic():
        moment = get_moment(store, moment_id)
        if what == "keep" and (missing := [v for v in VIEWS.get(moment.arm, ()) if moment.view(v) is None]):
            raise QaError(f"This moment has no image of {', '.join(missing)}: it cannot be kept.")
        state, at = after(MOMENT, moment.state, what), now()
        last = _last_shown(store, moment_id, actor)
        write(store, moment_id, state=state, reason=reason, decided_by=actor, decided_at=at, document={"note": note})
        data: dict[str, Any] = {"moment": moment_id, "project": moment.project_id, "what": what, "reason": reason, "note": note}
        data |= {"from": moment.state, "seconds": None if last is None else round(_seconds_since(last, at), 3)}
        store.event("moment_decided", data, at=at, actor=actor, study_id=_study(store, moment_id), subject=moment_id)
    return get_moment(store, moment_id)


def undo(store: Store, moment_id: str, actor: str) -> Moment:
    """Take back one's own decision: the moment waits again, or is held back again where a rule spoke against it.

    Raises:
        NotYours: somebody else decided, or nobody.
    """
    with store.atomic():
        moment = get_moment(store, moment_id)
        if moment.decided_by != actor:
            raise NotYours("This decision is not yours to take back: decide otherwise instead.")
        state = after(MOMENT, moment.state, "undo")
        if moment.filter:
            state = after(MOMENT, state, "filter")
        reason, note = moment.filter.get("reason", ""), moment.filter.get("sentence", "")
        write(store, moment_id, state=state, reason=reason, decided_by="", decided_at=None, document={"note": note})
        data = {"moment": moment_id, "project": moment.project_id, "from": moment.state, "to": state}
        store.event("moment_undone", data, actor=actor, study_id=_study(store, moment_id), subject=moment_id)
    return get_moment(store, moment_id)


def write(store: Store, moment_id: str, *, document: Mapping[str, Any], **columns: Any) -> None:
    """Set columns, and fields of the document, of a moment; part of the caller's transaction."""
    row = store.row("SELECT document FROM moments WHERE moment_id = ?", _Document, [moment_id])
    assert row is not None
    columns["document"] = dumps(row.document | dict(document))
    names = ", ".join(f"{name} = ?" for name in columns)
    store.db.execute(f"UPDATE moments SET {names} WHERE moment_id = ?", [*columns.values(), moment_id])


def rejudge(store: Store, project_id: str, *, actor: str = "") -> dict[str, int]:
    """Hold candidates and filtered moments to the project's thresholds as they are now; what a person decided stays.

    Returns:
        ``filtered`` and ``passed``: how many changed.
    """
    changed = {"filtered": 0, "passed": 0}
    with store.atomic():
        project = get_project(store, project_id)
        seen: dict[str, list[Mapping[str, str]]] = {}
        for moment in moments(store, project_id):
            earlier = seen.setdefault(moment.episode_id, [])
            mine = signatures(moment.metrics)
            if moment.state in ("kept", "dropped"):
                earlier.append(mine)
                continue
            if moment.filter.get("reason") == "unreadable":
                continue
            figures = moment.metrics | {"nearest": nearest(mine, earlier)}
            verdict = clarity.judge(figures, project.thresholds)
            state = "filtered" if verdict.reason else "candidate"
            if not verdict.reason:
                earlier.append(mine)
            if state != moment.state:
                changed["filtered" if verdict.reason else "passed"] += 1
                after(MOMENT, moment.state, "filter" if verdict.reason else "pass")
            document = {"metrics": figures, "filter": said(verdict), "note": verdict.sentence}
            write(store, moment.moment_id, state=state, reason=verdict.reason, document=document)
        data = {"project": project_id, "thresholds": project.thresholds.model_dump(), **changed}
        store.event("moments_rejudged", data, actor=actor, study_id=project.study_id, subject=project_id)
    return changed


def hold_to(store: Store, project_id: str, thresholds: Thresholds, *, actor: str = "") -> dict[str, int]:
    """Change a project's thresholds, and hold its moments to them; returns what `rejudge` does."""
    with store.atomic():
        change_project(store, project_id, actor=actor, why="thresholds", thresholds=thresholds.model_dump())
        return rejudge(store, project_id, actor=actor)


def said(verdict: clarity.Verdict) -> dict[str, str]:
    """What the rules said, as it is kept."""
    return {"reason": verdict.reason, "sentence": verdict.sentence} if verdict.reason else {}


def signatures(metrics: Mapping[str, Any]) -> dict[str, str]:
    """View → signature."""
    return {view: one["signature"] for view, one in metrics.get("views", {}).items()}


def nearest(mine: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> float | None:
    """Difference to the most alike of other moments, grey levels; None where there is none."""
    found = min((clarity.likeness(mine, other) for other in others), default=float("inf"))
    return None if found == float("inf") else round(found, 3)


def _shown_lately(store: Store) -> dict[str, str]:
    """Moment → to whom it was shown within the last `HELD_S` seconds."""
    rows = store.rows("SELECT at, actor, subject FROM events WHERE kind = 'moment_shown' ORDER BY seq DESC LIMIT 500", _Shown)
    found: dict[str, str] = {}
    for row in rows:
        if row.subject is not None and _seconds_since(row.at) <= HELD_S:
            found.setdefault(row.subject, row.actor)
    return found


def _last_shown(store: Store, moment_id: str, actor: str) -> str | None:
    """When a moment was last shown to a person, if they have not decided about it since."""
    row = store.row(
        "SELECT at, kind FROM events WHERE kind IN ('moment_shown', 'moment_decided') AND actor = ? "
        "AND subject = ? ORDER BY seq DESC LIMIT 1",
        _Told,
        [actor, moment_id],
    )
    return row.at if row is not None and row.kind == "moment_shown" else None


def _seconds_since(at: str, until: str | None = None) -> float:
    return (datetime.fromisoformat(until or now()) - datetime.fromisoformat(at)).total_seconds()


def _study(store: Store, moment_id: str) -> str | None:
    row = store.row("SELECT p.study_id FROM moments m JOIN qa_projects p USING (project_id) WHERE m.moment_id = ?", _Study, [moment_id])
    return row.study_id if row is not None else None
