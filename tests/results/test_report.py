"""The report: one page that needs no network, its tables, every measure, and the pictures."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from study.analysis.figures import FIGURES
from study.analysis.figures.figure import Choice
from study.analysis.report import pictures
from study.analysis.report.about import Section
from study.analysis.report.writing import ReportRefused, write_report
from study.analysis.results import results
from study.analysis.trials import Trials


def test_a_report_has_every_figure_on_a_page_without_a_network_as_csv_and_as_json(study: Trials, tmp_path: Path) -> None:
    about = Section("Plan", (("Hash", "<b>&</b>"),), ("A sentence.",))
    written = write_report(study, Choice(), [about], tmp_path / "report", pictures=False)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "report" / "figures.json").read_text(encoding="utf-8"))
    assert written.figures == len(FIGURES) == len(told["without_excluded"]) == len(told["with_excluded"])
    assert page.count("<script>") == 1 and "&lt;b&gt;&amp;" in page and "A sentence." in page
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    for figure in FIGURES:
        assert f'id="{figure.name}"' in page and figure.title in page
    for found in results(study, Choice()):
        for table in found.tables:
            text = (tmp_path / "report" / "tables" / f"{table.name}.csv").read_text(encoding="utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text)))
            assert [row["value"] for row in rows] == ["" if x.measure.value is None else repr(x.measure.value) for x in table.lines]


def test_both_ways_stand_in_it_and_it_says_whether_they_differ(study: Trials, tmp_path: Path) -> None:
    write_report(study, Choice(), [], tmp_path / "a", pictures=False)
    told = json.loads((tmp_path / "a" / "figures.json").read_text(encoding="utf-8"))
    assert told["without_excluded"] != told["with_excluded"]
    assert "leave out" in (tmp_path / "a" / "report.html").read_text(encoding="utf-8")


def test_a_study_that_cannot_say_has_a_report_all_the_same(edge: Trials, tmp_path: Path) -> None:
    write_report(edge, Choice(), [], tmp_path / "report", pictures=False)
    json.loads((tmp_path / "report" / "figures.json").read_text(encoding="utf-8"), parse_constant=lambda name: pytest.fail(name))


def test_an_earlier_report_is_replaced_and_nothing_else(study: Trials, tmp_path: Path) -> None:
    write_report(study, Choice(), [], tmp_path / "report", pictures=False)
    write_report(study, Choice(), [], tmp_path / "report", pictures=False)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ReportRefused, match="something that is no report"):
        write_report(study, Choice(), [], tmp_path / "mine", pictures=False)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_without_a_browser_it_says_how_pictures_are_made(study: Trials, tmp_path: Path) -> None:
    written = write_report(study, Choice(), [], tmp_path / "report", program=None)
    assert written.pictures == 0 and "no browser is installed" in written.note and pictures.HOW in written.note


def test_a_browser_that_draws_nothing_is_told_and_costs_no_report(study: Trials, tmp_path: Path) -> None:
    written = write_report(study, Choice(), [], tmp_path / "report", program="/bin/false")
    assert written.pictures == 0 and "drew none" in written.note
    assert (tmp_path / "report" / "report.html").is_file()


@pytest.mark.browser
def test_a_browser_draws_every_figure(study: Trials, tmp_path: Path) -> None:
    program = pictures.browser()
    assert program, "this test needs chromium"
    written = write_report(study, Choice(), [], tmp_path / "report", program=program)
    assert written.pictures == 2 * len(FIGURES) and written.note == ""
    for figure in FIGURES:
        folder = tmp_path / "report" / "pictures"
        assert (folder / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG\r\n")
        assert figure.title in (folder / f"{figure.name}.svg").read_text(encoding="utf-8")
