"""A study's trials, read from its database and from its export alone, are the same, and an edited export is no source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from data.task import Evidence
from study import access, participants
from study.analysis import evidence, leaving_out
from study.analysis.accuracy import accuracy_of, by, chance_of, comparisons_of, excluded, matched, verdicts_of
from study.analysis.choice import Choice
from study.analysis.exported import ExportUnreadable, exported
from study.analysis.published import COLUMNS, HUMAN, published
from study.analysis.stored import stored
from study.analysis.trials import Trial, Trials
from study.export import export
from study.forms import answers
from study.labels import views
from study.studies import create_study, publish, revise
from tests.present import present
from tests.study.made_trials import trial

RIGHT, WRONG = "near the lamp", "near the bowl"


@dataclass
class Played:
    study: str
    people: list[str]
    episodes: list[str]


@pytest.fixture
def played(store: Any, engine: Any, make_task: Any) -> Played:
    """Three people of one study in which a thing behind the start has to be seen: right, wrong, not in time; a fourth is on the way."""
    task = make_task(evidence=(Evidence(kind="seen", step=2, handle="object_3", low=1),), gt_trajectory=("turn_left",) * 12)
    store.put_task(task)
    study = create_study(store, "Lamps", state="live", tasks=(task.content_hash,), trials=1, min_categories=1)
    token = access.create_invite(store, "participant", study.study_id)
    people, episodes = [], []
    for number, (answer, confidence) in enumerate([(RIGHT, 80), (WRONG, 60), (None, None), ("", None)]):
        person = access.enter(store, token)[1].participant_id
        participants.advance(store, present(person), "welcome")
        participants.advance(store, present(person), "consent")
        episode = participants.place(store, engine, present(person)).episode_id
        epoch = engine.open(episode, tab="a").epoch
        engine.act(episode, epoch, 1, "turn_left")
        engine.belief(episode, epoch, 1, WRONG, 40)
        engine.belief(episode, epoch, 2, RIGHT, 50)
        for turn in range(2, 13 if number == 0 else 3):
            engine.act(episode, epoch, turn, "turn_left")
        engine.belief(episode, epoch, 3, WRONG, 70)
        if answer is None:
            engine.end(episode, "time_out")
        elif answer:
            engine.answer(episode, epoch, answer, confidence)
        people.append(person)
        episodes.append(episode)
    return Played(study.study_id, people, episodes)  # type: ignore[arg-type]


def test_both_ways_of_reading_give_the_same_trials_and_paths(played: Played, store: Any, frames: Any, tmp_path: Path) -> None:
    for coder in ("ann", "bob"):
        for seq in (1, 2):
            views.put(store, played.study, played.episodes[1], coder, seq, "contrastive" if seq == 2 else "redundant")
    export(store, frames, tmp_path / "out", study_id=played.study, images="none")
    here, there = stored(store, played.study), exported(tmp_path / "out")
    assert here.rows == there.rows and len(here.rows) == 3
    assert [here.path(row.episode_id) for row in here.rows] == [there.path(row.episode_id) for row in there.rows]
    same = ("study_id", "title", "mode", "versions", "people", "withdrawn", "unfinished")
    assert [getattr(here, name) for name in same] == [getattr(there, name) for name in same]
    assert (here.people, here.withdrawn, here.unfinished) == (4, 0, 1)


def test_a_tasks_document_is_read_once_for_trials_and_once_for_paths(played: Played, store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    read = store.get_task
    monkeypatch.setattr(store, "get_task", lambda task: asked.append(task) or read(task))  # type: ignore[func-returns-value]
    trials = stored(store, played.study)
    assert trials.rows[0].evidence_declared and asked == [trials.rows[0].task]
    assert all(trials.path(row.episode_id).beliefs for row in trials.rows) and asked == [trials.rows[0].task] * 2


def test_a_trial_says_what_was_answered_and_how_it_came_about(played: Played, store: Any) -> None:
    trials = stored(store, played.study)
    first, second, third = trials.rows
    assert (first.right(), second.right(), third.right()) == (True, False, None)
    assert (first.agent, first.person, first.number, first.probed, first.chance) == ("human", played.people[0], 0, True, 0.5)
    assert (first.confidence, third.confidence, third.answered, first.observations) == (80, None, False, 13)
    path = trials.path(played.episodes[1])
    assert [(b.seq, b.correct, b.confidence) for b in path.beliefs] == [(1, True, 50), (2, False, 70)]
    assert [move.action for move in path.moves] == ["turn_left", "turn_left"] and len(path.views) == 3
    assert path.contrastive is None and path.revised_after_contrastive is None


def test_evidence_time_is_the_first_view_that_holds_what_decides(played: Played, store: Any) -> None:
    first, second, _ = stored(store, played.study).rows
    assert first.evidence_declared and first.evidence_seq is not None and first.evidence_seq > 2
    assert second.evidence_declared and second.evidence_seq is None


def test_evidence_that_pixels_do_not_express_is_not_declared(make_task: Any) -> None:
    done = make_task(evidence=(Evidence(kind="done", step=1), Evidence(kind="seen", handle="object_1")))
    assert evidence.wanted(done) == () and evidence.wanted(make_task()) == ()
    pieces = evidence.wanted(make_task(evidence=(Evidence(kind="seen", handle="object_1"),)))
    assert evidence.reached(pieces, evidence.observed([(0, "start", {"object_1": 60}), (1, "action", {})])) == (False, None)
    assert evidence.reached(pieces, evidence.observed([(0, "start", {"object_1": 59}), (1, "action", {"object_1": 60})])) == (True, 1)


def test_a_thing_counts_only_in_its_part_of_the_task(make_task: Any, two_part_scene: Any) -> None:
    task = make_task(
        scene=two_part_scene(),
        gt_trajectory=("turn_left", "turn_left", "turn_right"),
        gt_phase_starts=(2,),
        evidence=(Evidence(kind="seen", handle="object_1"),),
    )
    assert evidence.wanted(task) == (evidence.Wanted("object_1", 60, 1),)
    steps = [(0, "start", {}), (1, "action", {"object_1": 99}), (2, "phase", {}), (3, "action", {"object_1": 99})]
    assert evidence.reached(evidence.wanted(task), evidence.observed(steps)) == (True, 3)


def test_an_edited_export_is_refused_by_the_name_of_its_table(played: Played, store: Any, frames: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(store, frames, out, study_id=played.study, images="none")
    file = out / "tables" / "answers.parquet"
    whole = pq.read_table(file)
    pq.write_table(whole.slice(0, 1), file)
    with pytest.raises(ExportUnreadable, match="table answers of the export out was changed after it was written"):
        exported(out)
    file.unlink()
    with pytest.raises(ExportUnreadable, match="has no table answers"):
        exported(out)
    manifest = json.loads((out / "vantage_export.json").read_text())
    (out / "vantage_export.json").write_text(json.dumps({**manifest, "sha256": {}}))
    with pytest.raises(ExportUnreadable, match="export it again"):
        exported(out)
    with pytest.raises(ExportUnreadable, match="is no export"):
        exported(tmp_path)


def test_an_export_of_several_studies_wants_a_name(played: Played, store: Any, frames: Any, tmp_path: Path) -> None:
    export(store, frames, tmp_path / "out", study_id=played.study, images="none")
    with pytest.raises(ExportUnreadable, match="has no study 'st_other'"):
        exported(tmp_path / "out", "st_other")


ROWS = [
    trial("a", "t1", "active", True), trial("b", "t1", "active", True), trial("c", "t1", "single_view", False),
    trial("d", "t1", "single_view", True), trial("a", "t2", "single_view", False), trial("b", "t2", "single_view", False),
    trial("c", "t2", "active", True), trial("d", "t2", "active", False), trial("a", "t3", "active", False),
    trial("b", "t3", "active", None), trial("c", "t3", "active", True, excluded=("rejected",)),
]  # fmt: skip


def test_accuracy_counts_what_is_missing_and_left_out_apart() -> None:
    active = by(ROWS, "paradigm")[("active",)]
    found = accuracy_of(active, Choice())
    assert (found.value, found.n, found.n_missing, found.n_excluded) == (0.6, 5, 1, 1)
    whole = accuracy_of(active, Choice(with_excluded=True))
    assert (whole.n, whole.n_missing, whole.n_excluded) == (6, 1, 0)
    assert chance_of(active, Choice()) == 0.5 and chance_of([], Choice()) is None
    assert excluded(ROWS, Choice(paradigms=("single_view",))) == 0
    verdict = verdicts_of(active, Choice())
    assert (verdict.right, verdict.undecided, verdict.share.n, verdict.share.n_missing) == (1, 1, 3, 1)


def test_matched_tasks_are_those_answered_in_every_compared_paradigm() -> None:
    assert {row.task_id for row in matched(ROWS, Choice())} == {"t1", "t2"}
    assert {row.task_id for row in matched(ROWS, Choice(paradigms=("active",)))} == {"t1", "t2", "t3"}
    assert matched([], Choice()) == []


def test_paradigms_are_compared_on_matched_tasks_with_a_corrected_test() -> None:
    [found] = comparisons_of(ROWS, Choice())
    assert (found.one, found.other, found.tasks, found.family) == ("active", "single_view", 2, 1)
    assert found.random.value == pytest.approx(1 / 4 - 3 / 4) and found.random.n == 8
    assert found.fixed.value == pytest.approx(-0.5) and found.fixed.n == 4 and found.test.p == found.p_holm
    assert comparisons_of([row for row in ROWS if row.paradigm == "active"], Choice()) == []
    [apart] = comparisons_of([trial("a", "t1", "active", True), trial("a", "t2", "single_view", True)], Choice())
    assert apart.random.value is None and apart.random.reason == "no task was answered in both" and apart.p_holm is None


@pytest.mark.parametrize(("rows", "says"), [([], "nobody has answered yet"), ([trial("a", "t", "active", None)], "has a scored answer")])
def test_no_answers_have_a_sentence(rows: list[Trial], says: str) -> None:
    found = accuracy_of(rows, Choice())
    assert found.value is None and says in found.reason and found.n_missing == len(rows)


def test_published_means_of_people_are_those_of_the_table() -> None:
    """ESI-Bench, Table 2 with plain means over subcategories, then categories: 49.5, 49.9, 77.5 and 84.3 percent."""
    ways = ("single_view", "multi_view", "active", "gt_passive")
    assert [round(100 * (published(way) or 0), 1) for way in ways] == [49.5, 49.9, 77.5, 84.3]
    assert published("active", "Spatial Relations", "Physical Contact") == 0.883 and published("yoked") is None
    assert published("active", "Cooking") is None and len(HUMAN) == 29 and len(COLUMNS) == 4


def test_rows_are_plain_values() -> None:
    assert msgspec.json.decode(msgspec.json.encode(ROWS[0]), type=Trial) == ROWS[0]
    assert Trials.__struct_fields__[0] == "study_id"


def write(store: Any, sql: str, *values: object) -> None:
    with store.atomic() as db:
        db.execute(sql, list(values))


def test_declared_rules_leave_answers_out_and_both_readings_say_by_which(
    store: Any, engine: Any, frames: Any, make_task: Any, tmp_path: Path
) -> None:
    task = make_task()
    store.put_task(task)
    rules = {"exclusions": {"attention_missed": 2, "clipped": True}}
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, min_categories=1, forms=("attention",), **rules)
    token = access.create_invite(store, "participant", study.study_id)
    for missed in (0, 1, 2):
        person = access.enter(store, token)[1].participant_id
        participants.advance(store, present(person), "welcome")
        participants.advance(store, present(person), "consent")
        episode = participants.place(store, engine, present(person)).episode_id
        epoch = engine.open(episode, tab="a").epoch
        engine.answer(episode, epoch, RIGHT, 80)
        for occasion in range(missed):
            showing = answers.show(store, present(person), study.forms[0], occasion)
            write(store, "UPDATE form_showings SET sent_at = made_at, passed = 0 WHERE showing_id = ?", showing.showing_id)
    write(
        store,
        "UPDATE episodes SET flags = ? WHERE participant_id = (SELECT participant_id FROM participants WHERE number = 0)",
        '["clipped"]',
    )
    here = stored(store, study.study_id)
    assert [row.excluded for row in here.rows] == [("clipped",), (), ("attention_missed",)]
    export(store, frames, tmp_path / "out", study_id=study.study_id, images="none")
    assert exported(tmp_path / "out").rows == here.rows
    found = accuracy_of(here.rows, Choice())
    assert (found.n, found.n_excluded, accuracy_of(here.rows, Choice(with_excluded=True)).n) == (1, 2, 3)


def test_a_rule_that_was_added_later_leaves_out_nobody_who_had_come_before(played: Played, store: Any) -> None:
    write(store, "UPDATE participants SET state = 'stopped' WHERE participant_id = ?", played.people[0])
    revise(store, played.study, exclusions={"stopped": True})
    assert publish(store, played.study).exclusions.stopped
    assert all(row.excluded == () for row in stored(store, played.study).rows)
    write(store, "UPDATE participants SET version = 2 WHERE participant_id = ?", played.people[0])
    assert [row.excluded for row in stored(store, played.study).rows] == [("stopped",), (), ()]


def test_a_rejected_answer_is_left_out_and_counts_where_it_is_asked_for(played: Played, store: Any, engine: Any) -> None:
    engine.end(played.episodes[0], "reject")
    rows = stored(store, played.study).rows
    assert rows[0].excluded == ("rejected",) and accuracy_of(rows, Choice()).value == 0
    assert accuracy_of(rows, Choice(with_excluded=True)).value == 0.5 and set(leaving_out.RULES) >= {"rejected", "stopped"}
