"""``vantage participants``: extend, return, reject, end, message; what they say, and how they refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from data.store import Store
from study import participants
from study.studies import create_study


@pytest.fixture
def person(store: Store, engine: Any, make_task: Any) -> str:
    """Somebody with a task open, and another place reserved."""
    tasks = [make_task(f"t{n}") for n in range(2)]
    for task in tasks:
        store.put_task(task)
    study = create_study(store, "S", state="live", tasks=tuple(task.content_hash for task in tasks), trials=2, per_task=1)
    who = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, who, event)
    engine.open(participants.place(store, engine, who).episode_id)
    return who


def vantage(store: Store, *args: str) -> Result:
    return CliRunner().invoke(main, ["participants", *args, "--db", str(store.home.db)])


def state(store: Store, person: str) -> str:
    return participants.get_participant(store, person).state


def test_more_time(store: Store, person: str) -> None:
    done = vantage(store, "extend", person, "30", "--why", "the bus is late")
    assert done.exit_code == 0 and done.stdout.startswith("P000: their places are kept until 20") and done.stdout.endswith(" UTC.\n")
    row = store.one("SELECT actor, data FROM events WHERE kind = 'time_extended'")
    assert row is not None and row["actor"] == "command line" and json.loads(row["data"])["why"] == "the bus is late"


def test_places_back(store: Store, person: str) -> None:
    done = vantage(store, "return", person, "--why", "asleep")
    assert done.exit_code == 0 and done.stdout.startswith("P000: 2 places are free again.")
    again = vantage(store, "return", person, "--why", "asleep")
    assert again.exit_code != 0 and "there is nothing to give back" in again.stderr and "Traceback" not in again.output


def test_an_end(store: Store, person: str) -> None:
    assert vantage(store, "end", person, "--as", "stopped", "--why", "the room closes").stdout.startswith("P000: ended (stopped).")
    assert state(store, person) == "stopped"
    assert "it is too late for that" in vantage(store, "end", person, "--why", "again").stderr


def test_a_rejection(store: Store, person: str) -> None:
    done = vantage(store, "reject", person, "technical", "--why", "the screen stayed black", "--json")
    assert json.loads(done.stdout)["reason"] == "technical" and state(store, person) == "failed"
    again = vantage(store, "reject", person, "technical", "--why", "again")
    assert again.exit_code != 0 and "was rejected before (a technical failure of ours: the screen stayed black)" in again.stderr
    assert vantage(store, "reject", person, "too_fast", "--why", "x").exit_code == 2


def test_a_message_and_its_receipt(store: Store, person: str) -> None:
    assert vantage(store, "message", person, "You have as long as you like.").exit_code == 0
    listed = json.loads(vantage(store, "messages", person, "--json").stdout)
    assert [(one["text"], one["by"], one["read_at"]) for one in listed] == [("You have as long as you like.", "command line", None)]
    assert "not read yet" in vantage(store, "messages", person).stdout
    assert "words of a task" in vantage(store, "message", person, "Look behind the lamp.").stderr


@pytest.mark.parametrize(
    "args", [("extend", "p_x", "5", "--why", "x"), ("return", "p_x", "--why", "x"), ("end", "p_x", "--why", "x"),
             ("reject", "p_x", "technical", "--why", "x"), ("message", "p_x", "Hello."), ("messages", "p_x")],
)  # fmt: skip
def test_nobody_of_that_name(store: Store, args: tuple[str, ...]) -> None:
    done = vantage(store, *args)
    assert done.exit_code != 0 and "There is no participant" in done.stderr and "Traceback" not in done.output
