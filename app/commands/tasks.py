"""``vantage tasks``: import, coverage, list, show, generate."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from app.commands.common import db_option, json_option, print_json, say
from app.commands.generating import balance, check, convert, generate
from app.commands.recorded import recorded
from app.commands.sheet import sheet
from app.commands.trying import try_, try_rows
from data.abilities import EMBEDDED, abilities_of
from data.fidelity import fidelity, selected_on_answer
from data.home import Home
from data.importers.registry import FORMATS
from data.plurals import number_of
from data.store import Store


def _store(db: Path | None) -> Store:
    """The store, for reading."""
    return Store.reading(Home.from_env(db))


@click.group()
def command() -> None:
    """Import, list and check tasks."""


@command.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), help="Format of the data set; default: found out.")
@click.option("--try/--no-try", "attempts", default=True, help="Try the rows whose answer follows from doing (`vantage tasks try`).")
@db_option
@json_option
def import_(paths: tuple[Path, ...], form: str | None, attempts: bool, db: Path | None, as_json: bool) -> None:
    """Import the rows of a data set, as released ESI-Bench rows: files, folders, summary lists.

    Exit status 0: every row became a task or is a known duplicate; 1: some were rejected (the report says why), or none was found.
    """
    from data.importers.run import chosen, import_paths

    store = Store.open(Home.from_env(db))
    report = import_paths(store, paths, form)
    if as_json:
        print_json(report.as_json())
    gone = {path.name: str(path.absolute()) for path in paths if not path.exists()}
    for rejected in report.rejected[:20]:
        say(f"{gone.get(rejected.file, rejected.file)}: {rejected.field + ': ' if rejected.field else ''}{rejected.reason}")
    if len(report.rejected) > 20:
        say(f"… and {len(report.rejected) - 20} more (see --json).")
    for defect, files in report.by_defect().items():
        say(f"Not playable as recorded, {len(files)} of those imported: {defect} ({files[0]}{', …' if files[1:] else ''}).")
    say(
        f"{number_of(report.rows, 'row')} in {report.seconds:.1f} s: {report.imported} imported, {report.duplicates} duplicates, "
        f"{len(report.rejected)} rejected."
    )
    if not report.rows:
        say(f"No rows were found there: {chosen(paths, form).hint}.")
    if attempts and report.rows:
        try_rows(store)
    if report.rejected or not report.rows:
        raise SystemExit(1)


@command.command()
@click.option("--dataset", help="The data set meant; default: all that were imported.")
@click.option(
    "--backend", default=EMBEDDED, show_default=True, help="The simulator meant: toy, mujoco, recorded, omnigibson, or module:callable."
)
@db_option
@json_option
def coverage(dataset: str | None, backend: str, db: Path | None, as_json: bool) -> None:
    """Which imported rows a simulator can play with its object models, and the most frequent reasons why others cannot be."""
    from data.playable import coverage as measure

    able = abilities_of(backend)
    say("Measuring every object of every row against the models …")
    store = _store(db)
    _check_there("--dataset", dataset, store.task_counts("dataset"))
    found = measure(store, able.catalogue, able.capabilities, dataset)
    if as_json:
        print_json(found)
        return
    if not found["imported"]:
        raise click.ClickException(
            (f"No row of {dataset} is here." if dataset else "No row is here yet.") + " Import rows first: vantage tasks import PATH."
        )
    click.echo(f"Object models: {found['pack']}")
    for row in found["subcategories"]:
        click.echo(f"{row['playable']:>5} of {row['imported']:<5} {row['category']} / {row['subcategory']}")
        for reason, count in list(row["reasons"].items())[:3]:
            click.echo(f"{'':>15}{count} × {reason}")
    click.echo(f"{found['playable']:>5} of {found['imported']:<5} in all ({100 * found['share']:.1f} %)")
    if found["selected"]:
        click.echo(f"{found['selected']:>5} of them selected on their answer: doing it here gives what is recorded; listed with --json")
    click.echo("How faithful, of those playable:")
    for words, count in found["fidelity"].items():
        click.echo(f"{count:>5} × {words}")
    grades = ", ".join(f"{count} {grade}" for grade, count in found["grades"].items())
    click.echo(f"Categories of objects by how they are shown: {grades or 'none yet'}")


@command.command("list")
@click.option("--dataset", help="Name of the data set; own tasks are of vantage.")
@click.option("--category")
@click.option("--subcategory")
@click.option("--playable", is_flag=True, help="Only what the simulator can play with its object models.")
@click.option("--needs", is_flag=True, help="Instead, as JSON lines: the buildings and models of the source that the tasks are made of.")
@click.option(
    "--backend", default=EMBEDDED, show_default=True, help="The simulator meant: toy, mujoco, recorded, omnigibson, or module:callable."
)
@db_option
@json_option
def list_(
    dataset: str | None,
    category: str | None,
    subcategory: str | None,
    playable: bool,
    needs: bool,
    backend: str,
    db: Path | None,
    as_json: bool,
) -> None:
    """List tasks (latest version of each)."""
    from data.playable import judge, needs_of

    able = abilities_of(backend) if playable else None
    store = _store(db)
    judged = judge(store, able.catalogue, able.capabilities) if able is not None else None
    _check_there("--dataset", dataset, store.task_counts("dataset"))
    _check_there("--category", category, store.task_counts("category"))
    _check_there("--subcategory", subcategory, store.task_counts("subcategory"))
    chosen = (t for t in store.tasks(dataset=dataset, category=category, subcategory=subcategory) if judged is None or judged(t).playable)
    if needs:
        for need in needs_of(chosen):
            click.echo(json.dumps(need))
        return
    rows = [
        {
            "task_id": t.task_id,
            "dataset": t.provenance.dataset,
            "category": t.category,
            "subcategory": t.subcategory,
            "question": t.question.text,
            "budget": t.budget,
            "proof_views": t.proof_views or None,
            "selected_on_answer": selected_on_answer(t),
        }
        for t in chosen
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        proof = f" (proof {row['proof_views']} of {row['budget']} views)" if row["proof_views"] else ""
        mark = " (selected on its answer)" if row["selected_on_answer"] else ""
        click.echo(
            f"{row['task_id']:<16} {row['category']} / {row['subcategory']}{proof}{mark}: {str(row['question']).splitlines()[0][:90]}"
        )
    say(
        f"{number_of(len(rows), 'task')}."
        if rows
        else "No tasks. `vantage tasks import` brings released rows in, `vantage tasks generate` makes own ones."
    )


def _check_there(option: str, value: str | None, counts: dict[str, int]) -> None:
    """Refuse a value that no task has, naming those that some have."""
    if value is not None and value not in counts:
        found = ", ".join(f"{name} ({count})" for name, count in counts.items())
        raise click.BadParameter(f"No task here is of {value!r}. There are: {found or 'no tasks yet'}.", param_hint=option)


@command.command()
@click.argument("task_id")
@click.option("--source", is_flag=True, help="With the source row.")
@click.option(
    "--backend", default=EMBEDDED, show_default=True, help="The simulator meant: toy, mujoco, recorded, omnigibson, or module:callable."
)
@db_option
@json_option
def show(task_id: str, source: bool, backend: str, db: Path | None, as_json: bool) -> None:
    """Show one task, gold included (for researchers)."""
    from data.playable import judge

    store, able = _store(db), abilities_of(backend)
    task = store.find_task(task_id)
    found, how = judge(store, able.catalogue, able.capabilities)(task), fidelity(task)
    if as_json:
        document = {k: v for k, v in task.document().items() if source or k != "source"}
        told = {"playable": found.playable, "missing": found.missing, "selected_on_answer": selected_on_answer(task)}
        print_json({**document, "content_hash": task.content_hash, **told, "fidelity": asdict(how) if how else None})
        return
    click.echo(f"{task.task_id}  {task.category} / {task.subcategory}  ({task.provenance.dataset})")
    click.echo(task.question.text + (f"\n{task.question.note}" if task.question.note else ""))
    click.echo(f"form {task.question.form}; options {', '.join(task.question.options or map(' / '.join, task.question.blanks))}")
    click.echo(f"gold {task.gold.accepted!r}; chance {task.gold.chance:.3f}; {task.gold.derivation}")
    for thing in task.scene.objects:
        grade = able.catalogue.lookup(thing.category).grade
        click.echo(f"  {thing.handle:<10} {thing.category:<28} {grade:<9} {task.names.get(thing.handle, '')}")
    if how is not None:
        click.echo(f"how faithful: {how.words}")
    if selected_on_answer(task):
        click.echo("selected on its answer: it is offered because doing it here gives the recorded answer")
    click.echo("playable" if found.playable else "not playable: " + "; ".join(found.missing))


command.add_command(generate)
command.add_command(check)
command.add_command(convert)
command.add_command(balance)
command.add_command(recorded)
command.add_command(try_)
command.add_command(sheet)
