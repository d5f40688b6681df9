"""The demo's project of robot questions: once, with or without the sample, with something for every role."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.qa import moments as chosen
from annotation.qa import projects
from annotation.qa.errors import QaError
from annotation.qa.truth import examine
from annotation.qa.trying import demo
from annotation.qa.work import pool
from data.robot.errors import RobotError
from data.store import Store
from study.demo import NAME
from study.studies import create_study
from tests.annotation.qa.conftest import Robots


@pytest.fixture
def study(store: Store) -> str:
    return create_study(store, NAME, state="live").study_id


@pytest.fixture
def sample(store: Store, robots: Robots, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of the sample's form whose import makes up the episodes."""
    for folder in ("agibot", "bridge"):
        (tmp_path / "sample" / folder).mkdir(parents=True)

    def take(store: Store, folder: Any, kind: Any, *, name: Any, actor: Any) -> SimpleNamespace:
        known = store.one("SELECT source_id FROM robot_sources WHERE kind = ?", [kind])
        arm = "dual" if kind == "agibot" else "single"
        return SimpleNamespace(source_id=known["source_id"] if known else robots.add(arm, tasks=1, episodes=3, name=name))

    monkeypatch.setattr(demo, "import_source", take)
    return tmp_path / "sample"


def test_it_is_made_once_and_left_as_people_left_it(store: Store, study: str, sample: Path) -> None:
    project = demo.seed_qa_demo(store, sample)
    assert (project.name, project.study_id, project.trial_batch, project.reviewers_per_item) == (demo.NAME, study, 0, 1)
    items = pool.items(store, project.project_id)
    assert {s.state for s in items} == {"in_review"} and len({s.item.subtask for s in items}) >= 5
    assert not [s for s in items if examine(store, s.item).status == "contradicts"]
    states = Counter(m.state for m in chosen.moments(store, project.project_id))
    assert states["kept"] > states["candidate"] > 0
    kept = chosen.moments(store, project.project_id, state="kept")
    assert {m.decided_by for m in kept} == {demo.ACTOR} and {m.arm for m in kept} == {"dual", "single"}
    assert all(place.left > 0 for place in projects.places(store, project)), "an author finds quotas to fill"
    chosen.decide(store, kept[0].moment_id, "drop", "occluded", "ann")
    before = store.one("SELECT max(seq) AS seq FROM events")
    assert demo.seed_qa_demo(store, sample) == project
    assert store.one("SELECT max(seq) AS seq FROM events") == before


def test_one_reviewer_can_judge_every_item_of_the_demo(store: Store, study: str, sample: Path) -> None:
    project = demo.seed_qa_demo(store, sample).project_id
    items = pool.items(store, project)
    assert "viewpoint" in {stored.item.subtask for stored in items}
    for _ in items:
        review, _ = pool.next_review(store, project, "judge")
        pool.answer_review(store, review.review_id, "judge", pool.get(store, review.item_id).item.gold or "")
        pool.decide(store, review.review_id, "judge", "clean")
    assert {stored.state for stored in pool.items(store, project)} == {"accepted"}
    assert pool.starved(store, project, ["judge"]) == []


def test_without_the_sample_the_project_is_there_and_says_what_to_do(store: Store, study: str, sample: Path, tmp_path: Path) -> None:
    project = demo.seed_qa_demo(store, tmp_path / "nowhere")
    assert "robot-sample" in demo.advice(store, project.project_id)
    assert demo.seed_qa_demo(store, sample) == project
    assert demo.advice(store, project.project_id) == "" and pool.items(store, project.project_id)


def test_a_sample_that_cannot_be_read_does_not_stop_the_demo(
    store: Store, study: str, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = demo.import_source  # type: ignore[attr-defined]

    def half(store: Store, folder: Any, kind: Any, **more: Any) -> Any:
        if kind == "agibot":
            raise RobotError("Reading videos needs PyAV.")
        return whole(store, folder, kind, **more)

    monkeypatch.setattr(demo, "import_source", half)
    told: list[str] = []
    project = demo.seed_qa_demo(store, sample, tell=told.append)
    assert any("PyAV" in text for text in told)
    assert {m.arm for m in chosen.moments(store, project.project_id)} == {"single"}


def test_a_new_demo_study_takes_the_project_over(store: Store, study: str) -> None:
    project = demo.seed_qa_demo(store, None)
    newer = create_study(store, NAME, state="live").study_id
    taken = demo.seed_qa_demo(store, None)
    assert (taken.project_id, taken.study_id) == (project.project_id, newer) and newer != study


def test_without_a_demo_study_there_is_a_sentence(store: Store) -> None:
    with pytest.raises(QaError, match="vantage run"):
        demo.seed_qa_demo(store, None)
