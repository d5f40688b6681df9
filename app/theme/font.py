"""The product's font for pages that Streamlit's front end does not draw, by the file that the front end itself takes.

The pages behind them find the file in the browser's cache. Where it comes too late, a page stays as it was first drawn
(`font-display: optional`): nothing is drawn again in another font under the hands of whoever reads.
"""

from __future__ import annotations

from app.streamlit_seam import shell


def face(start: str) -> str:
    """The style, as HTML, that names the file; `start` is the address of the start page, relative to the page."""
    return (
        f"<style>@font-face {{ font-family: '{shell.FONT_NAME}'; font-weight: 100 900; font-display: optional; "
        f"src: url('{start}{shell.font_address()}') format('woff2'); }}</style>"
    )


def early(start: str) -> str:
    """The line of a page's head, as HTML, that has the file asked for with the page; `start` as above."""
    return f'<link rel="preload" href="{start}{shell.font_address()}" as="font" type="font/woff2" crossorigin>'
