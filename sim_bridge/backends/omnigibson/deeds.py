"""What a hand does, by the released runners' rules: kinematic sampling to put things down, a slope to watch, water that is poured.

Each deed changes the world or raises `Failed`, and then nothing has changed. Pictures on the way are taken by `Doing.picture`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sim_bridge.actions import Action
from sim_bridge.backends.omnigibson.config import RAMP
from sim_bridge.backends.omnigibson.engine import Engine
from sim_bridge.backends.omnigibson.session import Session
from sim_bridge.backends.omnigibson.world import AWAY, World, movable
from sim_bridge.kinematics import heading, rotation_matrix
from sim_bridge.rotations import about_y, about_z
from sim_bridge.spec import Camera, Frame, Pose, Quat, Vec3

REACH_M = 1.5
"""A hand reaches what has a point of its box within this distance of the camera, as in the embedded simulator."""
MIN_SEEN_PIXELS = 12
"""Pixels of the current view that must show an object before a hand can go for it."""
HAND_MAX_M = 1.2
"""Longest side of what a hand can take."""
ON_TRIALS, IN_TRIALS = 5, 30
"""Tries of the released runners to put a thing on, or into, another."""
ON_STEPS, IN_STEPS, FLOOR_STEPS, WAIT_STEPS = 60, 30, 30, 30
SLOPE_STEPS, SLOPE_ABOVE_M = 30, 0.05
"""The released runner lets go 5 cm above the middle of the slope and watches 30 steps."""
POUR_DEG, POUR_STEPS = 110, 120
"""A vessel is tilted by one degree a step, then the water comes to rest."""
INSIDE_SLACK_M = 0.05
FULL_SHARE = 0.02
"""Share of a vessel's volume from which it counts as filled."""


class Failed(Exception):
    """A well-formed action that cannot be done now; the text is the reason in plain words, naming objects by handle."""


class Doing:
    """One action being done.

    Args:
        seen: counts the pixels of every object in the current view, by handle.
        picture: takes a picture; None: nobody looks.
    """

    def __init__(
        self, engine: Engine, world: World, session: Session, seen: Callable[[], dict[str, int]], picture: Callable[[], Frame] | None
    ) -> None:
        self.engine, self.world, self.session = engine, world, session
        self._seen, self._picture = seen, picture
        self.frames: list[Frame] = []

    def picture(self) -> None:
        """Keep a picture of this moment."""
        if self._picture is not None:
            self.frames.append(self._picture())

    def do(self, action: Action) -> None:
        """Do a physical action.

        Raises:
            Failed: it cannot be done now.
        """
        for handle in action.objects:
            if handle not in self.world.things or self.session.absent(handle):
                raise Failed(f"{say(handle)} is not there")
        DEEDS[action.name](self, action)

    # -- conditions ------------------------------------------------------------------------------------------------------------------

    def in_reach(self, handle: str) -> None:
        """A hand gets there: it is held, or near and in view."""
        if handle == self.session.record.held:
            return
        if distance(self.session.record.camera.position_m, *self.world.box(handle)) > REACH_M:
            raise Failed(f"{say(handle)} is too far away")
        if self._seen().get(handle, 0) < MIN_SEEN_PIXELS:
            raise Failed(f"{say(handle)} is not in view")

    def held(self, handle: str) -> None:
        """Go on only with this in the hand.

        Raises:
            Failed: it is not.
        """
        if self.session.record.held != handle:
            raise Failed(f"{say(handle)} is not in the hand")

    def take(self, handle: str) -> None:
        """Into the hand, and remembered where it was."""
        record = self.session.record
        if not movable(self.session.objects[handle], self.world) or max(extents(self.world.box(handle))) > HAND_MAX_M:
            raise Failed(f"{say(handle)} cannot be picked up")
        record.first.setdefault(handle, self.world.pose(handle))
        record.held = handle
        self.world.ghost(handle, True)
        self.carry()

    def carry(self) -> None:
        """Keep what is held where it is seen at the lower right of the view."""
        handle = self.session.record.held
        if handle:
            size = extents(self.world.box(handle))
            self.world.put(handle, held_pose(self.session.scene.camera, self.session.record.camera, size))
            if self.world.opens(handle):
                # The parts of what has joints follow with the next step.
                self.engine.step(1)

    def let_go(self, handle: str) -> None:
        """It is a body again, and in no hand."""
        self.session.record.held = ""
        self.world.ghost(handle, False)

    def back_into_hand(self, handle: str) -> None:
        """After a try that failed."""
        self.session.record.held = handle
        self.world.ghost(handle, True)
        self.carry()


def _pick_up(doing: Doing, action: Action) -> None:
    handle, held = action.objects[0], doing.session.record.held
    if held:
        raise Failed(f"{say(held)} is already in the hand")
    doing.in_reach(handle)
    doing.take(handle)


def _put(doing: Doing, action: Action) -> None:
    handle, target = action.objects
    relation, world = action.args[1], doing.world
    doing.held(handle)
    if handle == target:
        raise Failed("an object cannot be put onto itself")
    doing.in_reach(target)
    if relation == "inside" and not fits(extents(world.box(handle)), extents(world.box(target))):
        raise Failed(f"{say(handle)} does not fit into {say(target)}")
    doing.let_go(handle)
    if relation == "inside":
        for _ in range(IN_TRIALS):
            if world.sample("onTop", handle, target, 1):
                doing.engine.step(IN_STEPS)
                if lies_in(world.box(handle), world.box(target)):
                    return
        doing.back_into_hand(handle)
        raise Failed(f"{say(handle)} does not fit into {say(target)}")
    if world.sample("onTop", handle, target, ON_TRIALS):
        doing.engine.step(ON_STEPS)
        if world.related("OnTop", handle, target):
            return
    doing.back_into_hand(handle)
    raise Failed(f"{say(handle)} does not stay on {say(target)}")


def _put_back(doing: Doing, action: Action) -> None:
    handle = action.objects[0]
    doing.held(handle)
    doing.let_go(handle)
    doing.world.put(handle, doing.session.record.first[handle])
    doing.engine.step(FLOOR_STEPS)


def _put_on_floor(doing: Doing, action: Action) -> None:
    handle, world = action.objects[0], doing.world
    doing.held(handle)
    size = extents(world.box(handle))
    others = [world.box(h) for h in world.things if h != handle and not doing.session.absent(h)]
    floor = doing.session.scene.room.floor_z_m
    spots = [s for s in floor_spots(doing.session.record.camera, size) if doing.engine.walkable(*s) is not False]
    free = next((s for s in spots if is_free(s, size, floor, others)), None)
    if free is None:
        raise Failed("there is no free place on the floor nearby")
    doing.let_go(handle)
    world.put(handle, Pose((*free, floor + size[2] / 2 + 0.01), upright(doing.session.record.camera)))
    doing.engine.step(FLOOR_STEPS)


def _place_on_slope(doing: Doing, action: Action) -> None:
    handle, world = action.objects[0], doing.world
    slopes = [h for h in world.things if doing.session.objects[h].category == RAMP and not doing.session.absent(h)]
    here = doing.session.record.camera.position_m
    near = sorted((distance(here, *world.box(h)), h) for h in slopes)
    if not near or near[0][0] > REACH_M:
        raise Failed("there is no slope within reach")
    if doing.session.record.held not in ("", handle):
        raise Failed(f"{say(doing.session.record.held)} is in the hand")
    doing.in_reach(handle)
    doing.session.record.first.setdefault(handle, world.pose(handle))
    doing.let_go(handle)
    x, y, z = world.pose(near[0][1]).position_m
    world.put(handle, Pose((x, y, z + SLOPE_ABOVE_M)))
    for step in range(SLOPE_STEPS):
        if step % 6 == 0:
            doing.picture()
        doing.engine.step(1)


def _open(doing: Doing, action: Action) -> None:
    _turn_door(doing, action.objects[0], True)


def _close(doing: Doing, action: Action) -> None:
    _turn_door(doing, action.objects[0], False)


def _turn_door(doing: Doing, handle: str, wanted: bool) -> None:
    if not doing.world.opens(handle):
        raise Failed(f"{say(handle)} cannot be opened")
    doing.in_reach(handle)
    if doing.world.is_open(handle) == wanted:
        raise Failed(f"{say(handle)} is {'open' if wanted else 'closed'} already")
    if not doing.world.set_open(handle, wanted):
        raise Failed(f"{say(handle)} does not {'open' if wanted else 'close'}")


def _fill(doing: Doing, action: Action) -> None:
    handle = action.objects[0]
    if not doing.world.holds_water(handle):
        raise Failed(f"{say(handle)} cannot be filled")
    doing.in_reach(handle)
    if not doing.world.fill(handle):
        raise Failed(f"no water stays in {say(handle)}")


def _pour(doing: Doing, action: Action) -> None:
    what, source, target = action.objects
    world, record = doing.world, doing.session.record
    if what != source:
        raise Failed(f"{say(what)} is no water: a vessel is poured from itself")
    if source == target:
        raise Failed("a vessel cannot be poured into itself")
    for handle in (source, target):
        if not world.holds_water(handle):
            raise Failed(f"{say(handle)} holds no water")
        doing.in_reach(handle)
    if not world.wet(source):
        raise Failed(f"{say(source)} is empty")
    before = world.pose(source)
    doing.picture()
    world.ghost(source, False)
    over = over_rim(extents(world.box(source)), world.box(target))
    world.put(source, over)
    for degrees in range(1, POUR_DEG + 1):
        world.turn(source, tilted(over, degrees))
        doing.engine.step(1)
        if degrees % 22 == 0:
            doing.picture()
    doing.engine.step(POUR_STEPS)
    if record.held == source:
        doing.back_into_hand(source)
    else:
        world.put(source, before)


def _remove_cloth(doing: Doing, action: Action) -> None:
    handle = action.objects[0]
    if handle not in doing.world.cloths:
        raise Failed(f"{say(handle)} is no cloth")
    doing.in_reach(handle)
    take_away(doing.world, handle)
    doing.session.record.removed.append(handle)


def _wait(doing: Doing, action: Action) -> None:
    doing.engine.step(WAIT_STEPS)


DEEDS: dict[str, Callable[[Doing, Action], None]] = {
    "pick_up": _pick_up,
    "put": _put,
    "put_back": _put_back,
    "put_on_floor": _put_on_floor,
    "place_on_slope": _place_on_slope,
    "open": _open,
    "close": _close,
    "fill": _fill,
    "pour": _pour,
    "remove_cloth": _remove_cloth,
    "wait": _wait,
}
"""Action → how it is done."""
WITH_PARTICLES = ("fill", "pour", "remove_cloth")
"""Actions that need the GPU's dynamics."""


# -- geometry, without a simulator -------------------------------------------------------------------------------------------------------


def take_away(world: World, handle: str) -> None:
    """Out of view and out of everything's way."""
    world.show(handle, False)
    if handle not in world.cloths:
        world.ghost(handle, True)
    world.turn(handle, Pose(AWAY))


def say(handle: str) -> str:
    """A handle in a sentence."""
    return handle.replace("_", " ")


def extents(box: tuple[Vec3, Vec3]) -> Vec3:
    """Lengths of a box along the axes, metres."""
    x, y, z = (high - low for low, high in zip(*box, strict=True))
    return x, y, z


def distance(point: Vec3, low: Vec3, high: Vec3) -> float:
    """Metres from a point to the nearest point of a box."""
    return math.dist(point, [min(max(p, a), b) for p, a, b in zip(point, low, high, strict=True)])


def fits(thing: Vec3, vessel: Vec3) -> bool:
    """Whether an upright thing can go into a vessel, turned about the vertical at most."""
    return all(a < b for a, b in zip(sorted(thing[:2]), sorted(vessel[:2]), strict=True))


def lies_in(thing: tuple[Vec3, Vec3], vessel: tuple[Vec3, Vec3]) -> bool:
    """The released rule: within the vessel's outline and 5 cm, its bottom 5 cm below the rim or more."""
    across = all(vessel[0][k] - INSIDE_SLACK_M <= thing[0][k] and thing[1][k] <= vessel[1][k] + INSIDE_SLACK_M for k in (0, 1))
    return across and thing[0][2] < vessel[1][2] - INSIDE_SLACK_M


def upright(camera: Pose) -> Quat:
    """Upright, and turned with the camera."""
    ahead = heading(camera)
    return about_z(math.atan2(-ahead[0], ahead[1]))


def held_pose(lens: Camera, camera: Pose, size: Vec3) -> Pose:
    """Where a held thing is: at the lower right of the view, whatever the lens, near enough to be seen well."""
    away = min(1.3, max(0.5, 1.1 * math.dist(size, (0.0, 0.0, 0.0))))
    half = math.tan(math.radians(lens.hfov_deg) / 2)
    right, down = 0.5 * half, 0.5 * half * lens.height / lens.width
    norm = math.sqrt(1 + right**2 + down**2)
    local = (right * away / norm, -down * away / norm, -away / norm)
    rows = rotation_matrix(camera.quaternion_xyzw)
    x, y, z = (p + sum(r * v for r, v in zip(row, local, strict=True)) for p, row in zip(camera.position_m, rows, strict=True))
    return Pose((x, y, z), upright(camera))


def floor_spots(camera: Pose, size: Vec3) -> list[tuple[float, float]]:
    """Places of the floor to try, nearest to straight ahead first."""
    ahead, (x, y, _) = heading(camera), camera.position_m
    start = 0.6 + max(size[:2]) / 2
    spots = []
    for away in (0.0, 0.2, 0.4, 0.6):
        for side in (0.0, 0.3, -0.3, 0.6, -0.6):
            forward = start + away
            spots.append((x + forward * ahead[0] + side * ahead[1], y + forward * ahead[1] - side * ahead[0]))
    return spots


def is_free(spot: tuple[float, float], size: Vec3, floor_z_m: float, others: list[tuple[Vec3, Vec3]]) -> bool:
    """Whether a thing of a size can stand at a spot without touching another's box."""
    reach = math.hypot(size[0], size[1]) / 2 + 0.02
    for low, high in others:
        beside = any(high[k] < spot[k] - reach or low[k] > spot[k] + reach for k in (0, 1))
        if not beside and low[2] < floor_z_m + size[2]:
            return False
    return True


def over_rim(source: Vec3, target: tuple[Vec3, Vec3]) -> Pose:
    """Where a vessel stands over another so that its rim is above the other's middle when it tips towards +x."""
    (x0, y0, _), (x1, y1, top) = target
    return Pose(((x0 + x1) / 2 - source[0] / 2, (y0 + y1) / 2, top + 0.03 + source[2] / 2 + max(source[:2]) / 2))


def tilted(upright_pose: Pose, degrees: float) -> Pose:
    """The same place, tipped towards +x."""
    return Pose(upright_pose.position_m, about_y(math.radians(degrees)))


def is_filled(water: tuple[float, float] | None) -> bool:
    """Whether a vessel with (water, capacity) in millilitres counts as filled."""
    return water is not None and water[1] > 0 and water[0] >= FULL_SHARE * water[1]
