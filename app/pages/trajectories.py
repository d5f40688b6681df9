"""Trajectories: coders group the successful ones by strategy, label views, and code how the others failed. Who acted is not shown."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from html import escape
from itertools import pairwise

import streamlit as st

from app.pages import qa_parts, said, tables
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, plain_text
from app.services import Services
from data.frames import FrameDamaged
from data.plurals import number_of
from sim_bridge.encoding import MEDIA_TYPE
from study.access import Grant
from study.labels import failures, results, strategies, views
from study.labels.shown import Trajectory, shown, trajectories
from study.labels.strategies import Strategy
from study.labels.views import BELIEFS, LABELS
from study.studies import Study, get_study

ROLES = ("annotator", "researcher")
WORK = ("Strategies", "Views", "Failures", "Figures")
ACROSS = 6
"""Pictures in a row."""
NONE = "(no strategy yet)"
EMPTY = "Nothing is here to label yet. Trajectories come here when somebody, a person or a model, has explored a task and answered it."


def page(grant: Grant) -> None:
    """What this coder labels of a study."""
    begin("Vantage: trajectories", layout="wide")
    st.html(qa_parts.STYLE)
    services = qa_parts.allowed(grant, *ROLES)
    st.title("Trajectories", anchor=False)
    study_id = chosen_study(services.store, grant, "labels_study")
    if study_id is None:
        st.info("There is no study here yet. Ask the researcher who invited you, and come back later.")
        return
    study, coder = get_study(services.store, study_id), qa_parts.person(grant)
    work = st.segmented_control("What to label", WORK, default=WORK[0], key="labels_work", label_visibility="collapsed")
    if work == WORK[1]:
        _views(services, study, coder)
    elif work == WORK[2]:
        _failures(services, study, coder)
    elif work == WORK[3]:
        _figures(services, study)
    else:
        _strategies(services, study, coder)


def _strategies(services: Services, study: Study, coder: str) -> None:
    """Group the successful trajectories of one subcategory."""
    store = services.store
    right = trajectories(store, study.study_id, outcome="right")
    kinds = sorted({(each.category, each.subcategory) for each in right})
    if not kinds:
        st.info(EMPTY)
        return
    st.caption("Group trajectories that look for the evidence in the same way. The groups and their names are yours; one alone counts too.")
    kind = st.selectbox("Subcategory", kinds, format_func=lambda pair: f"{pair[1]} ({pair[0]})", key="labels_kind")
    here = [each for each in right if (each.category, each.subcategory) == kind]
    groups = strategies.of_coder(store, study.study_id, kind, coder)
    where = strategies.members(store, study.study_id, kind, coder)
    names = {group.strategy_id: group.name for group in groups}
    left, right_side = st.columns([3, 2])
    with right_side:
        _groups(services, study, coder, kind, groups, where)
    with left:
        number = st.selectbox(
            f"Trajectory ({sum(each.episode_id in where for each in here):d} of {len(here):d} grouped)",
            range(len(here)),
            format_func=lambda n: (
                f"{n + 1}: {number_of(here[n].views, 'view')}, {plain_text(names.get(where.get(here[n].episode_id, ''), NONE))}"
            ),
            index=_first([each.episode_id not in where for each in here]),
            key=f"labels_which-{len(where)}",
        )
        chosen = here[number]
        if groups:
            picked = st.selectbox(
                "Its strategy",
                [NONE, *names],
                format_func=lambda strategy_id: plain_text(names.get(strategy_id, NONE)),
                index=None if chosen.episode_id not in where else [NONE, *names].index(where[chosen.episode_id]),
                placeholder="Choose",
                key=f"labels_put-{chosen.episode_id}",
            )
            if picked == NONE and chosen.episode_id in where:
                said.tried(partial(strategies.take_out, store, study.study_id, coder, chosen.episode_id))
            elif picked not in (None, NONE, where.get(chosen.episode_id)):
                said.tried(partial(strategies.put, store, picked, coder, chosen.episode_id))
        else:
            st.info("Make a first strategy on the right, then put this trajectory into it.")
        _strip(services, chosen)


def _groups(
    services: Services, study: Study, coder: str, kind: tuple[str, str], groups: list[Strategy], where: dict[str, str]
) -> None:  # fmt: skip
    """The coder's strategies, with what can be done with them."""
    store = services.store
    with st.form("labels_new", border=False):
        name = st.text_input(
            "A new strategy", max_chars=strategies.MAX_NAME, placeholder="Looks from above", key=f"labels_new_name-{len(groups)}"
        )
        if st.form_submit_button("Make it", type="primary"):
            said.tried(partial(strategies.create, store, study.study_id, kind, coder, name))
    for group in groups:
        inside = sum(found == group.strategy_id for found in where.values())
        with st.expander(f"{plain_text(group.name)} ({inside:d})"):
            name = st.text_input("Name", group.name, max_chars=strategies.MAX_NAME, key=f"labels_name-{group.strategy_id}")
            if name != group.name and st.button("Rename", key=f"labels_rename-{group.strategy_id}"):
                said.tried(partial(strategies.rename, store, group.strategy_id, coder, name))
            others = {each.strategy_id: plain_text(each.name) for each in groups if each is not group}
            if others:
                into = st.selectbox(
                    "Merge into", [*others], format_func=others.__getitem__, index=None, placeholder="Choose",
                    key=f"labels_merge-{group.strategy_id}",
                )  # fmt: skip
                if into and st.button("Merge", key=f"labels_do_merge-{group.strategy_id}"):
                    said.tried(partial(strategies.merge, store, group.strategy_id, into, coder))
            _split(services, coder, group, [episode for episode, found in where.items() if found == group.strategy_id])
            if not inside and st.button("Remove", key=f"labels_remove-{group.strategy_id}"):
                said.tried(partial(strategies.remove, store, group.strategy_id, coder))


def _split(services: Services, coder: str, group: Strategy, inside: list[str]) -> None:
    if len(inside) < 2:
        return
    some = st.multiselect(
        "Split off", range(1, len(inside) + 1), format_func=lambda n: f"its trajectory {n}", key=f"labels_split-{group.strategy_id}"
    )
    if some:
        name = st.text_input("As", max_chars=strategies.MAX_NAME, key=f"labels_as-{group.strategy_id}")
        if st.button("Split", key=f"labels_do_split-{group.strategy_id}"):
            said.tried(lambda: strategies.split(services.store, group.strategy_id, coder, [inside[n - 1] for n in some], name))


def _views(services: Services, study: Study, coder: str) -> None:
    """Label every view of one trajectory after the other."""
    store = services.store
    every = trajectories(store, study.study_id)
    episode = views.next_of(store, study.study_id, coder, [each.episode_id for each in every])
    if episode is None:
        st.info("You have labelled every view of every trajectory that there is: thank you." if every else EMPTY)
        return
    again = st.session_state.get("labels_again")  # the trajectory whose last label is given again
    if again in {each.episode_id for each in every}:
        episode = again
    told, done = shown(store, episode), views.of_coder(store, episode, coder)
    last = max(done, default=0)
    wanted = last if again == episode else min(view.seq for view in told.views if view.seq and view.seq not in done)
    before, view = next((a, b) for a, b in pairwise(told.views) if b.seq == wanted)
    st.write(f"**{plain_text(told.question)}**")
    labelled = f" It is labelled {done[wanted].label} now." if wanted in done else ""
    st.caption(plain_text(f"View {view.seq:d} of {len(told.views) - 1:d}, judged against the view before it.{labelled}"))
    belief = st.segmented_control(
        "The belief", [*BELIEFS], default="", format_func=BELIEFS.__getitem__, key=f"labels_belief-{episode}-{view.seq}"
    )
    for column, (label, when), key in zip(st.columns(3), LABELS.items(), "123", strict=True):
        # a press belongs to the view that it was made for: a second one that comes before the next view is shown labels nothing
        if column.button(
            plain_text(label.capitalize()), help=plain_text(when), shortcut=key, width="stretch", key=f"labels_{label}-{episode}-{wanted}"
        ):
            st.session_state["labels_again"] = None
            st.session_state["labels_last"] = episode
            said.tried(partial(views.put, store, study.study_id, episode, coder, view.seq, label, belief or ""))
    left, right = st.columns(2)
    for column, each, words in ((left, before, "Before"), (right, view, view.action)):
        column.caption(plain_text(words + (f" · thought: {each.belief}" if each.belief else "")))
        _picture(services, each.pixel_hash, f"View {each.seq}", column.html)
    back = episode if last else st.session_state.get("labels_last")
    if back and again is None and st.button("Label the view before again", shortcut="Backspace"):
        st.session_state["labels_again"] = back
        st.rerun()


def _failures(services: Services, study: Study, coder: str) -> None:
    """Say how a trajectory failed; and the code book."""
    store = services.store
    wrong = trajectories(store, study.study_id, outcome="wrong")
    if not wrong:
        st.info("No trajectory of this study has failed." if trajectories(store, study.study_id) else EMPTY)
        return
    book = {code.code: code for code in failures.book(store)}
    coded = [bool(failures.of_coder(store, each.episode_id, coder)) for each in wrong]
    number = st.selectbox(
        f"Trajectory ({sum(coded):d} of {len(wrong):d} coded)",
        range(len(wrong)),
        format_func=lambda n: f"{n + 1}: {wrong[n].subcategory}{' ✓' if coded[n] else ''}",
        index=_first([not each for each in coded]),
        key=f"labels_failed-{sum(coded)}",
    )
    chosen = wrong[number]
    own = failures.of_coder(store, chosen.episode_id, coder)
    with st.form(f"labels_codes-{chosen.episode_id}", border=False):
        picked = st.pills(
            "How did it fail? One or more.", [*book], selection_mode="multi", format_func=lambda code: plain_text(book[code].label),
            default=[label.code for label in own if label.code in book],
        )  # fmt: skip
        note = st.text_input("A note", own[0].note if own else "", max_chars=2000)
        if st.form_submit_button("Save", type="primary", shortcut="Enter"):
            said.tried(lambda: failures.put(store, study.study_id, chosen.episode_id, coder, picked or [], note))
    _strip(services, chosen)
    with st.expander("The code book"):
        st.html(tables.table(["Code", "When", "From"], [[code.label, code.about, code.source or "here"] for code in book.values()]))
        with st.form("labels_book", border=False):
            name = st.text_input("Code", placeholder="gave_up", help="Small letters, digits and _. One that exists is changed.")
            label, about = st.text_input("Label", max_chars=120), st.text_input("When it is given", max_chars=1000)
            if st.form_submit_button("Write it"):
                said.tried(lambda: failures.write(store, name, label, about, actor=coder))
        words = {code: plain_text(each.label) for code, each in book.items()}
        gone = st.selectbox("Offer no more", [*book], format_func=words.__getitem__, index=None, placeholder="Choose")
        if gone and st.button("Retire it", help="What was coded with it stays."):
            said.tried(lambda: failures.retire(store, gone, actor=coder))


def _figures(services: Services, study: Study) -> None:
    """Counts, rates and shares; nothing that is not labelled is told as 0."""
    store = services.store
    groups, rates = results.strategies(store, study.study_id), results.rates(store, study.study_id)
    if not rates:
        st.info(EMPTY)
        return
    st.subheader("Strategies", anchor=False)
    head = ["Subcategory", "Successful", "Grouped", "Strategies by coder", "Coders agree (adjusted Rand)", "ESI-Bench, Table 8"]
    st.html(
        tables.table(
            head,
            [
                [
                    each.subcategory, each.trajectories, each.grouped, ", ".join(str(n) for n in each.clusters.values()) or "–",
                    "–" if each.agreement is None else f"{each.agreement:.2f}", each.published or "–",
                ]
                for each in groups
            ],
            numbers=[1, 2],
        )
    )  # fmt: skip
    st.subheader("Views and beliefs", anchor=False)
    st.caption("Percent of active trajectories. A rate of views needs two coders, one of beliefs two stated ones; else it is missing.")
    st.html(
        tables.table(
            [
                "Agent", "Trajectories", "Labelled", "Contrastive view", "Beliefs stated", "Revised", "Revised after a contrastive view",
                "Coders agree (alpha)",
            ],
            [
                [
                    each.agent, each.trajectories, each.labelled, _percent(each.contrastive), each.believed, _percent(each.revised),
                    _percent(each.revised_after_contrastive), "–" if each.alpha is None else f"{each.alpha:.2f}",
                ]
                for each in rates
            ],
            numbers=[1, 2, 3, 4, 5, 6, 7],
        )
    )  # fmt: skip
    labels = {code.code: code.label for code in failures.book(store, retired=True)}
    rows = [
        [each.agent, each.failed, each.coded, labels[code], _percent(share)]
        for each in results.failures(store, study.study_id)
        for code, share in each.shares.items()
    ]
    if rows:
        st.subheader("Failure modes", anchor=False)
        st.html(tables.table(["Agent", "Failed", "Coded", "Mode", "Of the coded"], rows, numbers=[1, 2, 4]))


def _strip(services: Services, trajectory: Trajectory) -> None:
    """The pictures of a trajectory in order, with what was done."""
    told = shown(services.store, trajectory.episode_id)
    st.write(f"**{plain_text(told.question)}**")
    for start in range(0, len(told.views), ACROSS):
        for column, view in zip(st.columns(ACROSS), told.views[start : start + ACROSS], strict=False):
            _picture(services, view.pixel_hash, f"View {view.seq}", column.html)
            words = [f"{view.seq}. {view.action}" if view.seq else "Start"] + ([f"thought: {view.belief}"] if view.belief else [])
            column.caption(plain_text(" · ".join(words)))


def _picture(services: Services, pixel_hash: str, words: str, draw: Callable[[str], object]) -> None:
    """A kept picture. It stands in the page itself: no address serves a trajectory's pictures to coders."""
    try:
        data = base64.b64encode(services.frames.kept(services.store, pixel_hash)).decode()
    except FrameDamaged:
        draw("<p>This picture is missing: <code>vantage doctor</code> says what is damaged.</p>")
        return
    style = "max-width:100%;width:100%;max-height:52vh;object-fit:contain;object-position:left;display:block"
    draw(f"<img src='data:{MEDIA_TYPE};base64,{data}' alt='{escape(words, quote=True)}' style='{style}'>")


def _first(wanted: list[bool]) -> int:
    """Index of the first that is wanted; the first of all where none is."""
    return wanted.index(True) if True in wanted else 0


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


PAGES = (Page("Trajectories", "trajectories", roles=ROLES, draw=lambda visit: page(visit.grant), group="Study"),)
