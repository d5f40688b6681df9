"""What a backend that declares physical actions must do with them: checks on a scene of their own.

A bare room with things on the floor before the camera: one small enough for a hand, a hollow one, one too large for it, one far away, one
behind the camera. Nothing here knows how a simulator does it; what counts is what comes back: ok or a reason, frames, state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from sim_bridge.actions import KINDS, written
from sim_bridge.checks.probe import Probe, check, refused, require, same_pose
from sim_bridge.errors import OutOfOrder
from sim_bridge.kinematics import angle_between_deg, looking
from sim_bridge.protocol import StepReply
from sim_bridge.spec import Camera, Object, ObjectState, Pose, Room, Scene

ITEM, VESSEL, FLAT, FAR, BEHIND, OTHER = (f"object_{n}" for n in range(1, 7))
"""A small thing, a hollow one, one with a flat top that does not go into the hollow one, one out of reach, one out of view, a small one."""
BEFORE = looking(0.0, -0.75, 0.9, 0.0, -35.0)
"""The camera: before the things, looking down on them; all but FAR and BEHIND are nearer than 1.4 m."""
FAR_M = 4.0
"""FAR is farther than any hand reaches."""
PLACE_TOLERANCE_M = 0.02
ANGLE_TOLERANCE_DEG = 3.0
"""What settling may change when a thing is put back where it was."""
_TRIED = {1: (FAR,), 2: (ITEM, FAR), 3: (FAR, FAR, ITEM)}
"""Number of objects that an action takes → those it is tried on."""
HAND = ("pick_up", "put", "put_on_floor", "put_back")


def hand_scene(probe: Probe) -> Scene:
    """The scene; free bodies where the backend has them."""
    free = "dynamic" in probe.hello.capabilities
    large, small = probe.categories

    def thing(handle: str, category: str, x: float, y: float, size: tuple[float, float, float], dynamic: bool = free) -> Object:
        return Object(handle, category, Pose((x, y, 0.0)), origin="base", size_m=size, dynamic=dynamic)

    objects = (
        thing(ITEM, large, -0.25, 0.0, (0.10, 0.07, 0.14)),
        thing(VESSEL, small, 0.35, 0.15, (0.42, 0.32, 0.36), dynamic=False),
        thing(FLAT, large, -0.45, 0.45, (0.40, 0.30, 0.12), dynamic=False),
        thing(FAR, large, 0.1, 4.0, (0.5, 0.4, 0.8)),
        thing(BEHIND, large, 0.1, -1.4, (0.10, 0.07, 0.14)),
        thing(OTHER, large, 0.0, 0.1, (0.10, 0.07, 0.14)),
    )
    return Scene(Camera(192, 144, 90.0), Room((-4.8, -4.8, 4.8, 4.8), furnished=False), objects, settle_steps=0)


def _hand(probe: Probe, *needs: str) -> str:
    """A session of the scene, for backends that declare these actions."""
    probe.need(*needs)
    return probe.loaded(hand_scene(probe), BEFORE)


def _done(reply: StepReply, action: str) -> StepReply:
    require(reply.ok, f"{action} failed: {reply.reason!r}")
    require(not reply.reason, f"{action} succeeded and gives a reason: {reply.reason!r}")
    return reply


def _failed(reply: StepReply, action: str, why: str) -> StepReply:
    require(not reply.ok, f"{action} succeeded although {why}")
    require(bool(reply.reason.strip()), f"{action} failed without a reason, although {why}")
    require(not reply.ended, f"{action} failed and tells how it ended: {reply.ended!r}")
    require(len(reply.observation.frames) > 0, f"the failed {action} has no frame")
    return reply


def _acts(probe: Probe, session: str, actions: Sequence[str], first: int = 1) -> list[StepReply]:
    """Actions that must succeed."""
    return [_done(probe.client.act(session, first + i, a), a) for i, a in enumerate(actions)]


def _objects(probe: Probe, session: str) -> dict[str, ObjectState]:
    return {o.handle: o for o in probe.client.state(session).objects}


def _held(probe: Probe, session: str) -> list[str]:
    return sorted(h for h, o in _objects(probe, session).items() if o.flags.get("held"))


def _related(probe: Probe, session: str, kind: str, subject: str, target: str) -> bool:
    return any((r.kind, r.subject, r.object) == (kind, subject, target) for r in probe.client.state(session).relations)


def _bottom(probe: Probe, session: str, handle: str) -> float:
    return _objects(probe, session)[handle].aabb_min_m[2]


# -- hands -------------------------------------------------------------------------------------------------------------------------------


@check("a thing picked up is reported as held, it alone, and is seen in the frame")
def pick_up_holds(probe: Probe) -> None:
    session = _hand(probe, "pick_up")
    require(_held(probe, session) == [], f"at the start these are held: {_held(probe, session)}")
    (reply,) = _acts(probe, session, [f"pick_up({ITEM})"])
    require(_held(probe, session) == [ITEM], f"after pick_up({ITEM}) these are held: {_held(probe, session)}")
    require(reply.observation.visible.get(ITEM, 0) > 0, "the held object is not visible")
    same_pose(BEFORE, reply.observation.camera, "after pick_up")


@check("a held thing goes with the camera: it stays at one place of the view while the camera moves and turns")
def held_follows_camera(probe: Probe) -> None:
    session = _hand(probe, "pick_up")
    _acts(probe, session, [f"pick_up({ITEM})"])
    away = math.dist(BEFORE.position_m, _objects(probe, session)[ITEM].pose.position_m)
    require(away < 1.5, f"the held object is {away:.2f} m from the camera")
    for seq, action in enumerate(("turn_left", "move_forward", "move_up", "turn_up", "move_left", "turn_right"), 2):
        (reply,) = _acts(probe, session, [action], first=seq)
        now = math.dist(reply.observation.camera.position_m, _objects(probe, session)[ITEM].pose.position_m)
        require(abs(now - away) < 0.05, f"after {action} the held object is {now:.2f} m from the camera, before it was {away:.2f} m")
        require(reply.observation.visible.get(ITEM, 0) > 0, f"after {action} the held object is not visible")


@check("what is far away, out of view or in nobody's hand cannot be handled: a step, a reason in words, nothing moved")
def out_of_reach_is_refused(probe: Probe) -> None:
    session = _hand(probe, "pick_up")
    before = _objects(probe, session)
    actions = [(f"pick_up({FAR})", f"it is {FAR_M:g} m away"), (f"pick_up({BEHIND})", "it is behind the camera")]
    if "put" in probe.hello.capabilities:
        actions.append((f"put({ITEM}, on, {FLAT})", "nothing is held"))
    for seq, (action, why) in enumerate(actions, 1):
        reply = _failed(probe.client.act(session, seq, action), action, why)
        require(reply.seq == seq, f"{action}: seq {reply.seq}, expected {seq}")
        same_pose(BEFORE, reply.observation.camera, f"after the failed {action}")
    require(_held(probe, session) == [], f"after failed actions these are held: {_held(probe, session)}")
    for handle, was in before.items():
        off = math.dist(was.pose.position_m, _objects(probe, session)[handle].pose.position_m)
        require(off < PLACE_TOLERANCE_M, f"after failed actions {handle} is {off:.3f} m from where it was")


@check("a full hand cannot pick up a second thing, and keeps the first")
def one_thing_at_a_time(probe: Probe) -> None:
    session = _hand(probe, "pick_up")
    _acts(probe, session, [f"pick_up({ITEM})"])
    action = f"pick_up({OTHER})"
    _failed(probe.client.act(session, 2, action), action, f"{ITEM} is held")
    require(_held(probe, session) == [ITEM], f"these are held: {_held(probe, session)}")


@check("put inside frees the hand and gives the relation inside; the thing lies within the box of the other")
def put_inside(probe: Probe) -> None:
    session = _hand(probe, "pick_up", "put")
    _acts(probe, session, [f"pick_up({ITEM})", f"put({ITEM}, inside, {VESSEL})"])
    require(_held(probe, session) == [], f"after put, these are held: {_held(probe, session)}")
    require(_related(probe, session, "inside", ITEM, VESSEL), f"state has no relation: {ITEM} inside {VESSEL}")
    objects = _objects(probe, session)
    at, vessel = objects[ITEM].pose.position_m, objects[VESSEL]
    within = all(lo <= a <= hi for lo, a, hi in zip(vessel.aabb_min_m, at, vessel.aabb_max_m, strict=True))
    require(within, f"{ITEM} at {at} is outside the box of {VESSEL}, {vessel.aabb_min_m} to {vessel.aabb_max_m}")


@check("what does not fit inside is refused with a reason and stays in the hand")
def too_large_is_refused(probe: Probe) -> None:
    probe.need("pick_up", "put")
    scene = hand_scene(probe)
    wide = msgspec.structs.replace(scene.objects[0], size_m=(0.5, 0.06, 0.4))
    narrow = msgspec.structs.replace(scene.objects[1], size_m=(0.21, 0.16, 0.18))
    session = probe.loaded(msgspec.structs.replace(scene, objects=(wide, narrow)), BEFORE)
    _acts(probe, session, [f"pick_up({ITEM})"])
    action = f"put({ITEM}, inside, {VESSEL})"
    _failed(probe.client.act(session, 2, action), action, f"{ITEM} is larger than {VESSEL}")
    require(_held(probe, session) == [ITEM], f"after the refusal these are held: {_held(probe, session)}")


@check("put on frees the hand and gives the relation on")
def put_on(probe: Probe) -> None:
    session = _hand(probe, "pick_up", "put")
    _acts(probe, session, [f"pick_up({ITEM})", f"put({ITEM}, on, {FLAT})"])
    require(_held(probe, session) == [], f"after put, these are held: {_held(probe, session)}")
    require(_related(probe, session, "on", ITEM, FLAT), f"state has no relation: {ITEM} on {FLAT}")
    top = _objects(probe, session)[FLAT].aabb_max_m[2]
    require(
        abs(_bottom(probe, session, ITEM) - top) < 0.03, f"{ITEM} is at {_bottom(probe, session, ITEM):.3f} m, {FLAT} ends at {top:.3f} m"
    )


@check("put_back restores the place and attitude from before the pick up")
def put_back_restores(probe: Probe) -> None:
    session = _hand(probe, "pick_up", "put_back")
    before = _objects(probe, session)[ITEM].pose
    _acts(probe, session, [f"pick_up({ITEM})", "turn_left", "turn_right", f"put_back({ITEM})"])
    after = _objects(probe, session)[ITEM].pose
    off, turned = math.dist(before.position_m, after.position_m), angle_between_deg(before.quaternion_xyzw, after.quaternion_xyzw)
    good = off < PLACE_TOLERANCE_M and turned < ANGLE_TOLERANCE_DEG
    require(good, f"{ITEM} is {off:.3f} m and {turned:.1f}° from where it was")
    require(_held(probe, session) == [], f"after put_back these are held: {_held(probe, session)}")


@check("put_on_floor puts the thing on the floor near the camera")
def put_on_floor(probe: Probe) -> None:
    session = _hand(probe, "pick_up", "put_on_floor")
    _acts(probe, session, [f"pick_up({ITEM})", f"put_on_floor({ITEM})"])
    low = _bottom(probe, session, ITEM)
    require(abs(low) < 0.03, f"{ITEM} is {low:.3f} m above the floor")
    x, y, _ = _objects(probe, session)[ITEM].pose.position_m
    away = math.dist((x, y), BEFORE.position_m[:2])
    require(away < 3.5, f"{ITEM} is {away:.2f} m from the camera")


@check("the last frame of a physical action is the observation: observing again shows the same")
def frames_end_with_observation(probe: Probe) -> None:
    probe.need("pick_up")
    probe.need_determinism()
    session = _hand(probe, "pick_up")
    wanted = [f"pick_up({ITEM})", f"put_on_floor({ITEM})", f"pick_up({ITEM})", f"put({ITEM}, on, {FLAT})", "wait", f"pick_up({FAR})"]
    able = [action for action in wanted if action.partition("(")[0] in probe.hello.capabilities]
    for seq, action in enumerate(able, 1):
        reply = probe.client.act(session, seq, action)
        now = probe.last(probe.client.observe(session).observation.frames).pixel_hash
        require(probe.last(reply.observation.frames).pixel_hash == now, f"{action}: its last frame is not what is seen afterwards")
        sizes = {(f.width, f.height) for f in reply.observation.frames}
        require(sizes == {(192, 144)}, f"{action}: frames of other sizes than the camera's: {sorted(sizes)}")


@check("repeating a physical action's seq returns the stored reply, and nothing is picked up or put down twice")
def physical_retry_acts_once(probe: Probe) -> None:
    session = _hand(probe, "pick_up", "put_on_floor")
    for seq, action in enumerate((f"pick_up({ITEM})", f"put_on_floor({ITEM})"), 1):
        first = _done(probe.client.act(session, seq, action), action)
        state = _objects(probe, session)[ITEM]
        again = probe.client.act(session, seq, action)
        require(again.replayed and again.observation == first.observation, f"the repeated {action} is another reply")
        require(_objects(probe, session)[ITEM] == state, f"the repeated {action} changed {ITEM}")
    refused(OutOfOrder, lambda: probe.client.act(session, 1, f"pick_up({ITEM})"), "seq 1 after 2")


@check("with a thing in the hand, restoring and replaying give back the hand, the pixels, and the same continuation")
def held_resumes(probe: Probe) -> None:
    session = _hand(probe, "pick_up")
    _acts(probe, session, ["turn_left", f"pick_up({ITEM})", "move_forward"])
    snapshot = probe.client.snapshot(session)
    onward = ["turn_right", "move_backward"] + ([f"put_on_floor({ITEM})"] if "put_on_floor" in probe.hello.capabilities else [])
    expected = [probe.last(r.observation.frames).pixel_hash for r in _acts(probe, session, onward, first=4)]
    done = ("turn_left", f"pick_up({ITEM})", "move_forward")
    for how, options in (("snapshot", {"snapshot": snapshot}), ("replay", {"replay": done})):
        resumed = probe.session()
        probe.client.load(resumed, hand_scene(probe), BEFORE, seq=3, **options)
        require(_held(probe, resumed) == [ITEM], f"{how}: these are held: {_held(probe, resumed)}")
        got = [probe.last(r.observation.frames).pixel_hash for r in _acts(probe, resumed, onward, first=4)]
        if probe.hello.deterministic:
            require(got == expected, f"{how}: continuing gave other pixels")


@check("failed physical actions belong to the list of actions: replaying them ends at the same pixels")
def failures_replay(probe: Probe) -> None:
    probe.need("pick_up")
    probe.need_determinism()
    session = _hand(probe, "pick_up")
    tried = (f"pick_up({FAR})", f"pick_up({ITEM})", f"pick_up({OTHER})", "turn_left")
    for seq, action in enumerate(tried, 1):
        reply = probe.client.act(session, seq, action)
    again = probe.client.load(probe.session(), hand_scene(probe), BEFORE, seq=len(tried), replay=tried)
    same = probe.last(again.observation.frames).pixel_hash == probe.last(reply.observation.frames).pixel_hash
    require(same, "replaying a list with failed actions ends at other pixels")


@check("every physical action that the backend declares, tried on things far away, is a step: done, or failed with a reason")
def every_action_answers(probe: Probe) -> None:
    declared = [
        written(kind.name, *_TRIED[kind.form.count("obj")], relation="on")
        for kind in KINDS
        if kind.takes_objects and kind.name in probe.hello.capabilities
    ]
    if not declared:
        probe.need("pick_up")
    session = probe.loaded(hand_scene(probe), BEFORE)
    for seq, action in enumerate(declared, 1):
        reply = _failed(probe.client.act(session, seq, action), action, f"{FAR} is {FAR_M:g} m away")
        same_pose(BEFORE, reply.observation.camera, f"after the failed {action}")
    require(probe.client.act(session, len(declared) + 1, "turn_left").ok, "after failed actions the session does not act")


@check("time passes while one waits: the camera stays, the step has a frame")
def waiting(probe: Probe) -> None:
    session = _hand(probe, "wait")
    reply = _done(probe.client.act(session, 1, "wait"), "wait")
    same_pose(BEFORE, reply.observation.camera, "after wait")
    probe.last(reply.observation.frames)


# -- things that open, hold water, slope, cover ------------------------------------------------------------------------------------------


def _special(
    probe: Probe, need: Sequence[str], category: str, size: tuple[float, float, float] | None, *others: Object, **more: Any
) -> str:
    """A session with one thing of a category before the camera; where the backend has none of it, the check does not apply."""
    probe.need(*need)
    thing = Object(ITEM, category, Pose((0.0, 0.15, 0.0)), origin="base", size_m=size, **more)
    scene = msgspec.structs.replace(hand_scene(probe), objects=(thing, *others))
    return probe.special(category, scene, BEFORE)


@check("open and close change the flag open, each once; the second time is refused with a reason; a snapshot keeps it")
def open_and_close(probe: Probe) -> None:
    session = _special(probe, ("open", "close"), probe.openable, None)
    _failed(probe.client.act(session, 1, f"close({ITEM})"), f"close({ITEM})", "it is closed at the start")
    _acts(probe, session, [f"open({ITEM})"], first=2)
    require(bool(_objects(probe, session)[ITEM].flags.get("open")), "after open, the flag open is not set")
    _failed(probe.client.act(session, 3, f"open({ITEM})"), f"open({ITEM})", "it is open already")
    snapshot = probe.client.snapshot(session)
    _acts(probe, session, [f"close({ITEM})"], first=4)
    require(not _objects(probe, session)[ITEM].flags.get("open"), "after close, the flag open is set")
    probe.client.restore(session, 5, snapshot)
    require(bool(_objects(probe, session)[ITEM].flags.get("open")), "restoring a snapshot with the thing open shows it closed")


@check("fill and pour move water: the flag filled follows, and what is empty cannot be poured")
def fill_and_pour(probe: Probe) -> None:
    probe.need("pick_up", "fill", "pour")
    small = probe.categories[1]
    target = Object(VESSEL, small, Pose((0.4, 0.15, 0.0)), origin="base", size_m=(0.21, 0.16, 0.18), dynamic=False)
    session = _special(probe, ("fill", "pour"), small, (0.13, 0.1, 0.12), target)
    pour = f"pour({ITEM}, from, {ITEM}, to, {VESSEL})"
    _acts(probe, session, [f"pick_up({ITEM})"])
    _failed(probe.client.act(session, 2, pour), pour, f"{ITEM} is empty")
    _acts(probe, session, [f"fill({ITEM}, with_water)"], first=3)
    require(bool(_objects(probe, session)[ITEM].flags.get("filled")), "after fill, the flag filled is not set")
    (poured,) = _acts(probe, session, [pour], first=4)
    flags = {h: bool(o.flags.get("filled")) for h, o in _objects(probe, session).items()}
    require(flags[VESSEL], f"after pouring, {VESSEL} is not filled: {flags}")
    require(len(poured.observation.frames) >= 2, "pouring returns a single frame: the water cannot be seen to flow")


@check("a thing placed on the slope is let go there: the hand is free, and several frames show what happens")
def slope_is_watched(probe: Probe) -> None:
    probe.need("pick_up", "place_on_slope")
    slope = Object(FLAT, probe.ramp, Pose((0.1, 0.45, 0.0)), origin="base", size_m=(0.5, 0.3, 0.25))
    free = "dynamic" in probe.hello.capabilities
    session = _special(probe, ("place_on_slope",), probe.categories[0], (0.10, 0.07, 0.06), slope, dynamic=free)
    _acts(probe, session, [f"pick_up({ITEM})"])
    (reply,) = _acts(probe, session, [f"place_on_slope({ITEM})"], first=2)
    require(_held(probe, session) == [], f"after place_on_slope these are held: {_held(probe, session)}")
    require(len(reply.observation.frames) >= 2, "place_on_slope returns a single frame: whether it slides cannot be seen")


@check("a cloth that is removed is gone from view, and cannot be removed twice")
def cloth_is_removed(probe: Probe) -> None:
    session = _special(probe, ("remove_cloth",), probe.cloth, (0.5, 0.4, 0.02))
    seen = probe.client.observe(session).observation.visible.get(ITEM, 0)
    require(seen > 0, "the cloth is not visible at the start")
    (reply,) = _acts(probe, session, [f"remove_cloth({ITEM})"])
    left = reply.observation.visible.get(ITEM, 0)
    require(left == 0, f"after remove_cloth {left} pixels show the cloth")
    _failed(probe.client.act(session, 2, f"remove_cloth({ITEM})"), f"remove_cloth({ITEM})", "it is gone")
