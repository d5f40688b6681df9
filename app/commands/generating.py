"""``vantage tasks generate``, ``check``, ``convert`` and ``balance``: own tasks made and proven in the simulator."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click

from app.commands import shortcuts
from app.commands.common import json_option, print_json, say, time_left
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command()
@click.argument("subcategory", required=False)
@click.option("--all", "every", is_flag=True, help="All generators.")
@click.option(
    "--count", type=click.IntRange(1, 500), default=2, show_default=True, help="Items per subcategory; twins are one item and two tasks."
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for one .json per task; default: the store.")
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help="Database; default $VANTAGE_HOME/vantage.db.")
@json_option
def generate(
    subcategory: str | None, every: bool, count: int, seed: int, out: Path | None, db: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Generate own tasks, each proven in the simulator; exit status 1 when fewer than asked for came out.

    An item with which the simulator is lost is made once more with another.
    """
    from data.generators.framework import BUNDLED_SEED
    from data.generators.framework import generate as make
    from data.generators.lab import laboratory
    from data.generators.novelty import repeated
    from data.generators.registry import GENERATORS, UnknownGenerator, benchmark, named
    from data.generators.registry import known as taken
    from sim_bridge.errors import WorkerLost
    from sim_bridge.lost import once_more

    if every == bool(subcategory):
        raise click.UsageError("Name one subcategory, or --all. Known: " + ", ".join(g.subcategory for g in GENERATORS) + ".")
    try:
        chosen = GENERATORS if every else named(subcategory or "")
    except UnknownGenerator as error:
        raise click.UsageError(str(error)) from None
    report: list[dict[str, Any]] = []
    tasks, each_s, known, began = [], [], taken(seed), time.perf_counter()
    with laboratory() as lab:
        for place, generator in enumerate(chosen):
            mine: dict[str, Any] = {"items": 0, "tasks": 0, "rejected": Counter(), "seconds": 0.0}
            for number in range(1, count + 1):
                at, spent = place * count + number - 1, time.perf_counter() - began
                say(
                    f"{generator.category} / {generator.subcategory}: item {number} of {count}, {at + 1} of {len(chosen) * count} in all"
                    f"{time_left(spent, at, len(chosen) * count - at)}."
                )
                item = partial(make, generator, seed=seed, pairs=1, first=number, known=known if generator.layouts else None)
                try:
                    result = once_more(partial(item, lab=lab), lab.renew)
                except WorkerLost as error:
                    mine["rejected"][str(error)] += 1
                    continue
                # Written as they come: what is proven is kept if the rest is interrupted.
                mine["tasks"] += _write(result.tasks, out) if out else _keep(result.tasks, db)
                mine["items"] += bool(result.tasks)
                mine["rejected"].update(result.rejected)
                took = time.perf_counter() - began - spent
                mine["seconds"] += took
                each_s += [took / len(result.tasks) for _ in result.tasks]
                tasks += result.tasks
            report.append(
                {
                    "category": generator.category,
                    "subcategory": generator.subcategory,
                    "asked": count,
                    "items": mine["items"],
                    "tasks": mine["tasks"],
                    "rejected": dict(sorted(mine["rejected"].items(), key=lambda item: (-item[1], item[0]))),
                    "seconds_per_task": round(mine["seconds"] / max(mine["tasks"], 1), 2),
                }
            )
            dropped = "; ".join(f"{n} × {reason}" for reason, n in report[-1]["rejected"].items())
            say(
                f"{generator.category} / {generator.subcategory}: {number_of(mine['tasks'], 'task')} in {mine['seconds']:.1f} s, "
                f"{report[-1]['seconds_per_task']:.1f} s a task." + (f" Rejected: {dropped}." if dropped else "")
            )
    median, most = (round(f(each_s), 2) if each_s else None for f in (statistics.median, max))
    texts = repeated(tasks, benchmark())
    if as_json:
        print_json(
            {
                "seed": seed,
                "tasks": len(tasks),
                "seconds": round(time.perf_counter() - began, 1),
                "seconds_per_task": {"median": median, "most": most},
                "texts_of_the_bundle": texts,
                "subcategories": report,
            }
        )
    if tasks:
        say(f"{number_of(len(tasks), 'task')}; a task took {median:.1f} s at the median and {most:.1f} s at most.")
        for name, of in (("all tasks", texts["all"]), ("those whose question names objects or rooms", texts["naming"])):
            if of["tasks"] and seed != BUNDLED_SEED:
                say(f"Of {name}, {of['repeated']} of {number_of(of['tasks'], 'has', 'have')} a question text that a bundled task has.")
    if short := [r["subcategory"] for r in report if r["items"] < r["asked"]]:
        say(f"Fewer than asked for: {', '.join(short)}.")
        raise SystemExit(1)


def _write(tasks: list[Any], out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        (out / f"{task.task_id}.json").write_text(task.canonical_json() + "\n", encoding="utf-8")
    return len(tasks)


def _keep(tasks: list[Any], db: Path | None) -> int:
    store = Store.open(Home.from_env(db))
    with store.atomic():
        for task in tasks:
            store.put_task(task)
    return len(tasks)


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@json_option
def check(folder: Path, as_json: bool) -> None:
    """Replay every ground-truth trajectory of a folder of task files in fresh sessions; exit status 1 where one does not hold.

    The gold is derived again by the simulator, the evidence looked for, twins' first views compared.
    """
    from data.generators.checking import Checked, check_files
    from data.generators.lab import laboratory
    from data.generators.registry import GENERATORS

    paths = sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]
    if not paths:
        raise click.UsageError(f"{folder}: no .json file there.")

    def told(entry: Checked) -> None:
        for problem in entry.problems:
            say(f"{entry.file}: {problem}")

    with laboratory() as lab:
        report = check_files(paths, lab, GENERATORS, told)
    good = sum(entry.ok for entry in report)
    if as_json:
        print_json(
            {
                "files": len(report),
                "ok": good,
                "failed": [
                    {"file": e.file, "task_id": e.task_id, "subcategory": e.subcategory, "problems": e.problems} for e in report if not e.ok
                ],
            }
        )
    say(f"{good} of {number_of(len(report), 'task holds', 'tasks hold')}.")
    if good < len(report):
        raise SystemExit(1)


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@json_option
def convert(folder: Path, as_json: bool) -> None:
    """Write task files of version 1 as version 2, in place; exit status 1 where one cannot be.

    Nothing is generated again: question, gold, scene and proof stay, and what was told in tags and wording becomes fields.
    """
    from data.generators.checking import read
    from data.generators.framework import Rejected
    from data.task import VERSION, converted

    paths = sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]
    if not paths:
        raise click.UsageError(f"{folder}: no .json file there.")
    written, failed = 0, {}
    for path in paths:
        try:
            task = read(path)
            if task.schema_version != VERSION:
                path.write_text(converted(task).canonical_json() + "\n", encoding="utf-8")
                written += 1
        except (Rejected, ValueError) as problem:
            failed[path.name] = str(problem)
            say(f"{path.name}: {problem}")
    if as_json:
        print_json({"files": len(paths), "converted": written, "failed": failed})
    say(
        f"{written} of {number_of(len(paths), 'file')} converted; {number_of(len(paths) - written - len(failed), 'is', 'are')} of "
        f"version {VERSION} already."
    )
    if failed:
        raise SystemExit(1)


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--drafts",
    type=click.IntRange(20, 2000),
    help="Instead: how well fresh drafts (this many items a subcategory) are guessed without looking.",
)
@click.option("--first-frames", is_flag=True, help="Instead: how well the answer is guessed from the first view alone.")
@click.option("--seed", type=int, default=2, show_default=True, help="Seed of the drafts.")
@json_option
def balance(folder: Path | None, drafts: int | None, first_frames: bool, seed: int, as_json: bool) -> None:
    """Is a folder of task files (default: the bundled benchmark) balanced? Exit status 1 where a bound is missed.

    With --drafts, models that read the kinds of things named, or the words of the question, are cross-validated on unproven drafts of every
    generator: the upper end of each 95 % interval must be at most 10 points above chance. A kind that misses it is drawn again with the
    next seed and four times the items, which decides. With --first-frames, a model of the first view is tried on pairs of twins that it has
    not learned from: over all tasks it must be within 4 points of chance.
    """
    if drafts is not None and (folder is not None or first_frames):
        raise click.UsageError("--drafts makes its own tasks: name neither a folder nor --first-frames beside it.")
    if drafts is not None:
        shortcuts.of_drafts(drafts, seed, as_json)
        return
    from data.generators.balance import report
    from data.generators.checking import read
    from data.generators.framework import Rejected
    from data.generators.registry import benchmark

    if folder is None:
        tasks = benchmark()
    else:
        tasks = []
        for path in sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]:
            try:
                tasks.append(read(path))
            except Rejected as problem:
                raise click.ClickException(f"{path}: {problem}") from None
    if not tasks:
        raise click.UsageError(f"{folder}: no task file there.")
    if first_frames:
        shortcuts.of_first_frames(tasks, as_json)
        return
    found = report(tasks)
    if as_json:
        print_json(found)
    else:
        for row in found["subcategories"]:
            line = (
                "{tasks:>4}  {subcategory:<26} answers {answer_entropy:.2f}  objects {object_entropy:.2f}  "
                "question only {question_only:.2f} (majority {majority:.2f})"
            )
            click.echo(line.format_map(row))
    for row in found["subcategories"]:
        for fault in row["problems"]:
            say(f"{row['subcategory']}: {fault}")
    if found["problems"]:
        raise SystemExit(1)
