"""Set-up: how large the study is."""

from __future__ import annotations

import streamlit as st

from app.pages.setup.section import Section, Setup


def draw(setup: Setup) -> None:
    """Counts."""
    st.write("…")


SECTION = Section("size", "Size and power", draw)
