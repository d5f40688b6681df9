"""How a trajectory is recorded on a page: the task played with a way back, then what was recorded and the button that uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from annotation.recording import recorder
from app.components import play
from app.pages import said
from app.pages.parts import plain_text
from app.services import Services
from data.plurals import number_of
from study.action_results import way_in_words
from study.records import EpisodeRecord
from study.steps import steps_of

HOW = (
    "Show what decides the answer, by the shortest way that you find: play the task as a participant would, and give the right answer at "
    "the end. No move can end inside a wall or a thing."
)


def recording(
    services: Services,
    episode: EpisodeRecord,
    *,
    title: str,
    undo: Callable[[], object],
    drop: Callable[[], object],
    use: Callable[[str], object],
    said_at: str,
    kept: str,
    called: Mapping[str, str] | None = None,
) -> None:
    """A recording that is under way, or done.

    Args:
        services: what the page works with.
        episode: in which it is recorded.
        title: what is recorded.
        undo: takes the last action back.
        drop: begins anew.
        use: takes what was recorded, with a sentence of what its end shows.
        said_at: where the page says that it was used (`app.pages.said`).
        kept: the sentence that says it.
        called: handle → how its author calls the thing; None: as the task's question names it.
    """
    if episode.state == "completed":
        _done(services, episode, called, drop, use, said_at, kept)
        return
    left, right, _ = st.columns([2, 2, 5])
    if left.button("Undo the last action", width="stretch", help="All other actions are done again, which takes a moment."):
        said.tried(undo, deed=said_at)
    if right.button("Start again", width="stretch"):
        said.tried(drop, deed=said_at)
    play(
        episode.episode_id,
        title=f"Recording of {title}",
        next_label="Look at what was recorded",
        key=f"record-{episode.episode_id}",
        staff=True,
        test=services.settings.test_hook,
    )


def _done(
    services: Services, episode: EpisodeRecord, called: Mapping[str, str] | None, drop: Callable[[], object],
    use: Callable[[str], object], said_at: str, kept: str,
) -> None:  # fmt: skip
    """What was recorded, why it cannot be used, or the button that uses it."""
    own = recorder.way(steps_of(services.store, episode.episode_id))
    names = called or services.store.get_task(episode.task_hash).names
    st.subheader("What was recorded", anchor=False)
    told = f"{number_of(len(own.actions), 'action')}, {number_of(own.views, 'view')}"
    st.write(plain_text(f"{told}: {way_in_words(own.actions, names)}" if own.actions else f"{told}."))
    problems = recorder.problems(services.store, episode.episode_id)
    for problem in problems:
        st.error(plain_text(problem))
    if not problems:
        says = st.text_input(
            "What does its end show?", key="record_says", max_chars=500, help="One sentence, for whoever reads the task later."
        )
        if st.button("Use this as the trajectory", type="primary"):
            said.tried(lambda: use(says), said_at, kept, deed=said_at)
    if st.button("Start again"):
        said.tried(drop, deed=said_at)
