"""The ten camera actions: the published kinematics."""

from __future__ import annotations

from collections.abc import Callable

from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.checks.probe import INVERSE, POSITION_TOLERANCE_M, START, TILTED, TOUR, Probe, check, require, same_pose
from sim_bridge.kinematics import apply_camera_action, looking, moved
from sim_bridge.spec import Camera


def _kinematics(action: str) -> Callable[[Probe], None]:
    def run(probe: Probe) -> None:
        session = probe.loaded(start=TILTED)
        here = TILTED
        for seq in (1, 2, 3):
            here = apply_camera_action(here, action)
            same_pose(here, probe.client.act(session, seq, action).observation.camera, f"after {seq} × {action}")

    run.__name__ = f"kinematics_{action}"
    return run


for _action in CAMERA_ACTIONS:
    check(f"{_action} changes the pose exactly as published (0.25 m on the horizontal heading, 15° turns)")(_kinematics(_action))


@check("a camera whose scene says how far its steps lead goes that far")
def camera_steps(probe: Probe) -> None:
    probe.need("camera_steps")
    camera = Camera(96, 72, 90.0, move_step_m=0.5, turn_step_deg=30.0)
    reply = probe.client.load(session := probe.session(), probe.scene(camera=camera), TILTED)
    here = reply.observation.camera
    for seq, action in enumerate(CAMERA_ACTIONS, 1):
        here = moved(camera, here, action)
        same_pose(here, probe.client.act(session, seq, action).observation.camera, f"step {seq}, {action}")


@check("an action and its inverse give back the pose, for all ten, and 30 actions there and back do not drift")
def inverse_actions(probe: Probe) -> None:
    session, seq = probe.loaded(start=TILTED), 0
    for action, inverse in INVERSE.items():
        probe.client.act(session, seq + 1, action)
        seq += 2
        same_pose(TILTED, probe.client.act(session, seq, inverse).observation.camera, f"{action}, {inverse}")
    there = [*TOUR, "turn_left", "move_forward", "turn_up", "move_left", "turn_down", "move_forward"]
    for action in [*there, *(INVERSE[a] for a in reversed(there))]:
        seq += 1
        pose = probe.client.act(session, seq, action).observation.camera
    same_pose(TILTED, pose, f"{2 * len(there)} actions there and back")


@check("move_down stops at 0.01 m, and lifts a camera that is lower to 0.01 m")
def move_down_clamp(probe: Probe) -> None:
    for z in (0.2, -0.5):
        session = probe.loaded(start=looking(0.0, -1.5, z))
        for seq in (1, 2):
            got = probe.client.act(session, seq, "move_down").observation.camera.position_m[2]
            require(abs(got - 0.01) <= POSITION_TOLERANCE_M, f"from {z} m, {seq} × move_down: expected 0.01 m, got {got} m")


@check("pitch has no limit: 24 × turn_up pass through the zenith and make a full loop")
def no_pitch_clamp(probe: Probe) -> None:
    session, here = probe.loaded(), START
    for seq in range(1, 25):
        here = apply_camera_action(here, "turn_up")
        pose = probe.client.act(session, seq, "turn_up").observation.camera
        same_pose(here, pose, f"after {seq} × turn_up")
    same_pose(START, pose, "after the full loop")


@check("moves follow the horizontal heading even when the camera looks straight down")
def heading_ignores_pitch(probe: Probe) -> None:
    start = looking(0.0, -1.0, 1.5, yaw_deg=-30.0, pitch_deg=-90.0)
    session, here = probe.loaded(start=start), start
    for seq, action in enumerate(("move_forward", "move_left", "turn_down", "move_forward"), 1):
        here = apply_camera_action(here, action)
        same_pose(here, probe.client.act(session, seq, action).observation.camera, f"step {seq}, {action}")


@check("the camera passes through objects and walls")
def no_collision(probe: Probe) -> None:
    start = looking(0.0, -1.5, 0.6)
    session, here = probe.loaded(start=start), start
    for seq in range(1, 21):
        here = apply_camera_action(here, "move_forward")
        reply = probe.client.act(session, seq, "move_forward")
    require(reply.ok, f"the last move failed: {reply.reason}")
    same_pose(here, reply.observation.camera, "20 × move_forward through an object and the wall")


@check("a step's before is the camera of the step before it")
def before_is_previous_camera(probe: Probe) -> None:
    session = probe.session()
    camera = probe.client.load(session, probe.scene(), START).observation.camera
    for seq, action in enumerate(TOUR, 1):
        reply = probe.client.act(session, seq, action)
        require(reply.before == camera, f"step {seq}: before is {reply.before}, the camera was {camera}")
        camera = reply.observation.camera
