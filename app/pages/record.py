"""Record a trajectory: somebody of the staff plays a task that has no ground-truth trajectory, and what they did becomes it."""

from __future__ import annotations

import streamlit as st

from annotation.recording import recorder
from app import identity, play_api, rights
from app.components import PLAY
from app.pages import recording, said
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, plain_text
from app.services import Services, current
from data.plurals import number_of
from data.task import Task
from study.access import Grant
from study.studies import being_edited

HOW = f"{recording.HOW} Its pictures are what people see who cannot act."
KEPT = "The trajectory is kept and used from now on. Render its pictures with “vantage study frames”, or on the page Set-up."
SAID = "record"
"""Where the page says that a trajectory is kept."""


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
    said.show(SAID, study_id)
    if not left:
        st.info(f"Every task of this study has a ground-truth trajectory ({number_of(len(study.tasks), 'task')}).")
        return
    kept_back = rights.asks_to_judge(services.store, identity.page_cookie(), [task.task_id for task in left])
    tasks = {task.content_hash: task for task in left if task.task_id not in kept_back}
    st.caption(f"{len(left):d} of {number_of(len(study.tasks), 'task has', 'tasks have')} no trajectory.")
    chosen = st.selectbox("Task", list(tasks), format_func=lambda content_hash: tasks[content_hash].task_id, key="record_task")
    if chosen is None:
        return
    going_on = recorder.going_on(services.store, chosen, staff)
    if going_on is None:
        _start(services, tasks[chosen], staff)
        return
    episode = going_on.episode_id
    recording.recording(
        services,
        going_on,
        title=tasks[chosen].task_id,
        undo=lambda: recorder.undo(services.engine, episode, staff),
        drop=lambda: recorder.drop(services.engine, episode, staff),
        use=lambda says: recorder.use(services.engine, episode, staff, says),
        said_at=SAID,
        kept=KEPT,
    )


def _start(services: Services, task: Task, staff: str) -> None:
    st.write(plain_text(task.question.text))
    st.write(HOW)
    if st.button("Begin", type="primary"):
        if not said.twice(SAID):
            recorder.begin(services.engine, task.content_hash, staff)
            said.acted(SAID)
        st.rerun()


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
