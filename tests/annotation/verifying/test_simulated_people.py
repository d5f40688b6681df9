"""A whole verification with simulated people ends whole, and what is wrong is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotation.verifying import simulate as made_up
from app.commands.verify_simulate import simulate
from tests.homes import fresh_store


def test_every_task_gets_three_votes_from_three_people_who_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_up, "WALKS_AWAY", 0.1)
    done = CliRunner().invoke(simulate, ["--annotators", "8", "--tasks", "20", "--seed", "3", "--json"])
    said = json.loads(done.stdout)
    assert done.exit_code == 0 and said["ok"] and said["problems"] == []
    assert said["tasks_with_three_votes"] == 20 and said["verdicts_on_tasks"] == 60
    assert said["turns_with_simultaneous_claims"] > 5
    assert 0 < said["leases_expired"] == said["late_votes_refused"]
    assert said["verdicts_on_controls"] > 0 and "too few for the aims" in said["recovery_of"]


def test_accuracies_that_are_not_recovered_are_named_and_end_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_up, "FEWEST", 1)
    monkeypatch.setattr(made_up, "ERROR", 0.0001)
    monkeypatch.setattr(made_up, "WALKS_AWAY", 0.0)
    done = CliRunner().invoke(simulate, ["--annotators", "3", "--tasks", "6", "--seeds", "2"])
    assert done.exit_code == 1 and "Wrong: Accuracies on correctness are not recovered: bias" in done.stdout
    assert "over 2 runs" in done.stdout and "seed 2: 6 of 6 tasks have their three votes" in done.stdout


def test_two_people_in_one_place_and_a_missing_vote_are_found(tmp_path: Path) -> None:
    store = fresh_store(tmp_path)
    names = ["annotator_01", "annotator_02", "annotator_03"]
    verification, truth = made_up._prepare(store, names, 3, 1)
    met = made_up._Met()
    made_up._judge(store, verification, dict.fromkeys(names, 1.0), truth, 1, met, lambda _: None)
    given = made_up.casts(store, verification.verification_id)  # type: ignore[attr-defined]
    assert made_up._problems(store, verification, 3, given, made_up._Met()) == []
    first = given[0]
    with store.atomic():
        # as if a fourth place had been given out, to somebody who has one already
        store.event("proposed_task_review_assigned", {}, actor=first.reviewer, subject=first.subject)
    missing = made_up._problems(store, verification, 3, given[1:], made_up._Met())
    assert any("at once" in text for text in missing) and any("3 different people were wanted" in text for text in missing)
    store.close()
