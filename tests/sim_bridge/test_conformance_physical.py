"""Physical actions are checked as well: the toy and the embedded simulator pass, and every kind of broken hand is caught."""

from typing import Any

import msgspec
import pytest

from sim_bridge.backend import ActionOutcome
from sim_bridge.backends import toy
from sim_bridge.backends.mujoco import create as create_mujoco
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.checks import CHECKS
from sim_bridge.conformance import check_backend
from sim_bridge.errors import SceneError
from sim_bridge.spec import Relation

swap = msgspec.structs.replace
PHYSICAL = tuple(c.name for c in CHECKS if c.run.__module__ == "sim_bridge.checks.physical")


def world(backend: Any, session: Any) -> Any:
    return backend._sessions[session].world


def failures(report: Any) -> Any:
    return {r.name: r.detail for r in report.results if r.outcome == "fail"}


def test_there_are_checks_for_every_family_of_physical_actions() -> None:
    assert len(PHYSICAL) >= 15
    assert {"put_inside", "put_back_restores", "held_resumes", "open_and_close", "fill_and_pour", "slope_is_watched"} <= set(PHYSICAL)


def test_the_toy_simulator_passes_all_of_them() -> None:
    report = check_backend(toy.create(), only=PHYSICAL)
    assert failures(report) == {}
    assert report.count("not_applicable") == 0


@pytest.mark.skipif(not gl.available(), reason="libOSMesa is not installed (apt-get install libosmesa6)")
def test_the_embedded_simulator_passes_those_for_what_it_declares() -> None:
    backend = create_mujoco()
    try:
        report = check_backend(backend, only=PHYSICAL)
    finally:
        backend.shutdown()
    assert failures(report) == {}
    left_out = {r.name: r.detail for r in report.results if r.outcome == "not_applicable"}
    assert all("does not declare" in why for why in left_out.values()), left_out


def test_without_physical_actions_none_applies() -> None:
    class Still(toy.ToyBackend):
        capabilities = (*toy.CAMERA_ACTIONS, "phases")  # type: ignore[attr-defined]

    report = check_backend(Still(), only=PHYSICAL)
    assert {r.outcome for r in report.results} == {"not_applicable"}
    assert "the backend does not declare pick_up" in {r.detail for r in report.results}


def test_a_category_that_the_simulator_has_not_is_no_failure() -> None:
    class NoMicrowave(toy.ToyBackend):
        def load(self, session: Any, scene: Any, start: Any, seed: Any, render: bool = True) -> Any:
            if any(o.category == "microwave" for o in scene.objects):
                raise SceneError("scene.objects[0].category: no microwave here")
            return super().load(session, scene, start, seed, render)

    (result,) = check_backend(NoMicrowave(), only=["open_and_close"]).results
    assert (result.outcome, "no microwave here" in result.detail) == ("not_applicable", True)


class HandsAreInvisible(toy.ToyBackend):
    def _observation(self, session: Any, render: Any) -> Any:
        seen = super()._observation(session, render)
        held = world(self, session).held
        return swap(seen, visible={h: n for h, n in seen.visible.items() if h != held})


class HeldStaysWhereItWas(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        held = world(self, session).held
        before = held and world(self, session).things[held].position
        outcome = super().act(session, action, render)
        if held and held == world(self, session).held:
            world(self, session).things[held].position = before
        return outcome


class ReachesEverything(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        if action.name == "pick_up":
            world(self, session).held = action.objects[0]
            return ActionOutcome(True, "", self._observation(session, render))
        return super().act(session, action, render)


class FailsSilently(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> ActionOutcome:
        outcome = super().act(session, action, render)
        return ActionOutcome(True, "", outcome.observation)


class ForgetsTheHand(toy.ToyBackend):
    def snapshot(self, session: Any) -> Any:
        return msgspec.msgpack.encode(swap(world(self, session), held=None))


class ReplaysNoHands(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        if not render and action.name == "pick_up":
            return ActionOutcome(True, "", self._observation(session, False))
        return super().act(session, action, render)


class PutsBackElsewhere(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        outcome = super().act(session, action, render)
        if action.name == "put_back":
            x, y, z = world(self, session).things[action.objects[0]].position
            world(self, session).things[action.objects[0]].position = (x + 0.05, y, z)
        return outcome


class KnowsNoInside(toy.ToyBackend):
    def state(self, session: Any) -> Any:
        objects, relations = super().state(session)
        return objects, [Relation("on", r.subject, r.object) if r.kind == "inside" else r for r in relations]


class SwallowsEverything(toy.ToyBackend):
    def _put(self, state: Any, handle: Any, relation: Any, target: Any) -> str:
        state.world.things[handle].position = state.world.things[target].position
        return ""


class FloatsAboveTheFloor(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        outcome = super().act(session, action, render)
        if action.name == "put_on_floor":
            x, y, z = world(self, session).things[action.objects[0]].position
            world(self, session).things[action.objects[0]].position = (x, y, z + 0.2)
        return outcome


class ShowsTheFirstFrameLast(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        before = self._observation(session, render)
        outcome = super().act(session, action, render)
        if action.name not in ("put_on_floor",):
            return outcome
        frames = (*outcome.observation.frames, *before.frames)
        return ActionOutcome(outcome.ok, outcome.reason, swap(outcome.observation, frames=frames))


class OpensTwice(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        if action.name == "open":
            world(self, session).things[action.objects[0]].open = False
        return super().act(session, action, render)


class PoursFromTheEmpty(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        if action.name == "pour":
            world(self, session).things[action.objects[1]].filled = True
        return super().act(session, action, render)


class SlidesUnseen(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> ActionOutcome:
        outcome = super().act(session, action, render)
        return ActionOutcome(outcome.ok, outcome.reason, swap(outcome.observation, frames=outcome.observation.frames[-1:]))


class KeepsTheCloth(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        if action.name == "remove_cloth":
            return ActionOutcome(True, "", self._observation(session, render))
        return super().act(session, action, render)


class WaitingMoves(toy.ToyBackend):
    def act(self, session: Any, action: Any, render: bool = True) -> Any:
        return super().act(session, swap(action, name="move_up") if action.name == "wait" else action, render)


@pytest.mark.parametrize(
    ("backend", "caught_by"),
    [
        (HandsAreInvisible, "pick_up_holds"),
        (HandsAreInvisible, "held_follows_camera"),
        (HeldStaysWhereItWas, "held_follows_camera"),
        (ReachesEverything, "out_of_reach_is_refused"),
        (ReachesEverything, "one_thing_at_a_time"),
        (FailsSilently, "out_of_reach_is_refused"),
        (FailsSilently, "every_action_answers"),
        (ForgetsTheHand, "held_resumes"),
        (ReplaysNoHands, "held_resumes"),
        (ReplaysNoHands, "failures_replay"),
        (PutsBackElsewhere, "put_back_restores"),
        (KnowsNoInside, "put_inside"),
        (SwallowsEverything, "too_large_is_refused"),
        (SwallowsEverything, "put_on"),
        (FloatsAboveTheFloor, "put_on_floor"),
        (ShowsTheFirstFrameLast, "frames_end_with_observation"),
        (OpensTwice, "open_and_close"),
        (PoursFromTheEmpty, "fill_and_pour"),
        (SlidesUnseen, "slope_is_watched"),
        (KeepsTheCloth, "cloth_is_removed"),
        (WaitingMoves, "waiting"),
    ],
)
def test_a_broken_hand_is_caught(backend: Any, caught_by: str) -> None:
    (result,) = check_backend(backend(), only=[caught_by]).results
    assert result.outcome == "fail"
    assert result.detail
