"""``vantage play``: a task from the command line, through the same engine as the browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import msgspec


@click.command("play")
@click.option("--db", type=click.Path(exists=True, dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
@click.option("--task", "task_id", required=True, help="Task id, for example esi-0676.")
@click.option("--actions", default="", help='Actions, comma separated: "turn_left,move_up"; "next_part" goes on to the next part.')
@click.option("--answer", help="Final answer: text, or JSON for answers of several parts.")
@click.option("--confidence", type=click.IntRange(0, 100), help="How sure, 0 to 100.")
@click.option("--budget", type=click.IntRange(1, 1000), help="Observations allowed; default: the task's own.")
@click.option("--frames", type=click.Path(file_okay=False, path_type=Path), help="Folder for the pictures, named as in the export.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides the order of options and the numbers of objects.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(
    db: str | None,
    task_id: str,
    actions: str,
    answer: str | None,
    confidence: int | None,
    budget: int | None,
    frames: Path | None,
    backend: str,
    seed: int,
    as_json: bool,
) -> None:
    """Play a task: execute actions one after the other, and answer if asked to.

    Every step is kept in the database like a participant's. The picture of each is named by its pixel hash.
    """
    from data.home import Home
    from study import scoring
    from study.errors import BadAnswer, StudyError
    from study.exports.results import write_images
    from study.protocol import Protocol
    from study.runtime import running
    from study.steps import steps_of

    if confidence is not None and answer is None:
        raise BadAnswer("--confidence goes with --answer: give the answer it is about.")
    with running(Home.from_env(db), backend=backend) as runtime:
        engine = runtime.engine
        task = runtime.store.find_task(task_id)
        words = scoring.reading_of(task).same_words
        if answer is not None and scoring.normalise(task.question.form, task.question, answer, None, words) is None:
            raise BadAnswer(f"--answer: {scoring.explain(task.question)} Got {answer[:80]!r}.")
        episode = engine.create(
            task.content_hash, agent_kind="script", agent_name="vantage play", protocol=Protocol(budget=budget), seed=seed
        )
        view = engine.open(episode, tab="cli")
        told: dict[str, Any] = {"task": task.task_id, "episode": view.episode_id, "backend": backend}
        told |= {"question": view.question, "note": view.note, "form": view.form, "options": view.options, "blanks": view.blanks}
        told["actions"] = view.actions
        refused, step = "", view.step
        try:
            for seq, action in enumerate(split_actions(actions), start=1):
                if action == "next_part":
                    step = engine.next_phase(view.episode_id, view.epoch, seq)
                else:
                    step = engine.act(view.episode_id, view.epoch, seq, action)
            if answer is not None:
                told["answer"] = engine.answer(view.episode_id, view.epoch, answer, confidence).answer
                score = runtime.store.one("SELECT correct_strict, correct_lenient FROM scores WHERE episode_id = ?", [view.episode_id])
                told |= {name: bool(value) for name, value in (score or {}).items()}
        except StudyError as error:
            # What was done before is told all the same: it is in the database.
            told["refused"] = refused = str(error)
        finally:
            if "answer" not in told:
                engine.end(view.episode_id, "return", actor="vantage play")
        records = steps_of(runtime.store, view.episode_id)
        told["steps"] = [
            {"seq": s.seq, "action": s.action, "ok": s.ok, "reason": s.reason, "pixel_hash": s.pixel_hash}
            | {"pose": msgspec.to_builtins(s.pose_after)}
            for s in records
        ]
        if frames is not None:
            write_images(runtime.store, runtime.frames, records, frames)
        told["handles"] = {h.handle: h.label for h in step.handles}
        told["observations_left"] = step.observations_left
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        for done in told["steps"]:
            x, y, z = done["pose"]["position_m"]
            click.echo(f"{done['seq']:3} {done['action']:<28} {done['pixel_hash'][:12]}  at ({x:.2f}, {y:.2f}, {z:.2f}) m {done['reason']}")
        if "answer" in told:
            click.echo(f"answer: {told['answer']}: {'right' if told['correct_lenient'] else 'wrong'}")
    if refused:
        raise StudyError(refused)


def split_actions(text: str) -> list[str]:
    """Actions of a comma-separated list; commas inside brackets belong to an action."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]
