"""``vantage qa sample``, ``moments``, ``triage``, ``truth``, ``generate-items``: from episodes to moments, and items held to the poses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.commands.common import ACTOR, chosen_project, db_option, json_option, print_json, project_option, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


def _show(funnel: Any) -> None:
    for words, count in funnel.stages:
        say(f"{count:>7}  {words}")
    for title, counts in (("held back", funnel.filtered), ("kept", funnel.kept), ("dropped", funnel.dropped)):
        if counts:
            say(f"{title}: " + ", ".join(f"{reason} {count}" for reason, count in counts.items()))
    for stage, effort in funnel.effort.items():
        if effort.done:
            typical = f", {effort.median_s:g} s at the median" if effort.median_s is not None else ""
            say(f"{stage}: {effort.done} done{typical}, {effort.seconds / 60:.1f} min in all of {effort.timed} timed")
    say("thresholds: " + ", ".join(f"{name} {value:g}" for name, value in funnel.thresholds.items()))


@click.command()
@click.option("--per-episode", type=click.IntRange(1, 1000), default=3, show_default=True, help="New moments of each episode.")
@click.option("--gap", type=click.IntRange(1, 100_000), default=10, show_default=True, help="Least distance within an episode, frames.")
@click.option("--limit", type=click.IntRange(1), help="At most this many new moments in all.")
@click.option("--source", "sources", multiple=True, help="Only episodes of this source (id); may be repeated.")
@click.option("--seed", type=int, default=0, show_default=True)
@project_option
@db_option
@json_option
def sample(
    per_episode: int, gap: int, limit: int | None, sources: tuple[str, ...], seed: int,
    project_id: str | None, db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Sample moments evenly over tasks and episodes, and hold them to the project's thresholds. Exit status 1 where none was new."""
    from annotation.qa import moments
    from data import jobs

    store = Store.open(Home.from_env(db))

    def progress(done: int, total: int) -> None:
        jobs.report(store, jobs.current(), done, total, "looking at moments")
        if done % 50 < per_episode or done == total:
            say(f"{done} of {number_of(total, 'moment')}")

    found = moments.sample_moments(
        store, chosen_project(store, project_id), per_episode=per_episode, gap=gap, seed=seed, actor=ACTOR, limit=limit,
        source_ids=sources or None, progress=progress,
    )  # fmt: skip
    if as_json:
        print_json(moments.as_json(found))
    say(f"{number_of(found.added, 'new moment')}.")
    _show(found)
    if not found.added:
        raise SystemExit(1)


@click.command("moments")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a threshold, then judge undecided moments again.")
@project_option
@db_option
@json_option
def moments_(changes: tuple[str, ...], project_id: str | None, db: Path | None, as_json: bool) -> None:
    """How many moments were sampled, held back, kept and dropped, why, and with what effort."""
    from annotation.qa import moments
    from annotation.qa.projects import change_project, get_project

    store = Store.open(Home.from_env(db)) if changes else Store.reading(Home.from_env(db))
    chosen = chosen_project(store, project_id)
    if changes:
        thresholds = get_project(store, chosen).thresholds.model_dump() | dict(_threshold(change) for change in changes)
        with store.atomic():
            change_project(store, chosen, actor=ACTOR, why="thresholds", thresholds=thresholds)
            changed = moments.rejudge(store, chosen, actor=ACTOR)
        say(f"{changed['filtered']} more held back, {changed['passed']} let through.")
    found = moments.funnel(store, chosen)
    if as_json:
        print_json(moments.as_json(found))
    _show(found)


def _threshold(change: str) -> tuple[str, float]:
    from annotation.qa.scenes.clarity import Thresholds

    name, _, value = change.partition("=")
    try:
        number = float(value)
        Thresholds.model_validate({name: number})
    except ValueError:
        known = ", ".join(f"{name}={value:g}" for name, value in Thresholds().model_dump().items())
        raise click.UsageError(f"--set takes a threshold and its value, such as {known}; got {change!r}.") from None
    return name, number


@click.command()
@click.option("--url", help="Base address of an OpenAI-compatible API; kept in the project.")
@click.option("--model", help="Name of the model; kept in the project.")
@click.option("--key-variable", help="Environment variable that holds the key. Default: VANTAGE_TRIAGE_KEY.")
@click.option("--off", is_flag=True, help="Forget the endpoint.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="At most this many moments.")
@project_option
@db_option
@json_option
def triage(
    url: str | None, model: str | None, key_variable: str | None, off: bool, limit: int,
    project_id: str | None, db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Ask a model which subtasks the undecided and kept moments could serve. Off until an endpoint is named; it writes no questions.
    Exit status 1 where a moment got no opinion."""
    from annotation.qa import moments
    from annotation.qa.projects import change_project, get_project
    from annotation.qa.triage import TriageSettings

    store = Store.open(Home.from_env(db))
    chosen = chosen_project(store, project_id)
    known = get_project(store, chosen).triage
    if off:
        change_project(store, chosen, actor=ACTOR, why="triage off", triage=None)
        say("Triage is off.")
        return
    if url or model or key_variable:
        given = {"url": url, "model": model, "key_variable": key_variable}
        fields = (known.model_dump() if known else {}) | {name: value for name, value in given.items() if value is not None}
        try:
            settings = TriageSettings.model_validate(fields)
        except ValueError:
            raise click.UsageError("Name an address such as https://host/v1 with --url, and a --model.") from None
        change_project(store, chosen, actor=ACTOR, why="triage endpoint", triage=settings.model_dump())
    report = moments.triage_moments(store, chosen, limit=limit, actor=ACTOR, progress=lambda done, total: say(f"{done} of {total}"))
    if as_json:
        print_json(vars(report))
    for failure in report.failures[:20]:
        say(failure)
    say(
        f"{report.answered} of {number_of(report.asked, 'moment')} triaged"
        + ("; given up after failures in a row." if report.stopped else ".")
    )
    if report.failures:
        raise SystemExit(1)


@click.command()
@project_option
@db_option
@json_option
def truth(project_id: str | None, db: Path | None, as_json: bool) -> None:
    """Hold items to the true poses, where their subtask has a judge and their source has poses.
    Exit status 1 where a right answer contradicts them."""
    from annotation.qa.subtasks import SUBTASKS
    from annotation.qa.truth import examine
    from annotation.qa.work import pool

    store = Store.reading(Home.from_env(db))
    counts = {"agrees": 0, "contradicts": 0, "unclear": 0, "unknown": 0}
    rows: list[dict[str, Any]] = []
    for stored in pool.items(store, chosen_project(store, project_id)):
        if stored.state == "discarded" or SUBTASKS[stored.item.subtask].truth is None:
            continue
        found = examine(store, stored.item)
        counts[found.status] += 1
        if found.problems:
            problems = [{"field": problem.field, "sentence": problem.sentence} for problem in found.problems]
            rows.append(
                {"item": stored.item.item_id, "subtask": stored.item.subtask, "number": stored.number, "state": stored.state}
                | {"status": found.status, "problems": problems}
            )  # fmt: skip
    if as_json:
        print_json({**counts, "ok": not counts["contradicts"], "items": rows})
    for row in rows[:40]:
        say(f"{row['subtask']} {row['number']} ({row['state']}) {row['status']}: " + " ".join(p["sentence"] for p in row["problems"]))
    say(
        ", ".join(
            f"{count} {words}"
            for words, count in zip(("agree", "contradict the poses", "unclear", "without truth"), counts.values(), strict=True)
        )
        + "."
    )
    if counts["contradicts"]:
        raise SystemExit(1)


@click.command("generate-items")
@click.argument("subtask")
@click.option("--count", type=click.IntRange(1, 1000), default=5, show_default=True)
@click.option("--author", default=ACTOR, show_default=True, help="Who stands as their author.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--drafts", is_flag=True, help="Leave them as drafts; otherwise they go into review.")
@project_option
@db_option
@json_option
def generate_items(
    subtask: str, count: int, author: str, seed: int, drafts: bool, project_id: str | None, db: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Make items of SUBTASK (or of "all") from kept moments whose truth is known. Exit status 1 where the moments do not allow so many."""
    from annotation.qa.subtasks import SUBTASKS, named
    from annotation.qa.trying.generating import generate

    store = Store.open(Home.from_env(db))
    chosen = chosen_project(store, project_id)
    made: dict[str, list[str]] = {}
    wanted = [s for s in SUBTASKS.values() if s.make is not None] if subtask == "all" else [named(subtask)]
    for slug in [one.slug for one in wanted]:
        if SUBTASKS[slug].make is None:
            raise click.UsageError(f"{SUBTASKS[slug].name} items are made by people: this subtask has no generator.")
        made[slug] = [stored.item.item_id for stored in generate(store, chosen, slug, count, seed, author, submit=not drafts)]
        say(f"{slug:<12} {len(made[slug])} of {count}")
    if as_json:
        print_json(made)
    if any(len(ids) < count for ids in made.values()):
        raise SystemExit(1)


def register(group: click.Group) -> None:
    """Add these commands to ``vantage qa``."""
    for command in (sample, moments_, triage, truth, generate_items):
        group.add_command(command)
