"""``vantage study forms`` and ``vantage study quality``: what is asked beside the tasks, and how well people could and did take part."""

from __future__ import annotations

import json
from pathlib import Path

import click

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study.exports.people import people_of, quality_row
from study.forms.form import Form
from study.forms.ready import READY, ready
from study.states import MODES
from study.studies import Study, being_edited, get_study
from study.tutorial import passing
from study.tutorial.plan import planned


@click.command()
@click.argument("name", required=False)
@click.option("--study", "study_id", metavar="STUDY", help="What this study asks, as it is being edited.")
@db_option
@json_option
def forms(name: str | None, study_id: str | None, db: Path | None, as_json: bool) -> None:
    """List the ready questionnaires, or those of a study; with NAME, print that one as JSON, to be changed and put into a settings file."""
    if study_id is not None:
        _of_study(Store.open(Home.from_env(db)), study_id, name, as_json)
        return
    if name is not None:
        try:
            print_json(ready(name).model_dump(mode="json", exclude_defaults=True))
        except ValueError as error:
            raise click.ClickException(f"{error}.") from None
        return
    if as_json:
        print_json([form.model_dump(mode="json", exclude_defaults=True) for form in READY])
        return
    for form in READY:
        click.echo(_line(form))
    say('`vantage study forms NAME` prints one; a study takes them by name: forms = ["background", …].')


def _line(form: Form) -> str:
    return f"{form.name:<16} {form.when:<14} {number_of(len(form.items), 'item'):<8}  {form.title}"


def _of_study(store: Store, study_id: str, name: str | None, as_json: bool) -> None:
    study = being_edited(store, study_id)
    if name is not None:
        found = next((form for form in study.every_form if form.name == name), None)
        if found is None:
            raise click.ClickException(
                f"The study has no form {name[:40]!r}; it has {', '.join(f.name for f in study.every_form) or 'none'}."
            )
        print_json(found.model_dump(mode="json", exclude_defaults=True))
        return
    examples = [{"task": store.get_task(one.task).task_id, "paradigm": one.paradigm} for one in passing.examples_of(store, study)]
    unpractised = _unpractised(store, study)
    if as_json:
        told = [form.model_dump(mode="json", exclude_defaults=True) for form in study.every_form]
        print_json({"forms": told, "examples": examples, "unpractised": unpractised})
        return
    for form in study.every_form:
        click.echo(_line(form))
    for number, one in enumerate(examples, start=1):
        click.echo(f"worked example {number}: {one['task']}, {one['paradigm']}")
    if unpractised:
        say(f"No worked example practises: {', '.join(unpractised)}.")


def _unpractised(store: Store, study: Study) -> list[str]:
    """Actions of its tasks, and paradigms, that its examples leave out."""
    if study.tutorial is None:
        return []
    plan = planned(map(store.get_task, study.tasks), study.ways)
    return [*plan.unpractised, *plan.without]


@click.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--mode", type=click.Choice(MODES), default="live", show_default=True, help="Which kind of run.")
@db_option
@json_option
def quality(study_id: str, mode: str, db: Path | None, as_json: bool) -> None:
    """Per person: declared checks that were missed, worked examples, tabs left, problems reported. Nothing looks at how fast or still they
    were, and nothing excludes anybody."""
    store = Store.reading(Home.from_env(db))
    get_study(store, study_id)
    rows = [quality_row(store, person) for person in people_of(store, study_id, modes=(mode,))]
    if as_json:
        print_json([row.model_dump(mode="json") for row in rows])
        return
    for row in rows:
        checks = ", ".join(json.loads(row.checks_missed)) or "none"
        understood = {True: "understood", False: "not understood", None: "not asked"}[row.comprehension_passed]
        click.echo(
            f"{row.participant_id}  {row.state:<12} {number_of(row.tasks_completed, 'task')}; attention missed {row.attention_missed} of "
            f"{row.attention_asked}; instructions {understood}; examples passed {row.examples_passed} of {row.examples_given} given; "
            f"checks missed: {checks}; left the tab {row.left_tab} times for {row.left_tab_ms / 1000:.0f} s; problems {row.problems}"
        )
    say(f"{number_of(len(rows), 'person', 'people')}.")


COMMANDS = (forms, quality)
