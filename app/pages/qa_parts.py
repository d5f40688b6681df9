"""What the pages of the QA studio share: who may open them, which project they show, people's names, and small pieces of markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from annotation.qa.items import Item
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import FRAME_TEXT
from annotation.qa.work.canvas_marks import wire
from app import identity, rights, theme
from app.components.reviewing import look
from app.pages import said, tables
from app.services import Services, current
from data.store import Store
from sim_bridge.errors import Refusal
from study.access import Grant
from study.people import staff_names

STYLE = f"<style>\n{(Path(theme.__file__).parent / 'qa.css').read_text(encoding='utf-8')}\n</style>"

KEPT_BACK = (
    "Moments whose pictures would tell you the answer of an item that you may be asked to review are left out. They come back when you "
    "have reviewed it."
)
"""Said where moments are left out."""


def allowed(grant: Grant, *roles: str) -> Services:
    """The services, after checking on the server that this browser has one of the roles in the grant's study.

    Raises:
        NotAllowed: it has none of them.
    """
    services = current()
    rights.still(services.store, identity.page_cookie(), grant, *roles)
    return services


def person(grant: Grant) -> str:
    """Under which id this person's work is kept."""
    return grant.staff_id or ""


def chosen_project(store: Store, grant: Grant, *roles: str) -> Project | None:
    """The project to show: the only one, or the one chosen on this page; None where there is none."""
    found = rights.projects_of(store, grant, *roles)
    if len(found) < 2:
        return found[0] if found else None
    ids = [project.project_id for project in found]
    wanted = st.session_state.get("qa_project")
    names = {project.project_id: project.name for project in found}
    chosen = st.selectbox(
        "Project",
        ids,
        index=ids.index(wanted) if wanted in ids else len(ids) - 1,
        format_func=names.__getitem__,
        key="qa-project-picker",
        on_change=said.forget,
    )
    st.session_state["qa_project"] = chosen
    return next(project for project in found if project.project_id == chosen)


def names(store: Store, people: Iterable[str]) -> dict[str, str]:
    """Staff id → name; where two share a name, the end of the id stands behind it."""
    wanted = sorted(set(people))
    known = staff_names(store, wanted)
    shown = {who: known.get(who, who or "unknown") for who in wanted}
    twice = {name for name in shown.values() if sum(other == name for other in shown.values()) > 1}
    return {who: f"{name} ({who[-4:]})" if name in twice else name for who, name in shown.items()}


def subtask_name(slug: str) -> str:
    """A subtask as published."""
    return SUBTASKS[slug].name if slug in SUBTASKS else slug


def image_url(item_id: str, view: str) -> str:
    """Address of a view of an item."""
    return f"api/qa/image/{item_id}/{view}"


def option_url(item_id: str, letter: str) -> str:
    """Address of an option's image."""
    return f"api/qa/option/{item_id}/{letter}"


def views(item_id: str, shown: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Views as the canvas takes them; each has ``view``, ``width`` and ``height``."""
    return [
        {"name": view["view"], "url": image_url(item_id, view["view"]), "width": view["width"], "height": view["height"]} for view in shown
    ]


def line(text: str, *, first: str = "") -> str:
    """A line of small words; `first` is what has just been saved."""
    done = f'<span class="done" role="status">{escape(first)}</span> ' if first else ""
    return f'<div class="qa"><p class="muted">{done}{escape(text)}</p></div>'


def question_html(text: str) -> str:
    """A question, its definition of the frame in smaller letters below it."""
    head, mark, tail = text.partition(FRAME_TEXT[:45])
    frame = f'<p class="frame">{escape(mark + tail)}</p>' if mark else ""
    return f'<div class="qa"><p class="question" role="heading" aria-level="2">{escape(head.strip())}</p>{frame}</div>'


def percent(share: float | None) -> str:
    """A share as whole percent."""
    return "" if share is None else f"{100 * share:.0f} %"


def options_html(item: Item, *, chosen: str | None = None) -> str:
    """The options of an item with what its author meant by each."""
    kinds = SUBTASKS[item.subtask].distractors
    lines = []
    for letter, text in item.options.items():
        made = item.provenance.get(letter)
        how = "" if made is None else f"{kinds.get(made.kind, made.kind)} {made.note}".strip()
        tags = [
            name for holds, name in ((letter == item.gold, "right"), (letter in item.hard, "hard"), (letter == chosen, "given")) if holds
        ]
        bold = ' class="gold"' if letter == item.gold else ""
        lines.append([f"<span{bold}>{letter}</span>", f"<span{bold}>{escape(text)}</span>", ", ".join(tags), escape(how)])
    return tables.table(["Letter", "Option", "Said of it", "How it was made"], lines, html=True)


def pictures(item: Item, *, key: str, pins: list[dict[str, Any]] | None = None) -> None:
    """The views of an item with its marks, the comments pinned to them where there are to be any, and the images that are options."""
    rule = SUBTASKS[item.subtask].marks
    shown = [view.model_dump(mode="json") for view in item.views]
    look(
        item.item_id, views=views(item.item_id, shown), marks=wire(item), kinds=rule.kinds, colours=rule.colours, key=key, pins=pins,
    )  # fmt: skip
    if not item.option_images:
        return
    images = "".join(
        f"<figure><img src='{escape(option_url(item.item_id, letter))}' alt='Option {letter}'><figcaption>{letter}</figcaption></figure>"
        for letter in sorted(item.option_images)
    )
    st.html(f'<div class="qa"><div class="strip">{images}</div></div>')


def guarded(work: Callable[[], Any], place: str, about: str, *, deed: str = "") -> bool:
    """Do something that may be refused; the refusal's sentence is kept for the page. Returns whether it was done.

    Args:
        work: what to do.
        place: where the page says why it was refused (`app.pages.said`).
        about: the item that it is about.
        deed: a name for the kind of deed; the second press of a double click then does nothing.
    """
    if deed and said.twice(deed):
        return False
    try:
        work()
    except (Refusal, ValueError) as error:
        said.refused(place, error.for_people if isinstance(error, Refusal) else str(error), about=about)
        return False
    said.forget()
    if deed:
        said.acted(deed)
    return True
