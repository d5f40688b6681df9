"""Multi-view, question only and metadata only: what is shown, in which order, to whom, and that nothing of it tells the answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from app.commands import study_frames
from data import jobs
from data.frames import FrameStore
from data.store import Store
from data.task import Ask, Gold, Question, Task, View
from sim_bridge.kinematics import canonical
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from study import admission, agents, erasure, frozen, paradigms, participants, rendering, walking
from study.action_results import in_words
from study.episode import EpisodeEngine
from study.errors import BadAction, BudgetUsed, FrameNotShown, SceneUnplayable
from study.export import export
from study.looks import Look
from study.objects import spoken_of
from study.protocol import Protocol
from study.readiness import NotReady, concerns
from study.replay import episode_ids, replay
from study.simulators import fingerprint_of
from study.steps import steps_of
from study.studies import create_study
from tests.present import present
from tests.study.conftest import InlinePool

GRID, QUESTION, WORDS = (Protocol(paradigm=name) for name in ("multi_view", "question_only", "metadata_only"))
SIMPLE = Scene(camera=Camera(32, 24), room=Room(), objects=())


@pytest.fixture
def render(store: Store, frames: FrameStore, pool: InlinePool) -> Callable[..., Any]:
    """Render a task's set as the job does."""

    def make(task: Task) -> list[frozen.FrozenView]:
        store.put_task(task)
        assert rendering.render(store, frames, pool, [(task.content_hash, "random_walk")]) == []
        return frozen.views_of(store, task.content_hash, "random_walk")

    return make


def test_a_set_with_which_the_simulator_is_lost_is_rendered_by_another(
    store: Store, frames: FrameStore, pool: InlinePool, make_task: Callable[..., Task]
) -> None:
    first, second = make_task("first"), make_task("second")
    for task in (first, second):
        store.put_task(task)
    wanted = [(first.content_hash, "random_walk"), (second.content_hash, "random_walk")]
    pool.faults.append(("act", "lost"))
    assert rendering.render(store, frames, pool, wanted[:1]) == []
    pool.faults += [("act", "lost"), ("act", "lost")]
    (refused,) = rendering.render(store, frames, pool, wanted)
    assert refused.task_hash == second.content_hash and "died" in refused.why
    assert rendering.render(store, frames, pool, wanted) == [], "the next run tries it again"
    assert not pool.held


def test_a_walk_starts_at_the_start_and_comes_nowhere_twice_and_into_nothing(
    render: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    task = make_task()
    views = render(task)
    assert len(views) == 30 and views[0].pose == canonical(task.start)
    assert len({view.pose for view in views}) == 30 and not any(view.clipped for view in views)
    assert {view.phase for view in views} == {""}


def test_the_walk_follows_from_the_tasks_content_alone(pool: InlinePool, make_task: Callable[..., Task]) -> None:
    def walk(task: Task, session: str) -> list[Pose]:
        client = pool.acquire(session)
        return [view.pose for view in walking.render(client, session, task)]

    assert walk(make_task(), "a") == walk(make_task(), "b") != walk(make_task("toy-002"), "c")


def test_a_start_in_a_corner_leaves_only_walks_that_stay_free(render: Callable[..., Any], make_task: Callable[..., Task]) -> None:
    scene = Scene(camera=Camera(32, 24), room=Room(bounds_m=(-0.6, -0.6, 0.6, 0.6), furnished=False))
    views = render(make_task(scene=scene, names={}, start=Pose((0.4, 0.4, 1.0), make_task().start.quaternion_xyzw)))
    assert len(views) == 30 and not any(view.clipped for view in views)


def test_a_task_in_parts_has_half_from_each_and_shows_them_as_parts(
    render: Callable[..., Any],
    begin: Callable[..., Any],
    make_task: Callable[..., Task],
    two_part_scene: Callable[..., Scene],
    frames: FrameStore,
    store: Store,
) -> None:
    task = make_task("parts", scene=two_part_scene())
    views = render(task)
    assert [view.phase for view in views] == ["before"] * 15 + ["after"] * 15
    assert views[15].pose == views[0].pose and views[15].pixel_hash != views[0].pixel_hash, "each part begins at the start"
    view = begin(task, protocol=GRID)
    assert view.parts == (1,) * 15 + (2,) * 15
    assert "The task has 2 parts" in view.step.words
    steps = steps_of(store, view.episode_id)
    assert (steps[0].pixel_hash, steps[15].pixel_hash) == (views[0].pixel_hash, views[15].pixel_hash)
    assert "Pictures 16 to 30 show part 2 of 2" in agents.prompt(view)


def test_where_something_moves_half_is_taken_while_it_moves_and_half_when_it_stands(
    pool: InlinePool, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(pool.host.backend), "capabilities", (*pool.host.backend.capabilities, "wait"))
    robot = Object("object_4", "cup", Pose((0.0, 2.0, 0.0)), origin="base", params={"path": [[0.0, 12.0]], "step_m": 0.5})
    scene = make_task().scene
    assert walking._moves(make_task(scene=Scene(camera=scene.camera, room=scene.room, objects=(*scene.objects, robot)))) == 20


def test_a_task_that_brings_its_own_walk_is_shown_along_it(render: Callable[..., Any], make_task: Callable[..., Task]) -> None:
    task = make_task()
    poses = [canonical(Pose((0.05 * n, -0.5, 1.0), task.start.quaternion_xyzw)) for n in range(30)]
    views = render(make_task("own", views={"random_walk": tuple(View(label=str(n), pose=pose) for n, pose in enumerate(poses))}))
    assert [view.pose for view in views] == poses


def test_what_is_kept_already_is_not_rendered_again_and_what_cannot_be_is_said(
    store: Store, frames: FrameStore, pool: InlinePool, render: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    good, bad = make_task(), make_task("bad", required_features=("mirror_of_venus",))
    render(good)
    store.put_task(bad)
    before = len(pool.calls)
    assert rendering.render(store, frames, pool, [(good.content_hash, "random_walk")]) == [] and len(pool.calls) == before
    nowhere = Scene(camera=Camera(32, 24), room=Room(bounds_m=(-0.1, -0.1, 0.1, 0.1), height_m=0.3, furnished=False))
    closed = make_task("closed", scene=nowhere, names={}, start=Pose((5.0, 5.0, 5.0), good.start.quaternion_xyzw))
    store.put_task(closed)
    (refused,) = rendering.render(store, frames, pool, [(closed.content_hash, "random_walk")])
    assert refused.task_hash == closed.content_hash and "without going into something" in refused.why
    assert pool.held == {}, "the simulators are given back"


def test_all_views_are_shown_at_once_the_start_view_first_and_nothing_can_be_done_but_answer(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    frames: FrameStore,
    pool: InlinePool,
    render: Callable[..., Any],
    make_task: Callable[..., Task],
) -> None:
    task = make_task()
    views = render(task)
    calls = len(pool.calls)
    view = begin(task, protocol=GRID, seed=5)
    assert len(pool.calls) == calls, "no simulator is asked"
    assert (view.actions, view.budget, view.shown, view.step.observations_left) == ((), 30, tuple(range(30)), 0)
    shown = [engine.frame(view.episode_id, seq) for seq in view.shown]
    kept = [frames.kept(store, one.pixel_hash) for one in views]
    assert shown[0] == kept[0] and shown != kept and sorted(shown) == sorted(kept)
    with pytest.raises(BadAction):
        engine.act(view.episode_id, view.epoch, 30, "turn_left")
    with pytest.raises(BudgetUsed):
        engine.stay(view.episode_id, view.epoch, 30, "x")
    again = engine.open(view.episode_id)
    engine.prepare(again.episode_id, again.epoch)
    assert (again.epoch, again.shown, len(pool.calls)) == (2, view.shown, calls)
    final = engine.answer(again.episode_id, again.epoch, "near the lamp", 60)
    assert (final.state, final.observations) == ("completed", 30)
    assert store.query("SELECT kind FROM events WHERE kind = 'looked_back'") == [], "looks at a grid are told by the page"


def test_the_order_is_drawn_for_each_showing(
    begin: Callable[..., Any], store: Store, render: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    task = make_task()
    render(task)

    def order(seed: int) -> list[str]:
        return [step.pixel_hash for step in steps_of(store, begin(task, protocol=GRID, seed=seed).episode_id)]

    assert order(1) == order(1) != order(2) and sorted(order(1)) == sorted(order(2))


def test_an_episode_whose_set_is_missing_opens_nothing_and_a_study_with_one_does_not_open(
    store: Store, engine: EpisodeEngine, frames: FrameStore, pool: InlinePool, begin: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    task = make_task()
    with pytest.raises(SceneUnplayable, match="not here yet"):
        begin(task, protocol=GRID)
    study = create_study(store, "S", tasks=(task.content_hash,), paradigms=("active", "multi_view"))
    assert [(p.paradigm, p.ready, p.missing) for p in rendering.pictures(store, study)] == [("multi_view", 0, (task.content_hash,))]
    for event in ("pilot", "open"):
        with pytest.raises(NotReady, match=rf"multi view shows pictures of which 1 of 1 sets.*`vantage study frames {study.study_id}`"):
            admission.move_study(store, study.study_id, event, actor="")
    rendering.render(store, frames, pool, [(task.content_hash, "random_walk")])
    assert not any("frames" in concern.says for concern in concerns(store, study))


def test_a_grid_is_replayed_against_its_set(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    frames: FrameStore,
    pool: InlinePool,
    render: Callable[..., Any],
    make_task: Callable[..., Task],
) -> None:
    task = make_task()
    render(task)
    view = begin(task, protocol=GRID)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    assert episode_ids(store) == [view.episode_id]
    report = replay(store, frames, pool, [view.episode_id])
    assert report.ok and (report.steps, report.verified, report.pictures) == (30, 30, 30)
    with store.atomic() as db:
        db.execute("UPDATE steps SET pixel_hash = (SELECT pixel_hash FROM steps WHERE seq = 4) WHERE seq = 3")
    report = replay(store, frames, pool, [view.episode_id])
    assert (report.ok, report.differing, report.differences[0].seq, report.differences[0].what) == (False, 1, 3, "pixels")
    (name,) = {step.pixel_hash for step in steps_of(store, view.episode_id) if step.seq == 5}
    frames.path(name).unlink()
    assert {found.what for found in replay(store, frames, pool, [view.episode_id]).differences} == {"pixels", "file"}


@pytest.mark.parametrize("protocol", [QUESTION, WORDS])
def test_words_alone_show_no_picture_and_are_answered(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, pool: InlinePool, protocol: Any
) -> None:
    view = begin(protocol=protocol)
    assert (view.actions, view.budget, view.shown, view.step.frames, pool.calls) == ((), 0, (), 0, [])
    assert store.query("SELECT * FROM steps") == []
    with pytest.raises(FrameNotShown):
        engine.frame(view.episode_id, 0)
    with pytest.raises(BadAction):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", 20)
    final = engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    assert (final.state, final.observations, final.confidence) == ("completed", 0, 60)
    assert episode_ids(store) == []


def test_metadata_are_the_kinds_that_the_question_is_about_in_a_drawn_order(
    begin: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    assert begin(protocol=QUESTION).told == ()
    orders = {begin(protocol=WORDS, seed=seed).told for seed in range(12)}
    assert {tuple(sorted(order)) for order in orders} == {("bowl", "lamp")} and len(orders) == 2
    view = begin(protocol=WORDS, seed=1)
    assert f"Things in the scene: {'; '.join(view.told)}" in agents.prompt(view)
    assert paradigms.paradigm("metadata_only").unfit(make_task(names={})) == "names no kind of thing, so that there is nothing to list"


def test_what_is_to_be_found_out_is_not_among_the_metadata(make_task: Callable[..., Task]) -> None:
    question = Question(
        text="What is behind the bowl: a lamp or a cup?",
        form="choice",
        options=("lamp", "cup"),
        ask=Ask(what="behind", things=("object_2",), against="object_1"),
    )
    assert spoken_of(make_task(question=question, gold=Gold(accepted=("lamp",), chance=0.5), names={"object_1": "bowl"})) == ("bowl",)
    counted = question.model_copy(update={"ask": Ask(what="count", category="cup")})
    assert spoken_of(make_task(question=counted, gold=Gold(accepted=("cup",), chance=0.5), names={})) == ("cup",)


def test_twins_of_the_bundled_tasks_have_equal_metadata() -> None:
    documents = sorted((Path(__file__).parents[2] / "data" / "bundled").glob("*.json"))
    tasks = {task.task_id: task for task in (Task.from_json(path.read_text()) for path in documents)}
    twins = [(task, tasks[task.twin]) for task in tasks.values() if task.twin in tasks]
    assert len(twins) > 500
    assert [task.task_id for task, twin in twins if spoken_of(task) != spoken_of(twin)] == []
    assert len([task for task in tasks.values() if spoken_of(task)]) > 500


@pytest.mark.parametrize("protocol", [GRID, QUESTION, WORDS])
def test_a_model_is_told_the_same_and_stops_by_itself(
    engine: EpisodeEngine, store: Store, render: Callable[..., Any], make_task: Callable[..., Task], protocol: Any
) -> None:
    task = make_task()
    render(task)
    view = agents.begin(engine, task.content_hash, "m", protocol=protocol, seed=3)
    told = agents.prompt(view)
    assert "turn_left" not in told and "Explore" not in told and "Observations left" not in told
    again = agents.respond(engine, view.episode_id, view.epoch, view.step.seq, "let me look around")
    assert again.reprompt and again.final is None
    said = json.dumps({"action": "stop", "answer": "near the lamp", "confidence": 0.5})
    final = agents.respond(engine, view.episode_id, view.epoch, view.step.seq, said).final
    assert final is not None and (final.answer, final.confidence) == ("near the lamp", 50)
    assert store.one("SELECT stopped_by FROM answers") == {"stopped_by": "model_stop"}


def test_the_simulator_of_a_set_is_kept_with_its_episodes(
    begin: Callable[..., Any], store: Store, pool: InlinePool, render: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    task = make_task()
    render(task)
    view = begin(task, protocol=GRID)
    kept = store.one("SELECT backend, deterministic, fingerprint, actions FROM episodes WHERE episode_id = ?", [view.episode_id])
    assert kept == {"backend": "toy", "deterministic": 1, "fingerprint": fingerprint_of(pool.acquire("x").hello), "actions": "[]"}


def test_looks_are_kept_once_while_the_episode_goes_on_and_are_exported_and_erased(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    frames: FrameStore,
    render: Callable[..., Any],
    make_task: Callable[..., Task],
    tmp_path: Path,
) -> None:
    task = make_task()
    render(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), paradigms=("multi_view",))
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    first = Look(n=1, seq=7, enlarged=False, scale=0.25, began_ms=1000.0, ended_ms=1500.0)
    second = Look(n=2, seq=7, enlarged=True, scale=1.0, began_ms=1500.0, ended_ms=4000.0)
    engine.looked(view.episode_id, view.epoch, [first, second])
    engine.looked(view.episode_id, view.epoch, [second])
    engine.looked(view.episode_id, view.epoch + 1, [msgspec.structs.replace(second, n=3)])
    for wrong in ({"seq": 30}, {"ended_ms": 1.0}):
        with pytest.raises(FrameNotShown, match="Look 4"):
            engine.looked(view.episode_id, view.epoch, [msgspec.structs.replace(second, n=4, **wrong)])
    engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    engine.looked(view.episode_id, view.epoch, [msgspec.structs.replace(second, n=5)])
    assert export(store, frames, tmp_path / "out").looks == 2
    rows = pq.read_table(tmp_path / "out" / "tables" / "looks.parquet").to_pylist()
    assert [(row["seq"], row["enlarged"], row["scale"], row["began_ms"], row["ended_ms"]) for row in rows] == [
        (7, False, 0.25, 1000.0, 1500.0),
        (7, True, 1.0, 1500.0, 4000.0),
    ]
    steps = pq.read_table(tmp_path / "out" / "tables" / "steps.parquet").to_pylist()
    assert [step["kind"] for step in steps] == ["start"] + ["view"] * 29
    erasure.erase(store, frames, person)
    assert store.query("SELECT * FROM looks") == [] and frames.kept(store, steps[3]["pixel_hash"])


def test_a_stopped_job_goes_on_with_what_is_missing(store: Store, make_task: Callable[..., Task]) -> None:
    first, second = make_task(), make_task("toy-002")
    for task in (first, second):
        store.put_task(task)
    study = create_study(store, "S", tasks=(first.content_hash, second.content_hash), paradigms=("active", "multi_view"))
    job_id = study_frames.start(store, study.study_id, owner="me", backends=("toy",))
    jobs.cancel(store, job_id, actor="me")
    assert jobs.get(store, job_id).state == "cancelled"
    jobs.start(store, job_id)
    for _ in range(600):
        if (job := jobs.get(store, job_id)).state != "running":
            break
        time.sleep(0.1)
    assert (job.state, job.done, job.total) == ("done", 2, 2), job.message
    assert frozen.there(store, "random_walk", study.tasks) == set(study.tasks)
    told = CliRunner().invoke(study_frames.frames, [study.study_id, "--check", "--json", "--db", str(store.home.db)])
    assert told.exit_code == 0 and json.loads(told.stdout)["pictures"][0]["missing"] == []
    third = create_study(store, "T", tasks=(first.content_hash,), paradigms=("active",))
    assert "Nothing to render" in CliRunner().invoke(study_frames.frames, [third.study_id, "--db", str(store.home.db)]).output


def test_staff_read_what_a_view_is() -> None:
    assert in_words("view", True, "", {}) == "One of the views that are shown together."


def test_a_smaller_set_is_shown_whole_and_counted_as_it_is(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, render: Callable[..., Any], make_task: Callable[..., Task]
) -> None:
    poses = [canonical(Pose((0.05 * n, -0.5, 1.0), make_task().start.quaternion_xyzw)) for n in range(4)]
    task = make_task("four", views={"random_walk": tuple(View(label=str(n), pose=pose) for n, pose in enumerate(poses))})
    render(task)
    view = begin(task, protocol=GRID)
    assert (view.shown, view.budget) == ((0, 1, 2, 3), 4)
    assert engine.answer(view.episode_id, view.epoch, "near the lamp", 60).observations == 4
