"""What is made of a task once, and what verifiers are told where nothing can be made."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from annotation.reviewing.errors import NothingToReview
from annotation.verifying import items, preparing, queue, showing
from annotation.verifying.checklist import filled
from annotation.verifying.evidence import FirstView, Rest
from annotation.verifying.naming import FAULTS, without_handles, words_of
from annotation.verifying.playing import play, said, states_of
from data.frames import FrameStore
from data.generators.practice import practice
from data.recordings import on_recording
from data.task import View
from sim_bridge.backends.recorded.backend import SAMPLE, RecordedBackend
from sim_bridge.backends.recorded.sample import sample
from sim_bridge.local import LocalClient
from sim_bridge.spec import Object, ObjectState, Pose
from study import frozen
from tests.annotation.verifying.conftest import Verifying
from tests.study.conftest import InlinePool, build_task, frames, pool, two_parts  # noqa: F401 - fixtures

WAY = ("turn_left", "turn_left", "move_forward", "pick_up(object_3)")


def begun(v: Verifying, *tasks: Any) -> None:
    for task in tasks:
        v.store.put_task(task)
    v.verification = items.start(v.store, "V", [task.content_hash for task in tasks], actor="lead")


def prepared(v: Verifying, frames: FrameStore, pool: InlinePool, **options: Any) -> Any:  # noqa: F811
    return preparing.prepare(v.store, frames, pool, v.id, **options)  # type: ignore[arg-type]


def test_a_task_with_which_the_simulator_is_lost_is_played_by_another(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    one, other = (build_task(name, gt_trajectory=WAY, actions=("turn_left", "move_forward", "pick_up")) for name in ("one", "other"))
    begun(v, one, other)
    pool.faults.append(("act", "lost"))
    assert prepared(v, frames, pool) == []
    assert all(showing.evidence_of(v.store, task.content_hash) for task in (one, other))


def test_a_task_that_costs_two_simulators_is_tried_by_the_next_run(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    one, other = (build_task(name, gt_trajectory=WAY, actions=("turn_left", "move_forward", "pick_up")) for name in ("one", "other"))
    begun(v, one, other)
    pool.faults += [("act", "lost"), ("act", "lost")]
    (unmade,) = prepared(v, frames, pool)
    assert "died" in unmade.why and preparing.missing(v.store, v.id) == [unmade.task_hash], "the rest went on, and it is kept nowhere"
    assert prepared(v, frames, pool) == []


def test_every_step_is_told_once_and_its_task_is_given_out(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    task = build_task(gt_trajectory=WAY, actions=("turn_left", "move_forward", "pick_up"))
    begun(v, task)
    told: list[tuple[int, int]] = []
    assert prepared(v, frames, pool, progress=lambda done, total: told.append((done, total))) == []
    assert told == [(1, 1)]
    asked = len(pool.calls)
    assert prepared(v, frames, pool) == [] and len(pool.calls) == asked, "it is made once"
    review = v.claim("ann")
    first = queue.release(v.store, review, "ann")
    assert isinstance(first, FirstView)
    found = showing.evidence_of(v.store, task.content_hash)
    assert found is not None
    assert found.moments[0].picture == first.pictures[0]
    v.look(review, answer="near the bowl")
    rest = queue.release(v.store, review, "ann")
    assert isinstance(rest, Rest) and rest.evidence == found and rest.can_take_over
    assert [moment.action for moment in found.moments] == ["", "Turn left", "Turn left", "Move forward", "Pick up the cup"]
    assert [view.pixel_hash for view in frozen.views_of(v.store, task.content_hash, frozen.EVIDENCE)] == [
        moment.picture.pixel_hash for moment in found.moments
    ]
    assert {thing.words for thing in found.moments[0].things} == {"bowl", "lamp", "cup"}
    assert found.map is not None and len(found.map.camera) == len(found.moments)
    assert found.map.camera[0][2] == 90.0, "the start view looks along +y"
    assert found.map.rooms == (("living room", (-3.0, -3.0, 3.0, 3.0)),)


def test_a_task_in_parts_tells_them(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    task = build_task(scene=two_parts(), gt_trajectory=("turn_left", "turn_left"), gt_phase_starts=(1,))
    begun(v, task)
    assert not prepared(v, frames, pool)
    found = showing.evidence_of(v.store, task.content_hash)
    assert found is not None
    assert [(moment.phase, moment.action) for moment in found.moments] == [
        ("before", ""), ("before", "Turn left"), ("after", "Go on to the next part"), ("after", "Turn left")
    ]  # fmt: skip
    assert [next(t.present for t in m.things if t.words == "bowl") for m in found.moments] == [True, True, False, False]


def test_without_a_trajectory_its_start_and_its_recorded_views_are_shown(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    task = build_task()
    aside = View(label="corner 1", pose=Pose((1.0, -0.5, 1.0), task.start.quaternion_xyzw))
    task = task.model_copy(update={"views": {"recorded": (aside,)}})
    begun(v, task)
    assert not prepared(v, frames, pool)
    found = showing.evidence_of(v.store, task.content_hash)
    assert found is not None and "no verified trajectory" in found.notes[0]
    assert [moment.action for moment in found.moments] == ["", "Recorded view corner 1"]


def test_what_no_simulator_plays_is_judged_without_and_says_why(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    begun(v, build_task())
    unmade = prepared(v, frames, pool, unplayable=lambda task: ["needs the source's own building"])
    assert [one.why for one in unmade] == ["No simulator here can play this task: needs the source's own building."]
    review = v.look(v.claim("ann"), answer="near the bowl")
    rest = queue.release(v.store, review, "ann")
    assert isinstance(rest, Rest) and rest.evidence is None and not rest.can_take_over
    assert "own building" in rest.why_none
    assert v.judge(review).state == "judged"


def test_a_simulator_that_is_not_there_leaves_the_task_for_the_next_run(v: Verifying, frames: FrameStore, pool: InlinePool) -> None:  # noqa: F811
    begun(v, build_task(gt_trajectory=("turn_left",)))
    pool.down = True
    assert "Have it prepared again" in prepared(v, frames, pool)[0].why
    with pytest.raises(NothingToReview):
        v.claim("ann")
    pool.down = False
    assert prepared(v, frames, pool) == []
    assert v.claim("ann").subject == v.subject()


def test_people_read_words_and_never_handles() -> None:
    task = build_task()
    cup = task.scene.objects[2]
    more = (*task.scene.objects, Object("object_4", cup.category, Pose((1.0, -2.5, 0.0))))
    two = task.model_copy(update={"scene": type(task.scene)(camera=task.scene.camera, room=task.scene.room, objects=more)})
    assert words_of(two) == {"object_1": "bowl", "object_2": "lamp", "object_3": "cup 1", "object_4": "cup 2"}
    assert without_handles("object_3 does not fit into object_1", words_of(task)) == "the cup does not fit into the bowl"
    assert said("put(object_3, inside, object_1)", words_of(task)) == "Put the cup inside the bowl"


def test_states_read_as_words_and_faults_apart() -> None:
    flags = {"held": False, "open": True, "floating": True}
    levels = {"open": 0.5, "water_ml": 120.4, "capacity_ml": 350.0, "angle_deg": 20.0}
    one = ObjectState("object_1", "cup", Pose((0.0, 0.0, 0.0)), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 10, flags=flags, levels=levels)
    assert states_of(one) == ("open", "50% open", "water 120 ml of 350 ml", "angle 20°")
    assert FAULTS["floating"] == "floats"


def test_the_simulators_faults_are_told(pool: InlinePool) -> None:  # noqa: F811
    task = build_task()
    high = Object("object_3", "cup", Pose((0.0, 1.0, 1.2)), origin="base", size_m=(0.3, 0.3, 0.3))
    scene = type(task.scene)(camera=task.scene.camera, room=task.scene.room, objects=(*task.scene.objects[:2], high))
    played = play(pool.acquire("s"), "s", task.model_copy(update={"scene": scene}))  # type: ignore[arg-type]
    assert [thing.faults for thing in played.evidence.moments[0].things if thing.words == "cup"] == [("floats",)]


def test_recorded_views_are_evidence_of_what_no_scene_is_known_of() -> None:
    kept = sample()
    client = LocalClient(RecordedBackend(None))
    task = on_recording(practice().model_copy(update={"gt_trajectory": ()}), SAMPLE, kept)
    played = play(client, "s", task)  # type: ignore[arg-type]
    assert len(played.pictures) == 1 + len(kept.views) and not any(moment.things for moment in played.evidence.moments)
    checks = {check.text: check for check in filled(task, played.evidence)}
    assert {check.holds for check in checks.values()} == {None}, "nothing is said to hold of what is not known"


def test_a_simulator_that_examines_nothing_says_nothing_of_faults(pool: InlinePool) -> None:  # noqa: F811
    task = build_task(gt_trajectory=("turn_left",))
    found = play(pool.acquire("s"), "s", task).evidence  # type: ignore[arg-type]
    where = "Does everything stand where such a thing can stand?"
    told = [next(c for c in filled(task, one) if c.text == where).holds for one in (found, replace(found, examined=False))]
    assert told == [True, None]
