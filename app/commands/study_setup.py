"""Commands of ``vantage study`` that set a study up: its settings, its versions, its ethics record and its plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from annotation.verifying import standing
from annotation.verifying.standing import STANDINGS
from app.commands import settings
from app.commands.common import ACTOR, db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study import admission, drafting, plans
from study import versions as kept
from study.ethics import EthicsRecord, missing
from study.fits import fits as fits_of
from study.paradigms import PARADIGMS
from study.readiness import concerns
from study.studies import being_edited, get_study

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_TASKS = (
    click.option("--dataset", "datasets", multiple=True, help="Tasks of this data set (repeatable)."),
    click.option("--category", "categories", multiple=True, help="Only tasks of this category (repeatable)."),
    click.option("--subcategory", "subcategories", multiple=True, help="Only tasks of this subcategory (repeatable)."),
    click.option("--per-category", type=click.IntRange(1), help="At most this many tasks of each category, evenly from its subcategories."),
    click.option(
        "--verified",
        multiple=True,
        type=click.Choice(list(STANDINGS)),
        help="Only tasks of these kinds whose verification stands so (repeatable); without a kind, of all data sets.",
    ),
    click.option("--task", "names", multiple=True, help="A task by its id or content hash (repeatable)."),
    click.option("--tasks", "files", multiple=True, type=_FILE, help="File with ids or content hashes, one a line (repeatable)."),
    click.option("--unplayable-too", is_flag=True, help="Also tasks that the installed object models cannot show (for another simulator)."),
)
"""Which tasks a study is to have."""
settings_file = click.option(
    "--settings", "file", type=_FILE, help="TOML or JSON file with settings; the options below count more.",
)  # fmt: skip
_ETHICS: settings.Groups = (("", EthicsRecord),)
study_argument = click.argument("study_id", metavar="STUDY")


def tasks_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the options that choose tasks."""
    for option in reversed(_TASKS):
        command = option(command)
    return command


def chosen_tasks(store: Store, values: Mapping[str, Any]) -> drafting.Chosen:
    """The tasks that these options choose; none where none is given."""
    from data.playable import judge
    from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue

    judged = None if values["unplayable_too"] else judge(store, Catalogue.load())
    kinds, wanted = [values[name] for name in ("datasets", "categories", "subcategories")], values["verified"]
    return drafting.choose(
        store,
        datasets=list(store.task_counts("dataset")) if wanted and not any(kinds) else values["datasets"],
        categories=values["categories"],
        subcategories=values["subcategories"],
        names=[*values["names"], *(name for path in values["files"] for name in drafting.read_names(path))],
        playable=None if judged is None else lambda task: judged(task).missing,
        stands=standing.stands(store, wanted),
        standing=" or ".join(wanted),
        per_category=values["per_category"],
    )


@click.command()
@study_argument
@click.option("--name", help="What participants read as its name.")
@tasks_options
@settings_file
@settings.options
@db_option
@json_option
def edit(study_id: str, name: str | None, file: Path | None, db: Path | None, as_json: bool, **values: Any) -> None:
    """Change a study's settings: at once where it was never published, else for its next version.

    Tasks that are given take the place of those there are. Whoever takes part goes on in their version; `publish` lets the next people come
    into what was changed.
    """
    wanted = drafting.merged(drafting.read_settings(file) if file else {}, settings.given(values))
    store = Store.open(Home.from_env(db))
    with store.atomic():
        asked = any(values[option] for option in ("datasets", "categories", "subcategories", "verified", "names", "files"))
        tasks = chosen_tasks(store, values).tasks if asked else None
        study = drafting.edit(store, study_id, wanted | ({"name": name} if name else {}), tasks=tasks, actor=ACTOR)
    _tell_differences(store, study_id, as_json)
    for concern in concerns(store, study):
        say(concern.in_full)


def _tell_differences(store: Store, study_id: str, as_json: bool) -> None:
    study = being_edited(store, study_id)
    found = kept.differences(get_study(store, study_id), study) if study.version else ()
    if as_json:
        print_json({"study_id": study_id, "version": study.version, "changed": [asdict(one) for one in found]})
        return
    for one in found:
        click.echo(f"{one.field}: {one.before or '–'} → {one.after or '–'}")
    if not study.version:
        say("It was never published, so what you change counts at once.")
    elif found:
        say(f"Version {study.version} goes on as it is. `vantage study publish {study_id}` makes this version {study.version + 1}.")
    else:
        say(f"Nothing differs from version {study.version}.")


@click.command()
@study_argument
@click.option("--note", default="", help="Why, for the list of versions.")
@db_option
def publish(study_id: str, note: str, db: Path | None) -> None:
    """Freeze what was edited as the next version: whoever comes from now on takes part in it."""
    store = Store.open(Home.from_env(db))
    before = get_study(store, study_id).version
    study = admission.publish_study(store, study_id, actor=ACTOR, note=note)
    if study.version == before:
        say(f"Nothing has changed since version {before}.")
    click.echo(f"{study_id} is published in version {study.version}.")


@click.command()
@study_argument
@click.option("--between", nargs=2, type=click.IntRange(1), help="What differs between these two.")
@db_option
@json_option
def versions(study_id: str, between: tuple[int, int] | None, db: Path | None, as_json: bool) -> None:
    """List the published versions of a study, and what differs."""
    store = Store.reading(Home.from_env(db))
    if between:
        found = kept.differences(get_study(store, study_id, between[0]), get_study(store, study_id, between[1]))
        if as_json:
            print_json([asdict(one) for one in found])
        else:
            click.echo("\n".join(f"{one.field}: {one.before or '–'} → {one.after or '–'}" for one in found) or "Nothing differs.")
        return
    rows = kept.versions(store, study_id)
    if as_json:
        print_json(msgspec.to_builtins(rows))
        return
    for row in rows:
        click.echo(
            f"version {row.version}  {row.published_at}  {number_of(row.people, 'person', 'people')}  sha256 {row.sha256}  {row.note}"
        )
    if kept.is_edited(store, study_id):
        _tell_differences(store, study_id, False)


@click.command()
@study_argument
@click.argument("name")
@click.option("--version", type=click.IntRange(1), help="Of this published version; default: as it is being edited.")
@db_option
def clone(study_id: str, name: str, version: int | None, db: Path | None) -> None:
    """Make another study, a draft called NAME, with the same settings and tasks."""
    copy = kept.clone(Store.open(Home.from_env(db)), study_id, name, version=version, actor=ACTOR)
    click.echo(copy.study_id)
    say("It is a draft without people. Its ethics record needs a number and day, and it needs codes and a platform’s id of its own.")


@click.command()
@study_argument
@click.option("--back", is_flag=True, help="Take it back into the lists; it is closed then.")
@db_option
def archive(study_id: str, back: bool, db: Path | None) -> None:
    """Put a study away: no list has it, nobody comes in, and all is kept."""
    admission.archive(Store.open(Home.from_env(db)), study_id, actor=ACTOR, back=back)
    click.echo(f"{study_id} is {'in the lists again, closed' if back else 'put away'}.")


@click.command()
@study_argument
@click.option("--paradigm", "names", multiple=True, type=click.Choice([way.name for way in PARADIGMS]),
              help="Ask for this one (repeatable); default: those of the study.")  # fmt: skip
@db_option
@json_option
def fits(study_id: str, names: tuple[str, ...], db: Path | None, as_json: bool) -> None:
    """Count, per paradigm, how many of a study's tasks fit, and name those that do not, with the reason."""
    store = Store.reading(Home.from_env(db))
    study = being_edited(store, study_id)
    ways = [way for way in PARADIGMS if way.name in names] if names else study.ways
    found = fits_of(store, study.tasks, ways, study.language)
    if as_json:
        print_json([{"paradigm": one.paradigm, "fit": len(one.fit), "unfit": [asdict(task) for task in one.unfit]} for one in found])
        return
    for one in found:
        click.echo(f"{one.paradigm}: {len(one.fit)} of {number_of(len(study.tasks), 'task fits', 'tasks fit')}")
        for task in one.unfit:
            click.echo(f"  {task.task_id} {task.why}")


@click.command()
@study_argument
@partial(settings.options, groups=_ETHICS)
@db_option
@json_option
def ethics(study_id: str, db: Path | None, as_json: bool, **values: Any) -> None:
    """Write a study's ethics record, or show it. Without one, people are let in neither for a pilot nor for the study."""
    store = Store.open(Home.from_env(db))
    given = settings.given(values, _ETHICS)
    study = being_edited(store, study_id)
    if given:
        whole = drafting.merged({} if study.ethics is None else study.ethics.model_dump(mode="json"), given)
        study = drafting.edit(store, study_id, {"ethics": whole}, actor=ACTOR)
    record = (study.ethics or EthicsRecord()).model_dump(mode="json")
    if as_json:
        print_json(record | {"missing": list(missing(study.ethics))})
        return
    for field, value in record.items():
        click.echo(f"{field}: {'' if value is None else value}")
    if lacking := missing(study.ethics):
        say("It does not say yet: " + ", ".join(lacking) + ".")
    if study.version and kept.is_edited(store, study_id):
        say(f"`vantage study publish {study_id}` makes it part of the next version.")


@click.command()
@study_argument
@click.argument("file", type=_FILE, required=False)
@db_option
@json_option
def lock(study_id: str, file: Path | None, db: Path | None, as_json: bool) -> None:
    """Lock the analysis and exclusion plan in FILE by its SHA-256, or list the locked ones.

    A lock never changes. A changed plan is locked beside the one before, and reports list it as a deviation.
    """
    store = Store.open(Home.from_env(db))
    if file is not None:
        plans.lock_plan(store, study_id, file.read_bytes(), name=file.name, actor=ACTOR)
    get_study(store, study_id)
    found = plans.plans(store, study_id)
    if as_json:
        print_json([msgspec.to_builtins(plan) for plan in found])
        return
    for plan in found:
        when = "before it went live" if plan.beforehand else f"while it was {plan.state}"
        click.echo(f"plan {plan.n}  {plan.locked_at}  {when}  sha256 {plan.sha256}  {plan.name}")
    say(f"{len(found)} locked plans." if found else "No plan is locked.")


COMMANDS: tuple[click.Command, ...] = (edit, publish, versions, clone, archive, fits, ethics, lock)
"""The commands of this module."""
