"""Agreement, the paper's table and people's accuracies count whole rounds of tasks and nothing else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from annotation.verifying import agreement, cast, items, pausing, tables
from data.subcategories import CATEGORIES
from tests.annotation.verifying.conftest import Verifying

PG = "Perceptual Grounding"


def split(v: Verifying) -> None:
    """Four tasks: kept by all, contested (two people reject on different axes), rejected by two, and one that lacks its third vote."""
    v.begin(4)
    for failed in ((), ("correctness",), ("nontriviality",), ()):
        v.verify("ann", *failed)
    for failed in ((), ("answerability",), ("nontriviality",), ()):
        v.verify("ben", *failed)
    for _ in range(3):
        v.verify("cat")


def row(v: Verifying, **options: Any) -> tables.Row:
    """The row of the category of all tasks here."""
    return next(row for row in tables.table4(v.store, v.id, **options) if row.category == PG)


def test_the_papers_table_takes_the_majority_of_each_axis_and_the_share_of_votes_apart(v: Verifying) -> None:
    split(v)
    rows = {row.category: row for row in tables.table4(v.store, v.id)}
    own = rows[PG]
    assert own.n == 3 and own.left_out == 0
    third = 100 / 3
    assert own.passed == pytest.approx({"correctness": 100, "answerability": 100, "nontriviality": 2 * third, "overall": 2 * third})
    ninth = 100 / 9
    votes = {"correctness": 8 * ninth, "answerability": 8 * ninth, "nontriviality": 7 * ninth, "overall": 5 * ninth}
    assert own.votes == pytest.approx(votes)
    assert own.published == {"correctness": 94.7, "answerability": 93.8, "nontriviality": 91.6, "overall": 88.9}
    assert rows["Average"].passed == own.passed and rows["Average"].n == 3
    assert rows["Action Sequencing"].n == 0 and rows["Action Sequencing"].passed["overall"] is None


def test_the_published_table_is_consistent_in_itself() -> None:
    assert set(tables.PUBLISHED) == {*CATEGORIES, tables.AVERAGE}
    for row in tables.PUBLISHED.values():
        *axes, overall = row
        assert sum(axes) - 200 <= overall <= min(axes)
    for column in range(4):
        mean = sum(tables.PUBLISHED[category][column] for category in CATEGORIES) / len(CATEGORIES)
        assert tables.PUBLISHED[tables.AVERAGE][column] == pytest.approx(mean, abs=0.051)


def test_who_is_paused_is_left_out_with_the_whole_round(v: Verifying) -> None:
    split(v)
    v.verify("dan")
    assert row(v).n == 4
    pausing.pause(v.store, v.id, "cat", "asleep", actor="lead")
    without = row(v, without={"cat"})
    assert (without.n, without.left_out) == (1, 3)
    assert agreement.agreement_of(v.store, v.id, without={"cat"}, resamples=0)[0].figures.raw.n == 1
    people = {person.staff_id: person for person in agreement.people(v.store, v.id)}
    assert people["cat"].paused and not people["ann"].paused and people["ann"].verdicts == 4


def test_agreement_is_of_whole_rounds_per_axis_and_category(v: Verifying) -> None:
    split(v)
    found = {(one.category, one.axis): one for one in agreement.agreement_of(v.store, v.id, resamples=200)}
    assert {category for category, _ in found} == {"all", PG}
    trivial = found["all", "nontriviality"]
    assert trivial.figures.raw.value == pytest.approx((1 + 1 + 1 / 3) / 3) and trivial.figures.raw.n == 3
    assert trivial.passed.value == pytest.approx(7 / 9) and trivial.figures.fleiss.value is not None
    assert found[PG, "overall"].passed.value == pytest.approx(5 / 9)


def test_a_second_round_takes_the_place_of_the_first_once_it_is_whole(v: Verifying) -> None:
    split(v)
    items.again(v.store, v.subject(2), "a doubt", actor="lead")
    assert row(v).passed["nontriviality"] == pytest.approx(200 / 3)
    # what is begun comes first: the third vote on the fourth task
    for who in ("dan", "dan", "eve", "fay"):
        v.verify(who)
    assert row(v).passed["nontriviality"] == 100.0
    assert sum(one.subject == v.subject(2) for one in cast.casts(v.store, v.id)) == 6, "earlier votes stay"


def test_controls_are_in_no_table_and_tell_how_well_somebody_judges(v: Verifying) -> None:
    split(v)
    bad, good = (v.task(number).content_hash for number in (90, 91))
    items.add_known(v.store, v.id, "control", bad, {"correctness": "fail"}, "", actor="lead")
    items.add_known(v.store, v.id, "control", good, dict.fromkeys(cast.AXES, "pass"), "", actor="lead")  # type: ignore[attr-defined]
    items.submit(v.store, v.id, anyway=True, actor="lead")
    before = tables.table4(v.store, v.id)
    protocol = v.verification.protocol.model_copy(update={"control_share": 0.5})
    with v.store.atomic() as db:
        db.execute("UPDATE verifications SET document = ?", [protocol.model_dump_json()])
    for number in range(90, 96):
        items.add(v.store, v.id, [v.task(number + 10).content_hash], evidence=False, actor="lead")
    for _ in range(6):
        v.verify("ann")
    assert tables.table4(v.store, v.id) == before
    ann = next(person for person in agreement.people(v.store, v.id) if person.staff_id == "ann")
    assert ann.controls == 2
    assert (ann.on_controls["correctness"].value, ann.on_controls["correctness"].n) == (0.5, 2)
    assert (ann.on_controls["answerability"].value, ann.on_controls["answerability"].n) == (1.0, 1), "only what is known is asked"
    assert ann.on_controls["overall"].value == 0.5 and ann.on_controls["overall"].interval is not None
    assert 0 < ann.estimated["correctness"].value < 1  # type: ignore[operator]


def test_what_the_first_view_told_counts_as_trivial_in_the_table(v: Verifying) -> None:
    v.begin(1)
    for who in ("ann", "ben", "cat"):
        v.verify(who, told="yes", answer="soccer ball")
    given = cast.casts(v.store, v.id)
    assert [one.passes["nontriviality"] for one in given] == [False] * 3 and not any(one.keeps for one in given)
    assert msgspec.to_builtins(given[0])["passes"]["correctness"] is True
    assert v.state(0) == "rejected" and row(v).passed["nontriviality"] == 0.0
