"""Agreement and the accuracy of raters give published numbers, and say why where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from study.measures.agreement import agreement, cohen, counts, fleiss_by_category, krippendorff
from study.measures.raters import dawid_skene, one_coin

# Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania, ASC departmental paper 43; the same data
# in Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., p. 120. One line per observer; a dot: missing
K2011 = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
K2011_BINARY = ("0100000010", "1110010000")
K2011_TWO = ("112243335441", "212223335444")
# the encyclopedia article on Krippendorff's alpha
THREE_CODERS = (".....34121133.3", "1.213343.......", "..21344.21133.4")
# the worked example of the encyclopedia article on Fleiss' kappa: 14 raters, 10 subjects, 5 categories
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Fleiss, J. L. (1971). Psychological Bulletin 76, 378-382: 30 patients, 6 psychiatrists, counts of 5 diagnoses
FLEISS_1971 = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 "
    "02031 00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 "
    "10500 00006"
)
# Cohen, J. (1960). Educational and Psychological Measurement 20, 37-46; weights: Cohen, J. (1968). Psychological Bulletin 70, 213-220
COHEN, GRAVE = [[88, 14, 18], [10, 40, 10], [2, 6, 12]], [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
# Dawid, A. P. & Skene, A. M. (1979). Applied Statistics 28, 20-28: 45 patients; observer 1 three times, then observers 2 to 5
DAWID_SKENE = (
    "1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 "
    "1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 "
    "1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 "
    "2322222 1211111 2222222"
)


def units(rows: tuple[str, ...]) -> list[list[int]]:
    return [[int(value) for value in column if value != "."] for column in zip(*rows, strict=True)]


def table(rows: list[list[int]]) -> list[list[int]]:
    """Units of two raters, from how often they chose what."""
    return [[i, j] for i, row in enumerate(rows) for j, times in enumerate(row) for _ in range(times)]


@pytest.mark.parametrize(
    ("rows", "level", "published"),
    [
        (K2011, "nominal", 0.743),
        (K2011, "ordinal", 0.815),
        (K2011, "interval", 0.849),
        (K2011, "ratio", 0.797),
        (K2011_BINARY, "nominal", 0.095),
        (K2011_TWO, "nominal", 0.692),
        (THREE_CODERS, "nominal", 0.691),
        (THREE_CODERS, "interval", 0.811),
    ],
)
def test_alpha(rows: tuple[str, ...], level: Any, published: float) -> None:
    assert krippendorff(units(rows), level) == pytest.approx(published, abs=5e-4)
    if level == "nominal":
        values = units(rows)
        assert agreement(counts(values, range(6)), resamples=0).alpha.value == pytest.approx(published, abs=5e-4)


def test_fleiss() -> None:
    found = agreement(np.asarray(FLEISS, dtype=float), resamples=0)
    assert (found.raw.value, found.fleiss.value) == pytest.approx((0.378, 0.210), abs=5e-4)
    patients = np.asarray([[int(n) for n in patient] for patient in FLEISS_1971.split()], dtype=float)
    assert agreement(patients, resamples=0).fleiss.value == pytest.approx(0.430, abs=6e-4)
    assert fleiss_by_category(patients) == pytest.approx([0.245, 0.245, 0.520, 0.471, 0.566], abs=6e-4)


def test_gwet_with_missing_ratings() -> None:
    found = agreement(counts(units(K2011), range(1, 6)), resamples=0)
    figures = (found.raw.value, found.ac1.value, found.fleiss.value, found.alpha.value)
    assert figures == pytest.approx((0.81818, 0.77544, 0.76117, 0.74342), abs=1e-5)
    assert "generalised" in found.fleiss.method and (found.raw.n, found.raw.n_missing) == (11, 1)


def test_cohen() -> None:
    assert cohen(COHEN) == pytest.approx(0.492, abs=6e-4)
    assert cohen(COHEN, GRAVE) == pytest.approx(0.348, abs=6e-4)
    assert cohen([[20, 5], [10, 15]]) == pytest.approx(0.4) and cohen([[5, 0], [0, 0]]) is None
    assert agreement(counts(table([[20, 5], [10, 15]]), (0, 1)), resamples=0).ac1.value == pytest.approx(0.405941, abs=1e-6)
    # the documentation of irrCAC, data set cont3x3abstractors
    abstractors = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    assert cohen(abstractors) == pytest.approx(0.7964094, abs=1e-6)
    assert agreement(counts(table(abstractors), range(3)), resamples=0).ac1.value == pytest.approx(0.8493305, abs=1e-6)


def test_the_paradox_of_kappa_is_why_the_figures_stand_side_by_side() -> None:
    # Gwet, K. L. (2008). British Journal of Mathematical and Statistical Psychology 61, 29-48
    paradox = [[118, 5], [2, 0]]
    found = agreement(counts(table(paradox), (0, 1)), resamples=0)
    assert cohen(paradox) == pytest.approx(-0.0234, abs=6e-5)
    assert (found.raw.value, found.ac1.value) == pytest.approx((0.944, 0.9408), abs=6e-5)


def test_what_cannot_be_said_has_a_reason() -> None:
    alike = agreement(counts([[1, 1, 1], [1, 1, 1]], (0, 1)))
    assert (alike.raw.value, alike.ac1.value, alike.alpha.value, alike.fleiss.value) == (1.0, 1.0, None, None)
    assert "alike" in alike.alpha.reason and krippendorff([[1, 1], [1, 1]]) is None
    for none in (agreement(counts([], (0, 1))), agreement(counts([[1], [0]], (0, 1)))):
        assert none.raw.value is none.ac1.value is None and "two ratings" in none.raw.reason
    with pytest.raises(ValueError, match="A rating is one of 0, 1, got 7"):
        counts([[7]], (0, 1))


def test_an_interval_is_of_drawn_units_and_none_where_too_many_draws_say_nothing() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.6
    votes = [[bool(t) if rng.random() < 0.85 else not t for _ in range(3)] for t in truth]
    found = agreement(counts(votes, (False, True)), seed=1)
    for figure in (found.raw, found.alpha, found.fleiss, found.ac1):
        assert figure.interval is not None and figure.interval[0] < figure.value < figure.interval[1]  # type: ignore[operator]
        assert figure.interval[1] - figure.interval[0] < 0.25 and "2000 draws, seed 1" in figure.method
    # by scenes of twenty units there are ten things to draw, which say less
    scenes = agreement(counts(votes, (False, True)), groups=[k // 20 for k in range(200)], seed=1)
    assert scenes.alpha.value == found.alpha.value and scenes.alpha.interval != found.alpha.interval
    one_of_many = agreement(counts([[1, 1, 1]] * 9 + [[1, 1, 0]], (0, 1)))
    assert one_of_many.alpha.interval is None and "of the draws" in one_of_many.alpha.reason and one_of_many.raw.interval


def test_dawid_and_skenes_patients() -> None:
    columns = (1, 1, 1, 2, 3, 4, 5)
    said = [(who, n, int(x)) for n, row in enumerate(DAWID_SKENE.split()) for who, x in zip(columns, row, strict=True)]
    found = dawid_skene(said, (1, 2, 3, 4))
    assert found.prior == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=6e-3)
    expected = np.array([[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]])
    assert found.tables[1] == pytest.approx(expected, abs=6e-3)
    assert [int(found.items[n].argmax()) + 1 for n in range(6)] == [1, 4, 2, 2, 2, 2]
    assert 0.8 < found.accuracy(1) < 0.9


def test_accuracies_are_recovered_from_three_votes_an_item() -> None:
    true = np.linspace(0.60, 0.95, 12)
    errors = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.random(300) < 0.5
        said = []
        for item in range(300):
            for who in rng.choice(12, 3, replace=False):
                said.append((int(who), item, bool(truth[item] == (rng.random() < true[who]))))
        found = one_coin(said, {item: bool(truth[item]) for item in range(30)})
        errors += [found[who].value - true[who] for who in range(12)]
    assert abs(np.mean(errors)) <= 0.02 and np.mean(np.abs(errors)) <= 0.07


def test_known_items_tell_which_way_round_and_too_little_is_said_to_be_too_little() -> None:
    rng = np.random.default_rng(0)
    truth = [bool(x) for x in rng.random(60) < 0.5]
    # four people who are mostly wrong agree as well as four who are mostly right
    said = [(who, item, truth[item] ^ (rng.random() < 0.8)) for item in range(60) for who in range(4)]
    assert all(m.value < 0.4 for m in one_coin(said, dict(enumerate(truth[:20]))).values())  # type: ignore[operator]
    assert all("two raters" in m.reason and m.value is None for m in one_coin([(0, 0, True), (1, 0, False)]).values())
    assert all("the same" in m.reason for m in one_coin([(who, 0, True) for who in range(3)]).values())
    assert all("fewer than 10" in m.reason for m in one_coin([(who, 0, who > 0) for who in range(3)]).values())
