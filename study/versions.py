"""The published versions of a study, what differs between two, and its copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from data.store import Store
from study.drafting import check_name
from study.errors import BadTransition
from study.returning import OUTCOMES
from study.studies import Study, being_edited, create_study, get_study


class Version(msgspec.Struct, frozen=True):
    """One published version."""

    version: int
    sha256: str
    """Of the published text."""
    actor: str
    note: str
    published_at: str
    people: int
    """Participants who came in it, of every kind of run."""


@dataclass(frozen=True)
class Difference:
    """One setting that differs."""

    field: str
    """As it stands in a settings file: ``trials``, ``protocol.budget``."""
    before: str
    after: str


OWN = ("study_id", "state", "version")
"""Fields that are no settings."""


def versions(store: Store, study_id: str) -> list[Version]:
    """The published versions, oldest first.

    Raises:
        UnknownStudy: there is no such study.
    """
    get_study(store, study_id)
    return store.rows(
        "SELECT v.version, v.sha256, v.actor, v.note, v.published_at, (SELECT count(*) FROM participants p WHERE p.study_id = v.study_id "
        "AND p.version = v.version) AS people FROM study_versions v WHERE v.study_id = ? ORDER BY v.version",
        Version,
        [study_id],
    )


def is_edited(store: Store, study_id: str) -> bool:
    """Whether something has been changed since the last version was published; a study that was never published is."""
    study = being_edited(store, study_id)
    return study.version == 0 or study != get_study(store, study_id)


def differences(before: Study, after: Study) -> tuple[Difference, ...]:
    """What differs between two texts of a study, setting by setting; of its tasks, how many came and went."""
    old, new = dict(_flat(before)), dict(_flat(after))
    found = [Difference(name, _told(old.get(name)), _told(new.get(name))) for name in {**old, **new} if old.get(name) != new.get(name)]
    if before.tasks != after.tasks:
        gone, come = set(before.tasks) - set(after.tasks), set(after.tasks) - set(before.tasks)
        said = f"{len(after.tasks)}: {len(come)} new, {len(gone)} gone" if gone or come else f"{len(after.tasks)}: in another order"
        found.append(Difference("tasks", str(len(before.tasks)), said))
    return tuple(found)


def _flat(study: Study) -> Iterator[tuple[str, Any]]:
    return _entries(study.model_dump(mode="json", exclude={*OWN, "tasks"}))


def _entries(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _entries(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _told(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) if not isinstance(one, Mapping) else "; ".join(f"{k}: {v}" for k, v in one.items()) for one in value)
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def discard(store: Store, study_id: str, *, actor: str = "") -> Study:
    """Take back what was changed since the last version was published.

    Returns:
        The study as that version has it.

    Raises:
        UnknownStudy: there is no such study.
        BadTransition: it was never published, so there is nothing to go back to.
    """
    with store.atomic() as db:
        study = get_study(store, study_id)
        if not study.version:
            raise BadTransition("This study was never published, so there is no version to go back to.")
        changed = [one.field for one in differences(study, being_edited(store, study_id))]
        if changed:
            db.execute("UPDATE studies SET draft = NULL, edited = edited + 1 WHERE study_id = ?", [study_id])
            store.event("study_edits_discarded", {"fields": changed}, actor=actor, study_id=study_id)
    return study


def clone(store: Store, study_id: str, name: str, *, version: int | None = None, actor: str = "") -> Study:
    """Another study with the same settings and tasks: a draft, without people, links and published versions, and without what belongs to
    one study alone: its ethics record's number and day, the recruitment platform's id, and codes and
    return links.

    Args:
        store: the database.
        study_id: the study.
        name: of the copy.
        version: a published version; None: as it is being edited.
        actor: who makes it.

    Raises:
        UnknownStudy: there is no such study, or no such version.
        BadStudy: another study has the name.
    """
    study = being_edited(store, study_id) if version is None else get_study(store, study_id, version)
    fields = study.model_dump(mode="json", exclude={*OWN, "name"})
    if fields["ethics"] is not None:
        fields["ethics"] |= {"number": "", "decided_on": None}
    if fields["recruitment"] is not None:
        fields["recruitment"] |= {"external_study": ""}
    fields["returns"] |= {outcome.name: {} for outcome in OUTCOMES}
    name = check_name(store, name)
    with store.atomic():
        copy = create_study(store, name, **fields)
        told = {"from": study_id, "version": study.version if version is None else version}
        store.event("study_cloned", told, actor=actor, study_id=copy.study_id)
    return copy
