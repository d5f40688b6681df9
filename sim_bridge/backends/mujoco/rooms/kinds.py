"""Kinds of rooms: the floors and walls that each may have, and how its furniture stands along the walls; which kind looks like which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Colour, Model
from sim_bridge.backends.mujoco.models import fitted
from sim_bridge.backends.mujoco.rooms import lived_in
from sim_bridge.backends.mujoco.rooms.furnishing import Arranger, Piece

WALLS: tuple[Colour, ...] = (
    (0.90, 0.88, 0.83),
    (0.86, 0.87, 0.84),
    (0.83, 0.86, 0.88),
    (0.91, 0.86, 0.77),
    (0.84, 0.87, 0.80),
    (0.89, 0.84, 0.82),
)
BRIGHT: tuple[Colour, ...] = ((0.80, 0.88, 0.93), (0.95, 0.90, 0.74), (0.86, 0.92, 0.82), (0.95, 0.86, 0.86))


@dataclass(frozen=True)
class Style:
    """What a kind of room looks like and how it is furnished."""

    floors: tuple[str, ...]
    arrange: Callable[[Arranger], None]
    walls: str = "plaster"
    colours: tuple[Colour, ...] = WALLS
    lower_tiles: bool = False
    curtains: bool = False


# --- furniture by room type -------------------------------------------------------------------------------------------


def _living_room(a: Arranger) -> None:
    big = a.space.area_m2 > 13
    sofa = a.wall("sofa", "middle", "long", front=0.95)
    if sofa:
        stand = a.opposite(sofa, "tv_stand") or a.wall("tv_stand", "middle")
        if stand:
            a.on(stand, "television")
            a.keep_between(sofa, stand)
        table = a.before(sofa, "coffee_table", 0.34, 0.0)
        at = np.array(sofa.centre_m[:2]) + sofa.forward * (float(sofa.model.size[1]) / 2 + 0.62)
        a.rug(2.5, 1.7, at, sofa.yaw_deg, ("lozenge", "stripes", "plain")[int(a.rng.integers(3))])
        a.beside(sofa, "floor_lamp", 0.06, _sides(a))
        if table and big:
            for side in _sides(a):
                # An armchair at the end of the coffee table, half turned to the sofa.
                model = a.model("armchair")
                if model is None:
                    break
                at = np.array(table.centre_m[:2]) + table.right * side * (float(table.model.size[0]) / 2 + 0.75) + table.forward * 0.25
                if a.try_at("armchair", model, at, (sofa.yaw_deg + 180 - side * 55) % 360):
                    break
        a.above(sofa, "picture", 1.62, variant=int(a.rng.integers(6)))
    else:
        stand = a.wall("tv_stand", "middle")
        if stand:
            a.on(stand, "television")
        a.wall("armchair", "corner", front=0.5)
        a.wall("floor_lamp", "corner", front=0.0)
    a.wall("bookcase", "any")
    if big:
        a.wall("bookcase" if a.rng.random() < 0.5 else "sideboard", "any")
    a.wall("house_plant", "corner", front=0.0)
    if a.space.area_m2 > 24:
        a.table_with_chairs("table", 4)
        a.wall("piano" if a.rng.random() < 0.5 else "fireplace", "middle", "long", front=0.7)
        a.wall("console_table", "any")
    a.somewhere("picture", 1.6, 2)


def _sides(a: Arranger) -> tuple[int, int]:
    return (1, -1) if a.rng.random() < 0.5 else (-1, 1)


def _bedroom(a: Arranger) -> None:
    narrow = min(a.space.bounds[2] - a.space.bounds[0], a.space.bounds[3] - a.space.bounds[1]) < 2.6
    bed = a.wall("bed", "corner" if narrow else "middle", "long", front=0.45, size=(1.15, 2.05, 0.95) if narrow else None)
    if not bed and not a.categories & {"bed", "crib"}:
        # Where the middle of the room is taken, a single bed lies along a wall.
        single = fitted.bunk(0.84, 1.95, a.space.seed).turned("z", 90).normalised()
        a.wall("bed", "corner", "long", front=0.0, model=single)
    if bed:
        lamps = 0
        for side in _sides(a):
            stand = a.beside(bed, "nightstand", 0.06, (side,))
            if stand and lamps < 2:
                a.on(stand, "table_lamp")
                lamps += 1
        at = np.array(bed.centre_m[:2]) + bed.forward * (float(bed.model.size[1]) * 0.32)
        a.rug(float(bed.model.size[0]) + 1.0, 1.5, at, bed.yaw_deg, ("stripes", "plain", "lozenge")[int(a.rng.integers(3))])
        a.above(bed, "picture", 1.7, variant=int(a.rng.integers(6)))
    else:
        stand = a.wall("nightstand", "corner")
        if stand:
            a.on(stand, "table_lamp")
    a.wall("wardrobe", "corner", front=0.6)
    a.wall("dresser", "middle", front=0.5)
    if a.space.area_m2 > 13:
        a.wall("armchair", "corner", front=0.4)
    a.wall("house_plant", "corner", front=0.0)
    if a.space.area_m2 > 24:
        a.wall("wardrobe", "any", front=0.6)
        a.wall("bookcase", "any")
    a.somewhere("picture", 1.6, 1)


def _childs_room(a: Arranger) -> None:
    model = fitted.bunk(seed=a.space.seed).normalised() if not a.categories & {"bed", "crib"} else None
    bed = a.wall("bed", "corner", "long", front=0.4, model=model) if model else None
    if bed:
        a.on(bed, "teddy_bear", -0.18, 0.45, 20, z=0.49)
    desk = a.wall("desk", "any", "window", front=0.75)
    if desk:
        a.before(desk, "chair", -0.18, 180)
        a.on(desk, "globe", -0.32, 0.12)
    box = a.wall("toy_box", "any", front=0.35)
    if box:
        a.on(box, "teddy_bear", 0.1, 0.0, -15)
    a.wall("shelf", "any", front=0.3)
    a.wall("wardrobe", "corner", front=0.6)
    mx, my = a.space.middle
    a.rug(1.7, 1.3, (mx, my), 0.0, "stripes")
    a.wall("house_plant", "corner", front=0.0)
    ball = a.model("basketball")
    if ball is not None:
        for x, y in a.spots(0.6, 0.6)[3:40:6]:
            if a.try_at("basketball", ball, (x, y), 0):
                break
    a.somewhere("picture", 1.5, 2)


_LOOKS_LIKE = {
    "sink": {"sink", "pedestal_sink", "washbasin"},
    "oven": {"oven", "stove", "range", "burner", "microwave"},
    "dishwasher": {"dishwasher", "washer"},
}


def _kitchen(a: Arranger) -> None:
    without = frozenset(name for name, like in _LOOKS_LIKE.items() if like & a.categories)
    run = _kitchen_run(a, without)
    if run:
        piece, modules = run
        fridge = a.beside(piece, "fridge", 0.02, _sides(a), size=(0.62, 0.64, 1.70))
        if not fridge:
            a.wall("fridge", "corner", front=0.7, size=(0.62, 0.64, 1.70))
        wide = float(piece.model.size[0])
        spare = [k for k, m in enumerate(modules) if m in ("doors", "drawers", "dishwasher")]
        step = wide / len(modules)
        for k, name in zip(spare, ("kettle", "microwave", "cutting_board", "toaster"), strict=False):
            # Small things that the task does not have.
            if name == "microwave" and "oven" in without:
                continue
            a.on(piece, name, -wide / 2 + step * (k + 0.5), 0.08, z=fitted.TOP_M)
    else:
        a.wall("fridge", "corner", front=0.6, size=(0.62, 0.64, 1.70))
        for name in ("kitchen_cabinet", "oven", "kitchen_cabinet", "dishwasher"):
            a.wall(name, "corner", front=0.6)
    round_one = a.model("table") if a.space.area_m2 > 11 else fitted.round_table().normalised()
    if not a.categories & {"dining_table", "breakfast_table", "table"} and round_one is not None:
        a.table_with_chairs("table", 4 if a.space.area_m2 > 11 else 3, 0.35, round_one)
    a.wall("trash_can", "corner", front=0.0)
    a.wall("house_plant", "corner", front=0.0)
    if a.space.area_m2 > 14:
        a.wall("shelf", "any", front=0.3)
    a.somewhere("wall_clock", 1.9, 1)
    a.somewhere("picture", 1.6, 1)


def _kitchen_run(a: Arranger, without: frozenset[str]) -> tuple[Piece, list[str]] | None:
    """The longest run of cabinets that some wall has room for, with cabinets above where there is no window."""
    for face in a.faces("long"):
        for length in (4.2, 3.6, 3.0, 2.4, 1.8, 1.2):
            if length > face.length_m - 0.06:
                continue
            model, modules = fitted.kitchen_run(length, a.space.seed, without)
            model = model.normalised()
            # The tiled back reaches above window sills: it is no part of the height that must stay below them.
            ends = (length / 2 + 0.03, face.length_m - length / 2 - 0.03)
            for along in (*(ends if a.rng.random() < 0.5 else ends[::-1]), face.length_m / 2):
                if not a.clear_of_windows(face, along - length / 2, along + length / 2, fitted.TOP_M):
                    continue
                at = face.at(along, fitted.DEPTH_M / 2 + 0.02)
                tall = model if a.clear_of_windows(face, along - length / 2, along + length / 2, 1.4) else _without_back(model)
                piece = a.try_at("kitchen_run", tall, at, face.yaw_deg, front=0.75)
                if piece:
                    above = length - 0.6 if length > 1.8 else length
                    cabinets = fitted.wall_cabinets(above, a.space.seed).normalised()
                    if a.clear_of_windows(face, along - length / 2, along + length / 2, 2.2):
                        a.hang("wall_cabinets", face, along - (length - above) / 2, 1.42 + 0.31, cabinets)
                    return piece, modules
    return None


def _without_back(model: Model) -> Model:
    """The run without its tiled back."""
    return replace(
        model, parts=tuple(p for p in model.parts if float(p.vertices[:, 2].max()) < model.size[2] / 2 - 0.2 or p.uv is None)
    ).normalised()


def _bathroom(a: Arranger) -> None:
    small = a.space.area_m2 < 5.0
    tub = None if small else a.wall("bathtub", "corner", "long", front=0.5)
    if tub is None:
        a.wall("shower_stall", "corner", front=0.5)
    basin = a.wall("washbasin", "middle", front=0.55)
    if basin:
        a.above(basin, "mirror_cabinet", 1.62, fitted.mirror_cabinet().normalised())
        at = np.array(basin.centre_m[:2]) + basin.forward * 0.62
        a.rug(0.75, 0.5, at, basin.yaw_deg, "plain")
    toilet = a.wall("toilet", "any", front=0.5)
    if toilet:
        found = a.face_behind(toilet)
        paper = a.model("toilet_paper")
        if found and paper is not None and "toilet_paper" not in a.categories:
            for side in (0.42, -0.42):
                if a.hang("toilet_paper", found[0], found[1] + side, 0.72, paper):
                    break
    a.wall("washer", "corner", front=0.5)
    a.wall("laundry_basket", "corner", front=0.0)
    a.somewhere("towel_rack", 1.25, 1)
    if a.space.area_m2 > 9:
        a.wall("house_plant", "corner", front=0.0)
        a.wall("shelf", "any")


def _office(a: Arranger) -> None:
    count = 1 if a.space.area_m2 < 14 else 2 if a.space.area_m2 < 26 else 4
    for k in range(count):
        _work_place(a, "window" if k == 0 else "spread", k)
    a.wall("bookcase", "any")
    a.wall("filing_cabinet", "corner")
    if a.space.area_m2 > 9:
        a.wall("bookcase", "any")
    a.wall("house_plant", "corner", front=0.0)
    if a.space.area_m2 > 16:
        a.table_with_chairs("table", 4)
        a.wall("cabinet", "any")
    a.somewhere("picture", 1.6, 1)
    a.somewhere("wall_clock", 1.95, 1)


def _work_place(a: Arranger, order: str, k: int) -> None:
    """A desk with a screen, a chair before it and a bin beside it."""
    desk = a.wall("desk", "any", order, front=0.85)
    if not desk:
        return
    a.on(desk, "monitor", 0.0, 0.14)
    a.on(desk, "keyboard", 0.0, -0.10)
    if k == 0:
        a.on(desk, "desk_lamp", -0.42, 0.12)
    if not a.before(desk, "desk_chair", -0.10, 180):
        a.before(desk, "desk_chair", -0.36, 180)
    a.beside(desk, "trash_can", 0.06, _sides(a))


def _dining_room(a: Arranger) -> None:
    table = a.table_with_chairs("table", 6, 0.3) or a.table_with_chairs("table", 4, 0.2, fitted.round_table(0.95).normalised())
    if table:
        a.rug(2.6, 2.0, table.centre_m[:2], table.yaw_deg)
        a.on(table, "vase")
    side = a.wall("sideboard", "middle")
    if side:
        a.above(side, "picture", 1.6, variant=int(a.rng.integers(6)))
    a.wall("china_cabinet", "any")
    a.wall("house_plant", "corner", front=0.0)
    a.wall("floor_lamp", "corner", front=0.0)
    if not table:
        # Where the middle of the room is taken, a small table stands at the wall with a chair at each end.
        small = a.wall("table", "middle", "long", front=0.0, size=(1.0, 0.6, 0.74))
        seat = a.model("chair")
        for end in (-1, 1):
            if seat is not None and small is not None:
                at = np.array(small.centre_m[:2]) + small.right * end * 0.62
                a.try_at("chair", seat, at, (small.yaw_deg - end * 90) % 360, beside=small)
    a.somewhere("picture", 1.6, 1)


def _corridor(a: Arranger) -> None:
    x0, y0, x1, y1 = a.space.bounds
    slim = min(x1 - x0, y1 - y0)
    long = max(x1 - x0, y1 - y0)
    if slim > 1.32:
        table = a.wall("console_table", "any", front=0.0, size=(0.95, 0.30, 0.80) if slim < 1.9 else None, gap=0.012)
        if table:
            a.on(table, "vase", 0.2)
            a.above(table, "picture", 1.55, variant=int(a.rng.integers(6)))
    if slim > 1.9:
        a.wall("coatrack", "corner", front=0.0)
        a.wall("bench", "any", front=0.2)
    if slim > 2.2:
        a.wall("house_plant", "corner", front=0.0)
    mx, my = a.space.middle
    a.rug(min(long - 1.2, 3.2), min(0.75, slim - 0.6), (mx, my), 0.0 if x1 - x0 > y1 - y0 else 90.0, "stripes")
    a.somewhere("picture", 1.6, 3)


def _lab(a: Arranger) -> None:
    for k in range(3 if a.space.area_m2 > 12 else 2):
        bench = a.wall("lab_bench", "middle" if k == 0 else "any", front=0.6)
        if bench:
            for dx, name in ((-0.55, "microscope"), (0.0, "monitor"), (0.5, "beaker"), (0.7, "erlenmeyer_flask")):
                if k != 2 or name != "monitor":
                    a.on(bench, name, dx, 0.05)
            a.before(bench, "stool", -0.12, 180, 0.3)
    a.table_with_chairs("lab_bench", 4, 0.5, chair="stool")
    a.wall("cabinet", "corner", front=0.5)
    a.wall("fridge", "corner", front=0.6, size=(0.62, 0.64, 1.70))
    a.wall("shelf", "any")
    a.wall("trash_can", "corner", front=0.0)
    a.somewhere("wall_clock", 1.95, 1)
    board = a.model("whiteboard")
    if board is not None and a.space.area_m2 > 20:
        a.wall("whiteboard", "any", front=0.6)


def _store(a: Arranger) -> None:
    a.wall("counter", "corner", front=0.7)
    if a.wall("shop_fridge", "any", front=0.6, model=fitted.shop_fridge().normalised()) and a.space.area_m2 > 20:
        a.wall("shop_fridge", "any", front=0.6, model=fitted.shop_fridge().normalised())
    for k in range(6 if a.space.area_m2 > 20 else 4):
        a.wall("gondola", "any", front=0.7, model=fitted.gondola(a.space.seed + k, False, 2.0 if k < 3 else 1.3).normalised())
    for k in range(3):
        model = fitted.gondola(a.space.seed + 10 + k).normalised()
        x0, y0, x1, y1 = a.space.bounds
        yaw = 0.0 if x1 - x0 > y1 - y0 else 90.0
        wide, deep = (float(model.size[0]), float(model.size[1])) if yaw == 0 else (float(model.size[1]), float(model.size[0]))
        for spot in a.spots(wide + 1.7, deep + 1.7):
            if a.try_at("gondola", model, spot, yaw):
                break
    a.wall("shopping_basket", "corner", front=0.0)
    a.somewhere("wall_clock", 2.1, 1)


def _classroom(a: Arranger) -> None:
    face = a.faces("long")[0]
    for face in a.faces("long"):
        board = next(
            (
                p
                for along in (face.length_m / 2, face.length_m * 0.4, face.length_m * 0.6)
                if (p := a.hang("board", face, along, 1.5, fitted.chalk_board().normalised()))
            ),
            None,
        )
        if board:
            break
    desk, chair = a.model("table"), a.model("chair")
    if desk is not None and chair is not None:
        desk = desk.normalised(np.array([1.15, 0.55, 0.74]))
        n = face.normal[:2]
        yaw = (face.yaw_deg + 180) % 360
        x0, y0, x1, y1 = a.space.bounds
        middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        depth = abs(float((np.array([x1 - x0, y1 - y0])) @ np.abs(n)))
        start = middle - n * depth / 2
        across = face.direction[:2]
        width = face.length_m
        for row in range(4):
            for column in range(max(1, int((width - 0.9) / 1.65))):
                columns = max(1, int((width - 0.9) / 1.65))
                out = 2.5 + row * 1.3
                if out > depth - 0.9:
                    break
                at = start + n * out + across * ((column - (columns - 1) / 2) * 1.65)
                # The pupil sits behind the desk and looks to the board.
                piece = a.try_at("table", desk, at, (yaw + 180) % 360)
                if piece:
                    for dx in (-0.28, 0.28):
                        q = at + n * 0.42 + across * dx
                        z = a.space.floor_z_m + float(chair.size[2]) / 2
                        a.pieces.append(Piece("chair", chair, (float(q[0]), float(q[1]), z), yaw))
        teacher = start + n * 1.0 + across * (width * 0.28)
        piece = a.try_at("table", desk.normalised(np.array([1.3, 0.6, 0.75])), teacher, yaw)
        if piece:
            a.on(piece, "globe", -0.4, 0.0)
    a.wall("bookcase", "any")
    a.wall("cabinet", "corner")
    a.wall("house_plant", "corner", front=0.0)
    a.somewhere("wall_clock", 2.1, 1)
    a.somewhere("picture", 1.6, 2)


def _garage(a: Arranger) -> None:
    door = fitted.garage_door(2.4, 2.1).normalised()
    for face in a.faces("long"):
        if not face.openings and a.hang("garage_door", face, face.length_m / 2, 1.06, door):
            middle, n = face.at(face.length_m / 2), face.normal
            side = face.direction * 1.3
            corners = [middle - side, middle + side + n * 1.5]
            a.rects.append((min(c[0] for c in corners), min(c[1] for c in corners), max(c[0] for c in corners), max(c[1] for c in corners)))
            break
    a.wall("workbench", "middle", front=0.7)
    for k in range(2):
        a.wall("storage_rack", "any", front=0.5, model=fitted.storage_rack(a.space.seed + k).normalised())
    a.wall("step_ladder", "corner", front=0.0)
    a.wall("cabinet", "corner")
    a.wall("trash_can", "corner", front=0.0)
    a.wall("packing_box", "corner", front=0.0)
    a.wall("wheelbarrow", "any", front=0.0)


def _storage_room(a: Arranger) -> None:
    for k in range(4 if a.space.area_m2 > 6 else 2):
        long = 1.2 if k % 2 == 0 else 0.9
        a.wall("storage_rack", "corner" if k < 2 else "any", front=0.55, model=fitted.storage_rack(a.space.seed + k, long).normalised())
    a.wall("step_ladder", "corner", front=0.0)
    a.wall("packing_box", "corner", front=0.0)
    a.wall("broom", "corner", front=0.0)
    a.wall("cabinet", "any")


def _restaurant(a: Arranger) -> None:
    counter = a.wall("counter", "middle", "long", front=1.0)
    if counter:
        for dx in (-0.55, 0.0, 0.55):
            a.before(counter, "bar_stool", 0.12, 180, dx)
    a.wall("sideboard", "any")
    for _ in range(6):
        table = a.table_with_chairs("table", 2 if a.rng.random() < 0.4 else 4, 0.12, fitted.round_table(0.8).normalised())
        if not table:
            break
        if a.rng.random() < 0.5:
            a.on(table, "vase")
    a.wall("house_plant", "corner", front=0.0)
    a.wall("floor_lamp", "corner", front=0.0)
    a.wall("house_plant", "corner", front=0.0)
    a.somewhere("picture", 1.6, 3)


def _gym(a: Arranger) -> None:
    for _ in range(3 if a.space.area_m2 > 20 else 1):
        a.wall("treadmill", "any", front=0.3, gap=0.3)
    rack = fitted.dumbbell_rack().normalised()
    if not a.categories & {"dumbbell", "barbell"}:
        a.wall("dumbbell_rack", "middle", front=0.8, model=rack)
        model = fitted.weight_bench().normalised()
        for spot in a.spots(2.3, 2.0):
            if a.try_at("weight_bench", model, spot, 0.0):
                break
    a.wall("punching_bag", "corner", front=0.3)
    a.wall("bench", "any", front=0.3)
    a.wall("locker", "corner", front=0.4)
    a.wall("water_cooler", "corner", front=0.3)
    mx, my = a.space.middle
    a.rug(1.8, 0.65, (mx + 0.9, my + 0.9), 0.0, "plain")
    a.somewhere("wall_clock", 2.1, 1)


def _hall(a: Arranger) -> None:
    counter = a.wall("counter", "middle", "long", front=1.0)
    if counter:
        a.on(counter, "monitor", 0.3, 0.05, 180)
    for _ in range(2 if a.space.area_m2 < 20 else 4):
        a.wall("bench", "any", front=0.5)
        a.wall("house_plant", "corner", front=0.0)
    mx, my = a.space.middle
    if a.space.area_m2 > 14:
        sofa = a.wall("sofa", "middle", front=0.8)
        if sofa:
            a.before(sofa, "coffee_table", 0.34, 0.0)
    a.rug(2.8, 1.9, (mx, my), 0.0)
    a.wall("trash_can", "corner", front=0.0)
    a.somewhere("wall_clock", 2.0, 1)
    a.somewhere("picture", 1.6, 2)


STYLES: dict[str, Style] = {
    "living_room": Style(("wood", "wood", "carpet"), _living_room, curtains=True),
    "bedroom": Style(("wood", "carpet"), _bedroom, "stripes", curtains=True),
    "childs_room": Style(("wood", "carpet"), _childs_room, "plaster", BRIGHT, curtains=True),
    "kitchen": Style(("tile", "wood"), _kitchen),
    "bathroom": Style(("tile",), _bathroom, lower_tiles=True),
    "office": Style(("carpet", "wood"), _office),
    "dining_room": Style(("wood",), _dining_room, "stripes", curtains=True),
    "corridor": Style(("wood", "tile"), _corridor),
    "lab": Style(("tile",), _lab),
    "store": Style(("tile",), _store),
    "classroom": Style(("wood", "carpet"), _classroom),
    "garage": Style(("concrete",), _garage),
    "storage_room": Style(("concrete", "tile"), _storage_room),
    "restaurant": Style(("wood", "tile"), _restaurant, "stripes", curtains=True),
    "gym": Style(("wood",), _gym),
    "hall": Style(("tile", "wood"), _hall),
}
_KINDS = {
    "playroom": "childs_room",
    "nursery": "childs_room",
    "television_room": "living_room",
    "lounge": "living_room",
    "lobby": "hall",
    "entryway": "corridor",
    "hallway": "corridor",
    "pantry_room": "storage_room",
    "utility_room": "storage_room",
    "closet": "storage_room",
    "private_office": "office",
    "shared_office": "office",
    "copy_room": "office",
    "meeting_room": "office",
    "conference_hall": "office",
    "computer_lab": "lab",
    "biology_lab": "lab",
    "chemistry_lab": "lab",
    "infirmary": "lab",
    "grocery_store": "store",
    "bar": "restaurant",
    "break_room": "restaurant",
    "dining_hall": "restaurant",
    "auditorium": "hall",
    "library": "classroom",
    "locker_room": "gym",
    "sauna": "gym",
    "spa": "gym",
    "staircase": "corridor",
    "empty_room": "living_room",
    "exercise_room": "gym",
}


LIVED_STYLES: dict[str, Style] = {
    "workshop": Style(("concrete",), lived_in.workshop),
    "utility_room": Style(("tile",), lived_in.utility_room, lower_tiles=True),
    "library": Style(("wood", "carpet"), lived_in.library, curtains=True),
    "meeting_room": Style(("carpet", "wood"), lived_in.meeting_room),
}
"""Kinds of rooms that ``lived_in`` knows beside those of `STYLES`."""


def style_of(kind: str, lived: bool = False) -> Style:
    """Style of a room kind; unknown kinds look like a living room."""
    base = base_kind(kind, lived)
    return LIVED_STYLES[base] if lived and base in LIVED_STYLES else STYLES[base]


def base_kind(kind: str, lived: bool = False) -> str:
    """The kind of `STYLES`, or where it is ``lived_in`` of `LIVED_STYLES`, that a room kind looks like."""
    base = kind.strip().lower()
    if lived and base in LIVED_STYLES:
        return base
    if base not in STYLES and base not in _KINDS:
        base = base.rstrip("0123456789").rstrip("_")
    base = _KINDS.get(base, base)
    return base if base in STYLES else "living_room"
