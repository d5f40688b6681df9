"""What a scene is and what comes back from it: the vocabulary both ends of the bridge share.

Conventions (those of ESI-Bench's released rows): metres; world frame with z up; quaternions are ``xyzw``;
a camera looks along its own −z axis with +x right and +y up, so the identity quaternion looks straight down.
Nothing in this module knows questions, options or gold answers: a worker never receives them.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Ability = Literal["take", "open", "hold", "carry", "water", "cloth"]
"""What can be done with a kind of object: a hand takes it; it opens and closes; it has an inside; it is made to carry things; it holds
water; it is a cloth that can be taken away."""
PixelBox = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels of a frame, (0, 0) its top left corner; the right and lower ends are not in it."""


class Pose(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rigid pose in the world frame."""

    position_m: Vec3
    """Position in metres, world frame, z up."""
    quaternion_xyzw: Quat = (0.0, 0.0, 0.0, 1.0)
    """Unit quaternion, scalar last."""


class Camera(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Image size, field of view and how far an action leads; one per scene and constant over an episode."""

    width: int = 640
    """Image width in pixels."""
    height: int = 480
    """Image height in pixels."""
    hfov_deg: float = 75.0
    """Horizontal field of view in degrees (pixels are square, so the vertical one follows)."""
    move_step_m: float = 0.25
    """How far one move of the camera leads, metres; the default is the published one. Another needs the feature ``camera_steps``."""
    turn_step_deg: float = 15.0
    """How far one turn or pitch leads, degrees; a whole number of them is a full turn. The default is the published one."""


class Room(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rectangular room; the backend furnishes it from `kind` and `seed` outside `keep_clear`."""

    bounds_m: tuple[float, float, float, float] = (-3.0, -3.0, 3.0, 3.0)
    """(x_min, y_min, x_max, y_max) of the floor, world frame."""
    floor_z_m: float = 0.0
    """Height of the floor surface."""
    height_m: float = 2.7
    """Ceiling height above the floor."""
    kind: str = "living_room"
    """Room type: living_room, bedroom, kitchen, bathroom, office, corridor, lab, store, dining_room, …"""
    seed: int = 0
    """Chooses textures, colours and furniture; the same seed gives the same room."""
    furnished: bool = True
    """Whether the backend adds furniture along the walls."""
    keep_clear_m: tuple[float, float, float, float] | None = None
    """(x_min, y_min, x_max, y_max) that furniture must leave free; None lets the backend derive it from the objects and the start pose."""
    arrangement: str = "along_walls"
    """How the backend furnishes it. ``along_walls``: furniture with its back to the walls. ``lived_in``: furniture also away from walls,
    and small things on tables, shelves, counters, beds and the floor; none of them an object of the scene. Holds for a whole house."""
    without: tuple[str, ...] = ()
    """Categories that nothing in a ``lived_in`` room may be, look like, or share a name with, beside those of the objects. Scenes whose
    objects differ in kind (twins) have the same room only where each names the kinds of both."""


class HouseRoom(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One room of a house: a rectangle, or an L of two that share part of an edge."""

    name: str
    """Unique within the house and readable on a sign, e.g. ``kitchen`` or ``bedroom 2``."""
    kind: str
    """Room type, as `Room.kind`."""
    rects_m: tuple[tuple[float, float, float, float], ...]
    """(x_min, y_min, x_max, y_max) up to the middle of the walls, world frame; rooms that touch share a wall."""


class HouseDoor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A way between two rooms through the wall they share; always passable."""

    rooms: tuple[str, str]
    """Names of the two rooms."""
    centre_m: tuple[float, float]
    """Middle of the opening, on the middle line of the wall."""
    along: str
    """``x`` or ``y``: the direction in which the wall runs."""
    width_m: float = 0.9
    """Clear width."""
    leaf: str = ""
    """Name of the room into which a door leaf stands open; empty: an open passage."""
    hinge: int = 1
    """+1 or −1: the end of the opening, along the wall's direction, at which the leaf hangs."""


class HouseWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A window, or the closed front door, in an outer wall."""

    room: str
    centre_m: tuple[float, float]
    """Middle on the middle line of the wall."""
    along: str
    """``x`` or ``y``: the direction in which the wall runs."""
    width_m: float = 1.4
    kind: str = "window"
    """``window`` or ``entrance``."""


class HouseLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An explicit house. What `sim_bridge.houses.plan` derives from a seed has this form too."""

    rooms: tuple[HouseRoom, ...]
    doors: tuple[HouseDoor, ...]
    windows: tuple[HouseWindow, ...] = ()


class House(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A house of several rooms that fills `Scene.room`, whose bounds are then the rectangle around it.

    `sim_bridge.houses.plan(seed, rooms)` gives the same plan as the backend builds, with its graph, paths and map, and the `Room` to use.
    """

    seed: int = 0
    """Decides the layout (unless `layout` is given), colours and furniture."""
    rooms: int = 5
    """Number of rooms, 3 to 9, corridors included."""
    show_labels: bool = False
    """Whether every room bears its own name on its walls."""
    layout: HouseLayout | None = None
    """The layout in full; None: derived from `seed` and `rooms`."""
    open_plan: bool = False
    """Whether the derived layout has two rooms that a wide opening joins (living room and kitchen, …). Not used where `layout` is given."""


class Object(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One object of the scene. `handle` is opaque: no role, category or answer may follow from it."""

    handle: str
    """Unique within the scene, of the form ``object_1``, ``object_2``, …"""
    category: str
    """Category in the source's vocabulary, e.g. ``bottle_of_hot_sauce``. Never shown to people or models unless the question names it."""
    pose: Pose
    """Pose of the object's box centre (see `origin`)."""
    origin: str = "center"
    """What `pose.position_m` refers to: ``center`` (of the object's box) or ``base`` (centre of its lower face)."""
    size_m: Vec3 | None = None
    """Extents of the box along the object's own axes; None: the catalogue's real size."""
    height_m: float | None = None
    """Height alone, when only that is known; the catalogue's proportions are kept. Ignored when `size_m` is given."""
    scale: Vec3 = (1.0, 1.0, 1.0)
    """Extra scale on top of the size, own axes."""
    on_floor: bool = False
    """Move the object vertically so that its lowest point touches the room's floor (hides model differences to the recorded one)."""
    dynamic: bool = False
    """Whether physics moves it; otherwise it stays where it was put."""
    model: str | None = None
    """The source's model id, kept for backends that own that model."""
    params: dict[str, Any] = {}
    """Entity-specific settings, e.g. ``{"color": "red"}``; every backend documents those it knows and refuses others."""


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named time of the scene (before/after): objects not listed in `hidden` are present, with `moved` poses."""

    name: str
    hidden: tuple[str, ...] = ()
    """Handles absent during this phase."""
    moved: dict[str, Pose] = {}
    """Poses that differ from `Object.pose`."""
    budget_share: float = 1.0
    """Share of the episode's observations available in this phase (0, 1]; the engine, not the backend, enforces it."""
    lighting: str = ""
    """Light during this phase, as `Scene.lighting`; empty: the scene's. Backends with the capability ``phase_light`` show it."""
    lit: dict[str, bool] = {}
    """handle → whether this lamp is lit during this phase, where its own params say otherwise (``phase_light``)."""


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything a backend needs to build the world of one task."""

    camera: Camera
    room: Room
    objects: tuple[Object, ...] = ()
    phases: tuple[Phase, ...] = ()
    """Empty: one unnamed phase with everything present."""
    lighting: str = "day"
    """``day``; ``dim``: faint, with dark windows; ``evening``: warm ceiling lamps, dark windows; ``side``: low light from the window side;
    ``night``: walls and windows hardly show, and what no lit lamp shines on is black. The geometry is the same in all of them. In ``dim``,
    lamps of the scene that are lit give most of the light, in ``night`` all of it."""
    source_scene: str | None = None
    """Scene name in the source dataset (e.g. ``Rs_int``), for backends that own that scene."""
    source_room: str | None = None
    settle_steps: int = 30
    """Physics steps before the first observation (the released runner's 30)."""
    house: House | None = None
    """A house instead of the one room. `room` is then the rectangle around it (for clipping and the ends of the world): its `floor_z_m`,
    `height_m` and `furnished` hold, its `kind` and `seed` do not. Backends without houses show the empty rectangle."""


class Frame(msgspec.Struct, frozen=True):
    """One rendered image, encoded once and for all in the worker."""

    data: bytes
    """Lossless encoded image."""
    media_type: str
    """``image/webp`` (lossless)."""
    width: int
    height: int
    pixel_hash: str
    """SHA-256 hex of ``b"<height>,<width>,3"`` followed by the raw RGB bytes, shape (H, W, 3) uint8, row major."""


class ObjectState(msgspec.Struct, frozen=True):
    """What the simulator knows of one object now; for judges and logs, never for the person or model who acts."""

    handle: str
    category: str
    pose: Pose
    aabb_min_m: Vec3
    aabb_max_m: Vec3
    visible_pixels: int
    """Pixels of the current view that show this object (segmentation); 0 when hidden or behind."""
    present: bool = True
    room: str | None = None
    flags: dict[str, bool] = {}
    """open, filled, held, … as far as the backend has them. With `protocol.State.audit`, also ``floating``, ``interpenetrating``,
    ``moved_after_settling``, ``out_of_room`` and ``never_visible``."""
    levels: dict[str, float] = {}
    """Numbers of the object, as far as the backend has them: ``open`` (0 to 1), ``water_ml``, ``capacity_ml``, ``angle_deg``, …"""


class Relation(msgspec.Struct, frozen=True):
    """A relation that holds now: kind ∈ inside, on, touching, under. ``touching`` is given once for a pair, in the scene's order."""

    kind: str
    subject: str
    object: str


class Contact(msgspec.Struct, frozen=True):
    """Where two objects touch."""

    subject: str
    object: str
    position_m: Vec3
    """Middle between the two surfaces where they are nearest, world frame."""
    gap_m: float
    """Distance of the visible surfaces there; 0 where they meet or cross."""


class Hands(msgspec.Struct, frozen=True):
    """What a hand can do in a scene, by the kinds of its objects and nothing that has to be found out: told to people and models."""

    reach_m: float | None = None
    """How near the camera must be to a point of an object's box, metres; None: there is no such limit."""
    can: dict[str, tuple[Ability, ...]] = {}
    """handle → what can be done with an object of its kind."""


class Observation(msgspec.Struct, frozen=True):
    """What one step returns: one to n frames, the last being the observation."""

    frames: tuple[Frame, ...]
    camera: Pose
    visible: dict[str, int]
    """handle → visible pixels in the last frame (may be sampled at half resolution; `state` counts all); handles with none are absent."""
    clipped: bool = False
    """The camera is inside a wall, outside the room or inside an object (measurement 7)."""
    phase: str = ""
    boxes: dict[str, PixelBox] = {}
    """handle → the smallest box around its visible pixels in the last frame, as far as they were counted (at half resolution its ends are
    even numbers). Empty from backends that count pixels without telling where they are."""
