"""Figures are declared: each has rows, a definition and a drawing, and of a study that cannot say it gives reasons and no numbers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from study.analysis.figures import FIGURES, dots, style
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.results import as_csv, as_json, beside, cells, results, row_of
from study.analysis.trials import Trials
from study.measures.record import Measure
from study.paradigms import PARADIGMS

from .conftest import drawn

CHOICES = [Choice(), Choice(with_excluded=True), Choice(truth="coded"), Choice(paradigms=(PARADIGMS[0].name,))]


def test_each_figure_has_its_own_name_and_says_what_it_is() -> None:
    assert len({figure.name for figure in FIGURES}) == len({figure.title for figure in FIGURES}) == len(FIGURES)
    for figure in FIGURES:
        assert re.fullmatch(r"[a-z_]+", figure.name) and figure.definition.endswith(".") and len(figure.definition) > 60


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
@pytest.mark.parametrize("choice", CHOICES, ids=["usual", "with all", "coded", "one paradigm"])
def test_a_figure_has_rows_of_one_shape_and_can_be_drawn(study: Trials, figure: Figure, choice: Choice) -> None:
    [found] = results(study, choice, (figure.name,))
    assert found.tables
    for table in found.tables:
        for line in table.lines:
            assert set(table.columns) <= set(line.of) | set(line.beside)
            assert line.of.keys() == table.lines[0].of.keys()
        head, rows = cells(table)
        assert all(len(row) == len(head) for row in rows)
    assert json.loads(json.dumps(found.plot, allow_nan=False))["layout"]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_what_cannot_be_said_is_said_in_words_and_never_a_number(edge: Trials, figure: Figure) -> None:
    for choice in CHOICES:
        [found] = results(edge, choice, (figure.name,))
        for table in found.tables:
            for line in table.lines:
                measure = line.measure
                if measure.value is None:
                    assert measure.reason and measure.interval is None, (table.name, line.of)
                else:
                    assert math.isfinite(measure.value), (table.name, line.of)
                    assert measure.interval is None or all(map(math.isfinite, measure.interval))
        json.dumps(found.plot, allow_nan=False)
        assert found.plot["data"] or found.plot["layout"]["annotations"][0]["text"]
        assert beside(found)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_no_interval_leaves_what_is_possible(study: Trials, figure: Figure) -> None:
    few = drawn(people=3, categories=2)
    for table in (table for trials in (study, few) for table in results(trials, Choice(), (figure.name,))[0].tables):
        bounds = [line.measure.interval for line in table.lines if line.measure.interval is not None]
        least, most = {"share": (0, 1), "points": (-1, 1), "number": (-math.inf, math.inf)}[table.unit]
        assert all(least <= low <= high <= most for low, high in bounds), table.name


def test_the_parts_of_the_brier_score_stand_beside_it_and_add_up(study: Trials) -> None:
    [found] = results(study, Choice(), ("calibration",))
    scores = next(table for table in found.tables if table.name == "calibration")
    known = {line.of["score"]: line.measure.value for line in scores.lines if line.of["paradigm"] == PARADIGMS[0].name}
    parts = [
        known[f"Brier: {name}"] or 0
        for name in ("reliability", "resolution", "uncertainty", "variance within bins", "covariance within bins")
    ]
    assert known["Brier score"] == pytest.approx(parts[0] - parts[1] + parts[2] + parts[3] - parts[4])


def test_names_of_tables_are_their_own_since_files_have_them(study: Trials) -> None:
    names = [table.name for found in results(study, Choice()) for table in found.tables]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[a-z_]+", name) for name in names)


def test_what_rules_leave_out_is_counted_and_comes_back_where_it_is_asked_for(study: Trials) -> None:
    left = sum(1 for row in study.rows if row.excluded)
    without, also = (results(study, Choice(with_excluded=way), ("accuracy",))[0] for way in (False, True))
    assert (
        left
        and f"{left} left out by declared rules" in without.counts
        and f"{left} that declared rules leave out are counted" in also.counts
    )
    n, all_n = (sum(line.measure.n for line in found.tables[0].lines) for found in (without, also))
    answered = sum(1 for row in study.rows if row.excluded and row.answered)
    assert all_n - n == 2 * answered  # once in its category, once in all


def test_accuracy_is_the_share_right_of_what_was_answered(study: Trials) -> None:
    [found] = results(study, Choice(), ("accuracy",))
    way = study.rows[0].paradigm
    kept = [row for row in study.rows if row.paradigm == way and not row.excluded]
    line = next(line for line in found.tables[0].lines if line.of == {"paradigm": way, "category": "All tasks"})
    answered = [row for row in kept if row.answered]
    assert line.measure.value == pytest.approx(sum(bool(row.strict) for row in answered) / len(answered))
    assert (line.measure.n, line.measure.n_missing) == (len(answered), len(kept) - len(answered))
    assert line.beside["chance"] == pytest.approx(0.25)


def test_a_csv_has_every_number_unrounded_and_no_cell_is_a_formula(study: Trials) -> None:
    [found] = results(study, Choice(), ("accuracy",))
    table = found.tables[0]
    spoiled = replace(table, lines=[replace(table.lines[0], of={"paradigm": "=1+1", "category": "x"}), *table.lines[1:]])
    text = as_csv(spoiled)
    assert "'=1+1" in text
    second = table.lines[1].measure
    assert repr(second.value) in text and second.interval and repr(second.interval[0]) in text
    assert as_json([found])[0]["tables"][0]["rows"][1] == row_of(table, table.lines[1])


# the look


def _linear(colour: str) -> list[float]:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted(
        (sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), _linear(x), strict=True)) for x in (one, other)), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


def test_colours_can_be_seen_on_both_pages_and_no_two_paradigms_look_alike() -> None:
    from app.theme import CONFIG

    papers = [CONFIG["theme.light.backgroundColor"], CONFIG["theme.dark.backgroundColor"]]
    for colour in (*style.COLOURS, style.GREY):
        assert all(_contrast(colour, paper) >= 3 for paper in papers), colour
    looks = [style.of_paradigm(way.name) for way in PARADIGMS]
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in combinations(looks, 2))


@pytest.mark.parametrize(("groups", "ways", "tallest"), [(6, 4, 600), (29, 5, 1600)])
def test_a_drawing_of_many_intervals_is_no_roll_of_paper(groups: int, ways: int, tallest: int) -> None:
    lines = [
        Line({"paradigm": way.name, "category": f"group {n}"}, Measure(0.5, 40, "made up", (0.4, 0.6)))
        for n in range(groups)
        for way in PARADIGMS[:ways]
    ]
    made = dots.draw("Accuracy")([Table("rows", {"category": "Category"}, lines)])
    assert 300 < made.layout.height <= tallest
    places = sorted(y for trace in made.data for y in trace.y)
    assert len(places) == groups * ways and min(b - a for a, b in pairwise(places)) * (made.layout.height / groups) >= 7
