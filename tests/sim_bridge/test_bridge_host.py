"""What the host keeps whatever the backend: sessions, repeats, refusals, resumption without needless pictures."""

import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim_bridge.backends.toy import ToyBackend
from sim_bridge.errors import ActionError, BadRequest, BridgeError, OutOfOrder, SceneError, UnknownSession
from sim_bridge.host import Host, create_backend
from sim_bridge.kinematics import looking
from sim_bridge.local import LocalClient
from sim_bridge.protocol import Act, AnyRequest, ErrorReply, Load, Views
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene
from sim_bridge.worker import _decoded, _id_of

START = looking(0.0, -1.5, 1.4)
BOX = Object("object_1", "box", Pose((0.0, 1.0, 0.4)), size_m=(0.6, 0.6, 0.8))
SCENE = Scene(camera=Camera(32, 24), room=Room(), objects=(BOX,), phases=(Phase("before"), Phase("after")))


class Counting(ToyBackend):
    """Counts pictures and actions."""

    def __init__(self) -> None:
        super().__init__()
        self.pictures = self.actions = self.looks = 0
        self.broken = False

    def _observation(self, session: Any, render: Any) -> Any:
        self.looks += 1
        self.pictures += render
        return super()._observation(session, render)

    def act(self, session: Any, action: Any, render: bool = True, visible: bool = True) -> Any:
        self.actions += 1
        if self.broken:
            raise KeyError("physics exploded")
        return super().act(session, action, render, visible)


@pytest.fixture
def backend() -> Counting:
    return Counting()


@pytest.fixture
def client(backend: Counting) -> LocalClient:
    return LocalClient(backend, max_sessions=2)


def test_a_repeated_step_returns_the_stored_reply_without_acting(client: LocalClient, backend: Counting) -> None:
    client.load("s", SCENE, START)
    first = client.act("s", 1, "move_forward")
    again = client.act("s", 1, "move_forward")
    assert backend.actions == 1
    assert again == msgspec.structs.replace(first, replayed=True, id=again.id)


def test_the_last_seq_with_another_action_is_refused(client: LocalClient, backend: Counting) -> None:
    client.load("s", SCENE, START)
    client.act("s", 1, "move_forward")
    with pytest.raises(OutOfOrder, match="1 has been used for another request"):
        client.act("s", 1, "move_backward")
    assert backend.actions == 1


def test_a_repeated_load_is_answered_from_memory_and_another_one_starts_afresh(client: LocalClient, backend: Counting) -> None:
    client.load("s", SCENE, START)
    pictures = backend.pictures
    assert client.load("s", SCENE, START).replayed
    assert backend.pictures == pictures
    client.act("s", 1, "turn_left")
    fresh = client.load("s", SCENE, START)
    assert not fresh.replayed
    assert fresh.observation.camera == START


def test_a_load_may_go_back_in_seq(client: LocalClient) -> None:
    """After a lost connection the engine resumes at the last stored step, although the worker may have done one more."""
    client.load("s", SCENE, START)
    for seq in (1, 2, 3):
        client.act("s", seq, "turn_left")
    assert client.load("s", SCENE, START, seq=2, replay=["turn_left", "turn_left"]).seq == 2
    assert client.act("s", 3, "turn_right").seq == 3


def test_resuming_renders_one_picture_however_long_the_replay(client: LocalClient, backend: Counting) -> None:
    replay = ["turn_left"] * 12 + ["phase:after"] + ["move_forward"] * 12
    reply = client.load("s", SCENE, START, seq=25, replay=replay)
    assert backend.pictures == backend.looks == 1, "neither drawn nor counted on the way"
    assert backend.actions == 24
    assert reply.observation.phase == "after"


def test_an_action_without_pictures_draws_nothing_and_sees_the_same(client: LocalClient, backend: Counting) -> None:
    client.load("s", SCENE, START)
    client.load("t", SCENE, START)
    seen, drawn = client.act("s", 1, "move_forward"), backend.pictures
    blind = client.act("t", 1, "move_forward", pictures=False)
    assert backend.pictures == drawn and blind.observation.frames == () and seen.observation.frames
    assert blind.observation == msgspec.structs.replace(seen.observation, frames=())
    assert client.act("t", 2, "move_left").observation.frames == client.act("s", 2, "move_left").observation.frames


def test_a_backend_that_always_renders_at_load_still_resumes() -> None:
    class Plain(Counting):
        def load(self, session: Any, scene: Any, start: Any, seed: Any) -> Any:
            return super().load(session, scene, start, seed)

        def set_phase(self, session: Any, phase: Any) -> Any:
            return super().set_phase(session, phase)

    backend = Plain()
    assert LocalClient(backend).load("s", SCENE, START, replay=["phase:after", "turn_left"]).observation.phase == "after"  # type: ignore[arg-type]
    assert backend.pictures == 3


def test_one_session_too_many_drops_the_least_recently_used(client: LocalClient) -> None:
    for name in ("a", "b"):
        client.load(name, SCENE, START)
    client.act("a", 1, "turn_left")
    client.load("c", SCENE, START)
    assert client.observe("a").seq == 1
    with pytest.raises(UnknownSession, match="'b'"):
        client.observe("b")


def test_an_exception_in_the_simulator_closes_the_session_and_says_so(client: LocalClient, backend: Counting) -> None:
    client.load("s", SCENE, START)
    backend.broken = True
    with pytest.raises(BridgeError, match="failed in act and the session was closed") as failure:
        client.act("s", 1, "turn_left")
    assert type(failure.value) is BridgeError
    assert "exploded" not in str(failure.value)
    backend.broken = False
    with pytest.raises(UnknownSession):
        client.act("s", 1, "turn_left")
    assert client.load("s", SCENE, START).ok


def test_a_scene_that_the_backend_refuses_leaves_no_session(client: LocalClient, backend: Counting) -> None:
    client.load("s", SCENE, START)
    bad = msgspec.structs.replace(SCENE, objects=(msgspec.structs.replace(BOX, params={"color": "plaid"}),))
    with pytest.raises(SceneError, match=r"scene\.objects\[0\]\.params\.color: expected one of .* got 'plaid'"):
        client.load("s", bad, START)
    with pytest.raises(UnknownSession):
        client.observe("s")
    assert backend._sessions == {}


def test_a_refused_load_leaves_the_old_session_where_it_was(client: LocalClient) -> None:
    client.load("s", SCENE, START)
    client.act("s", 1, "turn_left")
    with pytest.raises(BadRequest, match="start"):
        client.load("s", SCENE, Pose((float("nan"), 0.0, 0.0)))
    assert client.observe("s").seq == 1


def test_a_snapshot_of_another_scene_is_refused(client: LocalClient) -> None:
    client.load("s", SCENE, START)
    snapshot = client.snapshot("s")
    other = msgspec.structs.replace(SCENE, room=Room(seed=9))
    with pytest.raises(BadRequest, match="made in another scene"):
        client.load("t", other, START, snapshot=snapshot)


def test_a_snapshot_that_unpacks_to_gigabytes_is_refused(client: LocalClient) -> None:
    client.load("s", SCENE, START)
    version, name, digest, _ = msgspec.msgpack.decode(client.snapshot("s"))
    bomb = zlib.compress(bytes(65 << 20), 1)
    with pytest.raises(BadRequest, match="more than 67108864 bytes"):
        client.restore("s", 1, msgspec.msgpack.encode((version, name, digest, bomb)))


def test_a_view_from_a_thousand_cameras_at_once_is_refused(backend: Counting) -> None:
    host = Host(backend)
    host.handle(Load(session="s", scene=SCENE, start=START))
    reply = host.handle(Views(session="s", poses=(START,) * 1000))
    assert isinstance(reply, ErrorReply)
    assert reply.code == "bad_request"


def test_the_client_asks_for_many_views_in_several_messages(client: LocalClient) -> None:
    client.load("s", SCENE, START)
    frames = client.views("s", [looking(0.0, -1.5, 1.4, yaw_deg=7.0 * i) for i in range(20)])
    assert len({f.pixel_hash for f in frames}) == 20


def test_times_of_a_step_add_up(client: LocalClient) -> None:
    client.load("s", SCENE, START)
    timing = client.act("s", 1, "turn_left").timing_ms
    parts = {"queue", "simulate", "render", "hash", "encode", "snapshot"}
    assert set(timing) == parts | {"total"}
    assert sum(timing[p] for p in parts) <= timing["total"] * 1.001
    assert timing["render"] > 0


def test_a_session_allows_only_what_it_was_loaded_with(client: LocalClient) -> None:
    client.load("s", SCENE, START, actions=("turn_left",))
    with pytest.raises(ActionError, match="move_forward is not available"):
        client.act("s", 1, "move_forward")


@pytest.mark.parametrize("name", ["nonsense", "no_such_module_x:create", "sim_bridge.backends.toy:nothing", ""])
def test_an_unknown_backend_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadRequest, match="backend"):
        create_backend(name)


def test_a_third_partys_backend_is_found_by_module_and_name() -> None:
    assert create_backend("sim_bridge.backends.toy:ToyBackend").name == "toy"


junk = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=8) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(["hello", "load", "act", "phase", "observe", "state", "views", "snapshot", "restore", "close", "health"])
fields = st.sampled_from(["id", "session", "seq", "action", "phase", "poses", "snapshot", "scene", "start", "replay", "deadline_s", "seed"])


def packed(name: Any, more: Any) -> Any:
    return msgspec.msgpack.encode({"type": name, **more})


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=64) | st.builds(packed, names, st.dictionaries(fields, junk, max_size=8)))
def test_no_message_whatever_breaks_the_host(message: Any) -> None:
    host = Host(ToyBackend())
    try:
        request: AnyRequest = _decoded(message)  # type: ignore[assignment]
    except BadRequest:
        assert isinstance(_id_of(message), int)
        return
    if type(request).__name__ != "Health":
        assert host.handle(request).id == request.id


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(["s", "t", "", "x" * 300, "a b"]), st.integers(-5, 2**60), st.text(max_size=30), st.floats())
def test_every_act_is_answered_with_a_step_or_a_typed_error(session: Any, seq: Any, action: Any, deadline_s: Any) -> None:
    host = Host(ToyBackend())
    host.handle(Load(session="s", scene=SCENE, start=START))
    reply = host.handle(Act(session=session, seq=seq, action=action, deadline_s=deadline_s))
    assert getattr(reply, "code", "bad_request") in ("bad_request", "unknown_session", "out_of_order", "action_error")
