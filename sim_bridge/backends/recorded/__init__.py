"""Recorded views: pictures that exist already, each with the pose of its camera, behind the same contract as a simulator.

A camera action leads to the recorded view that is nearest to where the action would lead, or fails with a reason (`nearest`). A recording
is a folder with a manifest (`recording`). Nothing is rendered and nothing but the camera moves.
"""

from __future__ import annotations

from sim_bridge.backends.recorded.backend import RecordedBackend


def create() -> RecordedBackend:
    """The backend, with the recordings of the folder that ``SIM_BRIDGE_RECORDINGS`` names."""
    return RecordedBackend()
