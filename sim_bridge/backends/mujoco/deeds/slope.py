"""Putting something on the slope and watching what it does."""

from __future__ import annotations

import mujoco
import numpy as np

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds.stage import Failed, Stage
from sim_bridge.backends.mujoco.engine import containment
from sim_bridge.backends.mujoco.engine.building import Placed, rotation
from sim_bridge.backends.mujoco.engine.session import put_pose, settle_pose, show
from sim_bridge.backends.mujoco.entities.ramp import Ramp, Slope
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.spec import Pose, Quat

WATCH_S = 30 / 60
"""The published trial: 30 action steps of 1/60 s."""
PICTURES = 6
SLID_M = 0.03
"""Farther than this in XY: it slid."""
FELL_M = 0.05
"""Lower than this below the ramp's bottom: it fell."""
MARGIN_M = 0.03
"""From the slope's upper edge to the thing."""
GAP_M = 0.0005
"""Height from which it is released."""


def place_on_slope(stage: Stage, action: Action) -> None:
    """Put an object, in the hand or in reach, near the top of the ramp, aligned with its slope, and let go."""
    (handle,) = action.objects
    p = stage.object(handle)
    s = stage.s
    ramps = [e for q in s.world.objects if not s.absent(q.handle) for e in q.entities if isinstance(e, Ramp)]
    if not ramps:
        raise Failed("there is no slope here")
    if any(e.placed is p for e in ramps):
        raise Failed(f"{handle} is the slope itself")
    eye = np.array(s.camera.position_m)
    ramp = min(ramps, key=lambda e: float(np.linalg.norm(e.slope(s).centre - eye)))
    if s.held != handle:
        stage.need_free_hand()
    stage.need_in_reach(handle)
    if not p.physical.graspable:
        raise Failed(f"{handle} is too big or too heavy to pick up")
    if not p.dynamic:
        raise Failed(f"{handle} stays where it is put, so it cannot be let go on the slope")
    stage.need_in_reach(ramp.handle)
    bottom = float(stage.box(ramp.handle)[0][2])
    slope = ramp.slope(s)
    _set(stage, p, *_target(stage, p, slope))
    blocked = _in_the_way(stage, p, ramp)
    if blocked:
        raise Failed(f"{blocked} is in the way on {ramp.handle}")
    start = np.array(s.data.xpos[p.body])
    stage.take_picture()
    stage.run(WATCH_S, frames=PICTURES)
    moved = float(np.linalg.norm(np.array(s.data.xpos[p.body])[:2] - start[:2]))
    fell = float(stage.box(handle)[0][2]) < bottom - FELL_M
    s.extra(ramp.handle)["trial"] = {"object": handle, "slid": moved > SLID_M, "fell": fell, "slide_m": moved}


def _target(stage: Stage, p: Placed, slope: Slope) -> tuple[Array, Array]:
    """Position and rotation: its lower side on the surface, its uphill side `MARGIN_M` from the upper edge, in the middle across."""
    upright = stage.s.data.xmat[p.body].reshape(3, 3)
    turn = _tilt(slope.normal) @ upright
    points = p.vertices @ turn.T
    along, across, up = points @ slope.down, points @ slope.across, points @ slope.normal
    start = -slope.length / 2 + MARGIN_M - float(along.min())
    # A thing longer than the slope lies in its middle.
    start = min(start, max(slope.length / 2 - float(along.max()), 0.0))
    sideways = -float(across.min() + across.max()) / 2
    return slope.centre + slope.down * start + slope.across * sideways + slope.normal * (GAP_M - float(up.min())), turn


def _tilt(normal: Array) -> Array:
    """The smallest rotation that takes the vertical to `normal`."""
    x, y, z = (float(v) for v in normal)
    k = 1.0 / (1.0 + z)
    return np.array([[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, z]])


def _set(stage: Stage, p: Placed, position: Array, turn: Array) -> None:
    """Set `p` there, at rest, with what is inside it; the hand is free afterwards."""
    s = stage.s
    held = [s.world.object(c.handle) for c in s.hand] if s.held == p.handle else [p, *containment.contents(s, p)]
    centre, own = np.array(s.data.xpos[p.body]), s.data.xmat[p.body].reshape(3, 3).copy()
    change = turn @ own.T
    befores = [stage.pose(q.handle) for q in held]
    s.hand = ()
    afters = []
    for q, before in zip(held, befores, strict=True):
        at = position + change @ (np.array(before.position_m) - centre)
        afters.append(Pose((float(at[0]), float(at[1]), float(at[2])), _quaternion(change @ rotation(before.quaternion_xyzw))))
        put_pose(s, q, afters[-1])
    show(s)
    for q, before, after in zip(held, befores, afters, strict=True):
        for entity in q.entities:
            entity.moved(s, before, after)


def _quaternion(turn: Array) -> Quat:
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(turn).ravel())
    return float(q[1]), float(q[2]), float(q[3]), float(q[0])


def _in_the_way(stage: Stage, p: Placed, ramp: Ramp) -> str:
    """Handle of a thing that `p` runs into where it is now; empty if none."""
    s = stage.s
    settle_pose(s)
    low, high = stage.box(p.handle)
    mine = _shapes(s.world.model, p.body)
    for q in s.world.objects:
        if q is p or q is ramp.placed or s.absent(q.handle) or s.carried(q.handle) or containment.holds(s, p, q):
            continue
        q_low, q_high = stage.box(q.handle)
        if (low > q_high).any() or (high < q_low).any():
            continue
        if any(mujoco.mj_geomDistance(s.world.model, s.data, i, j, 0.01, None) < 0.0 for i in mine for j in _shapes(s.world.model, q.body)):
            return q.handle
    return ""


def _shapes(m: mujoco.MjModel, body: int) -> list[int]:
    first, count = int(m.body_geomadr[body]), int(m.body_geomnum[body])
    return [g for g in range(first, first + count) if m.geom_contype[g]]


DEEDS = {"place_on_slope": place_on_slope}
