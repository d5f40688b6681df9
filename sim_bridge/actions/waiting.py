"""Letting time pass."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind

KINDS = (ActionKind("wait", label="Wait", done="Waited.", key="KeyX", practised="pause"),)
