"""What is an action and what is none; sequence numbers."""

from __future__ import annotations

from sim_bridge.actions import ACTIONS
from sim_bridge.checks.probe import START, Probe, check, refused, require, same_pose
from sim_bridge.client import Client
from sim_bridge.errors import ActionError, BadRequest, OutOfOrder
from sim_bridge.kinematics import apply_camera_action


@check("text that is no action is refused with action_error, costs no seq and moves nothing")
def unknown_action_refused(probe: Probe) -> None:
    session = probe.loaded()
    for text in ("fly_away", "", "turn_left()()", "pick_up", "TURN_LEFT", "turn_left; turn_left", "x" * 5000):
        refused(ActionError, lambda text=text: probe.client.act(session, 1, text), f"action {text[:40]!r}")  # type: ignore[misc]
    same_pose(START, probe.client.observe(session).observation.camera, "after refused actions")
    require(probe.client.act(session, 1, "turn_left").seq == 1, "seq 1 cannot be used after refused actions")


@check("an action outside the list given to load is refused with action_error")
def disallowed_action_refused(probe: Probe) -> None:
    session = probe.loaded(actions=("turn_left", "turn_right"))
    refused(ActionError, lambda: probe.client.act(session, 1, "move_forward"), "move_forward where only turns are allowed")
    require(probe.client.act(session, 1, "turn_left").ok, "an allowed action failed")


@check("an action with an object that the scene has not is refused with action_error")
def unknown_object_refused(probe: Probe) -> None:
    probe.need("pick_up")
    session = probe.loaded()
    refused(ActionError, lambda: probe.client.act(session, 1, "pick_up(object_99)"), "pick_up(object_99)")


@check("load refuses allowed actions that do not exist or that the backend has not")
def impossible_actions_refused(probe: Probe) -> None:
    impossible = ["fly_away", *(a for a in ACTIONS if a not in probe.hello.capabilities)]
    for name in impossible:
        call = lambda name=name: probe.client.load(probe.session(), probe.scene(), START, actions=(name,))  # noqa: E731
        refused(BadRequest, call, f"load with action {name!r}")


@check("a well-formed action that fails physically is a step: not ok, a reason in words, an observation, and its seq is used")
def failed_action_is_a_step(probe: Probe) -> None:
    probe.need("put")
    session = probe.loaded()
    reply = probe.client.act(session, 1, "put(object_2, on, object_1)")
    require(not reply.ok and bool(reply.reason), f"putting down what is not held: ok {reply.ok}, reason {reply.reason!r}")
    probe.last(reply.observation.frames)
    same_pose(START, reply.observation.camera, "after the failed action")
    refused(OutOfOrder, lambda: probe.client.act(session, 0, "turn_left"), "seq 0 after the failed step 1")
    require(probe.client.act(session, 2, "turn_left").ok, "the step after a failed one failed")


@check("where views are recorded, an action towards none is a step: not ok, a reason in words, and the camera stays")
def no_recorded_view_is_a_step(probe: Probe) -> None:
    probe.need("recorded")
    session = probe.loaded()
    for seq in range(1, 50):
        before = probe.client.observe(session).observation
        reply = probe.client.act(session, seq, "move_left")
        if not reply.ok:
            break
    require(not reply.ok and bool(reply.reason), "49 × move_left never came to the end of the recorded views")
    same_pose(before.camera, reply.observation.camera, "after the failed action")
    same = probe.last(reply.observation.frames).pixel_hash == probe.last(before.frames).pixel_hash
    require(same, "the failed action shows another picture")


@check("repeating a seq returns the stored reply (replayed) and does not act twice")
def retry_acts_once(probe: Probe) -> None:
    session = probe.loaded()
    first = probe.client.act(session, 1, "move_forward")
    again = probe.client.act(session, 1, "move_forward")
    require(again.replayed and not first.replayed, f"replayed: first {first.replayed}, repeated {again.replayed}")
    require(again.observation == first.observation, "the repeated reply has another observation")
    expected = apply_camera_action(START, "move_forward")
    same_pose(expected, probe.client.observe(session).observation.camera, "after the repeated step")


@check("a repeat on a new connection, as after a lost reply, does not act twice", wire=True)
def retry_on_new_connection(probe: Probe) -> None:
    session = probe.loaded()
    first = probe.client.act(session, 1, "turn_left")
    with Client(probe.address, probe.token) as other:
        again = other.act(session, 1, "turn_left")
    require(again.replayed, "the repeated reply is not marked as replayed")
    require(again.observation == first.observation, "the repeated reply has another observation")


@check("an older seq is refused with out_of_order and any later one is accepted")
def sequence_order(probe: Probe) -> None:
    session = probe.loaded()
    probe.walk(session, ("turn_left", "turn_left"))
    for old in (0, 1):
        refused(OutOfOrder, lambda old=old: probe.client.act(session, old, "turn_right"), f"seq {old} after 2")  # type: ignore[misc]
    require(probe.client.act(session, 9, "turn_right").seq == 9, "seq 9 after 2 was not accepted")
    expected = apply_camera_action(START, "turn_left")
    same_pose(expected, probe.client.observe(session).observation.camera, "after refused and accepted steps")
