"""The study itself, a pilot, staff who try it out and simulated people never mix: whoever reads people or episodes reads one kind."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.commands import export as export_command
from app.commands import participants as participants_command
from data.frames import FrameStore
from data.store import Store
from data.task import Task
from study import admission, overview, participants, roster
from study.access import EVERY_STUDY
from study.episode import EpisodeEngine
from study.export import export
from study.exports.choice import Choice, chosen_people, estimate
from study.protocol import Protocol
from study.states import MODES
from study.studies import Study, create_study
from tests.present import present

PEOPLE = {"live": 1, "pilot": 2, "preview": 3, "bot": 4}
"""Kind of run → how many people of it have come; each has answered one task."""


@pytest.fixture
def mixed(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> Study:
    """A study in which people of every kind of run have played."""
    task = make_task()
    store.put_task(task)
    study = create_study(
        store, "Mixed", state="live", tasks=(task.content_hash,), trials=1, per_task=9, protocol=Protocol(confidence_required=False)
    )
    for mode, count in PEOPLE.items():
        for number in range(count):
            whom = {"source": "prolific", "external_id": f"{mode}-{number}"}
            person = participants.add_participant(store, study.study_id, whom, mode=mode)
            participants.decide(store, person, "consent")
            view = engine.open(present(participants.place(store, engine, person).episode_id))
            engine.answer(view.episode_id, view.epoch, "near the lamp")
            participants.place(store, engine, person)
    return study


def shown(store: Store, study_id: str, mode: dict[str, Any]) -> dict[str, int]:
    """How many people or episodes each reader of the researcher's pages shows."""
    counts = overview.progress(store, study_id, **mode)
    return {
        "people": counts["participants"],
        "finished": counts["finished"],
        "answered": counts["completed"],
        "list": overview.episode_page(store, study_id, **mode).total,
        "found": overview.episode_page(store, study_id, overview.Search(task="toy"), **mode).total,
        "outcomes": sum(one.answered for one in overview.outcomes(store, study_id, **mode)),
        "roster": roster.people(store, study_id, **mode).total,
        "states": sum(roster.by_state(store, study_id, **mode).values()),
    }


@pytest.mark.parametrize("everywhere", [False, True])
def test_pages_of_researchers_show_one_kind_and_the_study_itself_by_default(store: Store, mixed: Study, everywhere: bool) -> None:
    study_id = EVERY_STUDY if everywhere else mixed.study_id
    assert set(shown(store, study_id, {}).values()) == {PEOPLE["live"]}
    for mode, count in PEOPLE.items():
        assert set(shown(store, study_id, {"mode": mode}).values()) == {count}, mode
    assert overview.modes(store, study_id) == list(MODES)


def test_a_study_that_was_only_tried_out_shows_that(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "Draft", tasks=(task.content_hash,))
    assert overview.modes(store, study.study_id) == []
    participants.add_participant(store, study.study_id)
    assert overview.modes(store, study.study_id) == ["preview"]


def test_the_list_of_studies_counts_who_came_to_the_study_itself(store: Store, mixed: Study) -> None:
    (line,) = admission.studies(store)
    assert (line.participants, line.finished) == (PEOPLE["live"], PEOPLE["live"])


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    with (folder / "tables" / f"{name}.csv").open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("modes", [None, ("bot",), ("live", "pilot")])
def test_an_export_holds_the_study_itself_unless_it_is_asked_for_another_kind(
    store: Store, frames: FrameStore, mixed: Study, tmp_path: Path, modes: Any
) -> None:
    export(store, frames, tmp_path / "out", study_id=mixed.study_id, images="none", **({} if modes is None else {"modes": modes}))
    wanted = modes or ("live",)
    there = sum(PEOPLE[mode] for mode in wanted)
    for name in ("episodes", "participants"):
        rows = table(tmp_path / "out", name)
        assert {(row["mode"], row["study_version"]) for row in rows} == {(mode, "1") for mode in wanted}
        assert len(rows) == there
    assert [int(row["people"]) for row in table(tmp_path / "out", "studies")] == [there]
    choice = Choice(study_id=mixed.study_id, **({} if modes is None else {"modes": modes}))
    assert (estimate(store, choice).episodes, estimate(store, choice).people) == (there, there)
    assert len(chosen_people(store, mixed.study_id, *([] if modes is None else [modes]))) == there


def test_everything_together_is_of_the_study_itself_too(store: Store, frames: FrameStore, mixed: Study, tmp_path: Path) -> None:
    export(store, frames, tmp_path / "out", images="none")
    assert {row["mode"] for row in table(tmp_path / "out", "episodes")} == {"live"}
    results = [path for path in (tmp_path / "out").rglob("*.json") if "results" in path.parts]
    assert len(results) <= PEOPLE["live"] * 3


def test_an_episode_that_is_named_is_meant(store: Store, frames: FrameStore, mixed: Study, tmp_path: Path) -> None:
    bot = overview.episode_page(store, mixed.study_id, mode="bot").rows[0]
    export(store, frames, tmp_path / "out", episodes=[bot.episode_id], images="none")
    assert [row["mode"] for row in table(tmp_path / "out", "episodes")] == ["bot"]


def command(of: Any, store: Store, *words: str) -> Any:
    run = CliRunner().invoke(of, [*words, "--db", str(store.home.db), "--json"], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def test_commands_list_the_study_itself_unless_they_are_asked_for_another_kind(store: Store, mixed: Study) -> None:
    for words in (["list"], ["recruited"]):
        assert len(command(participants_command.command, store, *words)) == PEOPLE["live"]
        assert len(command(participants_command.command, store, *words, "--mode", "bot")) == PEOPLE["bot"]


def test_the_export_command_takes_the_kind(store: Store, mixed: Study, tmp_path: Path) -> None:
    assert command(export_command.command, store, "--out", str(tmp_path / "a"), "--images", "none")["episodes"] == PEOPLE["live"]
    assert command(export_command.command, store, "--out", str(tmp_path / "b"), "--images", "none", "--mode", "bot")["episodes"] == 4
