"""What the seed draws: turns that are even by construction, layouts and wordings that go with no answer, and tasks that repeat none."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from data.generators.drawing import Item, named, wordings
from data.generators.framework import BUNDLED_SEED, MAX_ATTEMPTS, Generator, Half, Pair, Rejected, generate
from data.generators.lab import Lab
from data.generators.layout import Thing
from data.generators.novelty import Known, asked_spots, naming_kinds, repeated
from data.generators.registry import GENERATORS, HELD_OUT, benchmark
from data.generators.registry import named as generators_named
from data.task import Ask, Task

ROOT = Path(__file__).parents[3]
GOLDS = ("left", "middle", "right")
DRAWN = [g for g in GENERATORS if g.layouts]


def draft(numbers: random.Random, item: Item) -> Pair:
    first = item.turn("gold", 3)
    kind = item.dealt("kind", ("bowl", "mug", "vase", "goblet"))
    mug = Thing("thing", kind, (numbers.choice((-0.4, 0.0, 0.4)), 1.0), (0.1, 0.1, 0.1), words=kind)
    halves = tuple(Half((replace(mug, key="thing"),), GOLDS[(first + i) % 3]) for i in (0, 1))
    return Pair(Ask(what="where", things=("thing",)), "choice", GOLDS, halves, 0.05, ("move_up",) * 3, "none")


WAYS = wordings(
    lambda ask, names, options: {"it": names[ask.things[0]]}, "Where is the {it}?", "At which place is the {it}?", "{it}: where?"
)
MADE = Generator("trial", "Spatial Relations", "Physical Contact", draft, "none", {"where": WAYS}, 3, layouts=("a", "b", "c"), version="7")


def tasks(seed: int, pairs: int = 27) -> list[Any]:
    return generate(MADE, seed=seed, pairs=pairs).tasks


def test_turns_are_even_over_every_block_and_other_for_another_seed() -> None:
    for size, each in ((2, 1), (3, 1), (3, 4)):
        turns = [Item("line", 5, n).turn("gold", size, each) for n in range(1, 1 + 4 * size * each)]
        for block in _blocks(turns, size * each):
            assert Counter(block) == dict.fromkeys(range(size), each)
        assert all(len(set(run)) == 1 for run in _blocks(turns, each))
    orders = {tuple(Item("line", seed, n).turn("gold", 3) for n in range(1, 10)) for seed in range(20)}
    assert len(orders) > 15


def _blocks(values: list[int], size: int) -> list[tuple[int, ...]]:
    return [tuple(values[i : i + size]) for i in range(0, len(values), size)]


def test_layouts_and_wordings_go_with_no_gold() -> None:
    made = tasks(4)
    for tag in ("layout", "wording"):
        counts = Counter((t.tags[tag], t.gold.accepted[0]) for t in made)
        assert len(counts) == 9 and set(counts.values()) == {6}, counts
    assert {t.provenance.generator for t in made} == {"trial 7"}


def test_twins_share_layout_wording_and_question() -> None:
    by_id = {t.task_id: t for t in tasks(4)}
    for task in by_id.values():
        twin = by_id[task.twin]
        assert (task.question, task.tags["layout"], task.tags["wording"]) == (twin.question, twin.tags["layout"], twin.tags["wording"])


def test_another_seed_begins_with_another_kind() -> None:
    assert len({tasks(seed, 1)[0].question.text for seed in range(12)}) > 4


def test_what_is_known_is_not_made_again() -> None:
    known = Known(tasks(4))
    fresh = generate(MADE, seed=4, pairs=2, known=known)
    assert all(task.question.text for task in fresh.tasks)
    there = Known(tasks(4))
    assert not any(there.has(task) for task in fresh.tasks)
    assert fresh.rejected["a task that is there already asks the same of the same things in the same places"] > 0
    assert all(known.has(task) for task in fresh.tasks)

    def always(numbers: random.Random, item: Item) -> Pair:
        return draft(random.Random(1), replace(item, number=1, seed=1))

    same = replace(MADE, draft=always)
    assert generate(same, seed=2, pairs=2, known=Known()).rejected.total() == MAX_ATTEMPTS


def test_kinds_that_are_offered_as_answers_are_asked_about_and_numbers_are_not() -> None:
    def offering(task: Task, *options: str) -> Task:
        return task.model_copy(update={"question": task.question.model_copy(update={"options": options})})

    covered = next(t for t in benchmark() if t.subcategory == "Deformable")
    assert Known([covered]).has(offering(covered, *reversed(covered.question.options)))
    assert not Known([covered]).has(offering(covered, str(covered.gold.accepted[0]), "something else"))
    counted = next(t for t in benchmark() if t.question.ask and t.question.ask.what == "count")
    assert Known([counted]).has(offering(counted, "7", "8", "9"))


@pytest.mark.parametrize("known", [None, Known()])
def test_what_is_known_is_not_measured_and_what_is_new_is_drafted_once_where_nothing_is_known(known: Known | None) -> None:
    measured: list[bool] = []

    def measuring(numbers: random.Random, item: Item, lab: object) -> Pair:
        measured.append(lab is not None)
        if lab is not None:
            raise Rejected("measured")
        return draft(random.Random(1), replace(item, number=1, seed=1))

    making = replace(MADE, draft=measuring, needs_lab=True)
    lab = cast(Lab, object())
    generate(making, seed=2, pairs=1, known=known, lab=lab)
    assert measured == ([True] if known is None else [False, True]) * MAX_ATTEMPTS
    measured.clear()
    generate(making, seed=2, pairs=1, known=Known(generate(making, seed=2, pairs=1).tasks), lab=lab)
    assert measured[1:] == [False] * MAX_ATTEMPTS


def test_the_same_layout_in_another_room_is_the_same() -> None:
    here, there = tasks(4)[0], tasks(4)[0]
    assert asked_spots(here) == asked_spots(there) and len(asked_spots(here)) == 1
    category, right, ahead = asked_spots(here)[0]
    assert category in {"bowl", "mug", "vase", "goblet"} and ahead == pytest.approx(1.0, abs=1e-3)
    assert min(abs(right - x) for x in (-0.4, 0.0, 0.4)) < 1e-3


def test_question_texts_that_a_set_has_are_counted() -> None:
    made = tasks(4)
    found = repeated(made[:2], made[2:])
    assert found["all"]["tasks"] == found["naming"]["tasks"] == 2
    assert found["all"]["repeated"] == sum(t.question.text in {o.question.text for o in made[2:]} for t in made[:2])
    assert repeated(made[:2], [])["all"]["share"] == 0.0 and repeated([], made)["all"]["share"] is None


def test_a_question_that_always_names_the_same_names_nothing() -> None:
    kinds = naming_kinds(benchmark())
    assert ("Spatial Relations", "Linear Alignment") in kinds and ("Physical Structure", "Deformable") not in kinds


def test_a_subcategory_is_found_by_its_full_name() -> None:
    (one,) = generators_named("Specular Reflection / Spatial Relations")
    assert one.slug == "nearer"


def test_articles() -> None:
    assert [named(w) for w in ("mug", "orange", "hourglass")] == ["a mug", "an orange", "an hourglass"]


@pytest.mark.parametrize("generator", DRAWN, ids=lambda g: g.slug)
def test_what_the_seed_draws_is_declared(generator: Generator) -> None:
    assert len(set(generator.layouts)) >= 3
    assert all(len(generator.wordings(what)) >= 3 for what in generator.asks)
    assert generator.version != "3" and generator.tells and generator.beyond


def test_held_out_seeds_are_used_nowhere() -> None:
    assert BUNDLED_SEED not in HELD_OUT and not {t.provenance.seed for t in benchmark()} & set(HELD_OUT)
    number = re.compile(r"\b900\d{3}\b|\b900_\d{3}\b")
    told = {ROOT / "data" / "generators" / "registry.py", ROOT / "docs" / "how-to" / "generate-tasks.md", Path(__file__)}
    rooms = ("app", "annotation", "study", "data", "bench", "tools", "docs", "tests")
    files = {p for room in rooms for kind in ("*.py", "*.md") for p in (ROOT / room).rglob(kind)} - told
    found = [p.name for p in files if any(int(n.replace("_", "")) in HELD_OUT for n in number.findall(p.read_text(encoding="utf-8")))]
    assert found == []
