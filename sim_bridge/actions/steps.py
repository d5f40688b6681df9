"""How far one action of the camera goes (ESI-Bench's released runner). These decide pixels; words and keys do not."""

from __future__ import annotations

MOVE_STEP_M = 0.25
"""Translation of one move action, metres (ESI-Bench runner constant MOVE_STEP)."""
TURN_STEP_DEG = 15.0
"""Rotation of one turn action, degrees (ESI-Bench runner constant TURN_STEP)."""
MIN_CAMERA_Z_M = 0.01
"""`move_down` stops here, absolute world height."""
