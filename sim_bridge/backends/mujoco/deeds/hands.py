"""What hands do: pick up, put inside or on, put on the floor, put back, wait.

Placement is kinematic (a free place is searched in a fixed order), then physics settles what is a free body.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import mujoco
import numpy as np

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds.falls import come_to_rest
from sim_bridge.backends.mujoco.deeds.stage import REACH_M, Failed, Stage, bodies_of, box_of, shape_of
from sim_bridge.backends.mujoco.engine import containment, geometry
from sim_bridge.backends.mujoco.engine.building import Placed, rotation
from sim_bridge.backends.mujoco.engine.outlines import outline
from sim_bridge.backends.mujoco.engine.session import (
    Carried,
    first_place,
    keep_first_place,
    pose_of,
    put_pose,
    quaternion_product,
    relative,
    settle_pose,
    show,
)
from sim_bridge.backends.mujoco.meshes.shapes import Array, Cavity
from sim_bridge.kinematics import heading
from sim_bridge.rotations import about_z
from sim_bridge.spec import Pose, Quat

SETTLE_S = 0.6
"""Physics after a thing has been put down: the published runner's settling is 30 to 60 steps of 1/60 s."""
GAP_M = 0.0015
"""Height from which a free body is released."""
CLEAR_M = 0.004
"""A free place keeps this distance to other things."""
GRID_M = 0.02
"""Step of the search for a free place, from the middle outwards."""
FLAT_M = 0.008
"""A place is flat if the heights under the thing differ by no more."""
OFF_CENTRE_M = np.array([0.0035, 0.002])
"""A thing put on something round is released this far beside its middle: exactly centred, a book would balance on a ball."""
OUTLINE_STEPS, OUTLINE_TURNS = 80, 24
"""Points outwards and around that are looked at under an outline: a rim that is 2 % of it wide is met."""
FLOOR_AHEAD_M = (0.75, 0.9, 0.6, 1.05, 0.45, 1.2, 1.35)
FLOOR_ASIDE_M = (0.3, -0.3, 0.45, -0.45, 0.15, -0.15, 0.6, -0.6, 0.0)
"""Places on the floor, from where one stands: ahead, and to the right of the view's middle; the first are the best."""
MOST_HIDDEN = 0.3
"""A thing on the floor counts as seen where others hide no more than this share of it."""
WAIT_S = 0.5


def pick_up(stage: Stage, action: Action) -> None:
    """Take an object, with what is in it."""
    (handle,) = action.objects
    stage.object(handle)
    stage.need_free_hand()
    p = stage.need_in_reach(handle)
    s = stage.s
    if not p.physical.graspable:
        raise Failed(f"{handle} is too big or too heavy to pick up")
    for container in s.world.objects:
        if not s.absent(container.handle) and containment.holds(s, container, p) and containment.closed(s, container):
            raise Failed(f"{handle} is in {container.handle}, which is closed")
    things = [p, *containment.contents(s, p)]
    befores = [pose_of(s, thing) for thing in things]
    centre = np.array(befores[0].position_m)
    for thing, before in zip(things, befores, strict=True):
        keep_first_place(s, thing.handle, before)
    s.hand = tuple(relative(s, thing, centre) for thing in things)
    _carry(stage, things, befores)


def put(stage: Stage, action: Action) -> None:
    """Put what is in the hand inside or on something."""
    handle, target = action.objects
    p = stage.need_in_hand(handle)
    if handle == target or stage.s.carried(target):
        raise Failed(f"{handle} cannot be put there, because {target} is in the hand too")
    t = stage.need_in_reach(target)
    if "inside" in action.args:
        _put_inside(stage, p, t)
    else:
        _put_on(stage, p, t)


def put_on_floor(stage: Stage, action: Action) -> None:
    """Put what is in the hand on the floor ahead: where it hides the least of what is in view, and there near and beside the middle."""
    (handle,) = action.objects
    p = stage.need_in_hand(handle)
    s = stage.s
    turn = _held_attitude(s.hand[0], stage)
    points = p.vertices @ rotation(turn).T
    for place in _floor_places(stage, p, points):
        pose = Pose(place, turn)
        if _in_room(stage, points + np.array(place)) and _free(stage, p, pose):
            _release(stage, p, pose)
            return
    raise Failed("there is no free floor within reach here")


def put_back(stage: Stage, action: Action) -> None:
    """Put what is in the hand where it stood before it was first picked up."""
    (handle,) = action.objects
    p = stage.need_in_hand(handle)
    home = first_place(stage.s, handle) or stage.s.hand[0].home
    if not _free(stage, p, home, clear_m=-0.004):
        raise Failed(f"something else is where {handle} was")
    _release(stage, p, home)


def wait(stage: Stage, action: Action) -> None:
    """Let time pass: half a second, with pictures on the way where something moves."""
    s = stage.s
    s.steps += 1
    busy = [e for e in s.world.entities if e.busy(s)]
    moving = bool(busy) or (s.world.dynamic and bool(np.abs(s.data.qvel).max(initial=0.0) > 0.02))
    frames = 4 if moving else 1
    for k in range(1, frames + 1):
        for e in s.world.entities:
            glide = getattr(e, "glide", None)
            if k < frames and glide is not None:
                glide(s, k / frames)
            elif k == frames:
                e.advance(s)
        stage.run(WAIT_S / frames)
        if k < frames:
            stage.take_picture()


DEEDS = {"pick_up": pick_up, "put": put, "put_on_floor": put_on_floor, "put_back": put_back, "wait": wait}


# --- inside -----------------------------------------------------------------------------------------------------------


def _put_inside(stage: Stage, p: Placed, container: Placed) -> None:
    s = stage.s
    cavity = containment.cavity_of(container)
    if cavity is None:
        raise Failed(f"{container.handle} has no inside that anything could be put into")
    if containment.closed(s, container):
        raise Failed(f"{container.handle} is closed")
    opening = s.data.xmat[container.body].reshape(3, 3) @ cavity.matrix @ np.asarray(cavity.opening)
    sideways = abs(cavity.opening[2]) < 0.5
    if not sideways and opening[2] / np.linalg.norm(opening) < 0.8:
        raise Failed(f"the opening of {container.handle} does not point up")
    taken = False
    # Around a bowl that stands in a box, the box may be as near as the bowl's own wall is thin.
    around = tuple(q.handle for q in s.world.objects if not s.absent(q.handle) and containment.holds(s, q, container))
    for turn in _attitudes(stage, p, container):
        points = p.vertices @ rotation(turn).T
        points = points[np.unique(np.round(points, 4), axis=0, return_index=True)[1]]
        for position in _places(stage, container, cavity, points):
            pose = Pose(position, turn)
            taken = True
            if _free(stage, p, pose, ignore=(container.handle,), around=around):
                _release(stage, p, _lowered(stage, p, pose, cavity, container, around))
                if not containment.holds(s, container, p):
                    raise Failed(f"{p.handle} does not stay in {container.handle}")
                return
    if taken:
        raise Failed(f"there is no room left in {container.handle} for {p.handle}")
    raise Failed(f"{p.handle} does not fit into {container.handle}")


def _attitudes(stage: Stage, p: Placed, container: Placed) -> list[Quat]:
    """Upright attitudes of `p`, turned with the container's sides, and as it is held."""
    held = _held_attitude(stage.s.hand[0], stage)
    matrix = rotation(held)
    own_yaw = math.atan2(matrix[1, 0], matrix[0, 0])
    frame = stage.s.data.xmat[container.body].reshape(3, 3)
    yaw = math.atan2(frame[1, 0], frame[0, 0])
    return [_turned(held, yaw - own_yaw + k * math.pi / 2) for k in range(4)] + [_turned(held, yaw - own_yaw + math.pi / 4), held]


def _places(stage: Stage, container: Placed, cavity: Cavity, points: Array) -> Iterable[tuple[float, float, float]]:
    """World positions at which `points` (about the object's centre) lie in the cavity, the lowest and most central first."""
    s = stage.s
    bottom, rim = containment.bottom_and_rim(cavity)
    middle = containment.to_world(s, container, cavity, np.array([[0.0, 0.0, (bottom + rim) / 2]]))[0]
    floor = float(containment.to_world(s, container, cavity, np.array([[0.0, 0.0, bottom]]))[0, 2])
    top = float(containment.to_world(s, container, cavity, np.array([[0.0, 0.0, rim]]))[0, 2])
    low, height = float(points[:, 2].min()), float(np.ptp(points[:, 2]))
    reach = float(np.linalg.norm(np.abs(container.size_m[:2]))) / 2
    shelves = [np.array([[0.0, 0.0, upper]]) for _, upper in cavity.shelves]
    floors = sorted([floor, *(float(containment.to_world(s, container, cavity, q)[0, 2]) for q in shelves)])
    ends = [*floors[1:], top]
    ranges = [np.arange(f - low + GAP_M, e - low - 0.5 * height, max(GRID_M, height / 4)) for f, e in zip(floors, ends, strict=True)]
    # The attitude stays, so in the cavity's frame a place is a shift; of a box-shaped cavity each side is tested by itself.
    origin, *units = containment.to_local(s, container, cavity, np.concatenate([np.zeros((1, 3)), np.eye(3)]))
    shift, shape = np.array(units) - origin, containment.to_local(s, container, cavity, points)
    if not cavity.round:
        shape = np.stack([shape.min(0), shape.max(0)])
    for z in np.concatenate(ranges):
        for x, y in _spiral(reach):
            position = np.array([middle[0] + x, middle[1] + y, z])
            if containment.contained(cavity, shape + position @ shift):
                yield float(position[0]), float(position[1]), float(position[2])


def _lowered(stage: Stage, p: Placed, pose: Pose, cavity: Cavity, container: Placed, around: tuple[str, ...]) -> Pose:
    """A free place in a container, as low as it stays free: places are searched in coarse steps, and a fall from one step throws
    lids open."""
    points, (x, y, high) = p.vertices @ rotation(pose.quaternion_xyzw).T, pose.position_m
    low = high - max(GRID_M, float(np.ptp(points[:, 2])) / 4)
    for _ in range(5):
        middle = (low + high) / 2
        lower = Pose((x, y, middle), pose.quaternion_xyzw)
        within = containment.contained(cavity, containment.to_local(stage.s, container, cavity, points + np.array([x, y, middle - GAP_M])))
        if within and _free(stage, p, lower, ignore=(container.handle,), around=around):
            high = middle
        else:
            low = middle
    return Pose((x, y, high), pose.quaternion_xyzw)


def _spiral(reach: float) -> list[tuple[float, float]]:
    """Grid points within `reach`, from the middle outwards."""
    n = int(reach / GRID_M)
    grid = [(i * GRID_M, j * GRID_M) for i in range(-n, n + 1) for j in range(-n, n + 1)]
    return sorted((q for q in grid if math.hypot(*q) <= reach), key=lambda q: (round(math.hypot(*q), 6), q))


# --- on ---------------------------------------------------------------------------------------------------------------


def _put_on(stage: Stage, p: Placed, target: Placed) -> None:
    s = stage.s
    turn = _held_attitude(s.hand[0], stage)
    points = p.vertices @ rotation(turn).T
    low, half = float(points[:, 2].min()), np.ptp(points[:, :2], axis=0) / 2
    surface = shape_of(s, target)
    box_low, box_high = box_of(s, target)
    middle = (box_low + box_high) / 2
    foot = np.array([(x, y) for x in (-0.7, 0.0, 0.7) for y in (-0.7, 0.0, 0.7)]) * half
    highest = None
    for x, y in _spiral(float(np.linalg.norm(box_high[:2] - box_low[:2])) / 2):
        under = foot + middle[:2] + (x, y)
        heights = geometry.heights(surface, target.faces, under)
        found = heights[np.isfinite(heights)]
        if (x, y) == (0.0, 0.0) and len(found):
            highest = float(found.max())
        if len(found) < len(heights) or np.ptp(heights) > FLAT_M:
            continue
        pose = Pose((float(middle[0] + x), float(middle[1] + y), float(heights.max()) - low + GAP_M), turn)
        if _free(stage, p, pose, ignore=(target.handle,)):
            _release(stage, p, pose)
            come_to_rest(stage, p, target, pose)
            return
    x, y = middle[:2] + OFF_CENTRE_M
    if target.params.get("bears_at_rim", False):
        highest = _under_outline(surface, target, np.array([x, y]), half)
    centre = Pose((float(x), float(y), (highest if highest is not None else float(box_high[2])) - low + GAP_M), turn)
    if p.dynamic and _free(stage, p, centre, ignore=(target.handle,)):
        _release(stage, p, centre)  # whether it stays there is what the person wants to see
        come_to_rest(stage, p, target, centre)
        return
    filled = "".join(f" while {c.handle} is inside it" for c in containment.contents(s, target)[:1])
    raise Failed(f"there is no free flat place on {target.handle} for {p.handle}{filled}")


def _under_outline(surface: Array, target: Placed, at: Array, half: Array) -> float | None:
    """Height of the highest point of `target` under an ellipse with these half axes; None: there is none."""
    far, turn = np.meshgrid((np.arange(OUTLINE_STEPS) + 0.5) / OUTLINE_STEPS, np.linspace(0, 2 * math.pi, OUTLINE_TURNS, endpoint=False))
    under = at + half * np.stack([far * np.cos(turn), far * np.sin(turn)], -1).reshape(-1, 2)
    heights = geometry.heights(surface, target.faces, under)
    found = heights[np.isfinite(heights)]
    return float(found.max()) if len(found) else None


# --- on the floor -----------------------------------------------------------------------------------------------------


def _floor_places(stage: Stage, p: Placed, points: Array) -> list[tuple[float, float, float]]:
    """Where the middle of `p` may come to the floor, best first, free or not.

    From poses alone, not from pixels: it is the same with every renderer. What counts first is the share that the thing would hide of
    what it hides most of, then whether it is itself seen whole and stays in reach.
    """
    s = stage.s
    ahead, eye = np.array(heading(s.camera)), np.array(s.camera.position_m)
    aside = np.array([ahead[1], -ahead[0]])
    z = s.world.scene.room.floor_z_m - float(points[:, 2].min()) + (GAP_M if p.dynamic else 0.0)
    others = [o for o in s.world.objects if not s.carried(o.handle) and not s.absent(o.handle)]
    seen = [shown for o in others if (shown := outline(s, shape_of(s, o))) is not None]
    ranked = []
    for order, (distance, shift) in enumerate(itertools.product(FLOOR_AHEAD_M, FLOOR_ASIDE_M)):
        x, y = eye[:2] + ahead * distance + aside * shift
        place = (float(x), float(y), z)
        shown = outline(s, points + np.array(place))
        hides = max((shown.hides(o) for o in seen), default=0.0) if shown else 0.0
        hidden = max((o.hides(shown) for o in seen), default=0.0) if shown else 1.0
        whole = shown is not None and shown.whole
        far = float(np.linalg.norm(np.array(place) - eye)) > REACH_M
        ranked.append((math.ceil(10 * round(hides, 3)), not whole or hidden > MOST_HIDDEN, far, order, place))
    return [place for *_, place in sorted(ranked)]


# --- common -----------------------------------------------------------------------------------------------------------


def _held_attitude(c: Carried, stage: Stage) -> Quat:
    return pose_of(stage.s, stage.object(c.handle)).quaternion_xyzw


def _turned(q: Quat, angle: float) -> Quat:
    """`q` turned about the world's vertical."""
    return quaternion_product(about_z(angle), q)


def _in_room(stage: Stage, points: Array) -> bool:
    x0, y0, x1, y1 = stage.s.world.scene.room.bounds_m
    low, high = points.min(0), points.max(0)
    return bool(low[0] > x0 and low[1] > y0 and high[0] < x1 and high[1] < y1)


def _free(
    stage: Stage, p: Placed, pose: Pose, *, ignore: tuple[str, ...] = (), around: tuple[str, ...] = (), clear_m: float = CLEAR_M
) -> bool:
    """Whether `p` at `pose` keeps clear of every other thing and of the furniture. Moves `p` for the test and brings it back.

    Those `around` it may be near, but not touch. There is no way into what is closed, though there may be room.
    """
    s = stage.s
    points = p.vertices @ rotation(pose.quaternion_xyzw).T + np.array(pose.position_m)
    low, high = points.min(0) - clear_m, points.max(0) + clear_m
    for piece in s.world.furniture:
        size = np.abs(piece.rotation) @ piece.half
        if (low < piece.centre + size).all() and (high > piece.centre - size).all():
            return False
    others = [o for o in s.world.objects if o is not p and not s.carried(o.handle) and not s.absent(o.handle) and o.handle not in ignore]
    near = []
    for o in others:
        o_low, o_high = box_of(s, o)
        if (low < o_high).all() and (high > o_low).all():
            near.append(o)
    if not near:
        return True
    before = pose_of(s, p)
    put_pose(s, p, pose)
    settle_pose(s)
    free = all(_distance(stage, p, o) > (0.0 if o.handle in around else clear_m) for o in near)
    free = free and not any(containment.closed(s, o) and containment.holds(s, o, p) for o in near)
    put_pose(s, p, before)
    settle_pose(s)
    return free


def _distance(stage: Stage, a: Placed, b: Placed) -> float:
    """Distance of the contact shapes where there are any, of the visible parts' hulls otherwise; metres, at most 0.05."""
    m, d = stage.s.world.model, stage.s.data
    best = 0.05
    for i in _shapes(m, a.body):
        for j in (g for body in bodies_of(m, b) for g in _shapes(m, body)):
            best = min(best, mujoco.mj_geomDistance(m, d, i, j, 0.05, None))
    return best


def _shapes(m: mujoco.MjModel, body: int) -> list[int]:
    own = range(int(m.body_geomadr[body]), int(m.body_geomadr[body]) + int(m.body_geomnum[body]))
    colliders = [g for g in own if m.geom_contype[g]]
    return colliders or [g for g in own if m.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]


def _release(stage: Stage, p: Placed, pose: Pose) -> None:
    """Let go of what is held at `pose`, with what is in it, and let physics settle it."""
    s = stage.s
    held = [(s.world.object(c.handle), c) for c in s.hand]
    befores = [pose_of(s, thing) for thing, _ in held]
    own, origin = rotation(pose.quaternion_xyzw) @ rotation(befores[0].quaternion_xyzw).T, np.array(befores[0].position_m)
    afters = []
    for (thing, _), before in zip(held, befores, strict=True):
        if thing is p:
            afters.append(pose)
            continue
        position = np.array(pose.position_m) + own @ (np.array(before.position_m) - origin)
        yaw = math.atan2(own[1, 0], own[0, 0])
        afters.append(Pose((float(position[0]), float(position[1]), float(position[2])), _turned(before.quaternion_xyzw, yaw)))
    s.hand = ()
    for (thing, _), after in zip(held, afters, strict=True):
        put_pose(s, thing, after)
    show(s)
    for (thing, _), before, after in zip(held, befores, afters, strict=True):
        for entity in thing.entities:
            entity.moved(s, before, after)
    if any(thing.dynamic for thing, _ in held):
        stage.run(SETTLE_S, frames=4)


def _carry(stage: Stage, things: list[Placed], befores: list[Pose]) -> None:
    """Bring everything to the hand, with what belongs to it."""
    show(stage.s)
    for thing, before in zip(things, befores, strict=True):
        for entity in thing.entities:
            entity.moved(stage.s, before, pose_of(stage.s, thing))
