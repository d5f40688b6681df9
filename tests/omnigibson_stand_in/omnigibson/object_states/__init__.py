from __future__ import annotations

from .contains import ContainedParticles, Contains
from .filled import Filled
from .inside import Inside
from .on_top import OnTop
from .open_state import Open
from .touching import Touching

__all__ = ["ContainedParticles", "Contains", "Filled", "Inside", "OnTop", "Open", "Touching"]
