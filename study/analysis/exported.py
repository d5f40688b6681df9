"""The trials of a study, read from an export's tables alone (`study.export`): enough to compute every figure again."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path as Folder
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from data.foreign import Unreadable, json_value
from study.analysis.paths import believed, called, contrastive_of
from study.analysis.trials import Move, Path, Trial, Trials, View
from study.errors import StudyError
from study.states import LIVE, OVER

MANIFEST = "vantage_export.json"
_OF_EPISODE = (
    "episode_id", "agent_kind", "agent_name", "participant_id", "participant_number", "task_hash", "task_id", "content", "category",
    "subcategory", "paradigm", "trial_index", "budget", "belief_bar", "state", "answered", "correct_strict", "correct_lenient", "chance",
    "confidence", "observations", "evidence_seq", "evidence_declared", "stopped_by", "excluded_by", "mode", "practice", "study_id",
    "study_version", "selected_on_answer",
)  # fmt: skip
_OF_ANSWER = ("episode_id", "answer", "correct_coded", "correct_settled")
_OF_STEP = ("episode_id", "seq", "action", "ok", "after_x_m", "after_y_m", "after_z_m", "after_yaw_deg", "after_pitch_deg")
_OF_BELIEF = ("episode_id", "seq", "event_seq", "answer", "correct", "confidence")
_OF_LABEL = ("episode_id", "coder", "kind", "seq", "label")


class ExportUnreadable(StudyError):
    """A folder whose tables cannot be read as an export; the message says which, and what to do."""

    code = "export_unreadable"


class _Manifest(msgspec.Struct):
    created_at: str
    sha256: dict[str, str] = {}


def exported(folder: Folder, study_id: str | None = None, *, mode: str = LIVE) -> Trials:
    """The trials of a study, from an export.

    Args:
        folder: the export.
        study_id: the study; None: the only one in it.
        mode: kind of run (`study.states.MODES`).

    Raises:
        ExportUnreadable: it is no export with tables, a table was changed after it was written, or it has several studies.
    """
    manifest = _manifest(folder)
    check = _checked(folder, manifest)
    studies = check("studies", ("study_id", "name", "people", "withdrawn"))
    those = [row for row in studies if study_id in (None, row["study_id"])]
    if len(those) != 1:
        has = f"has {len(studies)} studies" if study_id is None else f"has no study {study_id[:40]!r}"
        raise ExportUnreadable(f"The export {folder.name} {has}: name one with --study, or export one study alone.")
    study = those[0]
    episodes = [
        row
        for row in check("episodes", _OF_EPISODE)
        if row["study_id"] == study["study_id"] and row["mode"] == mode and not row["practice"]
    ]
    answers = {row["episode_id"]: row for row in check("answers", _OF_ANSWER)}
    ended = [row for row in episodes if row["state"] in OVER]
    return Trials(
        study_id=study["study_id"],
        title=study["name"],
        source=folder.name,
        mode=mode,
        versions=tuple(sorted({row["study_version"] for row in ended})),
        rows=tuple(_trial(row, answers.get(row["episode_id"])) for row in ended),
        read_at=manifest.created_at,
        people=study["people"] - study["withdrawn"],
        withdrawn=study["withdrawn"],
        unfinished=len(episodes) - len(ended),
        path=_paths(check),
    )


def _trial(row: dict[str, Any], answer: dict[str, Any] | None) -> Trial:
    settled = answer["correct_settled"] if answer else None
    same = ("episode_id", "task_id", "content", "category", "subcategory", "paradigm", "trial_index", "budget", "state", "chance")
    more = ("confidence", "observations", "evidence_seq", "evidence_declared", "stopped_by")
    return Trial(
        **{name: row[name] for name in (*same, *more)},
        agent="human" if row["agent_kind"] == "human" else row["agent_name"],
        person=row["participant_id"] or row["agent_name"],
        number=row["participant_number"],
        task=row["task_hash"],
        probed=row["belief_bar"],
        answered=bool(row["answered"]),
        answer=answer["answer"] if answer else None,
        strict=row["correct_strict"],
        lenient=row["correct_lenient"],
        coded=answer["correct_coded"] if answer else None,
        settled=row["correct_strict"] if settled is None else settled,
        excluded=msgspec.json.decode(row["excluded_by"], type=tuple[str, ...]),
        selected=row["selected_on_answer"],
    )


def _paths(check: Callable[[str, Sequence[str]], list[dict[str, Any]]]) -> Callable[[str], Path]:
    """Episode id → its path; the tables are read when the first is asked for."""

    @cache
    def grouped(name: str, columns: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
        found = defaultdict(list)
        for row in check(name, columns):
            found[row["episode_id"]].append(row)
        return found

    def path(episode_id: str) -> Path:
        steps = grouped("steps", _OF_STEP).get(episode_id, [])
        said = grouped("beliefs", _OF_BELIEF).get(episode_id, [])
        labels = grouped("labels", _OF_LABEL).get(episode_id, [])
        beliefs = believed([(row["seq"], row["answer"], row["correct"], row["confidence"]) for row in said])
        views = [(row["coder"], row["seq"], row["label"]) for row in labels if row["kind"] == "view"]
        contrastive, revised = contrastive_of(views, steps[-1]["seq"] if steps else 0, beliefs)
        return Path(
            beliefs=beliefs,
            moves=tuple(Move(row["seq"], called(row["action"]), row["ok"]) for row in steps if row["seq"]),
            views=tuple(
                View(row["seq"], (row["after_x_m"], row["after_y_m"], row["after_z_m"]), row["after_yaw_deg"], row["after_pitch_deg"])
                for row in steps
            ),
            contrastive=contrastive,
            revised_after_contrastive=revised,
        )

    return path


def _manifest(folder: Folder) -> _Manifest:
    try:
        return msgspec.convert(json_value((folder / MANIFEST).read_bytes()), _Manifest)
    except (OSError, Unreadable, msgspec.ValidationError):
        raise ExportUnreadable(f"{folder.name} is no export: a folder that vantage export wrote has a {MANIFEST}.") from None


def _checked(folder: Folder, manifest: _Manifest) -> Callable[[str, Sequence[str]], list[dict[str, Any]]]:
    """A reader of tables that refuses one which is not as it was written."""

    def read(name: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        file = folder / "tables" / f"{name}.parquet"
        try:
            data = file.read_bytes()
        except OSError:
            raise ExportUnreadable(f"The export {folder.name} has no table {name}: export the study again, with the form tables.") from None
        if name not in manifest.sha256:
            raise ExportUnreadable(f"The export {folder.name} is of an earlier program, without hashes of its tables: export it again.")
        if hashlib.sha256(data).hexdigest() != manifest.sha256[name]:
            raise ExportUnreadable(
                f"The table {name} of the export {folder.name} was changed after it was written (its SHA-256 differs from the one in "
                f"{MANIFEST}): take the export as it was, or export the study again."
            )
        try:
            rows: list[dict[str, Any]] = pq.read_table(pa.BufferReader(data), columns=list(columns)).to_pylist()
        except (pa.ArrowException, KeyError):
            raise ExportUnreadable(f"The table {name} of the export {folder.name} cannot be read: export the study again.") from None
        return rows

    return read
