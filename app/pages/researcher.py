"""A researcher's pages: what is happening, and one episode step by step. Every page checks the role itself."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any
from urllib.parse import quote

import pandas as pd
import streamlit as st

from app import identity, qa_play_api, rights, staff_api
from app.address import invitation_link
from app.components import VIEWER, viewer
from app.components.reviewing import LOOK, look
from app.pages import episode_path
from app.pages.page import Page
from app.pages.parts import base_address, begin, grid, list_key, local, plain_text
from app.services import Services, current
from sim_bridge.spec import Scene
from study import access, states
from study import overview as looks
from study.access import EVERY_STUDY, Grant
from study.studies import get_study, list_studies
from study.words import in_words

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
    "Started": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss", help="By your clock."),
    "Flags": st.column_config.TextColumn(width="medium", help="What one should know before counting it."),
    "Confidence": st.column_config.NumberColumn(format="%d %%"),
    "Seconds": st.column_config.NumberColumn(format="%d s", help="From the first view to the answer."),
}
REFRESH = "5s"
"""How often the list of episodes is read again."""


def _allowed(grant: Grant) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def _title(services: Services, grant: Grant) -> str:
    return "All studies" if grant.study_id == EVERY_STUDY else get_study(services.store, grant.study_id).name


def answer_in_words(answer: Any) -> str:
    """An answer on one line."""
    if answer is None:
        return ""
    if isinstance(answer, list):
        return " → ".join(map(str, answer))
    if isinstance(answer, dict):
        return "; ".join(f"{item}: {value}" for item, value in answer.items())
    return str(answer)


def overview(grant: Grant, *, several: bool) -> None:
    """Counts and the live list of episodes."""
    begin("Vantage: episodes", layout="wide")
    services = _allowed(grant)
    st.title(plain_text(_title(services, grant)), anchor=False)
    _live(grant)
    st.header("Let people in", anchor=False)
    _invite(services, grant)
    if several and st.button("Switch to another role", type="tertiary"):
        st.session_state.pop("grant", None)
        st.query_params.clear()
        st.rerun()
    if st.button("Sign out", type="tertiary"):
        access.sign_out(services.store, identity.page_cookie(), grant.grant_id)
        st.session_state.pop("grant", None)
        st.rerun()


@st.fragment(run_every=REFRESH)
def _live(grant: Grant) -> None:
    services = _allowed(grant)
    counts = looks.progress(services.store, grant.study_id)
    for column, (label, name) in zip(
        st.columns(len(COUNTS)),
        COUNTS,
        strict=True,
    ):
        column.metric(plain_text(label), counts[name])
    search = _search()
    found = looks.episode_page(services.store, grant.study_id, search, number=st.session_state.get("episodes_page", 1))
    if not found.total:
        if search == looks.Search():
            st.info("Nobody has played yet. Make a participant link below and open it in another browser or a private window.")
        else:
            st.info("No episode is like that. Empty a field above to see more.")
        return
    _table(found)
    _pages(found)
    if (chosen := st.session_state.get("episode")) and (row := looks.episode(services.store, grant.study_id, chosen)):
        st.html(f"<p>Selected: {escape(_named(row))}</p>")
        if st.button("Open this episode", type="primary"):
            st.switch_page(EPISODE.to())


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
            "Started": [local(row.created_at) for row in rows],
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
    grid(
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
    middle.html(f"<p style='text-align:center'>{first}–{first + len(found.rows) - 1} of {found.total} episodes</p>")
    for column, label, number in ((back, "Newer", found.number - 1), (on, "Older", found.number + 1)):
        off = not 1 <= number <= found.pages
        turn = partial(st.session_state.__setitem__, "episodes_page", number)
        column.button(plain_text(label), disabled=off, on_click=turn, width="stretch")


def _named(row: looks.EpisodeLine) -> str:
    return " · ".join((row.who, row.task_id, row.state, row.created_at[:19].replace("T", " ")))


def _invite(services: Services, grant: Grant) -> None:
    studies = list_studies(services.store) if grant.study_id == EVERY_STUDY else [get_study(services.store, grant.study_id)]
    if not studies:
        st.info("There is no study yet. `vantage study create` makes one, `vantage run` a demo study.")
        return
    study = studies[0] if len(studies) == 1 else st.selectbox("Study", studies, format_func=lambda s: s.name)
    st.write("Each browser in which somebody takes part by a participant link is a new participant.")
    kiosk = st.checkbox(
        "For a computer that several people use one after the other",
        value=study.kiosk,
        disabled=study.kiosk,
        help="Each time the link is opened somebody new takes part, and sees nothing of the person before.",
    )
    if st.button("Make a participant link"):
        rights.in_study(services.store, identity.page_cookie(), "researcher", study.study_id)
        token = access.create_invite(
            services.store, "participant", study.study_id, label="from the page", kiosk=kiosk, actor=grant.staff_id or ""
        )
        st.session_state["link"] = (study.study_id, invitation_link(base_address(), token))
    if link := _made_for(study.study_id, "link"):
        st.code(link, language=None)
        st.caption("Copy it now: only a fingerprint of it is kept.")
    # With a key of its own it stays as it was left, whatever else is pressed.
    with st.expander("Let a model agent in", key="let-a-model-in", on_change="rerun"):
        _agents(services, grant, study.study_id)


def _made_for(study_id: str, name: str) -> str:
    """The secret that was made last in this tab, where it belongs to this study; another study's is forgotten."""
    owner, secret = st.session_state.get(name, ("", ""))
    if owner != study_id:
        st.session_state.pop(name, None)
        return ""
    return str(secret)


def _agents(services: Services, grant: Grant, study_id: str) -> None:
    """Keys for model agents."""
    st.write("A model agent plays over HTTP with a key of its own; it gets the same frames, actions and history as people.")
    name = st.text_input("Name of the model", max_chars=80)
    if st.button("Make a key"):
        rights.in_study(services.store, identity.page_cookie(), "researcher", study_id)
        if not name.strip():
            st.error("Give the model a name first.")
            return
        try:
            key = access.create_agent_key(services.store, study_id, name.strip(), actor=grant.staff_id or "")
            st.session_state["key"] = (study_id, key)
        except ValueError:
            st.error("This name is taken: choose another.")
    if key := _made_for(study_id, "key"):
        st.code(key, language=None)
        st.caption("Copy it now: only a fingerprint of it is kept.")


def episode(grant: Grant) -> None:
    """One episode, frame by frame."""
    begin("Vantage: episode", layout="wide")
    services = _allowed(grant)
    newest = looks.episode_page(services.store, grant.study_id).rows
    if not newest:
        st.title("Episode", anchor=False)
        st.info("Nobody has played yet, so there is nothing to look at.")
        return
    row = _chosen_episode(services, grant, newest)
    if row is None:
        return
    chosen = row.episode_id
    if rights.asks_to_judge(services.store, identity.page_cookie(), [row.task_id]):
        st.title("Episode", anchor=False)
        st.info(rights.TO_JUDGE)
        return
    rights.researcher_of(services.store, identity.page_cookie(), chosen)
    task_hash = services.store.one("SELECT task_hash FROM episodes WHERE episode_id = ?", [chosen])
    task = services.store.get_task(task_hash["task_hash"] if task_hash else "")
    st.header(plain_text(task.question.text), anchor=False)
    if task.question.note:
        st.write(plain_text(task.question.note))
    if task.question.options and not task.shown:
        st.write("Options: " + " · ".join(plain_text(option) for option in task.question.options))
    if row.practice:
        st.info("This was practice: it does not count.")
    facts = [f"**{plain_text(row.category)}**, {plain_text(row.subcategory)}", plain_text(row.state)]
    if not task.shown:
        facts.append(f"{row.steps:d} actions")
    if row.answer is not None:
        verdict = "" if row.correct is None else " (right)" if row.correct else " (wrong)"
        facts.append(f"answer **{plain_text(answer_in_words(row.answer))}**{verdict}")
        facts.append(f"gold {plain_text(answer_in_words(task.gold.accepted[0]))}")
        facts.append("confidence not given" if row.confidence is None else f"confidence {row.confidence:d} %")
    if row.seconds is not None:
        facts.append(f"{plain_text(str(row.seconds))} s")
    st.markdown(" · ".join(facts))
    steps = looks.episode_steps(services.store, chosen)
    if task.shown and looks.was_shown(services.store, chosen):
        _question(chosen, task.shown)
    elif not steps:
        st.info("This episode has not been opened yet: there is no view.")
        return
    else:
        camera = task.scene.camera
        viewer(chosen, [_step(step) for step in steps], width=camera.width, height=camera.height, key=f"viewer-{chosen}")
        _path(services, chosen, task.scene, steps)
    for problem in looks.problems(services.store, chosen):
        st.warning(f"Reported at step {problem['seq']:d}: {plain_text(problem['text'])}")


def _path(services: Services, episode_id: str, scene: Scene, steps: list[dict[str, Any]]) -> None:
    """The plan with the way that was taken, and the table of steps."""
    taken = episode_path.moments(services.store, episode_id)
    beliefs = {step["seq"]: (answer_in_words(step["belief"][0]), step["belief"][1]) for step in steps if step["belief"] is not None}
    left, right = st.columns([2, 3])
    left.html(episode_path.plan(scene, taken))
    with right:
        grid(episode_path.table(taken, beliefs), hide_index=True, placeholder="", key=f"steps-{episode_id}")


def _chosen_episode(services: Services, grant: Grant, newest: list[looks.EpisodeLine]) -> looks.EpisodeLine | None:
    """The episode that the address names, however old, or that was selected in the list; otherwise the newest. The address follows."""
    linked, selected = st.query_params.get("episode"), st.session_state.get("episode")
    # A selection made in another study is forgotten; an address that names no episode here says so.
    row = looks.episode(services.store, grant.study_id, linked or selected or newest[0].episode_id) or (None if linked else newest[0])
    wanted = row.episode_id if row else str(linked)
    known = {line.episode_id: line for line in ([] if row is None else [row]) + newest}
    ids = [line.episode_id for line in newest]
    if row is not None and wanted not in ids:
        ids.insert(0, wanted)
    if row is None:
        st.title("Episode", anchor=False)
        what = f"There is no episode {wanted[:40]!r} in this study. Check that the link is complete, and that it is of this study;"
        st.error(plain_text(what) + " or choose one of the newest here.")
    chosen = st.selectbox(
        "Episode",
        ids,
        index=None if row is None else ids.index(wanted),
        placeholder="Choose an episode",
        format_func=lambda episode_id: _named(known[episode_id]),
    )
    if chosen is not None and chosen != wanted:
        st.query_params["episode"] = st.session_state["episode"] = chosen
        st.rerun()
    if row is not None:
        st.query_params["episode"] = st.session_state["episode"] = wanted
    return row


def _question(episode_id: str, shown: dict[str, Any]) -> None:
    """A question about pictures, as it was shown."""

    def placed(place: str, image: dict[str, Any]) -> dict[str, Any]:
        address = f"api/staff/question/{quote(episode_id)}/{quote(place)}"
        return {"name": place, "url": address, "width": image["width"], "height": image["height"]}

    views = [placed(view["view"], view) for view in shown["views"]]
    look(episode_id, views=views, marks=[], kinds=[], colours=[], key=f"question-{episode_id}")  # the pictures have the marks in them
    if images := shown["option_images"]:
        options = [placed(letter, image) for letter, image in images.items()]
        look(episode_id, views=options, marks=[], kinds=[], colours=[], key=f"options-{episode_id}")
    for letter, text in shown["options"].items():
        if text:
            st.markdown(f"**{plain_text(letter)}** {plain_text(text)}")


def _step(step: dict[str, Any]) -> dict[str, Any]:
    words = in_words(step["action"], step["ok"], step["reason"], {})
    note = []
    if step["belief"] is not None:
        answer, sure = step["belief"]
        note.append(" ".join(filter(None, [answer_in_words(answer), f"{sure} %" if sure is not None else ""])))
    if step["clipped"]:
        note.append("camera inside something")
    return {"seq": step["seq"], "text": words, "ok": step["ok"], "note": "; ".join(filter(None, note))}


EPISODES = Page("Episodes", "episodes", roles=rights.LEADS, draw=lambda visit: overview(visit.grant, several=visit.several), group="Study")
EPISODE = Page(
    "Episode",
    "episode",
    roles=rights.LEADS,
    draw=lambda visit: episode(visit.grant),
    group="Study",
    routes=(*staff_api.ROUTES, *qa_play_api.STAFF_ROUTES),
    components=(VIEWER, LOOK),
)
PAGES = (EPISODES, EPISODE)
