"""How well stated confidence tells whether answers are right: the reliability diagram with its histogram, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from plotly.subplots import make_subplots

from data.plurals import number_of
from study.analysis.calibrated import DRAWN_ANEW, RISES, Calibration, calibration_of
from study.analysis.figures.figure import Choice, Figure, Line, Table
from study.analysis.figures.rows import by_paradigm, chosen
from study.analysis.figures.style import GREY, TEMPLATE, bars, empty, in_words, of_paradigm, told
from study.analysis.trials import Trials
from study.measures.record import Measure

BIN = {"paradigm": "Paradigm", "bin": "Confidence from – to", "confidence": "Mean confidence"}
SCORE = {"paradigm": "Paradigm", "score": "Score", "beside": "Beside it", "what": "which is"}


PARTS = "Brier score = reliability − resolution + uncertainty + variance − covariance within bins (Murphy 1973; Stephenson et al. 2008)"
PART = "a part of the Brier score, which has the interval"


def _parts(found: Calibration) -> Iterator[tuple[str, Measure, str]]:
    """The parts of the Brier score: name, value, what it is."""
    score = found.brier
    for name, value, what in (
        ("Brier: reliability", score.reliability, "less is better calibrated"),
        ("Brier: resolution", score.resolution, "more tells right from wrong"),
        ("Brier: uncertainty", score.uncertainty, "of the tasks alone"),
        ("Brier: variance within bins", score.within_variance, "confidence differs within a bin"),
        ("Brier: covariance within bins", score.within_covariance, "and goes with being right there"),
    ):
        yield (
            name,
            replace(score.score, value=value, interval=None, method=PARTS, reason=score.score.reason if value is None else PART),
            what,
        )


def _tables(trials: Trials, choice: Choice) -> Sequence[Table]:
    points, scores, notes = [], [], [RISES, DRAWN_ANEW]
    for way, rows in by_paradigm(chosen(trials, choice)):
        found = calibration_of(rows, choice)
        for one in found.diagram:
            label = f"{100 * one.low:.0f} – {100 * one.high:.0f} %"
            points.append(Line({"paradigm": way, "bin": label}, one.right, {"confidence": one.confidence}))
        each = (
            ("Brier score", found.brier.score, found.brier.base_rate, "the score of always stating the share right"),
            ("calibration error, equal width", found.error.error, found.error.expected, "that of perfect calibration"),
            ("calibration error, equal counts", found.error_adaptive.error, found.error_adaptive.expected, "that of perfect calibration"),
            *((name, measure, None, what) for name, measure, what in _parts(found)),
            ("type-2 AUROC, mean of people", found.auroc, 0.5, "that of confidence that tells nothing"),
            ("mean confidence", found.confidence, None, ""),
        )
        for name, measure, beside, what in each:
            scores.append(Line({"paradigm": way, "score": name}, measure, {"beside": beside, "what": what}))
        if found.without_auroc:
            notes.append(
                f"{in_words(way)}: {number_of(found.without_auroc, 'person has', 'people have')} no right or no wrong answer "
                "with a confidence, so no AUROC."
            )
        if found.confidence_stops:
            notes.append(
                f"{in_words(way)}: {number_of(found.confidence_stops, 'run of a model was', 'runs of models were')} stopped by confidence."
            )
    return [
        Table("reliability", BIN, points, units={"confidence": "share"}, heading="Right"),
        Table("calibration", SCORE, scores, notes, unit="number", units={"beside": "number"}, heading="Value", title="Scores", drawn=False),
    ]


def _draw(tables: Sequence[Table]) -> Any:
    lines = [line for line in tables[0].lines if line.measure.value is not None]
    if not lines:
        return empty("No answer has a confidence yet.")
    made = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.76, 0.24], vertical_spacing=0.06)
    made.update_layout(template=TEMPLATE, height=560, barmode="group", margin={"t": 44})
    made.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": GREY, "dash": "dash", "width": 1}, name="perfect", hoverinfo="skip")
    for way in dict.fromkeys(str(line.of["paradigm"]) for line in lines):
        of = [line for line in lines if line.of["paradigm"] == way]
        colour, sign = of_paradigm(way)
        x, text = [line.beside["confidence"] for line in of], [f"{in_words(way)}, {line.of['bin']}: {told(line)}" for line in of]
        made.add_scatter(
            x=x, y=[line.measure.value for line in of], mode="lines+markers", name=in_words(way), line={"color": colour, "width": 1},
            marker={"symbol": sign, "size": 9, "color": colour}, error_y={**bars(of), "color": colour}, text=text,
            hovertemplate="%{text}<extra></extra>", row=1, col=1,
        )  # fmt: skip
        made.add_bar(
            x=x, y=[line.measure.n for line in of], marker={"color": colour}, showlegend=False, width=0.012, text=text, textposition="none",
            hovertemplate="%{text}<extra></extra>", row=2, col=1,
        )  # fmt: skip
    made.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2)
    made.update_xaxes(title_text="Mean stated confidence", row=2, col=1)
    made.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", dtick=0.2, title_text="Right answers", row=1, col=1)
    made.update_yaxes(title_text="Answers", row=2, col=1)
    return made


FIGURES = (
    Figure(
        name="calibration",
        title="Reliability of confidence",
        definition=(
            "Answers in bins of ten percent of stated confidence: the share that is right over the mean confidence, with their number "
            "below. On the dashed line confidence is what it says. Answers without a confidence are missing. Scores: Brier (1950), Murphy "
            "(1973), calibration error (Naeini et al. 2015), type-2 AUROC of each person (Galvin et al. 2003)."
        ),
        tables=_tables,
        draw=_draw,
    ),
)
