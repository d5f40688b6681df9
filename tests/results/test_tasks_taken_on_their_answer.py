"""Tasks that were taken because doing gives their recorded answer: every figure that counts them says so, from wherever it is computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data.fidelity import selected_on_answer
from data.task import Provenance
from study import access, participants
from study.analysis.exported import exported
from study.analysis.figures import FIGURES
from study.analysis.figures.figure import Choice
from study.analysis.report.writing import write_report
from study.analysis.results import beside, counted, results
from study.analysis.stored import stored
from study.analysis.trials import Trials
from study.export import export
from study.studies import create_study
from tests.present import present
from tests.study.conftest import *  # noqa: F403 - the engine and its tasks

from .conftest import gathered, trial

SAID = "3 trials of 2 tasks that were taken because their recorded answers hold here"


def some() -> Trials:
    """Two tasks of five that were taken so, met three times, once by somebody who is left out."""
    others = [trial(p, f"t{n}", (p + n) % 2 == 0) for p in range(3) for n in range(3)]
    taken = [trial(0, "fit", True, selected=True), trial(1, "fit", True, selected=True), trial(1, "order", False, selected=True)]
    return gathered([*others, *taken, trial(2, "order", True, selected=True, excluded=("rejected",))])


def test_every_figure_says_it_in_the_sentence_that_stands_beside_it(tmp_path: Path) -> None:
    found = results(some(), Choice())
    assert len(found) == len(FIGURES)
    for one in found:
        assert SAID in beside(one)[0], one.figure.name
    assert "4 trials of 2 tasks" in counted(some(), Choice(with_excluded=True))
    write_report(some(), Choice(), [], tmp_path / "report", pictures=False)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert page.count(SAID) >= len(FIGURES)


def test_one_of_them_is_one(study: Trials) -> None:
    one = gathered([trial(0, "fit", True, selected=True)])
    assert "1 trial of 1 task that was taken because its recorded answer holds here" in counted(one, Choice())
    assert "recorded answer" not in counted(study, Choice()), "a study without such tasks has nothing to say"


def test_it_is_said_from_the_database_and_from_an_export_alike(
    store: Any, frames: Any, engine: Any, make_task: Any, tmp_path: Path
) -> None:
    released = Provenance(dataset="esi-bench", generator="esi-bench importer 2")
    task = make_task(category="Physical Structure", subcategory="Rigid Containment", provenance=released)
    assert selected_on_answer(task)
    store.put_task(task)
    made = create_study(store, "Lamps", state="live", tasks=(task.content_hash,), trials=1, min_categories=1)
    person = access.enter(store, access.create_invite(store, "participant", made.study_id))[1].participant_id
    for step in ("welcome", "consent"):
        participants.advance(store, present(person), step)
    episode = participants.place(store, engine, present(person)).episode_id
    engine.answer(episode, engine.open(episode, tab="a").epoch, "near the lamp", 80)
    export(store, frames, tmp_path / "export", study_id=made.study_id, images="none")
    within, without = (counted(trials, Choice()) for trials in (stored(store, made.study_id), exported(tmp_path / "export")))
    assert within == without and "1 trial of 1 task that was taken because its recorded answer holds here" in within
