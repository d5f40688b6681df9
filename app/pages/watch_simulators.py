"""How the simulators do: which are there, where, how full, how fast they answer, and what keeps one away."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from app.pages import tables
from app.services import Services
from data.plurals import number_of
from sim_bridge.pool import WorkerStatus
from study import backends, oddities
from study.studies import Study


def away(services: Services, study: Study) -> list[str]:
    """What a study needs of simulators that are not there now, in sentences."""
    named, begun = backends.table(study.protocol.backends), backends.under_way(services.store, study.study_id)
    return lacking(services.pool.status(), named, begun) if named or begun else []


def draw(services: Services) -> None:
    """Of the whole server, whatever the study."""
    workers = services.pool.status()
    ready = sum(worker.state == "ready" for worker in workers)
    took = oddities.speed(services.store)
    speed = "No step was made in the last hour."
    if took is not None:
        speed = (
            f"A step keeps a simulator for {took.p50_ms:,.0f} ms (95th percentile {took.p95_ms:,.0f} ms; the last {took.steps:,} steps)."
        )
    line = services.pool.waiting
    waits = f"{number_of(line, 'waits', 'wait')} for a free one." if line else "Nobody waits for one."
    st.html(f"<p>{ready} of {number_of(len(workers), 'simulator is', 'simulators are')} ready. {waits} {escape(speed)}</p>")
    if ready < len(workers) or line:
        st.html("<p>What to do: a simulator that is down is started again by itself; one on another machine has to be started there, and "
                "is used again as soon as it answers. If it stays so, look at its log, and ask it with <code>vantage workers</code>; more "
                "simulators are started with <code>--workers</code>.</p>")  # fmt: skip
    table = pd.DataFrame(
        {
            "Simulator": range(1, len(workers) + 1),
            "Kind": [worker.backend for worker in workers],
            "Where": ["this machine" if worker.local else worker.address for worker in workers],
            "State": [worker.state for worker in workers],
            "Episodes": [worker.sessions for worker in workers],
            "Places": [worker.places or None for worker in workers],
            "There and back (ms)": [worker.latency_ms for worker in workers],
            "Memory (MB)": [round(worker.rss_mb) for worker in workers],
            "Replaced": [worker.restarts for worker in workers],
            "Busy (s)": [round(worker.busy_s, 1) for worker in workers],
            "Last trouble": [_trouble(worker.message) for worker in workers],
        }
    )
    if len(table):
        tables.grid(table, hide_index=True, key="watch-workers")
    why = [(number, _trouble(worker.message)) for number, worker in enumerate(workers, 1) if worker.state != "ready" and worker.message]
    if why:
        # a cell shows the beginning of a sentence alone
        st.html("<ul>" + "".join(f"<li>Simulator {number}: {escape(sentence)}</li>" for number, sentence in why) + "</ul>")


def lacking(workers: Sequence[WorkerStatus], named: dict[str, str], begun: dict[str, int]) -> list[str]:
    """What a study needs of simulators that are not there.

    Args:
        workers: what the pool has.
        named: source → simulator.
        begun: simulator → tasks that were begun on it and are not done.
    """
    there = {worker.backend for worker in workers if worker.state == "ready"}
    told = []
    for name in sorted({*named.values(), *begun} - there):
        sources = ", ".join(source for source, wanted in named.items() if wanted == name)
        what = [f"tasks of {sources} are played on it"] if sources else []
        if count := begun.get(name, 0):
            what.append(f"{number_of(count, 'task that was', 'tasks that were')} begun on it {'waits' if count == 1 else 'wait'} for it")
        why = ", and ".join(what)
        told.append(f"No simulator of the kind {name} is ready: {why}. Nothing is moved to another kind. See Simulators below.")
    return told


def _trouble(message: str) -> str:
    """Why it was replaced, without the server's file names."""
    return message.partition("; last in ")[0]
