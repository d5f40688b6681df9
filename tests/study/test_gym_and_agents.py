"""Models and Gymnasium go through the same engine as people: same actions, same pixels, same records."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.frames import FrameStore, decode
from data.home import Home
from data.store import Store
from data.task import Gold, Question, Task
from sim_bridge.spec import Scene
from study import rendering
from study.agents import Rules, Turn, begin, parse_turn, prompt, respond
from study.episode import EpisodeEngine
from study.errors import OutOfStep
from study.protocol import Protocol
from study.steps import steps_of
from tests.present import present
from tests.study.conftest import InlinePool

gymnasium = pytest.importorskip("gymnasium", reason="the extra [gym] is not installed")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from study.env import EpisodeEnv  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def said(action: str = "turn_left", answer: object = "near the bowl", confidence: object = 0.4, **more: object) -> str:
    return json.dumps({"action": action, "answer": answer, "confidence": confidence, "reasoning": "r", **more})


@pytest.mark.parametrize("actions", ["camera", "text"])
def test_the_environment_passes_gymnasiums_checker(engine: EpisodeEngine, make_task: Callable[..., Task], actions: str) -> None:
    check_env(EpisodeEnv(engine, make_task(), actions=actions, render_mode="rgb_array"), skip_render_check=False)


def test_the_environment_shows_the_stored_pixels_and_rewards_only_the_answer(
    engine: EpisodeEngine, make_task: Callable[..., Task], store: Store, frames: FrameStore
) -> None:
    env = EpisodeEnv(engine, make_task(), render_mode="rgb_array")
    env.reset(seed=1)
    rewards = []
    for action in (6, 4, 0):
        observation, reward, terminated, truncated, _ = env.step(action)
        rewards.append((reward, terminated, truncated))
    row = store.one("SELECT pixel_hash, action FROM steps WHERE seq = 3")
    assert present(row)["action"] == "move_forward"
    assert np.array_equal(observation["rgb"], decode(frames.kept(store, present(row)["pixel_hash"])))
    assert np.array_equal(present(env.render()), observation["rgb"])
    assert rewards == [(0.0, False, False)] * 3
    env.answer_with("near the lamp", 90)
    _, reward, terminated, _, _ = env.step(10)
    assert (reward, terminated) == (1.0, True)
    assert store.one("SELECT agent_kind, state FROM episodes") == {"agent_kind": "gym", "state": "completed"}
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_information_holds_no_gold(engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    infos = []
    for gold in ("near the lamp", "near the bowl"):
        env = EpisodeEnv(engine, make_task(gold=Gold(accepted=(gold,), chance=0.5)))
        _, info = env.reset(seed=4)
        _, _, _, _, after = env.step(0)
        infos.append((info, after))
    assert infos[0] == infos[1]


def test_text_actions_that_are_none_cost_an_observation_and_the_budget_truncates(
    engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    env = EpisodeEnv(engine, make_task(budget=3), actions="text")
    env.reset(seed=1)
    observation, _, _, _, _ = env.step("fly")
    assert (observation["ok"], observation["left"][0]) == (0, 1)
    _, _, _, truncated, info = env.step("turn_left")
    assert (truncated, info["forced"]) == (False, True)
    assert env.step("turn_left")[3]
    env.reset()
    assert env.step("answer: near the lamp")[1:3] == (1.0, True)


def test_command_line_environment_and_participant_see_the_same_pixels(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], store: Store, tmp_path: Path
) -> None:
    task, walk = make_task(), ["turn_left", "move_up", "turn_down"]
    view = begin(task)
    for seq, action in enumerate(walk, 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    env = EpisodeEnv(engine, task, actions="text")
    env.reset(seed=2)
    for action in walk:
        env.step(action)
    home = Home.from_env(tmp_path / "cli" / "vantage.db")
    Store.open(home).put_task(task)
    command = [sys.executable, "-m", "app.cli", "play", "--db", str(home.db), "--task", task.task_id, "--backend", "toy", "--json"]
    runs = [
        json.loads(subprocess.run([*command, "--actions", ",".join(walk)], capture_output=True, text=True, check=True, cwd=ROOT).stdout)
        for _ in range(2)
    ]
    by_episode: dict[str, list[str]] = {}
    for row in store.query("SELECT episode_id, pixel_hash FROM steps ORDER BY episode_id, seq"):
        by_episode.setdefault(row["episode_id"], []).append(row["pixel_hash"])
    told = [[step["pixel_hash"] for step in run["steps"]] for run in runs]
    assert len(told[0]) == 4
    assert len({tuple(hashes) for hashes in (*told, *by_episode.values())}) == 1
    assert [step["pose"] for step in runs[0]["steps"]] == [step["pose"] for step in runs[1]["steps"]]


def test_who_writes_actions_is_told_how_they_are_written_and_why_one_was_none(
    engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    env = EpisodeEnv(engine, make_task(actions=("turn_left", "put", "pour")), actions="text")
    _, info = env.reset(seed=1)
    assert info["written"] == {
        "turn_left": "turn_left",
        "put": "put(OBJECT, inside|on, OBJECT)",
        "pour": "pour(OBJECT, from, OBJECT, to, OBJECT)",
    }
    *_, info = env.step("put_on(object_1, object_2)")
    assert "no action" in info["refused"]
    *_, info = env.step("turn_left")
    assert "refused" not in info
    env.close()


def test_play_tells_what_it_did_before_an_action_was_refused_and_takes_no_unreadable_answer(
    make_task: Callable[..., Task], tmp_path: Path
) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    Store.open(home).put_task(make_task())
    command = [sys.executable, "-m", "app.cli", "play", "--db", str(home.db), "--task", make_task().task_id, "--backend", "toy", "--json"]
    run = subprocess.run([*command, "--actions", "turn_left,fly"], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 2
    told = json.loads(run.stdout)
    assert [step["action"] for step in told["steps"]] == ["start", "turn_left"]
    assert told["refused"] in run.stderr
    before = Store.open(home).query("SELECT episode_id FROM episodes")
    run = subprocess.run([*command, "--answer", "a banana"], capture_output=True, text=True, cwd=ROOT)
    assert (run.returncode, run.stdout) == (2, "")
    assert "--answer" in run.stderr
    assert Store.open(home).query("SELECT episode_id FROM episodes") == before


@pytest.mark.parametrize(
    "text",
    [
        said(),
        "```json\n" + said() + "\n```",
        "I look left.\n```\n" + said() + "\n```\nDone.",
        "Thinking {not json} ... " + said() + " end",
        json.dumps({"action": "move_up", "answer": "x"}) + "\nBetter: " + said(),
        said(confidence="40%"),
        said(confidence=40),
        said(extra={"nested": [1, {"a": 2}]}),
    ],
)
def test_the_published_format_is_read_wherever_it_stands(text: str) -> None:
    assert parse_turn(text) == Turn(action="turn_left", answer="near the bowl", confidence=0.4, reasoning="r")


@pytest.mark.parametrize("text", ["", "move_forward", "{}", "[1, 2]", '{"action": ', "{" * 5000, "null", '{"x": 1}'])
def test_other_text_is_no_turn(text: str) -> None:
    assert parse_turn(text) is None


@pytest.mark.parametrize("confidence", ["sure", None, -1, 1e9, True, [], float("nan")])
def test_an_unreadable_confidence_is_missing(confidence: Any) -> None:
    turn = parse_turn(said(confidence=confidence))
    assert turn is not None
    assert turn.confidence is None


def test_a_model_plays_to_its_answer_and_its_words_are_kept(engine: EpisodeEngine, make_task: Callable[..., Task], store: Store) -> None:
    store.put_task(make_task())
    view = begin(engine, make_task().content_hash, "m", rules=Rules())
    assert "near the lamp" in prompt(view)
    reply = respond(engine, view.episode_id, view.epoch, 0, said())
    assert present(reply.step).seq == 1
    assert present(respond(engine, view.episode_id, view.epoch, 0, said()).step).seq == 1
    final = respond(engine, view.episode_id, view.epoch, 1, said("stop", "near the lamp", 0.95)).final
    assert (present(final).state, present(final).answer, present(final).confidence, present(final).correct) == (
        "completed",
        "near the lamp",
        95,
        None,
    )
    assert respond(engine, view.episode_id, view.epoch, 1, said("stop", "near the lamp", 0.95)).final == final
    assert store.one("SELECT agent_kind, agent_name, last_seq FROM episodes") == {"agent_kind": "model", "agent_name": "m", "last_seq": 1}
    assert store.one("SELECT count(*) AS n FROM events WHERE kind = 'model_turn'") == {"n": 2}
    assert store.query("SELECT seq, confidence FROM beliefs ORDER BY seq") == [{"seq": 0, "confidence": 40}, {"seq": 1, "confidence": 95}]
    assert store.one("SELECT stopped_by, reasoning FROM answers") == {"stopped_by": "model_stop", "reasoning": "r"}


def test_a_model_is_told_how_actions_are_written_and_what_each_part_of_an_answer_may_be(
    engine: EpisodeEngine, make_task: Callable[..., Task], store: Store
) -> None:
    question = Question(text="What goes where?", form="assignment", options=("mug",), targets=("box", "bag"), note="One each.")
    gold = Gold(accepted=({"mug": "box"},), chance=0.5)
    task = make_task(question=question, gold=gold, actions=("turn_left", "put", "open"))
    store.put_task(task)
    told = prompt(begin(engine, task.content_hash, "m", rules=Rules())).splitlines()
    assert 'Actions: turn_left, put(OBJECT, inside|on, OBJECT), open(OBJECT), and "stop" to give your final answer.' in told
    assert any("handle" in line and "OBJECT" in line for line in told)
    assert {"Targets: box; bag", "Targets: bag; box"} & {*told} and "One each." in told
    plain = make_task()
    store.put_task(plain)
    assert "OBJECT" not in prompt(begin(engine, plain.content_hash, "m", rules=Rules()))


def test_how_the_parts_share_the_views_is_told_once_to_a_page_a_script_and_a_model(
    engine: EpisodeEngine, make_task: Callable[..., Task], store: Store, two_part_scene: Callable[..., Scene]
) -> None:
    shared = "Each of the 2 parts has 15 of the 30 views; what you leave of one is not added to the next."
    for shares, sentence in (((0.5, 0.5), shared), ((1.0, 1.0), "The 30 views are for all 2 parts together.")):
        task = make_task(scene=two_part_scene(shares))
        store.put_task(task)
        view = begin(engine, task.content_hash, "m", rules=Rules())
        assert view.note == f"{task.question.note} {sentence}".strip()
        assert prompt(view).count(sentence) == 1
        _, info = EpisodeEnv(engine, task).reset()
        assert info["note"] == view.note
    whole = make_task()
    store.put_task(whole)
    assert begin(engine, whole.content_hash, "m", rules=Rules()).note == whole.question.note


def test_one_reprompt_then_a_step_is_lost(engine: EpisodeEngine, make_task: Callable[..., Task], store: Store) -> None:
    store.put_task(make_task())
    view = begin(engine, make_task().content_hash, "m", rules=Rules())
    first = respond(engine, view.episode_id, view.epoch, 0, said("fly"))
    assert (first.step, "no action" in present(first.reprompt)) == (None, True)
    assert engine.view(view.episode_id).step.observations_left == 29
    assert respond(engine, view.episode_id, view.epoch, 0, said("fly")).reprompt == first.reprompt
    second = respond(engine, view.episode_id, view.epoch, 0, "I cannot do that")
    assert (present(second.step).action, present(second.step).observations_left) == ("stay", 28)
    assert present(respond(engine, view.episode_id, view.epoch, 1, said("turn_left")).step).seq == 2
    with pytest.raises(OutOfStep):
        respond(engine, view.episode_id, view.epoch, 7, said())


def test_a_confidence_stop_is_a_rule_that_is_recorded_and_flagged(
    engine: EpisodeEngine, make_task: Callable[..., Task], store: Store
) -> None:
    store.put_task(make_task())
    view = begin(engine, make_task().content_hash, "m", rules=Rules(confidence_threshold=0.8, min_steps=2))
    assert present(respond(engine, view.episode_id, view.epoch, 0, said(confidence=0.9)).step).seq == 1
    assert present(respond(engine, view.episode_id, view.epoch, 1, said(answer="not sure", confidence=0.9)).step).seq == 2
    assert present(respond(engine, view.episode_id, view.epoch, 2, said(confidence=0.8)).final).state == "completed"
    assert store.one("SELECT stopped_by FROM answers") == {"stopped_by": "confidence_threshold"}
    assert json.loads(present(store.one("SELECT flags FROM episodes"))["flags"]) == ["confidence_stop"]


def test_the_last_observation_takes_only_an_answer(engine: EpisodeEngine, make_task: Callable[..., Task], store: Store) -> None:
    task = make_task(budget=2)
    store.put_task(task)
    view = begin(engine, task.content_hash, "m", rules=Rules())
    assert respond(engine, view.episode_id, view.epoch, 0, said()).forced
    reply = respond(engine, view.episode_id, view.epoch, 1, said("turn_left", None, None))
    assert (reply.final, reply.forced, "final answer" in present(reply.reprompt)) == (None, True, True)
    final = respond(engine, view.episode_id, view.epoch, 1, said("turn_left", "near the lamp", 0.5)).final
    assert (present(final).observations, present(final).answer) == (2, "near the lamp")
    assert store.one("SELECT stopped_by FROM answers") == {"stopped_by": "max_steps"}


def test_an_answer_of_the_wrong_form_is_sent_back_once(engine: EpisodeEngine, make_task: Callable[..., Task], store: Store) -> None:
    question = Question(text="Order?", form="sequence", options=("a", "b", "c"))
    task = make_task(question=question, gold=Gold(accepted=(["a", "b", "c"],), chance=1 / 6))
    store.put_task(task)
    view = begin(engine, task.content_hash, "m", rules=Rules())
    assert "Put every one of these in order" in present(respond(engine, view.episode_id, view.epoch, 0, said("stop", "a, b")).reprompt)
    assert present(respond(engine, view.episode_id, view.epoch, 0, said("stop", "c, b")).final).answer is None
    assert store.one("SELECT answered, correct_lenient FROM scores") == {"answered": 1, "correct_lenient": 0}


def test_words_that_cannot_be_written_do_not_stop_a_model(engine: EpisodeEngine, make_task: Callable[..., Task], store: Store) -> None:
    store.put_task(make_task())
    view = begin(engine, make_task().content_hash, "m")
    output = '{"action": "turn_left", "answer": "\\ud800", "reasoning": "\\udfff", "confidence": 0.5} \ud800'
    assert present(respond(engine, view.episode_id, view.epoch, 0, output, finish_reason="stop").step).seq == 1
    assert present(respond(engine, view.episode_id, view.epoch, 1, said("stop", "near the lamp")).final).state == "completed"


@pytest.mark.parametrize("way", ["multi_view", "metadata_only"])
def test_what_is_shown_at_once_is_in_the_environments_first_observation(
    engine: EpisodeEngine, store: Store, frames: FrameStore, pool: InlinePool, make_task: Callable[..., Task], way: str
) -> None:
    task = make_task()
    store.put_task(task)
    if way == "multi_view":
        assert rendering.render(store, frames, pool, [(task.content_hash, "random_walk")]) == []
    check_env(EpisodeEnv(engine, task, protocol=Protocol(paradigm=way)), skip_render_check=True)
    env = EpisodeEnv(engine, task, protocol=Protocol(paradigm=way))
    seen, info = env.reset(seed=1)
    if way == "multi_view":
        shown = [decode(frames.kept(store, step.pixel_hash)) for step in steps_of(store, env.episode_id or "")]
        assert seen["views"].shape == (30, 48, 64, 3) and np.array_equal(seen["views"], np.stack(shown))
        assert np.array_equal(seen["rgb"], shown[0]) and info["told"] == []
    else:
        assert not seen["rgb"].any() and "views" not in seen and sorted(info["told"]) == ["bowl", "lamp"]
    env.answer_with("near the lamp", 90)
    assert env.camera_actions == () and env.step(0)[1:3] == (1.0, True)
