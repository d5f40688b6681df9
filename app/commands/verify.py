"""``vantage verify``: sets of tasks that people verify, and how far they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.commands import verify_export, verify_known, verify_matched, verify_prepare, verify_simulate
from app.commands.common import ACTOR, db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store

verification_argument = click.argument("verification_id", metavar="VERIFICATION")

_TASKS = (
    click.option("--study", "study_id", help="All tasks of this study."),
    click.option("--task", "names", multiple=True, help="A task, by its id (repeatable)."),
    click.option("--tasks-file", "files", multiple=True, type=click.Path(path_type=Path), help="Task ids, one in a line."),
    click.option("--dataset", "datasets", multiple=True, help="All tasks of this data set; own tasks are of vantage."),
    click.option("--category", "categories", multiple=True, help="Tasks of this category (repeatable)."),
    click.option("--subcategory", "subcategories", multiple=True, help="Tasks of this subcategory (repeatable)."),
    click.option("--without-evidence", is_flag=True, help="Give them out at once, whether or not their evidence is made."),
)


def _tasks(command: Any) -> Any:
    for option in reversed(_TASKS):
        command = option(command)
    return command


@click.group()
def command() -> None:
    """Have people verify tasks: correct, answerable, not trivial.

    A task that is taken in waits until `vantage verify prepare` has made its evidence. VERIFICATION is its id, as `vantage verify list`
    shows it.
    """


@command.command()
@click.argument("name")
@_tasks
@click.option("--people-of", "people", metavar="STUDY", help="Its people verify; default: those of --study, else of all.")
@click.option("--slots", type=click.IntRange(1, 9), default=3, show_default=True, help="People per task.")
@click.option(
    "--hold-minutes", type=click.IntRange(1), default=60, show_default=True, help="Then an unfinished task goes to somebody else."
)
@click.option("--control-share", type=click.FloatRange(0, 0.5), default=0.1, show_default=True, help="Share of hidden controls.")
@click.option("--training", type=click.IntRange(0, 100), default=4, show_default=True, help="Exercises before the first task.")
@click.option("--own-participants", is_flag=True, help="Participants of the study may verify tasks that they have not met.")
@db_option
@json_option
def start(
    name: str, people: str | None, slots: int, hold_minutes: int, control_share: float, training: int, own_participants: bool,
    db: Path | None, as_json: bool,
    **chosen: Any,
) -> None:  # fmt: skip
    """Make a verification of tasks: those of a study, those that are named, and those of the wanted kinds."""
    from annotation.verifying import items
    from annotation.verifying.progress import progress
    from annotation.verifying.verifications import Protocol
    from study.studies import get_study

    store = Store.open(Home.from_env(db))
    study_id = get_study(store, people).study_id if people else chosen["study_id"]
    protocol = Protocol(
        slots=slots, hold_minutes=hold_minutes, control_share=control_share, training=training, allow_own_study=own_participants
    )
    made = items.start(
        store, name, _chosen(store, chosen), study_id=study_id, protocol=protocol, evidence=not chosen["without_evidence"],
        actor=ACTOR,
    )  # fmt: skip
    found = progress(store, made.verification_id)
    if as_json:
        print_json({"verification_id": made.verification_id, "name": made.name, "tasks": found.tasks, "unsent": found.unsent})
    else:
        click.echo(made.verification_id)
    say(f"{made.name}: {number_of(found.tasks, 'task')}.")
    whose = f"on {study_id}" if study_id else "in all studies; --people-of STUDY would give it to those of one"
    say(f"Reviewers and annotators who work {whose} verify them.")
    if found.unsent:
        say(f"{number_of(found.unsent, 'task waits', 'tasks wait')} for evidence: vantage verify prepare {made.verification_id}")


@command.command()
@verification_argument
@_tasks
@db_option
def add(verification_id: str, db: Path | None, **chosen: Any) -> None:
    """Take further tasks in; those that are in it already are passed over."""
    from annotation.verifying import items

    store = Store.open(Home.from_env(db))
    hashes = _chosen(store, chosen)
    count = items.add(store, verification_id, hashes, evidence=not chosen["without_evidence"], actor=ACTOR)
    say(f"{count} came in, {number_of(len(hashes) - count, 'was', 'were')} in it already.")


@command.command("list")
@db_option
@json_option
def list_(db: Path | None, as_json: bool) -> None:
    """List verifications, newest first."""
    from annotation.verifying.progress import listed, progress

    store = Store.reading(Home.from_env(db))
    found = [progress(store, one.verification_id) for one in listed(store)]
    if as_json:
        print_json([_as_json(one) for one in found])
        return
    for one in found:
        v = one.verification
        click.echo(f"{v.verification_id}  {v.state:<6}  {one.decided:>5} of {one.tasks:<5} decided  {v.name}")
    if not found:
        say("No verifications. `vantage verify start` makes one.")


@command.command()
@verification_argument
@db_option
@json_option
def status(verification_id: str, db: Path | None, as_json: bool) -> None:
    """Say how far a verification is, who is paused, and which tasks people rejected on different axes."""
    from annotation.reviewing.kinds.tasks import KIND
    from annotation.verifying.pausing import paused
    from annotation.verifying.progress import contested, progress

    store = Store.reading(Home.from_env(db))
    found, differ, resting = progress(store, verification_id), contested(store, verification_id), paused(store, verification_id)
    if as_json:
        print_json(
            _as_json(found)
            | {"contested": [one.task_id for one in differ], "paused": [{"staff_id": one.staff_id, "why": one.why} for one in resting]}
        )
        return
    click.echo(f"{found.verification.name} ({found.verification.state})")
    for state, n in found.states.items():
        click.echo(f"{n:>6}  {KIND.words[state].label}")
    click.echo(f"{found.votes:>6}  verdicts in, {found.open} under way")
    click.echo(f"{found.controls:>6}  hidden {'control' if found.controls == 1 else 'controls'}, {number_of(found.exercises, 'exercise')}")
    for one in differ:
        click.echo(f"Kept, although people rejected it on different axes: {one.task_id}")
    for person in resting:
        click.echo(f"Paused: {person.staff_id} ({person.why})")
    if found.unsent:
        say(f"{number_of(found.unsent, 'task waits', 'tasks wait')} for evidence: vantage verify prepare {verification_id}")


@command.command()
@verification_argument
@db_option
def close(verification_id: str, db: Path | None) -> None:
    """Close a verification: what is under way is given back, and nothing more is given out."""
    from annotation.verifying import items

    items.close(Store.open(Home.from_env(db)), verification_id, actor=ACTOR)
    say("It is closed.")


@command.command()
@verification_argument
@click.argument("staff_id", metavar="PERSON")
@click.option("--why", required=True, help="The reason, for those who lead.")
@db_option
def pause(verification_id: str, staff_id: str, why: str, db: Path | None) -> None:
    """Give a person nothing more; what they have open is given back. PERSON is an id of `vantage staff list`."""
    from annotation.verifying import pausing

    count = pausing.pause(Store.open(Home.from_env(db)), verification_id, staff_id, why, actor=ACTOR)
    say(
        f"Paused. {number_of(count, 'open review was', 'open reviews were')} given back; figures are reported with and without this person."
    )


@command.command()
@verification_argument
@click.argument("staff_id", metavar="PERSON")
@db_option
def resume(verification_id: str, staff_id: str, db: Path | None) -> None:
    """Let a paused person go on."""
    from annotation.verifying import pausing

    pausing.resume(Store.open(Home.from_env(db)), verification_id, staff_id, actor=ACTOR)
    say("They can go on.")


@command.command()
@verification_argument
@click.argument("task_id", metavar="TASK")
@click.option("--why", required=True, help="The reason; it is kept.")
@db_option
def again(verification_id: str, task_id: str, why: str, db: Path | None) -> None:
    """Have a decided task verified once more, by people who have not seen it. Every earlier vote stays."""
    from annotation.verifying import items

    store = Store.open(Home.from_env(db))
    items.again(store, items.subject_of(store, verification_id, task_id), why, actor=ACTOR)
    say("A new round has begun.")


def _chosen(store: Store, values: dict[str, Any]) -> list[str]:
    from study import drafting
    from study.studies import get_study

    of_study = list(get_study(store, values["study_id"]).tasks) if values["study_id"] else []
    kinds = {name: values[name] for name in ("datasets", "categories", "subcategories")}
    names = [*values["names"], *(name for path in values["files"] for name in drafting.read_names(path))]
    if not names and not any(kinds.values()):
        return of_study
    return [*of_study, *drafting.choose(store, names=names, **kinds).tasks]


def _as_json(found: Any) -> dict[str, Any]:
    v = found.verification
    return {
        "verification_id": v.verification_id, "name": v.name, "state": v.state, "study_id": v.study_id, "created_at": v.created_at,
        "tasks": found.tasks, "states": found.states, "votes": found.votes, "open": found.open, "controls": found.controls,
        "exercises": found.exercises, "unsent": found.unsent,
    }  # fmt: skip


for _one in (*verify_prepare.COMMANDS, *verify_known.COMMANDS, verify_simulate.simulate, verify_export.export, verify_matched.command):
    command.add_command(_one)
