"""Record a trajectory: somebody of the staff plays a task that has no ground-truth trajectory, and what they did becomes it."""

from __future__ import annotations

import streamlit as st

from annotation.recording import recorder
from app import identity, play_api, rights
from app.components import PLAY, play
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, plain_text, tried
from app.services import Services, current
from data.task import Task
from study.access import Grant
from study.records import EpisodeRecord
from study.steps import steps_of
from study.studies import being_edited

HOW = (
    "Show what decides the answer, by the shortest way that you find: play the task as a participant would, and give the right answer at "
    "the end. Its pictures are what people see who cannot act. No move can end inside a wall or a thing."
)


def page(grant: Grant) -> None:
    """The tasks of a study without a trajectory, and the one that is recorded."""
    begin("Vantage: record a trajectory", layout="wide")
    services = current()
    checked = rights.still(services.store, identity.page_cookie(), grant, *rights.RECORDERS)
    staff = checked.staff_id or ""
    st.title("Record a trajectory", anchor=False)
    study_id = chosen_study(services.store, checked, "record_study")
    if study_id is None:
        st.info("There is no study here yet. Make one on the page Set-up.")
        return
    study = being_edited(services.store, study_id)
    left = recorder.without(services.store, list(study.tasks))
    if st.session_state.pop("recorded", None):
        st.success("The trajectory is kept and used from now on. Render its pictures with `vantage study frames`, or on the page Set-up.")
    if not left:
        st.info(f"Every task of this study has a ground-truth trajectory ({len(study.tasks):d} tasks).")
        return
    kept_back = rights.asks_to_judge(services.store, identity.page_cookie(), [task.task_id for task in left])
    tasks = {task.content_hash: task for task in left if task.task_id not in kept_back}
    st.caption(f"{len(left):d} of {len(study.tasks):d} tasks have none.")
    chosen = st.selectbox("Task", list(tasks), format_func=lambda content_hash: tasks[content_hash].task_id, key="record_task")
    if chosen is None:
        return
    going_on = recorder.going_on(services.store, chosen, staff)
    if going_on is None:
        _start(services, tasks[chosen], staff)
    elif going_on.state == "completed":
        _done(services, going_on, staff)
    else:
        _go_on(services, going_on, tasks[chosen], staff)


def _start(services: Services, task: Task, staff: str) -> None:
    st.write(plain_text(task.question.text))
    st.write(HOW)
    if st.button("Begin", type="primary"):
        recorder.begin(services.engine, task.content_hash, staff)
        st.rerun()


def _go_on(services: Services, episode: EpisodeRecord, task: Task, staff: str) -> None:
    """The task, played as people play it, with a way back."""
    left, right, _ = st.columns([2, 2, 5])
    if left.button("Undo the last action", width="stretch", help="All other actions are done again, which takes a moment."):
        tried(lambda: recorder.undo(services.engine, episode.episode_id, staff))
    if right.button("Start again", width="stretch"):
        tried(lambda: recorder.drop(services.engine, episode.episode_id, staff))
    play(episode.episode_id, title=f"Recording of {task.task_id}", next_label="Look at what was recorded", key="record", staff=True)


def _done(services: Services, episode: EpisodeRecord, staff: str) -> None:
    """What was recorded, why it cannot be used, or the button that uses it."""
    own = recorder.way(steps_of(services.store, episode.episode_id))
    st.subheader("What was recorded", anchor=False)
    st.write(f"{len(own.actions):d} actions, {own.views:d} views: " + plain_text(" · ".join(own.actions)))
    problems = recorder.problems(services.store, episode.episode_id)
    for problem in problems:
        st.error(plain_text(problem))
    if not problems:
        says = st.text_input(
            "What does its end show?", key="record_says", max_chars=500, help="One sentence, for whoever reads the task later."
        )
        if st.button("Use this as the trajectory", type="primary"):
            tried(lambda: recorder.use(services.engine, episode.episode_id, staff, says), recorded=True)
    if st.button("Start again"):
        tried(lambda: recorder.drop(services.engine, episode.episode_id, staff))


PAGES = (
    Page(
        "Record a trajectory",
        "record",
        roles=rights.RECORDERS,
        draw=lambda visit: page(visit.grant),
        group="Study",
        routes=tuple(play_api.ROUTES),
        components=(PLAY,),
    ),
)
