"""Streamlit's one page, which its front end fills, and the names by which our style and scripts find parts of what it draws."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import streamlit

STATIC = Path(streamlit.__file__).parent / "static"
"""Streamlit's front end, as it is served."""
PLACE = b'<div id="root"></div>'
"""Where the front end draws."""
TITLE = b"<title>Streamlit</title>"
"""What the page is called until a script of ours names it."""
FONT_NAME = "Source Sans"
"""The family of the upright text font that the front end brings, with every weight in one file."""
TEST_IDS = (
    "stBaseButton-primary",
    "stCaptionContainer",
    "stHeader",
    "stHeading",
    "stMain",
    "stMainBlockContainer",
    "stSidebar",
    "stStatusWidget",
    "stTopNavPopover",
    "stTopNavPopoverBody",
    "stTopNavSection",
    "stVerticalBlock",
)
"""Values of ``data-testid`` that style sheets and scripts of ours name."""


def inline_scripts() -> list[str]:
    """The scripts that stand in the page itself."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    return re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)


@cache
def font_address() -> str:
    """Where that font is served, relative to the start page: the one address from which the front end takes it too.

    Raises:
        FileNotFoundError: this Streamlit brings no such font.
    """
    found = sorted((STATIC / "static" / "media").glob("SourceSansVF-Upright*.woff2"))
    if not found:
        raise FileNotFoundError(f"Streamlit's front end has no upright Source Sans in {STATIC / 'static' / 'media'}")
    return found[0].relative_to(STATIC).as_posix()
