"""``vantage qa``: the benchmark of multi-view questions out, in, checked, balanced, derived, simulated, and results on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from annotation.qa.exports import FORMATS
from app.commands import qa_moments, qa_sources
from app.commands.common import ACTOR, chosen_project, db_option, json_option, print_json, project_option, say
from app.commands.qa_study import human_results, study
from data.home import Home
from data.plurals import number_of
from data.store import Store

_out = click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to write; an earlier one is replaced."
)
_forms = click.option(
    "--format", "only", type=click.Choice([form.name for form in FORMATS]), multiple=True,
    help="Only this form; may be repeated. " + " ".join(f"{form.name}: {form.text}" for form in FORMATS),
)  # fmt: skip
_no_images = click.option("--no-images", is_flag=True, help="Leave the images out.")


def _faults(faults: list[dict[str, Any]]) -> None:
    for fault in faults[:20]:
        say(f"{fault['file']}: {fault['field'] + ': ' if fault['field'] else ''}{fault['sentence']}")
    if len(faults) > 20:
        say(f"… and {len(faults) - 20} more (see --json).")


def _tell_lacking(items: int) -> None:
    """Say that an export lacks items, and end with the status that says so."""
    from data import jobs

    if items:
        say(f"{items} accepted items are left out, since pictures are missing or were changed: problems.json names them.")
        raise SystemExit(jobs.WITH_PROBLEMS)


@click.group()
def command() -> None:
    """Multi-view questions about robot episodes."""


command.add_command(study)
command.add_command(human_results)
qa_sources.register(command)
qa_moments.register(command)


@command.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--balanced", is_flag=True, help="Letters and colours that are not within one of uniform are a fault.")
@_no_images
@json_option
def check(folder: Path, balanced: bool, no_images: bool, as_json: bool) -> None:
    """Is a folder of published items sound? Exit status 1 where something is wrong, or nothing is there."""
    from annotation.qa.published.checking import check_tree

    report = check_tree(folder, images=not no_images, balanced=balanced).as_json()
    if as_json:
        print_json(report)
    _faults(report["faults"])
    say(
        f"{number_of(report['items'], 'item')}, {number_of(report['images'], 'image')}: "
        + ("sound." if report["ok"] else f"{number_of(len(report['faults']), 'fault')}.")
    )
    if not report["items"]:
        say("No QA.json lies below this folder.")
    if report["marks_style"] == 1:
        say("Its drawn copies have marks as they were drawn before (style 1), not as people see them: export it again to have those.")
    if not report["ok"]:
        raise SystemExit(1)


@command.command()
@_out
@project_option
@_forms
@_no_images
@click.option("--zip", "as_zip", is_flag=True, help="Also pack the folder into <out>.zip.")
@db_option
@json_option
def export(
    out: Path, project_id: str | None, only: tuple[str, ...], no_images: bool, as_zip: bool, db: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Write a project's accepted items as published, and tables of all its items.

    Exit status 3: the export is written, but lacks items whose originals are missing or were changed; problems.json in it names them."""
    from annotation.qa.drawn.pictures import ImageFolder
    from annotation.qa.published.exporting import export as write
    from data import jobs
    from study.export import zip_export

    store = Store.reading(Home.from_env(db))

    def progress(done: int, total: int) -> None:
        if done % 50 == 0 or done == total:
            jobs.report(store, jobs.current(), done, total, "writing items")
            say(f"{done} of {number_of(total, 'item')}")

    images = None if no_images else ImageFolder(store.home)
    report = write(store, chosen_project(store, project_id), out, images, only=only, progress=progress)
    if as_zip:
        zip_export(out)
    if as_json:
        print_json(report.model_dump())
    written, counts = sum(report.subtasks.values()), report.model_dump()
    say(
        f"{out}: {number_of(written, 'item')}, {number_of(report.images, 'image')}, "
        f"{number_of(report.drawn, 'drawn copy', 'drawn copies')}, {number_of(counts['rows'], 'row')} in tables."
    )
    _tell_lacking(len(report.problems))


@command.command("import-items")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@project_option
@click.option("--into", "name", help="Make a new project of this name for them.")
@_no_images
@db_option
@json_option
def import_items(folder: Path, project_id: str | None, name: str | None, no_images: bool, db: Path | None, as_json: bool) -> None:
    """Take in published items. Exit status 1 where some were refused (the report says why), or none was found."""
    from annotation.qa.drawn.pictures import ImageFolder
    from annotation.qa.projects import create_project
    from annotation.qa.published.importing import import_tree

    store = Store.open(Home.from_env(db))
    chosen = create_project(store, name, actor=ACTOR).project_id if name else chosen_project(store, project_id)
    report = import_tree(store, chosen, folder, None if no_images else ImageFolder(store.home).keep, actor=ACTOR)
    refused = [{"file": r.file, "field": r.field, "sentence": r.reason} for r in report.refused]
    if as_json:
        print_json({"project_id": chosen, **vars(report), "refused": refused})
    _faults(refused)
    say(
        f"{number_of(report.found, 'item')}: {report.imported} imported ({report.drafts} as drafts), {report.duplicates} here already, "
        f"{len(refused)} refused."
    )
    if refused or not report.found:
        raise SystemExit(1)


@command.command()
@project_option
@click.option("--seed", type=int, help="Default: the project's own.")
@click.option("--again", is_flag=True, help="Also move what is balanced already.")
@click.option("--dry-run", is_flag=True, help="Only show how even it is now.")
@db_option
@json_option
def balance(project_id: str | None, seed: int | None, again: bool, dry_run: bool, db: Path | None, as_json: bool) -> None:
    """Balance letters and colours of the right answers. Exit status 1 where they are not within one of uniform afterwards."""
    from annotation.qa.work import balance as balancing
    from annotation.qa.work import pool

    store = Store.open(Home.from_env(db))
    chosen = chosen_project(store, project_id)
    if dry_run:
        accepted = pool.items(store, chosen, state="accepted")
        report = {"moved": 0} | balancing.report(stored.item for stored in accepted if not stored.trial)
    else:
        report = balancing.apply(store, chosen, ACTOR, seed=seed, again=again)
    if as_json:
        print_json(report)
    for slug, row in report["subtasks"].items():
        colours = "  " + " ".join(f"{name} {n}" for name, n in row["colours"].items()) if row["colours"] else ""
        say(f"{slug:<12} {row['items']:>5}  " + " ".join(f"{letter} {n}" for letter, n in row["letters"].items()) + colours)
    say(f"{number_of(report['moved'], 'item')} moved; " + ("all within one." if report["within_one"] else "not within one."))
    if not report["within_one"]:
        raise SystemExit(1)


@command.command()
@click.argument("kind", type=click.Choice(["single", "flip", "reject"]))
@_out
@project_option
@_forms
@_no_images
@db_option
@json_option
def derive(
    kind: Any, out: Path, project_id: str | None, only: tuple[str, ...], no_images: bool, db: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Write a derived set of the accepted items: single view, upside down (flip), or rejection. Exit status 3 as with export."""
    from annotation.qa.derive import derive as make
    from annotation.qa.drawn.pictures import ImageFolder
    from annotation.qa.exports.form import Entry
    from annotation.qa.projects import get_project
    from annotation.qa.published.exporting import export_entries
    from annotation.qa.work import pool

    store = Store.reading(Home.from_env(db))
    chosen = chosen_project(store, project_id)
    accepted = [s for s in pool.items(store, chosen, state="accepted") if not s.trial]
    numbers = {s.item.item_id: (s.number, s.version) for s in accepted}
    made = make((s.item for s in accepted), kind)
    entries = []
    for item in made.items:
        assert item.derived is not None
        number, version = numbers[item.derived.item_id]
        entries.append(Entry(item, number, "accepted", version))
    images = None if no_images else ImageFolder(store.home)
    project = get_project(store, chosen)
    about = {"derived": kind, "project": project.name, "project_id": chosen, "left_out": made.left_out}
    report = export_entries(entries, out, images, name=f"{project.name} ({kind})", about=about, only=only)
    if as_json:
        problems = [problem.model_dump() for problem in report.problems]
        told = {"kind": kind, "items": sum(report.subtasks.values()), "subtasks": report.subtasks}
        print_json(told | {"left_out": made.left_out, "problems": problems})
    say(f"{out}: {number_of(sum(report.subtasks.values()), 'item')}, {len(made.left_out)} left out.")
    _tell_lacking(len(report.problems))


@command.command()
@click.option("--items", type=click.IntRange(8, 20000), default=800, show_default=True, help="Accepted items wanted.")
@click.option("--authors", type=click.IntRange(1, 200), default=6, show_default=True)
@click.option("--reviewers", type=click.IntRange(1, 200), default=5, show_default=True)
@click.option("--per-item", type=click.IntRange(1, 9), default=2, show_default=True, help="Clean reviews that an item needs.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Also export the simulated project there and check it.")
@_no_images
@json_option
def simulate(
    items: int, authors: int, reviewers: int, per_item: int, seed: int, out: Path | None, no_images: bool, as_json: bool
) -> None:  # fmt: skip
    """Run a made-up project through the real pool, in a database that is deleted afterwards. Exit status 1 where it does not end
    consistent, an accepted item lacks reviews, or letters, colours and None answers are not even."""
    from annotation.qa.published.checking import check_tree
    from annotation.qa.published.exporting import export as write
    from annotation.qa.trying import simulate as simulation

    def then(store: Store, project: Any, images: Any) -> dict[str, Any]:
        assert out is not None
        say(f"Writing {out} …")
        report = write(store, project.project_id, out, None if no_images else images)
        checked = check_tree(out, balanced=True).as_json()
        problems = [f"{fault['file']}: {fault['field']}: {fault['sentence']}" for fault in checked["faults"]]
        return {"export": report.model_dump(), "problems": problems}

    report = simulation.simulate(
        items=items, authors=authors, reviewers=reviewers, per_item=per_item, seed=seed, tell=say, then=then if out else None
    )
    if as_json:
        print_json(report)
    for problem in report["problems"][:20]:
        say(problem)
    say(
        f"{number_of(report['accepted'], 'item')} accepted in {report['turns']} turns ({report['seconds']} s): {report['flags']} flags, "
        f"{report['discarded']} discarded, {report['conflicts']} clashes; " + ("consistent." if report["ok"] else "NOT as it must be.")
    )
    if not report["ok"]:
        raise SystemExit(1)


@command.group()
def results() -> None:
    """Results of models: import, table, error codes."""


@results.command("import")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--run", help="Name of the run, for tables that do not name it.")
@project_option
@db_option
@json_option
def import_results(path: Path, run: str | None, project_id: str | None, db: Path | None, as_json: bool) -> None:
    """Read a result tree, a .jsonl or a .csv table. Exit status 1 where some were refused, or none was found."""
    from annotation.qa.evaluating.results import import_results as take

    store = Store.open(Home.from_env(db))
    report = take(store, chosen_project(store, project_id), path, actor=ACTOR, run=run)
    if as_json:
        print_json({**vars(report), "refused": [{"file": file, "reason": why} for file, why in report.refused]})
    for note in report.notes:
        say(note)
    for file, why in report.refused[:20]:
        say(f"{file}: {why}")
    say(
        f"{number_of(report.imported, 'answer')} ({report.replaced} replaced), {report.no_answer} of them no answer "
        f"({report.fallbacks} although the "
        f"file names a letter, {report.failed} since the call failed); {len(report.refused)} refused."
    )
    if report.refused or not report.imported:
        raise SystemExit(1)


@results.command()
@project_option
@db_option
@json_option
def table(project_id: str | None, db: Path | None, as_json: bool) -> None:
    """Accuracy per run: each subtask, spatial, robotic, all (percent; Wilson's interval in --json)."""
    from annotation.qa.evaluating import results as scored

    store = Store.reading(Home.from_env(db))
    chosen = chosen_project(store, project_id)
    rows = scored.stored(store, chosen)
    made = scored.tables(rows)
    stale = sum(row["stale"] for row in rows)
    if as_json:
        print_json({"runs": made, "scatter": scored.scatter(made), "errors": scored.coded(store, chosen), "stale": stale})
    else:
        click.echo(scored.markdown(made))
    if stale:
        say(f"{number_of(stale, 'answer is to an item that has', 'answers are to items that have')} changed since.")
