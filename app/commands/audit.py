"""``vantage audit``: what is wrong with a set of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from annotation.auditing.check import Audited, Check, Needs
from annotation.auditing.findings import Scope, keep
from annotation.endpoint import EndpointSettings
from app.commands.common import db_option, json_option, print_json, say, time_left
from data import jobs
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--study", "study_id", help="Audit the tasks of this study.")
@click.option("--project", "project_id", help="Audit the robot questions of this project.")
@click.option("--dataset", help="Audit a data set that was imported; own tasks are of vantage.")
@click.option("--check", "only", multiple=True, metavar="ID", help="This check alone; may be given several times.")
@click.option("--render", is_flag=True, help="With the checks that render or load meshes; takes minutes.")
@click.option("--endpoint", metavar="URL", help="Ask a model the questions alone (Table 5): base address of an OpenAI-compatible API.")
@click.option("--model", help="Name of that model.")
@click.option("--key-variable", default="VANTAGE_ENDPOINT_KEY", show_default=True, help="Environment variable with the endpoint's key.")
@click.option("--replies", type=click.Path(dir_okay=False, path_type=Path), help="File that keeps the model's replies; a cut run goes on.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write a JSON line for every finding.")
@click.option("--list", "listed", is_flag=True, help="List the checks and run none.")
@db_option
@json_option
def command(
    path: Path | None,
    study_id: str | None,
    project_id: str | None,
    dataset: str | None,
    only: tuple[str, ...],
    render: bool,
    endpoint: str | None,
    model: str | None,
    key_variable: str,
    replies: Path | None,
    out: Path | None,
    listed: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Look through a whole set of tasks and say what is wrong with it, with examples and a fix each.

    PATH is a folder or file of released rows or of own tasks; or name a study, a project or a data set of the database. With --endpoint a
    language model also answers every question without a picture, alone and with the kinds of things that it is about. Exit status 0
    whatever was found: the report says it.
    """
    from annotation.auditing.registry import BadCheck
    from annotation.auditing.report import summary, write_lines
    from annotation.auditing.running import UnknownCheck, audit, chosen
    from data.generators.lab import laboratory

    try:
        which = chosen(only)
    except BadCheck as error:
        raise click.ClickException(str(error)) from None
    except UnknownCheck as error:
        raise click.BadParameter(str(error), param_hint="--check") from None
    if listed:
        _list(which, as_json)
        return
    if sum(x is not None for x in (path, study_id, project_id, dataset)) != 1:
        raise click.UsageError("Name one thing to audit: PATH, --study, --project or --dataset.")
    asking = _endpoint(endpoint, model, key_variable, replies)
    job = jobs.current()
    store = None if path is not None else Store.open(Home.from_env(db))

    def tell(done: int, total: int, what: str) -> None:
        say(f"{done} of {total}: {what}" if total else f"{done} {what}")
        if store is not None:
            jobs.report(store, job, done, total, what)

    audited, kept = _read(store, path, study_id, project_id, dataset, tell)
    also: set[Needs] = {"render"} if render else set()
    if asking is not None:
        audited.endpoint = asking.settings
        also.add("endpoint")
    with laboratory() if render else nullcontext() as audited.lab:
        report = audit(audited, which, also)
    found = summary(report)
    if asking is not None:
        found["baselines"] = _baselines(audited, asking)
    if kept is not None:
        say(f"Kept as {keep(kept.store, kept.scope, kept.of, report, found)}.")
        jobs.set_result(kept.store, job, found)
    if out is not None:
        if job:
            out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        say(f"{number_of(write_lines(report, out), 'finding')} in {out}.")
    if as_json:
        print_json(found)
        return
    _tell(found)


def _list(which: Sequence[Check], as_json: bool) -> None:
    """The checks, and what each is about."""
    if as_json:
        print_json([{"id": c.id, "severity": c.severity, "needs": c.needs, "about": c.about, "fix": c.fix} for c in which])
        return
    for check in which:
        click.echo(f"{check.id:<28} {check.severity:<8} {check.about}")


def _tell(found: Mapping[str, Any]) -> None:
    """A report's summary as text."""
    from annotation.auditing.report import (
        BALANCE_HEAD,
        BALANCE_WORDS,
        BASELINES_HEAD,
        BASELINES_WORDS,
        balance_lines,
        baselines_lines,
        where_in_words,
    )

    for entry in found["checks"]:
        if entry["rows"]:
            click.echo(f"{entry['rows']:>5}  {entry['severity']:<8} {entry['id']}")
            if where := found["subcategories"].get(entry["id"]):
                click.echo(f"{'':>7}in: {where_in_words(where)}")
            for example in entry["examples"][:1]:
                click.echo(f"{'':>7}e.g. {example['row_id']}: {example['evidence']}")
            click.echo(f"{'':>7}fix: {entry['fix']}")
    if found["balance"]:
        click.echo(f"\nBalance and diversity (ESI-Bench, Table 6). {BALANCE_WORDS}")
        _columns([BALANCE_HEAD, *balance_lines(found["balance"])])
    if "baselines" in found:
        click.echo(f"\n{found['baselines']['model']} without pictures (ESI-Bench, Table 5). {BASELINES_WORDS}")
        _columns([BASELINES_HEAD, *baselines_lines(found["baselines"])])
    for name, why in found["others"].items():
        say(f"left out: {name}: {why}")
    for skipped in found["not_run"]:
        say(f"not run: {skipped['id']}. {skipped['why']}")
    if not found["rows"]:
        click.echo("Nothing was audited: there is no released row and no own task here. Name the folder or the file of the set.")
        return
    clean = sum(not entry["rows"] for entry in found["checks"])
    click.echo(f"{number_of(found['rows'], 'row')}; {clean} of {number_of(len(found['checks']), 'check')} found nothing.")


def _columns(rows: Sequence[Sequence[str]]) -> None:
    """A table as text, its first column to the left."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        click.echo("  ".join([first.ljust(wide[0]), *(cell.rjust(width) for cell, width in zip(rest, wide[1:], strict=True))]))


@dataclass(frozen=True)
class _Asking:
    """A model that is asked, and where its replies are kept."""

    settings: EndpointSettings
    replies: Path


def _endpoint(url: str | None, model: str | None, key_variable: str, replies: Path | None) -> _Asking | None:
    """What the options say of a model; None: none is asked."""
    if url is None:
        if model is not None or replies is not None:
            raise click.UsageError("Name the address of the model with --endpoint.")
        return None
    if model is None or replies is None:
        raise click.UsageError("Beside --endpoint name the --model, and with --replies a file that keeps what it says.")
    try:
        return _Asking(EndpointSettings(url=url, model=model, key_variable=key_variable), replies)
    except ValueError:
        words = "Name an address such as https://host/v1 with --endpoint, a --model, and a variable such as OPENAI_API_KEY."
        raise click.UsageError(words) from None


def _baselines(audited: Audited, asking: _Asking) -> dict[str, Any]:
    from annotation.auditing import baselines

    try:
        answered = baselines.ask(audited, asking.settings, baselines.Kept.open(asking.replies), time_left=time_left)
    except baselines.BaselinesCut as error:
        raise click.ClickException(str(error)) from None
    if missing := len(baselines.askings(audited, asking.settings.model)) - len(answered):
        say(f"{number_of(missing, 'question has', 'questions have')} no reply: run it again to ask once more.")
    return baselines.plain(baselines.table(audited, answered), asking.settings.model)


@dataclass(frozen=True)
class _Kept:
    """Where a report is kept."""

    store: Store
    scope: Scope
    of: str


def _read(
    store: Store | None, path: Path | None, study_id: str | None, project_id: str | None, dataset: str | None,
    tell: Callable[[int, int, str], None],
) -> tuple[Audited, _Kept | None]:  # fmt: skip
    from annotation.auditing import reading

    if path is not None:
        return reading.read_path(path, tell), None
    assert store is not None
    if study_id is not None:
        return reading.of_study(store, study_id, tell), _Kept(store, "study", study_id)
    if project_id is not None:
        return reading.of_project(store, project_id, tell), _Kept(store, "project", project_id)
    assert dataset is not None
    if dataset not in (counts := store.task_counts("dataset")):
        raise click.BadParameter(
            f"No task here is of {dataset!r}. There are: {', '.join(counts) or 'no tasks yet'}.", param_hint="--dataset"
        )
    return reading.of_dataset(store, dataset, tell), _Kept(store, "dataset", dataset)
