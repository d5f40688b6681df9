"""Set-up: which simulator plays the tasks of which source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from app.pages.parts import plain_text
from app.pages.setup.section import Asked, Section, Setup, submitted
from data.plurals import number_of
from sim_bridge.host import BUILT_IN
from sim_bridge.pool import WorkerStatus
from study import backends

NAMED = Asked("backends", "Simulator of a source")
TRIAL = "toy"
"""The simulator that is there for trying things out: offered where it is connected."""


def draw(setup: Setup) -> None:
    """A choice for each source of the study's tasks."""
    st.write(
        "The same tasks can be played on different simulators, here or on another machine. A source for which none is named is played on "
        "the server’s own. An episode stays on the simulator on which it was begun, and waits for it while it is away."
    )
    study, workers = setup.study, setup.services.pool.status()
    named, counts = backends.table(study.protocol.backends), Counter(backends.sources(setup.services.store, study.tasks).values())
    if not counts and not named:
        st.info("The study has no tasks yet: choose some, and come back.")
        return
    ready = {worker.backend for worker in workers if worker.state == "ready"}
    known = sorted({*BUILT_IN, *ready, *named.values(), ""} - {backends.RECORDED, *({TRIAL} - ready - {*named.values()})})
    shown = {name: name if name in ready else f"{name}, which is not connected now" for name in known}
    shown[""] = f"the server’s own{f' ({own(workers)})' if own(workers) else ''}"
    found: dict[str, str] = {}
    for source in sorted({*counts, *named}):
        label = plain_text(f"{source}, {number_of(counts.get(source, 0), 'task')}")
        found[source] = st.selectbox(label, known, format_func=shown.__getitem__, **setup.hold(f"at-{source}", named.get(source, "")))
    if away := sorted({*named.values()} - ready):
        st.warning(
            plain_text(
                f"No simulator of the kind {', '.join(away)} is connected to this server now: nobody can play these tasks until one is."
            )
        )
    st.caption("Tasks on recorded views are played on those, whatever is chosen here.")
    if submitted(setup):
        setup.save(protocol={"backends": [f"{source}={name}" for source, name in found.items() if name]}, then="pictures")


def own(workers: Sequence[WorkerStatus]) -> str:
    """Name of the server's own simulator; empty: it has not said it yet, or its workers have several and none is its own."""
    names = list(dict.fromkeys(worker.backend for worker in workers if worker.backend))
    local = [worker.backend for worker in workers if worker.local and worker.backend]
    return local[0] if local else names[0] if len(names) == 1 else ""


SECTION = Section("simulators", "Simulators", draw, asks={"protocol": (NAMED,)})
