"""Make the two galleries of the documentation.

Usage::

    python -m sim_bridge gallery --out DIR --json > DIR/shown.json
    python tools/galleries.py simulator DIR     # docs/reference/simulator.md from those pictures
    python tools/galleries.py benchmark         # docs/reference/benchmark.md: one bundled item of each subcategory, played
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from data.generators.balance import answer_text
from data.generators.framework import Generator
from data.generators.lab import Lab, Step, laboratory, play
from data.generators.registry import GENERATORS, bundled
from data.subcategories import find
from data.task import Task
from sim_bridge.encoding import decode_frame
from sim_bridge.gallery import Shot, strip
from sim_bridge.gallery_scenes import Exhibit, exhibits
from sim_bridge.lost import once_more

ROOT = Path(__file__).resolve().parents[1]
PAGES, IMAGES = ROOT / "docs" / "reference", ROOT / "docs" / "images"
FRAME_PX, SHEET_PX = 380, 1280
"""Width of one picture, and of a row of them at most."""
QUALITY = 70
HEAD = "<!-- Written by `python tools/galleries.py {}`; do not edit. -->"


def simulator(pictures: Path) -> None:
    """The page of the simulator's gallery, from the folder that ``sim_bridge gallery`` wrote."""
    shown = json.loads((pictures / "shown.json").read_text(encoding="utf-8"))
    if shown["troubles"]:
        raise SystemExit("The gallery has troubles; mend them first:\n" + "\n".join(shown["troubles"]))
    for old in IMAGES.glob("sim-*.webp"):
        old.unlink()
    parts = [
        "# What the embedded simulator shows and does",
        HEAD.format("simulator DIR"),
        "Strips read from left to right: the view before, pictures on the way, the view after. Every action is checked while the\n"
        "pictures are made. `python -m sim_bridge gallery --out DIR` makes them in full size on your machine.",
    ]
    for group, members in itertools.groupby(exhibits(), key=lambda e: e.group):
        parts.append(f"## {group}")
        for exhibit in members:
            parts.append(f"### {exhibit.title}\n\n{exhibit.text}")
            for picture in shown["pictures"]:
                if picture["exhibit"] == exhibit.name and picture["file"]:
                    parts.append(_figure(exhibit, Shot(picture["file"], picture["caption"], picture["frames"]), pictures))
    _write(PAGES / "simulator.md", parts)


def _figure(exhibit: Exhibit, shot: Shot, pictures: Path) -> str:
    image = Image.open(pictures / shot.file).convert("RGB")
    width = min(FRAME_PX * shot.frames, SHEET_PX, image.width)
    name = f"sim-{shot.file}"
    image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS).save(IMAGES / name, "WEBP", quality=QUALITY)
    caption = shot.caption or exhibit.title
    return f"![{exhibit.title}: {caption}](../images/{name})\n\n*{caption}*"


SOURCES = (
    "Test sets that nobody has seen are made with [held-out seeds](../how-to/generate-tasks.md). Of the sources of margins,\n"
    "Torralba, Loomis, Raghubir & Krishna, Naceri, ISO 8596 and Poliak were looked up again and say what is cited. Teghtsoonian,\n"
    "Ono and Westheimer, and the CRC Handbook's table of friction, were not at hand: other accounts give figures of the same size,\n"
    "copies of the table agree for glass, metal and wood, and margins are several times as large as such a figure."
)
"""What is said of the margins' sources as a whole."""


def benchmark(only: Sequence[str] = ()) -> None:
    """The page of the bundled benchmark: per kind of task one item with its twin, the start view and what the trajectory shows.

    Args:
        only: slugs of the kinds whose pictures are drawn again; none: all. The text is always written in full.
    """
    tasks = {t.task_id: t for t in bundled()}
    parts = [
        "# The bundled benchmark",
        HEAD.format("benchmark"),
        f"{len(tasks) - 1} tasks of {len({(g.category, g.subcategory) for g in GENERATORS})} subcategories come with the product, "
        "each made and proven by a\n"
        "generator (`vantage tasks check`). One item of each kind, as its proof plays it: a row is one task; the first picture is\n"
        "all that a participant has at the start, the others lie on the trajectory that proves the task. Twins share question and\n"
        "first view, and differ in the answer. The page gives golds away: do not show it to participants.",
        SOURCES,
    ]
    seen = ""
    with laboratory() as lab:
        for generator in GENERATORS:
            one = next((t for t in tasks.values() if t.task_id.startswith(f"own-{generator.slug}-")), None)
            if one is None:
                continue
            if generator.category != seen:
                seen = generator.category
                parts.append(f"## {seen}")
            pair = [one, *([tasks[one.twin]] if one.twin else [])]
            parts.append(f"### {generator.subcategory}\n\n{find(generator.category, generator.subcategory).definition}")
            parts.append(f"> {one.question.text}" + (f"\n>\n> {one.question.note}" if one.question.note else ""))
            if one.question.options:
                parts.append("Options: " + " · ".join(one.question.options))
            name = f"task-{generator.slug}.webp"
            if not only or generator.slug in only:
                _sheet([once_more(partial(_pictures, lab, task), lab.renew) for task in pair]).save(
                    IMAGES / name, "WEBP", quality=QUALITY, method=6
                )
                print(generator.subcategory, file=sys.stderr)
            parts.append(f"![{generator.subcategory}](../images/{name})")
            parts.append("\n".join(f"{n}. answer: **{_answers(t)}**; {t.tags['margin']}" for n, t in enumerate(pair, 1)))
            parts.append(_told(generator, [t for t in tasks.values() if t.task_id.startswith(f"own-{generator.slug}-")]))
    _write(PAGES / "benchmark.md", parts)


def _told(generator: Generator, tasks: Sequence[Task]) -> str:
    """Margins with their source, lengths of the proofs, layouts, and what is not measured."""
    lengths = sorted(len(t.gt_trajectory) + 1 for t in tasks)
    layouts = [f"Layouts: {', '.join(generator.layouts)}."] if generator.layouts else []
    proof = f"Proof: {lengths[0]} to {lengths[-1]} observations of {tasks[0].budget}, {statistics.median_low(lengths)} at the median."
    told = [f"Margin: {generator.tells}"] if generator.tells else []
    return "\n".join(f"* {line}" for line in (*told, proof, *layouts, *([f"Not measured: {generator.beyond}"] if generator.beyond else [])))


def _answers(task: Task) -> str:
    return answer_text(task) + (f" (or {len(task.gold.accepted) - 1} more)" if len(task.gold.accepted) > 1 else "")


def _pictures(lab: Lab, task: Task) -> list[NDArray[np.uint8]]:
    """The start view, up to two views on the way that the evidence names or that end a phase or a deed, and the last one."""
    steps = play(lab, task).steps
    last = len(steps) - 1
    named = {e.step % len(steps) for e in task.evidence if e.kind == "seen"}
    deeds = {i for i, s in enumerate(steps) if s.action and not s.action.startswith(("move_", "turn_", "phase:"))}
    ends = {i - 1 for i, s in enumerate(steps) if s.action.startswith("phase:")}
    between = sorted((ends or named or deeds) - {0, last})
    chosen = [0, *([between[0], between[-1]] if len(between) > 1 else between), last]
    return [_frame(steps[i]) for i in dict.fromkeys(chosen)]


def _frame(step: Step) -> NDArray[np.uint8]:
    return np.asarray(decode_frame(step.frame))


def _sheet(rows: Sequence[list[NDArray[np.uint8]]]) -> Image.Image:
    most = max(len(row) for row in rows)
    blank = np.full_like(rows[0][0], 255)
    strips = [strip([*row, *[blank] * (most - len(row))], min(SHEET_PX, FRAME_PX * most)) for row in rows]
    sheet = Image.new("RGB", (strips[0].width, sum(s.height + 6 for s in strips) - 6), "white")
    for n, image in enumerate(strips):
        sheet.paste(image, (0, n * (image.height + 6)))
    return sheet


def _write(path: Path, parts: Sequence[str]) -> None:
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_subparsers(dest="which", required=True)
    which.add_parser("simulator").add_argument("pictures", type=Path)
    which.add_parser("benchmark").add_argument("only", nargs="*", metavar="SLUG", help="draw only these pictures again")
    chosen = parser.parse_args()
    if chosen.which == "simulator":
        simulator(chosen.pictures)
    else:
        benchmark(chosen.only)
