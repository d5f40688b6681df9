"""Pictures of every model with its name, to be looked at: ``python -m sim_bridge.backends.mujoco.contact_sheet --out DIR``."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco import gl, vocabulary
from sim_bridge.backends.mujoco.catalogue import Catalogue
from sim_bridge.backends.mujoco.shapes import Model
from sim_bridge.backends.mujoco.textures import font
from sim_bridge.errors import BridgeError

CELL = 168
COLUMNS, ROWS = 9, 6


def picture(model: Model, cell: int = CELL) -> Image.Image:
    """The model on a plain floor, from the front, a little above and to the right."""
    import mujoco

    from sim_bridge.backends.mujoco.render import context
    from sim_bridge.backends.mujoco.world import GROUP_OPAQUE, Builder

    size = float(np.linalg.norm(model.size))
    unit = model.normalised(model.size / size)
    builder = Builder()
    spec = builder.spec
    spec.stat.extent = 1.0
    getattr(spec.visual, "global").offwidth = getattr(spec.visual, "global").offheight = cell
    spec.visual.quality.shadowsize = 1024
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.5, 0.5, 0.5], [0.12, 0.12, 0.12]
    spec.visual.headlight.specular = [0, 0, 0]
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_SPOT, pos=[0.8, -1.2, 2.2], dir=[-0.33, 0.5, -1], cutoff=45, exponent=0, diffuse=[0.4] * 3
    )
    spec.worldbody.add_light(type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[0.6, 0.5, -0.4], diffuse=[0.2] * 3, castshadow=False)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[4, 4, 0.5], pos=[0, 0, float(unit.bounds[0][2])], rgba=[0.72, 0.73, 0.75, 1]
    )
    for part in unit.parts:
        builder.show(spec.worldbody, part, GROUP_OPAQUE)
    yaw, pitch = math.radians(-28), math.radians(20)
    eye = np.array([-math.sin(yaw) * math.cos(pitch), -math.cos(yaw) * math.cos(pitch), math.sin(pitch)]) * 1.75
    back = eye / np.linalg.norm(eye)
    right = np.cross([0, 0, 1], back)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(back, right), back], 1)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, turn.ravel())
    spec.worldbody.add_camera(name="eye", pos=eye.tolist(), quat=quat.tolist(), fovy=36)
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    context().make_current()
    renderer = mujoco.MjrContext(compiled, mujoco.mjtFontScale.mjFONTSCALE_100.value)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, renderer)
    scene = mujoco.MjvScene(compiled, maxgeom=500)
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    mujoco.mjv_updateScene(compiled, data, mujoco.MjvOption(), None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, scene)
    pixels = np.empty((cell, cell, 3), np.uint8)
    rectangle = mujoco.MjrRect(0, 0, cell, cell)
    mujoco.mjr_render(rectangle, scene, renderer)
    mujoco.mjr_readPixels(pixels, None, rectangle, renderer)
    renderer.free()
    return Image.fromarray(pixels[::-1])


def sheets(models: Iterable[tuple[str, Model]]) -> Iterator[Image.Image]:
    """Pages of captioned pictures."""
    page: Image.Image | None = None
    n = 0
    for caption, model in models:
        if page is None or n == COLUMNS * ROWS:
            if page is not None:
                yield page
            page, n = Image.new("RGB", (COLUMNS * CELL, ROWS * (CELL + 26)), (255, 255, 255)), 0
        x, y = n % COLUMNS * CELL, n // COLUMNS * (CELL + 26)
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


def pack_models(catalogue: Catalogue) -> Iterator[tuple[str, Model]]:
    """Every model of the pack, mapped or not."""
    pack = catalogue.pack
    if pack is None:
        raise BridgeError("no asset pack is installed: run `python -m sim_bridge.backends.mujoco.build_assets`")
    for entry in pack.entries:
        yield f"{entry.model}\n{entry.name} {entry.faces}f", pack.model(entry.model)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sim_bridge.backends.mujoco.contact_sheet", description="Pictures of every model with its name."
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for sheet_NN.png")
    parser.add_argument("--pack", action="store_true", help="the models of the asset pack instead of the catalogue's categories")
    parser.add_argument("--only", default="", help="comma-separated categories")
    options = parser.parse_args(arguments)
    try:
        gl.check()
        catalogue = Catalogue.load()
        models = pack_models(catalogue) if options.pack else catalogue_models(catalogue)
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
