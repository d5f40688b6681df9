"""A step's reply: JSON and frames in one body, however many objects are offered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from app.play_api import STEP_TYPE, step_body, step_reply
from study.views import HandleView, StepView

PROXY_HEADER_BYTES = 4096
"""Header buffer of common reverse proxies (nginx: ``proxy_buffer_size`` 4k)."""


def taken_apart(body: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """As `stepOf` and `draw` of the page do."""
    end = 4 + int.from_bytes(body[:4], "big")
    told, rest = msgspec.json.decode(body[4:end]), body[end:]
    frames = []
    for size in told["sizes"]:
        frames.append(rest[:size])
        rest = rest[size:]
    assert rest == b"", "bytes are left over"
    return told, frames


@pytest.mark.parametrize("frames", [[b"one"], [b"first", b"", b"last" * 1000]])
def test_json_and_frames_come_back_as_they_were(frames: list[bytes]) -> None:
    told, parts = taken_apart(step_body({"words": "„Grüße“", "seq": 3}, frames))
    assert (told["words"], told["seq"], parts) == ("„Grüße“", 3, frames)


def test_three_hundred_offered_objects_pass_a_proxy_with_small_header_buffers() -> None:
    offered = tuple(HandleView(handle=f"object_{n}", label=f"object {n}") for n in range(1, 301))
    view = StepView(
        seq=2, action="turn_left", ok=True, words="Turned left.", reason="", observations_left=3, forced=False, phase="", phase_used=False,
        phase_next=False, part=0, parts=0,
        handles=offered, frames=2, held=offered[7], saved_at="2026-01-01T00:00:00Z", image=b"observation",
    )  # fmt: skip
    services: Any = SimpleNamespace(
        engine=SimpleNamespace(frame=lambda episode, seq, index=-1: b"on the way"), settings=SimpleNamespace(test_hook=False)
    )
    response = step_reply(services, "ep_1", view)
    assert sum(len(name) + len(value) + 4 for name, value in response.raw_headers) < PROXY_HEADER_BYTES / 4
    assert response.media_type == STEP_TYPE
    told, frames = taken_apart(bytes(response.body))
    assert [entry["handle"] for entry in told["objects"]] == [handle.handle for handle in offered]
    assert told["held"] == {"handle": "object_8", "name": "object 8"}
    assert frames == [b"on the way", b"observation"]
