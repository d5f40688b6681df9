"""Ground-truth passive and yoked: pictures that exist, one after the other, the same bytes for everybody; every look is a step."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from app import wire
from data.frames import FrameStore, decode
from data.store import Store
from data.task import Gold, Task
from sim_bridge.actions import ACTIONS
from sim_bridge.spec import Scene
from study import agents, frozen, ground_truth, participants, sequences, trajectories, yoking
from study.env import EpisodeEnv
from study.episode import EpisodeEngine
from study.errors import BadAction, BadAnswer, BudgetUsed, OutOfStep, SceneUnplayable, WrongParadigm
from study.export import export
from study.paradigms import check_fit, paradigm
from study.protocol import Protocol
from study.replay import episode_ids, replay
from study.simulators import fingerprint_of
from study.steps import steps_of
from study.studies import create_study
from tests.present import present
from tests.study.conftest import InlinePool

WAY = ("turn_left", "move_forward", "turn_right", "turn_right")
PASSIVE = Protocol(paradigm="gt_passive")
YOKED = paradigm("yoked")


@pytest.fixture
def freeze(store: Store, frames: FrameStore, pool: InlinePool) -> Callable[..., Any]:
    """Render a task's ground-truth pictures and keep them."""

    def make(task: Any) -> Any:
        client = pool.acquire("scout")
        views = ground_truth.render(store, client, "scout", task)
        pool.release("scout")
        return frozen.keep(store, frames, task.content_hash, frozen.GROUND_TRUTH, views, fingerprint=fingerprint_of(client.hello))

    return make


@pytest.fixture
def shown(store: Store, freeze: Callable[..., Any], make_task: Callable[..., Task]) -> Any:
    """A task with a proof, its pictures frozen."""
    task = make_task("proven", gt_trajectory=WAY)
    store.put_task(task)
    return task, freeze(task)


def page(engine: EpisodeEngine, view: Any, upto: int | None = None, **how: Any) -> Any:
    """Ask for the next picture until `upto`, or the last."""
    step = view.step
    while step.seq + 1 < view.budget and (upto is None or step.seq < upto):
        step = engine.next_picture(view.episode_id, view.epoch, step.seq + 1, **how)
    return step


def came_in(store: Store, study: Any) -> str:
    """Somebody who has agreed to take part."""
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    return person


def explore(
    engine: EpisodeEngine, store: Store, study: Any, actions: tuple[str, str, str, str] = WAY, answer: str = "near the lamp"
) -> Any:
    """Somebody meets their next task, explores where they may, and answers; returns the episode's view and id."""
    person = came_in(store, study)
    where = participants.place(store, engine, person)
    view = engine.open(present(where.episode_id))
    if view.opens == "frames":
        page(engine, view)
    else:
        for seq, action in enumerate(actions, 1):
            engine.act(view.episode_id, view.epoch, seq, action, client_time_ms=1000.0 * seq + 700, frame_painted_ms=1000.0 * seq)
    engine.answer(view.episode_id, view.epoch, answer, 80)
    return view, where.episode_id


def test_the_pictures_of_the_trajectory_come_in_order_one_by_one_and_nothing_is_simulated(
    engine: EpisodeEngine, begin: Callable[..., Any], store: Store, pool: InlinePool, shown: Any
) -> None:
    task, views = shown
    view = begin(task, protocol=PASSIVE)
    assert (view.budget, view.actions, view.opens, view.step.seq, view.step.observations_left) == (len(WAY) + 1, (), "frames", 0, len(WAY))
    assert pool.held == {}
    seen = [engine.frame(view.episode_id, 0)]
    for seq in range(1, len(views)):
        step = engine.next_picture(view.episode_id, view.epoch, seq, client_time_ms=10.0 * seq, frame_painted_ms=9.0, given_with="key")
        assert (step.words, step.frames) == (f"Picture {seq + 1} of 5." + (" It is the last one." if seq == 4 else ""), 1)
        seen.append(present(step.image))
    assert [engine.frames.kept(store, kept.pixel_hash) for kept in views] == seen
    kept = steps_of(store, view.episode_id)
    assert [step.pixel_hash for step in kept] == [picture.pixel_hash for picture in views]
    assert [(s.kind, s.action, s.sim_action, s.input) for s in kept[1:]] == [("frame", "frame", "", "key")] * 4
    assert [(s.client_time_ms, s.painted_ms) for s in kept[1:]] == [(10.0 * n, 9.0) for n in range(1, 5)]
    with pytest.raises(BudgetUsed, match="last of 5 pictures"):
        engine.next_picture(view.episode_id, view.epoch, 5)
    final = engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    assert (final.state, final.observations) == ("completed", 5)
    assert store.query("SELECT stopped_by FROM answers") == [{"stopped_by": "answer"}]


def test_what_is_told_names_no_action(engine: EpisodeEngine, begin: Callable[..., Any], shown: Any) -> None:
    task, _views = shown
    view = begin(task, protocol=PASSIVE)
    told = [wire.episode(view) | {"controls": wire.controls(view.actions, paged=view.opens == "frames")}]
    told += [wire.step(engine.next_picture(view.episode_id, view.epoch, seq)) for seq in range(1, 5)]
    words = json.dumps(told)
    assert [name for name in ACTIONS if re.search(rf"\b{name}\b", words)] == []
    assert "turn" not in words.lower() and "move" not in words.lower()


def test_a_repeat_gives_the_same_picture_and_a_leap_is_refused(
    engine: EpisodeEngine, begin: Callable[..., Any], store: Store, shown: Any
) -> None:
    task, _views = shown
    view = begin(task, protocol=PASSIVE)
    first = engine.next_picture(view.episode_id, view.epoch, 1)
    assert engine.next_picture(view.episode_id, view.epoch, 1).image == first.image
    with pytest.raises(OutOfStep, match="the next is 2, got 3"):
        engine.next_picture(view.episode_id, view.epoch, 3)
    assert len(steps_of(store, view.episode_id)) == 2
    with pytest.raises(BadAction):
        engine.act(view.episode_id, view.epoch, 2, "turn_left")
    with pytest.raises(WrongParadigm, match="no camera to move"):
        engine.stay(view.episode_id, view.epoch, 2, "x")
    acting = begin(task)
    with pytest.raises(WrongParadigm, match="no next picture"):
        engine.next_picture(acting.episode_id, acting.epoch, 1)


def test_the_answer_comes_after_the_last_picture_unless_the_study_lets_it_come_before(
    engine: EpisodeEngine, begin: Callable[..., Any], store: Store, shown: Any
) -> None:
    task, _views = shown
    view = begin(task, protocol=PASSIVE)
    page(engine, view, upto=2)
    with pytest.raises(BadAnswer, match="all 5 pictures first: this was number 3"):
        engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
    page(engine, engine.open(view.episode_id))
    assert engine.answer(view.episode_id, 2, "near the lamp", 50).observations == 5
    early = begin(task, protocol=PASSIVE.model_copy(update={"early_answer": True}))
    assert engine.answer(early.episode_id, early.epoch, "near the lamp", 50).observations == 1


@pytest.mark.parametrize(("history", "shown_at_the_end"), [("none", (4,)), ("last5", (0, 1, 2, 3, 4)), ("all", (0, 1, 2, 3, 4))])
def test_how_far_back_one_may_look_follows_the_studys_memory_rule(
    engine: EpisodeEngine, begin: Callable[..., Any], shown: Any, history: str, shown_at_the_end: Any
) -> None:
    task, _views = shown
    view = begin(task, protocol=PASSIVE.model_copy(update={"history": history}))
    page(engine, view)
    assert engine.view(view.episode_id).shown == shown_at_the_end


def test_after_a_restart_it_goes_on_at_the_same_picture(
    engine: EpisodeEngine, begin: Callable[..., Any], restart: Callable[[], tuple[EpisodeEngine, InlinePool]], shown: Any
) -> None:
    task, views = shown
    view = begin(task, protocol=PASSIVE)
    page(engine, view, upto=2)
    again, _pool = restart()
    there = again.open(view.episode_id)
    assert (there.step.seq, there.budget) == (2, 5)
    again.prepare(there.episode_id, there.epoch)
    assert page(again, there).image == again.frames.kept(again.store, views[4].pixel_hash)


def test_parts_follow_each_other_and_are_told(
    engine: EpisodeEngine,
    begin: Callable[..., Any],
    store: Store,
    freeze: Callable[..., Any],
    make_task: Callable[..., Task],
    two_part_scene: Callable[..., Scene],
) -> None:
    task = make_task("parts", scene=two_part_scene(), gt_trajectory=("turn_left", "turn_right", "turn_right"), gt_phase_starts=(1,))
    store.put_task(task)
    assert [view.phase for view in freeze(task)] == ["before", "before", "after", "after", "after"]
    view = begin(task, protocol=PASSIVE)
    assert (view.step.part, view.step.parts, view.step.phase_next) == (1, 2, False)
    assert view.step.words == "Picture 1 of 5. Part 1 of 2 begins with it."
    told = [engine.next_picture(view.episode_id, view.epoch, seq).words for seq in (1, 2)]
    assert told == ["Picture 2 of 5.", "Picture 3 of 5. Part 2 of 2 begins with it."]
    assert engine.view(view.episode_id).step.words == told[1], "opened again it is told as it was"
    assert (engine.view(view.episode_id).step.part, engine.view(view.episode_id).step.parts) == (2, 2)


def test_a_task_without_a_trajectory_does_not_fit_until_one_is_recorded(
    engine: EpisodeEngine, store: Store, freeze: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    task = make_task("bare")
    store.put_task(task)
    store.insert("staff", {"staff_id": "s1", "name": "Ada", "created_at": "2026-01-01T00:00:00.000+00:00"})
    with pytest.raises(WrongParadigm, match="bare has no ground-truth trajectory"):
        check_fit(task, "gt_passive")
    with pytest.raises(trajectories.NoTrajectory):
        freeze(task)
    trajectories.use(store, task.content_hash, WAY, (), says="The cup is by the lamp.", staff_id="s1")
    assert check_fit(trajectories.known(store, task), "gt_passive")
    episode = engine.create(task.content_hash, protocol=PASSIVE)
    with pytest.raises(SceneUnplayable, match="not there"):
        engine.open(episode)
    assert len(freeze(task)) == 5
    assert engine.open(episode).budget == 5
    assert store.query("SELECT staff_id, part FROM task_people") == [{"staff_id": "s1", "part": "recorded"}]
    with pytest.raises(trajectories.TrajectoryStays, match="frozen"):
        trajectories.use(store, task.content_hash, ("turn_left",), (), says="", staff_id="s1")


def test_yoked_shows_what_the_partner_saw_byte_for_byte(
    engine: EpisodeEngine, store: Store, frames: FrameStore, pool: InlinePool, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    task = make_task("t", gold=Gold(accepted=("near the lamp",), chance=0.5))
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), paradigms=("active", "yoked"), per_task=1, trials=1)
    assert yoking.choose(store, study.study_id, "live", task.content_hash, YOKED) == ""
    _, partner = explore(engine, store, study)
    assert [p.episode_id for p in yoking.partners(store, study.study_id, "live", task.content_hash, YOKED)] == [partner]
    assert yoking.partners(store, study.study_id, "bot", task.content_hash, YOKED) == []
    view, yoked = explore(engine, store, study)
    assert store.query("SELECT paradigm, partner, pictures FROM episodes WHERE episode_id = ?", [yoked]) == [
        {"paradigm": "yoked", "partner": partner, "pictures": len(WAY) + 1}
    ]
    theirs, own = steps_of(store, partner), steps_of(store, yoked)
    assert [s.pixel_hash for s in own] == [hash_ for s in theirs for hash_ in s.frames]
    assert [s.pose_after for s in own] == [s.pose_after for s in theirs]
    assert yoking.partners(store, study.study_id, "live", task.content_hash, YOKED)[0].used == 1
    assert view.step.next_ms is None
    report = replay(store, frames, pool, episode_ids(store))
    assert report.ok and [one.verdict for one in report.replayed] == ["bit-exact", "bit-exact"]
    export(store, frames, tmp_path / "out")
    told = pq.read_table(tmp_path / "out" / "tables" / "episodes.parquet").to_pylist()
    assert [(row["paradigm"], row["partner"], row["pace"], row["budget"], row["observations"]) for row in told] == [
        ("active", "", "", 30, 5),
        ("yoked", partner, "own_key", 5, 5),
    ]
    rows = pq.read_table(tmp_path / "out" / "tables" / "steps.parquet").to_pylist()
    assert [row["kind"] for row in rows if row["episode_id"] == yoked] == ["start"] + ["frame"] * 4


def test_at_the_partners_pace_each_picture_stays_as_long_as_they_looked(
    engine: EpisodeEngine, store: Store, make_task: Callable[..., Task]
) -> None:
    task = make_task("t")
    store.put_task(task)
    protocol = Protocol(pace="partner")
    ways = ("active", "yoked")
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), paradigms=ways, per_task=1, trials=1, protocol=protocol)
    explore(engine, store, study)
    where = participants.place(store, engine, came_in(store, study))
    view = engine.open(present(where.episode_id))
    paces = [view.step.next_ms] + [engine.next_picture(view.episode_id, view.epoch, n, given_with="pace").next_ms for n in range(1, 5)]
    assert paces == [700.0] * 4 + [None]
    assert {step.input for step in steps_of(store, view.episode_id)[1:]} == {"pace"}


def test_frames_on_the_way_are_pictures_of_their_own_and_a_long_look_ends_after_a_minute(
    engine: EpisodeEngine, begin: Callable[..., Any], store: Store
) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left", client_time_ms=9e9, frame_painted_ms=0.0)
    first, second = steps_of(store, view.episode_id)
    second = msgspec.structs.replace(second, more_frames=("a", "b"))
    shown = sequences.seen_in([first, second])
    assert [picture.pixel_hash for picture in shown] == [first.pixel_hash, "a", "b", second.pixel_hash]
    assert [picture.looked_ms for picture in shown] == [60_000.0, 200.0, 200.0, None]


def test_a_replay_tells_a_picture_that_is_not_of_the_sequence(
    engine: EpisodeEngine, begin: Callable[..., Any], store: Store, frames: FrameStore, pool: InlinePool, shown: Any
) -> None:
    task, views = shown
    view = begin(task, protocol=PASSIVE)
    page(engine, view)
    assert replay(store, frames, pool, [view.episode_id]).ok
    with store.atomic() as db:
        db.execute("UPDATE steps SET pixel_hash = ? WHERE episode_id = ? AND seq = 2", [views[0].pixel_hash, view.episode_id])
    report = replay(store, frames, pool, [view.episode_id])
    assert (report.ok, [(d.seq, d.what) for d in report.differences]) == (False, [(2, "pixels")])


def test_a_trajectory_that_leads_into_a_wall_is_not_rendered(
    store: Store, freeze: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    task = make_task("wall", gt_trajectory=("move_forward",) * 60)
    store.put_task(task)
    with pytest.raises(SceneUnplayable, match=r"wall leads into a wall or a thing \(move_forward\)"):
        freeze(task)


def test_a_model_sees_the_same_pictures_and_asks_for_the_next(engine: EpisodeEngine, store: Store, shown: Any) -> None:
    task, views = shown
    view = agents.begin(engine, task.content_hash, "m", protocol=PASSIVE)
    told = agents.prompt(view)
    assert 'Action: "next" shows the next picture' in told and "once you have seen all" in told and "turn_left" not in told
    assert "Picture 1 of 5." in told
    say = json.dumps({"action": "next"})
    assert present(agents.respond(engine, view.episode_id, view.epoch, 0, say).step).seq == 1
    assert agents.respond(engine, view.episode_id, view.epoch, 1, "let me look").reprompt
    assert agents.respond(engine, view.episode_id, view.epoch, 1, "let me look").step is None
    assert present(agents.respond(engine, view.episode_id, view.epoch, 1, "just look").step).seq == 2, "the pictures go on: nothing is lost"
    for seq in (2, 3):
        agents.respond(engine, view.episode_id, view.epoch, seq, say)
    final = agents.respond(engine, view.episode_id, view.epoch, 4, json.dumps({"action": "stop", "answer": "near the lamp"})).final
    assert (present(final).answer, present(final).observations) == ("near the lamp", 5)
    assert [step.pixel_hash for step in steps_of(store, view.episode_id)] == [picture.pixel_hash for picture in views]


def test_the_environment_pages_through_the_pictures_and_answers_after_the_last(engine: EpisodeEngine, shown: Any) -> None:
    task, views = shown
    env = EpisodeEnv(engine, task, protocol=PASSIVE)
    seen = [env.reset(seed=1)[0]["rgb"]]
    env.answer_with("near the lamp", 70)
    assert env.action_space.n == 2 and "refused" in env.step(1)[4]  # type: ignore[attr-defined]
    for _ in range(4):
        seen.append(env.step(0)[0]["rgb"])
    assert [pixels.tobytes() for pixels in seen] == [decode(engine.frames.kept(engine.store, v.pixel_hash)).tobytes() for v in views]
    _, reward, terminated, _, info = env.step(1)
    assert (reward, terminated, info["answer"]) == (1.0, True, "near the lamp")


def test_a_study_with_yoked_places_needs_the_paradigm_of_their_partners(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task("t")
    store.put_task(task)
    with pytest.raises(WrongParadigm, match="shows what people saw in the paradigm active, which this study has not"):
        create_study(store, "S", tasks=(task.content_hash,), paradigms=("yoked",))
