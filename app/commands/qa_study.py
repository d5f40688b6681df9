"""``vantage qa study`` and ``vantage qa human-results``: people answer a project's items, and how they did beside models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.address import PublicAddress, invitation_link
from app.commands.common import ACTOR, chosen_project, db_option, json_option, print_json, project_option, say, url_option
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command()
@project_option
@click.option("--name", required=True, help="The study's name; participants see it.")
@click.option("--sample", type=click.IntRange(1), help="Items per participant, as many of each subtask; default: all.")
@click.option("--per-subtask", is_flag=True, help="--sample is the number of items of each subtask.")
@click.option("--no-references", is_flag=True, help="People are asked not to look anything up.")
@click.option("--time-limit", type=click.FloatRange(1, 86400), help="Seconds per item; default: no limit.")
@click.option("--derived", type=click.Choice(["flip", "single", "reject"]), help="Ask this derived set.")
@click.option("--practice", help="Id of an accepted item to practise on; its right answer is told.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides each person's sample and order.")
@click.option("--demonstration", is_flag=True, help="It is shown or tried out, and nothing in it is research: open it at once.")
@url_option
@db_option
@json_option
def study(
    project_id: str | None, name: str, sample: int | None, per_subtask: bool, no_references: bool, time_limit: float | None,
    derived: Any, practice: str | None, seed: int, demonstration: bool, url: PublicAddress, db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Let people answer a project's accepted items: make a study and its participant link.

    It is a draft until it has an ethics record and is opened (`vantage study ethics`, `vantage study open`); a demonstration is open at
    once.
    """
    from annotation.qa.evaluating.evaluation import create_evaluation, until_it_is_open
    from study import access
    from study.ethics import DEMONSTRATION, EthicsRecord

    store = Store.open(Home.from_env(db))
    with store.atomic():
        made = create_evaluation(
            store,
            chosen_project(store, project_id),
            name,
            sample=sample,
            per_subtask=per_subtask,
            references=not no_references,
            time_limit_s=time_limit,
            derived=derived,
            practice=practice,
            seed=seed,
            actor=ACTOR,
            **({"ethics": EthicsRecord(basis=DEMONSTRATION)} if demonstration else {"state": "draft"}),
        )
        token = access.create_invite(store, "participant", made.study_id, label="qa study", actor=ACTOR)
    link = invitation_link(url, token)
    if as_json:
        told = {"items": len(made.tasks), "per_participant": made.trials, "state": made.state, "link": link}
        print_json({"study_id": made.study_id, "name": made.name} | told)
    else:
        click.echo(link)
    say(
        f"{made.name}: {number_of(len(made.tasks), 'item')}, {made.trials} per participant. Each browser that comes in is a new "
        "participant."
    )
    if waits := until_it_is_open(made):
        say(waits)


@click.command("human-results")
@project_option
@db_option
@json_option
def human_results(project_id: str | None, db: Path | None, as_json: bool) -> None:
    """Accuracy of people beside models: each subtask, spatial, robotic, all (percent; Wilson's interval in --json)."""
    from annotation.qa.evaluating import results
    from annotation.qa.evaluating.evaluation import human_table

    store = Store.reading(Home.from_env(db))
    table = human_table(store, chosen_project(store, project_id))
    if as_json:
        print_json(table)
    else:
        rows = [row | {"run": row.get("study", row["run"])} for row in (*table["people"], *table["models"])]
        click.echo(results.markdown(rows))
    for row in table["people"]:
        say(
            f"{row['study']}: {number_of(row['participants'], 'person', 'people')}, {number_of(row['all']['n'], 'answer')} to "
            f"{number_of(row['items'], 'item')}."
        )
    if not table["people"]:
        say("Nobody has answered yet: make a study with `vantage qa study` and send its link.")
    say(f"Guessing gives {100 * table['chance']:.0f} %.")
    if stale := table["stale"]["people"] + table["stale"]["models"]:
        say(f"{number_of(stale, 'answer is to an item that has', 'answers are to items that have')} changed since.")
