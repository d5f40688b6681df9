"""Page, file of the page, report, and the recomputation from an export alone have the same numbers; what is missing is said on the page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.cli import main
from study import access, participants
from study.analysis.exported import exported
from study.analysis.figures import FIGURES
from study.analysis.figures.figure import Choice
from study.analysis.results import as_csv, as_json, results
from study.analysis.stored import stored
from study.export import export
from study.studies import create_study
from tests.present import present
from tests.study.conftest import *  # noqa: F403 - the engine and its tasks

RIGHT, WRONG = "near the lamp", "near the bowl"
ANSWERS = [(RIGHT, 80), (WRONG, 90), (RIGHT, 60), (None, None), (RIGHT, 100), (WRONG, 20)]


def draw(grant: object) -> None:
    """The script of the page, as the navigation calls it."""
    from app.pages import results

    results.page(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(store: Any, frames: Any, engine: Any, make_task: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A study of two tasks that six people met, one of whose answers was not accepted, and its page."""
    tasks = [make_task(f"toy-{n}") for n in range(2)]
    for task in tasks:
        store.put_task(task)
    made = create_study(store, "Lamps", state="live", tasks=tuple(task.content_hash for task in tasks), trials=1, min_categories=1)
    empty = create_study(store, "Nobody yet", state="live", tasks=(tasks[0].content_hash,), trials=1, min_categories=1)
    token = access.create_invite(store, "participant", made.study_id)
    for answer, confidence in ANSWERS:
        person = access.enter(store, token)[1].participant_id
        participants.advance(store, present(person), "welcome")
        participants.advance(store, present(person), "consent")
        episode = participants.place(store, engine, present(person)).episode_id
        epoch = engine.open(episode, tab="a").epoch
        engine.act(episode, epoch, 1, "turn_left")
        engine.belief(episode, epoch, 1, WRONG, 40)
        engine.act(episode, epoch, 2, "turn_left")
        if answer is None:
            engine.end(episode, "time_out")
        else:
            engine.answer(episode, epoch, answer, confidence)
    with store.atomic() as db:
        db.execute("UPDATE episodes SET state = 'rejected' WHERE episode_id = ?", [episode])
        store.event("episode_state", {"state": "rejected"}, episode_id=episode, study_id=made.study_id)
    cookie, grant = access.enter(store, access.create_invite(store, "researcher", made.study_id))
    services.install(SimpleNamespace(store=store, home=store.home, frames=frames, engine=engine, settings=SimpleNamespace(public=None)))  # type: ignore[arg-type]
    monkeypatch.setattr(identity, "page_cookie", lambda: cookie)

    def page(**address: str) -> AppTest:
        test = AppTest.from_function(draw, kwargs={"grant": grant}, default_timeout=60)
        for name, value in address.items():
            test.query_params[name] = value
        return test.run()

    yield SimpleNamespace(store=store, frames=frames, study=made.study_id, empty=empty.study_id, page=page)
    services.install(None)


def first(shown: Any) -> int:
    """The number of answers in a table's first row."""
    return int(shown.value["n"].iloc[0])


def run(*args: str) -> Any:
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def db(kit: SimpleNamespace) -> str:
    return str(kit.store.home.db)


def test_the_report_and_the_recomputation_from_an_export_have_the_same_numbers(kit: SimpleNamespace, db: str, tmp_path: Path) -> None:
    export(kit.store, kit.frames, tmp_path / "export", study_id=kit.study, images="none")
    here = run("report", "--db", db, "--study", kit.study, "--out", str(tmp_path / "a"), "--no-pictures", "--json")
    there = run("report", "--export", str(tmp_path / "export"), "--out", str(tmp_path / "b"), "--no-pictures", "--json")
    assert (here.exit_code, there.exit_code) == (0, 0), here.output + there.output
    told = [json.loads((tmp_path / name / "figures.json").read_text(encoding="utf-8")) for name in "ab"]
    for way in ("without_excluded", "with_excluded"):
        assert told[0][way] == told[1][way] and len(told[0][way]) == len(FIGURES)
    assert told[0]["without_excluded"] != told[0]["with_excluded"]
    files = [{path.name: path.read_bytes() for path in (tmp_path / name / "tables").iterdir()} for name in "ab"]
    assert files[0] == files[1] and files[0]
    for choice in (Choice(), Choice(with_excluded=True), Choice(truth="coded", seed=4)):
        pair = [as_json(results(trials, choice)) for trials in (stored(kit.store, kit.study), exported(tmp_path / "export"))]
        assert pair[0] == pair[1]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_page_shows_the_reports_numbers(kit: SimpleNamespace, figure: Any) -> None:
    page = kit.page(figure=figure.name)
    assert not page.exception and not page.error, page.exception
    [found] = results(stored(kit.store, kit.study), Choice(), (figure.name,))
    tables = [table for table in found.tables if table.lines]
    assert len(page.dataframe) == len(tables)
    for shown, table in zip(page.dataframe, tables, strict=True):
        rows = list(csv.DictReader(io.StringIO(as_csv(table))))
        scale = 1 if table.unit == "number" else 100
        for heading, key in ((table.heading, "value"), ("95 % from", "low"), ("95 % to", "high")):
            values = [None if value != value else value for value in shown.value[heading]]
            assert values == [float(row[key]) * scale if row[key] else None for row in rows], (table.name, key)
        assert list(shown.value["n"]) == [int(row["n"]) for row in rows]


def test_an_answer_that_a_rule_leaves_out_comes_back_by_the_switch(kit: SimpleNamespace) -> None:
    page = kit.page(figure="accuracy")
    assert first(page.dataframe[0]) == 4
    page.toggle[0].set_value(True).run()
    assert first(page.dataframe[0]) == 5


def test_numbers_follow_the_log(kit: SimpleNamespace) -> None:
    assert first(kit.page(figure="accuracy").dataframe[0]) == 4
    with kit.store.atomic() as db:
        db.execute("UPDATE episodes SET state = 'completed' WHERE state = 'rejected'")
        kit.store.event("episode_state", {"state": "completed"}, study_id=kit.study)
    assert first(kit.page(figure="accuracy").dataframe[0]) == 5


def test_a_study_without_answers_says_so_on_the_page_and_in_its_report(kit: SimpleNamespace, db: str, tmp_path: Path) -> None:
    made = run("report", "--db", db, "--study", kit.empty, "--out", str(tmp_path / "r"), "--no-pictures")
    assert made.exit_code == 0 and "Nobody has ended a task" in made.output and "another kind of run" not in made.output
    made = run("report", "--db", db, "--study", kit.study, "--mode", "bot", "--out", str(tmp_path / "b"), "--no-pictures")
    assert made.exit_code == 0 and "There is another kind of run: --mode live." in made.output
    with kit.store.atomic() as rows:
        rows.execute("UPDATE episodes SET state = 'active'")
        kit.store.event("episode_state", {}, study_id=kit.study)
    page = kit.page()
    assert not page.exception and [info.value for info in page.info] == [
        "6 tasks are under way and none has ended yet. Results stand here from the first answer on."
    ]


def test_an_export_that_somebody_edited_is_refused_by_the_name_of_its_table(kit: SimpleNamespace, tmp_path: Path) -> None:
    export(kit.store, kit.frames, tmp_path / "export", study_id=kit.study, images="none")
    file = tmp_path / "export" / "tables" / "answers.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    made = run("report", "--export", str(tmp_path / "export"), "--out", str(tmp_path / "r"))
    assert made.exit_code == 2 and "The table answers of the export export was changed" in made.output
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--study", "st_nowhere"], "st_nowhere"), ([], "Name a study with --study"), (["--paradigm", "telepathy"], "telepathy")],
)
def test_what_is_not_there_is_one_sentence(kit: SimpleNamespace, db: str, tmp_path: Path, options: list[str], words: str) -> None:
    named = options if not options or options[0] == "--study" else ["--study", kit.study, *options]
    made = run("report", "--db", db, "--out", str(tmp_path / "r"), *named)
    assert made.exit_code != 0 and words in made.output and "Traceback" not in made.output
    assert not (tmp_path / "r").exists()


def test_a_plan_that_came_late_is_a_deviation(kit: SimpleNamespace) -> None:
    from study.analysis.report.about import NO_PLAN, of_study
    from study.plans import lock_plan

    assert of_study(kit.store, kit.study)[0].sentences == [NO_PLAN]
    plan = lock_plan(kit.store, kit.study, b"Leave nobody out.", actor="me")
    section = of_study(kit.store, kit.study)[0]
    assert plan.sha256 in section.facts[0][1] and "not decided beforehand" in section.sentences[0]
