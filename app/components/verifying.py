"""The verifier's component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.components import Component, _mount

VERIFY = Component("verify", ("qa", "flow", "confidence", "judge", "verify"), ("page", "answer"))


def verify(data: dict[str, Any], *, key: str, on_stepped_in: Callable[[], None]) -> Any:
    """One task after the other of a verification; it asks the server what comes next, and sends what is said (``/api/verify``).

    Args:
        data: ``verification``, ``axes`` (``{name, label, ask, reasons: [[name, words]]}``), ``reason`` and ``comment`` (characters),
            ``ended`` (codes after which a review is over).
        key: the component's identity.
        on_stepped_in: called in the run after the person stepped into the simulator (``/api/verify/stepin``); `.stepin` is the episode.
    """
    return _mount(VERIFY)(key=key, data=data, on_stepin_change=on_stepped_in)
