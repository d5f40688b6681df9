"""What the gallery shows: every entity, action, room type and house as a small scene with the actions to do in it.

Plain scene descriptions, so nothing here needs a simulator; `sim_bridge.gallery` renders them, and tests replay them.
All scenes use metres, z up; the camera stands at the height of a person's eyes unless a caption says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim_bridge.houses import HEIGHT_M, Plan
from sim_bridge.houses import plan as house_plan
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, Object, Phase, Pose, Room, Scene

TABLE_M = (1.2, 0.8, 0.74)
"""Extents of the table that most scenes use."""
TOP_M = TABLE_M[2]
STANDING = looking(0.0, -0.8, 1.3, 0.0, -34.0)
"""In front of the table, looking down on it; its things are within reach."""
BACK = looking(0.0, -1.6, 1.35, 0.0, -24.0)
"""Two steps back: the table's things are just within reach, the floor before it is seen."""


@dataclass(frozen=True)
class Deed:
    """One action of an exhibit, and what is expected of it."""

    action: str
    fails: str = ""
    """Words that the reason must contain; empty: the action must succeed."""


@dataclass(frozen=True)
class Exhibit:
    """One scene with what is done in it."""

    name: str
    """File name stem; also how it is chosen on the command line."""
    group: str
    """Heading under which it stands."""
    title: str
    text: str
    """What there is to see, in a sentence or two."""
    scene: Scene
    start: Pose
    deeds: tuple[Deed, ...] = ()
    """Actions in order; camera actions among them are done and not pictured on their own."""
    views: tuple[tuple[str, Pose], ...] = ()
    """Further looks from elsewhere, after everything has been done: caption, pose."""
    needs: tuple[str, ...] = ()
    """Capabilities of the simulator without which it is left out."""
    hides: tuple[str, ...] = ()
    """Handles that must not be seen at the start (under a cloth, in a closed box)."""

    @property
    def names(self) -> dict[str, str]:
        """handle → words, for captions."""
        return {o.handle: o.category.replace("_", " ") for o in self.scene.objects}


def do(*actions: str) -> tuple[Deed, ...]:
    """Actions that must succeed."""
    return tuple(Deed(a) for a in actions)


def thing(number: int, category: str, x: float, y: float, z: float = 0.0, *, dynamic: bool = True, **more: Any) -> Object:
    """An object that stands at (x, y) on height `z`."""
    return Object(
        f"object_{number}", category, Pose((x, y, z), more.pop("turn", (0.0, 0.0, 0.0, 1.0))), origin="base", dynamic=dynamic, **more
    )


def table(number: int = 1, x: float = 0.0, y: float = 0.0) -> Object:
    """A fixed table; things stand on it at z = `TOP_M`."""
    return Object(f"object_{number}", "dining_table", Pose((x, y, TOP_M / 2)), size_m=TABLE_M)


def room(kind: str = "kitchen", seed: int = 4, half: float = 2.6, **more: Any) -> Room:
    """A furnished square room whose middle is free."""
    return Room(bounds_m=(-half, -half, half, half), kind=kind, seed=seed, keep_clear_m=(-1.2, -1.9, 1.2, 1.0), **more)


def scene(*objects: Object, camera: Camera | None = None, **more: Any) -> Scene:
    """A scene in the usual room."""
    return Scene(camera or Camera(640, 480, 75.0), more.pop("room", room()), objects, **more)


# --- what hands do ----------------------------------------------------------------------------------------------------


def hands() -> Iterable[Exhibit]:
    """Picking up, putting inside and on, on the floor, back, waiting; and the refusals."""
    yield Exhibit(
        "pick-up",
        "Hands",
        "Pick up",
        "The mug is taken into the hand, at the lower right of the view. It goes along when the camera turns and moves.",
        scene(table(), thing(2, "mug", -0.18, -0.12, TOP_M), thing(3, "teddy_bear", 0.22, 0.05, TOP_M)),
        STANDING,
        do("pick_up(object_2)", "turn_left", "move_right", "wait"),
        needs=("pick_up",),
    )
    yield Exhibit(
        "put-inside",
        "Hands",
        "Put inside",
        "The apple goes into the bowl. Then the bowl is picked up, and the apple goes along.",
        scene(table(), thing(2, "bowl", 0.2, -0.05, TOP_M), thing(3, "apple", -0.25, -0.15, TOP_M)),
        STANDING,
        do("pick_up(object_3)", "put(object_3, inside, object_2)", "pick_up(object_2)"),
        needs=("pick_up", "put"),
    )
    yield Exhibit(
        "put-inside-refused",
        "Hands",
        "Put inside, refused",
        "The teddy bear does not fit into the mug: the action fails, counts as a step, and says why.",
        scene(table(), thing(2, "mug", 0.2, -0.05, TOP_M), thing(3, "teddy_bear", -0.25, -0.1, TOP_M)),
        STANDING,
        (Deed("pick_up(object_3)"), Deed("put(object_3, inside, object_2)", fails="does not fit")),
        needs=("pick_up", "put"),
    )
    yield Exhibit(
        "put-on",
        "Hands",
        "Put on",
        "The mug is put on the chest and stands; physics settles what has been put down.",
        scene(table(), thing(2, "cedar_chest", 0.2, 0.0, TOP_M, size_m=(0.34, 0.24, 0.2)), thing(3, "mug", -0.25, -0.15, TOP_M)),
        STANDING,
        do("pick_up(object_3)", "put(object_3, on, object_2)"),
        needs=("pick_up", "put"),
    )
    yield Exhibit(
        "put-on-unstable",
        "Hands",
        "Put on, and it does not stay",
        "A box put on a ball: the action is done, and physics decides.",
        scene(
            table(),
            thing(2, "tennis_ball", 0.2, -0.05, TOP_M, size_m=(0.12, 0.12, 0.12)),
            thing(3, "box_of_crackers", -0.25, -0.1, TOP_M),
        ),
        STANDING,
        do("pick_up(object_3)", "put(object_3, on, object_2)", "wait"),
        needs=("pick_up", "put"),
    )
    yield Exhibit(
        "put-on-floor",
        "Hands",
        "Put on the floor, put back",
        "The teddy bear is put on the floor ahead; picked up again, it is put back where it was taken from: the floor.",
        scene(table(1, 0.0, 0.6), thing(2, "teddy_bear", -0.1, 0.35, TOP_M)),
        looking(0.0, -0.75, 1.3, 0.0, -30.0),
        do("pick_up(object_2)", "move_backward", "put_on_floor(object_2)", "pick_up(object_2)", "put_back(object_2)"),
        needs=("pick_up", "put_on_floor", "put_back"),
    )
    yield Exhibit(
        "refusals",
        "Hands",
        "What hands cannot do",
        "Too far away, not in view, something in the hand already, too heavy: each is a step with its reason.",
        scene(
            table(1, 0.0, 1.2),
            thing(2, "mug", 0.0, 1.3, TOP_M),
            thing(3, "apple", -0.3, -0.2),
            thing(4, "orange", 0.25, -0.1),
            thing(5, "lemon", 0.3, -2.2),
        ),
        looking(0.0, -0.95, 1.1, 0.0, -34.0),
        (
            Deed("pick_up(object_2)", fails="too far away"),
            Deed("pick_up(object_5)", fails="not in view"),
            Deed("pick_up(object_3)"),
            Deed("pick_up(object_4)", fails="in the hand already"),
        ),
        needs=("pick_up",),
    )


# --- what is simply there ---------------------------------------------------------------------------------------------


def seeing() -> Iterable[Exhibit]:
    """Mirror, phases."""
    yield Exhibit(
        "mirror",
        "Entities",
        "Mirror",
        "A mirror on the far wall shows what stands behind the camera: the teddy bear on its stool is seen only in it.",
        scene(
            Object("object_1", "mirror", Pose((0.0, 2.5, 1.25)), size_m=(1.4, 0.04, 1.3)),
            thing(2, "stool", -0.35, -1.9, dynamic=False),
            thing(3, "teddy_bear", -0.35, -1.9, 0.46, dynamic=False),
            thing(4, "vase", 0.75, 1.6, dynamic=False),
            room=Room(bounds_m=(-2.6, -2.6, 2.6, 2.6), kind="bedroom", seed=3, keep_clear_m=(-1.4, -2.4, 1.4, 2.6)),
        ),
        looking(0.1, -0.4, 1.3, 0.0, -6.0),
        views=(("what stands behind the camera", looking(0.1, -0.4, 1.3, 180.0, -14.0)),),
        needs=("mirror",),
    )
    yield Exhibit(
        "phases",
        "Entities",
        "Before and after",
        "A scene may have two parts; between them the picture goes blank. Here the orange has gone from the crate and a lemon has come.",
        scene(
            thing(1, "carton", 0.0, 0.0, dynamic=False, size_m=(0.5, 0.36, 0.28)),
            thing(2, "orange", -0.08, 0.02, 0.01, dynamic=False),
            thing(3, "lemon", 0.1, -0.03, 0.01, dynamic=False),
            phases=(Phase("before", hidden=("object_3",), budget_share=0.5), Phase("after", hidden=("object_2",), budget_share=0.5)),
        ),
        looking(0.0, -0.5, 1.05, 0.0, -62.0),
        (Deed("phase:after"),),
        needs=("phases",),
    )


# --- things that open -------------------------------------------------------------------------------------------------

OPENABLES: tuple[tuple[str, str, str], ...] = (
    ("lidded-box", "wooden_box", "A lid on a hinge. Closed, nothing can be seen or put inside."),
    ("chest", "treasure_chest", "A small chest with a vaulted lid."),
    ("microwave", "microwave", "A door that opens sideways; what is inside shows behind it."),
    ("packing-box", "packing_box", "Two flaps open together."),
)
"""Openable things that stand on a table: exhibit name, category, caption."""


def openables() -> Iterable[Exhibit]:
    """Lids, doors, drawers: closed, open, with something put inside, closed again; and locked."""
    for name, category, text in OPENABLES:
        yield Exhibit(
            f"open-{name}",
            "Things that open",
            f"{category.replace('_', ' ').capitalize()}",
            text + " Here it is opened, an orange is put inside, and it is closed.",
            scene(table(), thing(2, category, 0.1, 0.02, TOP_M, dynamic=False), thing(3, "orange", -0.3, -0.15, TOP_M)),
            STANDING if category == "microwave" else looking(0.0, -0.5, 1.45, 0.0, -50.0),
            (
                Deed("pick_up(object_3)"),
                Deed("put(object_3, inside, object_2)", fails="closed"),
                Deed("open(object_2)"),
                Deed("put(object_3, inside, object_2)"),
                Deed("close(object_2)"),
                Deed("open(object_2)"),
            ),
            needs=("open", "close", "pick_up", "put"),
        )
    for name, category, x, text in (
        ("cupboard", "cabinet", 0.0, "Two doors open together; there is a shelf inside."),
        ("drawer", "nightstand", 0.0, "A drawer slides out and takes along what lies in it."),
        ("fridge", "fridge", 0.0, "One tall door; the shelves show when it is open."),
    ):
        yield Exhibit(
            f"open-{name}",
            "Things that open",
            category.capitalize(),
            text,
            scene(
                thing(1, category, x, 0.55, dynamic=False),
                thing(2, "stool", -0.75, 0.2, dynamic=False),
                thing(3, "lemon", -0.75, 0.2, 0.46),
            ),
            looking(-0.1, -0.75, 1.3, 0.0, -28.0),
            do("pick_up(object_3)", "open(object_1)", "put(object_3, inside, object_1)", "close(object_1)"),
            needs=("open", "close", "pick_up", "put"),
        )
    yield Exhibit(
        "locked",
        "Things that open",
        "Locked",
        "A scene may lock a thing: opening it fails, with the reason.",
        scene(table(), thing(2, "safe", 0.0, 0.05, TOP_M, dynamic=False, size_m=(0.3, 0.3, 0.3), params={"locked": True})),
        STANDING,
        (Deed("open(object_2)", fails="locked"),),
        needs=("open",),
    )


# --- water ------------------------------------------------------------------------------------------------------------


def water() -> Iterable[Exhibit]:
    """Filling and pouring: transfer, leftover, overflow, and what is refused."""
    yield Exhibit(
        "fill",
        "Water",
        "Fill",
        "An empty glass is filled with water. What is full cannot be filled again.",
        scene(
            table(),
            thing(2, "beaker", 0.0, -0.1, TOP_M, dynamic=False, params={"fillable": True}),
            thing(3, "vase", 0.3, 0.1, TOP_M, dynamic=False, params={"fillable": False}),
        ),
        looking(0.0, -0.55, 1.1, 0.0, -28.0),
        (Deed("fill(object_2, with_water)"), Deed("fill(object_2, with_water)", fails="full")),
        needs=("fill",),
    )
    yield Exhibit(
        "pour",
        "Water",
        "Pour",
        "Water goes from the beaker into the wider bowl: the bowl is not full, so it holds more.",
        scene(
            table(),
            thing(2, "beaker", -0.13, -0.12, TOP_M, dynamic=False, params={"water_ml": 250}),
            thing(3, "bowl", 0.13, -0.12, TOP_M, dynamic=False),
        ),
        looking(0.0, -0.62, 1.12, 0.0, -30.0),
        do("pour(object_2, from, object_2, to, object_3)"),
        needs=("pour",),
    )
    yield Exhibit(
        "pour-overflow",
        "Water",
        "Pour too much",
        "A pitcher of water is poured into a small glass: what does not fit runs over the rim and lies on the table.",
        scene(
            table(),
            thing(2, "pitcher", -0.18, -0.1, TOP_M, dynamic=False, params={"water_ml": 700}),
            thing(3, "water_glass", 0.12, -0.1, TOP_M, dynamic=False),
        ),
        looking(0.0, -0.68, 1.15, 0.0, -30.0),
        do("pour(object_2, from, object_2, to, object_3)"),
        needs=("pour",),
    )
    yield Exhibit(
        "pour-held",
        "Water",
        "Pour from the hand",
        "The glass is picked up with its water, carried, and poured out; then it is empty and cannot be poured again.",
        scene(
            table(),
            thing(2, "water_glass", -0.2, -0.12, TOP_M, dynamic=False, params={"water_ml": 150}),
            thing(3, "bowl", 0.15, -0.08, TOP_M, dynamic=False),
        ),
        looking(0.0, -0.65, 1.15, 0.0, -32.0),
        (
            Deed("pick_up(object_2)"),
            Deed("turn_left"),
            Deed("turn_right"),
            Deed("pour(object_2, from, object_2, to, object_3)"),
            Deed("pour(object_2, from, object_2, to, object_3)", fails="nothing in"),
        ),
        needs=("pour", "pick_up"),
    )
    yield Exhibit(
        "glass-vessels",
        "Water",
        "Glass vessels",
        "What is in a glass vessel is seen through its wall, and so is what stands behind it.",
        scene(
            table(),
            thing(2, "beaker", -0.3, -0.1, TOP_M, dynamic=False, params={"water_ml": 150}),
            thing(3, "erlenmeyer_flask", -0.1, -0.1, TOP_M, dynamic=False, params={"water_ml": 120}),
            thing(4, "vase", 0.1, -0.1, TOP_M, dynamic=False, params={"glass": True}),
            thing(5, "golf_ball", 0.1, -0.1, TOP_M + 0.02, dynamic=False),
            thing(6, "wineglass", 0.3, -0.1, TOP_M, dynamic=False),
            thing(7, "lemon", 0.3, 0.15, TOP_M, dynamic=False),
        ),
        looking(0.0, -0.62, 1.02, 0.0, -18.0),
    )


# --- cloth and slope --------------------------------------------------------------------------------------------------


def soft() -> Iterable[Exhibit]:
    """A cloth over things, taken away; a slope on which things slide or rest."""
    for name, category, cloth in (("mug", "mug", "dishtowel"), ("bear", "teddy_bear", "tablecloth"), ("ball", "soccer_ball", "blanket")):
        yield Exhibit(
            f"cloth-{name}",
            "Cloth",
            "What is under the cloth?",
            "The cloth lies as it fell over the thing: its shape shows, not a pixel of the thing. It is then taken away.",
            scene(
                table(),
                thing(2, category, 0.0, -0.05, TOP_M, dynamic=False),
                thing(3, cloth, 0.0, -0.05, TOP_M + 0.5, dynamic=False),
            ),
            looking(0.0, -0.72, 1.2, 0.0, -30.0),
            do("remove_cloth(object_3)"),
            hides=("object_2",),
            needs=("remove_cloth",),
        )
    for name, friction, angle, text in (
        ("rests", 0.6, 20.0, "With a sliding coefficient of 0.6 the box rests on a slope of 20° (tan 20° = 0.36)."),
        ("slides", 0.25, 30.0, "With 0.25 it slides down a slope of 30° (tan 30° = 0.58)."),
    ):
        yield Exhibit(
            f"slope-{name}",
            "Slope",
            f"A box {name}",
            text,
            scene(
                thing(1, "ramp", 0.0, 0.1, dynamic=False, params={"angle_deg": angle}),
                thing(2, "box_of_crackers", -0.2, -0.22, size_m=(0.09, 0.07, 0.09), params={"friction": friction}),
            ),
            looking(0.05, -0.72, 0.68, 0.0, -36.0),
            do("place_on_slope(object_2)"),
            needs=("place_on_slope",),
        )
    yield Exhibit(
        "slope-rolls",
        "Slope",
        "A ball rolls",
        "Picked up first, then placed on the slope; it rolls off and comes to rest on the floor.",
        scene(
            thing(1, "ramp", 0.0, 0.1, dynamic=False, params={"angle_deg": 20.0}),
            thing(2, "tennis_ball", -0.2, -0.22),
        ),
        looking(0.05, -0.72, 0.68, 0.0, -36.0),
        do("pick_up(object_2)", "place_on_slope(object_2)", "wait"),
        needs=("place_on_slope", "pick_up"),
    )


# --- stacks -----------------------------------------------------------------------------------------------------------


def stacks() -> Iterable[Exhibit]:
    """Three things on each other, in an order that stands and in one that falls."""
    things = (
        thing(2, "cedar_chest", -0.3, 0.05, TOP_M, size_m=(0.26, 0.18, 0.15)),
        thing(3, "book", 0.05, -0.12, TOP_M),
        thing(4, "tennis_ball", 0.3, 0.0, TOP_M),
    )
    stand = ("pick_up(object_3)", "put(object_3, on, object_2)", "pick_up(object_4)", "put(object_4, on, object_3)")
    fall = ("pick_up(object_3)", "put(object_3, on, object_4)", "wait")
    yield Exhibit(
        "stack-stands", "Stacks", "A stack that stands", "Chest, book, ball: each put on the one before.", scene(table(), *things),
        STANDING, do(*stand), needs=("pick_up", "put"),
    )  # fmt: skip
    yield Exhibit(
        "stack-falls", "Stacks", "A stack that falls", "The book put on the ball does not stay.", scene(table(), *things),
        STANDING, do(*fall), needs=("pick_up", "put"),
    )  # fmt: skip


# --- houses -----------------------------------------------------------------------------------------------------------

HOUSES: tuple[tuple[int, int], ...] = (*((n, seed) for n in range(3, 9) for seed in (1, 2)), (5, 3), (6, 4))
"""(number of rooms, seed) of the houses shown."""


def houses() -> Iterable[Exhibit]:
    """Fourteen houses, from above and from inside."""
    camera = Camera(640, 480, 80.0)
    for count, seed in HOUSES:
        plan = house_plan(seed, count)
        rooms_by_size = sorted(plan.names, key=plan.area_m2, reverse=True)
        first, second = rooms_by_size[:2]
        yield Exhibit(
            f"house-{count}-{seed}",
            "Houses",
            f"House of {count} rooms, seed {seed}",
            f"{', '.join(plan.names)}. Form: {plan.scheme}; {plan.loops} loop(s) in its room graph. Seen from the {first}, from the "
            f"{second}, and from above (without ceilings; nobody sees a house so).",
            Scene(camera, plan.bounding_room(), house=House(seed=seed, rooms=count, show_labels=True)),
            _towards_door(plan, first),
            views=((f"from the {second}", _towards_door(plan, second)), ("from above", _above(plan, camera))),
        )


def _towards_door(plan: Plan, name: str) -> Pose:
    """In a room, in the corner farthest from its first door, looking at it."""
    door = next(d for d in plan.doors if name in d.rooms)
    middle = plan.centre(name)
    corner = max(plan.inner(name), key=lambda q: math.dist(q, door.centre_m))
    # Away from the walls, where furniture stands.
    x, y = (q + (m - q) * min(1.0, 1.3 / max(math.dist(corner, middle), 1e-6)) for q, m in zip(corner, middle, strict=True))
    dx, dy = door.centre_m[0] - x, door.centre_m[1] - y
    return looking(x, y, 1.6, math.degrees(math.atan2(-dx, dy)), -10.0)


def _above(plan: Plan, camera: Camera) -> Pose:
    """High above the middle, so that the tops of the outer walls are just in the picture; the longer side lies across it."""
    x0, y0, x1, y1 = plan.bounds_m
    across, deep = sorted((x1 - x0 + 0.3, y1 - y0 + 0.3), reverse=True)
    half = math.tan(math.radians(camera.hfov_deg) / 2)
    high = HEIGHT_M + max(across / 2 / half, deep / 2 / (half * camera.height / camera.width))
    return looking((x0 + x1) / 2, (y0 + y1) / 2, high, 0.0 if x1 - x0 >= y1 - y0 else 90.0, -90.0)


# --- rooms and light --------------------------------------------------------------------------------------------------

ROOM_KINDS = (
    "living_room", "bedroom", "kitchen", "bathroom", "office", "dining_room", "corridor", "lab", "store", "classroom", "garage",
    "storage_room", "restaurant", "gym", "hall",
)  # fmt: skip
"""Room types that look different."""
LIGHTINGS = ("day", "evening", "side", "dim")


def rooms() -> Iterable[Exhibit]:
    """Every room type, from two corners."""
    for n, kind in enumerate(ROOM_KINDS):
        x, y = (1.6, 2.6) if kind == "corridor" else (2.4, 2.1)
        yield Exhibit(
            f"room-{kind.replace('_', '-')}",
            "Rooms",
            kind.replace("_", " ").capitalize(),
            "From two opposite corners.",
            Scene(Camera(640, 480, 90.0), Room(bounds_m=(-x, -y, x, y), kind=kind, seed=n + 1)),
            _from_corner(-x, -y),
            views=(("the other way", _from_corner(x, y)),),
        )


def _from_corner(x: float, y: float) -> Pose:
    """In a corner of the room at eye height, looking across it."""
    inset = 0.75
    eye = (math.copysign(abs(x) - inset, x), math.copysign(abs(y) - inset, y))
    return looking(eye[0], eye[1], 1.6, math.degrees(math.atan2(eye[0], -eye[1])), -14.0)


def light() -> Iterable[Exhibit]:
    """The same room and things under every lighting, and with lit lamps."""
    for lighting in LIGHTINGS:
        yield Exhibit(
            f"light-{lighting}",
            "Light",
            f"Light: {lighting}",
            "The same room and things under other light.",
            scene(
                table(),
                thing(2, "teddy_bear", -0.25, 0.0, TOP_M, dynamic=False),
                thing(3, "vase", 0.2, 0.1, TOP_M, dynamic=False),
                thing(4, "mug", 0.05, -0.2, TOP_M, dynamic=False),
                room=room("living_room", 6),
                lighting=lighting,
            ),
            looking(-0.3, -1.9, 1.5, -6.0, -18.0),
        )


def lamps() -> Iterable[Exhibit]:
    """Lamps that light, by day and in the dark."""
    for lighting, lit in (("day", True), ("evening", True), ("dim", True), ("dim", False)):
        yield Exhibit(
            f"lamp-{lighting}-{'on' if lit else 'off'}",
            "Light",
            f"A lamp, {'lit' if lit else 'not lit'}, light: {lighting}",
            "The lamp lights what is near it; its shade glows." if lit else "The same with the lamp off.",
            scene(
                table(),
                thing(2, "table_lamp", -0.3, 0.05, TOP_M, dynamic=False, params={"lit": lit}),
                thing(3, "teddy_bear", 0.1, 0.0, TOP_M, dynamic=False),
                thing(4, "mug", 0.38, -0.15, TOP_M, dynamic=False),
                room=room("living_room", 6),
                lighting=lighting,
            ),
            looking(0.0, -1.5, 1.45, 0.0, -22.0),
        )


def robot() -> Iterable[Exhibit]:
    """A robot that walks while the observer acts or waits."""
    yield Exhibit(
        "robot",
        "Entities",
        "A robot on its way",
        "It goes half a metre along its path with every action of the observer, here three times wait, then a turn of the camera.",
        scene(
            thing(1, "robot", -1.6, 1.4, dynamic=False, params={"path": [[0.4, 1.4], [0.4, 0.2], [1.6, 0.2]]}),
            thing(2, "carton", 0.0, 2.0, dynamic=False),
            thing(3, "vase", 1.3, 1.1, dynamic=False),
            room=Room(bounds_m=(-3.0, -3.0, 3.0, 3.0), kind="living_room", seed=2, keep_clear_m=(-2.2, -2.2, 2.4, 2.4)),
        ),
        looking(0.0, -2.2, 1.5, 0.0, -14.0),
        do("wait", "wait", "wait", "turn_left", "turn_right", "wait", "wait", "wait"),
        needs=("wait",),
    )


def exhibits() -> tuple[Exhibit, ...]:
    """Everything the gallery shows, in its order; names are unique."""
    return (*hands(), *stacks(), *openables(), *water(), *soft(), *seeing(), *robot(), *light(), *lamps(), *rooms(), *houses())
