from __future__ import annotations

from typing import Any

import numpy as np

from .. import _boxes, _held
from .._noted import noted


@noted
def sample_kinematics(
    predicate: str,
    objA: Any,  # noqa: N803
    objB: Any,  # noqa: N803
    max_trials: Any = None,
    z_offset: float = 0.05,
    skip_falling: bool = False,
) -> bool:
    """Above the middle of the other, and let fall."""
    assert predicate in ("onTop", "inside", "under") and max_trials >= 1
    low, high = _boxes.bounds(objB)
    mine = _boxes.bounds(objA)
    centre = np.array([*((low + high)[:2] / 2), high[2] + (mine[1] - mine[0])[2] / 2 + z_offset])
    objA.position = objA.position + centre - (mine[0] + mine[1]) / 2
    fixed, objA.fixed = objA.fixed, False
    others = [o for o in _held["sim"]._scenes[0].things if not o.ghost]
    for _ in range(60):
        _boxes.fall(objA, others, True)
    objA.fixed = fixed
    return True
