"""What becomes of a page while an episode is open on it, as far as it is kept."""

from __future__ import annotations

import math
from collections.abc import Iterable

PAGE_EVENTS: dict[str, str] = {
    "hidden": "the tab was hidden: another one was chosen, or the window was minimised; "
    "the detail is `going` where the page itself went, closed or loaded again",
    "visible": "it was shown again",
    "blur": "another window or program was used",
    "focus": "the window was used again",
    "resized": "the window or its zoom changed; the detail is its width x height in CSS pixels @ device pixels per CSS pixel",
    "offline": "the connection was lost",
    "online": "it was back",
    "scaled": "the picture is shown at another scale than before, or for the first time in this opening; the detail is screen pixels per "
    "pixel of the picture, `whole` or `smooth` (interpolated), and its width in CSS pixels",
    "watched_again": "the pictures on the way of a step were watched again",
}
"""What is kept of the page → its meaning."""

GOING = "going"
"""The detail of ``hidden`` where the page itself went away: nobody left its tab, and what follows is another opening."""


def scales(details: Iterable[str]) -> list[tuple[float, bool]]:
    """(screen pixels for each of the picture's own, whether it was interpolated) of the details of ``scaled``, in order. They come from a
    browser: what is none is left out."""
    found = []
    for detail in details:
        number, _, rest = detail.partition(" ")
        try:
            scale = float(number)
        except ValueError:
            continue
        if math.isfinite(scale) and scale > 0:
            found.append((scale, rest.startswith("smooth")))
    return found
