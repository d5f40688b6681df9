"""Pictures of every model with its name, to be looked at: ``python -m sim_bridge.backends.mujoco.tools.contact_sheet --out DIR``."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.meshes.shapes import Model, Part
from sim_bridge.backends.mujoco.meshes.textures import font
from sim_bridge.errors import BridgeError

CELL = 168
COLUMNS, ROWS = 9, 6
FIELD_DEG = 30.0
YAW_DEG = -28.0
CAPTION_CHARACTERS = 24
BACKGROUND = [0.86, 0.87, 0.88]


def picture(model: Model, cell: int = CELL, *, mirror: bool = False, yaw_deg: float = YAW_DEG) -> Image.Image:
    """The model on a plain floor before a plain sky, a little from the right and from above; flat things from higher up.

    Args:
        model: at any size and place.
        cell: edge of the square picture in pixels.
        mirror: whether its front reflects (as the world adds it to mirrors).
        yaw_deg: 0 looks at the front, negative values come from its right.
    """
    import mujoco

    from sim_bridge.backends.mujoco.engine.building import GROUP_OPAQUE, Builder
    from sim_bridge.backends.mujoco.engine.render import context

    size = float(np.linalg.norm(model.size))
    unit = model.normalised(model.size / size)
    low, high = unit.bounds
    builder = Builder()
    spec = builder.spec
    spec.stat.extent = 1.0
    getattr(spec.visual, "global").offwidth = getattr(spec.visual, "global").offheight = cell
    spec.visual.quality.shadowsize = 2048
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.5, 0.5, 0.5], [0.12, 0.12, 0.12]
    spec.visual.headlight.specular = [0, 0, 0]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=BACKGROUND,
        rgb2=BACKGROUND,
        width=8,
        height=48,
    )
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_SPOT, pos=[0.8, -1.2, 2.2], dir=[-0.33, 0.5, -1], cutoff=45, exponent=0, diffuse=[0.4] * 3
    )
    spec.worldbody.add_light(type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[0.6, 0.5, -0.4], diffuse=[0.2] * 3, castshadow=False)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[40, 40, 0.5], pos=[0, 0, float(low[2])], rgba=[0.80, 0.81, 0.83, 1])
    for part in (*unit.parts, *(p for m in unit.mobiles for p in m.parts)):
        builder.show(spec.worldbody, part, GROUP_OPAQUE)
    if mirror:
        glass = Part(np.zeros((3, 3)), np.array([[0, 1, 2]]), rgb=(0.05, 0.05, 0.06), specular=1.0, shininess=1.0)
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[float(high[0]) * 0.92, float(high[2]) * 0.95, 0.1],
            quat=[math.sqrt(0.5), math.sqrt(0.5), 0, 0],
            pos=[0, float(low[1]) - 0.003, 0],
            material=builder.material(glass, reflectance=0.9),
        )
    extent = high - low
    flat = float(extent[2] / max(extent[0], extent[1]))
    pitch = math.radians(float(np.interp(flat, [0.1, 0.6], [48.0, 20.0])))
    yaw = math.radians(yaw_deg)
    back = np.array([-math.sin(yaw) * math.cos(pitch), -math.cos(yaw) * math.cos(pitch), math.sin(pitch)])
    right = np.cross([0, 0, 1], back)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(back, right), back], 1)
    # As near as shows everything: corners of the box inside the view with a margin.
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]) @ turn
    reach = (np.abs(corners[:, :2]) / math.tan(math.radians(FIELD_DEG / 2)) + corners[:, 2:]).max()
    eye = back * float(reach) * 1.08
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, turn.ravel())
    spec.worldbody.add_camera(name="eye", pos=eye.tolist(), quat=quat.tolist(), fovy=FIELD_DEG)
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    context().make_current()
    renderer = mujoco.MjrContext(compiled, mujoco.mjtFontScale.mjFONTSCALE_100.value)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, renderer)
    scene = mujoco.MjvScene(compiled, maxgeom=500)
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX.value] = 1
    mujoco.mjv_updateScene(compiled, data, mujoco.MjvOption(), None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, scene)
    pixels = np.empty((cell, cell, 3), np.uint8)
    rectangle = mujoco.MjrRect(0, 0, cell, cell)
    mujoco.mjr_render(rectangle, scene, renderer)
    mujoco.mjr_readPixels(pixels, None, rectangle, renderer)
    renderer.free()
    return Image.fromarray(pixels[::-1])


def captioned(shot: Image.Image, words: str) -> Image.Image:
    """A picture with its name below."""
    lines = 1 + (len(words) > CAPTION_CHARACTERS)
    page = Image.new("RGB", (shot.width, shot.height + 26), (255, 255, 255))
    page.paste(shot, (0, 0))
    draw = ImageDraw.Draw(page)
    cut = words.rfind(" ", 0, CAPTION_CHARACTERS + 1) if lines == 2 else len(words)
    cut = cut if cut > 0 else CAPTION_CHARACTERS
    for i, line in enumerate((words[:cut], words[cut:].strip()[: CAPTION_CHARACTERS + 2])):
        draw.text((3, shot.height + 1 + 12 * i), line, fill=(0, 0, 0), font=font(11))
    return page


def sheets(models: Iterable[tuple[str, Model | None]]) -> Iterator[Image.Image]:
    """Pages of captioned pictures; what has no model leaves its place empty."""
    page: Image.Image | None = None
    n = 0
    for caption, model in models:
        if page is None or n == COLUMNS * ROWS:
            if page is not None:
                yield page
            page, n = Image.new("RGB", (COLUMNS * CELL, ROWS * (CELL + 26)), (255, 255, 255)), 0
        x, y = n % COLUMNS * CELL, n // COLUMNS * (CELL + 26)
        if model is not None:
            page.paste(picture(model), (x, y))
        draw = ImageDraw.Draw(page)
        for i, line in enumerate(caption.split("\n")):
            draw.text((x + 3, y + CELL + 12 * i), line[:30], fill=(0, 0, 0), font=font(11))
        n += 1
    if page is not None:
        yield page


def catalogue_models(catalogue: Catalogue) -> Iterator[tuple[str, Model]]:
    """Each distinct look of the vocabulary once, with the first categories it stands for."""
    looks: dict[str, list[str]] = {}
    for category in vocabulary.known():
        if catalogue.lookup(category).grade != "none":
            looks.setdefault(catalogue.kind_of(category), []).append(category)
    for categories in looks.values():
        match = catalogue.lookup(categories[0])
        size = "x".join(f"{100 * v:.0f}" for v in match.real_size_m or ())
        yield f"{', '.join(categories)}\n{match.grade} {match.model_id or match.maker} {size}", catalogue.model(match)


def used_models(catalogue: Catalogue, categories: Iterable[str]) -> Iterator[tuple[str, Model | None]]:
    """Each of some categories with how it is shown: exact, alias (as what), labelled package, none (why); by grade, then by name."""
    grades = ("exact", "alias", "labelled", "none")
    matches = sorted((catalogue.lookup(c) for c in set(categories)), key=lambda m: (grades.index(m.grade), m.category))
    for match in matches:
        model = catalogue.model(match) if match.grade != "none" else None
        yield f"{match.category}\n{match.grade} {match.reason.removeprefix('shown as ')}".strip(), model


def categories_of(file: Path) -> list[str]:
    """The categories that a report of `vantage tasks coverage --json` names.

    Raises:
        BridgeError: it is no such report.
    """
    try:
        found = msgspec.json.decode(file.read_bytes(), type=_Report)
    except (OSError, msgspec.MsgspecError):
        raise BridgeError(f"{file} is no report of `vantage tasks coverage --json`") from None
    return list(found.categories)


class _Report(msgspec.Struct):
    categories: dict[str, dict[str, Any]]


def pack_models(catalogue: Catalogue) -> Iterator[tuple[str, Model]]:
    """Every model of the pack, mapped or not."""
    pack = catalogue.pack
    if pack is None:
        raise BridgeError("no asset pack is installed: run `python -m sim_bridge.backends.mujoco.tools.build_assets`")
    for entry in pack.entries:
        yield f"{entry.model}\n{entry.name} {entry.faces}f", pack.model(entry.model)


def main(arguments: list[str] | None = None) -> int:
    """The command line of the module; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m sim_bridge.backends.mujoco.tools.contact_sheet", description="Pictures of every model with its name."
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for sheet_NN.png")
    parser.add_argument("--pack", action="store_true", help="the models of the asset pack instead of the catalogue's categories")
    parser.add_argument("--only", default="", help="comma-separated categories")
    parser.add_argument("--used", type=Path, help="the categories of a report of `vantage tasks coverage --json`, by how they are shown")
    options = parser.parse_args(arguments)
    try:
        gl.check()
        catalogue = Catalogue.load()
        models: Iterator[tuple[str, Model | None]]
        models = pack_models(catalogue) if options.pack else catalogue_models(catalogue)
        if options.used:
            models = used_models(catalogue, categories_of(options.used))
        if options.only:
            models = ((c, catalogue.model(catalogue.lookup(c))) for c in options.only.split(","))
        options.out.mkdir(parents=True, exist_ok=True)
        for i, page in enumerate(sheets(models)):
            file = options.out / f"sheet_{i:02d}.png"
            page.save(file)
            print(file)
    except BridgeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
