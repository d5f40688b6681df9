"""What happened, for others to use: the released runner's result tree, and tables with a data dictionary.

Nothing of people who withdrew, and no recruitment ids, ever leave. An export appears as a whole or not at all.
"""

from __future__ import annotations

import csv
import json
import secrets
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from data.files import replace_folder
from data.frames import FrameStore
from data.store import Store, now, os_error
from data.task import Task
from sim_bridge.encoding import to_png
from sim_bridge.spec import Pose
from study.errors import ExportRefused
from study.handles import handles
from study.paradigms import paradigm
from study.protocol import Protocol
from study.published import STOPPED_BY, place_of, published_action, question_id, runner_of, safe_name
from study.standing import as_offered
from study.steps import Step, steps_of
from study.tables import TABLES, AnswerRow, BeliefRow, EpisodeRow, Row, arrow_schema, dictionary, dictionary_markdown, step_row

MANIFEST = "vantage_export.json"
"""Marks a folder as an export of ours: such a folder may be replaced."""
Progress = Callable[[int, int], None]
"""Called with (episodes done, episodes in all)."""


class ExportReport(BaseModel):
    """What an export holds."""

    episodes: int = 0
    steps: int = 0
    beliefs: int = 0
    answers: int = 0
    results: int = 0
    """Result files in the released form."""
    images: int = 0


def export(
    store: Store,
    frames: FrameStore,
    out: Path,
    *,
    study_id: str | None = None,
    episodes: Sequence[str] | None = None,
    images: bool = True,
    unfinished: bool = False,
    progress: Progress | None = None,
) -> ExportReport:
    """Write an export folder.

    Args:
        store: the database.
        frames: the frame folder.
        out: the folder to write; an earlier export there is replaced.
        study_id: only this study; None: everything.
        episodes: only these episodes.
        images: whether to write the ``step_NNN.png`` files.
        unfinished: whether the result tree also holds episodes without a final answer, and practice (the tables always do).
        progress: called after each episode.

    Returns:
        Counts.

    Raises:
        ExportRefused: `out` holds something else, or the study or an episode does not exist.
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    out = out.absolute()
    _check_target(out)
    _check_wanted(store, study_id, episodes)
    try:
        return replace_folder(out, lambda folder: _write(store, frames, folder, study_id, episodes, images, unfinished, progress))
    except OSError as error:
        raise os_error(error, f"write the export {out}") from error


def zip_export(out: Path) -> Path:
    """Pack an export folder into ``<out>.zip`` (images are stored as they are); returns its path.

    Raises:
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    out = out.absolute()
    target = out.with_name(out.name + ".zip")
    partial = out.with_name(f".{out.name}.{secrets.token_hex(4)}.zip.partial")
    try:
        with zipfile.ZipFile(partial, "w") as archive:
            for path in sorted(p for p in out.rglob("*") if p.is_file()):
                packed = zipfile.ZIP_STORED if path.suffix in (".png", ".parquet") else zipfile.ZIP_DEFLATED
                archive.write(path, f"{out.name}/{path.relative_to(out)}", packed)
        partial.replace(target)
    except OSError as error:
        raise os_error(error, f"write {target}") from error
    finally:
        partial.unlink(missing_ok=True)
    return target


def _check_wanted(store: Store, study_id: str | None, episodes: Sequence[str] | None) -> None:
    """Refuse what does not exist, before an earlier export would be replaced by an empty one."""
    if study_id is not None and store.one("SELECT 1 AS yes FROM studies WHERE study_id = ?", [study_id]) is None:
        raise ExportRefused(f"There is no study {study_id[:40]!r} in {store.home.db}: nothing was written.")
    for episode_id in episodes or ():
        if store.one("SELECT 1 AS yes FROM episodes WHERE episode_id = ?", [episode_id]) is None:
            raise ExportRefused(f"There is no episode {episode_id[:40]!r} in {store.home.db}: nothing was written.")


def _check_target(out: Path) -> None:
    if out.is_file() or out.is_symlink():
        raise ExportRefused(f"{out} is a file, not a folder: name another --out.")
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise ExportRefused(f"{out} holds other files, which an export would replace: name a new or empty folder with --out.")


def _write(
    store: Store,
    frames: FrameStore,
    folder: Path,
    study_id: str | None,
    wanted: Sequence[str] | None,
    images: bool,
    unfinished: bool,
    progress: Progress | None,
) -> ExportReport:
    report = ExportReport()
    rows = _episodes(store, study_id, wanted)
    names = _Names(store, {row["dataset"] for row in rows})
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for number, row in enumerate(rows, start=1):
        task = as_offered(store.get_task(row["task_hash"]), row["actions"])
        steps = steps_of(store, row["episode_id"])
        beliefs = store.query("SELECT * FROM beliefs WHERE episode_id = ? ORDER BY event_seq", [row["episode_id"]])
        tables["episodes"].append(_episode_row(row, task, steps))
        tables["steps"] += [step_row(step) for step in steps]
        tables["beliefs"] += [_belief_row(belief) for belief in beliefs]
        if row["answer_raw"] is not None:
            tables["answers"].append(_answer_row(row, task))
        # a question about pictures has no place in the tree of the released runner
        if not task.shown and (unfinished or (row["state"] in ("completed", "rejected") and not row["practice"])):
            place = names.place(task, row["episode_id"])
            result = _result(store, row, task, steps, beliefs, f"steps/{place}")
            path = folder / "results" / f"{place}_answer.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
            report.results += 1
            if images:
                report.images += write_images(frames, steps, folder / "steps" / place)
        if progress:
            progress(number, len(rows))
    for name, table in tables.items():
        setattr(report, name, len(table))
        _write_table(folder / "tables", name, table)
    (folder / "tables" / "data_dictionary.json").write_text(json.dumps(dictionary(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "tables" / "data_dictionary.md").write_text(dictionary_markdown(), encoding="utf-8")
    about = {"made_by": "vantage", "format": 1, "created_at": now(), "study_id": study_id, "counts": report.model_dump()}
    (folder / MANIFEST).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return report


def _episodes(store: Store, study_id: str | None, wanted: Sequence[str] | None) -> list[dict[str, Any]]:
    rows = store.query(
        """
        SELECT e.*, t.dataset, p.number, coalesce(s.practice, 0) AS practice,
               a.raw AS answer_raw, a.answer, a.confidence, a.reasoning, a.stopped_by,
               a.seq AS answer_seq, a.event_seq AS answer_event, a.server_time AS answered_at,
               c.answered, c.correct_strict, c.correct_lenient, c.chance, c.details, c.scorer,
               (SELECT count(*) FROM events v WHERE v.episode_id = e.episode_id AND v.kind = 'looked_back') AS looked_back
        FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash
        LEFT JOIN participants p USING (participant_id) LEFT JOIN slots s USING (slot_id)
        LEFT JOIN answers a USING (episode_id)
        LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash
        WHERE e.last_seq >= 0 AND e.state <> 'withdrawn' AND (:study IS NULL OR e.study_id = :study)
        ORDER BY e.created_at, e.episode_id
        """,
        {"study": study_id},
    )
    return [row for row in rows if wanted is None or row["episode_id"] in wanted]


class _Names:
    """Paths in the released tree. A row whose qid another row of its place shares gets its task id added, later episodes their own id."""

    def __init__(self, store: Store, datasets: set[str]) -> None:
        """Names are unique among all tasks of the data sets that appear, so that one export's names are another's."""
        self._taken = Counter(self._key(task) for dataset in sorted(datasets) for task in store.tasks(dataset=dataset))
        self._first: dict[str, str] = {}

    @staticmethod
    def _key(task: Task) -> tuple[str, ...]:
        return tuple(safe_name(part).lower() for part in (runner_of(task), *place_of(task), question_id(task)))

    def place(self, task: Task, episode_id: str) -> str:
        """``<TASK_NAME>/<scene>/<room>/<qid>``, unique in this export."""
        name = safe_name(question_id(task))
        if self._taken[self._key(task)] > 1:
            name += f"__{safe_name(task.task_id)}"
        if self._first.setdefault(task.task_id, episode_id) != episode_id:
            name += f"__{safe_name(episode_id)}"
        return "/".join([safe_name(runner_of(task)), *(safe_name(part) for part in place_of(task)), name])


def _result(
    store: Store, row: dict[str, Any], task: Task, steps: list[Step], beliefs: list[dict[str, Any]], images: str
) -> dict[str, Any]:
    """One result file: the released keys, ours under ``vantage``."""
    scene, room = place_of(task)
    runner = runner_of(task)
    turns = {turn["seq"]: turn for turn in _turns(store, row["episode_id"])}
    answer = json.loads(row["answer"]) if row["answer"] else None
    confidence = _fraction(row["confidence"])
    offered = handles(task, row["seed"], [step.visible for step in steps])
    labels = dict(offered.offers)
    history = []
    for step in steps:
        last = step.seq == len(steps) - 1
        following = None if last else steps[step.seq + 1]
        held = [b for b in beliefs if b["seq"] <= step.seq]
        turn = turns.get(step.seq, {})
        history.append(
            {
                "step": step.seq + 1,
                "action": "stop" if following is None else published_action(runner, following.action, labels),
                "answer": answer if last else (json.loads(held[-1]["answer"]) if held and held[-1]["answer"] else None),
                "confidence": confidence if last else _fraction(held[-1]["confidence"] if held else None),
                "reasoning": row["reasoning"] or "" if last else turn.get("reasoning", ""),
                "image": f"step_{step.seq + 1:03d}.png",
                "camera": _camera(step.pose_after),
                "action_result": _action_result(following),
                "extra_image_paths": [f"step_{step.seq + 1:03d}_frame_{k:03d}.png" for k in range(1, len(step.more_frames) + 1)],
                "raw_output": turn.get("raw_output"),
                "finish_reason": turn.get("finish_reason"),
            }
        )
    correct = None if not row["answered"] else bool(row["correct_lenient"])
    result: dict[str, Any] = {
        "source_json": task.provenance.file or f"{task.task_id}.json",
        "source_metadata": task.provenance.file or f"{task.task_id}.json",
        "question_index": 0,
        "task": runner,
        "scene": scene,
        "room": room,
        "question_id": question_id(task),
        "provider": "vantage",
        "model": row["agent_name"] or (f"human-{row['number']:04d}" if row["number"] is not None else row["agent_kind"]),
        "final_answer": {
            "answer": answer if answer is not None else ("not sure" if row["answer_raw"] is not None else None),
            "answer_step": len(steps) if row["answer_raw"] is not None else None,
            "confidence": confidence,
            "reasoning": row["reasoning"] or "",
            "steps": len(steps),
            "stopped_by": STOPPED_BY.get(row["stopped_by"] or "", row["stopped_by"] or row["state"]),
        },
        "history": history,
        "step_image_dir": images,
        "camera_info": {"camera_pose": _camera(steps[0].pose_after)},
        "env_postprocess": {},
        "question": task.question.text,
        "options": list(task.question.options) or [list(options) for options in task.question.blanks],
        "ground_truth": task.gold.accepted[0],
        "predicted_answer": answer,
        "accuracy": None if correct is None else float(correct),
        "correct": correct,
    }
    details = json.loads(row["details"]) if row["details"] else {}
    return result | details | {"vantage": _ours(row, task, steps, beliefs, labels)}


def _ours(
    row: dict[str, Any], task: Task, steps: list[Step], beliefs: list[dict[str, Any]], labels: dict[str, str]
) -> dict[str, Any]:
    who = ("episode_id", "study_id", "participant_id", "trial_index", "agent_kind", "agent_name")
    how = ("paradigm", "seed", "state", "backend", "created_at", "started_at", "finished_at", "stopped_by", "chance", "scorer")
    return {
        **{name: row[name] for name in (*who, *how)},
        "practice": bool(row["practice"]),
        "task_id": task.task_id,
        "task_hash": row["task_hash"],
        "category": task.category,
        "subcategory": task.subcategory,
        "row_id": task.provenance.row_id,
        "protocol": json.loads(row["protocol"]),
        "option_order": json.loads(row["option_order"]),
        "object_labels": labels,
        "actions": list(task.actions),
        "openings": row["epoch"],
        "deterministic": None if row["deterministic"] is None else bool(row["deterministic"]),
        "fingerprint": json.loads(row["fingerprint"]),
        "flags": json.loads(row["flags"]),
        "correct_strict": None if row["correct_strict"] is None else bool(row["correct_strict"]),
        "correct_lenient": None if row["correct_lenient"] is None else bool(row["correct_lenient"]),
        "answer_raw": json.loads(row["answer_raw"]) if row["answer_raw"] else None,
        "accepted": list(task.gold.accepted),
        "steps": [_kept(step) for step in steps],
        "beliefs": [
            {name: belief[name] for name in ("epoch", "n", "seq", "confidence", "server_time")}
            | {"answer": json.loads(belief["answer"]) if belief["answer"] else None, "raw": json.loads(belief["raw"])}
            for belief in beliefs
        ],
    }


def _turns(store: Store, episode_id: str) -> list[dict[str, Any]]:
    rows = store.query("SELECT data FROM events WHERE episode_id = ? AND kind = 'model_turn' ORDER BY seq", [episode_id])
    return [json.loads(row["data"]) for row in rows]


def _action_result(step: Step | None) -> dict[str, Any]:
    """The released runner marks camera actions and the last step as not handled by its object actions; its camera actions never fail."""
    if step is None or step.kind != "action" or ("(" not in step.action and step.ok):
        return {"handled": False}
    return {"handled": True, "operation": step.action.split("(")[0], "success": step.ok, "reason": step.reason}


def _kept(step: Step) -> dict[str, Any]:
    """A step as it is kept, as JSON values."""
    told: dict[str, Any] = msgspec.to_builtins(step)
    return {name: value for name, value in told.items() if name not in ("episode_id", "timing_ms")}


def _camera(pose: Pose) -> dict[str, Any]:
    return {"position": list(pose.position_m), "quaternion_xyzw": list(pose.quaternion_xyzw)}


def _fraction(confidence: int | None) -> float | None:
    return None if confidence is None else confidence / 100


def write_images(frames: FrameStore, steps: Iterable[Step], folder: Path) -> int:
    """Frames as PNG, the same pixels; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for step in steps:
        named = [(f"step_{step.seq + 1:03d}_frame_{k:03d}.png", h) for k, h in enumerate(step.more_frames, start=1)]
        for name, pixel_hash in [*named, (f"step_{step.seq + 1:03d}.png", step.pixel_hash)]:
            (folder / name).write_bytes(to_png(frames.read(pixel_hash)))
            count += 1
    return count


def _write_table(folder: Path, name: str, rows: Sequence[Row]) -> None:
    """One table as Parquet and as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    model = TABLES[name]
    values = [row.model_dump() for row in rows]
    pq.write_table(pa.Table.from_pylist(values, schema=arrow_schema(model)), folder / f"{name}.parquet", compression="zstd")
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(model.model_fields)
        writer.writerows([csv_cell(value) for value in row.values()] for row in values)


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: texts beginning with ``= + - @``, a tab or a line break get an apostrophe before."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.lstrip(" ")[:1] in ("=", "+", "-", "@", "\t", "\r", "\n"):
        return "'" + value
    return value


def _episode_row(row: dict[str, Any], task: Task, steps: list[Step]) -> EpisodeRow:
    protocol = Protocol.model_validate_json(row["protocol"])
    order = json.loads(row["option_order"])
    kinds = Counter(step.kind for step in steps)
    asked = not paradigm(row["paradigm"]).simulated
    truth: dict[str, Any] = {
        name: None if row[name] is None else bool(row[name]) for name in ("answered", "correct_strict", "correct_lenient", "deterministic")
    }
    return EpisodeRow(
        **{name: row[name] for name in ("episode_id", "study_id", "participant_id", "trial_index", "agent_kind", "agent_name", "paradigm")},
        **{name: row[name] for name in ("seed", "state", "confidence", "stopped_by", "backend", "chance", "fingerprint", "flags")},
        **{name: row[name] for name in ("created_at", "started_at", "finished_at", "task_hash", "looked_back")},
        **truth,
        participant_number=row["number"],
        practice=bool(row["practice"]),
        task_id=task.task_id,
        category=task.category,
        subcategory=task.subcategory,
        dataset=task.provenance.dataset,
        source_row_id=task.provenance.row_id,
        budget=protocol.budget or task.budget,
        history=protocol.history,
        enlarge=protocol.enlarge,
        answer_form=protocol.answer_form,
        belief_bar=protocol.belief_bar,
        clipping=protocol.clipping,
        actions=json.dumps(list(task.actions)),
        options_shown=json.dumps([task.question.options[i] for i in order["options"]], ensure_ascii=False),
        observations=1 if asked else len(steps),
        item_hash=task.source.get("item_hash", "") if asked else "",
        variant=task.source.get("variant", "") if asked else "",
        time_limit_s=protocol.time_limit_s if asked else None,
        external_references=protocol.external_references if asked else None,
        failed_actions=sum(step.kind == "action" and not step.ok for step in steps),
        stays=kinds["stay"],
        openings=row["epoch"],
    )


def _belief_row(row: dict[str, Any]) -> BeliefRow:
    return BeliefRow(**{name: row[name] for name in BeliefRow.model_fields})


def _answer_row(row: dict[str, Any], task: Task) -> AnswerRow:
    details = defaultdict(lambda: None, json.loads(row["details"] or "{}"))
    truth: dict[str, Any] = {name: bool(row[name]) for name in ("answered", "correct_strict", "correct_lenient")}
    return AnswerRow(
        **{name: row[name] for name in ("episode_id", "answer", "confidence", "reasoning", "stopped_by", "chance", "scorer")},
        **truth,
        seq=row["answer_seq"],
        event_seq=row["answer_event"],
        form=task.question.form,
        raw=row["answer_raw"],
        gold=json.dumps(list(task.gold.accepted), ensure_ascii=False),
        absolute_error=details["absolute_error"],
        soft_score=details["soft_score"],
        server_time=row["answered_at"],
    )
