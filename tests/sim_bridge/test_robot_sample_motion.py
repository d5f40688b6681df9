"""Robot sample: hands really take, lift, pour and open; everything follows from the seed."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sim_bridge.backends.mujoco  # noqa: F401 - sets the renderer's environment before MuJoCo is imported

mujoco = pytest.importorskip("mujoco")

from sim_bridge.backends.mujoco.tabletop.director import Script  # noqa: E402
from sim_bridge.backends.mujoco.tabletop.motion import Knot, Way, min_jerk, orientation  # noqa: E402
from sim_bridge.backends.mujoco.tabletop.show import Staged, stage  # noqa: E402
from sim_bridge.samples import truth  # noqa: E402
from sim_bridge.samples.plan import plans  # noqa: E402

FPS = 5


@pytest.fixture(scope="module")
def place() -> Staged:
    return stage("dual", "place", 1, (3, 1), FPS)


def index(staged: Staged, name: str) -> int:
    return [n.name for n in staged.built.named].index(name)


def held(script: Script) -> list[tuple[str, float, float, str]]:
    return [(hand, *hold) for hand, way in script.ways.items() for hold in way.holds]


def check_held(staged: Staged) -> None:
    """From grasp to release the thing keeps its place between the fingers, which are closed on it, and it leaves the table."""
    for hand, start, end, name in held(staged.script):
        k = index(staged, name)
        frames = [f for f in range(staged.track.frames) if start + 0.02 < f / FPS < min(end, 1e9) - 0.02]
        gaps = staged.track.things[frames, k, :3] - staged.track.hands[hand][frames, :3]
        assert np.ptp(np.linalg.norm(gaps, axis=1)) < 1e-4
        assert np.ptp(staged.track.openings[hand][frames]) < 1e-6
        if name != "drawer":
            assert np.ptp(staged.track.things[frames, k, 2]) > 0.05


def test_what_is_placed_is_carried_and_comes_to_rest_on_its_target(place: Staged) -> None:
    check_held(place)
    into, thing = place.track.things[-1, 0], place.track.things[-1, 1]
    assert np.linalg.norm(into[:2] - thing[:2]) < 0.05
    assert thing[2] > into[2]
    assert np.linalg.norm(place.track.things[-1, 1, :3] - place.track.things[-2, 1, :3]) < 0.002
    assert np.linalg.norm(place.track.things[0, 1, :2] - thing[:2]) > 0.05


def test_what_nobody_takes_stays(place: Staged) -> None:
    for k in range(2, len(place.built.named)):
        assert np.linalg.norm(np.ptp(place.track.things[:, k, :3], axis=0)) < 0.01


def test_two_hands_lift_two_things() -> None:
    staged = stage("dual", "pick", 0, (3, 2), FPS)
    check_held(staged)
    assert {hand for hand, *_ in held(staged.script)} == {"left", "right"}
    for k in (0, 1):
        assert staged.track.things[-1, k, 2] > staged.track.things[0, k, 2] + 0.12


def test_grains_fall_from_the_tilted_mug_into_the_bowl() -> None:
    staged = stage("single", "pour", 2, (3, 3), FPS)
    model, track = staged.built.model, staged.track
    grains = [k for k in range(model.nbody) if model.body(k).name.startswith("grain")]
    places = np.stack([track.qpos[:, model.jnt_qposadr[model.body_jntadr[g]] :][:, :3] for g in grains], 1)
    mug, bowl = track.things[:, 0, :3], track.things[:, 1, :3]
    assert len(grains) > 20
    assert (np.linalg.norm(places[0] - mug[0], axis=1) < 0.06).all()
    landed = np.linalg.norm(places[-1, :, :2] - bowl[-1, :2], axis=1) < 0.09
    assert landed.mean() > 0.9
    pour = next(e for e in staged.script.events if e.what == "pour")
    _, x, y, _ = track.things[truth.frame_of(pour.time_s, FPS, track.frames), 0, 3:]
    assert 1 - 2 * (x * x + y * y) < 0, "the mug is tilted by more than 90 degrees when it is poured out"
    assert np.linalg.norm(mug[-1, :2] - mug[0, :2]) < 0.01


def test_the_drawer_follows_the_hand_and_carries_what_is_in_it() -> None:
    staged = stage("single", "open", 3, (3, 4), FPS)
    drawer, inside = index(staged, "drawer"), len(staged.built.things) - 1
    moved = staged.track.things[-1, drawer, :3] - staged.track.things[0, drawer, :3]
    assert 0.11 < np.linalg.norm(moved) < 0.13
    carried = staged.track.things[-1, inside, :3] - staged.track.things[0, inside, :3]
    assert np.linalg.norm(carried - moved) < 0.03
    assert np.ptp(staged.track.things[:, index(staged, staged.built.named[drawer - 1].name), :3], axis=0).max() < 1e-6


def test_moments_ten_frames_apart_differ(place: Staged) -> None:
    different = 0
    for frame in range(place.track.frames - 10):
        moved = max(float(np.linalg.norm(h[frame + 10, :3] - h[frame, :3])) for h in place.track.hands.values())
        turned = max(float(np.abs(o[frame + 10] - o[frame])) for o in place.track.openings.values())
        different += moved > 0.04 or turned > 0.015
    assert different > 0.9 * (place.track.frames - 10)


def test_the_same_seed_gives_the_same_truth_and_another_seed_another(place: Staged) -> None:
    first = json.dumps(truth.document(place))
    assert json.dumps(truth.document(stage("dual", "place", 1, (3, 1), FPS))) == first
    assert json.dumps(truth.document(stage("dual", "place", 1, (4, 1), FPS))) != first


def test_the_truth_names_what_happens_when_it_happens(place: Staged) -> None:
    found = truth.document(place)
    assert [e["what"] for e in found["events"]] == ["grasp", "release"]
    assert {o["name"] for o in found["objects"]} == {n.name for n in place.built.named}
    grasp = found["events"][0]
    assert place.track.openings[grasp["gripper"]][grasp["frame"]] < place.track.openings[grasp["gripper"]][grasp["frame"] - 4]
    assert all(len(o["poses"]) == found["frames"] for o in found["objects"])
    assert all(abs(np.linalg.norm(p[3:]) - 1) < 1e-4 for o in found["objects"] for p in o["poses"])


def test_hands_move_without_jerks(place: Staged) -> None:
    assert [min_jerk(s) for s in (-1, 0, 0.5, 1, 2)] == [0, 0, 0.5, 1, 1]
    way = Way([Knot(0, np.zeros(3), orientation(90), 0.05)])
    way.go(1.0, np.array([0.3, 0, 0]))
    steps = np.array([way.at(t)[0][0] for t in np.linspace(0, way.end_s, 101)])
    assert np.abs(np.diff(steps, 2)).max() < 0.3 * 6 / 100**2 * 1.1
    assert np.diff(steps).max() < 0.3 * 1.9 / 100
    assert place.track.worst_reach_m < 0.002


def test_a_longer_sample_begins_with_the_shorter_one() -> None:
    assert plans("dual", 8, 5)[:3] == plans("dual", 3, 5)
    assert plans("dual", 3, 5) != plans("dual", 3, 6)
    assert {p.skill for p in plans("single", 12, 0)} == {"place", "pick", "pour", "open"}
