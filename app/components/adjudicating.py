"""The adjudicator's component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.components import Component, _mount

ADJUDICATE = Component("adjudicate", ("qa", "flow", "confidence", "judge", "verify"), ("page", "answer"))


def adjudicate(data: dict[str, Any], *, key: str, on_step_in: Callable[[], None]) -> Any:
    """One disputed gold or disagreement after the other; it asks the server what comes next, and sends what is found (``/api/adjudicate``).

    Args:
        data: ``study`` (empty: what stands in no study), ``reason`` and ``comment`` (characters), ``ended`` (codes after which a review is
            over).
        key: the component's identity.
        on_step_in: called in the run in which the person steps into the simulator; `.stepin` is ``{review, n}``.
    """
    return _mount(ADJUDICATE)(key=key, data=data, on_stepin_change=on_step_in)
