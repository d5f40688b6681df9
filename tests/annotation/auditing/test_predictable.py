"""Golds that can be guessed from the text, and golds that cannot."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict

import pytest

from annotation.auditing.balance import balance, normalised_entropy, places, position_test, table
from annotation.auditing.report import balance_lines
from annotation.auditing.shortcuts import ENOUGH, candidates, choices, guesses, objects, position, signal, wording
from data.task import Task
from study.measures.comparisons import holm
from study.measures.intervals import wilson
from study.measures.rounding import half_up
from tests.annotation.auditing.made import found, made

THINGS = ("apple", "book", "cup", "drum", "egg", "fork", "globe", "hat", "iron", "jar", "kite", "lamp", "mug", "nail", "oar", "pot")


def asked(n: int = 40, seed: int = 1, place: int | None = None) -> list[Task]:
    """Which of two things is larger: gold at `place`, or at chance."""
    numbers = random.Random(seed)
    tasks = []
    for i in range(n):
        pair = numbers.sample(THINGS, 2)
        gold = pair[numbers.randrange(2) if place is None else place]
        tasks.append(made(i, f"{i}: which is larger, the {pair[0]} or the {pair[1]}?", pair, gold))
    return tasks


SIGNALS = ("position", "rank", "wording", "objects", "ratio")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_golds_at_chance_raise_no_alarm(seed: int) -> None:
    tasks = asked(seed=seed)
    assert [name for name in SIGNALS if found(f"predictable-{name}", tasks)] == []
    assert found("answers-unbalanced", tasks) == found("gold-position", tasks) == []


def test_a_gold_that_always_stands_first_is_found_with_its_rows_and_interval() -> None:
    tasks = asked(place=0)
    findings = found("predictable-position", tasks)
    assert len(findings) == 40
    assert "40 of 40" in findings[0].evidence and "1.00 [0.91, 1.00] against" in findings[0].evidence
    assert len(found("gold-position", tasks)) == 40
    assert found("predictable-rank", tasks) == []


def test_too_few_questions_are_never_an_alarm() -> None:
    assert signal(asked(ENOUGH - 1, place=0), "position") is None
    assert found("predictable-position", asked(ENOUGH - 1, place=0)) == []


def test_copies_and_twins_are_one_observation() -> None:
    """Five questions, each eight times, look like forty; they are five."""
    tasks = asked(5, place=0)
    copies = [task.model_copy(update={"task_id": f"copy-{i}-{n}"}) for n, task in enumerate(tasks) for i in range(8)]
    assert found("predictable-position", copies) == []
    assert len(choices(copies)) == 5
    pair = [made(1, "Is it?", ("yes", "no"), "yes", twin="made-002"), made(2, "Is it?", ("yes", "no"), "no", twin="made-001")]
    assert len({choice.group for choice in choices(pair)}) == 1


def test_a_word_in_the_question_that_gives_the_gold_away_is_found() -> None:
    numbers = random.Random(4)
    tasks = []
    for i in range(40):
        yes = i % 2 == 0
        thing = numbers.choice(THINGS)
        tasks.append(
            made(i, f"{'Do you agree' if yes else 'Is it true'} that the {thing} {i} slides?", ("yes", "no"), "yes" if yes else "no")
        )
    assert len(found("predictable-wording", tasks)) >= 36
    assert found("answers-unbalanced", tasks) == []


def test_a_stack_that_always_has_the_box_below_is_found() -> None:
    numbers = random.Random(5)
    tasks = []
    for i in range(30):
        order = ["box", *numbers.sample(THINGS, 1), "ball"]
        options = numbers.sample(order, 3)
        tasks.append(made(i, f"In which order do they stand? {options} {i}", options, order, "sequence"))
    assert len(candidates(tasks[0])) == 6
    assert len(found("predictable-objects", tasks)) >= 27


def test_a_constant_ratio_and_a_rank_are_found_among_numerals() -> None:
    numbers = random.Random(6)
    tasks = []
    for i in range(40):
        gold = numbers.randrange(2, 40)
        options = sorted({gold, 2 * gold, gold // 2, gold + 1}, key=lambda _: numbers.random())
        tasks.append(made(i, f"How many are there? {THINGS[i % 16]} {THINGS[i // 3]}", list(map(str, options)), str(gold), "count"))
    assert len(found("predictable-ratio", tasks)) > 30
    ranked = [t.model_copy(update={"gold": t.gold.model_copy(update={"accepted": (max(t.question.options, key=int),)})}) for t in tasks]
    assert len(found("predictable-rank", ranked)) > 30


def test_the_most_frequent_answer_is_named_where_it_is_too_frequent() -> None:
    tasks = [made(i, f"Is the {THINGS[i % 16]} inside {i}?", ("yes", "no"), "no" if i % 4 else "yes") for i in range(60)]
    findings = found("answers-unbalanced", tasks)
    assert len(findings) == 45 and "45 of 60" in findings[0].evidence
    assert found("gold-position", tasks) == []  # one order for all: its place says what the answer says
    # a model that always says no is right in three quarters, and that is no better than the majority rate
    assert found("predictable-wording", tasks) == []


def test_few_things_are_a_note() -> None:
    def counting(kinds: Sequence[str]) -> list[Task]:
        return [
            made(i, f'How many objects of category "{kinds[i % len(kinds)]}" are there?', ("1", "2"), "12"[i % 2], "count")
            for i in range(20)
        ]

    findings = found("objects-narrow", counting(["hammer"]))
    assert len(findings) == 20 and "20 of 20" in findings[0].evidence and "hammer" in findings[0].evidence
    assert found("objects-narrow", counting(["hammer", "cabbage", "mug"])) == []
    assert found("objects-narrow", counting(["hammer"])[:19]) == []
    assert balance(counting(["hammer"])).answers == pytest.approx(1.0)


def test_entropy_is_that_of_the_published_definition() -> None:
    """Against scipy's entropy, which is another program's."""
    from scipy.stats import entropy

    assert normalised_entropy([30, 10, 10, 10]) == pytest.approx(entropy([30, 10, 10, 10], base=4))
    assert normalised_entropy([7, 7], 4) == pytest.approx(0.5)
    assert normalised_entropy([9]) is None and normalised_entropy([9], 2) == 0.0 and normalised_entropy([]) is None


def test_the_table_has_means_over_subcategories_and_the_pooled_value() -> None:
    one, other = asked(10, place=0), asked(10, place=1)
    category, mean = table({("C", "one"): one, ("C", "other"): other})
    assert (category.n, category.subcategories, mean.category) == (20, 2, "") and category.position_entropy == pytest.approx(0.0)
    assert places([*one, *other]) == {2: {0: 10, 1: 10}}


def test_table_6_of_a_set_worked_by_hand() -> None:
    """Subcategory one: 3 yes, 1 no; of things: 2 mugs, 2 balls. Other: 1 yes, 1 no; 2 mugs. Third: 2 yes out of yes or no, 1 mug, 1 ball.

    H(3/4, 1/4) / log 2 = 0.811; the mean of 0.811, 1 and 0 is 0.604; pooled 6 of 8 are yes: 0.811 again. Things: 1, undefined and 1, so 1;
    pooled 5 mugs of 8: H(5/8, 3/8) / log 2 = 0.954.
    """

    def kind(answers: str, things: str) -> list[Task]:
        words = {"y": "yes", "n": "no", "m": "mug", "b": "ball"}
        return [
            made(i, f'Is the object of category "{words[thing]}" inside? {i}', ("yes", "no"), words[answer], "yes_no")
            for i, (answer, thing) in enumerate(zip(answers, things, strict=True))
        ]

    parts = {("C", "one"): kind("yyyn", "mmbb"), ("C", "other"): kind("yn", "mm"), ("C", "third"): kind("yy", "mb")}
    found = [asdict(line) for line in table(parts)]
    assert balance_lines(found) == [
        (name, "8", "0.60", "0.81", "1.00 (2 of 3 subcategories)", "0.95", "0.60") for name in ("C", "Mean of the categories")
    ]
    assert table({}) == []


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(0.915, 2, "0.92"), (0.845, 2, "0.85"), ((0.91 + 0.92) / 2, 2, "0.92"), (81.15, 1, "81.2"), (-2.25, 1, "-2.3"), (None, 1, "–")],
)
def test_halves_are_rounded_up_as_in_the_published_tables(value: float | None, places: int, text: str) -> None:
    assert half_up(value, places) == text


def test_place_counts_give_the_known_chi_square() -> None:
    """Vector ``positions_skewed`` of the reference for statistics, and Mendel's peas for the test itself."""
    chi2, p = position_test([30, 10, 10, 10])
    assert chi2 == pytest.approx(20.0) and p == pytest.approx(0.00016974, abs=1e-8)


def test_holm_is_that_of_its_paper() -> None:
    """Holm (1979) as R's ``p.adjust(c(.01, .02, .03, .04, .05), "holm")`` gives it, in any order."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.05, 0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.09, 0.05, 0.08, 0.09, 0.09])
    assert holm([]) == []


@pytest.mark.parametrize(("right", "n", "interval"), [(81, 263, (0.2553, 0.3662)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))])
def test_the_interval_beside_a_share_is_newcombes(right: int, n: int, interval: Sequence[float]) -> None:
    assert wilson(right, n).interval == pytest.approx(interval, abs=5e-5)


def test_a_signal_that_tells_nothing_apart_is_no_test() -> None:
    tasks = asked(20)
    assert guesses(choices(tasks), lambda choice, n, closed: {}) is None
    for family in (position, wording, objects):
        told = guesses(choices(tasks), family)
        assert told is not None and len(told) == len(choices(tasks))
