"""The adjudicator's component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.components import Component, _mount

ADJUDICATE = Component("adjudicate", ("qa", "flow", "confidence", "judge", "verify"), ("page", "answer"))


def adjudicate(data: dict[str, Any], *, key: str, on_stepped_in: Callable[[], None]) -> Any:
    """One disputed gold or disagreement after the other; it asks the server what comes next, and sends what is found (``/api/adjudicate``).

    Args:
        data: ``study`` (empty: what stands in no study), ``reason`` and ``comment`` (characters), ``ended`` (codes after which a review is
            over).
        key: the component's identity.
        on_stepped_in: called in the run after the person stepped into the simulator (``/api/adjudicate/stepin``); `.stepin` is the episode.
    """
    return _mount(ADJUDICATE)(key=key, data=data, on_stepin_change=on_stepped_in)
