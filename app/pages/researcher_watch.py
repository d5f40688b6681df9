"""A study while people work: who is where, what is odd, how full the places are, where people stop, who waits, how the simulators do."""

from __future__ import annotations

from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from app import identity, rights
from app.pages import researcher_acting, researcher_person, said, tables, watch_places, watch_simulators
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, kept_for_all, kind_of_run, list_key, local, when
from app.pages.researcher_people import STATES
from app.services import Services, current
from data.plurals import number_of
from data.store import now
from study import filling, oddities, roster, watching
from study.access import Grant
from study.paying import money
from study.studies import get_study
from study.watching import PRESENCES, STAGES, Left, Measured, Watched

REFRESH = "5s"
"""How often all of it is read again."""
PEOPLE = 50
"""People of a page of the list."""
GONE = 15
"""So many of the newest who left are listed."""
LEFT_HOW = {**STATES, "silent": f"not heard of for {watching.SILENT_H:g} h"}


def _allowed(study_id: str) -> Services:
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", study_id)
    return services


def page(grant: Grant) -> None:
    """The whole page; all but its head is read again by itself."""
    begin("Vantage: watch", layout="wide")
    services = _allowed(grant.study_id)
    st.title("Watch", anchor=False)
    study_id = chosen_study(services.store, grant, "watch_study")
    if study_id is None:
        st.info("There is no study yet. `vantage study create` makes one, `vantage run` a demo study.")
        return
    mode = kind_of_run(services.store, study_id)
    _live(grant, study_id, mode)


@st.fragment(run_every=REFRESH)
def _live(grant: Grant, study_id: str, mode: str) -> None:
    services = _allowed(study_id)
    at = now()
    people = watching.under_way(services.store, study_id, mode=mode)
    ended = roster.by_state(services.store, study_id, mode=mode)
    st.html(f"<p role='status'>{escape(_told(people, ended))} Read at {local(at):%H:%M:%S}; it is read again by itself.</p>")
    _odd(services, study_id, mode)
    st.header("Who is where", anchor=False)
    _people(services, grant, study_id, mode, people)
    st.header("Places", anchor=False)
    watch_places.draw(services.store, get_study(services.store, study_id), mode)
    st.header("Where people stop", anchor=False)
    _stopped(services, study_id, mode, people)
    st.header("Queue", anchor=False)
    _line(services, study_id, mode)
    st.header("Simulators", anchor=False)
    watch_simulators.draw(services)


def _told(people: list[Watched], ended: dict[str, int]) -> str:
    """The page's first sentence."""
    if not people and not ended:
        return "Nobody has come yet: make a participant link on the page Episodes."
    stages = watching.at_stages(people)
    where = ", ".join(f"{count} {STAGES[stage]}" for stage, count in stages.items() if count)
    over = ", ".join(f"{count} {STATES[state]}" for state, count in ended.items() if state not in watching.UNDER_WAY)
    return f"{len(people)} under way" + (f" ({where})" if where else "") + (f"; {over}." if over else ".")


def _odd(services: Services, study_id: str, mode: str) -> None:
    """One line each, with what to do; and the newest reports in people's words."""
    found = oddities.found(services.store, study_id, mode=mode, picture=services.frames.path)
    known = {kind.name: kind for kind in oddities.KINDS}
    away = watch_simulators.away(services, get_study(services.store, study_id))
    if not found and not away:
        st.html("<p>Nothing technical is odd.</p>")
        return
    lines = "".join(f"<li>{escape(sentence)}</li>" for sentence in away) + "".join(
        f"<li><b>{one.count:,} {escape(known[one.kind].words)}</b>{_newest(one.newest)}. {escape(known[one.kind].todo)}</li>"
        for one in found
    )
    st.html(f"<h2 style='font-size:1.3rem'>What is odd</h2><ul>{lines}</ul>")
    reports = oddities.reported(services.store, study_id, mode=mode)
    if reports:
        with st.expander("What people reported", key="watch-reports"):
            for one in reports:
                st.html(f"<p style='margin:.4rem 0 0'><b>{escape(one.who)}, {escape(when(one.at))}, {escape(one.where)}</b></p>")
                st.text(one.text)


def _newest(at: str) -> str:
    return f", the newest {escape(when(at))}" if at else ""


def _people(services: Services, grant: Grant, study_id: str, mode: str, people: list[Watched]) -> None:
    if not people:
        st.info("Nobody is under way. The page Participants lists everybody who came.")
        _chosen(services, grant, study_id, mode)
        return
    only = st.checkbox("Only who is not here", key="watch-only", on_change=_first_page)
    listed = sorted((one for one in people if not only or one.presence != "here"), key=lambda one: one.number)
    pages = max(1, -(-len(listed) // PEOPLE))
    number = min(st.session_state.get("watch_page", 1), pages)
    shown = listed[(number - 1) * PEOPLE : number * PEOPLE]
    _table(shown, watching.measured(services.store, shown))
    if pages > 1:
        back, middle, on = st.columns([1, 3, 1], vertical_alignment="center")
        middle.html(f"<p style='text-align:center'>Page {number} of {pages}, {number_of(len(listed), 'person', 'people')}</p>")
        back.button("Before", disabled=number == 1, on_click=partial(_turn, number - 1), key="watch-back", width="stretch")
        on.button("After", disabled=number == pages, on_click=partial(_turn, number + 1), key="watch-on", width="stretch")
    _chosen(services, grant, study_id, mode)


def _table(shown: list[Watched], pay: dict[str, Measured]) -> None:
    if not shown:
        st.info("Everybody under way is here.")
        return
    table = pd.DataFrame(
        {
            "Who": [one.who for one in shown],
            "Where": [one.where for one in shown],
            "There": [_there(one) for one in shown],
            "Last heard": [local(one.seen_at) for one in shown],
            "Minutes": [round(one.minutes) for one in shown],
            "Done": [one.done for one in shown],
            "Task": [one.task_id for one in shown],
            "Pay an hour": [_hourly(pay[one.participant_id]) for one in shown],
        }
    )
    st.caption("Select a row to see the person and to do something. Minutes: from the beginning of their session to the last sign of life.")
    key = f"watch-{list_key(one.participant_id for one in shown)}"
    tables.grid(
        table,
        hide_index=True,
        on_select=partial(_select, key, [one.participant_id for one in shown]),
        selection_mode="single-row",
        key=key,
        column_config={"Last heard": st.column_config.DatetimeColumn(format="HH:mm:ss")},
    )


def _there(one: Watched) -> str:
    return PRESENCES[one.presence] if one.presence == "here" else f"{PRESENCES[one.presence]} since {when(one.since)}"


def _hourly(pay: Measured) -> str:
    """What an hour comes to as measured so far."""
    if pay.per_hour is None:
        return ""
    return money(pay.per_hour, pay.currency) + (" (below the minimum)" if pay.too_low else "")


def _chosen(services: Services, grant: Grant, study_id: str, mode: str) -> None:
    """Whoever is selected, also when they have come to their end meanwhile."""
    person = st.session_state.get("watched")
    number = None if person is None else watching.named(services.store, [person]).get(person)
    found = [] if number is None else roster.people(services.store, study_id, who=number, mode=mode).rows
    one = next((row for row in found if row.participant_id == person), None)
    if one is None:
        said.show(researcher_acting.TOLD)  # of somebody who was erased
    else:
        researcher_person.draw(services, grant, one)


def _select(key: str, people: list[str]) -> None:
    said.forget()
    picked = st.session_state[key].selection.rows
    st.session_state["watched"] = people[picked[0]] if picked and picked[0] < len(people) else None


def _first_page() -> None:
    st.session_state["watch_page"] = 1


def _turn(number: int) -> None:
    st.session_state["watch_page"] = number


def _stopped(services: Services, study_id: str, mode: str, people: list[Watched]) -> None:
    """Where, how and when; and the tasks that were left most often."""
    gone = watching.left(services.store, study_id, people, mode=mode)
    if not gone:
        st.html("<p>Nobody has stopped on the way.</p>")
        return
    left, right = st.columns(2)
    with left:
        st.caption("Where they were, and how it ended.")
        tables.grid(_by_stage(gone), hide_index=True, key="watch-stopped")
    with right:
        st.caption(f"The newest {min(GONE, len(gone))} of {len(gone)}.")
        table = pd.DataFrame(
            {
                "Who": [one.who for one in gone[:GONE]],
                "When": [local(one.at) for one in gone[:GONE]],
                "Where": [one.where for one in gone[:GONE]],
                "How": [LEFT_HOW[one.how] for one in gone[:GONE]],
            }
        )
        tables.grid(
            table, hide_index=True, key="watch-gone", column_config={"When": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")}
        )
    stand = filling.stand(services.store)
    tasks = kept_for_all(f"abandoned {study_id} {mode}", stand, partial(watching.abandoned, services.store, study_id, mode=mode))
    if tasks:
        told = ", ".join(f"{one.task_id} ({one.times})" for one in tasks)
        st.html(f"<p>Tasks given back or left too long, most often first: {escape(told)}.</p>")


def _by_stage(gone: list[Left]) -> pd.DataFrame:
    """Where × how, in the order of the way."""
    places: dict[tuple[int, str], dict[str, int]] = {}
    for one in gone:
        order = -2 if one.after is None else -1 if not one.met else one.after
        cell = places.setdefault((order, one.where), {})
        cell[LEFT_HOW[one.how]] = cell.get(LEFT_HOW[one.how], 0) + 1
    hows = [how for how in LEFT_HOW.values() if any(how in cell for cell in places.values())]
    rows = sorted(places)
    return pd.DataFrame({"Where": [where for _, where in rows]} | {how: [places[row].get(how, 0) for row in rows] for how in hows})


def _line(services: Services, study_id: str, mode: str) -> None:
    waiting = watching.waiting(services.store, study_id, mode=mode)
    if not waiting:
        st.html("<p>Nobody waits for a place.</p>")
        return
    table = pd.DataFrame(
        {
            "Place": range(1, len(waiting) + 1),
            "Who": [one.who for one in waiting],
            "Since": [local(one.since) for one in waiting],
            "Asked last": [local(one.seen_at) for one in waiting],
        }
    )
    time = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
    tables.grid(table, hide_index=True, key="watch-line", column_config={"Since": time, "Asked last": time})
    st.caption("People who have not asked for a few minutes are passed over, and keep their place. More places let them in: see Set-up.")


WATCH = Page("Watch", "watch", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study")
PAGES = (WATCH,)
