"""Types of Streamlit's that it gives and takes, and names nowhere."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator as DeltaGenerator
from streamlit.navigation.page import StreamlitPage as StreamlitPage
