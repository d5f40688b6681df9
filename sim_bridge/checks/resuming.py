"""Determinism, snapshots and replay."""

from __future__ import annotations

import msgspec

from sim_bridge.checks.probe import START, TOUR, Probe, check, refused, require, same_pose
from sim_bridge.errors import ActionError, BadRequest, UnknownSession
from sim_bridge.kinematics import apply_camera_action
from sim_bridge.spec import Pose


@check("the same scene and actions give the same pixel hashes")
def determinism(probe: Probe) -> None:
    probe.need_determinism()
    runs = []
    for _ in range(2):
        session = probe.session()
        first = probe.last(probe.client.load(session, probe.scene(), START, seed=5).observation.frames).pixel_hash
        runs.append([first, *probe.walk(session, TOUR)])
    different = [i for i, (a, b) in enumerate(zip(*runs, strict=True)) if a != b]
    require(not different, f"steps with other pixels in the second run: {different}")


@check("every step carries a snapshot; restoring it gives back pose and pixels, and the same continuation")
def restore(probe: Probe) -> None:
    session = probe.loaded()
    probe.walk(session, TOUR[:3])
    kept = probe.client.act(session, 4, TOUR[3])
    require(kept.snapshot is not None, "the step has no snapshot")
    assert kept.snapshot is not None
    onward = probe.walk(session, TOUR[4:], first=5)
    back = probe.client.restore(session, 50, kept.snapshot)
    require(back.seq == 50, f"seq {back.seq}, expected 50")
    same_pose(kept.observation.camera, back.observation.camera, "after restore")
    again = probe.walk(session, TOUR[4:], first=51)
    if probe.hello.deterministic:
        same = probe.last(back.observation.frames).pixel_hash == probe.last(kept.observation.frames).pixel_hash
        require(same, "the restored frame has other pixels")
        require(again == onward, "continuing from the restored state gave other pixels")


@check("snapshot on request equals the state now: a new session loaded with it shows the same")
def load_from_snapshot(probe: Probe) -> None:
    session = probe.loaded()
    probe.walk(session, TOUR)
    now = probe.client.observe(session).observation
    reply = probe.client.load(probe.session(), probe.scene(), START, seq=9, snapshot=probe.client.snapshot(session))
    require(reply.seq == 9, f"seq {reply.seq}, expected 9")
    same_pose(now.camera, reply.observation.camera, "in the new session")
    if probe.hello.deterministic:
        same = probe.last(now.frames).pixel_hash == probe.last(reply.observation.frames).pixel_hash
        require(same, "the new session shows other pixels")


@check("load with a list of actions to replay ends at the same pose and pixels as executing them")
def load_by_replay(probe: Probe) -> None:
    session = probe.loaded(seed=2)
    hashes = probe.walk(session, TOUR)
    onward = probe.walk(session, ("turn_left", "move_backward"), first=len(TOUR) + 1)
    expected = START
    for action in TOUR:
        expected = apply_camera_action(expected, action)
    resumed = probe.session()
    reply = probe.client.load(resumed, probe.scene(), START, seed=2, seq=len(TOUR), replay=TOUR)
    same_pose(expected, reply.observation.camera, "after the replay")
    require(len(reply.observation.frames) >= 1, "the replay ends without a frame")
    again = probe.walk(resumed, ("turn_left", "move_backward"), first=len(TOUR) + 1)
    if probe.hello.deterministic:
        require(probe.last(reply.observation.frames).pixel_hash == hashes[-1], "the replay ends with other pixels")
        require(again == onward, "continuing after the replay gave other pixels")


@check("load with a snapshot and the actions after it ends at the same pixels")
def load_by_snapshot_and_replay(probe: Probe) -> None:
    probe.need_determinism()
    session = probe.loaded()
    probe.walk(session, TOUR[:4])
    snapshot = probe.client.snapshot(session)
    hashes = probe.walk(session, TOUR[4:], first=5)
    reply = probe.client.load(probe.session(), probe.scene(), START, seq=len(TOUR), snapshot=snapshot, replay=TOUR[4:])
    require(probe.last(reply.observation.frames).pixel_hash == hashes[-1], "snapshot and replay end with other pixels")


@check("a snapshot that is none is refused with bad_request, and the session survives")
def bad_snapshot_refused(probe: Probe) -> None:
    session = probe.loaded()
    good = probe.client.snapshot(session)
    for what, data in (("random bytes", b"\x00\x01garbage"), ("an empty snapshot", b""), ("a cut-off snapshot", good[: len(good) // 2])):
        refused(BadRequest, lambda data=data: probe.client.restore(session, 1, data), what)  # type: ignore[misc]
    require(probe.client.act(session, 1, "turn_left").ok, "after refused snapshots the session does not act")


@check("a replay that contains no action is refused with action_error and leaves no session behind")
def bad_replay_refused(probe: Probe) -> None:
    session = probe.session()
    bad = ("turn_left", "fly_away")
    refused(ActionError, lambda: probe.client.load(session, probe.scene(), START, replay=bad), "replay with 'fly_away'")
    refused(UnknownSession, lambda: probe.client.observe(session), "observe after the refused load")


@check("with an object in motion, restoring and replaying give back its pose, the pixels, and the same continuation")
def moving_objects_resume(probe: Probe) -> None:
    probe.need("dynamic")
    probe.need_determinism()
    things = [msgspec.structs.replace(o, dynamic=o.handle == "object_3") for o in probe.scene().objects]
    scene = probe.scene(objects=tuple(things))
    session, tour = probe.loaded(scene), ("turn_left", "turn_right", "move_backward", "turn_left", "turn_right", "turn_left")
    probe.walk(session, tour[:3])
    snapshot = probe.client.snapshot(session)
    onward = probe.walk(session, tour[3:], first=4)
    pose = _pose_of(probe, session, "object_3")
    for how, options in (("snapshot", {"snapshot": snapshot}), ("replay", {"replay": tour[:3]})):
        resumed = probe.session()
        probe.client.load(resumed, scene, START, seq=3, **options)
        require(probe.walk(resumed, tour[3:], first=4) == onward, f"{how}: continuing gave other pixels")
        at = _pose_of(probe, resumed, "object_3")
        require(at == pose, f"{how}: the moving object ends at {at}, expected {pose}")


def _pose_of(probe: Probe, session: str, handle: str) -> Pose:
    return next(o.pose for o in probe.client.state(session).objects if o.handle == handle)
