"""A study takes tasks by where they stand with their verifiers: on the command line, on the page, and a sentence where none fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from annotation.reviewing import things
from annotation.reviewing.kinds.tasks import KIND
from annotation.verifying import items, standing
from app.cli import main
from data.generators.practice import practice
from study import drafting
from tests.homes import fresh_store


@pytest.fixture
def stood(tmp_path: Path) -> Iterator[Any]:
    """A store with six tasks: retained, rejected, under way, not verified, by hand, and retained here but rejected elsewhere."""
    store = fresh_store(tmp_path)
    task = practice()
    named = {}
    for name in ("kept", "dropped", "waiting", "fresh", "by-hand", "split"):
        dataset = "human-authored" if name == "by-hand" else "vantage"
        one = task.model_copy(update={"task_id": name, "provenance": task.provenance.model_copy(update={"dataset": dataset})})
        store.put_task(one)
        named[name] = one.content_hash

    def verify(**events: str) -> None:
        made = items.start(store, "V", [named[name] for name in events], evidence=False, actor="lead")
        for item, event in zip(items.items_of(store, made.verification_id), events.values(), strict=True):
            if event:
                things.move(store, KIND, item.subject, event, "lead")

    verify(kept="keep", dropped="drop", waiting="", split="keep")
    verify(split="drop")
    yield store, named
    store.close()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["retained"], {"kept"}),
        (["rejected"], {"dropped", "split"}),
        (["under-way"], {"waiting"}),
        (["not-verified"], {"fresh", "by-hand"}),
        (["human-authored"], {"by-hand"}),
        (["retained", "human-authored"], {"kept", "by-hand"}),
    ],
)
def test_tasks_are_chosen_by_where_they_stand(stood: Any, wanted: list[str], found: Any) -> None:
    store, named = stood
    chosen = drafting.choose(store, datasets=["vantage", "human-authored"], stands=standing.stands(store, wanted))
    assert {name for name, content_hash in named.items() if content_hash in chosen.tasks} == found
    assert sum(standing.counts(store)[name] for name in wanted) == len(found)


def test_a_command_takes_them_from_all_data_sets_and_says_when_there_is_none(stood: Any) -> None:
    store, _ = stood
    db = ["--db", str(store.home.db)]
    made = CliRunner().invoke(main, ["study", "create", "Kept", "--verified", "retained", "--unplayable-too", "--json", *db])
    assert made.exit_code == 0 and json.loads(made.stdout)["tasks"] == 1
    of_kind = ["--verified", "human-authored", "--category", practice().category, "--dataset", "vantage"]
    refused = CliRunner().invoke(main, ["study", "create", "None", *of_kind, *db])
    assert refused.exit_code == 2
    assert "No task of these kinds is human-authored: 5 stand otherwise with their verifiers." in refused.stderr


def test_what_was_chosen_by_is_kept(stood: Any) -> None:
    store, named = stood
    study = drafting.draft(store, "S", [named["fresh"]], {})
    drafting.use(store, study.study_id, drafting.Choice(verified=("retained",)), [named["kept"]])
    assert drafting.last_choice(store, study.study_id).verified == ("retained",)
