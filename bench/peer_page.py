"""The page `bench loop` compares with: buttons with shortcuts and `st.image`, nothing else. Same server, worker, engine and commit.

``output_format="PNG"`` is the only lossless setting of `st.image`; the forced garbage collection after each run is off here as everywhere.
Run by Streamlit; the episode to play is named in the address.
"""

import streamlit as st

from app.services import current
from bench.walk import KEYS

st.set_page_config(layout="wide")
services = current()
state = st.session_state
if "episode" not in state:
    state.episode = st.query_params["episode"]
    view = services.engine.open(state.episode, tab="peer")
    state.epoch, state.seq = view.epoch, view.step.seq
    state.frame = services.engine.frame(state.episode, state.seq)


def act(action: str) -> None:
    """One action; its frame is shown by the run that follows."""
    step = services.engine.act(state.episode, state.epoch, state.seq + 1, action)
    state.seq, state.frame = step.seq, step.image


left, right = st.columns([2, 1])
with right:
    for key, name in KEYS.items():
        st.button(name, key=f"do-{name}", shortcut=key.upper(), on_click=act, args=(name,))
    st.slider("Confidence", 0, 100, 50)
    st.text_input("Answer")
with left:
    st.image(state.frame, output_format="PNG", width=640)
    st.text(f"Step {state.seq}")
