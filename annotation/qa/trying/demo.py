"""The demo's project of robot questions: sample episodes, moments that are kept, and a few items that wait for a reviewer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from annotation.qa import moments as chosen
from annotation.qa.errors import QaError
from annotation.qa.items import VIEWS
from annotation.qa.projects import Project, change_project, create_project, get_project, open_quotas
from annotation.qa.scenes.clarity import Thresholds
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.trying.generating import generate
from annotation.qa.work import pool
from data.robot.errors import RobotError
from data.robot.importing import import_source
from data.store import Store
from study import demo

NAME = "Robot questions (demo)"
ACTOR = "set-up"
"""Who the events and the generated items name."""
SOURCES = {"dual": "agibot", "single": "bridge"}
"""Arm → folder of the sample, which is also the kind of source that it is."""
PER_EPISODE = 2
QUOTA = 12
"""Accepted items wanted of each subtask."""


def seed_qa_demo(store: Store, sample_root: Path | str | None, *, tell: Callable[[str], None] = lambda text: None) -> Project:
    """Make the demo's project in the demo study, once; what is there already stays as people left it.

    Args:
        store: the database; `study.demo.seed_demo` made the demo study in it.
        sample_root: where ``agibot/`` and ``bridge/`` of the sample source lie. Missing: the project is made all the same, and `advice`
            says what to do; a later call with the sample fills it.
        tell: told what is being done, in a sentence.

    Returns:
        The project.
    """
    project = _project(store)
    root = Path(sample_root) if sample_root else None
    for arm, kind in SOURCES.items():
        folder = root / kind if root is not None else None
        if folder is None or not folder.is_dir() or _seeded(store, project.project_id, arm):
            continue
        tell(f"Importing the sample episodes in {folder} …")
        try:
            source_id = import_source(store, folder, kind, name=f"sample, {arm} arm", actor=ACTOR).source_id
        except RobotError as error:
            # the demo starts without it, and tries again the next time
            tell(f"{folder} was left out: {error}")
            continue
        tell("Choosing moments …")
        if not chosen.moments(store, project.project_id, arm=arm):
            chosen.sample_moments(
                store, project.project_id, per_episode=PER_EPISODE, seed=project.seed, actor=ACTOR, source_ids=[source_id]
            )
        with store.atomic():
            keep_most(store, project.project_id, arm)
            told = {"project": project.project_id, "arm": arm}
            store.event("qa_demo_seeded", told, actor=ACTOR, study_id=project.study_id, subject=project.project_id)
    if chosen.moments(store, project.project_id, state="kept") and not pool.items(store, project.project_id):
        tell("Writing a few questions to review …")
        for slug, subtask in SUBTASKS.items():
            # in review, so that a reviewer has something to do
            generate(store, project.project_id, slug, subtask.demo_items, project.seed, ACTOR)
    return project


def _seeded(store: Store, project_id: str, arm: str) -> bool:
    return any(
        json.loads(row["data"]) == {"project": project_id, "arm": arm}
        for row in store.query("SELECT data FROM events WHERE kind = 'qa_demo_seeded'")
    )


def keep_most(store: Store, project_id: str, arm: str | None = None) -> int:
    """Keep the candidates of the set-up but every fourth, so that people have moments to decide about; returns how many."""
    kept = 0
    for number, moment in enumerate(chosen.moments(store, project_id, state="candidate", arm=arm)):
        if number % 4 != 3 and all(moment.view(view) for view in VIEWS[moment.arm]):
            chosen.decide(store, moment.moment_id, "keep", "useful", ACTOR, note="kept when the demo was set up")
            kept += 1
    return kept


def advice(store: Store, project_id: str) -> str:
    """What to do where the project has no moments yet; empty otherwise."""
    if store.one("SELECT 1 AS yes FROM moments WHERE project_id = ? LIMIT 1", [project_id]) is not None:
        return ""
    return (
        "This project has no robot episodes yet. Render the sample with `python -m sim_bridge robot-sample --out DIR` and import it with "
        "`vantage qa import DIR/agibot` and `vantage qa import DIR/bridge`, or import episodes of your own; then `vantage qa sample`."
    )


def _project(store: Store) -> Project:
    """The project, made if it is not there.

    Raises:
        QaError: there is no demo study.
    """
    study = store.one("SELECT study_id FROM studies WHERE name = ? AND state = 'live' ORDER BY created_at DESC LIMIT 1", [demo.NAME])
    if study is None:
        raise QaError("There is no demo study here: start it with `vantage run` first.")
    with store.atomic():
        row = store.one("SELECT project_id FROM qa_projects WHERE name = ? ORDER BY created_at LIMIT 1", [NAME])
        if row is not None:
            project = get_project(store, row["project_id"])
            if project.study_id != study["study_id"]:
                # the demo study was made anew, with other tasks: its people work here
                return change_project(store, project.project_id, actor=ACTOR, why="a new demo study", study_id=study["study_id"])
            return project
        return create_project(
            store,
            NAME,
            actor=ACTOR,
            study_id=study["study_id"],
            # one reviewer is all that a demo has
            reviewers_per_item=1,
            trial_batch=0,
            quotas=[quota.model_dump() for quota in open_quotas(QUOTA)],
            thresholds=Thresholds().model_dump(),
            seed=1,
        )
