"""Tasks that a study's answers flag are verified once more; nothing is dropped, and a verifier is not told why."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from annotation.verifying import listing, verifications
from annotation.verifying.sending_back import send_back
from app.cli import main
from data.store import Store, now
from study import scoring
from study.ordering import as_written
from study.studies import UnknownStudy, create_study
from tests.annotation.verifying.conftest import Verifying


def test_a_decided_task_begins_a_further_round_and_one_that_is_open_stays_as_it_is(v: Verifying, store: Store) -> None:
    study = create_study(store, "S", tasks=(v.task(1).content_hash, v.task(2).content_hash))
    v.begin(2, study_id=study.study_id)
    decided, waiting = (v.task(number).content_hash for number in (1, 2))
    while v.state() == "in_verification":
        for who in ("ann", "ben", "cat"):
            v.verify(who)
    why = {decided: "Flagged by 9 answers (active): Fewer are right than by chance.", waiting: "so"}
    sent = send_back(store, study.study_id, why, actor="lead")
    states = sorted(v.state(n) for n in range(2))
    assert (sent.again + sent.under_way, sent.added, sent.verification) == (2, 0, None) and "in_verification" in states
    [look] = [one for one in listing.second_looks(store, v.id) if one.why == why[decided]]
    assert look.task_id == "small-1"
    assert "Flagged" not in repr(v.claim("dan")), "who verifies it is not told what people answered"


def test_a_task_that_was_never_verified_is_added_to_the_studys_own_verification(v: Verifying, store: Store) -> None:
    tasks = [v.task(number).content_hash for number in (1, 2, 3)]
    study = create_study(store, "S", tasks=tuple(tasks))
    first = send_back(store, study.study_id, {tasks[0]: "so"}, actor="lead")
    assert first.verification is not None and first.verification.name == "Flagged tasks of S" and first.added == 1
    second = send_back(store, study.study_id, {tasks[0]: "so", tasks[1]: "so"}, actor="lead")
    assert second.verification == first.verification and (second.added, second.under_way) == (1, 1)
    assert len(verifications.all_of(store)) == 1
    assert [row["n"] for row in store.query("SELECT count(*) AS n FROM events WHERE kind = 'task_flagged'")] == [2]
    with pytest.raises(UnknownStudy):
        send_back(store, "st_none", {}, actor="lead")


def answered(store: Store, v: Verifying, people: int) -> str:
    """A study of one task that everybody answered wrong and was sure of it."""
    task = v.task(1)
    study = create_study(store, "Sure and wrong", tasks=(task.content_hash,), state="live")
    wrong = next(option for option in task.question.options if not scoring.score(task, option).correct_strict)
    order = msgspec.json.encode(as_written(task.question)).decode()
    for number in range(people):
        who, episode = f"pa_{number}", f"ep_{number}"
        store.insert(
            "participants", {"participant_id": who, "study_id": study.study_id, "number": number, "state": "finished", "created_at": now()}
        )
        store.insert(
            "episodes",
            {
                "episode_id": episode, "task_hash": task.content_hash, "study_id": study.study_id, "participant_id": who,
                "agent_kind": "human", "paradigm": "active", "protocol": "{}", "seed": 0, "option_order": order, "state": "completed",
                "last_seq": 3, "created_at": now(), "finished_at": now(),
            },
        )  # fmt: skip
        event = store.event("answered", {}, episode_id=episode)
        store.insert(
            "answers",
            {
                "episode_id": episode, "epoch": 1, "seq": 3, "event_seq": event, "raw": json.dumps(wrong), "answer": json.dumps(wrong),
                "confidence": 95, "stopped_by": "answer", "server_time": now(),
            },
        )  # fmt: skip
        store.insert(
            "scores",
            {
                "episode_id": episode, "task_hash": task.content_hash, "scorer": "1", "answered": 1, "correct_strict": 0,
                "correct_lenient": 0, "chance": task.gold.chance, "computed_at": now(),
            },
        )  # fmt: skip
    return study.study_id


def test_the_command_tells_what_is_flagged_and_sends_it_only_when_it_is_told_to(v: Verifying, store: Store, tmp_path: Path) -> None:
    study = answered(store, v, 12)

    def items(*more: str) -> str:
        found = CliRunner().invoke(main, ["study", "items", study, "--db", str(store.home.db), *more])
        assert found.exit_code == 0, found.output
        return found.output

    told = items()
    assert "small-1 (active): 0% of 12 right" in told and "below chance" in told and "Send them back to verification with --send." in told
    assert verifications.all_of(store) == []
    assert "1 is new in the verification 'Flagged tasks of Sure and wrong'" in items("--send")
    sent = json.loads(items("--send", "--json"))
    assert sent["sent"]["under_way"] == 1 and sent["items"][0]["item"]["flags"] == ["below_chance", "confidently_wrong"]


def test_a_study_without_answers_is_a_sentence(v: Verifying, store: Store) -> None:
    study = create_study(store, "S", tasks=(v.task(1).content_hash,))
    found = CliRunner().invoke(main, ["study", "items", study.study_id, "--send", "--db", str(store.home.db)])
    assert found.exit_code == 0 and "There is no scored answer in this study yet" in found.output
