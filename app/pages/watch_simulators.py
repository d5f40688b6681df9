"""How the simulators do: which are alive, how many wait for one, how often they were replaced, how long a step takes, their memory."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from app.pages.parts import grid
from app.services import Services
from data.plurals import number_of
from study import oddities


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
        st.html("<p>What to do: a simulator that is down is started again by itself. If it stays so, look at its log; more simulators are "
                "started with <code>--workers</code>.</p>")  # fmt: skip
    table = pd.DataFrame(
        {
            "Simulator": range(1, len(workers) + 1),
            "State": [worker.state for worker in workers],
            "Episodes": [worker.sessions for worker in workers],
            "Memory (MB)": [round(worker.rss_mb) for worker in workers],
            "Replaced": [worker.restarts for worker in workers],
            "Busy (s)": [round(worker.busy_s, 1) for worker in workers],
            "Last trouble": [_trouble(worker.message) for worker in workers],
        }
    )
    if len(table):
        grid(table, hide_index=True, key="watch-workers")


def _trouble(message: str) -> str:
    """Why it was replaced, without the server's file names."""
    return message.partition("; last in ")[0]
