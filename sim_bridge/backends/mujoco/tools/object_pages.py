"""The catalogue for readers: pictures of every look and a table of every category: ``python -m sim_bridge objects --out DIR``."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue, Match
from sim_bridge.backends.mujoco.catalogue.physical import (
    MAX_HAND_MASS_KG,
    MAX_HAND_SIZE_M,
    MAX_POLE_KG,
    MAX_POLE_M,
    MAX_POLE_WIDTH_M,
    physical,
)
from sim_bridge.backends.mujoco.catalogue.things import RULES
from sim_bridge.backends.mujoco.tools import agreement

CELL = 144
COLUMNS = 9
QUALITY = 78
LABEL_YAW_DEG = -10.0
"""Packages are shown more from the front, where their name is."""

SECTIONS: tuple[tuple[str, str], ...] = (
    ("apple", "Food"),
    ("tennis_ball", "Balls"),
    ("half_coconut_fruit", "Food"),
    ("mug", "Table and kitchen"),
    ("beaker", "Laboratory glass"),
    ("can", "Packages, boxes and baskets"),
    ("balloon", "Toys, sport and music"),
    ("book", "Books and stationery"),
    ("hammer", "Tools and small household things"),
    ("backpack", "Clothes, bags and instruments"),
    ("cactus", "Plants and stones"),
    ("microwave", "Machines and lamps"),
    ("coffee_table", "Furniture and fixtures"),
)
"""Section titles and the category of the vocabulary at which each begins."""

PACKAGES: tuple[str, ...] = tuple(
    """bottle_of_ketchup bottle_of_mustard bottle_of_olive_oil bottle_of_hot_sauce bottle_of_soda bottle_of_shampoo bottle_of_bleach
    bottle_of_aspirin bottle_of_vodka jar_of_honey jar_of_jam jar_of_peanut_butter jar_of_pepper can_of_soda can_of_soup can_of_tuna
    can_of_tomato_paste can_of_dog_food box_of_cereal box_of_crackers box_of_chocolates box_of_cookies box_of_milk carton_of_milk
    carton_of_orange_juice carton_of_eggs bag_of_flour bag_of_rice bag_of_chips bag_of_tea bag_of_fertilizer pack_of_gum pack_of_bread
    pack_of_pasta tube_of_toothpaste tube_of_lotion cup_of_yogurt cup_of_hot_chocolate bucket_of_paint jug_of_milk canister_of_coffee
    salt_shaker vinegar_atomizer cinnamon_shaker shampoo_dispenser sugar_canister""".split()  # noqa: SIM905 - a list to read
)
"""Examples of the packages that bear their name; any other name works as well."""


@dataclass(frozen=True)
class Row:
    """One category as the table shows it."""

    category: str
    match: Match
    section: str


def rows(catalogue: Catalogue) -> list[Row]:
    """Every category of the vocabulary that can be shown, by section; then the example packages."""
    starts, current = dict(SECTIONS), SECTIONS[0][1]
    found = []
    for category in RULES:
        current = starts.get(category, current)
        match = catalogue.lookup(category)
        if match.recognisable:
            found.append(Row(category, match, current))
    found += [Row(c, catalogue.lookup(c), "Packages that bear their name") for c in PACKAGES if c not in RULES]
    titles = list(dict.fromkeys([title for _, title in SECTIONS] + [r.section for r in found]))
    return sorted(found, key=lambda r: (titles.index(r.section), r.category))


def looks(catalogue: Catalogue, some: list[Row]) -> list[Row]:
    """The first category of every look."""
    seen: dict[str, Row] = {}
    for row in some:
        seen.setdefault(catalogue.kind_of(row.category), row)
    return list(seen.values())


def sheet(catalogue: Catalogue, some: list[Row]) -> Image.Image:
    """Captioned pictures in rows."""
    from sim_bridge.backends.mujoco.tools.contact_sheet import YAW_DEG, captioned, picture

    lines = -(-len(some) // COLUMNS)
    page: Image.Image | None = None
    for k, row in enumerate(some):
        shot = captioned(
            picture(
                catalogue.model(row.match),
                CELL,
                mirror=row.category == "mirror",
                yaw_deg=LABEL_YAW_DEG if row.match.grade == "labelled" else YAW_DEG,
            ),
            vocabulary.words(row.category),
        )
        page = page or Image.new("RGB", (COLUMNS * shot.width, lines * shot.height), (255, 255, 255))
        page.paste(shot, (k % COLUMNS * shot.width, k // COLUMNS * shot.height))
    assert page is not None, "a section without a look"
    return page


def _cell(row: Row, catalogue: Catalogue, apart: str) -> str:
    match, size = row.match, row.match.real_size_m
    assert size is not None, row.category
    known, model = physical(match, size), catalogue.model(match)
    inside = "yes" if match.hollow or model.cavity is not None else ""
    if model.cavity is not None:
        inside = f"{model.cavity.volume_m3 * 1e6:.0f} ml" if model.cavity.holds_liquid else f"{model.cavity.volume_m3 * 1e3:.1f} l"
    entry = catalogue.pack.entry(match.model_id) if match.model_id is not None and catalogue.pack else None
    shown = {"exact": "exact", "labelled": "labelled"}.get(match.grade, match.reason.replace("shown as", "alias:"))
    grams = known.mass_kg * 1000
    return " | ".join(
        (
            f"| {row.category}",
            shown,
            " × ".join(f"{100 * v:.1f}".rstrip("0").rstrip(".") for v in size),
            f"{grams / 1000:.3g} kg" if grams >= 1000 else f"{grams:.3g} g",
            f"{known.friction:.2f}",
            f"{known.restitution:.2f}" if known.restitution else "",
            "yes" if known.graspable else "no",
            inside,
            ", ".join(m.name for m in model.mobiles),
            apart,
            f"{entry.creator or entry.model}, {entry.licence} |" if entry else "procedural |",
        )
    )


def agreements(catalogue: Catalogue, some: list[Row], say: Callable[[str], None]) -> dict[str, agreement.Agreement]:
    """How well the contact shape of every look agrees with what is seen, by kind; empty where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        say("SciPy is not installed, so contact shapes are not compared with what is seen (`pip install scipy`)")
        return {}
    found = {}
    for row in looks(catalogue, some):
        found[catalogue.kind_of(row.category)] = agreement.measure(catalogue.model(row.match))
    return found


INTRODUCTION = """# Objects of the embedded simulator

<!-- Written by `python -m sim_bridge objects`; change the catalogue, then run it again. -->

{categories} categories in {looks} looks: {pack} models of the asset pack `{name}`, the others procedural. Packages
(`bottle_of_X`, `X_jar`, …) bear their name, whatever X is; {packages} examples are shown. Categories that no viewer would name here are
left out.

* **grade**: *exact* a model of that thing; *alias* a near-synonym, the reason says what is seen; *labelled* a package that bears its name.
* **size**: width × depth × height in cm. A scene may scale an object; its mass follows the volume.
* **mass**, **friction** (sliding, on dry wood), **bounce** (share of the speed that is kept). A scene may state its own.
* **hand**: it can be picked up: at most {hand_kg:.0f} kg and {hand_m} m long, or slim
  (at most {pole_m} m by {pole_w} m and {pole_kg:.0f} kg), and not installed.
* **inside**: what fits: the volume up to the rim, ml where it holds liquid; *yes*: things can be inside a closed piece.
* **agrees**: how far the colliding surface is from the visible one, mm, seen from above / where it stands / from around
  (95th percentiles of rays).
* **source**: creator and licence of a pack model (`ATTRIBUTION.md` in the pack has the whole list), or procedural.
"""

HEADER = """
| category | grade | size (cm) | mass | friction | bounce | hand | inside | opens | agrees (mm) | source |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def markdown(catalogue: Catalogue, every: list[Row], pictures: dict[str, str], measured: dict[str, agreement.Agreement]) -> Iterator[str]:
    """The page. `pictures`: section → link of its sheet."""
    used = {r.match.model_id for r in every if r.match.model_id}
    yield INTRODUCTION.format(
        categories=sum(r.category in RULES for r in every),
        looks=len(looks(catalogue, [r for r in every if r.category in RULES])),
        pack=len(used),
        name=catalogue.name,
        packages=sum(r.category not in RULES for r in every),
        hand_kg=MAX_HAND_MASS_KG,
        hand_m=MAX_HAND_SIZE_M,
        pole_m=MAX_POLE_M,
        pole_w=MAX_POLE_WIDTH_M,
        pole_kg=MAX_POLE_KG,
    )
    for section in dict.fromkeys(r.section for r in every):
        yield f"\n## {section}\n\n![{section}]({pictures[section]})\n{HEADER}"
        for row in every:
            if row.section == section:
                a = measured.get(catalogue.kind_of(row.category))
                yield _cell(row, catalogue, " / ".join(f"{v:.1f}" for v in a.rounded) if a else "") + "\n"
    absent = [c for c in vocabulary.known() if not catalogue.lookup(c).recognisable]
    yield "\n## Left out\n\n" + "".join(f"* {c}: {catalogue.lookup(c).reason}\n" for c in absent)


def write(out: Path, images: Path, say: Callable[[str], None] = print) -> Path:
    """Write ``objects.md`` into `out` and its pictures into `images`; returns the page."""
    from sim_bridge.backends.mujoco.engine import gl

    gl.check()
    catalogue = Catalogue.load()
    every = rows(catalogue)
    out.mkdir(parents=True, exist_ok=True)
    images.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for k, section in enumerate(dict.fromkeys(r.section for r in every)):
        file = images / f"objects-{k + 1:02d}.webp"
        sheet(catalogue, looks(catalogue, [r for r in every if r.section == section])).save(file, "WEBP", quality=QUALITY, method=6)
        pictures[section] = Path(os.path.relpath(file, out)).as_posix()
        say(f"{file}: {section}")
    say("comparing contact shapes with what is seen")
    page = out / "objects.md"
    page.write_text("".join(markdown(catalogue, every, pictures, agreements(catalogue, every, say))), encoding="utf-8")
    say(str(page))
    return page
