"""The toy simulator's simple rules for physical actions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sim_bridge.backends.toy import create
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.local import LocalClient
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

START = looking(0.0, -1.5, 1.2, pitch_deg=-10.0)


def thing(n: Any, x: Any, size: float = 0.3, **options: Any) -> Object:
    return Object(f"object_{n}", "box", Pose((x, 1.0, 0.8)), size_m=(size, size, size), **options)


OBJECTS = (thing(1, 0.0), thing(2, -0.8, 0.5), thing(3, 0.8, params={"locked": True}), Object("object_4", "box", Pose((0.0, -2.8, 1.0))))


@pytest.fixture
def play() -> Callable[..., Any]:
    client = LocalClient(create())
    client.load("s", Scene(camera=Camera(64, 48), room=Room(), objects=OBJECTS), START)
    seq = iter(range(1, 100))

    def act(action: Any) -> Any:
        reply = client.act("s", next(seq), action)
        return reply.reason or "ok"

    act.client = client  # type: ignore[attr-defined]
    return act


def relations(play: Callable[..., Any]) -> Any:
    return {(r.kind, r.subject, r.object) for r in play.client.state("s").relations}  # type: ignore[attr-defined]


def flags(play: Callable[..., Any], handle: Any) -> Any:
    return next(o.flags for o in play.client.state("s").objects if o.handle == handle)  # type: ignore[attr-defined]


def test_an_object_in_view_can_be_picked_up_and_put_on_or_into_another(play: Callable[..., Any]) -> None:
    assert play("pick_up(object_1)") == "ok"
    assert flags(play, "object_1")["held"]
    assert play.client.observe("s").observation.visible["object_1"] > 0, "what is held is seen"  # type: ignore[attr-defined]
    assert play("put(object_1, on, object_2)") == "ok"
    assert ("on", "object_1", "object_2") in relations(play)
    assert play("pick_up(object_1)") == "ok"
    assert play("put(object_1, inside, object_2)") == "ok"
    assert ("inside", "object_1", "object_2") in relations(play)


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (["pick_up(object_4)"], "object 4 is not in view"),
        (["move_backward"] * 4 + ["pick_up(object_1)"], "object 1 is too far away"),
        (["pick_up(object_1)", "pick_up(object_2)"], "object 1 is already in the hand"),
        (["put(object_1, on, object_2)"], "object 1 is not in the hand"),
        (["pick_up(object_2)", "put(object_2, inside, object_1)"], "object 2 does not fit into object 1"),
        (["pick_up(object_1)", "put(object_1, on, object_1)"], "an object cannot be put onto itself"),
        (["open(object_3)"], "object 3 is locked"),
        (["open(object_2)", "open(object_2)"], "object 2 is open already"),
        (["close(object_2)"], "object 2 is closed already"),
        (["pour(object_1, from, object_2, to, object_3)"], "object 2 is empty"),
        (["remove_cloth(object_2)", "pick_up(object_2)"], "object 2 is not there"),
    ],
)
def test_what_cannot_be_done_fails_with_a_reason(play: Callable[..., Any], actions: Any, reason: str) -> None:
    assert [play(a) for a in actions][-1] == reason


def test_pouring_moves_what_was_filled(play: Callable[..., Any]) -> None:
    assert [play("fill(object_2, with_water)"), play("pour(object_1, from, object_2, to, object_3)")] == ["ok", "ok"]
    assert (flags(play, "object_2")["filled"], flags(play, "object_3")["filled"]) == (False, True)


def test_an_action_that_takes_time_returns_several_frames() -> None:
    client = LocalClient(create())
    client.load("s", Scene(camera=Camera(160, 120), room=Room(), objects=OBJECTS), START)
    client.act("s", 1, "pick_up(object_1)")
    slide = client.act("s", 2, "place_on_slope(object_1)")
    assert len(slide.observation.frames) == 4
    assert len({f.pixel_hash for f in slide.observation.frames}) == 4


def test_a_wide_picture_is_the_small_one_enlarged() -> None:
    client = LocalClient(create())
    wide = client.load("s", Scene(camera=Camera(640, 480), room=Room(), objects=OBJECTS), START)
    rgb = decode_frame(wide.observation.frames[0])
    assert rgb.shape == (480, 640, 3)
    assert np.array_equal(rgb[0::4, 0::4], rgb[3::4, 3::4])
    assert sum(wide.observation.visible.values()) % 16 == 0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"colour": "red"}, r"scene\.objects\[0\]\.params\.colour: the toy backend knows color, .* got 'red'"),
        ({"color": "plaid"}, r"scene\.objects\[0\]\.params\.color: expected one of red, .* got 'plaid'"),
        ({"fault": "sulk"}, r"scene\.objects\[0\]\.params\.fault: expected one of hang, .* got 'sulk'"),
        ({"velocity_m": [1, 2]}, r"scene\.objects\[0\]\.params\.velocity_m: expected three numbers"),
    ],
)
def test_unknown_settings_are_refused_by_name(params: dict[str, Any], message: str) -> None:
    scene = Scene(camera=Camera(64, 48), room=Room(), objects=(thing(1, 0.0, params=params),))
    with pytest.raises(SceneError, match=message):
        LocalClient(create()).load("s", scene, START)
