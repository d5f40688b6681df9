"""A researcher's page of what is happening: counts, the list of episodes, and how people and models come in. It checks the role itself."""

from __future__ import annotations

from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from app import identity, rights
from app.address import invitation_link
from app.pages import said, tables
from app.pages.page import Page
from app.pages.parts import base_address, begin, kept_for_all, kind_of_run, list_key, local, plain_text, sheet, told_apart
from app.pages.researcher_episode import EPISODE, named
from app.services import Services, current
from data.plurals import number_of
from study import access, agent_keys, states
from study import overview as looks
from study.access import EVERY_STUDY, Grant
from study.studies import get_study, list_studies
from study.words import answer_in_words

COUNTS = (
    ("Participants", "participants"),
    ("Finished", "finished"),
    ("Stopped", "stopped"),
    ("Withdrawn", "withdrawn"),
    ("Playing now", "active"),
    ("Tasks answered", "completed"),
    ("Practice answered", "practised"),
)
KINDS = {"": "all", "human": "people", "model": "models", "script": "scripts", "gym": "Gymnasium"}
"""Kind of agent → how it is called in the search."""
COLUMNS = {
    "Started": st.column_config.DatetimeColumn(
        format="YYYY-MM-DD HH:mm:ss", help="When it was first shown to whoever plays it, by your clock; empty: not yet."
    ),
    "Flags": st.column_config.TextColumn(width="small", help="What one should know before counting it."),
    "Confidence": st.column_config.NumberColumn(format="%d %%"),
    "Seconds": st.column_config.NumberColumn(format="%d s", help="From the first view to the answer."),
}
LINK, KEY = "participant-link", "agent-key"
"""Where the page shows a link and a key that were just made."""
COPY_IT = "Copy it now: only a fingerprint of it is kept."
REFRESH = "5s"
"""How often the list of episodes is read again."""


def _allowed(grant: Grant) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def _title(services: Services, grant: Grant) -> str:
    return "All studies" if grant.study_id == EVERY_STUDY else get_study(services.store, grant.study_id).name


def overview(grant: Grant, *, several: bool) -> None:
    """Counts and the live list of episodes."""
    begin("Vantage: episodes", layout="wide")
    services = _allowed(grant)
    st.title(plain_text(_title(services, grant)), anchor=False)
    _live(grant)
    st.header("Let people in", anchor=False)
    _invite(services, grant)
    if several and st.button("Switch to another role", type="tertiary") and not said.astray():
        st.session_state.pop("grant", None)
        st.query_params.clear()
        st.rerun()
    if st.button("Sign out", type="tertiary") and not said.astray():
        access.sign_out(services.store, identity.page_cookie(), grant.grant_id)
        st.session_state.pop("grant", None)
        st.rerun()


@st.fragment(run_every=REFRESH)
def _live(grant: Grant) -> None:
    services = _allowed(grant)
    mode = kind_of_run(services.store, grant.study_id)
    counts = looks.progress(services.store, grant.study_id, mode=mode)
    for column, (label, name) in zip(
        st.columns(len(COUNTS)),
        COUNTS,
        strict=True,
    ):
        column.metric(plain_text(label), counts[name])
    _outcomes(services, grant, mode, counts)
    search = _search()
    found = looks.episode_page(services.store, grant.study_id, search, mode=mode, number=st.session_state.get("episodes_page", 1))
    if not found.total:
        if search == looks.Search():
            st.info("Nobody has played yet. Make a participant link below and open it in another browser or a private window.")
        else:
            st.info("No episode fits. Empty a field above to see more.")
        return
    _table(found)
    _pages(found)
    if (chosen := st.session_state.get("episode")) and (row := looks.episode(services.store, grant.study_id, chosen)):
        st.html(f"<p>Selected: {escape(named(row))}</p>")
        if st.button("Open this episode", type="primary"):
            st.switch_page(EPISODE.to())


def _outcomes(services: Services, grant: Grant, mode: str, counts: dict[str, int]) -> None:
    """How often answers are right and how long they take, by kind of agent; counted again when there are more answers."""
    stand = (counts["completed"], counts["practised"])
    count = partial(looks.outcomes, services.store, grant.study_id, mode=mode)
    found = kept_for_all(f"outcomes {grant.study_id} {mode}", stand, count)
    told = [
        f"{KINDS[one.agent_kind].capitalize()}: {one.right:.0%} of {number_of(one.answered, 'answer')} right (chance {one.chance:.0%})"
        + ("" if one.median_s is None else f", {one.median_s:,.0f} s at the median")
        for one in found
    ]
    if told:
        st.html("".join(f"<p style='margin:0'>{escape(line)}</p>" for line in told))


def _search() -> looks.Search:
    """What the fields above the list ask for."""
    task, who, kind, state = st.columns(4)
    return looks.Search(
        task=task.text_input("Task", placeholder="part of its name", max_chars=120, on_change=_first_page),
        who=who.text_input("Who", placeholder="P012, or a model’s name", max_chars=120, on_change=_first_page, key="episodes_who"),
        agent_kind=kind.selectbox("Kind", list(KINDS), format_func=KINDS.__getitem__, on_change=_first_page),
        state=state.selectbox("State", ["", *states.EPISODE], format_func=lambda name: name or "all", on_change=_first_page),
    )


def _first_page() -> None:
    st.session_state["episodes_page"] = 1


def _table(found: looks.Page) -> None:
    rows = found.rows
    kept = rights.asks_to_judge(current().store, identity.page_cookie(), {row.task_id for row in rows})
    table = pd.DataFrame(
        {
            "Started": [None if row.started_at is None else local(row.started_at) for row in rows],
            "Who": [row.who for row in rows],
            "Task": [row.task_id for row in rows],
            "Subcategory": [row.subcategory for row in rows],
            "State": [f"{row.state} (practice)" if row.practice else row.state for row in rows],
            "Flags": [", ".join(row.flags) for row in rows],
            "Steps": [row.steps for row in rows],
            "Answer": ["" if row.task_id in kept else answer_in_words(row.answer) for row in rows],
            "Right?": ["" if row.correct is None or row.task_id in kept else "yes" if row.correct else "no" for row in rows],
            "Confidence": pd.array([row.confidence for row in rows], dtype="Int64"),
            "Seconds": pd.array([row.seconds for row in rows], dtype="Int64"),
        }
    )
    st.caption("Select a row to look at the episode.")
    # A selection is a place in the list as it was drawn. The ids drawn go with it, and a list of others is another element without a tick:
    # newer episodes push the rows down, and a search takes some away.
    key = f"episodes-{list_key(row.episode_id for row in rows)}"
    tables.grid(
        table,
        hide_index=True,
        on_select=partial(_select, key, [row.episode_id for row in rows]),
        selection_mode="single-row",
        key=key,
        column_config=COLUMNS,
        placeholder="",
    )


def _select(key: str, ids: list[str]) -> None:
    picked = st.session_state[key].selection.rows
    if picked and picked[0] < len(ids):
        st.session_state["episode"] = ids[picked[0]]
    else:
        st.session_state.pop("episode", None)


def _pages(found: looks.Page) -> None:
    """Which page of the list, where there are several."""
    if found.pages == 1:
        return
    back, middle, on = st.columns([1, 3, 1], vertical_alignment="center")
    first = (found.number - 1) * looks.PAGE_SIZE + 1
    middle.html(f"<p style='text-align:center'>{first}–{first + len(found.rows) - 1} of {number_of(found.total, 'episode')}</p>")
    for column, label, number in ((back, "Newer", found.number - 1), (on, "Older", found.number + 1)):
        off = not 1 <= number <= found.pages
        turn = partial(st.session_state.__setitem__, "episodes_page", number)
        column.button(plain_text(label), disabled=off, on_click=turn, width="stretch")


def _invite(services: Services, grant: Grant) -> None:
    studies = list_studies(services.store) if grant.study_id == EVERY_STUDY else [get_study(services.store, grant.study_id)]
    if not studies:
        st.info("There is no study yet. `vantage study create` makes one, `vantage run` a demo study.")
        return
    names = told_apart(studies)
    chosen = (
        st.selectbox("Study", list(names), None, names.__getitem__, placeholder="Choose the study")
        if len(studies) > 1
        else next(iter(names))
    )
    study = next((study for study in studies if study.study_id == chosen), None)
    if study is None:
        return
    st.write("Each browser in which somebody takes part by a participant link is a new participant.")
    kiosk = st.checkbox(
        "For a computer that several people use one after the other",
        value=study.kiosk,
        disabled=study.kiosk,
        help="Each time the link is opened somebody new takes part, and sees nothing of the person before.",
    )
    press = sheet(f"link-{study.study_id}")
    if st.button("Make a participant link", key=press.key) and not said.twice(LINK):
        rights.in_study(services.store, identity.page_cookie(), "researcher", study.study_id)
        token = access.create_invite(
            services.store, "participant", study.study_id, label="from the page", kiosk=kiosk, actor=grant.staff_id or ""
        )
        press.used()
        said.done(LINK, about=study.study_id, link=invitation_link(base_address(), token), of_link=COPY_IT, deed=LINK)
    said.show(LINK, study.study_id)
    # With a key of its own it stays as it was left, whatever else is pressed.
    with st.expander("Let a model agent in", key="let-a-model-in", on_change="rerun"):
        _agents(services, grant, study.study_id)


def _agents(services: Services, grant: Grant, study_id: str) -> None:
    """Keys for model agents."""
    st.write("A model agent plays over HTTP with a key of its own; it gets the same frames, actions and history as people.")
    name = st.text_input("Name of the model", max_chars=80)
    press = sheet(f"key-{study_id}")
    if st.button("Make a key", key=press.key) and not said.twice(KEY):
        rights.in_study(services.store, identity.page_cookie(), "researcher", study_id)
        if not name.strip():
            st.error("Give the model a name first.")
            return
        try:
            key = agent_keys.create(services.store, study_id, name.strip(), actor=grant.staff_id or "")
            press.used()
            said.done(KEY, about=study_id, link=key, of_link=COPY_IT, deed=KEY)
        except ValueError:
            st.error("This name is taken: choose another.")
    said.show(KEY, study_id)


EPISODES = Page("Episodes", "episodes", roles=rights.LEADS, draw=lambda visit: overview(visit.grant, several=visit.several), group="Study")
PAGES = (EPISODES,)
