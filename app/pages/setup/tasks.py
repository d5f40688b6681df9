"""Set-up: which tasks, by category, source and verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from annotation.verifying import standing
from app.pages import tables
from app.pages.parts import kept_for_all, plain_text
from app.pages.setup.section import Asked, Section, Setup, Unread, read
from data.abilities import Catalogue
from data.fidelity import fidelity, selected_on_answer
from data.plurals import number_of
from data.store import Store
from data.task import Task
from study import drafting

FIND = "Find tasks"
MOST = Asked("per_category", "Tasks per category at most", least=1, most=10_000)
_FOUND = "setup_found"


def draw(setup: Setup) -> None:
    """The tasks there are in the study, and a choice of others."""
    store = setup.services.store
    _there(setup)
    st.subheader("Choose tasks", anchor=False)
    datasets, categories = store.task_counts("dataset"), store.task_counts("category")
    if not categories:
        st.info("There are no tasks here yet: `vantage tasks import` or `vantage tasks generate` brings some.")
        return
    last = drafting.last_choice(store, setup.study.study_id)
    left, right = st.columns(2)
    sources = _some(setup, left, "Source", "sources", datasets, last.datasets, "all sources")
    standings = kept_for_all("task standings", store.tasks_stand(), lambda: standing.counts(store))
    stand = _some(setup, right, "Verification", "verified", standings, last.verified, "verified or not")
    wanted = _some(setup, st, "Categories", "categories", categories, last.categories, "all categories")
    below = store.subcategory_counts(wanted, sources)
    kinds = _some(setup, st, "Subcategories", "kinds", below, last.subcategories, "all of these categories")
    left, right = st.columns(2)
    most = _most(setup, left, last.per_category)
    able = right.checkbox("Only tasks that this simulator can show", **setup.hold("able", last.playable))
    choice = drafting.Choice(tuple(sources), tuple(wanted), tuple(kinds), most, able, tuple(stand))
    found = _found(setup, choice) if setup.press(FIND, primary=True) else None
    if found is not None:
        st.session_state[_FOUND] = (setup.study.study_id, choice, found)
    owner, of, found = st.session_state.get(_FOUND, ("", None, ()))
    if owner == setup.study.study_id and of == choice:
        _use(setup, choice, found)


def _some(setup: Setup, place: Any, label: str, name: str, counts: dict[str, int], last: tuple[str, ...], every: str) -> list[str]:
    """A choice of several, each with how many tasks it has; what there is no more is not in it."""
    kept = [one for one in last if one in counts]
    how = setup.hold(name, kept)
    if gone := set(st.session_state[how["key"]]) - set(counts):
        st.session_state[how["key"]] = [one for one in st.session_state[how["key"]] if one not in gone]
    chosen: list[str] = place.multiselect(
        plain_text(label), list(counts), format_func=lambda one: f"{one} ({counts[one]})", placeholder=every, **how
    )
    return chosen


def _most(setup: Setup, place: Any, last: int | None) -> int | None:
    text = place.text_input(
        MOST.label, placeholder="all", help="Drawn evenly from the subcategories; the same choice of the same tasks gives the same draw.",
        **setup.hold("most", "" if last is None else str(last)),
    )  # fmt: skip
    try:
        found: int | None = read(text.strip(), int, MOST, may_be_none=True)
    except Unread as error:
        setup.wrong.append(str(error))
        return None
    return found


def _found(setup: Setup, choice: drafting.Choice) -> tuple[str, ...] | None:
    """The tasks that a choice finds; None where it was refused, which is said."""
    store = setup.services.store
    with st.spinner("Looking which tasks can be shown here…"):
        try:
            chosen = drafting.choose(
                store,
                datasets=choice.datasets or list(store.task_counts("dataset")),
                categories=choice.categories,
                subcategories=choice.subcategories,
                playable=_missing(setup.services.store) if choice.playable else None,
                stands=standing.stands(store, choice.verified),
                standing=" or ".join(choice.verified),
                per_category=choice.per_category,
            )
        except drafting.BadStudy as error:
            st.error(plain_text(str(error)))
            return None
    practice = {setup.study.practice_task, *store.practice()}
    return tuple(content_hash for content_hash in chosen.tasks if content_hash not in practice)


def _use(setup: Setup, choice: drafting.Choice, found: tuple[str, ...]) -> None:
    """What was found, beside what there is; and a button that takes it."""
    there = set(setup.study.tasks)
    come, gone = len(set(found) - there), len(there - set(found))
    if not come and not gone:
        st.info(plain_text(f"This choice finds the {number_of(len(found), 'task')} that the study has."))
        return
    told = f"This choice finds {number_of(len(found), 'task')}."
    if there:
        told += f" They take the place of the {len(there):,} that the study has: {come:,} come, {gone:,} go."
    st.info(plain_text(told))
    label = "Use this task" if len(found) == 1 else f"Use these {number_of(len(found), 'task')}"
    if setup.press(label):
        st.session_state.pop(_FOUND, None)
        setup.do(
            lambda actor: drafting.use(setup.services.store, setup.study.study_id, choice, found, actor=actor),
            f"The study has {number_of(len(found), 'task')} now.", "paradigms", by=label,
        )  # fmt: skip


def _there(setup: Setup) -> None:
    """How many tasks the study has, by category."""
    study = setup.study
    if not study.tasks:
        st.info("The study has no tasks yet.")
        return
    counts = kept_for_all(f"tasks {study.study_id}", hash(study.tasks), lambda: _counted(setup.services.store, study.tasks))
    st.html(tables.table(["Category", "Tasks", "Subcategories", "Sources"], [[*row] for row in counts], numbers=[1, 2], last=True))
    ways, taken = kept_for_all(f"faithful {study.study_id}", hash(study.tasks), lambda: _faithful(setup.services.store, study.tasks))
    if ways:
        st.html(tables.table(["Released rows with our object models: how faithful", "Tasks"], [[*row] for row in ways], numbers=[1]))
    if taken:
        st.caption(
            f"{number_of(taken, 'task is', 'tasks are')} here because doing it gives the recorded answer: accuracy there says nothing "
            "of how often the release's answers hold."
        )


def _faithful(store: Store, tasks: tuple[str, ...]) -> tuple[list[tuple[str, int]], int]:
    """How faithful released rows are, with how many tasks, and how many tasks are here because their recorded answer holds."""
    met = [store.get_task(content_hash) for content_hash in tasks]
    ways = Counter(how.words for task in met if (how := fidelity(task)) is not None)
    return ways.most_common(), sum(selected_on_answer(task) for task in met)


def _counted(store: Store, tasks: tuple[str, ...]) -> list[tuple[str, int, int, str]]:
    found = store.task_kinds(tasks)
    number = Counter(kind.category for kind in found)
    kinds: dict[str, set[str]] = {}
    sources: dict[str, set[str]] = {}
    for kind in found:
        kinds.setdefault(kind.category, set()).add(kind.subcategory)
        sources.setdefault(kind.category, set()).add(kind.dataset)
    told = [(name, number[name], len(kinds[name]), ", ".join(sorted(sources[name]))) for name in sorted(number)]
    every = ", ".join(sorted({kind.dataset for kind in found}))
    return [*told, (number_of(len(number), "category", "categories"), len(found), len(set().union(*kinds.values())), every)]


def _missing(store: Store) -> Callable[[Task], list[str]]:
    """What the installed object models lack to show a task."""
    from data.playable import judge

    judged = judge(store, _catalogue())
    return lambda task: judged(task).missing


@cache
def _catalogue() -> Catalogue:
    from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue as Installed

    return Installed.load()


SECTION = Section("tasks", "Tasks", draw)
