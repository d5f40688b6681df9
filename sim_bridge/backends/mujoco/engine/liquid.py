"""Water: how much a vessel holds, how it stands in a tilted vessel, and how it flows as particles.

Water is a fixed number of equal particles (`Pool`), each standing for `Pool.particle_ml`. Water at rest in a vessel is a number of
particles, shown as one smooth body up to its level; nothing is simulated. Water that flows is simulated as spheres in a small physics model
of its own (`Flow`) that holds the vessels, what stands around them and the particles taking part. The scene's own physics never carries
them: its solver, its steps per second and what slides in it are the same with water as without.

Frames: *local* is the cavity's (round profile over z), *own* is the object's (metres, origin at its box centre), then the world.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array, Cavity, Solid
from sim_bridge.backends.mujoco.models.turned import circle, wall_solids

STEP_S = 0.004
"""One physics step of flowing water."""
POOL = 300
"""Particles of a scene."""
GRAVITY_M_S2 = 4.0
"""Gravity for particles: at 9.81 soft spheres at the foot of a 13 cm column are squeezed together by a fifth, at 4 by less than 5 %."""
SHARE_SOLID = 0.585
"""Share of the space that settled frictionless spheres fill in vessels of 5 to 12 particles across (measured by filling 22 vessels)."""
WATER_KG_M3 = 1000.0
RINGS, SEGMENTS = 9, 20
"""Mesh of a body of water: horizontal rings from its bottom to its surface."""
BODY_POINTS = RINGS * SEGMENTS + 2
SKIN_M = 0.0006
"""The body of water stays this far inside the wall, or the two flicker."""
NECK_PARTICLES = 2.4
"""Spheres jam in a narrow neck: the wall that they meet stands at least this many of their radii from the axis (measured capacities then
agree with the true ones within a tenth)."""
POUR_NECK_PARTICLES = 3.4
"""The same while pouring, where it must not jam at all; what a vessel then takes beyond its capacity runs over."""
FUNNEL_PARTICLES = 6.0
"""Whoever pours into a narrow mouth aims well: an unseen funnel of at most so many radii stands on it."""
WALL_M = 0.006
"""Thickness of the walls that particles meet, outward from the inner surface."""
_SAMPLES = 3000


class Basin:
    """The inside of one vessel as liquid sees it; plain geometry in the object's own frame."""

    def __init__(self, cavity: Cavity) -> None:
        """
        Args:
            cavity: a round one that holds liquid.
        """
        self.cavity = cavity
        self.z, self.r = np.array(cavity.profile, float).T
        self._inverse = np.linalg.inv(cavity.matrix)
        # Cumulative volume over height, exactly for a stack of frusta.
        self._fine = np.unique(np.concatenate([np.linspace(self.z[0], self.z[-1], 400), self.z]))
        radius = np.interp(self._fine, self.z, self.r)
        slices = np.pi * np.diff(self._fine) * (radius[:-1] ** 2 + radius[:-1] * radius[1:] + radius[1:] ** 2) / 3
        self._volume = np.concatenate([[0.0], np.cumsum(slices)])
        self.capacity_ml = float(cavity.volume_m3) * 1e6
        self.samples = self._spread(_SAMPLES)

    # --- frames ------------------------------------------------------------------------------------------------------

    def own(self, local: Array) -> Array:
        """Local points in the object's frame."""
        return np.asarray(local @ self.cavity.matrix.T + self.cavity.offset)

    def local(self, own: Array) -> Array:
        """Points (N, 3) of the object's own frame in the frame of its cavity."""
        return np.asarray((own - self.cavity.offset) @ self._inverse.T)

    @functools.cached_property
    def rim(self) -> Array:
        """Points of the rim, own frame."""
        return self.own(circle(float(self.r[-1]), float(self.z[-1]), 48))

    @functools.cached_property
    def axis(self) -> Array:
        """Unit vector from the floor to the rim, own frame."""
        along = self.cavity.matrix[:, 2]
        return np.asarray(along / np.linalg.norm(along))

    @functools.cached_property
    def mouth(self) -> Array:
        """Middle of the rim, own frame."""
        return np.asarray(self.own(np.array([[0.0, 0.0, self.z[-1]]]))[0])

    @functools.cached_property
    def mouth_radius(self) -> float:
        """Greatest inner radius of the rim, metres."""
        return float(np.linalg.norm(self.rim - self.mouth, axis=1).max())

    def _spread(self, count: int) -> Array:
        """Points that fill the cavity evenly (a low-discrepancy sequence), own frame."""
        k = np.arange(count) + 0.5
        u, v, w = (np.modf(k * a)[0] for a in (0.8191725133961645, 0.6710436067037893, 0.5497004779019703))
        z = np.interp(u * self._volume[-1], self._volume, self._fine)
        radius = np.interp(z, self.z, self.r) * np.sqrt(v)
        return self.own(np.stack([radius * np.cos(2 * np.pi * w), radius * np.sin(2 * np.pi * w), z], 1))

    # --- amounts -----------------------------------------------------------------------------------------------------

    def inside(self, own: Array, slack_m: float = 0.0) -> NDArray[np.bool_]:
        """Which points (own frame) are in the cavity; `slack_m` widens it sideways and downwards."""
        p = self.local(own)
        near = (p[:, 2] >= self.z[0] - slack_m) & (p[:, 2] <= self.z[-1])
        return np.asarray(near & (np.hypot(p[:, 0], p[:, 1]) <= np.interp(p[:, 2], self.z, self.r) + slack_m))

    def level(self, share: float) -> float:
        """Local height of the surface when `share` of the capacity is in, standing upright."""
        return float(np.interp(min(max(share, 0.0), 1.0) * self._volume[-1], self._volume, self._fine))

    def upright(self, up: Array) -> bool:
        """Whether it stands straight enough to show the level of standing water."""
        return float(up @ self.axis) > 0.9997

    def surface(self, up: Array, share: float) -> float:
        """Height of the surface along `up` (unit vector, own frame) when `share` of the capacity is in; never above the lowest lip."""
        if self.upright(up):
            return float(up @ self.own(np.array([[0.0, 0.0, self.level(share)]]))[0])
        heights = self.samples @ up
        return float(min(np.quantile(heights, min(max(share, 0.0), 1.0)), self.lip(up)))

    def lip(self, up: Array) -> float:
        """Height of the lowest point of the rim along `up`."""
        return float((self.rim @ up).min())

    def keeps(self, up: Array) -> float:
        """Share of the capacity that stays in at this attitude."""
        if self.upright(up):
            return 1.0
        return float((self.samples @ up < self.lip(up)).mean())

    # --- shape -------------------------------------------------------------------------------------------------------

    def body(self, up: Array, share: float) -> Array:
        """Points (`BODY_POINTS`, 3) of the mesh around the water, own frame: bottom middle, rings upwards, surface middle."""
        if self.upright(up):
            return self._standing(share)
        heights = self.samples @ up
        top = self.surface(up, share)
        low = float(heights.min())
        if top <= low + 1e-4:
            return np.repeat((self.samples[int(np.argmin(heights))])[None], BODY_POINTS, 0)
        side = np.cross(up, self.axis if abs(up @ self.axis) < 0.95 else np.eye(3)[int(np.argmin(np.abs(up)))])
        side /= np.linalg.norm(side)
        other = np.cross(up, side)
        angle = 2 * np.pi * np.arange(SEGMENTS) / SEGMENTS
        share_of_height = np.array([0.02, 0.08, 0.18, 0.32, 0.47, 0.62, 0.77, 0.9, 1.0])
        order = np.argsort(heights)
        rings, middles = [], []
        for t in share_of_height:
            h = low + (top - low) * t
            at = int(np.clip(np.searchsorted(heights[order], h), 40, len(order) - 40))
            near = self.samples[order[at - 40 : at + 40]]
            middle = near.mean(0)
            middle = middle + up * (h - float(middle @ up))
            if not self.inside(middle[None])[0]:  # a bent slice: the sample nearest to its middle is inside for certain
                middle = near[int(np.argmin(np.linalg.norm(near - middle, axis=1)))]
                middle = middle + up * (h - float(middle @ up))
            # Long slices get more rays towards their ends.
            across, along = (float(np.std(near @ v)) + 1e-4 for v in (side, other))
            ways = np.cos(angle)[:, None] * side * across + np.sin(angle)[:, None] * other * along
            ways /= np.linalg.norm(ways, axis=1, keepdims=True)
            middles.append(middle)
            rings.append(middle + ways * self._reach(middle, ways)[:, None])
        return np.concatenate([middles[0][None], *rings, middles[-1][None]])

    def _standing(self, share: float) -> Array:
        top = self.level(share)
        knots = self.z[self.z < top - 1e-6]
        z = np.append(knots, top)
        r = np.interp(z, self.z, self.r)
        along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(z), np.diff(r)))])
        at = np.interp(np.linspace(0, along[-1], RINGS), along, z)
        at[-1] = top
        radius = np.maximum(np.interp(at, self.z, self.r) - SKIN_M, 1e-5)
        at[0] += min(SKIN_M, (top - at[0]) / 2)
        angle = 2 * np.pi * np.arange(SEGMENTS) / SEGMENTS
        rings = np.stack(
            [radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle), np.repeat(at[:, None], SEGMENTS, 1)], -1
        ).reshape(-1, 3)
        return self.own(np.concatenate([[[0.0, 0.0, at[0]]], rings, [[0.0, 0.0, top]]]))

    def _reach(self, start: Array, ways: Array) -> Array:
        """Distance from `start` along each of `ways` to the wall, less `SKIN_M`."""
        far = 2.2 * float(np.linalg.norm(np.ptp(self.samples, axis=0)))
        steps = np.linspace(0, far, 60)[1:]
        points = start + ways[:, None, :] * steps[None, :, None]
        out = ~self.inside(points.reshape(-1, 3)).reshape(len(ways), -1)
        first = np.where(out.any(1), out.argmax(1), len(steps) - 1)
        high = steps[first]
        low = high - steps[0]
        for _ in range(7):
            middle = (low + high) / 2
            good = self.inside(start + ways * middle[:, None])
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return np.asarray(np.maximum(low - SKIN_M, 1e-5))

    # --- particles ---------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _scale(self) -> float:
        """Metres of the world per metre of the local frame, on average."""
        return float(abs(np.linalg.det(self.cavity.matrix)) ** (1 / 3))

    def walls(self, radius: float, neck: float = NECK_PARTICLES) -> list[Solid]:
        """Walls and floor that particles of `radius` meet, own frame: the inner surface, with necks wide enough for them to flow."""
        scale = self._scale
        least = neck * radius / scale
        widest = int(np.argmax(self.r))
        above = np.arange(len(self.r)) >= widest if self.r[widest] > least else np.ones(len(self.r), bool)
        r = np.where(above, np.maximum(self.r, least), self.r)
        pieces = wall_solids(list(zip(self.z.tolist(), r.tolist(), strict=True)), WALL_M / scale)
        foot = max(float(r[0]), 0.003) + WALL_M / scale
        floor = Solid(np.concatenate([circle(foot, float(self.z[0]) - 0.008 / scale), circle(foot, float(self.z[0]))]))
        return [q.mapped(self.cavity.matrix, self.cavity.offset) for q in (floor, *pieces)]

    def funnel(self, radius: float, height: float) -> list[Solid]:
        """Walls on a mouth too narrow for a stream of particles of `radius`; none on others."""
        unit = radius / self._scale
        if self.r[-1] >= FUNNEL_PARTICLES * unit:
            return []
        top, mouth = float(self.z[-1]), max(float(self.r[-1]), POUR_NECK_PARTICLES * unit)
        wide = min(FUNNEL_PARTICLES * unit, mouth + 2 * unit)
        pieces = wall_solids([(top, mouth), (top + height / self._scale, wide)], WALL_M)
        return [q.mapped(self.cavity.matrix, self.cavity.offset) for q in pieces]

    def packed(self, count: int, radius: float) -> Array:
        """Places for `count` spheres in the cavity from the bottom up, own frame: close packing, closer still where it would stand higher
        than that much water does; beyond the rim they form a column."""
        top = self.level(count * 4 / 3 * math.pi * radius**3 / SHARE_SOLID / (self.capacity_ml * 1e-6))
        limit = float(self.own(np.array([[0.0, 0.0, top]]))[0] @ self.axis)
        for spacing in (2.04, 1.98, 1.92, 1.86):
            places = self._lattice(count, radius, spacing * radius)
            if len(places) == 0 or float((places @ self.axis).max()) <= limit:
                break
        return places

    def _lattice(self, count: int, radius: float, step: float) -> Array:
        layer, row = step * math.sqrt(2 / 3), step * math.sqrt(3) / 2
        axis, mouth = self.axis, self.mouth
        side = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
        side /= np.linalg.norm(side)
        frame = np.stack([side, np.cross(axis, side), axis], 1)
        base = self.own(np.array([[0.0, 0.0, self.z[0]]]))[0]
        reach = float(np.abs(((self.samples - base) @ frame)[:, :2]).max())
        scale = self._scale
        columns, rows = int(reach / step) + 1, int(reach / row) + 1
        found: list[Array] = [np.zeros((0, 3))]
        number, k = 0, 0
        while number < count:
            h = radius * 1.02 + k * layer
            grid = np.array(
                [
                    (i * step + (j % 2) * step / 2 + (k % 2) * step / 2, j * row + (k % 2) * row / 3, h)
                    for j in range(-rows, rows + 1)
                    for i in range(-columns, columns + 1)
                ]
            )
            own = base + grid @ frame.T
            local = self.local(own)
            z = np.clip(local[:, 2], self.z[0], self.z[-1])
            free = np.interp(z, self.z, self.r) - radius / scale * 1.02
            good = own[np.hypot(local[:, 0], local[:, 1]) <= np.maximum(free, 1e-4)]
            if len(good) == 0:
                good = (base + axis * h)[None]
            good = good[np.argsort(np.linalg.norm(np.cross(good - mouth, axis), axis=1), kind="stable")]
            found.append(good)
            number += len(good)
            k += 1
        return np.concatenate(found)[:count]


@functools.lru_cache(maxsize=128)
def _basin(profile: tuple[tuple[float, float], ...], matrix: bytes, offset: bytes) -> Basin:
    cavity = Cavity(profile, holds_liquid=True, matrix=np.frombuffer(matrix).reshape(3, 3), offset=np.frombuffer(offset))
    return Basin(cavity)


def basin(cavity: Cavity) -> Basin:
    """The basin of a cavity, made once."""
    return _basin(
        cavity.profile, np.ascontiguousarray(cavity.matrix, float).tobytes(), np.ascontiguousarray(cavity.offset, float).tobytes()
    )


def holds_liquid(cavity: Cavity | None) -> bool:
    """Whether the inside of a thing is a round vessel."""
    return cavity is not None and cavity.holds_liquid and cavity.round and len(cavity.profile) >= 2


# --- the pool ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """The water of one scene."""

    count: int
    particle_ml: float

    @property
    def radius_m(self) -> float:
        """Radius of the sphere of which `SHARE_SOLID` fills a particle's share of the volume."""
        return float((self.particle_ml * 1e-6 * SHARE_SOLID * 3 / (4 * math.pi)) ** (1 / 3))

    @classmethod
    def sized(cls, volume_ml: float, count: int = POOL) -> Pool:
        """A pool of `count` particles that together are `volume_ml`."""
        return cls(count, volume_ml / count)


# --- flowing ----------------------------------------------------------------------------------------------------------


class Flow:
    """Particles moving among vessels and what stands around them, in a physics model of their own."""

    def __init__(
        self,
        vessels: Sequence[Basin],
        count: int,
        radius: float,
        floor_z_m: float,
        around: Sequence[tuple[Sequence[Solid], Array, Array]] = (),
        neck: float = NECK_PARTICLES,
        funnel: tuple[int, float] | None = None,
    ) -> None:
        """
        Args:
            vessels: those that move or may catch water; posed by `pose`.
            count: particles taking part.
            radius: of a particle, metres.
            floor_z_m: height of the floor, which catches what runs over.
            around: other things' convex pieces with position and rotation matrix, which stay where they are.
            neck: least radius of necks, in radii of a particle.
            funnel: index of a vessel that has a funnel if its mouth is narrow, and the funnel's height.
        """
        self.vessels, self.count, self.radius = list(vessels), count, radius
        spec = mujoco.MjSpec()
        option = spec.option
        option.timestep, option.solver, option.cone = STEP_S, mujoco.mjtSolver.mjSOL_CG, mujoco.mjtCone.mjCONE_PYRAMIDAL
        option.iterations, option.ls_iterations, option.tolerance = 20, 8, 1e-6
        option.gravity = [0.0, 0.0, -GRAVITY_M_S2]
        spec.memory = 300 << 20
        wall = {"contype": 2, "conaffinity": 1, "condim": 1, "friction": [0.02, 0.005, 0.0001], "solref": [0.008, 1.0]}
        rough = wall | {"condim": 3, "friction": [0.5, 0.005, 0.0001]}
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, floor_z_m], **rough)
        for i, vessel in enumerate(self.vessels):
            body = spec.worldbody.add_body(name=f"vessel{i}", mocap=True)
            _add(spec, body, vessel.walls(radius, neck), wall, f"v{i}_")
        self._funnel = -1 if funnel is None else funnel[0]
        if funnel is not None:
            body = spec.worldbody.add_body(name="funnel", mocap=True, pos=[0, 0, -1000])
            _add(spec, body, self.vessels[funnel[0]].funnel(radius, funnel[1]), wall, "f_")
        for i, (solids, position, turn) in enumerate(around):
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, np.ascontiguousarray(turn).ravel())
            _add(spec, spec.worldbody.add_body(pos=np.asarray(position).tolist(), quat=quat.tolist()), solids, rough, f"a{i}_")
        mass = 4 / 3 * math.pi * radius**3 * WATER_KG_M3
        for _ in range(count):
            body = spec.worldbody.add_body()
            for axis in np.eye(3):
                body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis.tolist(), damping=[0.0005, 0, 0])
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[radius, 0, 0],
                mass=mass,
                contype=1,
                conaffinity=3,
                condim=1,
                friction=[0.02, 0.005, 0.0001],
                solref=[0.008, 1.0],
            )
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._where = [(np.zeros(3), np.eye(3)) for _ in self.vessels]

    def pose(self, index: int, position: Array, turn: Array) -> None:
        """Set a vessel's pose (world position of its own origin, rotation matrix)."""
        self._where[index] = (np.asarray(position, float).copy(), np.asarray(turn, float).copy())
        self.data.mocap_pos[index] = position
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(turn, float).ravel())
        self.data.mocap_quat[index] = quat
        if index == self._funnel:
            self.data.mocap_pos[len(self.vessels)], self.data.mocap_quat[len(self.vessels)] = position, quat

    def take_funnel(self) -> None:
        """Take the funnel away."""
        if self._funnel >= 0:
            self.data.mocap_pos[len(self.vessels)] = [0.0, 0.0, -1000.0]

    def where(self, index: int) -> tuple[Array, Array]:
        """Position and rotation of a vessel now, by its number."""
        return self._where[index]

    def put(self, points: Array) -> None:
        """Set every particle, at rest (world)."""
        self.data.qpos[:] = np.asarray(points, float).ravel()
        self.data.qvel[:] = 0

    def relax(self) -> None:
        """Let what was put close together move apart without flying off."""
        for _ in range(25):
            self.run(2)
            self.data.qvel[:] *= 0.2

    @property
    def points(self) -> Array:
        """Particles now (world), shape (count, 3)."""
        return np.asarray(self.data.qpos.reshape(-1, 3).copy())

    @property
    def velocities(self) -> Array:
        """Shape (count, 3), metres per second."""
        return np.asarray(self.data.qvel.reshape(-1, 3).copy())

    @property
    def speeds(self) -> Array:
        return np.asarray(np.linalg.norm(self.velocities, axis=1))

    def run(self, steps: int) -> None:
        """Go on by so many physics steps.

        Raises:
            RuntimeError: the physics became unstable.
        """
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)
        if not np.isfinite(self.data.qpos).all():
            raise RuntimeError("flowing water: the physics became unstable; the action cannot be shown")

    def inside(self, index: int) -> NDArray[np.bool_]:
        """Which particles are in a vessel."""
        position, turn = self._where[index]
        own = (self.points - position) @ turn
        return self.vessels[index].inside(own, slack_m=0.6 * self.radius)

    def owners(self) -> NDArray[np.int64]:
        """Index of the vessel that each particle is in, −1 for none."""
        found = np.full(self.count, -1)
        for i in range(len(self.vessels)):
            found[(found < 0) & self.inside(i)] = i
        return found


def _add(spec: mujoco.MjSpec, body: mujoco.MjsBody, solids: Sequence[Solid], looks: dict[str, object], prefix: str) -> None:
    for k, q in enumerate(solids):
        if q.is_box and q.axes is not None:
            half = np.linalg.norm(q.axes, axis=0)
            turn = q.axes / half
            if np.linalg.det(turn) < 0:
                turn = turn * np.array([1.0, 1.0, -1.0])
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, np.ascontiguousarray(turn).ravel())
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half.tolist(), pos=q.centre.tolist(), quat=quat.tolist(), **looks)
        else:
            mesh = spec.add_mesh(name=f"{prefix}{k}", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
            mesh.uservert = q.points.astype(np.float32).ravel().tolist()
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name, **looks)


def measured_capacity(vessel: Basin, particle_ml: float, seconds: float = 0.8) -> int:
    """Particles that stay in an upright vessel which is filled until it overflows."""
    pool = Pool(1, particle_ml)
    count = int(1.25 * vessel.capacity_ml / particle_ml) + 8
    flow = Flow([vessel], count, pool.radius_m, floor_z_m=-0.5)
    turn = _upright(vessel)
    flow.pose(0, np.zeros(3), turn)
    flow.put(vessel.packed(count, pool.radius_m) @ turn.T)
    flow.run(round(seconds / STEP_S))
    return int(flow.inside(0).sum())


def _upright(vessel: Basin) -> Array:
    """A rotation that brings the vessel's axis to the vertical."""
    axis = vessel.axis
    if axis[2] > 0.9999:
        return np.eye(3)
    side = np.cross(axis, [0.0, 0.0, 1.0])
    side /= max(float(np.linalg.norm(side)), 1e-9)
    angle = math.acos(float(np.clip(axis[2], -1, 1)))
    k = np.array([[0, -side[2], side[1]], [side[2], 0, -side[0]], [-side[1], side[0], 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k))
