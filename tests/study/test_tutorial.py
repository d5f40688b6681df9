"""Worked examples: one in each paradigm, every control used once, ticked off by the record, and not passed by doing nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.generators.practice import practice
from data.generators.registry import bundled
from data.generators.worked import HAND_ACTIONS, PLAIN, hands, parts
from data.store import Store
from data.task import Task
from study import participants
from study.episode import EpisodeEngine
from study.forms.ready import ready
from study.paradigms import paradigm
from study.stations import instructions
from study.studies import create_study, get_study
from study.tutorial import passing
from study.tutorial.plan import LEAST, planned
from study.tutorial.settings import Example, Tutorial
from tests.present import present

ACTIVE, STILL = paradigm("active"), paradigm("single_view")


@pytest.fixture
def arrive(store: Store, make_task: Callable[..., Task]) -> Callable[..., Any]:
    """Somebody who has consented in a study with one small worked example; gives (study, person)."""

    def make(**more: Any) -> Any:
        task, example = make_task(), make_task("toy-practice", tags={"practice": "yes"})
        for one in (task, example):
            store.put_task(one)
        tutorial = Tutorial(examples=(Example(task=example.content_hash),), **more)
        forms = (ready("comprehension"),)
        study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, tutorial=tutorial, forms=forms)
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        instructions.go_on(store, person)
        return study, person

    return make


def _do(engine: Any, where: Any, *actions: str, answer: str = "near the lamp") -> None:
    view = engine.open(where.episode_id)
    for seq, action in enumerate(actions, start=1):
        engine.act(view.episode_id, view.epoch, seq, action)
    engine.answer(view.episode_id, view.epoch, answer, 70)


ALL = ("move_forward", "move_up", "turn_left", "turn_up")


def test_an_example_lists_every_control_and_the_record_ticks_it_off(
    store: Store, engine: EpisodeEngine, arrive: Callable[..., Any]
) -> None:
    _, person = arrive()
    where = participants.place(store, engine, person)
    assert (where.stage, where.part) == ("practice", "1/1")
    view = engine.open(present(where.episode_id))

    def left() -> list[str]:
        return [thing.name for thing in passing.doing(store, present(where.episode_id)) if not thing.done]

    assert left() == ["move", "rise", "turn", "tilt", "answer", "sure"]
    for seq, action in enumerate(ALL, start=1):
        engine.act(view.episode_id, view.epoch, seq, action)
    assert left() == ["answer", "sure"]
    engine.belief(view.episode_id, view.epoch, 1, None, 40)
    assert left() == ["answer"]
    engine.belief(view.episode_id, view.epoch, 2, "near the bowl", 40)
    assert left() == []


@pytest.mark.parametrize(("actions", "answer"), [((), "near the lamp"), (ALL, "near the bowl")], ids=["nothing done", "wrong answer"])
def test_an_example_is_given_again_until_it_is_passed(
    store: Store, engine: EpisodeEngine, arrive: Callable[..., Any], actions: Any, answer: str
) -> None:
    study, person = arrive(attempts=3)
    first = participants.place(store, engine, person)
    _do(engine, first, *actions, answer=answer)
    assert passing.comes_again(store, study, present(first.episode_id))
    again = participants.place(store, engine, person)
    assert again.stage == "practice" and again.episode_id != first.episode_id and "once more" in again.note
    _do(engine, again, *ALL)
    assert passing.passed(store, person, study.tutorial.examples[0]) and not passing.comes_again(store, study, present(again.episode_id))
    after = participants.place(store, engine, person)
    assert (after.stage, after.part) == ("form", "comprehension")


def test_an_example_that_is_begun_again_is_no_attempt_and_keeps_nobody_out(
    store: Store, engine: EpisodeEngine, arrive: Callable[..., Any]
) -> None:
    study, person = arrive(attempts=1)
    seen = set()
    for _ in range(3):
        where = participants.place(store, engine, person)
        assert where.part == "1/1" and where.episode_id not in seen
        seen.add(where.episode_id)
        view = engine.open(present(where.episode_id))
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
        engine.end(present(where.episode_id), "return", actor=person)
    _do(engine, participants.place(store, engine, person), *ALL)
    assert passing.passed(store, person, study.tutorial.examples[0])


def test_where_one_only_looks_an_answer_that_is_wrong_passes(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    task, example = make_task(), make_task("toy-practice")
    for one in (task, example):
        store.put_task(one)
    shown = Example(task=example.content_hash, paradigm="single_view")
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, tutorial=Tutorial(examples=(shown,)))
    person = participants.add_participant(store, study.study_id)
    participants.decide(store, person, "consent")
    instructions.go_on(store, person)
    _do(engine, participants.place(store, engine, person), answer="near the bowl")
    assert passing.passed(store, person, shown) and participants.place(store, engine, person).stage == "task"


def test_who_does_not_pass_goes_on_after_the_last_attempt_and_it_is_known(
    store: Store, engine: EpisodeEngine, arrive: Callable[..., Any]
) -> None:
    study, person = arrive(attempts=2)
    for _ in range(2):
        _do(engine, participants.place(store, engine, person))
    assert participants.place(store, engine, person).part == "comprehension"
    assert not passing.passed(store, person, study.tutorial.examples[0])


def test_giving_an_example_back_does_not_pass_the_tutorial(store: Store, engine: EpisodeEngine, arrive: Callable[..., Any]) -> None:
    _, person = arrive(attempts=3)
    here = participants.skip(store, engine, person)
    assert here.stage == "practice" and participants.get_participant(store, person).state == "consented"


def test_feedback_is_there_and_the_views_suffice_however_small_the_studys_budget(
    store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    task, example = make_task(), make_task("toy-practice")
    for one in (task, example):
        store.put_task(one)
    tutorial = Tutorial(examples=(Example(task=example.content_hash),))
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, tutorial=tutorial, protocol={"budget": 3})
    person = participants.add_participant(store, study.study_id)
    participants.decide(store, person, "consent")
    instructions.go_on(store, person)
    where = participants.place(store, engine, person)
    view = engine.open(present(where.episode_id))
    assert view.budget == example.budget
    assert engine.answer(view.episode_id, view.epoch, "near the bowl", 10).right_answer == "near the lamp"


def test_the_plan_has_each_paradigm_and_practises_every_action_that_it_can() -> None:
    own = bundled()[1:]
    plan = planned(own, (ACTIVE, STILL))
    assert {way.name for _, way in plan.examples} == {"active", "single_view"} and plan.without == ()
    acting = [task.task_id for task, way in plan.examples if way.acts]
    assert acting[0] == "own-practice-001" and acting[1].startswith("own-practice-hands") and acting[2:] == ["own-practice-parts"]
    assert plan.unpractised == ()
    plain = planned([task for task in own if set(task.actions) == set(practice().actions)][:5], (ACTIVE,))
    assert len(plain.examples) >= LEAST and plain.unpractised == ()
    assert len(planned(own, (STILL,)).examples) == LEAST


def test_examples_are_chosen_when_the_study_is_published_and_stay(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, tutorial=Tutorial())
    kept = present(get_study(store, study.study_id).tutorial).examples
    assert [store.get_task(one.task).task_id for one in kept] == ["own-practice-001", "own-practice-parts"]
    draft = create_study(store, "D", tasks=(task.content_hash,), trials=1, tutorial=Tutorial())
    assert passing.examples_of(store, draft) == kept and present(draft.tutorial).examples == ()


def test_worked_examples_offer_what_they_are_asked_for() -> None:
    assert set(hands(("pick_up", "put")).actions) >= {"pick_up", "put", "open"} and "fill" not in hands(("pick_up",)).actions
    assert set(HAND_ACTIONS) <= set(hands().actions)
    for action, handle, category in (("place_on_slope", "object_7", "ramp"), ("remove_cloth", "object_9", "cloth")):
        there = {o.handle: o.category for o in hands((action,)).scene.objects}
        assert there.get(handle) == category and handle not in {o.handle for o in hands(PLAIN).scene.objects}
    assert len({task.content_hash for task in (practice(), hands(), hands(("put",)), parts())}) == 4
