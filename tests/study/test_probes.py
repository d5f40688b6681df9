"""Belief probes: the schedule is kept, and who is never asked is drawn, evenly, and says so in their episodes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store, now
from data.task import Task
from study import participants
from study.episode import EpisodeEngine
from study.errors import BadAnswer
from study.probing import BLOCK, protocol_of, without_probes
from study.protocol import Protocol
from study.studies import create_study
from tests.present import present


def test_a_person_notes_an_answer_at_the_views_of_the_schedule_alone(begin: Callable[..., Any], engine: EpisodeEngine) -> None:
    assert [seq for seq in range(8) if Protocol(probe_every=3).probes_at(seq)] == [2, 5]
    assert all(Protocol().probes_at(seq) for seq in range(8)) and not any(Protocol(belief_bar=False).probes_at(seq) for seq in range(8))
    view = begin(protocol=Protocol(probe_every=2))
    assert (view.belief_bar, view.probe_every) == (True, 2)
    with pytest.raises(BadAnswer, match="does not ask for a current answer here"):
        engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 60)
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    assert engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 60).saved_at
    engine.act(view.episode_id, view.epoch, 2, "turn_left")
    with pytest.raises(BadAnswer):
        engine.belief(view.episode_id, view.epoch, 2, "near the lamp", 70)
    assert engine.answer(view.episode_id, view.epoch, "near the lamp", 70).state == "completed"


def _later_than(moment: str) -> None:
    """Clocks are kept to the millisecond, and a step may take less."""
    while now() <= moment:
        time.sleep(0.001)


def test_opened_again_an_episode_tells_when_the_last_thing_was_kept_be_it_a_step_a_thought_or_the_answer(
    begin: Callable[..., Any], engine: EpisodeEngine
) -> None:
    view = begin()
    assert view.saved_at == view.step.saved_at
    _later_than(view.step.saved_at)
    noted = engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 60).saved_at
    assert engine.view(view.episode_id).saved_at == noted > view.step.saved_at
    _later_than(noted)
    step = engine.act(view.episode_id, view.epoch, 1, "turn_left").saved_at
    assert engine.view(view.episode_id).saved_at == step > noted
    _later_than(step)
    end = engine.answer(view.episode_id, view.epoch, "near the lamp", 60).saved_at
    assert engine.view(view.episode_id).saved_at == end > step


def test_the_arm_without_probes_is_drawn_and_exact_in_each_block(store: Store, make_task: Callable[..., Task]) -> None:
    store.put_task(make_task())
    study = create_study(store, "S", tasks=(make_task().content_hash,), no_probe_percent=25)
    arms = [without_probes(study, number) for number in range(4 * BLOCK)]
    blocks = [arms[n : n + BLOCK] for n in range(0, len(arms), BLOCK)]
    assert [sum(block) for block in blocks] == [5] * 4 and len({tuple(block) for block in blocks}) > 1
    everybody = study.model_copy(update={"no_probe_percent": 0})
    assert not any(without_probes(everybody, number) for number in range(BLOCK)) and protocol_of(everybody, 3) == study.protocol


def test_episodes_say_in_which_arm_they_are(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    store.put_task(make_task())
    study = create_study(store, "S", state="live", tasks=(make_task().content_hash,), trials=1, no_probe_percent=50)
    for number in range(6):
        person = participants.add_participant(store, study.study_id)
        for event in ("welcome", "consent"):
            participants.advance(store, person, event)
        episode = participants.place(store, engine, person).episode_id
        kept = json.loads(present(store.one("SELECT protocol FROM episodes WHERE episode_id = ?", [episode]))["protocol"])
        assert kept["belief_bar"] is not without_probes(study, number)
