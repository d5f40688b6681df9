"""Set-up: which tasks, by category, source and verification."""

from __future__ import annotations

from collections import Counter
from functools import cache

import streamlit as st

from app.pages import qa_parts
from app.pages.parts import kept_for_all, plain_text
from app.pages.setup.section import Section, Setup
from data.abilities import Catalogue
from data.store import Store, dumps
from data.task import Task
from study import drafting

VERIFIED = ("any", "not verified yet")
"""What a task's verification can be: nothing is verified by people yet."""


def draw(setup: Setup) -> None:
    """The tasks there are in the study, and a choice of others."""
    store = setup.services.store
    _there(setup)
    st.subheader("Choose tasks", anchor=False)
    datasets, categories = store.task_counts("dataset"), store.task_counts("category")
    if not categories:
        st.info("There are no tasks here yet: `vantage tasks import` or `vantage tasks generate` brings some.")
        return
    left, right = st.columns(2)
    sources = left.multiselect(
        "Source", list(datasets), format_func=lambda name: f"{name} ({datasets[name]})", placeholder="all sources", key="tasks-source"
    )
    right.selectbox("Verification", VERIFIED, key="tasks-verified", help="Which tasks people have verified is not kept yet.")
    wanted = st.multiselect(
        "Categories", list(categories), format_func=lambda name: f"{name} ({categories[name]})", placeholder="all categories",
        key="tasks-categories",
    )  # fmt: skip
    below = _subcategories(store, tuple(wanted), tuple(sources))
    kinds = st.multiselect(
        "Subcategories",
        list(below),
        format_func=lambda name: f"{name} ({below[name]})",
        placeholder="all of these categories",
        key="tasks-kinds",
    )
    left, right = st.columns(2)
    most = left.number_input(
        "Tasks per category at most", 1, 10_000, None, placeholder="all", key="tasks-most",
        help="Drawn evenly from the subcategories; the draw is the same each time.",
    )  # fmt: skip
    able = right.checkbox("Only tasks that this simulator can show", value=True, key="tasks-able")
    if st.button("Use these tasks", type="primary", help="They take the place of those there are."):
        with st.spinner("Looking which tasks can be shown here…"):
            try:
                chosen = drafting.choose(
                    store,
                    datasets=sources or list(datasets),
                    categories=wanted,
                    subcategories=kinds,
                    playable=_missing if able else None,
                    per_category=int(most) if most else None,
                )
            except drafting.BadStudy as error:
                st.error(plain_text(str(error)))
                return
        practice = setup.study.practice_task
        kept = [content_hash for content_hash in chosen.tasks if content_hash != practice and content_hash not in _practice(store)]
        setup.save(tasks=kept, then="paradigms")


def _there(setup: Setup) -> None:
    """How many tasks the study has, by category."""
    study = setup.study
    if not study.tasks:
        st.info("The study has no tasks yet.")
        return
    counts = kept_for_all(f"tasks {study.study_id}", hash(study.tasks), lambda: _counted(setup.services.store, study.tasks))
    st.html(qa_parts.table(["Category", "Tasks", "Subcategories", "Sources"], [[*row] for row in counts], numbers=[1, 2], last=True))


def _counted(store: Store, tasks: tuple[str, ...]) -> list[tuple[str, int, int, str]]:
    rows = store.query(
        "SELECT category, subcategory, dataset FROM tasks WHERE content_hash IN (SELECT value FROM json_each(?))", [dumps(list(tasks))]
    )
    number = Counter(row["category"] for row in rows)
    kinds: dict[str, set[str]] = {}
    sources: dict[str, set[str]] = {}
    for row in rows:
        kinds.setdefault(row["category"], set()).add(row["subcategory"])
        sources.setdefault(row["category"], set()).add(row["dataset"])
    told = [(name, number[name], len(kinds[name]), ", ".join(sorted(sources[name]))) for name in sorted(number)]
    every = ", ".join(sorted({row["dataset"] for row in rows}))
    return [*told, (f"{len(number)} categories", len(rows), len(set().union(*kinds.values())), every)]


def _subcategories(store: Store, categories: tuple[str, ...], datasets: tuple[str, ...]) -> dict[str, int]:
    """Subcategory → tasks, of these categories and data sets (none: all)."""
    rows = store.query(
        "SELECT subcategory, count(DISTINCT task_id) AS n FROM tasks "
        "WHERE (? = '[]' OR category IN (SELECT value FROM json_each(?))) AND (? = '[]' OR dataset IN (SELECT value FROM json_each(?))) "
        "GROUP BY subcategory ORDER BY subcategory",
        [part for names in (categories, datasets) for part in [dumps(list(names))] * 2],
    )
    return {row["subcategory"]: row["n"] for row in rows}


def _practice(store: Store) -> set[str]:
    """Tasks that are there to practise on: none of a study's own."""
    rows = store.query("SELECT content_hash FROM tasks WHERE task_id LIKE '%practice%'")
    return {row["content_hash"] for row in rows}


def _missing(task: Task) -> list[str]:
    """What the installed object models lack to show a task."""
    from data.playable import assess

    return assess(task, _catalogue()).missing


@cache
def _catalogue() -> Catalogue:
    from sim_bridge.backends.mujoco.catalogue import Catalogue as Installed

    return Installed.load()


SECTION = Section("tasks", "Tasks", draw)
