"""The tables that stand beside the episodes: who took part and with what, what was asked, what happened, what was in view, and poses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlite_utils.utils import sqlite3

from app import wire
from data.frames import FrameStore
from data.home import Home
from data.migrations import NAMES
from data.store import Store
from data.task import Task
from study import access, participants
from study.devices import Device
from study.episode import EpisodeEngine
from study.export import export
from study.exports.beside import text_hash
from study.studies import create_study
from tests.present import present

FIXTURES = Path(__file__).parent / "fixtures"


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(out / "tables" / f"{table}.parquet").to_pylist()
    return found


@pytest.fixture
def people(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> list[str]:
    """Four people of one study: one plays a task and finishes it, one declines, one withdraws, one has come and not decided."""
    task = make_task()
    store.put_task(task)
    study = create_study(store, "Lamps", state="live", tasks=(task.content_hash,), trials=1, consent="I agree.", consent_version="7")
    token = access.create_invite(store, "participant", study.study_id)
    found = [access.enter(store, token)[1].participant_id for _ in range(4)]
    for person in found[:3]:
        participants.advance(store, present(person), "welcome")
    participants.advance(store, present(found[0]), "consent")
    participants.advance(store, present(found[1]), "decline")
    participants.advance(store, present(found[2]), "consent")
    episode = participants.place(store, engine, present(found[0])).episode_id
    phone = Device(browser="Firefox 141", system="Linux", kind="computer", viewport_width=1366, pixel_ratio=1.25, colour_scheme="dark")
    view = engine.open(present(episode), device=phone)
    engine.act(present(episode), view.epoch, 1, "turn_left")
    engine.page_event(present(episode), view.epoch, 1, "hidden", client_time_ms=5.0)
    engine.frame(present(episode), 0)
    view = engine.open(present(episode), device=Device(browser="Safari 18"))
    engine.answer(present(episode), view.epoch, "near the lamp", 70, client_time_ms=99.5)
    participants.place(store, engine, present(found[0]))
    participants.withdraw(store, engine, present(found[2]))
    return found  # type: ignore[return-value]


def test_participants_say_with_what_and_when_and_those_who_left_are_only_counted(
    people: list[str], store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    assert export(store, frames, tmp_path / "out", images="none").participants == 1
    (person,) = rows(tmp_path / "out", "participants")
    assert (person["participant_id"], person["state"], person["tasks_completed"]) == (people[0], "finished", 1)
    assert (person["consent_version"], person["consent_sha256"]) == ("7", text_hash("I agree."))
    assert list(json.loads(person["states"])) == ["entered", "welcomed", "consented", "practised", "finished"]
    assert person["entered_at"] <= person["consented_at"] <= person["practised_at"] <= person["finished_at"]
    assert (person["browser"], person["device"], person["viewport_width"], person["pixel_ratio"]) == ("Firefox 141", "computer", 1366, 1.25)
    assert (person["colour_scheme"], person["screen_width"], person["apparatuses"]) == ("dark", None, 2)
    (study,) = rows(tmp_path / "out", "studies")
    assert (study["name"], study["people"], study["consented"], study["finished"]) == ("Lamps", 4, 1, 1)
    assert (study["declined"], study["withdrawn"], study["stopped"]) == (1, 1, 0)
    assert json.loads(study["protocol"])["paradigm"] == "active"
    content = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*.csv"))
    assert not any(person.encode() in content for person in people[1:])


def test_events_say_what_happened_at_which_step_in_order(people: list[str], store: Store, frames: FrameStore, tmp_path: Path) -> None:
    export(store, frames, tmp_path / "out", images="none")
    found = rows(tmp_path / "out", "events")
    assert [(row["kind"], row["seq"]) for row in found] == [("opened", -1), ("hidden", 1), ("looked_back", 1), ("opened", 1)]
    assert json.loads(found[0]["detail"])["browser"] == "Firefox 141" and found[2]["detail"] == "0"
    assert [row["client_time_ms"] for row in found] == [None, 5.0, None, None]
    assert {row["participant_id"] for row in found} == {people[0]}
    assert [row["event_seq"] for row in found] == sorted(row["event_seq"] for row in found)
    (answer,) = rows(tmp_path / "out", "answers")
    assert answer["client_time_ms"] == 99.5


def test_an_episode_says_at_which_scales_its_pictures_were_shown(
    store: Store, engine: EpisodeEngine, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    told: tuple[list[str], ...] = (["2.000 whole 1280", "nan smooth 3", "0.854 smooth 546", "gibberish"], [])
    for details in told:
        task = make_task(f"esi-{len(details)}")
        store.put_task(task)
        episode = engine.create(task.content_hash)
        view = engine.open(episode)
        for n, detail in enumerate(details, 1):
            engine.page_event(episode, view.epoch, n, "scaled", client_time_ms=5.0, detail=detail)
    export(store, frames, tmp_path / "out", images="none")
    columns = ("shown_scale", "shown_scale_least", "shown_scale_most", "shown_smooth")
    found = [tuple(row[name] for name in columns) for row in rows(tmp_path / "out", "episodes")]
    assert found == [(2.0, 0.854, 2.0, True), (None, None, None, None)]


def test_tasks_say_what_was_asked_and_what_is_right(
    begin: Callable[..., Any], store: Store, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    task = make_task("esi-1", tags={"task_type": "lamps"})
    for _ in range(2):
        begin(task)
    begin(make_task("esi-2"))
    export(store, frames, tmp_path / "out", images="none")
    first, second = rows(tmp_path / "out", "tasks")
    assert (first["task_hash"], first["question"], first["note"]) == (task.content_hash, task.question.text, task.question.note)
    assert json.loads(first["options"]) == list(task.question.options) and json.loads(first["gold"]) == list(task.gold.accepted)
    assert second["task_id"] == "esi-2"
    assert json.loads(first["objects"])["object_3"] == "cup" and json.loads(first["objects"])["object_2"] == "lamp"


def test_what_was_visible_stands_for_every_step_of_a_task_whose_actions_take_no_object(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    view = begin()
    assert "pick_up" not in view.actions
    moved = engine.act(view.episode_id, view.epoch, 1, "move_forward")
    told = json.dumps([wire.episode(view), wire.step(moved)])
    assert "visible" not in told and "object_2" not in told, "nobody who plays is told"
    export(store, frames, tmp_path / "out", images="none")
    found = rows(tmp_path / "out", "visible")
    assert {row["seq"] for row in found} == {0, 1}
    lamp = [row for row in found if row["handle"] == "object_2"]
    assert [row["label"] for row in lamp] == ["lamp", "lamp"] and lamp[0]["pixels"] < lamp[1]["pixels"]
    for row in found:
        assert 0 <= row["left_px"] < row["right_px"] <= view.width and 0 <= row["top_px"] < row["bottom_px"] <= view.height
    assert all(row["share"] == pytest.approx(row["pixels"] / (view.width * view.height)) for row in found)


def test_poses_are_columns_with_yaw_and_pitch(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    view = begin()
    for seq, action in enumerate(("turn_left", "turn_up", "turn_up"), 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    export(store, frames, tmp_path / "out", images="none")
    steps = rows(tmp_path / "out", "steps")
    assert [(row["after_yaw_deg"], row["after_pitch_deg"]) for row in steps] == [(0, 0), (15, 0), (15, 15), (15, 30)]
    assert [(row["before_yaw_deg"], row["before_pitch_deg"]) for row in steps[1:]] == [(0, 0), (15, 0), (15, 15)]
    assert (steps[0]["after_x_m"], steps[0]["after_y_m"], steps[0]["after_z_m"]) == (0.0, -0.5, 1.0)
    kept = json.loads(present(store.one("SELECT pose_after FROM steps WHERE seq = 3"))["pose_after"])["quaternion_xyzw"]
    assert [steps[3][f"after_q{axis}"] for axis in "xyzw"] == kept


def test_no_response_time_is_negative_and_a_press_that_waited_has_none(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    view = begin()
    told = [(1250.0, 1000.0, 0), (1100.0, 1300.0, 180), (900.0, 1000.0, None), (None, 1000.0, 0)]
    for seq, (press, painted, queued) in enumerate(told, 1):
        engine.act(view.episode_id, view.epoch, seq, "turn_left", client_time_ms=press, frame_painted_ms=painted, queued_ms=queued)
    export(store, frames, tmp_path / "out", images="none")
    assert [row["response_ms"] for row in rows(tmp_path / "out", "steps")] == [None, 250.0, None, None, None]


def test_what_people_report_is_in_the_export_with_its_step_and_its_episode_is_flagged(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    view, quiet = begin(), begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    engine.report_problem(view.episode_id, view.epoch, "The box <b>floats</b>.")
    export(store, frames, tmp_path / "out", unfinished=True, images="none")
    assert [(row["episode_id"], row["seq"], row["text"]) for row in rows(tmp_path / "out", "reports")] == [
        (view.episode_id, 1, "The box <b>floats</b>.")
    ]
    flags = {row["episode_id"]: row["flags"] for row in rows(tmp_path / "out", "episodes")}
    assert flags == {view.episode_id: '["problem_reported"]', quiet.episode_id: "[]"}


@pytest.mark.parametrize("name", NAMES)
def test_databases_of_every_schema_export_with_empty_cells_for_what_was_not_kept(tmp_path: Path, name: str) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    connection = sqlite3.connect(str(home.db))
    connection.executescript((FIXTURES / f"schema_{name}.sql").read_text())
    connection.close()
    store = Store.open(home)
    report = export(store, FrameStore(home.frames), tmp_path / "out", only=["tables"], images="none")
    assert (report.episodes, report.steps, report.participants, report.tasks) == (1, 2, 1, 1)
    steps, (person,) = rows(tmp_path / "out", "steps"), rows(tmp_path / "out", "participants")
    assert [(row["input"], row["queued_ms"]) for row in steps] == [("", None)] * 2
    assert (person["browser"], person["consent_sha256"], person["apparatuses"]) == (None, None, 0)
    assert all(row["client_time_ms"] is None for row in [*rows(tmp_path / "out", "beliefs"), *rows(tmp_path / "out", "answers")])
