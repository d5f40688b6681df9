"""A researcher's page of one episode: its pictures, path, times and beliefs, step by step. It checks the role itself."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import streamlit as st

from app import identity, qa_play_api, rights, staff_api
from app.components import VIEWER, viewer
from app.components.reviewing import LOOK, look
from app.pages import episode_path, tables
from app.pages.page import Page
from app.pages.parts import begin, plain_text, when
from app.services import Services, current
from data.plurals import number_of
from data.task import Question
from sim_bridge.spec import Scene
from study import course
from study import overview as looks
from study.access import Grant
from study.action_results import in_words
from study.showing import told_beside
from study.standing import Standing, standing
from study.words import answer_in_words


def _allowed(grant: Grant) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def named(row: looks.EpisodeLine) -> str:
    """An episode on one line."""
    return " · ".join((row.who, row.task_id, row.state, when(row.created_at)))


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
    here = standing(services.store, chosen)
    if here is None:  # it was erased meanwhile
        st.rerun()
    _facts(row, here)
    task = here.task
    steps = looks.episode_steps(services.store, chosen)
    if task.shown and looks.was_shown(services.store, chosen):
        _question(chosen, task.shown)
    elif here.paradigm.opens == "words" and here.record.last_seq >= 0:
        told = told_beside(here.paradigm, task, here.record.seed)
        st.info(plain_text(f"It was shown without a picture. Told beside the question: {', '.join(told) or 'nothing'}."))
    elif not steps:
        st.info("This episode has not been opened yet: there is no view.")
    else:
        _path(services, row, task.scene, steps)
    for problem in looks.problems(services.store, chosen):
        st.warning(f"Reported at step {problem['seq']:d}: {plain_text(problem['text'])}")


def _facts(row: looks.EpisodeLine, here: Standing) -> None:
    """The question as this person was asked it, what is right, and what came of it."""
    question, task = here.offered, here.task
    st.header(plain_text(question.text), anchor=False)
    if question.note:
        st.write(plain_text(question.note))
    if row.practice:
        st.info("This was practice: it does not count.")
    facts = [f"**{plain_text(row.category)}**, {plain_text(row.subcategory)}", plain_text(row.state)]
    if here.paradigm.acts:
        facts.append(number_of(row.steps, "action"))
    elif here.record.pictures:
        facts.append(number_of(here.record.pictures, "picture"))
    if row.answer is not None:
        verdict = "" if row.correct is None else " (right)" if row.correct else " (wrong)"
        facts.append(f"answer **{plain_text(answer_in_words(row.answer))}**{verdict}")
        facts.append("confidence not given" if row.confidence is None else f"confidence {row.confidence:d} %")
    facts.append(f"gold **{plain_text(answer_in_words(task.gold.accepted[0]))}**")
    if row.seconds is not None:
        facts.append(f"{plain_text(str(row.seconds))} s")
    st.markdown(" · ".join(facts))
    if not task.shown:
        _offered(question)


def _offered(question: Question) -> None:
    """What one could choose from, in the order in which it was shown."""
    names = question.blank_names or tuple(f"Blank {n}" for n in range(1, len(question.blanks) + 1))
    lists = [("Options as shown", question.options), *zip(names, question.blanks, strict=True), ("For each", question.targets)]
    for name, texts in lists:
        if texts:
            st.caption(plain_text(name) + ": " + " · ".join(plain_text(text) for text in texts))


def _path(services: Services, row: looks.EpisodeLine, scene: Scene, steps: list[dict[str, Any]]) -> None:
    """The steps in pictures, on the plan, over time and as a table."""
    taken = course.moments(services.store, row.episode_id)
    beliefs = {step["seq"]: (answer_in_words(step["belief"][0]), step["belief"][1]) for step in steps if step["belief"] is not None}
    told = [_step(step, spent, beliefs.get(step["seq"])) for step, spent in zip(steps, episode_path.times(taken), strict=False)]
    viewer(
        row.episode_id,
        told,
        plan=episode_path.plan(scene, taken[: len(told)]),
        final=None if row.answer is None else {"answer": answer_in_words(row.answer), "sure": row.confidence},
        width=scene.camera.width,
        height=scene.camera.height,
        key=f"viewer-{row.episode_id}",
    )
    with st.expander("Steps with places, to sort and take along", key=f"places-{row.episode_id}"):
        tables.grid(episode_path.table(taken, beliefs), hide_index=True, placeholder="", key=f"steps-{row.episode_id}")


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
        format_func=lambda episode_id: named(known[episode_id]),
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


def _step(step: dict[str, Any], spent: tuple[float | None, float | None], believed: tuple[str, int | None] | None) -> dict[str, Any]:
    answer, sure = believed or (None, None)
    return {
        "seq": step["seq"],
        "text": in_words(step["action"], step["ok"], step["reason"], {}, unseen=step["unseen"]),
        "ok": step["ok"],
        "note": "camera inside something" if step["clipped"] else "",
        "thought": spent[0],
        "waited": spent[1],
        "belief": answer,
        "sure": sure,
    }


EPISODE = Page(
    "Episode",
    "episode",
    roles=rights.LEADS,
    draw=lambda visit: episode(visit.grant),
    group="Study",
    routes=(*staff_api.ROUTES, *qa_play_api.STAFF_ROUTES),
    components=(VIEWER, LOOK),
)
PAGES = (EPISODE,)
