"""``vantage study disputes``, ``dispute``, ``settle``: gold answers that are doubted."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotation import disputes
from app.commands.common import ACTOR, db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command("disputes")
@click.argument("study_id", metavar="STUDY")
@db_option
@json_option
def listing(study_id: str, db: Path | None, as_json: bool) -> None:
    """List the disputed gold answers of a study.

    Those that the study's rule finds in the answers are taken into the queue first.
    """
    store = Store.open(Home.from_env(db))
    disputes.take_in(store, study_id, actor=ACTOR)
    found = disputes.listed(store, study_id)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    for line in found:
        click.echo(f"{line.dispute.subject}  {line.state:<16} {line.task_id}: {line.dispute.why} {line.told}")
    say(f"{number_of(len(found), 'dispute')}." if found else "No gold answer is disputed in this study.")


@click.command("dispute")
@click.argument("study_id", metavar="STUDY")
@click.argument("task", metavar="TASK")
@click.option("--why", required=True, help="Why the gold answer is doubted; whoever judges does not see it.")
@db_option
def raising(study_id: str, task: str, why: str, db: Path | None) -> None:
    """Dispute the gold answer of a task by hand. TASK is its id or content hash."""
    store = Store.open(Home.from_env(db))
    found = store.get_task(task) if len(task) == 64 else store.find_task(task)
    click.echo(disputes.raise_one(store, study_id, found.content_hash, why, actor=ACTOR).subject)
    say("It waits for somebody who took no part in the study.")


@click.command("settle")
@click.argument("dispute", metavar="DISPUTE")
@click.option("--gold", "accepted", multiple=True, required=True, help="The right answer; repeatable where several are right.")
@click.option("--why", required=True, help="What shows that the old gold does not hold; kept with the new version of the task.")
@db_option
def settling(dispute: str, accepted: tuple[str, ...], why: str, db: Path | None) -> None:
    """Give a task whose gold answer does not hold its new one.

    That is a new version of the task; every answer is scored by both, and exports have both scorings.
    """
    new = disputes.settle(Store.open(Home.from_env(db)), dispute, accepted, why=why, actor=ACTOR)
    click.echo(new.content_hash)
    say(f"{new.task_id} has a new version, which supersedes {(new.supersedes or '')[:12]}. Answers are scored by both.")


COMMANDS = (listing, raising, settling)
