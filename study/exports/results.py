"""The released runner's result tree: a result file per episode, and its pictures as ``step_NNN.webp``, as they are stored, or ``.png``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from data.frames import FrameDamaged, FrameStore
from data.store import Store
from sim_bridge.encoding import to_png
from sim_bridge.spec import Pose
from study.exports.episodes import Episode
from study.exports.form import Format, Making, Problem, Take
from study.handles import handles
from study.published import STOPPED_BY, Named, named_tasks, place_of, published_action, question_id, runner_of, safe_name
from study.steps import Step


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """A result file and, where pictures are wanted, a folder of them for each episode with a final answer."""
    names = Names(making.store, making.datasets)

    def take(episode: Episode) -> None:
        row = episode.row
        # The released runner's tree holds what was met as its models met it.
        if not row.met.released_results or not (making.unfinished or (row.state in ("completed", "rejected") and not row.practice)):
            return
        place = names.place(episode.task, row.episode_id)
        ending = "png" if making.images == "png" else "webp"
        result = result_of(episode, f"steps/{place}", ending)
        if making.images != "none":
            written, lacking = write_images(making.store, making.frames, episode.steps, making.folder / "steps" / place, ending)
            making.counts["images"] += written
            making.problems.extend(problem._replace(file=f"steps/{place}/{problem.file}") for problem in lacking)
            result["vantage"]["missing_images"] = [problem.file for problem in lacking]
        path = making.folder / "results" / f"{place}_answer.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        # the same text as by `indent`, for which json leaves its encoder in C: a quarter of the export's time
        told = json.dumps(result, ensure_ascii=False, allow_nan=False)
        path.write_text(msgspec.json.format(told, indent=2) + "\n", encoding="utf-8")
        making.counts["results"] += 1

    yield take


class Names:
    """Paths in the released tree. A row whose qid another row of its place shares gets its task id added, later episodes their own id."""

    def __init__(self, store: Store, datasets: Iterable[str]) -> None:
        """Names are unique among all tasks of the data sets that appear, so that one export's names are another's."""
        self._taken = Counter(_key(task) for dataset in sorted(datasets) for task in named_tasks(store, dataset))
        self._first: dict[str, str] = {}

    def place(self, task: Named, episode_id: str) -> str:
        """``<TASK_NAME>/<scene>/<room>/<qid>``, unique in this export."""
        name = safe_name(question_id(task))
        if self._taken[_key(task)] > 1:
            name += f"__{safe_name(task.task_id)}"
        if self._first.setdefault(task.task_id, episode_id) != episode_id:
            name += f"__{safe_name(episode_id)}"
        return "/".join([safe_name(runner_of(task)), *(safe_name(part) for part in place_of(task)), name])


def _key(task: Named) -> str:
    return "/".join(safe_name(part).lower() for part in (runner_of(task), *place_of(task), question_id(task)))


def result_of(episode: Episode, images: str, ending: str) -> dict[str, Any]:
    """One result file: the released keys, ours under ``vantage``.

    Args:
        episode: the episode.
        images: folder of its pictures, relative to the export.
        ending: of their names.
    """
    row, task, steps, beliefs = episode.row, episode.task, episode.steps, episode.beliefs
    scene, room = place_of(task)
    runner = runner_of(task)
    turns = {turn["seq"]: turn for turn in episode.turns}
    answer = json.loads(row.answer) if row.answer else None
    confidence = _fraction(row.confidence)
    offered = handles(task, row.seed, row.settings.object_rule, row.hands, [step.visible for step in steps])
    labels = dict(offered.offers)
    history = []
    for step in steps:
        last = step.seq == len(steps) - 1
        following = None if last else steps[step.seq + 1]
        held = [b for b in beliefs if b.seq <= step.seq]
        turn = turns.get(step.seq, {})
        history.append(
            {
                "step": step.seq + 1,
                "action": "stop" if following is None else published_action(runner, following.action, labels),
                "answer": answer if last else (json.loads(held[-1].answer) if held and held[-1].answer else None),
                "confidence": confidence if last else _fraction(held[-1].confidence if held else None),
                "reasoning": row.reasoning or "" if last else turn.get("reasoning", ""),
                "image": _picture(step.seq, ending),
                "camera": _camera(step.pose_after),
                "action_result": _action_result(following),
                "extra_image_paths": [_picture(step.seq, ending, k) for k in range(1, len(step.more_frames) + 1)],
                "raw_output": turn.get("raw_output"),
                "finish_reason": turn.get("finish_reason"),
            }
        )
    correct = None if not row.answered else bool(row.correct_lenient)
    result: dict[str, Any] = {
        "source_json": task.provenance.file or f"{task.task_id}.json",
        "source_metadata": task.provenance.file or f"{task.task_id}.json",
        "question_index": 0,
        "task": runner,
        "scene": scene,
        "room": room,
        "question_id": question_id(task),
        "provider": "vantage",
        "model": row.agent_name or (f"human-{row.participant_id}" if row.participant_id is not None else row.agent_kind),
        "final_answer": {
            "answer": answer if answer is not None else ("not sure" if row.answer_raw is not None else None),
            "answer_step": len(steps) if row.answer_raw is not None else None,
            "confidence": confidence,
            "reasoning": row.reasoning or "",
            "steps": len(steps),
            "stopped_by": STOPPED_BY.get(row.stopped_by or "", row.stopped_by or row.state),
        },
        "history": history,
        "step_image_dir": images,
        "camera_info": {"camera_pose": _camera(steps[0].pose_after)},
        "env_postprocess": {},
        "task_type": task.tags.get("task_type") or task.subcategory,
        "question": task.question.text,
        "options": list(task.question.options) or [list(options) for options in task.question.blanks],
        "ground_truth": task.gold.accepted[0],
        "predicted_answer": answer,
        "accuracy": None if correct is None else float(correct),
        "correct": correct,
        # the first view of each part, where the task has several
        "reference_images": [_picture(s.seq, ending) for s in steps if s.kind in ("start", "phase")] if task.scene.phases else [],
    }
    return result | (row.details or {}) | {"vantage": _ours(episode, labels)}


def _ours(episode: Episode, labels: dict[str, str]) -> dict[str, Any]:
    row, task = episode.row, episode.task
    who = ("episode_id", "study_id", "participant_id", "trial_index", "agent_kind", "agent_name")
    how = ("paradigm", "seed", "state", "backend", "created_at", "started_at", "finished_at", "stopped_by", "chance", "scorer")
    return {
        **{name: getattr(row, name) for name in (*who, *how)},
        "practice": row.practice,
        "task_id": task.task_id,
        "task_hash": row.task_hash,
        "category": task.category,
        "subcategory": task.subcategory,
        "row_id": task.provenance.row_id,
        "protocol": json.loads(row.protocol),
        "option_order": msgspec.to_builtins(row.option_order),
        "object_labels": labels,
        "actions": list(task.actions),
        "openings": row.epoch,
        "deterministic": row.deterministic,
        "fingerprint": json.loads(row.fingerprint),
        "flags": list(row.flags),
        "correct_strict": row.correct_strict,
        "correct_lenient": row.correct_lenient,
        "answer_raw": json.loads(row.answer_raw) if row.answer_raw else None,
        "accepted": list(task.gold.accepted),
        "steps": [_kept(step) for step in episode.steps],
        "beliefs": [
            {name: getattr(belief, name) for name in ("epoch", "n", "seq", "confidence", "server_time")}
            | {"answer": json.loads(belief.answer) if belief.answer else None, "raw": json.loads(belief.raw)}
            for belief in episode.beliefs
        ],
    }


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


def _picture(seq: int, ending: str, frame: int | None = None) -> str:
    """Name of a step's picture, or of one on the way to it (from 1)."""
    return f"step_{seq + 1:03d}.{ending}" if frame is None else f"step_{seq + 1:03d}_frame_{frame:03d}.{ending}"


def write_images(store: Store, frames: FrameStore, steps: Iterable[Step], folder: Path, ending: str = "webp") -> tuple[int, list[Problem]]:
    """Frames as files: as they are stored, or as PNG with the same pixels.

    Args:
        store: the database.
        frames: the frame folder.
        steps: of one episode.
        folder: where the pictures go.
        ending: ``webp`` (as stored) or ``png``.

    Returns:
        How many were written, and those that could not be, since the frame's file is missing or changed; `Problem.file` is a bare name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count, lacking = 0, []
    for step in steps:
        named = [(_picture(step.seq, ending, k), h) for k, h in enumerate(step.more_frames, start=1)]
        for name, pixel_hash in [*named, (_picture(step.seq, ending), step.pixel_hash)]:
            try:
                kept = frames.kept(store, pixel_hash)
                (folder / name).write_bytes(to_png(kept) if ending == "png" else kept)
            except FrameDamaged as error:
                lacking.append(Problem(name, step.episode_id, step.seq, pixel_hash, error.what))
                continue
            count += 1
    return count, lacking


FORMAT = Format(
    name="results",
    title="Result files",
    text="Every finished episode as the released runner writes it: a result file, and a picture per step.",
    counts=("results", "images"),
    pictures=True,
    write=write,
)
