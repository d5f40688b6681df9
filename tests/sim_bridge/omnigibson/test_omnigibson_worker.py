"""A whole OmniGibson worker, driven over the wire, with the stand-in (`omnigibson_stand_in`) where OmniGibson would be.

This shows that the adapter keeps the bridge's promises and which calls it makes; it shows nothing about the real simulator.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from sim_bridge.backends.omnigibson.calls import CALLS
from sim_bridge.checks.physical import BEFORE, ITEM, VESSEL, hand_scene
from sim_bridge.checks.probe import START, Probe
from sim_bridge.client import Client
from sim_bridge.conformance import check_backend
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import BadRequest, BridgeError, SceneError, UnsupportedVersion, WorkerLost
from sim_bridge.kinematics import looking
from sim_bridge.protocol import ErrorReply, Hello, encode
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

ROOT = Path(__file__).resolve().parents[3]
STAND_IN = ROOT / "tests" / "omnigibson_stand_in"
swap = msgspec.structs.replace
LENS = Camera(96, 72, 90.0)


@contextmanager
def worker(calls: Path, *options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], Client]]:
    """A worker process with the stand-in on its path, and a client of it."""
    variables = {"PYTHONPATH": f"{ROOT}{os.pathsep}{STAND_IN}", "OMNIGIBSON_STAND_IN_CALLS": str(calls), "SIM_BRIDGE_TOKEN": "secret"}
    command = [sys.executable, "-P", "-m", "sim_bridge", "worker", "--backend", "omnigibson", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **variables, **environment}) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            with Client(said["address"], "secret") as client:
                yield process, client
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where both workers write down what they call."""
    return tmp_path_factory.mktemp("calls") / "calls.txt"


@pytest.fixture(scope="module")
def rigid(calls: Path) -> Iterator[Client]:
    with worker(calls) as (_, client):
        yield client


@pytest.fixture(scope="module")
def particles(calls: Path) -> Iterator[Client]:
    with worker(calls, SIM_BRIDGE_OMNIGIBSON_PHYSICS="particles") as (_, client):
        yield client


@pytest.fixture
def session(rigid: Client) -> Iterator[str]:
    yield "s"
    rigid.close_session("s")


def bare(*objects: Object, **more: object) -> Scene:
    return Scene(LENS, Room((-5.0, -5.0, 5.0, 5.0), furnished=False), objects, settle_steps=2, **more)  # type: ignore[arg-type]


def native(*objects: Object, **more: object) -> Scene:
    return swap(bare(*objects, **more), source_scene="Rs_int", source_room="living_room_0")


def box(handle: str = "object_1", x: float = 0.0, y: float = 1.0, **more: object) -> Object:
    return Object(handle, "box_of_crackers", Pose((x, y, 0.0)), origin="base", size_m=(0.3, 0.3, 0.4), model="aaaaaa", **more)  # type: ignore[arg-type]


def at(client: Client, handle: str, session: str = "s") -> tuple[float, float, float]:
    return next(o.pose.position_m for o in client.state(session).objects if o.handle == handle)


# -- conformance -------------------------------------------------------------------------------------------------------------------------

NOT_CLAIMED = {
    "audit_finds",
    "determinism",
    "failures_replay",
    "frames_end_with_observation",
    "load_by_snapshot_and_replay",
    "moving_objects_resume",
    "no_recorded_view_is_a_step",
    "bad_recordings_refused",
    "sessions_are_independent",
}
"""What a simulator that is not deterministic, shows no recorded views and looks through no scene does not promise."""


@pytest.mark.parametrize("physics", ["rigid", "particles"])
def test_a_worker_keeps_every_promise_over_the_wire(physics: str, request: pytest.FixtureRequest) -> None:
    report = check_backend(request.getfixturevalue(physics), token="secret")
    assert report.failures() == []
    assert (report.backend, report.deterministic, report.fingerprint["dynamics"]) == ("omnigibson", False, physics)
    left = {r.name for r in report.results if r.outcome == "not_applicable"}
    assert left == NOT_CLAIMED | ({"fill_and_pour", "cloth_is_removed"} if physics == "rigid" else set())


def test_each_declared_call_is_made(calls: Path, rigid: Client, particles: Client) -> None:
    """Also those that conformance alone does not need; the list is printed (``pytest -s``)."""
    rigid.load("calls", native(box(y=0.5), Object("object_2", "table", Pose((1.0, 2.0, 0.35)))), looking(0.0, -1.0, 1.2), seed=3)
    rigid.act("calls", 1, "pick_up(object_1)")
    rigid.state("calls")
    assert rigid.route("calls", (0.0, 0.0), (1.0, 1.0))[1] > 0
    rigid.floor_map("calls")
    rigid.close_session("calls")
    scene = bare(Object("object_1", "mug", Pose((0.0, 0.2, 0.0)), origin="base", model="cccccc"))
    particles.load("calls", scene, BEFORE)
    filled = particles.act("calls", 1, "fill(object_1, with_water)")
    particles.state("calls")
    particles.load("calls", bare(), BEFORE)
    particles.load("calls", scene, BEFORE, seq=1, snapshot=filled.snapshot)
    cloth = bare(box(), Object("object_2", "cloth", Pose((0.0, 1.0, 0.6))))
    covered = particles.load("calls", cloth, START)
    particles.load("calls", cloth, START, snapshot=covered.snapshot)
    with worker(calls, SIM_BRIDGE_OMNIGIBSON_SEGMENTATION="off") as (process, client):
        client.load("dark", bare(box()), START)
        process.terminate()
        assert process.wait(20) == 0
    made = set(calls.read_text(encoding="utf-8").split())
    here = {c.text: c for c in CALLS if not c.only or "1.1.1" in c.only}
    left = [text for text in here if text not in made]
    print("\n" + "\n".join(f"{'made' if t in made else 'LEFT'}  {t}({', '.join(c.parameters)})" for t, c in here.items()))
    assert left == []


# -- the released building ---------------------------------------------------------------------------------------------------------------


def test_a_thing_of_the_building_is_found_and_not_added_again(rigid: Client, session: str) -> None:
    table = Object("object_2", "table", Pose((1.02, 2.0, 0.35)), model="scene_native")
    rigid.load(session, native(box(), table), looking(0.5, -1.0, 1.2))
    state = {o.handle: o for o in rigid.state(session).objects}
    assert state["object_2"].present and state["object_2"].aabb_max_m[2] == pytest.approx(0.7)
    assert state["object_1"].room == "living_room_0"


def test_a_stand_in_for_furniture_is_left_out_of_a_building(rigid: Client, session: str) -> None:
    stand = Object("object_2", "breakfast_table", Pose((0.0, 3.0, 0.3)), size_m=(0.6, 0.6, 0.6))
    on_it = swap(box(y=3.0), pose=Pose((0.0, 3.0, 0.6)))
    rigid.load(session, native(on_it, stand), looking(0.0, -1.0, 1.2))
    assert [o.handle for o in rigid.state(session).objects if o.present] == ["object_1"]


def test_the_shortest_way_and_the_map_come_over_the_wire(rigid: Client, session: str) -> None:
    rigid.load(session, native(box()), looking(0.0, -1.0, 1.2))
    points, length = rigid.route(session, (0.0, -1.0), (3.0, 3.0))
    assert points[0] == (0.0, -1.0) and points[-1] == (3.0, 3.0) and length == pytest.approx(5.0)
    assert rigid.route(session, (0.0, 0.0), (100.0, 0.0)) == ((), 0.0)
    cells, metres = rigid.floor_map(session) or pytest.fail("no map")
    assert cells.shape == (100, 100) and metres == pytest.approx(0.1) and cells[50, 50] and not cells[0, 0]


def test_without_a_building_there_is_no_map(rigid: Client, session: str) -> None:
    rigid.load(session, bare(box()), START)
    assert rigid.floor_map(session) is None and rigid.route(session, (0.0, 0.0), (1.0, 0.0)) == ((), 0.0)


def test_a_camera_outside_every_room_is_told(rigid: Client, session: str) -> None:
    assert not rigid.load(session, native(), looking(0.0, 0.0, 1.2)).observation.clipped
    assert rigid.load(session, native(), looking(0.0, -4.9, 1.2)).observation.clipped


# -- bad input ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scene", "start", "words"),
    [
        (bare(box(y=500.0)), START, r"scene\.objects\[0\]\.pose\.position_m: .*box_of_crackers"),
        (bare(box("object_1"), swap(box("object_2"), pose=Pose((0.0, 0.0, -65286.0)))), START, r"objects\[1\]\.pose"),
        (bare(box()), looking(900.0, 0.0, 1.2), r"start\.position_m: expected a camera within 200 m"),
        (bare(swap(box(), category="flying_carpet")), START, r"objects\[0\]\.category: .*no category .flying_carpet."),
        (bare(swap(box(), model="zzzzzz")), START, r"objects\[0\]\.model: .*no model 'zzzzzz' of box_of_crackers \(it has aaaaaa\)"),
        (swap(native(), source_scene="Atlantis_int"), START, r"scene\.source_scene: .*no building 'Atlantis_int'"),
        (swap(native(), source_room="attic_7"), START, r"scene\.source_room: Rs_int has the rooms kitchen_0, living_room_0"),
        (swap(bare(), room=Room(floor_z_m=1.0)), START, r"scene\.room\.floor_z_m"),
        (bare(box(params={"smell": "fresh"})), START, r"objects\[0\]\.params\.smell"),
        (bare(Object("object_1", "cloth", Pose((0.0, 0.0, 1.0)))), START, r"cloth.*SIM_BRIDGE_OMNIGIBSON_PHYSICS=particles"),
    ],
    ids=["far", "fallen", "camera", "category", "model", "building", "room", "floor", "setting", "physics"],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name_and_the_next_scene_loads(
    scene: Scene, start: Pose, words: str, rigid: Client, session: str
) -> None:
    with pytest.raises(SceneError, match=words):
        rigid.load(session, scene, start)
    assert rigid.load(session, bare(box()), START).ok


def test_preflight_names_what_is_not_installed(tmp_path: Path) -> None:
    lines = [
        {"building": "Rs_int", "tasks": 3},
        {"building": "Atlantis_int", "tasks": 1},
        {"category": "mug", "model": "bbbbbb", "tasks": 2},
        {"category": "mug", "model": "zzzzzz", "tasks": 1},
        {"category": "flying_carpet", "model": None, "tasks": 1},
        {"category": "mirror", "model": None, "tasks": 9},
        {"category": "table", "model": "scene_native", "tasks": 9},
        {"category": "robot", "model": None, "tasks": 9},
    ]
    done = preflight(tmp_path, "\n".join(json.dumps(line) for line in lines))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "building Atlantis_int",
        "model 'zzzzzz' of mug (it has bbbbbb, cccccc)",
        "category 'flying_carpet'",
    ]
    assert preflight(tmp_path, json.dumps(lines[0])).returncode == 0


@pytest.mark.parametrize("text", ["{", '{"tasks": 1}', '{"building": "a", "category": "b"}', '{"object": "mug"}', "[" * 5000])
def test_preflight_says_which_line_is_none(text: str, tmp_path: Path) -> None:
    done = preflight(tmp_path, '{"building": "Rs_int"}\n' + text)
    assert done.returncode == 2 and "line 2 of needs.jsonl: expected" in done.stderr and "Traceback" not in done.stderr


def preflight(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = folder / "needs.jsonl"
    path.write_text(text)
    variables = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{STAND_IN}"}
    return subprocess.run(
        [sys.executable, "-P", "-m", "sim_bridge", "preflight", str(path)], capture_output=True, text=True, env=variables, timeout=60
    )


def test_views_from_outside_the_world_are_refused(rigid: Client, session: str) -> None:
    rigid.load(session, bare(box()), START)
    for ask in (lambda p: rigid.views(session, p), lambda p: rigid.visible(session, p), lambda p: rigid.masks(session, p[0])):
        with pytest.raises(BadRequest, match=r"poses\[0\]\.position_m: expected a camera within"):
            ask([looking(0.0, 900.0, 1.2)])


def test_a_wrong_token_and_another_protocol_are_refused(rigid: Client) -> None:
    with pytest.raises(WorkerLost, match="it refuses the token"):
        Client(rigid.address, "guessed")
    with pytest.raises(UnsupportedVersion, match="speaks bridge protocol 1, the client 0 to 0: update the older one"):
        rigid.request(Hello(versions=(0, 0)))


def test_a_snapshot_of_other_things_is_refused(rigid: Client, session: str) -> None:
    kept = rigid.load(session, bare(box()), START).snapshot
    rigid.load(session, bare(box("object_1"), box("object_2", x=1.0)), START)
    with pytest.raises(BadRequest, match="another scene"):
        rigid.restore(session, 1, kept or b"")


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("SIM_BRIDGE_OMNIGIBSON_PHYSICS", "quantum", "expected rigid or particles"),
        ("SIM_BRIDGE_OMNIGIBSON_RENDERS", "9", "two numbers"),
        ("OMNIGIBSON_DATA_PATH", "/no/such/folder", "OMNIGIBSON_DATA_PATH: the folder '/no/such/folder' is not there"),
        ("OMNIGIBSON_STAND_IN_VERSION", "3.9.2", "expected a release of the lines"),
        ("SIM_BRIDGE_RECYCLE", "often", "SIM_BRIDGE_RECYCLE: expected a number of episodes"),
        ("SIM_BRIDGE_END_S", "soon", "SIM_BRIDGE_END_S: expected whole seconds, 0 or more, got 'soon'"),
        ("SIM_BRIDGE_END_S", "-1", "SIM_BRIDGE_END_S: expected whole seconds, 0 or more, got '-1'"),
    ],
)
def test_a_worker_that_cannot_start_says_why_in_one_line(variable: str, value: str, words: str, tmp_path: Path) -> None:
    variables = {"PYTHONPATH": f"{ROOT}{os.pathsep}{STAND_IN}", variable: value}
    command = [sys.executable, "-P", "-m", "sim_bridge", "worker", "--backend", "omnigibson"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, timeout=60)
    assert done.returncode == 2 and words in json.loads(done.stdout)["error"]


def test_without_omnigibson_a_worker_says_so() -> None:
    command = [sys.executable, "-P", "-m", "sim_bridge", "worker", "--backend", "omnigibson"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60)
    assert done.returncode == 2 and "omnigibson: cannot be imported in" in json.loads(done.stdout)["error"]


# -- several sessions, recycling, the end ------------------------------------------------------------------------------------------------


def test_sessions_take_turns_in_the_one_scene_and_keep_what_happened(rigid: Client) -> None:
    first = bare(box("object_1"), box("object_2", x=1.0, dynamic=True))
    rigid.load("a", hand_scene(Probe(rigid, rigid.hello, ("box_of_crackers", "mug"))), BEFORE)
    rigid.act("a", 1, f"pick_up({ITEM})")
    rigid.load("b", first, START)
    rigid.act("b", 1, "turn_left")
    held = rigid.act("a", 2, "move_forward")
    assert {o.handle for o in rigid.state("a").objects if o.flags.get("held")} == {ITEM}
    assert held.observation.visible.get(ITEM, 0) > 0
    assert rigid.act("a", 3, f"put({ITEM}, inside, {VESSEL})").ok
    assert rigid.act("b", 2, "turn_right").observation.camera == START
    assert {o.handle for o in rigid.state("b").objects if o.flags.get("moved_on_resume")} == set()
    for name in ("a", "b"):
        rigid.close_session(name)


def test_what_is_elsewhere_after_resuming_is_told(rigid: Client, session: str) -> None:
    scene = bare(box(dynamic=True))
    kept = rigid.load(session, scene, START).snapshot
    form = tuple[int, str, bytes, bytes]
    version, name, digest, packed = msgspec.msgpack.decode(kept or b"", type=form)
    record = msgspec.msgpack.decode(zlib.decompress(packed))
    record["poses"]["object_1"]["position_m"] = [0.5, 1.0, 0.2]
    changed = msgspec.msgpack.encode((version, name, digest, zlib.compress(msgspec.msgpack.encode(record))))
    rigid.restore(session, 1, changed)
    assert rigid.state(session).objects[0].flags["moved_on_resume"]


def test_phases_open_things_and_light_are_the_scenes(rigid: Client, session: str) -> None:
    oven = Object("object_1", "microwave", Pose((0.0, 1.0, 0.5)), size_m=(0.5, 0.4, 0.3), params={"open": True})
    moved = {"object_2": Pose((1.0, 1.0, 0.0))}
    scene = bare(oven, box("object_2", x=-1.0), phases=(Phase("one", lighting="night"), Phase("two", moved=moved)))
    dark = rigid.load(session, scene, START).observation.frames[-1]
    assert {o.handle: o.flags.get("open") for o in rigid.state(session).objects} == {"object_1": True, "object_2": None}
    light = rigid.set_phase(session, 1, "two").observation.frames[-1]
    assert decode_frame(dark).mean() < 0.6 * decode_frame(light).mean()
    assert at(rigid, "object_2") == pytest.approx((1.0, 1.0, 0.2), abs=0.01)


def test_what_has_joints_stands_where_the_scene_says_although_its_box_is_known_a_step_late(rigid: Client, session: str) -> None:
    turned = Pose((1.0, 1.0, 0.6), (0.0, 0.0, 0.5, 0.8660254))
    oven = Object("object_1", "microwave", turned, size_m=(0.5, 0.4, 0.3))
    rigid.load(session, bare(oven, box("object_2", x=-1.0)), looking(0.6, 0.2, 0.9))
    state = rigid.state(session).objects[0]
    assert state.pose.position_m == pytest.approx((1.0, 1.0, 0.6), abs=1e-4)
    assert state.pose.quaternion_xyzw == pytest.approx(turned.quaternion_xyzw, abs=1e-4)
    assert rigid.act(session, 1, "pick_up(object_1)").ok
    rigid.act(session, 2, "turn_left")
    here = rigid.state(session).objects[0]
    assert here.flags["held"] and here.visible_pixels > 0


def test_water_goes_with_the_vessel_it_is_in(particles: Client) -> None:
    mug = Object("object_1", "mug", Pose((0.0, 0.2, 0.0)), origin="base", size_m=(0.13, 0.1, 0.12))
    particles.load("w", bare(mug), BEFORE)
    assert particles.act("w", 1, "fill(object_1, with_water)").ok
    before = particles.state("w").objects[0].levels["water_ml"]
    kept = particles.act("w", 2, "pick_up(object_1)").snapshot
    for seq, action in enumerate(("turn_left", "move_up", "put_back(object_1)"), 3):
        assert particles.act("w", seq, action).ok
        assert particles.state("w").objects[0].levels["water_ml"] == pytest.approx(before)
    particles.load("w", bare(mug), BEFORE, seq=2, snapshot=kept)
    resumed = particles.state("w").objects[0]
    assert resumed.levels["water_ml"] == pytest.approx(before) and resumed.flags["held"] and resumed.flags["filled"]
    particles.close_session("w")


def test_a_cloth_covers_what_it_is_thrown_over_and_is_where_it_was_after_resuming(particles: Client) -> None:
    scene = bare(box(), Object("object_2", "cloth", Pose((0.0, 1.0, 0.6)), model="eeeeee"))
    kept = particles.load("c", scene, looking(0.0, -0.2, 0.6)).snapshot
    over = at(particles, "object_2", "c")
    assert over[2] == pytest.approx(0.41, abs=0.02)
    again = particles.load("c", scene, looking(0.0, -0.2, 0.6), snapshot=kept)
    assert at(particles, "object_2", "c") == pytest.approx(over, abs=1e-3) and again.observation.visible["object_2"] > 0
    particles.close_session("c")


def test_a_worker_without_segmentation_judges_by_depth(calls: Path) -> None:
    with worker(calls, SIM_BRIDGE_OMNIGIBSON_SEGMENTATION="off") as (_, client):
        assert not {"masks", "view_counts"} & set(client.hello.capabilities)
        seen = client.load("s", bare(box("object_1"), box("object_2", y=1.8)), START).observation.visible
        assert seen.get("object_1", 0) > 40 and seen.get("object_2", 0) < 0.3 * seen["object_1"]
        assert client.act("s", 1, "pick_up(object_1)").reason == "object 1 is too far away"


def test_a_worker_ends_after_as_many_episodes_as_it_was_told(calls: Path) -> None:
    with worker(calls, "--recycle", "2") as (process, client):
        client.load("one", bare(box()), START)
        client.close_session("one")
        kept = client.load("two", bare(box()), START).snapshot
        client.load("two", bare(box()), START, seq=1, snapshot=kept)
        assert process.poll() is None, "a session is held"
        client.close_session("two")
        assert process.wait(20) == 0


def test_a_worker_tells_how_long_its_requests_may_take(rigid: Client) -> None:
    assert rigid.hello.deadlines_s["load"] >= 600 and rigid.hello.deadlines_s["act"] >= 60


def test_the_client_waits_as_long_as_the_worker_says(rigid: Client) -> None:
    from sim_bridge.client import patience_s
    from sim_bridge.protocol import Act, Health, Load

    act = Act(session="s", seq=1, action="turn_left", deadline_s=30.0)
    assert patience_s(act, rigid.hello) == rigid.hello.deadlines_s["act"]
    assert patience_s(Load(session="s", scene=bare(), start=START, deadline_s=3000.0), rigid.hello) == 3000.0
    assert patience_s(Health(deadline_s=2.0), rigid.hello) == 2.0


def test_an_older_worker_is_refused_by_the_client(monkeypatch: pytest.MonkeyPatch, rigid: Client) -> None:
    """A worker that answers hello with an error of its own version."""
    from sim_bridge import client as module

    old = encode(
        ErrorReply(
            id=0, code="unsupported_version", message="This worker speaks bridge protocol 0, the client 1 to 1: update the older one."
        )
    )
    monkeypatch.setattr(module.ClientConnection, "recv", lambda self, timeout=None: old)  # type: ignore[attr-defined]
    with pytest.raises(BridgeError, match="speaks bridge protocol 0"):
        Client(rigid.address, "secret")
