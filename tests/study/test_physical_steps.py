"""Physical actions in episodes: told in words, kept with every picture on the way, exported and replayed to the last pixel."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store
from data.task import Provenance, Task
from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS, Action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.encoding import decode_frame
from study.action_results import in_words, put_out_of_sight
from study.episode import EpisodeEngine
from study.export import export
from study.exports.choice import Choice, estimate
from study.handles import held_after
from study.overview import episode_steps
from study.replay import episode_ids, replay
from tests.present import present
from tests.study.conftest import InlinePool

LABELS = {"object_1": "bottle", "object_2": "object 2", "object_3": "box", "object_4": "the red cup"}


@pytest.fixture
def slid(begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]) -> Any:
    """An episode in which a lamp is picked up and let go on a slope: that step has four pictures."""
    source = {"runner_task": "slope", "scene": "Rs_int", "room": "kitchen_0", "metadata": {"question_id": "x/q_000"}}
    task = make_task(
        "esi-0009",
        actions=(*CAMERA_ACTIONS, "pick_up", "place_on_slope", "wait"),
        source=source,
        provenance=Provenance(dataset="esi-bench", row_id="0009", file="a/q_000.json"),
    )
    view = begin(task)
    lamp = {h.label: h.handle for h in view.step.handles}["lamp"]
    steps = [
        engine.act(view.episode_id, view.epoch, n, a)
        for n, a in enumerate(["wait", f"pick_up({lamp})", "turn_left", f"place_on_slope({lamp})", f"pick_up({lamp})"], 1)
    ]
    engine.answer(view.episode_id, view.epoch, "near the lamp", 80)
    return view, steps, lamp


def test_a_step_says_what_is_held_and_how_many_pictures_it_has(slid: Any) -> None:
    view, steps, lamp = slid
    assert view.step.held is None
    assert [s.held and s.held.handle for s in steps] == [None, lamp, lamp, None, lamp]
    assert steps[1].held.label == "lamp"
    assert [s.frames for s in steps] == [1, 1, 1, 4, 1]
    assert [s.words for s in steps] == [
        "Waited.", "Picked up the lamp.", "Turned left.", "Placed the lamp on the slope.", "Picked up the lamp.",
    ]  # fmt: skip


def test_what_did_not_stay_where_it_was_put_is_told(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = ToyBackend.act

    def falls(self: ToyBackend, session: str, action: Action, render: bool = True, visible: bool = True) -> ActionOutcome:
        outcome = done(self, session, action, render, visible)
        if action.name == "put":
            what, _, target = action.args
            outcome.ended = f"{what} did not stay on {target}"
        return outcome

    monkeypatch.setattr(ToyBackend, "act", falls)
    view = begin(make_task("falls", actions=(*CAMERA_ACTIONS, "pick_up", "put")))
    handles = {h.label: h.handle for h in view.step.handles}
    engine.act(view.episode_id, view.epoch, 1, f"pick_up({handles['lamp']})")
    step = engine.act(view.episode_id, view.epoch, 2, f"put({handles['lamp']}, on, {handles['bowl']})")
    assert (step.ok, step.held) == (True, None)
    assert step.words == "Put the lamp on the bowl. But the lamp did not stay on the bowl."
    assert engine.view(view.episode_id, view.epoch).step.words == step.words, "kept"


def test_what_is_put_back_behind_one_is_told(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task]
) -> None:
    view = begin(make_task("behind", actions=(*CAMERA_ACTIONS, "pick_up", "put_back")))
    lamp = {h.label: h.handle for h in view.step.handles}["lamp"]
    turns = ["turn_left"] * 6
    for n, action in enumerate([f"pick_up({lamp})", f"put_back({lamp})", f"pick_up({lamp})", *turns, f"put_back({lamp})"], 1):
        step = engine.act(view.episode_id, view.epoch, n, action)
        if n == 2:
            assert step.words == "Put the lamp back where it was at first."
    assert step.words == "Put the lamp back where it was at first. It is not in plain sight from here."
    told = episode_steps(store, view.episode_id)
    assert [one["seq"] for one in told if one["unseen"]] == [len(told) - 1], "whoever runs the study reads it too"


def test_every_picture_on_the_way_can_be_looked_at(
    slid: Any, engine: EpisodeEngine, store: Store, restart: Callable[[], tuple[EpisodeEngine, InlinePool]]
) -> None:
    view, _, _ = slid
    pictures = [engine.frame(view.episode_id, 4, index) for index in (0, 1, 2, -1)]
    assert len({decode_frame(p).tobytes() for p in pictures}) >= 3
    again, _ = restart()
    assert [again.frame(view.episode_id, 4, index) for index in (0, 1, 2, 3)] == pictures


def test_every_picture_is_exported(slid: Any, store: Store, frames: FrameStore, tmp_path: Path) -> None:
    report = export(store, frames, tmp_path / "out", images="png")
    assert (report.steps, report.images) == (6, 9)
    result = json.loads(next((tmp_path / "out/results").rglob("*_answer.json")).read_text())
    turn = result["history"][4]
    assert turn["extra_image_paths"] == [f"step_005_frame_{k:03d}.png" for k in (1, 2, 3)]
    folder = tmp_path / "out" / result["step_image_dir"]
    assert all((folder / name).is_file() for name in (*turn["extra_image_paths"], turn["image"]))
    assert result["history"][3]["action"] == "put_on_slope"


def test_the_size_told_beforehand_counts_pictures_on_the_way(slid: Any, store: Store, frames: FrameStore, tmp_path: Path) -> None:
    export(store, frames, tmp_path / "out")
    written = [path.stat().st_size for path in (tmp_path / "out").rglob("*.webp")]
    known = estimate(store, Choice())
    assert (known.episodes, known.steps, len(written), known.stored) == (1, 6, 9, sum(written))
    assert estimate(store, Choice(episodes=())).stored == 0


def test_replay_compares_every_picture(slid: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    report = replay(store, frames, pool, episode_ids(store))
    assert (report.ok, report.steps, report.verified, report.pictures) == (True, 6, 6, 9)


def test_replay_finds_a_changed_picture_on_the_way(slid: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    row = store.one("SELECT more_frames FROM steps WHERE seq = 4")
    on_the_way = json.loads(present(row)["more_frames"])
    with store.atomic() as db:
        db.execute("UPDATE steps SET more_frames = ? WHERE seq = 4", [json.dumps([on_the_way[1], on_the_way[0], on_the_way[2]])])
    report = replay(store, frames, pool, episode_ids(store))
    assert [(d.seq, d.what, d.detail.partition(":")[0]) for d in report.differences] == [(4, "pixels", "picture 1 of 4")]
    with store.atomic() as db:
        db.execute("UPDATE steps SET more_frames = ? WHERE seq = 4", [json.dumps(on_the_way[:2])])
    report = replay(store, frames, pool, episode_ids(store))
    assert [d.detail for d in report.differences] == ["stored 3 picture(s), rendered 4"]


def test_replay_finds_a_damaged_file_of_a_picture_on_the_way(slid: Any, store: Store, frames: FrameStore, pool: InlinePool) -> None:
    row = store.one("SELECT more_frames FROM steps WHERE seq = 4")
    first = json.loads(present(row)["more_frames"])[0]
    frames.path(first).write_bytes(b"no picture")
    report = replay(store, frames, pool, episode_ids(store))
    assert (4, "file") in [(d.seq, d.what) for d in report.differences]


@pytest.mark.parametrize(
    ("done", "held"),
    [
        ([], None),
        ([("pick_up(object_2)", True), ("turn_left", True)], "object_2"),
        ([("pick_up(object_2)", False)], None),
        ([("pick_up(object_2)", True), ("put(object_2, inside, object_1)", False)], "object_2"),
        ([("pick_up(object_2)", True), ("put(object_2, inside, object_1)", True)], None),
        ([("pick_up(object_2)", True), ("put_back(object_2)", True), ("pick_up(object_3)", True)], "object_3"),
        ([("pick_up(object_2)", True), ("pour(object_2, from, object_2, to, object_1)", True)], "object_2"),
        ([("pick_up(object_2)", True), ("place_on_slope(object_2)", True)], None),
        ([("place_on_slope(object_2)", True)], None),
        ([("pick_up(object_2)", True), ("phase:after", True)], None),
        ([("start", True), ("stay", False), ("pick_up(object_1)", True), ("stay", False)], "object_1"),
    ],
)
def test_what_is_held_follows_from_what_was_done(done: list[Any] | list[tuple[str, bool]], held: str | None) -> None:
    assert held_after(done) == held


@pytest.mark.parametrize(
    ("action", "ok", "reason", "words"),
    [
        ("pick_up(object_1)", True, "", "Picked up the bottle."),
        ("pick_up(object_2)", True, "", "Picked up object 2."),
        ("put(object_1, inside, object_3)", True, "", "Put the bottle inside the box."),
        ("put(object_1, on, object_4)", True, "", "Put the bottle on the red cup."),
        ("fill(object_4, with_water)", True, "", "Filled the red cup with water."),
        ("pour(object_4, from, object_4, to, object_1)", True, "", "Poured from the red cup into the bottle."),
        ("pour(object_2, from, object_4, to, object_1)", True, "", "Poured object 2 from the red cup into the bottle."),
        ("remove_cloth(object_3)", True, "", "Took the cloth away."),
        ("place_on_slope(object_1)", True, "", "Placed the bottle on the slope."),
        ("open(object_3)", True, "", "Opened the box."),
        ("pick_up(object_3)", False, "object 3 is too far away", "That did not work: object 3 is too far away."),
        ("pick_up(object_3)", False, "", "That did not work: not possible here."),
    ],
)
def test_results_in_words(action: str, ok: bool, reason: str, words: str) -> None:
    assert in_words(action, ok, reason, LABELS) == words


@pytest.mark.parametrize(
    ("action", "ok", "visible", "told"),
    [
        (
            "put(tin, inside, box)",
            True,
            {"box": 900},
            "Put the tin inside the box. It is in there, not in plain sight: look in from higher up.",
        ),
        (
            "put(tin, inside, box)",
            True,
            {"box": 900, "tin": 12},
            "Put the tin inside the box. It is in there, not in plain sight: look in from higher up.",
        ),
        ("put(tin, inside, box)", True, {"box": 900, "tin": 300}, "Put the tin inside the box."),
        ("put(tin, inside, box)", False, {"box": 900}, "That did not work: not possible here."),
        ("put(tin, on, box)", True, {"box": 900}, "Put the tin on the box."),
        ("place_on_slope(tin)", True, {"box": 900}, "Placed the tin on the slope."),
        ("pick_up(tin)", True, {"box": 900}, "Picked up the tin."),
        ("put_back(tin)", True, {"box": 900}, "Put the tin back where it was at first. It is not in plain sight from here."),
        ("put_on_floor(tin)", True, {"tin": 400}, "Put the tin on the floor, where it is least in the way."),
    ],
)
def test_what_is_put_where_the_view_does_not_show_it_is_told(action: str, ok: bool, visible: dict[str, int], told: str) -> None:
    """Where it ends that is put on something is physics, and for the picture to tell."""
    names = {"tin": "tin", "box": "box"}
    assert in_words(action, ok, "", names, unseen=put_out_of_sight(action, ok, visible)) == told


def test_every_action_has_words_that_say_nothing_of_its_outcome() -> None:
    """What happened is to be seen: whether it slid, how full it is."""
    forms = {
        "put": "put(object_1, on, object_2)",
        "fill": "fill(object_1, with_water)",
        "pour": "pour(object_1, from, object_1, to, object_2)",
    }
    for name in ACTIONS:
        takes = name not in CAMERA_ACTIONS and name != "wait"
        said = in_words(forms.get(name, f"{name}(object_1)" if takes else name), True, "", LABELS)
        assert said.endswith(".")
        assert not any(word in said.lower() for word in ("slid", "fell", "full", "overflow", "fits", "stable"))
