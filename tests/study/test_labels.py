"""What coders say of trajectories: strategies, views, failure modes, and the figures that come of it."""

from __future__ import annotations

from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store
from study.labels import failures, results, shown, strategies, views
from study.labels.shown import NotLabelled
from study.studies import create_study

KIND = ("Metric Comparison", "Dimensional Size")
RIGHT, WRONG = "near the lamp", "near the bowl"


@pytest.fixture
def played(store: Store, engine: Any, make_task: Any) -> tuple[str, list[str]]:
    """A study with three trajectories of two turns: right, right, wrong. Each states a belief at both views, the first two change it."""
    task = make_task()
    store.put_task(task)
    study = create_study(store, "Rooms", tasks=(task.content_hash,), trials=1, min_categories=1)
    found = []
    for number, answer in enumerate((RIGHT, RIGHT, WRONG)):
        options = {"agent_kind": "model" if number == 2 else "script", "agent_name": f"agent {number}"}
        episode = engine.create(task.content_hash, study_id=study.study_id, **options)
        epoch = engine.open(episode, tab="a").epoch
        engine.act(episode, epoch, 1, "turn_left")
        engine.belief(episode, epoch, 1, WRONG, 40)
        engine.belief(episode, epoch, 2, RIGHT, 45)  # thought again of the same view: no revision
        engine.belief(episode, epoch, 3, WRONG, 50)
        engine.act(episode, epoch, 2, "turn_left")
        if number < 2:
            engine.belief(episode, epoch, 4, RIGHT, 80)
        engine.answer(episode, epoch, answer, 80)
        found.append(episode)
    return study.study_id, found


def test_a_coder_sees_neither_who_acted_nor_what_came_of_it(store: Store, played: Any) -> None:
    told = shown.shown(store, played[1][2])
    assert [view.seq for view in told.views] == [0, 1, 2] and told.views[0].action == ""
    assert [view.belief for view in told.views] == ["", WRONG, ""]
    assert "agent" not in repr(told) and "gold" not in repr(told)
    assert {each.episode_id for each in shown.trajectories(store, played[0], outcome="right")} == set(played[1][:2])


def test_strategies_are_made_named_merged_and_split(store: Store, played: Any) -> None:
    study, (one, two, wrong) = played
    around = strategies.create(store, study, KIND, "ann", "Goes around")
    above = strategies.create(store, study, KIND, "ann", "Looks from above")
    strategies.put(store, around.strategy_id, "ann", one)
    strategies.put(store, around.strategy_id, "ann", two)
    strategies.put(store, above.strategy_id, "ann", two)  # it moves
    assert strategies.members(store, study, KIND, "ann") == {one: around.strategy_id, two: above.strategy_id}
    strategies.merge(store, above.strategy_id, around.strategy_id, "ann")
    assert [each.name for each in strategies.of_coder(store, study, KIND, "ann")] == ["Goes around"]
    made = strategies.split(store, around.strategy_id, "ann", [two], "Walks back")
    assert strategies.members(store, study, KIND, "ann") == {one: around.strategy_id, two: made.strategy_id}
    assert strategies.rename(store, made.strategy_id, "ann", "Steps back").name == "Steps back"
    with pytest.raises(NotLabelled, match="none of them"):
        strategies.put(store, around.strategy_id, "ann", wrong)
    with pytest.raises(NotLabelled, match="another coder"):
        strategies.put(store, around.strategy_id, "bob", one)
    with pytest.raises(NotLabelled, match="already"):
        strategies.create(store, study, KIND, "ann", "goes AROUND")
    with pytest.raises(NotLabelled, match="1 to 120"):
        strategies.create(store, study, KIND, "ann", "  ")
    strategies.remove(store, made.strategy_id, "ann")
    assert two not in strategies.members(store, study, KIND, "ann")


def test_table_8_counts_each_coders_strategies_and_how_far_they_agree(store: Store, played: Any) -> None:
    study, (one, two, _) = played
    assert results.strategies(store, study)[0].clusters == {}
    for coder, names in (("ann", ("A", "B")), ("bob", ("Only", "Only"))):
        for episode, name in zip((one, two), names, strict=True):
            known = {each.name: each for each in strategies.of_coder(store, study, KIND, coder)}
            group = known.get(name) or strategies.create(store, study, KIND, coder, name)
            strategies.put(store, group.strategy_id, coder, episode)
    found = results.strategies(store, study)[0]
    assert (found.trajectories, found.grouped, found.clusters, found.published) == (2, 2, {"ann": 2, "bob": 1}, 4)
    assert found.sizes == {"ann": [1, 1], "bob": [2]} and found.agreement == 0.0


def test_the_rand_index_is_that_of_the_published_examples() -> None:
    # the worked examples in scikit-learn's reference of adjusted_rand_score
    assert results.adjusted_rand([0, 0, 1, 2], [0, 0, 1, 1]) == pytest.approx(0.57, abs=0.005)
    assert results.adjusted_rand([0, 0, 0, 0], [0, 1, 2, 3]) == 0.0
    assert results.adjusted_rand([0, 0, 1, 1], [1, 1, 0, 0]) == 1.0


def test_rates_need_two_coders_and_two_beliefs(store: Store, played: Any) -> None:
    study, (one, two, wrong) = played
    before = {each.agent: each for each in results.rates(store, study)}
    assert (before["agent 0"].contrastive, before["agent 0"].labelled) == (None, 0), "missing, not 0"
    assert (before["agent 0"].revised, before["agent 2"].revised, before["agent 2"].believed) == (100.0, None, 0)
    for coder in ("ann", "bob"):
        for episode, second in ((one, "contrastive"), (two, "redundant" if coder == "ann" else "contrastive")):
            views.put(store, study, episode, coder, 1, "redundant")
            views.put(store, study, episode, coder, 2, second, "changed")
    after = {each.agent: each for each in results.rates(store, study)}
    assert (after["agent 0"].contrastive, after["agent 0"].revised_after_contrastive, after["agent 0"].equal_pairs) == (100.0, 100.0, 1.0)
    assert (after["agent 1"].contrastive, after["agent 1"].equal_pairs) == (0.0, 0.5), "one of two is no majority"
    assert after["agent 2"].contrastive is None
    assert after["agent 0"].alpha == 1.0 and before["agent 0"].alpha is None
    assert views.next_of(store, study, "ann", [one, two, wrong]) == wrong
    views.put(store, study, one, "ann", 2, "confirmatory")
    assert views.of_coder(store, one, "ann")[2].label == "confirmatory"
    with pytest.raises(NotLabelled, match="first view"):
        views.put(store, study, one, "ann", 0, "redundant")
    with pytest.raises(NotLabelled, match="got 'dull'"):
        views.put(store, study, one, "ann", 1, "dull")


def test_failure_modes_come_from_a_book_that_one_can_edit(store: Store, played: Any) -> None:
    study, (one, _, wrong) = played
    assert {code.code for code in failures.PAPER} == {code.code for code in failures.book(store)}
    failures.write(store, "gave_up", "Gave up", "Stops without a reason.", actor="ann")
    failures.put(store, study, wrong, "ann", ["anchoring", "gave_up"])
    failures.put(store, study, wrong, "bob", ["anchoring"])
    assert results.failures(store, study) == [results.Failures("agent 2", 1, 1, {"anchoring": 100.0, "gave_up": 100.0})]
    failures.put(store, study, wrong, "ann", ["anchoring"], "looks back and keeps it")
    failures.retire(store, "anchoring", actor="ann")
    assert "anchoring" not in {code.code for code in failures.book(store)}
    assert results.failures(store, study)[0].shares == {"anchoring": 100.0}, "what was coded stays"
    with pytest.raises(NotLabelled, match="no anchoring"):
        failures.put(store, study, wrong, "ann", ["anchoring"])
    with pytest.raises(NotLabelled, match="none of them"):
        failures.put(store, study, one, "ann", ["gave_up"])
    with pytest.raises(NotLabelled, match="small letters"):
        failures.write(store, "Gave Up", "x", "y", actor="ann")


def test_the_export_has_all_that_was_said(store: Store, played: Any, tmp_path: Any) -> None:
    import pyarrow.parquet

    from study import export

    study, (one, _, wrong) = played
    group = strategies.create(store, study, KIND, "ann", "Goes around")
    strategies.put(store, group.strategy_id, "ann", one)
    views.put(store, study, one, "ann", 1, "redundant", "kept")
    failures.put(store, study, wrong, "ann", ["anchoring"], "keeps it")
    export.export(store, FrameStore(store.home.frames), tmp_path / "out", study_id=study, only=("tables",))
    rows = pyarrow.parquet.read_table(tmp_path / "out" / "tables" / "labels.parquet").to_pylist()
    told = {(row["episode_id"], row["kind"], row["seq"], row["label"], row["belief"], row["note"]) for row in rows}
    assert told == {
        (one, "strategy", None, "Goes around", None, ""),
        (one, "view", 1, "redundant", "kept", ""),
        (wrong, "failure", None, "anchoring", None, "keeps it"),
    }


def test_erasing_a_trajectory_takes_what_was_said_of_it(store: Store, played: Any) -> None:
    from study import erasure

    study, (one, _, wrong) = played
    group = strategies.create(store, study, KIND, "ann", "Goes around")
    strategies.put(store, group.strategy_id, "ann", one)
    views.put(store, study, one, "ann", 1, "redundant")
    failures.put(store, study, wrong, "ann", ["anchoring"])
    for episode in (one, wrong):
        erasure._erase_episode(store, episode, erasure.Erased(participant_id="", study_id=study))
    assert [store.one(f"SELECT count(*) AS n FROM {table}") for table in erasure.LABELS] == [{"n": 0}] * 3
