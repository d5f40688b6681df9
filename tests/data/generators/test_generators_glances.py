"""Baselines of shortcuts: what a first view gives away by its pixels, what names and words give away in drafts; both find what is there."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from app.commands import shortcuts
from app.commands.tasks import command
from data.generators import registry
from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair
from data.generators.glances import classes, guessed
from data.generators.layout import Thing
from data.generators.registry import benchmark, named
from data.task import Ask

NOISE = np.random.default_rng(3)


def twins(n: int) -> list[str]:
    return [f"item {i // 2}" for i in range(n)]


def test_a_signal_in_the_picture_is_found() -> None:
    known = ["yes", "no"] * 20
    features = NOISE.normal(size=(40, 12))
    features[:, 4] = np.where(np.array(known) == "yes", 3.0, -3.0)
    assert sum(guessed(features, known, twins(40))) >= 38


def test_noise_gets_what_chance_gets() -> None:
    known = ["left", "middle", "right", "left"] * 50
    right = sum(guessed(NOISE.normal(size=(200, 30)), known, twins(200)))
    assert 0.2 < right / 200 < 0.47


@pytest.mark.parametrize("answers", [("yes", "no"), ("1", "2", "3", "4")])
def test_alike_twins_and_exactly_even_golds_get_what_chance_gets(answers: tuple[str, ...]) -> None:
    """Held out golds are rarer in the rest; followed blindly that would be below chance."""
    known = [answers[i % len(answers)] for i in range(24)]
    pictures = np.repeat(NOISE.normal(size=(12, 5)), 2, axis=0)
    if len(answers) == 2:
        assert sum(guessed(pictures, known, twins(24))) == 12
    assert sum(guessed(np.zeros((24, 5)), known, twins(24))) == 24 / len(answers)


def test_classes_are_answers_or_places() -> None:
    tasks = benchmark()
    assert set(classes([t for t in tasks if t.subcategory == "Linear Alignment"])) == {"yes", "no"}
    assert set(classes([t for t in tasks if t.subcategory == "Spatial Distance"])) == {"0", "1"}


KINDS = ("mug", "vase", "bowl", "goblet", "can", "apple", "pear", "kettle")
WAYS = wordings(
    lambda ask, names, options: {"it": names["thing"]}, "Is the {it} alone?", "Does the {it} stand alone?", "Is it alone, the {it}?"
)


def leaky(numbers: random.Random, item: Item) -> Pair:
    """What the thing is called tells the answer."""
    kind = item.dealt("kind", KINDS)
    thing = Thing("thing", kind, (numbers.uniform(-0.5, 0.5), 1.0), (0.1, 0.1, 0.1), words=kind)
    half = Half((thing,), "yes" if KINDS.index(kind) < 4 else "no")
    return Pair(
        Ask(what="alone", things=("thing",)), "yes_no", ("yes", "no"), (half,), 0.05, ("move_up",), "none", first_view="argued: a trial"
    )


LEAKY = Generator("leaky", "Spatial Relations", "Physical Contact", leaky, "none", {"alone": WAYS}, layouts=("a", "b", "c"), version="1")


def drafts(monkeypatch: pytest.MonkeyPatch, *generators: Generator) -> tuple[int, dict[str, Any]]:
    monkeypatch.setattr(registry, "GENERATORS", generators)
    result = CliRunner().invoke(command, ["balance", "--drafts", "60", "--json"])
    return result.exit_code, json.loads(result.stdout)


def test_drafts_of_twins_give_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    code, found = drafts(monkeypatch, *named("Linear Alignment"))
    (row,) = found["subcategories"]
    assert code == 0 and found["problems"] == [] and row["questions"] == 120
    assert row["names"]["share"] == row["question"]["share"] == row["chance"] == 0.5
    assert row["names"]["interval"][1] < 0.6


def test_names_that_tell_the_answer_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    code, found = drafts(monkeypatch, LEAKY)
    (row,) = found["subcategories"]
    assert code == 1 and row["names"]["share"] > 0.8 and row["question"]["share"] > 0.8
    assert len(found["problems"]) == 2 and "the names alone give" in found["problems"][0]
    assert (row["again"]["questions"], row["again"]["items"], row["again"]["seed"]) == (4 * row["questions"], 240, 3)


def test_a_miss_by_chance_is_decided_by_the_larger_draw_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"questions": 9, "chance": 0.5, "question": None}
    few, many = ({**one, "names": {"share": share, "interval": [0.4, upper]}} for share, upper in ((0.55, 0.61), (0.51, 0.54)))
    asked: list[tuple[int, int]] = []

    def guessed_twice(_: Generator, items: int, seed: int) -> dict[str, Any]:
        asked.append((items, seed))
        return dict(few if items == 60 else many)

    monkeypatch.setattr(shortcuts, "_guessed", guessed_twice)
    code, found = drafts(monkeypatch, LEAKY)
    (row,) = found["subcategories"]
    assert asked == [(60, 2), (240, 3)] and (code, found["problems"]) == (0, [])
    assert row["names"]["share"] == 0.55 and row["again"]["names"]["share"] == 0.51  # both are told


def test_drafts_and_a_folder_are_not_asked_for_at_once() -> None:
    result = CliRunner().invoke(command, ["balance", "--drafts", "40", "--first-frames"])
    assert result.exit_code == 2 and "makes its own tasks" in result.stderr
