"""Light: what shines in each kind of lighting, and lamps that objects carry.

One spot casts shadows. In a house it hangs in the room of the camera; the other rooms are lit by what is everywhere (ambient light,
directional fills, the glow of walls that stands for light thrown back). All of it follows from the scene and the camera's pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour
from sim_bridge.backends.mujoco.rooms import house_shell
from sim_bridge.backends.mujoco.rooms.house_shell import Space
from sim_bridge.houses.outline import Point
from sim_bridge.spec import Scene

if TYPE_CHECKING:
    import mujoco

CUTOFF_DEG = 89.0
"""Half-angle of the spot's cone. Light is computed per corner of a surface, so that an edge of a narrower cone on a wall had the steps of
the wall's quads; this wide the light has faded before (`Light.exponent`)."""
SHADOW_DEG = 66.0
"""Half-angle within which the spot casts shadows. The shadow map spans it: a wider one (80°) has texels of 14 mm and blocky shadows."""
BOUNCE = 0.22
"""Share of a cone's light that reaches faces turned away from it: what floor and things throw back within its round."""


NIGHT_CONE_DEG = 38.0
"""At night a lamp lights a round of what is below it and nothing else: half-angle of its cone."""
NIGHT_ASIDE_M, NIGHT_BELOW_M = (0.0, -0.14), 0.10
"""Where that cone begins: off the lamp's axis in its own frame, and below its bulb."""
BULB = 0.872
"""Height of a standing lamp's bulb, as a share of the lamp's (a test measures where the light ends)."""
STANDING_M = 1.2
"""Lamps that stand on the floor and are taller than this are standing lamps."""


@dataclass(frozen=True)
class Surfaces:
    """How bright surfaces are of themselves: light that walls throw back at each other, which the renderer does not compute."""

    wall_glow: float
    ceiling_glow: float
    lamp_glow: float
    sky: Colour
    sky_glow: float


SURFACES = {
    "day": Surfaces(0.20, 0.36, 0.5, (1.0, 1.0, 1.0), 0.9),
    "side": Surfaces(0.14, 0.22, 0.1, (1.0, 0.98, 0.92), 1.0),
    "evening": Surfaces(0.07, 0.12, 0.9, (0.16, 0.18, 0.30), 0.25),
    "dim": Surfaces(0.0, 0.0, 0.0, (0.10, 0.12, 0.20), 0.15),
    "night": Surfaces(0.07, 0.05, 0.0, (0.10, 0.12, 0.20), 0.15),
}


@dataclass(frozen=True)
class Light:
    """Strengths of one kind of lighting."""

    ambient: Colour
    headlight: float
    spot: Colour
    spot_specular: float
    fills: tuple[tuple[tuple[float, float, float], Colour], ...]
    exponent: float = 2.5
    """Away from its middle the spot fades with this power of the cosine."""
    attenuation: tuple[float, float, float] = (1.0, 0.0, 0.0)


def _grey(v: float) -> Colour:
    return v, v, v


LIGHTS = {
    "day": Light(
        _grey(0.56),
        0.10,
        (0.43, 0.417, 0.392),
        0.2,
        (((0.5, 0.6, -0.28), _grey(0.23)), ((-0.6, -0.3, -0.26), _grey(0.15))),
    ),
    "side": Light((0.48, 0.49, 0.51), 0.05, (0.56, 0.51, 0.405), 0.2, (((0.5, 0.6, -0.28), (0.10, 0.10, 0.12)),), 0.8),
    "evening": Light(
        (0.40, 0.345, 0.28),
        0.05,
        (0.52, 0.41, 0.26),
        0.15,
        (((0.5, 0.6, -0.28), (0.11, 0.09, 0.06)), ((-0.6, -0.3, -0.26), (0.07, 0.055, 0.04))),
    ),
    "dim": Light((0.15, 0.15, 0.165), 0.04, (0.66, 0.51, 0.32), 0.1, (), 2.5, (1.0, 0.1, 0.05)),
    "night": Light(_grey(0.0), 0.0, _grey(0.0), 0.0, (), 0.0),
}


def lamp_place(scene: Scene, space: Space) -> Point:
    """Where the ceiling lamp of a room hangs, and in day and evening light its spot."""
    if scene.house is not None:
        return space.middle
    return _spot_place(scene)


def _spot_place(scene: Scene) -> Point:
    """Beside the middle of what the scene says must stay clear, so that shadows fall to one side.

    From what the scene states, not from where its objects stand: twins, in which one object moves, have the same light.
    """
    x0, y0, x1, y1 = scene.room.bounds_m
    a, b, c, d = scene.room.keep_clear_m or scene.room.bounds_m
    focus, centre = np.array([(a + c) / 2, (b + d) / 2]), np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    lean = centre - focus
    lean = lean / max(float(np.linalg.norm(lean)), 1e-6) * 0.55 if np.linalg.norm(lean) > 0.05 else np.array([0.4, 0.35])
    x, y = np.clip(focus + lean, [x0 + 0.2, y0 + 0.2], [x1 - 0.2, y1 - 0.2])
    return float(x), float(y)


def add(spec: mujoco.MjSpec, scene: Scene) -> None:
    """The headlight, the one spot that casts shadows, and fills that make differently facing walls differ in shade."""
    import mujoco

    r, light = scene.room, LIGHTS[scene.lighting]
    ceiling = r.floor_z_m + r.height_m
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = list(light.ambient), [light.headlight] * 3, [0, 0, 0]
    x, y = _spot_place(scene)
    position, direction = np.array([x, y, ceiling - min(0.1, r.height_m * 0.05)]), np.array([0.0, 0.01, -1.0])
    if scene.lighting == "side":
        position, direction = window_spot(house_shell.spaces(scene)[0])
    # Where lamps of the scene shine in the dark, the ceiling only keeps corners from turning black.
    share = 0.3 if scene.lighting == "dim" and any(o.params.get("lit") for o in scene.objects) else 1.0
    spec.worldbody.add_light(
        name="spot",
        type=mujoco.mjtLightType.mjLIGHT_SPOT,
        pos=position.tolist(),
        dir=direction.tolist(),
        cutoff=CUTOFF_DEG,
        exponent=light.exponent,
        castshadow=scene.lighting != "night",
        diffuse=[share * c for c in light.spot],
        specular=[light.spot_specular] * 3,
        attenuation=list(light.attenuation),
    )
    for toward, strength in light.fills:
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=[0, 0, 4],
            dir=list(toward),
            diffuse=list(strength),
            specular=[0, 0, 0],
            castshadow=False,
        )


def rounds(scene: Scene) -> list[tuple[float, float, float]]:
    """(x, y, radius), metres, of what standing lamps light of the floor at night, lit or not; none in other light."""
    found = []
    for o in scene.objects if scene.lighting == "night" else ():
        high = o.size_m[2] if o.size_m else 0.0
        if "lit" in o.params and high > STANDING_M:
            (x, y, _), (_, _, qz, qw) = o.pose.position_m, o.pose.quaternion_xyzw
            yaw, (a, b) = 2 * np.arctan2(qz, qw), NIGHT_ASIDE_M
            middle = x + a * np.cos(yaw) - b * np.sin(yaw), y + a * np.sin(yaw) + b * np.cos(yaw)
            radius = (BULB * high - NIGHT_BELOW_M) * np.tan(np.radians(NIGHT_CONE_DEG))
            found.append((float(middle[0]), float(middle[1]), float(radius)))
    return found


def window_spot(space: Space) -> tuple[Array, Array]:
    """(place, direction) of low light from the window side: high at the room's widest window, towards the middle of its floor."""
    found = [(f, o) for f in space.faces for o in f.openings if o.kind == "window"]
    x, y = space.middle
    if found:
        face, hole = max(found, key=lambda q: q[1].width_m)
        position = face.at(hole.middle_m, 0.12, space.floor_z_m + min(hole.head_m, space.height_m - 0.15))
    else:
        face = max(space.faces, key=lambda f: f.length_m)
        position = face.at(face.length_m / 2, 0.12, space.floor_z_m + space.height_m - 0.2)
    direction = np.array([x, y, space.floor_z_m + 0.2]) - position
    direction[2] = min(direction[2], -0.45 * float(np.linalg.norm(direction[:2])))
    return position, direction / np.linalg.norm(direction)


def add_lamp(
    body: mujoco.MjsBody,
    position: tuple[float, float, float],
    *,
    warm: bool = True,
    strength: float = 0.85,
    down: bool = False,
    cone_deg: float | None = None,
    name: str = "",
) -> None:
    """The light of a lit lamp, on the lamp's body so that it goes where the lamp goes.

    It casts no shadow (one light of the scene may, the ceiling spot) unless it is a narrow cone, and fades within about 4 m.

    Args:
        position: of the bulb, in the body's frame, metres.
        warm: the yellowish white of a bulb; else the bluish one of a tube.
        strength: brightness right at the lamp.
        down: whether the shade lets light out below alone (desk lamps); otherwise it shines all around.
        cone_deg: half-angle of a cone straight down that casts shadows; None: as `down` says.
    """
    import mujoco

    colour = np.array([1.0, 0.86, 0.66] if warm and cone_deg is not None else [1.0, 0.80, 0.52] if warm else [0.95, 0.97, 1.0]) * strength
    body.add_light(
        name=name,
        # The classic renderer shows nothing of point lights; a spot of half-angle 180° shines all around.
        type=mujoco.mjtLightType.mjLIGHT_SPOT,
        pos=list(position),
        dir=[0, 0, -1],
        cutoff=cone_deg or (75.0 if down else 180.0),
        exponent=3.0 if cone_deg is not None else 1.0 if down else 0.0,
        castshadow=cone_deg is not None,
        diffuse=colour.tolist(),
        specular=(colour * 0.3).tolist(),
        attenuation=[0.7, 0.25, 0.55],
    )
    if cone_deg is not None:
        # A light that casts shadows gives no ambient light of its own.
        body.add_light(
            type=mujoco.mjtLightType.mjLIGHT_SPOT,
            pos=list(position),
            dir=[0, 0, -1],
            cutoff=cone_deg,
            exponent=0.0,
            castshadow=False,
            ambient=(colour * BOUNCE).tolist(),
            diffuse=[0, 0, 0],
            specular=[0, 0, 0],
            attenuation=[0.7, 0.25, 0.55],
        )
