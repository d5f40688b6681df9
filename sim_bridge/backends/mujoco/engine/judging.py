"""What judges are told of a session: every object's state, relations and contacts, whether the camera is clipped, and an audit.

Relations follow the visible surfaces, triangle by triangle, because that is what people and models see: a contact shape may be a little
larger or smaller than what it stands for.

* ``inside``: the middle and most of the volume lie in the other's cavity, below its rim. Where a hollow model states no cavity: in its
  box, and surrounded by it or below some of it (not on the seat of an armchair). Nothing is inside an open vessel that is upside down.
* ``on``: it rests on the other: a face that looks down lies within `REST_M` (a quarter of its length, for something tiny) above a face
  of the other that looks up, not when inside.
* ``under``: the reverse of on; also what lies below the other without touching it (a ball under a table).
* ``touching``: the surfaces are nearer than `TOUCH_M`.

What is in the hand has no relations but those to what is in it: it takes no part in the physics.
"""

from __future__ import annotations

import copy
import functools
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.engine import containment, geometry
from sim_bridge.backends.mujoco.engine.building import GROUP_CLEAR, GROUP_OPAQUE, Furniture, Placed
from sim_bridge.backends.mujoco.engine.geometry import Surface
from sim_bridge.backends.mujoco.engine.session import TIMESTEP_S, Session, advance, own_shape, pose_of
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.houses import Plan, plan_of
from sim_bridge.kinematics import angle_between_deg
from sim_bridge.spec import Contact, House, ObjectState, Relation

TOUCH_M = 0.003
"""Two surfaces nearer than this touch. Things put side by side keep 4 mm (`deeds.hands.CLEAR_M`); contacts sink in by less than 1 mm."""
REST_M = 0.005
"""A thing rests on another if its lower side is within this distance above it."""
SINK_M = 0.003
"""Deeper than this in another's material: it interpenetrates."""
THIN_M, PROBE_M, REACH_M = 0.0012, 0.0004, 0.03
"""In a thinner wall: so deep at least (what rests sinks in by less than a millimetre), how far its sides are felt for, and within what
reach the other thing stands out on both of them."""
STEEP, FLAT = 0.3, 0.7
"""Vertical share of a face's normal from which it can carry at all, and from which it does wherever the contact is."""
MOVED_M, MOVED_DEG, EXTRA_S = 0.01, 5.0, 0.5
"""An object that moves or turns farther than this during this extra time of physics had not settled."""
SEEN_PIXELS = 12
"""Pixels of a view that show an object at all, as for hands (`deeds.stage.MIN_SEEN_PIXELS`)."""
BELOW_THE_WORLD_M = -100.0
"""What waits below this height is out of the scene (`building.PARKED_Z_M`)."""

Look = Callable[[Array, Array], NDArray[np.int64]]
"""Pixels per object seen from a position with a rotation (camera → world)."""


# --- states ---------------------------------------------------------------------------------------------------------------------------


def states(s: Session, pixels: NDArray[np.int64]) -> list[ObjectState]:
    """State of every object, in the scene's order.

    Args:
        pixels: pixels per object in the current view (`WorldRenderer.visible` with step 1).
    """
    found = []
    for i, p in enumerate(s.world.objects):
        low, high = box(s, p)
        present = not s.absent(p.handle)
        flags: dict[str, bool] = {"held": s.held == p.handle}
        levels: dict[str, float] = {}
        for entity in p.entities:
            flags |= entity.flags(s)
            levels |= entity.levels(s)
        found.append(
            ObjectState(
                handle=p.handle,
                category=p.category,
                pose=pose_of(s, p),
                aabb_min_m=_vec(low),
                aabb_max_m=_vec(high),
                visible_pixels=int(pixels[i]) if present else 0,
                present=present,
                flags=flags,
                levels=levels,
                room=_room_of(s, (low + high) / 2),
            )
        )
    return found


def box(s: Session, p: Placed) -> tuple[Array, Array]:
    """World box (low, high) of an object now, closed where it opens; metres."""
    corners = p.vertices @ s.data.xmat[p.body].reshape(3, 3).T + s.data.xpos[p.body]
    return corners.min(0), corners.max(0)


def _room_of(s: Session, point: Array) -> str | None:
    """Name of the room; in a house the one the point lies in, None between or outside of them."""
    scene = s.world.scene
    if scene.house is not None:
        return _plan(scene.house).room_at((float(point[0]), float(point[1])))
    return scene.source_room or scene.room.kind


@functools.lru_cache(maxsize=8)
def _plan(house: House) -> Plan:
    return plan_of(house)


# --- relations ------------------------------------------------------------------------------------------------------------------------


def relations(s: Session) -> list[Relation]:
    """inside, on, touching and under among the objects that are present; each once."""
    view = _View(s)
    found: dict[Relation, None] = {}
    for i, j in view.pairs(margin=REST_M):
        a, b = view.objects[i], view.objects[j]
        if view.inside(i, j) or view.inside(j, i):
            inner, outer = (a, b) if view.inside(i, j) else (b, a)
            found[Relation("inside", inner.handle, outer.handle)] = None
        else:
            near = view.near(i, j)
            # Where both seem to rest on each other (they cross a little), the upper one does.
            a_is_upper = float(sum(b[2] for b in view.boxes[i])) >= float(sum(b[2] for b in view.boxes[j]))
            for x, y, swapped in ((i, j, False), (j, i, True)) if a_is_upper else ((j, i, True), (i, j, False)):
                if (
                    _rests(near, *view.boxes[x], swapped=swapped)
                    and Relation("on", view.objects[y].handle, view.objects[x].handle) not in found
                ):
                    found[Relation("on", view.objects[x].handle, view.objects[y].handle)] = None
                    found[Relation("under", view.objects[y].handle, view.objects[x].handle)] = None
        if geometry.are_near(view.surface(i), view.surface(j), TOUCH_M):
            found[Relation("touching", a.handle, b.handle)] = None
    for i, j in view.over():
        a, b = view.objects[i], view.objects[j]
        if not view.inside(i, j) and not view.inside(j, i) and Relation("on", a.handle, b.handle) not in found:
            found[Relation("under", a.handle, b.handle)] = None
    return list(found)


def lies(s: Session, p: Placed, other: Placed) -> str:
    """How `p` lies in or on one other thing, as `relations` says it: ``inside``, ``on``, or empty for neither."""
    view = _View(s)
    i, j = (next(n for n, q in enumerate(view.objects) if q is one) for one in (p, other))
    if view.inside(i, j):
        return "inside"
    return "on" if _rests(view.near(i, j), *view.boxes[i], swapped=False) else ""


def contacts(s: Session) -> list[Contact]:
    """Where objects touch: one place for each touching pair, in the scene's order."""
    view = _View(s)
    found = []
    for i, j in view.pairs(margin=TOUCH_M):
        nearest = view.near(i, j).nearest()
        if nearest is not None and nearest[0] < TOUCH_M:
            found.append(Contact(view.objects[i].handle, view.objects[j].handle, _vec(nearest[1]), nearest[0]))
    return found


def holds(s: Session, container: Placed, p: Placed) -> bool:
    """Whether `p` is inside `container` (see the module)."""
    cavity = containment.cavity_of(container)
    if p is container or cavity is None:
        return False
    points = _volume(s.world.key, p) @ s.data.xmat[p.body].reshape(3, 3).T + s.data.xpos[p.body]
    if container.model.cavity is None:
        own = (points - s.data.xpos[container.body]) @ s.data.xmat[container.body].reshape(3, 3)
        half = container.size_m / 2
        smaller = float(np.prod(p.size_m)) < float(np.prod(container.size_m))
        in_box = smaller and _mostly((np.abs(own) <= half).all(1), bool((np.abs(own.mean(0)) <= half).all()))
        return in_box and _surrounded(container, own.mean(0))
    local = containment.to_local(s, container, cavity, np.concatenate([points, points.mean(0)[None]]))
    if cavity.round:
        z, r = np.array(cavity.profile, float).T
        within = (local[:, 2] >= z[0]) & (local[:, 2] <= z[-1]) & (np.hypot(local[:, 0], local[:, 1]) <= np.interp(local[:, 2], z, r))
    else:
        within = (np.abs(local) <= np.asarray(cavity.half)).all(1)
    if not cavity.door:
        way = s.data.xmat[container.body].reshape(3, 3) @ (cavity.matrix @ np.asarray(cavity.opening, float))
        if float(way[2]) < -0.5 * float(np.linalg.norm(way)):
            return False
    return _mostly(within[:-1], bool(within[-1]))


def _surrounded(container: Placed, point: Array) -> bool:
    """Whether some of the container is above a point of its frame, or all around it."""
    around = np.radians(np.arange(8) * 45.0 + 7.0)
    rays = np.array([(0.01, 0.02, 1.0), *np.stack([np.cos(around), np.sin(around), np.full(8, 0.013)], 1)])
    hits = geometry.meets(point, rays / np.linalg.norm(rays, axis=1, keepdims=True), Surface.of(container.vertices, container.faces))
    return bool(hits[0] or hits[1:].all())


def _mostly(within: NDArray[np.bool_], middle: bool) -> bool:
    return middle and float(within.mean()) > 0.5


_volumes: OrderedDict[tuple[str, str], Array] = OrderedDict()


def _volume(world: str, p: Placed) -> Array:
    """Points spread over the volume of an object, own frame; over its surface where that encloses nothing. Kept for a while."""
    key = (world, p.handle)
    if key not in _volumes:
        surface = Surface.of(p.vertices, p.faces)
        low, high = surface.box
        steps = (np.arange(6) + 0.5) / 6
        grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
        points = low + grid * (high - low)
        points = points[geometry.within(points, surface)]
        if len(points) < 16:
            points = _spread(surface, 200)
        _volumes[key] = points
        while len(_volumes) > 500:
            _volumes.popitem(last=False)
    _volumes.move_to_end(key)
    return _volumes[key]


def _spread(surface: Surface, count: int) -> Array:
    """Middles of triangles, as often as their area says."""
    t = surface.triangles
    areas = np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)
    at = np.searchsorted(np.cumsum(areas), (np.arange(count) + 0.5) / count * areas.sum())
    return np.asarray(t[np.minimum(at, len(t) - 1)].mean(1))


def _rests(near: geometry.Near, low: Array, high: Array, *, swapped: bool) -> bool:
    """Whether the first of a pair (with `swapped` the second), whose box is low–high, rests on the other."""
    if not len(near.distance):
        return False
    mine, theirs = (near.on_b, near.on_a) if swapped else (near.on_a, near.on_b)
    down, up = (near.normal_b, near.normal_a) if swapped else (near.normal_a, near.normal_b)
    carries = (down[:, 2] < -STEEP) & (up[:, 2] > STEEP) & (mine[:, 2] > theirs[:, 2] - SINK_M)
    # A book that leans over an edge touches it halfway up, with its side; a cloth lies on its table wherever that is.
    flat = (down[:, 2] < -FLAT) & (up[:, 2] > FLAT)
    foot = mine[:, 2] < low[2] + REST_M + 0.25 * (high[2] - low[2])
    return bool((carries & (flat | foot)).any())


class _View:
    """The objects that are present, their surfaces and which are near each other; made for one answer."""

    def __init__(self, s: Session) -> None:
        self.s = s
        self.objects = s.world.objects
        self.present = [i for i, p in enumerate(self.objects) if not s.absent(p.handle)]
        self._near: dict[tuple[int, int], geometry.Near] = {}
        self._inside: dict[tuple[int, int], bool] = {}
        self._surfaces: dict[int, Surface] = {}
        self.boxes = {i: self.surface(i).box for i in self.present}

    def surface(self, i: int) -> Surface:
        """Visible triangles of an object with its moving parts, world frame."""
        if i not in self._surfaces:
            self._surfaces[i] = _surface(self.s, i)
        return self._surfaces[i]

    def inside(self, i: int, j: int) -> bool:
        """Whether the i-th object is inside the j-th."""
        if (i, j) not in self._inside:
            (low, high), (low_j, high_j) = self.boxes[i], self.boxes[j]
            meet = bool(((low <= high_j) & (high >= low_j)).all())
            self._inside[i, j] = meet and holds(self.s, self.objects[j], self.objects[i])
        return self._inside[i, j]

    def near(self, i: int, j: int) -> geometry.Near:
        if (i, j) not in self._near:
            # A quarter of its length is no gap for a small thing.
            smaller = min(float((self.boxes[k][1] - self.boxes[k][0]).max()) for k in (i, j))
            self._near[i, j] = geometry.near_pairs(self.surface(i), self.surface(j), min(REST_M, smaller / 4))
        return self._near[i, j]

    def pairs(self, margin: float) -> Iterator[tuple[int, int]]:
        """Pairs i < j whose boxes are within `margin`, both in the hand or neither."""
        low, high = (np.array([self.boxes[i][k] for i in self.present]).reshape(-1, 3) for k in (0, 1))
        meet = ((low[:, None] <= high[None] + margin) & (high[:, None] >= low[None] - margin)).all(2)
        carried = [self.s.carried(p.handle) for p in self.objects]
        for x, y in zip(*np.nonzero(np.triu(meet, 1)), strict=True):
            i, j = self.present[int(x)], self.present[int(y)]
            if carried[i] == carried[j]:
                yield i, j

    def over(self) -> Iterator[tuple[int, int]]:
        """Pairs (i, j) of which j lies over i: over most of five points of its middle, at any height."""
        for i in self.present:
            low, high = self.boxes[i]
            centre, reach = (low + high) / 2, (high - low) / 4
            points = centre + reach * np.array([(0, 0, 0), (1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0)])
            for j in self.present:
                if i == j or self.s.carried(self.objects[i].handle) or self.s.carried(self.objects[j].handle):
                    continue
                other_low, other_high = self.boxes[j]
                if other_high[2] <= centre[2] or (other_low[:2] > centre[:2]).any() or (other_high[:2] < centre[:2]).any():
                    continue
                tops = geometry.heights(
                    *_flat(self.surface(j).near(np.append(low[:2], centre[2]), np.append(high[:2], np.inf))), points[:, :2]
                )
                if int((tops > centre[2]).sum()) >= 3:
                    yield i, j


def _flat(surface: Surface) -> tuple[Array, NDArray[np.int64]]:
    return surface.triangles.reshape(-1, 3), np.arange(3 * len(surface.low)).reshape(-1, 3)


def _surface(s: Session, index: int) -> Surface:
    m, d = s.world.model, s.data
    meshes = (m.geom_type == mujoco.mjtGeom.mjGEOM_MESH) & np.isin(m.geom_group, (GROUP_OPAQUE, GROUP_CLEAR))
    parts = []
    for g in np.flatnonzero(meshes & (s.world.geom_object == index)):
        if d.geom_xpos[g, 2] > BELOW_THE_WORLD_M:
            k = int(m.geom_dataid[g])
            first, count = int(m.mesh_vertadr[k]), int(m.mesh_vertnum[k])
            faces = m.mesh_face[int(m.mesh_faceadr[k]) : int(m.mesh_faceadr[k]) + int(m.mesh_facenum[k])]
            vertices = m.mesh_vert[first : first + count].astype(float) @ d.geom_xmat[g].reshape(3, 3).T + d.geom_xpos[g]
            parts.append(vertices[faces])
    if not parts:
        p = s.world.objects[index]
        return Surface.of(p.vertices @ s.data.xmat[p.body].reshape(3, 3).T + s.data.xpos[p.body], p.faces)
    triangles = np.concatenate(parts)
    return Surface(triangles, triangles.min(1), triangles.max(1))


# --- the camera -----------------------------------------------------------------------------------------------------------------------


def clipped(s: Session) -> bool:
    """Whether the camera is outside the room, within a hand's breadth of its walls' surface, or inside furniture or an object."""
    return clipped_at(s, np.array(s.camera.position_m, float))


def clipped_at(s: Session, eye: Array) -> bool:
    """`clipped` for any point of the world."""
    r = s.world.scene.room
    x0, y0, x1, y1 = r.bounds_m
    low, high = np.array([x0, y0, r.floor_z_m]), np.array([x1, y1, r.floor_z_m + r.height_m])
    margin = np.array([geometry.NEAR_M, geometry.NEAR_M, 0.0])
    if (eye < low + margin).any() or (eye > high - margin).any():
        return True
    for solid in s.world.furniture:
        if _within(eye, solid.centre, solid.rotation, solid.half):
            local = solid.rotation.T @ (eye - solid.centre)
            if (
                solid.always
                or geometry.enclosed(local, solid.vertices, solid.faces)
                or geometry.nearer_than(local, solid.vertices, solid.faces)
            ):
                return True
    for p in s.world.objects:
        turn, centre = s.data.xmat[p.body].reshape(3, 3), s.data.xpos[p.body]
        if not p.entities and not _within(eye, centre, turn, p.size_m / 2):
            continue
        vertices, local = own_shape(s, p), turn.T @ (eye - centre)
        if (local < vertices.min(0) - geometry.NEAR_M).any() or (local > vertices.max(0) + geometry.NEAR_M).any():
            continue
        # In what stands open only its walls are solid, though most directions meet one.
        if geometry.nearer_than(local, vertices, p.faces) or (not containment.opened(s, p) and geometry.enclosed(local, vertices, p.faces)):
            return True
    return False


def _within(point: Array, centre: Array, turn: Array, half: Array) -> bool:
    return bool((np.abs(turn.T @ (point - centre)) <= half + geometry.NEAR_M).all())


# --- the audit ------------------------------------------------------------------------------------------------------------------------


def audit(s: Session, look: Look) -> dict[str, dict[str, bool]]:
    """What may be wrong with a scene, by handle; takes about a second, changes nothing. Absent objects and the hand's are left out.

    * ``floating``: it can be moved (by physics or by a hand), and nothing within `REST_M` holds it: neither the floor, a wall, the
      ceiling or furniture, nor another object that is held itself. What interpenetrates does not float.
    * ``interpenetrating``: some of its surface is deeper than `SINK_M` in another object, furniture, a wall or the floor, or the reverse.
    * ``moved_after_settling``: physics moves it more than `MOVED_M` or turns it more than `MOVED_DEG` in another `EXTRA_S`.
    * ``out_of_room``: the middle of its box lies beyond the walls, the floor or the ceiling.
    * ``never_visible``: none of up to 34 views around it (8 directions at 10° and 45° above it, and one from above, from two distances;
      those inside something left out) shows `SEEN_PIXELS` of it. A mirror's picture does not count.
    """
    view = _View(s)
    whom = [i for i in view.present if not s.carried(view.objects[i].handle)]
    floating, sunk = _floating(view, whom), _interpenetrating(view, whom)
    restless, unseen = _restless(s), _unseen(view, whom, look)
    return {
        view.objects[i].handle: {
            "floating": i in floating - sunk,
            "interpenetrating": i in sunk,
            "moved_after_settling": i in restless,
            "out_of_room": _outside(s, (view.boxes[i][0] + view.boxes[i][1]) / 2),
            "never_visible": i in unseen,
        }
        for i in whom
    }


def _outside(s: Session, point: Array) -> bool:
    r = s.world.scene.room
    x0, y0, x1, y1 = r.bounds_m
    low, high = np.array([x0, y0, r.floor_z_m]), np.array([x1, y1, r.floor_z_m + r.height_m])
    return bool((point < low).any() or (point > high).any()) or (s.world.scene.house is not None and _room_of(s, point) is None)


def _floating(view: _View, whom: list[int]) -> set[int]:
    s = view.s
    r = s.world.scene.room
    x0, y0, x1, y1 = r.bounds_m
    low, high = np.array([x0, y0, r.floor_z_m]) + REST_M, np.array([x1, y1, r.floor_z_m + r.height_m]) - REST_M
    held = {i for i in whom if (view.boxes[i][0] < low).any() or (view.boxes[i][1] > high).any()}
    for i in whom:
        if i not in held and any(geometry.are_near(view.surface(i), t, REST_M) for t in _furniture(s, *view.boxes[i])):
            held.add(i)
    touching = [(i, j) for i, j in view.pairs(margin=REST_M) if geometry.are_near(view.surface(i), view.surface(j), REST_M)]
    while grown := {k for i, j in touching if (i in held) != (j in held) for k in (i, j)} - held:
        held |= grown
    return {i for i in whom if i not in held and (view.objects[i].dynamic or view.objects[i].physical.graspable)}


def _furniture(s: Session, low: Array, high: Array) -> Iterator[Surface]:
    """Pieces of furniture and walls whose boxes are within `REST_M` of a box."""
    for piece in s.world.furniture:
        reach = np.abs(piece.rotation) @ piece.half + REST_M
        if (low < piece.centre + reach).all() and (high > piece.centre - reach).all():
            yield _furniture_surface(piece)


def _furniture_surface(piece: Furniture) -> Surface:
    return Surface.of(piece.vertices @ piece.rotation.T + piece.centre, piece.faces)


def _interpenetrating(view: _View, whom: list[int]) -> set[int]:
    s = view.s
    r = s.world.scene.room
    x0, y0, x1, y1 = r.bounds_m
    low, high = np.array([x0, y0, r.floor_z_m]) - SINK_M, np.array([x1, y1, r.floor_z_m + r.height_m]) + SINK_M
    found = {i for i in whom if (view.boxes[i][0] < low).any() or (view.boxes[i][1] > high).any()}
    for i in whom:
        if i not in found and any(_cross(view.surface(i), t) for t in _furniture(s, *view.boxes[i])):
            found.add(i)
    for i, j in view.pairs(margin=-SINK_M):
        if not (i in found and j in found) and _cross(view.surface(i), view.surface(j)):
            found |= {i, j} & set(whom)
    return found


def _cross(a: Surface, b: Surface) -> bool:
    """Whether some of one's surface is deeper than `SINK_M` in the other's material, or half through a wall that is thinner than that."""
    low, high = np.maximum(a.box[0], b.box[0]), np.minimum(a.box[1], b.box[1])
    if (high - low < SINK_M).any():
        return False
    for one, other in ((a, b), (b, a)):
        points = geometry.samples(one, low, high, 120)
        points = points[geometry.within(points, other)] if len(points) else points
        if not len(points):
            continue
        depths = geometry.distances(points, other, SINK_M)
        if (depths >= SINK_M).any() or _half_through(points[depths >= THIN_M], one, other):
            return True
    return False


def _half_through(points: Array, one: Surface, s: Surface) -> bool:
    """Whether one of some points of a surface is past the middle of a wall, and the surface stands out on both sides of that wall."""
    points = points[:: max(1, len(points) // 24)]
    if not len(points):
        return False
    steps = np.concatenate([np.eye(3), -np.eye(3)]) * PROBE_M
    around = geometry.distances((points[:, None] + steps).reshape(-1, 3), s, 2 * SINK_M).reshape(-1, 6)
    deeper = around[:, :3] - around[:, 3:]
    deeper /= np.maximum(np.linalg.norm(deeper, axis=1, keepdims=True), 1e-9)
    depths = geometry.distances(points, s, 2 * SINK_M)[:, None]
    out = ~geometry.within(points + 1.25 * depths * deeper, s)
    for point, along in zip(points[out], deeper[out], strict=True):
        near = geometry.samples(one, point - REACH_M, point + REACH_M, 200)
        sides = (near - point) @ along
        if len(near) and sides.max() > 2 * SINK_M and sides.min() < -2 * SINK_M:
            return True
    return False


def _restless(s: Session) -> set[int]:
    """Objects that move when physics runs on for a while, on a copy."""
    if not s.world.dynamic:
        return set()
    before = [pose_of(s, p) for p in s.world.objects]
    trial = replace(s, data=copy.copy(s.data), extras=copy.deepcopy(s.extras))
    advance(trial, round(EXTRA_S / TIMESTEP_S))
    found = set()
    for i, (p, old) in enumerate(zip(s.world.objects, before, strict=True)):
        new = pose_of(trial, p)
        if math.dist(old.position_m, new.position_m) > MOVED_M or angle_between_deg(old.quaternion_xyzw, new.quaternion_xyzw) > MOVED_DEG:
            found.add(i)
    return found


def _unseen(view: _View, whom: list[int], look: Look) -> set[int]:
    unseen = set(whom)
    for i in whom:
        low, high = view.boxes[i]
        centre, radius = (low + high) / 2, float(np.linalg.norm(high - low)) / 2
        for eye in _around(centre, radius):
            if i not in unseen:
                break
            if not clipped_at(view.s, eye):
                unseen -= {int(k) for k in np.flatnonzero(look(eye, _towards(eye, centre)) >= SEEN_PIXELS)}
    return unseen


def _around(centre: Array, radius: float) -> Iterator[Array]:
    for distance in (max(0.6, 2.5 * radius), max(0.25, 1.4 * radius)):
        for elevation in (10.0, 45.0, 89.0):
            for azimuth in range(0, 360 if elevation < 80 else 45, 45):
                e, a = math.radians(elevation), math.radians(azimuth + 20)
                yield centre + distance * np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])


def _towards(eye: Array, target: Array) -> Array:
    """Rotation camera → world that looks at a point with the horizon level."""
    back = (eye - target) / np.linalg.norm(eye - target)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back], 1)


def _vec(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
