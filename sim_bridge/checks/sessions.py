"""Sessions side by side, and what is refused before one begins."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from sim_bridge.checks.probe import START, TOUR, Probe, check, refused, require, same_pose
from sim_bridge.errors import BadRequest, SceneError, UnknownSession
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene


@check("every request for a session that is not held is refused with unknown_session")
def unknown_session(probe: Probe) -> None:
    calls: dict[str, Callable[[], object]] = {
        "act": lambda: probe.client.act("nobody", 1, "turn_left"),
        "observe": lambda: probe.client.observe("nobody"),
        "state": lambda: probe.client.state("nobody"),
        "views": lambda: probe.client.views("nobody", [START]),
        "snapshot": lambda: probe.client.snapshot("nobody"),
        "restore": lambda: probe.client.restore("nobody", 1, b""),
        "phase": lambda: probe.client.set_phase("nobody", 1, "after"),
    }
    for name, call in calls.items():
        refused(UnknownSession, call, name)


@check("closing a session twice, or one that never was, is no error; a closed one is gone")
def close_is_idempotent(probe: Probe) -> None:
    session = probe.loaded()
    probe.client.close_session(session)
    probe.client.close_session(session)
    probe.client.close_session("nobody")
    refused(UnknownSession, lambda: probe.client.observe(session), "observe after close")


@check("loading a session again starts it afresh")
def load_again(probe: Probe) -> None:
    session = probe.session()
    first = probe.client.load(session, probe.scene(), START).observation
    probe.walk(session, TOUR)
    again = probe.client.load(session, probe.scene(), START)
    require(again.seq == 0, f"seq {again.seq}, expected 0")
    same_pose(START, again.observation.camera, "after loading again")
    if probe.hello.deterministic:
        same = probe.last(again.observation.frames).pixel_hash == probe.last(first.frames).pixel_hash
        require(same, "the first frame has other pixels than the first time")
    require(probe.client.act(session, 1, "turn_left").seq == 1, "seq 1 is not accepted after loading again")


@check("three sessions in turns, two of them in one scene, show what each shows alone")
def sessions_are_independent(probe: Probe) -> None:
    probe.need_determinism()
    tours = [TOUR[:5], TOUR[3:8], ("move_forward", "move_forward", "turn_right", "turn_up", "move_left")]
    other = probe.scene(room=Room(bounds_m=(-4.0, -4.0, 4.0, 4.0), furnished=False, seed=3))
    scenes = [probe.scene(), probe.scene(), other]
    alone = []
    for scene, tour in zip(scenes, tours, strict=True):
        alone.append(probe.walk(probe.loaded(scene), tour))
        probe.tidy()
    sessions = [probe.loaded(scene) for scene in scenes]
    together: list[list[str]] = [[], [], []]
    for step in range(5):
        for k in range(3):
            together[k] += probe.walk(sessions[k], tours[k][step : step + 1], first=step + 1)
    different = [k + 1 for k in range(3) if together[k] != alone[k]]
    require(not different, f"sessions with other pixels than alone: {different}")


@check("a scene that makes no sense is refused with scene_error that names the field, and the next good one loads")
def bad_scenes_refused(probe: Probe) -> None:
    probe.need_rendering()
    scene = probe.scene()
    thing, swap = scene.objects[0], msgspec.structs.replace
    nan, inf = math.nan, math.inf
    bad: list[tuple[str, Scene]] = [
        ("handle", probe.scene(objects=(thing, thing))),
        ("size_m", probe.scene(objects=(swap(thing, size_m=(1.0, -1.0, 1.0)),))),
        ("size_m", probe.scene(objects=(swap(thing, size_m=(1.0, inf, 1.0)),))),
        ("position_m", probe.scene(objects=(swap(thing, pose=Pose((nan, 0.0, 0.0))),))),
        ("quaternion_xyzw", probe.scene(objects=(swap(thing, pose=Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))),))),
        ("origin", probe.scene(objects=(swap(thing, origin="corner"),))),
        ("width", probe.scene(camera=Camera(0, 120, 90.0))),
        ("camera", probe.scene(camera=Camera(1_000_000, 1_000_000, 90.0))),
        ("hfov_deg", probe.scene(camera=Camera(160, 120, 400.0))),
        ("bounds_m", probe.scene(room=Room(bounds_m=(3.0, -3.0, -3.0, 3.0)))),
        ("height_m", probe.scene(room=Room(height_m=nan))),
        ("lighting", probe.scene(lighting="disco")),
        ("hidden", probe.scene(phases=(Phase("before", hidden=("object_99",)),))),
        ("name", probe.scene(phases=(Phase("before"), Phase("before")))),
        ("params", probe.scene(objects=(swap(thing, params={"no_such_setting": 1}),))),
    ]
    for field, wrong in bad:
        problem = refused(SceneError, lambda wrong=wrong: probe.client.load(probe.session(), wrong, START), f"scene with a bad {field}")  # type: ignore[misc]
        require(field in str(problem), f"the message does not name the field {field!r}: {problem}")
    require(probe.client.load(probe.session(), scene, START).ok, "after refused scenes a good one does not load")


@check("where views are recorded, a scene that is no recording is refused with scene_error that names the field, and the next one loads")
def bad_recordings_refused(probe: Probe) -> None:
    probe.need("recorded")
    scene = probe.scene()
    large, _ = probe.categories
    bad: list[tuple[str, Scene]] = [
        ("source_scene", probe.scene(source_scene=None)),
        ("source_scene", probe.scene(source_scene="recording:../elsewhere")),
        ("camera", probe.scene(camera=Camera(scene.camera.width + 1, scene.camera.height, scene.camera.hfov_deg))),
        ("objects", probe.scene(objects=(Object("object_1", large, Pose((0.0, 1.2, 0.5)), size_m=(0.6, 0.5, 1.0)),))),
        ("phases", probe.scene(phases=(Phase("before"), Phase("after")))),
    ]
    for field, wrong in bad:
        problem = refused(SceneError, lambda wrong=wrong: probe.client.load(probe.session(), wrong, START), f"recording with a bad {field}")  # type: ignore[misc]
        require(field in str(problem), f"the refusal of a bad {field} does not name it: {problem}")
    probe.client.load(probe.session(), scene, START)


@check("poses that are not finite, out of range or without direction are refused with bad_request")
def bad_poses_refused(probe: Probe) -> None:
    session = probe.loaded()
    wrong = [
        Pose((math.nan, 0.0, 0.0)),
        Pose((0.0, math.inf, 0.0)),
        Pose((0.0, 0.0, 1e30)),
        Pose((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)),
        Pose((0.0, 0.0, 1.0), (math.nan, 0.0, 0.0, 1.0)),
    ]
    for pose in wrong:
        refused(BadRequest, lambda pose=pose: probe.client.load(probe.session(), probe.scene(), pose), f"start {pose}")  # type: ignore[misc]
        refused(BadRequest, lambda pose=pose: probe.client.views(session, [pose]), f"view {pose}")  # type: ignore[misc]
    require(probe.client.act(session, 1, "turn_left").ok, "after refused poses the session does not act")
