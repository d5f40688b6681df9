"""Phases of a scene, and their light."""

from __future__ import annotations

import math

from sim_bridge.checks.probe import START, Probe, check, refused, require, same_pose
from sim_bridge.errors import BadRequest
from sim_bridge.spec import Phase, Pose


@check("a phase hides and moves objects, puts the camera back to the start, and names itself in the observation")
def phases(probe: Probe) -> None:
    probe.need("phases")
    session = probe.session()
    moved = Pose((0.9, 1.0, 1.0))
    both = (Phase("before", hidden=("object_1",)), Phase("after", moved={"object_3": moved}))
    first = probe.client.load(session, probe.scene(phases=both), START).observation
    require(first.phase == "before", f"the first phase is {first.phase!r}, expected 'before'")
    require("object_1" not in first.visible, f"object_1 is hidden in 'before' but shows {first.visible.get('object_1')} pixels")
    present = {o.handle: o.present for o in probe.client.state(session).objects}
    require(not present.get("object_1", False), "state says that the hidden object is present")
    probe.client.act(session, 1, "turn_left")
    second = probe.client.set_phase(session, 2, "after")
    require(second.observation.phase == "after" and second.seq == 2, f"phase {second.observation.phase!r}, seq {second.seq}")
    same_pose(START, second.observation.camera, "after the phase change")
    require(second.observation.visible.get("object_1", 0) > 0, "object_1 should show in 'after'")
    at = next(o.pose.position_m for o in probe.client.state(session).objects if o.handle == "object_3")
    require(math.dist(at, moved.position_m) < 0.05, f"object_3 should be at {moved.position_m}, is at {at}")
    refused(BadRequest, lambda: probe.client.set_phase(session, 3, "never"), "phase 'never'")


@check("a replay may contain phase changes, and a snapshot keeps the phase")
def phases_resume(probe: Probe) -> None:
    probe.need("phases")
    scene = probe.scene(phases=(Phase("before", hidden=("object_1",)), Phase("after")))
    session = probe.loaded(scene)
    probe.client.act(session, 1, "turn_left")
    probe.client.set_phase(session, 2, "after")
    last = probe.client.act(session, 3, "move_forward")
    replayed = probe.client.load(probe.session(), scene, START, seq=3, replay=("turn_left", "phase:after", "move_forward"))
    restored = probe.client.load(probe.session(), scene, START, seq=3, snapshot=last.snapshot)
    for how, reply in (("replay", replayed), ("snapshot", restored)):
        require(reply.observation.phase == "after", f"{how}: phase {reply.observation.phase!r}, expected 'after'")
        same_pose(last.observation.camera, reply.observation.camera, how)
        if probe.hello.deterministic:
            same = probe.last(reply.observation.frames).pixel_hash == probe.last(last.observation.frames).pixel_hash
            require(same, f"{how}: other pixels")


@check("a phase's own light shows in its pictures and in no other's, and moves nothing")
def phase_light(probe: Probe) -> None:
    probe.need("phases", "phase_light")
    session = probe.session()
    scene = probe.scene(phases=(Phase("first"), Phase("second", lighting="dim"), Phase("third")))
    first = probe.client.load(session, scene, START).observation
    second = probe.client.set_phase(session, 1, "second").observation
    third = probe.client.set_phase(session, 2, "third").observation
    hashes = [probe.last(o.frames).pixel_hash for o in (first, second, third)]
    require(hashes[0] != hashes[1], "the picture is the same in another light")
    if probe.hello.deterministic:
        require(hashes[0] == hashes[2], "the picture is another one when the first light is back")
    require(first.visible == second.visible, f"other things are seen in another light: {first.visible} and {second.visible}")
