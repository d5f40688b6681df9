"""Set-up: how large the study is, and which difference between two paradigms it would find."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from app import identity, rights
from app.pages import job_panel, tables
from app.pages.parts import plain_text, when
from app.pages.setup import work
from app.pages.setup.section import Asked, Section, Setup, Unread, read
from data.plurals import number_of
from study import sizing
from study.paradigms import paradigm

KIND = "study-power"
"""Of the job that computes power."""


PEOPLE = Asked("people", "People", least=1, most=100_000)
SECONDS = Asked("seconds", "Seconds per task", least=1, most=7200, help="A guess, until a pilot says it: then the pilot’s median counts.")
AROUND = Asked("around", "Minutes of a person beside the tasks", least=0, most=600)
RIGHT = Asked("accuracy", "Right answers in the first, %", least=5, most=75, help="A guess, or what a pilot found.")
GONE = Asked("dropout", "People who leave on the way, %", least=0, most=90)


def draw(setup: Setup) -> None:
    """Counts, and power."""
    left, middle, right = st.columns(3)
    planned = setup.study.planned_people
    try:
        people = _number(setup, left, PEOPLE, planned, placeholder="as many as fill it")
        seconds = _number(setup, middle, SECONDS, int(sizing.SECONDS_PER_TASK))
        around = _number(setup, right, AROUND, int(sizing.MINUTES_AROUND))
        found = sizing.size(setup.services.store, setup.study, people=people, seconds=float(seconds or 0), around=float(around or 0))
    except (Unread, sizing.NoPlan) as error:
        st.info(plain_text(str(error)))
        return
    _counts(setup, found)
    if len(setup.study.ways) < 2:
        st.info("A difference between paradigms needs two of them.")
    else:
        _power(setup, found)


def _counts(setup: Setup, found: sizing.Size) -> None:
    shown = [("Places", f"{found.places_in_all:,}"), ("People", f"{found.people:,}"), ("Tasks each", f"{found.tasks_each:,}")]
    shown += [("Sessions", f"{found.sessions:,}"), ("Hours each", f"{found.hours_each:.1f}"), ("Hours in all", f"{found.hours:,.0f}")]
    for column, (label, value) in zip(st.columns(len(shown)), shown, strict=True):
        column.metric(plain_text(label), value)
    rows = [
        [_called(name), f"{n:,}", f"{found.seconds[name]:.0f} s", "the pilot" if name in found.piloted else "a guess"]
        for name, n in found.places.items()
    ]
    st.html(tables.table(["Paradigm", "Places", "A task takes", "As found by"], rows, numbers=[1, 2]))
    if found.people_to_fill is not None:
        if found.people * found.tasks_each < found.places_in_all:
            st.warning(
                plain_text(
                    f"{number_of(found.people, 'person who does', 'people who do')} {number_of(found.tasks_each, 'task')} each fill "
                    f"{found.people * found.tasks_each:,} of "
                    f"{number_of(found.places_in_all, 'place')}. {number_of(found.people_to_fill, 'person fills', 'people fill')} all "
                    "of them, or "
                    f"{number_of(found.people, 'person', 'people')} with "
                    f"{number_of(-(-found.places_in_all // found.people), 'task')} each."
                )
            )
        else:
            st.caption(plain_text(f"{number_of(found.people_to_fill, 'person fills', 'people fill')} all places, if nobody leaves."))
    if pay := sizing.pay_of(setup.study, found):
        each, every = f"{pay.each:.2f} {pay.currency} a person", f"{pay.all:,.2f} {pay.currency} in all"
        st.write(plain_text(f"Pay: {each} ({pay.an_hour:.2f} an hour), {every}."))
    else:
        st.caption("Nothing is paid: see “Pay”.")


def _power(setup: Setup, found: sizing.Size) -> None:
    """The form that starts the computation, and what it said."""
    st.subheader("Which difference it would find", anchor=False)
    st.write(
        "The study is simulated many times, with its own way of giving places, and each time tested as a report tests it (two-way "
        "cluster-robust over participants and tasks). It speaks of people and tasks like these."
    )
    names = [way.name for way in setup.study.ways]
    first, second, accuracy, dropout = st.columns(4)
    one = first.selectbox("Between", names, format_func=_called, **setup.hold("between", names[0]))
    other = second.selectbox("and", names, format_func=_called, **setup.hold("and", names[1]))
    right = gone = None
    try:
        right = _number(setup, accuracy, RIGHT, 60)
        gone = _number(setup, dropout, GONE, 0)
    except Unread as error:
        setup.wrong.append(str(error))
    if one == other:
        setup.wrong.append("Choose two different paradigms.")
    if setup.press("Simulate it", primary=True) and right is not None and gone is not None:
        _start(setup, found.people, (one, other), right / 100, gone / 100)
    _told(setup)


def _called(name: str) -> str:
    return paradigm(name).called


def _number(setup: Setup, place: Any, asked: Asked, first: int | None, *, placeholder: str = "") -> int | None:
    text = place.text_input(
        plain_text(asked.label),
        placeholder=placeholder,
        help=plain_text(asked.help or "") or None,
        **setup.hold(asked.field, "" if first is None else str(first)),
    )
    found: int | None = read(text.strip(), int, asked, may_be_none=bool(placeholder))
    return found


def _start(setup: Setup, people: int, between: tuple[str, str], accuracy: float, dropout: float) -> None:
    services = setup.services
    rights.in_study(services.store, identity.page_cookie(), "researcher", setup.study.study_id)
    command = ["study", "power", setup.study.study_id]
    command += ["--people", str(people), "--between", *between, "--accuracy", str(accuracy), "--dropout", str(dropout)]
    job_panel.start(services.store, KIND, command, owner=setup.grant.staff_id or "")


def _told(setup: Setup) -> None:
    """What the newest computation said, or how far it is."""
    newest = work.done(setup, KIND, title="Simulation", far=lambda job: job.message or "it begins …")
    if newest is None or not newest.result:
        return
    said = newest.result
    st.html(f"<p><b>{escape(said['says'])}</b></p>")
    found = [
        [f"{point['gap'] * 100:.0f} points", f"{point['power']:.0%}", f"{point['low']:.0%} to {point['high']:.0%}"]
        for point in said["points"]
    ]
    st.html(tables.table(["A gap of", "is found", "Wilson 95 %"], found, numbers=[1, 2]))
    st.line_chart(
        pd.DataFrame({"gap (points)": [p["gap"] * 100 for p in said["points"]], "found (%)": [p["power"] * 100 for p in said["points"]]}),
        x="gap (points)", y="found (%)", height=220,
    )  # fmt: skip
    one, other = map(_called, said["between"])
    about = [
        f"{one} and {other}",
        f"{number_of(said['people'], 'person', 'people')}, {number_of(said['tasks'], 'task')}, {number_of(said['answers'], 'answer')}, "
        f"{number_of(said['places_left'], 'place stays', 'places stay')} free",
        f"{said['accuracy']:.0%} right in {one}, {said['dropout']:.0%} leave",
        f"{said['sets']:,} simulated studies a gap, spread in logits {', '.join(map(str, said['sd']))}, seed {said['seed']}",
    ]
    st.caption(plain_text(f"{when(newest.finished_at)}: {'; '.join(about)}."))


SECTION = Section("size", "Size and power", draw)
