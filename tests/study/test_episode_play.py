"""An episode from its first view to its answer: budget, parts, history, handles, beliefs, answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from app import wire
from data.frames import FrameStore, pixel_hash_of
from data.store import Store
from data.task import Ask, Gold, Question, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Scene
from study import agents
from study.episode import EpisodeEngine
from study.errors import BadAction, BadAnswer, BudgetUsed, EpisodeOver, FrameNotShown, OutOfStep, UnknownEpisode
from study.protocol import Protocol
from tests.present import present
from tests.study.conftest import InlinePool


def test_the_first_view_is_observation_one_and_everything_is_on_disk(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore
) -> None:
    view = begin()
    assert (view.step.seq, view.step.observations_left, view.state, view.shown) == (0, 29, "active", (0,))
    step = engine.act(view.episode_id, view.epoch, 1, "turn_left")
    assert (step.seq, step.action, step.ok, step.words, step.observations_left) == (1, "turn_left", True, "Turned left.", 28)
    row = store.one("SELECT * FROM steps WHERE seq = 1")
    assert pixel_hash_of(present(step.image)) == present(row)["pixel_hash"]
    assert frames.kept(store, present(row)["pixel_hash"]) == step.image
    assert json.loads(present(row)["pose_before"])["position_m"] == [0.0, -0.5, 1.0]


def test_thirty_observations_are_at_most_twenty_nine_actions_then_only_an_answer(begin: Callable[..., Any], engine: EpisodeEngine) -> None:
    view = begin()
    for seq in range(1, 30):
        step = engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert (step.forced, step.observations_left) == (True, 0)
    with pytest.raises(BudgetUsed, match="give your answer"):
        engine.act(view.episode_id, view.epoch, 30, "turn_left")
    assert engine.open(view.episode_id).step.forced
    final = engine.answer(view.episode_id, engine.open(view.episode_id).epoch, "near the lamp", 80)
    assert (final.state, final.observations, final.correct) == ("completed", 30, None)


@pytest.mark.parametrize("text", ["", "jump", "turn_left(3)", "pick_up(object_1)", "answer(yes)", "move_forward; move_left", "x" * 5000])
def test_what_is_no_action_is_refused_free(begin: Callable[..., Any], engine: EpisodeEngine, text: str) -> None:
    view = begin()
    with pytest.raises(BadAction):
        engine.act(view.episode_id, view.epoch, 1, text)
    assert engine.view(view.episode_id).step.seq == 0


@pytest.mark.parametrize("seq", [0, -1, 2, 7, "1", None, True, 1.0])
def test_a_step_out_of_order_is_refused_free(begin: Callable[..., Any], engine: EpisodeEngine, seq: Any) -> None:
    view = begin()
    with pytest.raises(OutOfStep):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert engine.view(view.episode_id).step.seq == 0


def test_a_failed_physical_action_is_a_step_with_its_reason_and_no_scene_handle(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], store: Store
) -> None:
    view = begin(make_task(actions=(*CAMERA_ACTIONS, "pick_up", "put")))
    handle = {h.label: h.handle for h in view.step.handles}["lamp"]
    step = engine.act(view.episode_id, view.epoch, 1, f"put({handle}, on, {handle})")
    assert not step.ok
    assert step.words == "That did not work: the lamp is not in the hand."
    assert step.observations_left == 28


def test_pickers_offer_named_objects_and_others_only_once_seen(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    task = make_task(actions=(*CAMERA_ACTIONS, "pick_up"))
    objects = tuple(msgspec.structs.replace(o, category="ball") if o.category == "cup" else o for o in task.scene.objects)
    view = begin(task.model_copy(update={"scene": msgspec.structs.replace(task.scene, objects=objects)}))
    assert sorted(h.label for h in view.step.handles) == ["bowl", "lamp"]
    with pytest.raises(BadAction, match="no object 'object_3'"):
        engine.act(view.episode_id, view.epoch, 1, "pick_up(object_3)")
    for seq in range(1, 13):
        step = engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert [(h.handle, h.label) for h in step.handles][2] == ("object_3", "object 3")
    assert engine.act(view.episode_id, view.epoch, 13, "pick_up(object_3)").words == "Picked up object 3."


def test_what_the_question_is_about_is_offered_only_where_it_is_named(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    """The question asks about cups, which it does not name: whoever turns round and sees one is not told of it by the list."""
    view = begin(make_task(actions=(*CAMERA_ACTIONS, "pick_up")))
    for seq in range(1, 13):
        step = engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert sorted(h.label for h in step.handles) == ["bowl", "lamp"]


def test_what_the_question_names_and_no_view_has_shown_yet_says_so(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    """Another of its kind in the picture is then not taken for it. Where nothing carries a number, nothing is said."""
    task = make_task(actions=(*CAMERA_ACTIONS, "pick_up"), names={"object_1": "bowl", "object_2": "lamp", "object_3": "cup"})
    view = begin(task)
    assert {h.label: (h.unseen, h.number is None) for h in view.step.handles} == {
        "bowl": (False, False), "lamp": (False, False), "cup": (True, True),
    }  # fmt: skip
    assert " = cup (not seen well yet)" in agents.prompt(view) and "bowl (not" not in agents.prompt(view)
    for seq in range(1, 13):
        step = engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert not any(h.unseen or h.number is None for h in step.handles)
    bare = begin(task, protocol=Protocol(objects="unnumbered"))
    assert not any(h.unseen for h in bare.step.handles)


def test_a_model_is_told_what_is_not_in_its_view_as_people_see_no_number_there(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    """A hand takes only what is in view. How far off a thing is is told nobody."""
    view = begin(make_task(actions=(*CAMERA_ACTIONS, "pick_up")))
    assert "(not in this view)" not in agents.prompt(view)
    for seq in range(1, 13):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    turned = engine.open(view.episode_id)
    assert all(h.number is not None and h.box is None for h in turned.step.handles), "behind one's back"
    assert all(f" = {h.label} (not in this view)" in agents.prompt(turned) for h in turned.step.handles)


def test_an_episode_of_before_goes_on_as_it_began(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task]
) -> None:
    view = begin(make_task(actions=(*CAMERA_ACTIONS, "pick_up")))
    assert view.step.choices and {h.number for h in view.step.handles} == {1, 2}
    assert all(h.box is not None for h in view.step.handles)
    kept = json.loads(present(store.one("SELECT protocol FROM episodes"))["protocol"])
    del kept["objects"]
    with store.atomic() as db:
        db.execute("UPDATE episodes SET protocol = ?", [json.dumps(kept)])
    step = engine.view(view.episode_id).step
    assert (step.choices, {h.number for h in step.handles}, {h.box for h in step.handles}) == ({}, {None}, {None})
    for seq in range(1, 13):
        step = engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert sorted(h.label for h in step.handles) == ["bowl", "lamp", "object 3"], "the cup too, as before"


def test_camera_tasks_offer_no_handles(begin: Callable[..., Any]) -> None:
    assert begin().step.handles == ()


def test_handle_numbers_do_not_follow_the_scenes_numbers(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    task = make_task(actions=(*CAMERA_ACTIONS, "pick_up"))
    first = {begin(task, seed=seed).step.handles[0].label for seed in range(8)}
    assert first == {"bowl", "lamp"}


def test_parts_share_the_budget_and_each_later_part_keeps_an_observation(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], two_part_scene: Callable[..., Scene]
) -> None:
    view = begin(make_task(scene=two_part_scene((1.0, 1.0)), budget=4))
    assert (view.step.phase, view.step.phase_next, view.step.phase_used) == ("before", True, False)
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    step = engine.act(view.episode_id, view.epoch, 2, "turn_left")
    assert (step.phase_used, step.observations_left) == (True, 1)
    with pytest.raises(BudgetUsed, match="next part"):
        engine.act(view.episode_id, view.epoch, 3, "turn_left")
    step = engine.next_phase(view.episode_id, view.epoch, 3)
    assert (step.phase, step.seq, step.forced, step.phase_next) == ("after", 3, True, False)
    assert engine.next_phase(view.episode_id, view.epoch, 3) == step


def test_a_part_ends_at_its_share(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], two_part_scene: Callable[..., Scene]
) -> None:
    view = begin(make_task(scene=two_part_scene((0.25, 0.75)), budget=8))
    assert engine.act(view.episode_id, view.epoch, 1, "turn_left").phase_used
    with pytest.raises(BudgetUsed):
        engine.act(view.episode_id, view.epoch, 2, "turn_left")
    engine.next_phase(view.episode_id, view.epoch, 2)
    with pytest.raises(BadAction, match="no further part"):
        engine.next_phase(view.episode_id, view.epoch, 3)
    for seq in range(3, 8):
        step = engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert step.forced


@pytest.mark.parametrize(("rule", "shown"), [("none", (7,)), ("last5", (2, 3, 4, 5, 6, 7)), ("all", tuple(range(8)))])
def test_the_history_rule_decides_which_frames_can_be_fetched(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, rule: Any, shown: tuple[int, ...]
) -> None:
    view = begin(protocol=Protocol(history=rule))
    for seq in range(1, 8):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert engine.view(view.episode_id).shown == shown
    for seq in range(9):
        if seq in shown:
            assert engine.frame(view.episode_id, seq)[:4] == b"RIFF"
        else:
            with pytest.raises(FrameNotShown):
                engine.frame(view.episode_id, seq)
    looked = store.one("SELECT count(*) AS n FROM events WHERE kind = 'looked_back'")
    assert looked == {"n": len(shown) - 1}


def test_options_are_shuffled_by_the_recorded_seed(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task]
) -> None:
    task = make_task(question=Question(text="Which?", form="choice", options=("a", "b", "c", "d")), gold=Gold(accepted=("a",), chance=0.25))
    views = [begin(task, seed=seed) for seed in range(12)]
    assert len({view.options for view in views}) > 3
    assert begin(task, seed=3).options == views[3].options
    order = json.loads(present(store.one("SELECT option_order FROM episodes WHERE episode_id = ?", [views[3].episode_id]))["option_order"])
    assert tuple("abcd"[i] for i in order["options"]) == views[3].options


def test_each_change_of_belief_is_one_event_with_its_step(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", None)
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    saved = engine.belief(view.episode_id, view.epoch, 2, "near the bowl", 40)
    assert engine.belief(view.episode_id, view.epoch, 2, "near the bowl", 40) == saved
    rows = store.query("SELECT n, seq, answer, confidence FROM beliefs ORDER BY n")
    assert rows == [
        {"n": 1, "seq": 0, "answer": '"near the bowl"', "confidence": None},
        {"n": 2, "seq": 1, "answer": '"near the bowl"', "confidence": 40},
    ]
    assert present(engine.view(view.episode_id).belief).confidence == 40


@pytest.mark.parametrize("confidence", [-1, 101, 50.5, "80", True, float("nan"), float("inf")])
def test_a_confidence_that_is_none_is_refused_and_nothing_lost(begin: Callable[..., Any], engine: EpisodeEngine, confidence: Any) -> None:
    view = begin()
    with pytest.raises(BadAnswer, match="Confidence"):
        engine.answer(view.episode_id, view.epoch, "near the bowl", confidence)
    assert engine.view(view.episode_id).state == "active"


@pytest.mark.parametrize(
    "answer", ["the moon", "", None, 3, ["near the bowl"], {"a": "b"}, "not sure", float("nan"), b"x", "x" * 20000, "\ud800"]
)
def test_an_answer_of_the_wrong_form_is_a_sentence_and_can_be_given_again(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, answer: Any
) -> None:
    view = begin()
    with pytest.raises(BadAnswer, match=r"Nothing was lost"):
        engine.answer(view.episode_id, view.epoch, answer, 50)
    assert engine.answer(view.episode_id, view.epoch, "near the bowl", 50).state == "completed"
    assert store.one("SELECT answered, correct_strict, correct_lenient FROM scores") == {
        "answered": 1,
        "correct_strict": 0,
        "correct_lenient": 0,
    }


@pytest.mark.parametrize("answer", ["the moon", "", 3, ["near the bowl"], {"a": "b"}, "not sure", True, float("nan"), "x" * 20000])
def test_a_belief_of_the_wrong_form_is_a_sentence_and_is_not_kept(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, answer: Any
) -> None:
    view = begin()
    with pytest.raises(BadAnswer, match=r"Nothing was lost"):
        engine.belief(view.episode_id, view.epoch, 1, answer, 50)
    assert store.query("SELECT * FROM beliefs") == []
    assert store.query("SELECT * FROM events WHERE kind = 'belief'") == []
    engine.belief(view.episode_id, view.epoch, 1, None, 50)
    assert store.one("SELECT n, answer, confidence FROM beliefs") == {"n": 1, "answer": None, "confidence": 50}


SEQUENCE = Question(text="?", form="sequence", options=("cup", "pan", "pot"))
BLANKS = Question(text="?", form="blanks", blanks=(("left", "right"), ("up", "down")))
PAIR = Question(text="?", form="pair", blank_names=("A", "C"), blanks=(("left", "right"), ("up", "down")))
ASSIGNMENT = Question(text="?", form="assignment", options=("cup", "pan"), targets=("box", "bag"))


@pytest.mark.parametrize(
    ("question", "answer", "kept"),
    [
        (SEQUENCE, [], True),
        (SEQUENCE, ["pan", "cup"], True),
        (SEQUENCE, ["pan", "pan"], False),
        (SEQUENCE, ["pan", "sun"], False),
        (SEQUENCE, [["pan"]], False),
        (BLANKS, ["", "down"], True),
        (BLANKS, ["down", ""], False),
        (BLANKS, ["left"], False),
        (PAIR, {"A": "", "C": "up"}, True),
        (PAIR, {"A": "left"}, False),
        (ASSIGNMENT, {"cup": "bag", "pan": ""}, True),
        (ASSIGNMENT, {"cup": "bag", "pan": 3}, False),
    ],
)
def test_a_belief_may_be_a_part_of_an_answer_of_several_parts(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task], question: Any, answer: Any, kept: bool
) -> None:
    view = begin(make_task(question=question, gold=Gold(accepted=("cup",), chance=0.1)))
    if kept:
        engine.belief(view.episode_id, view.epoch, 1, answer, None)
    else:
        with pytest.raises(BadAnswer, match="Nothing was lost"):
            engine.belief(view.episode_id, view.epoch, 1, answer, None)
    assert store.one("SELECT count(*) AS n FROM beliefs") == {"n": int(kept)}


def test_what_a_model_believes_is_kept_as_it_was_said(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin(agent_kind="model")
    engine.belief(view.episode_id, view.epoch, 1, "the moon", 50)
    assert store.one("SELECT raw, answer FROM beliefs") == {"raw": '"the moon"', "answer": None}


def test_where_free_text_is_asked_for_any_words_are_an_answer_and_no_option_is_told(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store
) -> None:
    view = begin(protocol=Protocol(answer_form="free_text"))
    assert (view.form, view.options) == ("free_text", ())
    engine.belief(view.episode_id, view.epoch, 1, "the moon", 50)
    with pytest.raises(BadAnswer) as refused:
        engine.answer(view.episode_id, view.epoch, ["near the bowl"], 50)
    assert "near the" not in str(refused.value)
    assert engine.answer(view.episode_id, view.epoch, "the small moon", 50).answer == "the small moon"
    assert store.one("SELECT answered, correct_lenient FROM scores") == {"answered": 1, "correct_lenient": 0}


def test_confidence_is_asked_for_unless_a_study_says_otherwise() -> None:
    assert Protocol().confidence_required
    assert not Protocol(confidence_required=False).confidence_required


def test_a_required_confidence_is_asked_for(begin: Callable[..., Any], engine: EpisodeEngine) -> None:
    view = begin(protocol=Protocol(confidence_required=True))
    with pytest.raises(BadAnswer, match="how sure"):
        engine.answer(view.episode_id, view.epoch, "near the bowl")
    assert engine.answer(view.episode_id, view.epoch, "near the bowl", 0).confidence == 0


def test_the_answer_ends_the_episode_once(begin: Callable[..., Any], engine: EpisodeEngine, store: Store, pool: InlinePool) -> None:
    view = begin()
    final = engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    assert engine.answer(view.episode_id, view.epoch, "near the lamp", 70) == final
    with pytest.raises(EpisodeOver):
        engine.answer(view.episode_id, view.epoch, "near the bowl", 70)
    with pytest.raises(EpisodeOver):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
    with pytest.raises(EpisodeOver):
        engine.belief(view.episode_id, view.epoch, 9, "near the bowl", 1)
    assert store.one("SELECT count(*) AS n, sum(correct_strict) AS right FROM scores") == {"n": 1, "right": 1}
    assert pool.held == {}
    assert engine.open(view.episode_id).state == "completed"


def test_feedback_is_told_only_in_training(begin: Callable[..., Any], engine: EpisodeEngine) -> None:
    view = begin(protocol=Protocol(show_feedback=True))
    final = engine.answer(view.episode_id, view.epoch, "near the bowl", 70)
    assert (final.correct, final.right_answer) == (False, "near the lamp")


def test_a_model_may_end_without_an_answer(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin(agent_kind="model")
    assert engine.answer(view.episode_id, view.epoch, "not sure", 10).answer is None
    assert store.one("SELECT answered, correct_lenient FROM scores") == {"answered": 0, "correct_lenient": 0}


@pytest.mark.parametrize("answer", [["near the bowl"], {"a": "b"}, []])
def test_a_list_or_a_mapping_that_a_program_sends_is_refused_where_it_does_not_fit_and_words_are_not(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, answer: Any
) -> None:
    view = begin(agent_kind="model")
    with pytest.raises(BadAnswer, match=r"Choose one of: .* A text, neither a list nor a mapping. The episode is not over"):
        engine.answer(view.episode_id, view.epoch, answer, 50, of_program=True)
    assert store.query("SELECT * FROM answers") == [] and engine.view(view.episode_id).state == "active"
    assert engine.answer(view.episode_id, view.epoch, "neither", 50, of_program=True).answer is None  # a model's words


def test_a_model_that_gives_no_action_twice_stays_for_a_step(
    begin: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool, store: Store
) -> None:
    view = begin(agent_kind="model")
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    step = engine.stay(view.episode_id, view.epoch, 2, "no action: 'fly'")
    assert (step.seq, step.action, step.ok, step.observations_left) == (2, "stay", False, 27)
    hashes = [r["pixel_hash"] for r in store.query("SELECT pixel_hash FROM steps ORDER BY seq")]
    assert hashes[1] == hashes[2]
    engine.act(view.episode_id, view.epoch, 3, "turn_right")
    assert pool.acts == ["turn_left", "turn_right"]


def test_a_problem_report_is_kept_with_its_step(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.report_problem(view.episode_id, view.epoch, "The picture is black.")
    assert store.one("SELECT seq, text FROM problems") == {"seq": 0, "text": "The picture is black."}
    with pytest.raises(BadAnswer):
        engine.report_problem(view.episode_id, view.epoch, "  ")


def test_an_unknown_episode_is_said(engine: EpisodeEngine) -> None:
    with pytest.raises(UnknownEpisode):
        engine.open("ep_nothing")


def test_an_episode_shows_neither_gold_nor_ids(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    text = json.dumps(engine.view(view.episode_id).public())
    task = store.find_task("toy-001")
    hashes = [r["pixel_hash"] for r in store.query("SELECT pixel_hash FROM steps")]
    for secret in (task.task_id, task.content_hash, *hashes, "accepted", "gold", "pixel_hash", "pose", "seed"):
        assert secret not in text


def test_an_episode_and_its_model_traffic_hold_nothing_of_what_judges_read(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    ask = Ask(what="larger", things=("object_1", "object_2"), given="said-to-judges-alone")
    question = make_task().question.model_copy(update={"ask": ask})
    facts = {"vessels": ("object_1",), "defects": ("a-defect-of-the-source",), "first_view": "an-argument"}
    facts["settled"] = {"object_1": (9.125, 0, 0)}  # type: ignore[assignment]
    view = begin(make_task(question=question, **facts))
    sent = json.dumps([engine.view(view.episode_id).public(), wire.episode(view), agents.prompt(view)], default=str)
    for secret in ("said-to-judges-alone", '"ask"', "a-defect-of-the-source", "an-argument", "9.125", "settled", "vessels"):
        assert secret not in sent


def test_gold_flipped_twins_look_the_same(begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    views = []
    for gold in ("near the lamp", "near the bowl"):
        task = make_task(actions=(*CAMERA_ACTIONS, "pick_up"), gold=Gold(accepted=(gold,), chance=0.5))
        view = begin(task, seed=5)
        steps = [engine.act(view.episode_id, view.epoch, n, a) for n, a in enumerate(["turn_left", "pick_up(object_1)", "move_up"], 1)]
        final = engine.answer(view.episode_id, view.epoch, "near the bowl", 50)
        told = [view.public(), *(step.public() for step in steps), final.public()]
        text = json.dumps(told).replace(view.episode_id, "EPISODE")
        views.append(json.loads(text, object_hook=lambda d: {k: v for k, v in d.items() if k != "saved_at"}))
    assert views[0] == views[1]
