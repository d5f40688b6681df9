"""Snapshot, twenty actions, restore, the same twenty actions: the same pixels, for every entity and action the gallery shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.gallery_scenes import Exhibit, exhibits
from sim_bridge.local import LocalClient
from sim_bridge.protocol import StepReply
from sim_bridge.spec import Camera

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

AGAIN = 20
"""Actions after the snapshot."""
SMALL = Camera(48, 36, 75.0)
FILLER = ("turn_left", "move_up", "turn_right", "move_down", "turn_up", "wait", "turn_down", "move_backward")
"""What is done where the exhibit's own actions are used up: looks around, and lets time pass."""
NAMES = (
    "pick-up", "put-inside", "stack-falls", "open-lidded-box", "open-microwave", "open-cupboard", "open-drawer", "pour-held",
    "glass-vessels", "cloth-bear", "slope-rolls", "mirror", "phases", "robot", "lamp-dim-on", "house-3-1",
)  # fmt: skip
"""One exhibit for every entity and family of actions; each entity's own tests look closer."""
LOOKED_AT = [e for e in exhibits() if e.name in NAMES]


@pytest.fixture(scope="module")
def client() -> Iterator[LocalClient]:
    backend = create()
    yield LocalClient(backend)
    backend.shutdown()


def small(exhibit: Exhibit) -> Exhibit:
    """The exhibit in tiny pictures of an empty room. Every pixel depends on the state all the same, and they are quick."""
    scene = exhibit.scene
    bare = msgspec.structs.replace(scene.room, furnished=False)
    return replace(exhibit, scene=msgspec.structs.replace(scene, camera=SMALL, room=bare))


def do(client: LocalClient, session: str, seq: int, action: str) -> StepReply:
    if action.startswith("phase:"):
        return client.set_phase(session, seq, action.removeprefix("phase:"))
    return client.act(session, seq, action)


def play(client: LocalClient, session: str, actions: list[str], first: int) -> list[tuple[bool, str, tuple[str, ...]]]:
    """What every step gave: ok, reason, hashes of all its frames."""
    replies = [do(client, session, first + i, a) for i, a in enumerate(actions)]
    return [(r.ok, r.reason, tuple(f.pixel_hash for f in r.observation.frames)) for r in replies]


@pytest.mark.parametrize("exhibit", LOOKED_AT, ids=[e.name for e in LOOKED_AT])
def test_restoring_gives_back_the_same_twenty_steps(client: LocalClient, exhibit: Any) -> None:
    shown = small(exhibit)
    own = [d.action for d in shown.deeds]
    before, rest = own[: len(own) // 2], own[len(own) // 2 :]
    actions = [*rest, *itertools.islice(itertools.cycle(FILLER), AGAIN - len(rest))]
    client.load("first", shown.scene, shown.start)
    for seq, action in enumerate(before, 1):
        do(client, "first", seq, action)
    snapshot = client.snapshot("first")
    state = client.state("first")
    done = play(client, "first", actions, len(before) + 1)
    assert len(done) == AGAIN

    client.restore("first", 100, snapshot)
    assert client.state("first") == state
    assert play(client, "first", actions, 101) == done

    client.close_session("first")


def test_a_session_elsewhere_goes_on_from_the_snapshot(client: LocalClient) -> None:
    """As after the loss of a worker: a world built anew, loaded with the snapshot."""
    exhibit = small(next(e for e in LOOKED_AT if e.name == "pour-held"))
    own = [d.action for d in exhibit.deeds]
    client.load("one", exhibit.scene, exhibit.start)
    play(client, "one", own[:2], 1)
    snapshot = client.snapshot("one")
    done = play(client, "one", own[2:], 3)
    fresh = LocalClient(create())
    fresh.load("other", exhibit.scene, exhibit.start, seq=2, snapshot=snapshot)
    assert play(fresh, "other", own[2:], 3) == done
    fresh.close()


def test_every_name_is_an_exhibit() -> None:
    assert sorted(e.name for e in LOOKED_AT) == sorted(NAMES)
