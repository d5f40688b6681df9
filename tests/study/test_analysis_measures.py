"""What is computed of trials: each figure against a count by hand, and a sentence where it cannot be said."""

from __future__ import annotations

import pytest

from study.analysis.agreed import agreed_of
from study.analysis.beliefs import over_time, probe_arm_of
from study.analysis.budgets import by_factor, truncated
from study.analysis.calibrated import calibration_of
from study.analysis.choice import Choice
from study.analysis.items import flagged, items_of
from study.analysis.metacognition import metacognition_of
from study.analysis.paths import believed, changes, contrastive_of
from study.analysis.steps import steps_by_subcategory, steps_of
from study.analysis.stopping import repeating_of, stopping_of
from study.analysis.trials import Belief, Move, Path, Trial, View
from tests.study.made_trials import trial, trials_of

ALL = Choice()


def id_of(row: Trial) -> str:
    return row.episode_id


def test_steps_are_those_before_right_answers_alone() -> None:
    rows = [
        trial("a", "t1", "active", True, observations=5),
        trial("b", "t1", "active", True, observations=9),
        trial("a", "t2", "active", True, observations=4, stopped_by="confidence_threshold"),
        trial("b", "t2", "active", False, observations=30),
        trial("c", "t2", "active", None, observations=30),
        trial("c", "t1", "single_view", True, observations=1),
    ]
    found = steps_of(rows, ALL)
    assert found.actions.value == pytest.approx((4 + 8 + 3) / 3) and found.observations.value == pytest.approx(6)
    assert (found.actions.n, found.actions.n_missing, found.wrong, found.confidence_stops) == (3, 1, 1, 1)
    [one] = steps_by_subcategory(rows, ALL)
    assert one.faculty == "layout and geometry" and one.paradigm == "active"
    wrong = steps_of([rows[3]], ALL)
    assert wrong.actions.value is None and wrong.actions.reason == "no answer is right yet"
    assert "nobody acted" in steps_of([rows[5]], ALL).actions.reason and "nobody acted" in steps_of([], ALL).actions.reason


def test_calibration_leaves_out_and_counts_answers_without_confidence() -> None:
    rows = [
        trial("a", "t1", "active", True, confidence=90),
        trial("b", "t1", "active", False, confidence=60),
        trial("a", "t2", "active", True, confidence=80),
        trial("b", "t2", "active", True, confidence=None),
        trial("a", "t3", "active", True, confidence=70, excluded=("rejected",)),
    ]
    found = calibration_of(rows, ALL)
    assert found.brier.score.value == pytest.approx((0.01 + 0.36 + 0.04) / 3)
    assert (found.brier.score.n, found.brier.score.n_missing, found.brier.score.n_excluded) == (3, 1, 1)
    assert found.confidence.value == pytest.approx(2.3 / 3) and found.without_auroc == 2
    assert [point.right.n for point in found.diagram] == [1, 1, 1]
    assert found.error.error.value == pytest.approx((0.1 + 0.6 + 0.2) / 3)


def test_confidence_never_given_is_a_sentence_everywhere() -> None:
    found = calibration_of([trial("a", "t1", "active", True, confidence=None)], ALL)
    for measure in (found.brier.score, found.error.error, found.error_adaptive.error, found.confidence, found.auroc):
        assert measure.value is None and measure.reason == "no answer has a confidence" and measure.n_missing == 1
    assert found.diagram == () and found.brier.reliability is None


def view(seq: int, x: float, yaw: float) -> View:
    return View(seq, (x, 0.0, 1.0), yaw, 0.0)


def beliefs(*answers: str | None) -> tuple[Belief, ...]:
    return tuple(Belief(k, answer, answer == "right" if answer else None, 50 + k) for k, answer in enumerate(answers))


def test_metacognition_is_of_trajectories_and_missing_is_not_no() -> None:
    rows = [trial(person, task, "active", True) for person in "abc" for task in ("t1", "t2")]
    still, moved = (view(0, 0, 0), view(1, 0.25, 15)), (view(0, 0, 0), view(1, 0.25, 15), view(2, 1.0, 0))
    paths = {
        id_of(rows[0]): Path(beliefs=beliefs("wrong", "right"), views=moved, contrastive=True, revised_after_contrastive=True),
        id_of(rows[1]): Path(beliefs=beliefs("wrong", None, "wrong"), views=still, contrastive=False, revised_after_contrastive=False),
        id_of(rows[2]): Path(beliefs=beliefs("wrong"), views=moved, contrastive=None),
        id_of(rows[3]): Path(beliefs=(), views=()),
    }
    found = metacognition_of(trials_of(rows, paths), rows, ALL)
    assert (found.trajectories, found.diversity.value, found.diversity.n, found.diversity.n_missing) == (6, pytest.approx(2 / 3), 3, 3)  # type: ignore[comparison-overlap]
    assert (found.revised.value, found.revised.n, found.revised.n_missing) == (0.5, 2, 4)
    assert (found.contrastive.value, found.contrastive.n) == (0.5, 2) and found.revised_after_contrastive.n == 2
    by_rule = {(rule.metres, rule.viewpoints): measure.value for rule, measure in found.sensitivity}
    assert by_rule[(2.0, 2)] == 0.0 and by_rule[(1.0, 3)] == 0.0 and by_rule[(1.0, 2)] == pytest.approx(2 / 3)


def test_nothing_labelled_is_none_and_never_zero() -> None:
    rows = [trial("a", "t1", "active", True)]
    found = metacognition_of(trials_of(rows), rows, ALL)
    assert found.contrastive.value is None and "labelled by two coders" in found.contrastive.reason
    assert found.revised.value is None and "two stated answers" in found.revised.reason
    passive = [trial("a", "t1", "single_view", True)]
    assert "nobody acted" in metacognition_of(trials_of(passive), passive, ALL).diversity.reason


def test_not_sure_after_an_answer_is_no_revision_and_the_last_belief_at_a_view_counts() -> None:
    assert changes(beliefs("wrong", None, "wrong")) == [] and changes(beliefs("wrong", None)) is None
    assert changes(believed([(0, "a", None, 1), (0, "b", None, 2), (2, "b", None, 3)])) == []
    held = believed([(0, "a", True, 60), (0, None, None, 10), (1, None, None, 10), (1, "b", False, 20), (2, None, None, 5)])
    assert [(one.seq, one.answer, one.confidence) for one in held] == [(0, "a", 60), (1, "b", 20), (2, None, 5)]
    labels = [(coder, seq, "contrastive" if seq == 2 else "redundant") for coder in ("ann", "bob") for seq in (1, 2)]
    assert contrastive_of(labels, 2, beliefs("wrong", "wrong", "right")) == (True, True)
    assert contrastive_of(labels, 2, beliefs("wrong", "right", "right")) == (True, False)
    assert contrastive_of(labels, 2, beliefs("wrong")) == (True, None)
    assert contrastive_of(labels[:2], 2, beliefs("wrong", "right")) == (None, None), "one coder is not enough"
    assert contrastive_of(labels[:3], 2, ()) == (None, None), "who did not label every view does not count"


def test_stopping_is_measured_only_where_evidence_is_declared() -> None:
    declared = {"evidence_declared": True}
    rows = [
        trial("a", "t1", "active", True, observations=10, evidence_seq=3, **declared),
        trial("b", "t1", "active", False, observations=4, evidence_seq=None, **declared),
        trial("a", "t2", "active", True, observations=5, evidence_seq=4, **declared),
        trial("b", "t2", "active", True, observations=30),
        trial("c", "t2", "active", None, **declared),
    ]
    found = stopping_of(rows, ALL)
    assert (found.premature.value, found.premature.n, found.premature.n_missing) == (pytest.approx(1 / 3), 3, 2)  # type: ignore[comparison-overlap]
    assert (found.evidence_time.value, found.views_after.value, found.late.value) == (3.5, 3.0, 0.5)
    none = stopping_of([rows[3]], ALL)
    for measure in (none.evidence_time, none.premature, none.views_after, none.late):
        assert measure.value is None and "none of these tasks declares" in measure.reason
    assert stopping_of([rows[1]], ALL).evidence_time.reason == "the evidence was never seen whole"


def test_repeating_counts_actions_alone_and_keeps_failed_ones() -> None:
    rows = [trial("a", "t1", "active", True), trial("b", "t1", "active", True), trial("a", "t2", "active", True)]
    moves = [("turn_left", True), ("turn_left", False), ("stay", True), ("turn_left", True), ("turn_right", True)]
    paths = {
        id_of(rows[0]): Path(moves=tuple(Move(k + 1, name, ok) for k, (name, ok) in enumerate(moves))),
        id_of(rows[1]): Path(moves=(Move(1, "turn_left", True), Move(2, "move_forward", True))),
        id_of(rows[2]): Path(moves=(Move(1, "turn_left", True),)),
    }
    found = repeating_of(trials_of(rows, paths), rows, ALL)
    assert found.share.value == pytest.approx((2 / 3 + 0) / 2) and found.chance == pytest.approx((0.5 + 0) / 2)
    assert found.bias.value == pytest.approx(((2 / 3 - 1 / 2) + 0) / 2) and found.bias.n_missing == 1


def test_a_truncated_curve_holds_what_was_thought_last_and_says_its_kind() -> None:
    rows = [
        trial("a", "t1", "active", True, observations=12),
        trial("b", "t1", "active", False, observations=4),
        trial("a", "t2", "active", True, observations=20),
        trial("b", "t2", "active", True, observations=12, probed=False),
    ]
    said = (Belief(2, "x", False, 40), Belief(4, None, None, 40), Belief(7, "y", True, 60))
    found = truncated(trials_of(rows, {id_of(rows[0]): Path(beliefs=said)}), rows, ALL)
    assert [(point.budget, point.right.n, point.right.n_missing) for point in found[:3]] == [(5, 2, 1), (10, 2, 1), (15, 2, 1)]
    assert found[0].kind == "truncated" and found[0].right.value == 0 and found[0].ended == 1
    assert (found[1].right.value, found[2].right.value, found[3].right.value) == (0.5, 0.5, pytest.approx(2 / 3))  # type: ignore[comparison-overlap]
    assert max(point.budget for point in found) == 30 and by_factor(rows, ALL) == []


def test_budgets_as_a_factor_are_another_curve() -> None:
    rows = [trial("a", "t1", "active", True, budget=10), trial("b", "t1", "active", False, budget=30), trial("c", "t1", "active", True)]
    assert [(point.kind, point.budget, point.right.value) for point in by_factor(rows, ALL)] == [("factor", 10, 1.0), ("factor", 30, 0.5)]
    short = truncated(trials_of(rows), rows, ALL)
    assert [(point.budget, point.right.n) for point in short if point.budget in (10, 15)] == [(10, 3), (15, 2)]


def test_belief_over_time_is_of_those_still_on_the_way() -> None:
    rows = [trial("a", "t1", "active", True, observations=3), trial("b", "t1", "active", True, observations=2)]
    paths = {id_of(rows[0]): Path(beliefs=beliefs("wrong", None, "right")), id_of(rows[1]): Path(beliefs=(Belief(1, "right", True, 90),))}
    found = over_time(trials_of(rows, paths), rows, ALL)
    assert [(m.view, m.going, m.right.n, m.right.value) for m in found] == [(0, 2, 1, 0.0), (1, 2, 2, 0.5), (2, 1, 1, 1.0)]
    assert found[1].confidence.value == pytest.approx((0.51 + 0.90) / 2) and found[0].right.n_missing == 1
    assert over_time(trials_of([]), [], ALL) == []


def test_the_arm_without_probes_is_held_against_the_other() -> None:
    rows = [
        trial("a", "t1", "active", True, observations=10), trial("b", "t1", "active", True, observations=12),
        trial("c", "t1", "active", False, observations=6, probed=False), trial("d", "t2", "active", True, observations=4, probed=False),
        trial("d", "t1", "single_view", True, probed=False),
    ]  # fmt: skip
    found = probe_arm_of(rows, ALL)
    assert (found.accuracy.value, found.observations.value, found.probed, found.unprobed) == (0.5, 6.0, 2, 2)
    assert found.accuracy.interval is not None and found.confidence.value == pytest.approx(0)
    assert "no arm without" in probe_arm_of(rows[:2], ALL).accuracy.reason and probe_arm_of([], ALL).accuracy.value is None


def test_agreement_is_of_answers_to_the_same_task_in_the_same_paradigm() -> None:
    rows = [
        trial("a", "t1", "active", True, answer='"x"'), trial("b", "t1", "active", True, answer='"x"'),
        trial("c", "t1", "active", False, answer='"y"'), trial("a", "t2", "active", False, answer='"y"'),
        trial("b", "t2", "active", False, answer='"y"'), trial("c", "t2", "single_view", True, answer='"x"'),
    ]  # fmt: skip
    found = agreed_of(rows, ALL)
    assert found.units == 2 and found.answers.value == pytest.approx((1 / 3 + 1) / 2) and found.outcome.value is not None
    alone = agreed_of(rows[:1], ALL)
    assert alone.answers.value is None and alone.answers.reason == "no task has two answers in one paradigm"
    assert agreed_of([], ALL).answers.value is None


def test_items_are_told_by_task_and_paradigm_and_flagged_ones_come_first() -> None:
    rows = [trial(f"p{k}", task, "active", task != "t9", confidence=95) for k in range(8) for task in ("t1", "t2", "t9")]
    found = items_of(rows, ALL)
    assert [(one.task_id, one.paradigm, one.item.difficulty.value) for one in found] == [
        ("t1", "active", 1.0), ("t2", "active", 1.0), ("t9", "active", 0.0),
    ]  # fmt: skip
    [bad] = flagged(found)
    assert bad.task_id == "t9" and set(bad.item.flags) == {"below_chance", "confidently_wrong"} and items_of([], ALL) == []
