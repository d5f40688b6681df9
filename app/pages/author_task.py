"""Make a task: somebody builds a scene in the simulator, asks a question about it, plays the way that answers it, and hands it in."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import streamlit as st

from annotation.authoring import drafts, handing_in, proving
from annotation.authoring.asked import FORMS
from annotation.authoring.draft import LIGHTING, ROOM_KINDS
from annotation.authoring.drafts import Kept
from annotation.authoring.stage import called_by_handle
from annotation.recording import recorder
from app import author_api, identity, play_api, rights
from app.components import PLAY
from app.components.authoring import TASKMAKER, taskmaker
from app.pages import recording, said
from app.pages.page import Page
from app.pages.parts import begin, plain_text, when
from app.services import Services, current
from data.generators.lab import Lab
from data.plurals import number_of
from data.subcategories import BY_KEY, find
from sim_bridge.actions import BY_NAME, CAMERA_ACTIONS
from sim_bridge.errors import Refusal
from study.access import EVERY_STUDY, Grant
from study.action_results import way_in_words

STEPS = ("Build", "Record the way", "Check and hand in")
NEW = ""
SAID, CHECKED, HANDED_IN = "author", "author_check", "author_hand_in"
"""Where the page says what was done with a draft, and the name of a deed on it; two other deeds, which come soon after."""
GOTO = "author_goto"
"""What was made last and is to be opened: the draft, what was chosen before it, when."""
CAUGHT_UP_S = 3.0
"""So long after one was made the browser may still say what was chosen before: with a second press, or with the next one."""


def page(grant: Grant) -> None:
    """One's own drafts, and the one that is open."""
    begin("Vantage: make a task", layout="wide")
    services = current()
    checked = rights.still(services.store, identity.page_cookie(), grant, *rights.RECORDERS)
    staff = checked.staff_id or ""
    st.title("Make a task", anchor=False)
    mine = {kept.draft_id: kept for kept in drafts.mine(services.store, staff)}
    wanted = _wanted(mine)
    if wanted in mine:
        st.session_state["author_draft"] = wanted
    if st.session_state.get("author_draft") not in mine:
        st.session_state["author_draft"] = NEW  # said to the browser too, where the one that was put aside is still chosen
    chosen = st.selectbox(
        "Draft",
        [NEW, *mine],
        format_func=lambda draft: _name(mine[draft]) if draft else "Begin another one",
        key="author_draft",
    )
    said.show(SAID, chosen)
    if not chosen:
        _begin(services, staff)
        return
    st.query_params["draft"] = chosen
    _draft(services, mine[chosen], staff, None if checked.study_id == EVERY_STUDY else checked.study_id)


def _wanted(mine: Collection[str]) -> str:
    """Which draft is to be opened beside what the browser says; empty: what it says holds."""
    says = st.session_state.get("author_draft")
    made, before, at = said.left(GOTO) or ("", None, 0.0)
    if made and says in (None, before) and time.monotonic() - at < CAUGHT_UP_S:
        return str(made)
    # Where the name of the open one has changed (saved again, handed in), the browser sends the old one: the address says which.
    return "" if says in (NEW, *mine) else str(st.query_params.get("draft", ""))


def _name(kept: Kept) -> str:
    return f"{kept.name} ({'handed in' if kept.state == 'handed_in' else 'saved ' + when(kept.saved_at)})"


def _begin(services: Services, staff: str) -> None:
    """A new draft of some subcategory."""
    keys = list(BY_KEY)
    kind = st.selectbox(
        "Subcategory", keys, format_func=lambda key: f"{key[0]}: {key[1]}", key="author_kind", index=None, placeholder="Choose what to make"
    )
    if kind is None:
        return
    st.write(plain_text(find(*kind).definition))
    if st.button("Begin", type="primary"):
        _to(lambda: drafts.begin(services.store, staff, *kind))


def _draft(services: Services, kept: Kept, staff: str, study_id: str | None) -> None:
    """The open draft: what can be done with the whole of it, and the step that its author is at."""
    twin = drafts.twin_of(services.store, kept)
    left, *buttons = st.columns([5, 1, 1, 1], vertical_alignment="bottom")
    step = (
        left.segmented_control("Step", STEPS, default=STEPS[0], key=f"author_step_{kept.draft_id}", label_visibility="collapsed")
        or STEPS[0]
    )
    if buttons[0].button("Copy", width="stretch", help="Another draft like this one, to vary.", key=f"author_copy-{kept.draft_id}"):
        _to(lambda: drafts.copy(services.store, kept.draft_id, staff))
    if twin is not None:
        if buttons[1].button("Its twin", width="stretch", help="The draft with the opposite answer."):
            _to(lambda: twin.draft_id)
    elif kept.state == drafts.OPEN and buttons[1].button(
        "Make its twin", width="stretch", help="A copy that is to get the opposite answer, with the same first view.",
        key=f"author_twin-{kept.draft_id}",
    ):  # fmt: skip
        _to(lambda: drafts.copy(services.store, kept.draft_id, staff, twin=True))
    if kept.state == drafts.OPEN and buttons[2].button("Put aside", width="stretch", key=f"author_aside-{kept.draft_id}"):
        if not said.twice(SAID):
            drafts.drop(services.store, kept.draft_id, staff)
            services.stage.close(kept)
            said.done(SAID, f"The draft “{kept.name}” is put aside.", deed=SAID)
        st.rerun()
    if kept.state != drafts.OPEN:
        st.info("This task is handed in and stays as it is. Copy it to make another one like it.")
    if step == STEPS[0] or kept.state != drafts.OPEN:
        _build(kept)
    elif step == STEPS[1]:
        _record(services, kept, staff)
    else:
        _check(services, kept, twin, study_id)


def _to(make: Callable[[], str]) -> None:
    """Open another draft. The second press of a double click makes none: it meets the buttons of the one that is open by then."""
    made, before, _ = said.left(GOTO) or ("", None, 0.0)
    if not said.twice(SAID):
        before = st.session_state.get("author_draft")
        try:
            made = make()
        except Refusal as refusal:
            st.error(plain_text(refusal.for_people))
            return
        said.acted(SAID)
    said.leave(GOTO, (made, before, time.monotonic()))
    st.rerun()


def _build(kept: Kept) -> None:
    draft = kept.draft
    generator = proving.generator_of(draft)
    data: dict[str, Any] = {
        "draft": kept.draft_id,
        "rev": kept.rev,
        "about": {
            "name": f"{draft.category}: {draft.subcategory}",
            "definition": find(draft.category, draft.subcategory).definition,
            "actions": ", ".join(BY_NAME[name].label for name in draft.actions),
            "rule": generator.rule if generator else "No generator makes this subcategory.",
        },
        "models": _models(),
        "moves": [{"name": name, "label": BY_NAME[name].label, "key": _key(BY_NAME[name].key)} for name in CAMERA_ACTIONS],
        "rooms": list(ROOM_KINDS),
        "lighting": list(LIGHTING),
        "forms": list(FORMS),
    }
    taskmaker(data, key=f"taskmaker-{kept.draft_id}")


def _key(code: str) -> str:
    """What a key of this code means to a listener of ours: a small letter, or its name."""
    return code.removeprefix("Key").lower() if code.startswith("Key") else code


@cache
def _models() -> list[str]:
    """Categories of which the installed object models show something."""
    from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
    from sim_bridge.backends.mujoco.catalogue.vocabulary import known

    catalogue = Catalogue.load()
    return [category for category in known() if catalogue.lookup(category).recognisable]


def _record(services: Services, kept: Kept, staff: str) -> None:
    """Play the draft as a participant would, to show what decides the answer."""
    store = services.store
    if kept.draft.path:
        told = way_in_words(kept.draft.path, called_by_handle(kept.draft, kept.family))
        st.success(plain_text(f"A way of {number_of(len(kept.draft.path), 'action')} is recorded: {told}"))
    episode = None if kept.episode_id is None else recorder.episode(store, kept.episode_id)
    if episode is None or episode.state not in ("created", "active", "completed"):
        st.write(recording.HOW)
        if st.button("Record it anew" if kept.draft.path else "Begin", type="primary"):
            said.tried(lambda: handing_in.begin_recording(services.engine, kept), deed=SAID)
        return
    recording.recording(
        services,
        episode,
        title=kept.name,
        undo=lambda: drafts.records(store, kept.draft_id, staff, recorder.undo(services.engine, episode.episode_id, staff)),
        drop=lambda: handing_in.drop_recording(services.engine, kept),
        use=lambda says: handing_in.keep_way(services.engine, kept, says),
        called=called_by_handle(kept.draft, kept.family),
        said_at=SAID,
        kept="The way is kept.",
    )


def _check(services: Services, kept: Kept, twin: Kept | None, study_id: str | None) -> None:
    """What the generators' own checks say, and the queue of a verification."""
    st.write("The task is played in a fresh session, the answer is derived again from the state, and the twin is compared.")
    if st.button("Check it") and not said.twice(CHECKED):
        with st.spinner("Playing it…"):
            proof = _in_lab(services, kept, lambda lab: proving.prove(lab, kept, twin))
            said.leave(CHECKED, (kept.draft_id, kept.rev, proof))
            said.acted(CHECKED)
    of, rev, proof = said.left(CHECKED) or ("", 0, None)
    if proof is not None and (of, rev) == (kept.draft_id, kept.rev):
        if proof.derived:
            st.write(f"The simulator says: {plain_text(proof.derived)}. The way has {number_of(proof.views, 'view')}.")
        for found in proof.found:
            (st.error if found.stops else st.warning)(plain_text(found.text))
        if not proof.found:
            st.success("Nothing is wrong.")
        if not proof.derived and proof.views:
            st.info(
                "No program derived the answer: choose at *What it asks, in the generators’ terms* what the question asks, where it is "
                "one of theirs. Otherwise whether it is right, and whether one view tells it, is for the people who verify it."
            )
        if proof.early:
            shown = ", ".join(proof.early)
            st.warning(plain_text(f"The first view shows {shown} already. Does it tell the answer? Then nobody has to look."))
    open_ones = {v.verification_id: v.name for v in handing_in.open_to(services.store, study_id)}
    st.subheader("Hand it in", anchor=False)
    if not open_ones:
        st.info("No verification is open. A researcher starts one; the draft is kept.")
        return
    st.write("It then stays as it is, with its twin, and three other people verify it.")
    to = st.selectbox("Verification", list(open_ones), format_func=lambda one: open_ones[one], key="author_to")
    if st.button("Hand it in", type="primary", key="author_hand_in"):
        with st.spinner("Playing it once more…"):
            said.tried(
                lambda: _in_lab(services, kept, lambda lab: handing_in.hand_in(services.store, lab, kept, to)),
                SAID,
                "It is handed in. Other people verify it now.",
                deed=HANDED_IN,
            )


def _in_lab(services: Services, kept: Kept, work: Callable[[Lab], Any]) -> Any:
    """Something with a draft in a simulator of the pool, whose place is given back."""
    session = f"author-check-{kept.draft_id}"
    try:
        return work(Lab(services.pool.acquire(session, wait_s=30.0)))
    finally:
        services.pool.release(session)


PAGES = (
    Page(
        "Make a task",
        "author",
        roles=rights.RECORDERS,
        draw=lambda visit: page(visit.grant),
        group="Study",
        routes=(*author_api.ROUTES, *play_api.ROUTES),
        components=(TASKMAKER, PLAY),
    ),
)
