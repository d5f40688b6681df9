"""A checker that cannot fail proves nothing: every broken simulator here is caught by the check made for it."""

import io
import threading
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from sim_bridge.actions import ACTIONS
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends import toy
from sim_bridge.client import Client
from sim_bridge.conformance import check_backend
from sim_bridge.encoding import decode_frame, encode_frame
from sim_bridge.host import Host
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.protocol import VERSION, Hello, encode
from sim_bridge.spec import Camera, Pose
from sim_bridge.worker import Worker

swap = msgspec.structs.replace


def world(backend: Any, session: Any) -> Any:
    return backend._sessions[session].world


class FollowsTheOpticalAxis(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        if action.name != "move_forward":
            return super().act(session, action, render)
        camera = world(self, session).camera
        position = tuple(p - 0.25 * row[2] for p, row in zip(camera.position_m, rotation_matrix(camera.quaternion_xyzw), strict=True))
        world(self, session).camera = Pose(position, camera.quaternion_xyzw)
        return ActionOutcome(True, "", self._observation(session, render))


class MasksUpsideDown(toy.ToyBackend):
    def masks(self, session: Any, pose: Any) -> Any:
        numbers, handles = super().masks(session, pose)
        return (numbers[::-1] if pose is None else numbers), handles


class MasksOneThingAsAnother(toy.ToyBackend):
    def masks(self, session: Any, pose: Any) -> Any:
        numbers, handles = super().masks(session, pose)
        return np.where(numbers > 0, 1, 0), handles


class SwapsLeftAndRight(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        other = {"turn_left": "turn_right", "turn_right": "turn_left"}.get(action.name, action.name)
        return super().act(session, swap(action, name=other), render)


class ClampsPitch(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        before = world(self, session).camera
        outcome = super().act(session, action, render)
        if action.name == "turn_up" and rotation_matrix(world(self, session).camera.quaternion_xyzw)[2][1] < 0:
            world(self, session).camera = before
            return ActionOutcome(True, "", self._observation(session, render))
        return outcome


class SinksThroughTheFloor(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        x, y, z = world(self, session).camera.position_m
        outcome = super().act(session, action, render)
        if action.name == "move_down":
            world(self, session).camera = Pose((x, y, z - 0.25), world(self, session).camera.quaternion_xyzw)
            return ActionOutcome(True, "", self._observation(session, render))
        return outcome


class Collides(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        before = world(self, session).camera
        outcome = super().act(session, action, render)
        if outcome.observation.clipped and action.name == "move_forward":
            world(self, session).camera = before
            return ActionOutcome(False, "the way is blocked", self._observation(session, render))
        return outcome


class Drifts(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> ActionOutcome:
        outcome = super().act(session, action, render)
        camera = world(self, session).camera
        x, y, z = camera.position_m
        world(self, session).camera = Pose((x + 4e-7, y, z), camera.quaternion_xyzw)
        return ActionOutcome(outcome.ok, outcome.reason, self._observation(session, render))


class Flickers(toy.ToyBackend):
    calls = 0

    def _observation(self, session: Any, render: Any) -> Any:
        observation = super()._observation(session, render)
        if not observation.frames:
            return observation
        Flickers.calls += 1
        rgb = decode_frame(observation.frames[-1]).copy()
        rgb[0, 0] = (Flickers.calls % 256, Flickers.calls // 256 % 256, 1)
        return swap(observation, frames=(encode_frame(rgb),))


class RestoresWithoutTheCamera(toy.ToyBackend):
    def restore(self, session: Any, snapshot: Any) -> None:
        camera = world(self, session).camera
        super().restore(session, snapshot)
        world(self, session).camera = camera


class RestoresWithoutThePhase(toy.ToyBackend):
    def restore(self, session: Any, snapshot: Any) -> None:
        phase = world(self, session).phase
        super().restore(session, snapshot)
        world(self, session).phase = phase


class SkipsReplayedActions(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        return super().act(session, action) if render else ActionOutcome(True, "", self._observation(session, False))


class ViewsMoveTheCamera(toy.ToyBackend):
    def views(self, session: Any, poses: Any) -> Any:
        world(self, session).camera = poses[-1]
        return super().views(session, poses)


class LosesAView(toy.ToyBackend):
    def views(self, session: Any, poses: Any) -> Any:
        return super().views(session, poses)[:-1]


class ObservingTurns(toy.ToyBackend):
    def observe(self, session: Any) -> Any:
        self.act(session, toy.Action("turn_left"))  # type: ignore[attr-defined]
        return super().observe(session)


class _Reframes(toy.ToyBackend):
    def reframe(self, frame: Any) -> None:
        raise NotImplementedError

    def _observation(self, session: Any, render: Any) -> Any:
        observation = super()._observation(session, render)
        return swap(observation, frames=tuple(self.reframe(f) for f in observation.frames))  # type: ignore[func-returns-value]


class WrongHash(_Reframes):
    def reframe(self, frame: Any) -> Any:
        return swap(frame, pixel_hash="0" * 64)


class WrongSize(_Reframes):
    def reframe(self, frame: Any) -> Any:
        return encode_frame(np.zeros((480, 640, 3), np.uint8))


class Blank(_Reframes):
    def reframe(self, frame: Any) -> Any:
        return encode_frame(np.zeros((frame.height, frame.width, 3), np.uint8))


class Lossy(_Reframes):
    def reframe(self, frame: Any) -> Any:
        out = io.BytesIO()
        Image.open(io.BytesIO(frame.data)).save(out, "WEBP", quality=60)
        return swap(frame, data=out.getvalue())


class IgnoresTheFieldOfView(toy.ToyBackend):
    def load(self, session: Any, scene: Any, start: Any, seed: Any, render: bool = True) -> Any:
        camera = Camera(scene.camera.width, scene.camera.height, 90.0)
        return super().load(session, swap(scene, camera=camera), start, seed, render)


class CountsHalfThePixels(toy.ToyBackend):
    def _observation(self, session: Any, render: Any) -> Any:
        observation = super()._observation(session, render)
        return swap(observation, visible={h: n // 2 for h, n in observation.visible.items()})


class BoxesAreOnePixel(toy.ToyBackend):
    def _observation(self, session: Any, render: Any) -> Any:
        observation = super()._observation(session, render)
        return swap(observation, boxes={h: (x0, y0, x0 + 1, y0 + 1) for h, (x0, y0, _, _) in observation.boxes.items()})


class ForgetsWhatHandsCanDo(toy.ToyBackend):
    def hands(self, session: Any) -> Any:
        return swap(super().hands(session), can={})


class SeesEverything(toy.ToyBackend):
    def _observation(self, session: Any, render: Any) -> Any:
        observation = super()._observation(session, render)
        return swap(observation, visible=dict.fromkeys(self._sessions[session].objects, 500))


class WrongBoxes(toy.ToyBackend):
    def state(self, session: Any) -> Any:
        objects, relations = super().state(session)
        return [swap(o, aabb_max_m=tuple(c + 0.3 for c in o.aabb_max_m)) for o in objects], relations


class OneWorldForAll(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        outcome = super().act(session, action, render)
        for other in self._sessions.values():
            other.world.camera = outcome.observation.camera
        return outcome


class PhaseKeepsTheCamera(toy.ToyBackend):
    def set_phase(self, session: Any, phase: Any, render: bool = True) -> Any:
        camera = world(self, session).camera
        super().set_phase(session, phase, render)
        world(self, session).camera = camera
        return self._observation(session, render)


class HidesNothing(toy.ToyBackend):
    def load(self, session: Any, scene: Any, start: Any, seed: Any, render: bool = True) -> Any:
        phases = tuple(swap(p, hidden=()) for p in scene.phases)
        return super().load(session, swap(scene, phases=phases), start, seed, render)


class IgnoresUnknownParams(toy.ToyBackend):
    def load(self, session: Any, scene: Any, start: Any, seed: Any, render: bool = True) -> Any:
        objects = tuple(swap(o, params={}) for o in scene.objects)
        return super().load(session, swap(scene, objects=objects), start, seed, render)


class FailsWithoutAReason(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> ActionOutcome:
        outcome = super().act(session, action, render)
        return ActionOutcome(outcome.ok, "", outcome.observation)


class CannotTurnUp(toy.ToyBackend):
    capabilities = tuple(a for a in ACTIONS if a != "turn_up")


class SaysNothingOfItself(toy.ToyBackend):
    def fingerprint(self) -> Any:
        return {}


class RemembersTheLastTime(toy.ToyBackend):
    def load(self, session: Any, scene: Any, start: Any, seed: Any, render: bool = True) -> Any:
        known = self._sessions.get("kept")
        observation = super().load(session, scene, start, seed, render)
        if known:
            world(self, session).camera = known.world.camera
            observation = self._observation(session, render)
        self._sessions["kept"] = self._sessions[session]
        return observation


class ForgetsMotionInSnapshots(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        for handle, obj in self._sessions[session].objects.items():
            if obj.dynamic:
                thing = world(self, session).things[handle]
                self.speed = getattr(self, "speed", 0.0) + 0.01
                x, y, z = thing.position
                thing.position = (x + self.speed, y, z)
        return super().act(session, action, render)


class Raises(toy.ToyBackend):
    def state(self, session: Any) -> None:
        raise KeyError("oops")


@pytest.mark.parametrize(
    ("backend", "caught_by"),
    [
        (FollowsTheOpticalAxis, "kinematics_move_forward"),
        (FollowsTheOpticalAxis, "heading_ignores_pitch"),
        (SwapsLeftAndRight, "kinematics_turn_left"),
        (SwapsLeftAndRight, "kinematics_turn_right"),
        (MasksUpsideDown, "masks_agree_with_counts"),
        (MasksOneThingAsAnother, "masks_agree_with_counts"),
        (ClampsPitch, "no_pitch_clamp"),
        (SinksThroughTheFloor, "move_down_clamp"),
        (Collides, "no_collision"),
        (Drifts, "inverse_actions"),
        (Flickers, "determinism"),
        (Flickers, "observe_is_passive"),
        (RestoresWithoutTheCamera, "restore"),
        (RestoresWithoutTheCamera, "load_from_snapshot"),
        (RestoresWithoutTheCamera, "load_by_snapshot_and_replay"),
        (RestoresWithoutThePhase, "phases_resume"),
        (SkipsReplayedActions, "load_by_replay"),
        (ViewsMoveTheCamera, "views_leave_camera"),
        (LosesAView, "views_leave_camera"),
        (ObservingTurns, "observe_is_passive"),
        (WrongHash, "hash_of_pixels"),
        (WrongSize, "frame_size"),
        (Blank, "frames_follow_camera"),
        (Lossy, "frame_lossless"),
        (Lossy, "hash_of_pixels"),
        (IgnoresTheFieldOfView, "field_of_view"),
        (CountsHalfThePixels, "visible_pixels"),
        (SeesEverything, "visible_pixels_plausible"),
        (BoxesAreOnePixel, "pixel_boxes"),
        (ForgetsWhatHandsCanDo, "hands_are_told"),
        (WrongBoxes, "state_of_objects"),
        (OneWorldForAll, "sessions_are_independent"),
        (PhaseKeepsTheCamera, "phases"),
        (HidesNothing, "phases"),
        (IgnoresUnknownParams, "bad_scenes_refused"),
        (FailsWithoutAReason, "failed_action_is_a_step"),
        (CannotTurnUp, "hello"),
        (SaysNothingOfItself, "fingerprint"),
        (RemembersTheLastTime, "load_again"),
        (ForgetsMotionInSnapshots, "moving_objects_resume"),
        (Raises, "state_of_objects"),
    ],
)
def test_a_broken_simulator_is_caught(backend: Any, caught_by: str) -> None:
    report = check_backend(backend(), only=[caught_by])
    assert [r.outcome for r in report.results] == ["fail"]
    assert report.results[0].detail
    assert not report.ok


def never_repeats(self: Any, hosted: Any, seq: Any, digest: Any) -> bool:
    return False


def accepts_anything(self: Any, request: pytest.FixtureRequest, *rest: Any) -> Any:
    return tuple(ACTIONS)


def closes_loudly(self: Any, request: pytest.FixtureRequest, timing: Any) -> Any:
    self._find(request.session)
    return close(self, request, timing)  # type: ignore[arg-type]


close = Host._close


@pytest.mark.parametrize(
    ("method", "replacement", "caught_by"),
    [
        ("_is_repeat", never_repeats, "retry_acts_once"),
        ("_is_repeat", never_repeats, "sequence_order"),
        ("_close", closes_loudly, "close_is_idempotent"),
        ("_allowed", accepts_anything, "disallowed_action_refused"),
        ("_allowed", accepts_anything, "impossible_actions_refused"),
        ("_check_handles", lambda self, objects, hosted, text: None, "unknown_object_refused"),
        ("_find", lambda self, session: self._sessions.get(session) or next(iter(self._sessions.values()), None), "unknown_session"),
    ],
)
def test_a_broken_host_is_caught(monkeypatch: pytest.MonkeyPatch, method: str, replacement: Any, caught_by: str) -> None:
    monkeypatch.setattr(Host, method, replacement)
    report = check_backend(toy.create(), only=[caught_by])
    assert [r.outcome for r in report.results] == ["fail"]


def served(worker_class: Any) -> Any:
    """A worker of `worker_class` on a thread of its own, and a client of it."""
    worker = worker_class(toy.create(), "secret")
    thread = threading.Thread(target=worker.run)
    thread.start()
    return worker, thread


class OpenToAll(Worker):
    def _gate(self, connection: Any, request: pytest.FixtureRequest) -> None:
        return None


class NeedsNoHello(Worker):
    def _answer(self, message: Any, greeted: Any) -> Any:
        return super()._answer(message, True)[0], True


class SpeaksEveryVersion(Worker):
    def _answer(self, message: Any, greeted: Any) -> Any:
        if b"versions" in message:
            message = encode(Hello(versions=(VERSION, VERSION)))
        return super()._answer(message, greeted)


class HangsUpOnNonsense(Worker):
    def _serve(self, connection: Any) -> None:
        for message in connection:
            reply, _ = self._answer(message, True)
            if b"bad_request" in reply:
                return
            connection.send(reply)


class ForgetsRetries(Worker):
    def _execute(self, job: Any) -> None:
        for hosted in self._host._sessions.values():
            hosted.seq, hosted.last_digest = -1, b""
        super()._execute(job)


@pytest.mark.parametrize(
    ("worker_class", "caught_by"),
    [
        (Worker, None),
        (OpenToAll, "token_required"),
        (NeedsNoHello, "hello_first"),
        (SpeaksEveryVersion, "version_refused"),
        (HangsUpOnNonsense, "malformed_messages"),
        (ForgetsRetries, "retry_on_new_connection"),
    ],
)
def test_a_broken_network_part_is_caught(worker_class: Any, caught_by: str | None) -> None:
    worker, thread = served(worker_class)
    try:
        with Client(worker.address, "secret") as client:
            names = ["token_required", "hello_first", "version_refused", "malformed_messages", "retry_on_new_connection"]
            report = check_backend(client, token="secret", only=names if caught_by is None else [caught_by])
    finally:
        worker.stop()
        thread.join()
    assert [r.name for r in report.failures()] == ([] if caught_by is None else [caught_by])
