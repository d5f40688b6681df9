"""Sound items from kept moments whose truth is known: right answers follow from poses, the texts from the subtasks' own templates.

They go through the pool as a person's do, and each is held to the rules and to the poses before it is sent in. Generated items make a
project start with something to review; they do not replace authors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from annotation.qa import cubes as grid
from annotation.qa import directions, geometry, pool, rules
from annotation.qa.assist import Scene, grid_for, known_objects, scene_at
from annotation.qa.colours import CANDIDATES, STANDARD
from annotation.qa.directions import Direction
from annotation.qa.errors import QaError, QuotaFull
from annotation.qa.geometry import Array, Box
from annotation.qa.items import LETTERS, VIEWS, Cube, Distractor, Item, Kind, Mark
from annotation.qa.moments.records import Moment, moments
from annotation.qa.moments.starting import begin
from annotation.qa.projects import NONE_CELL, get_project, places
from annotation.qa.subtasks import SUBTASKS, named
from annotation.qa.subtasks.base import NONE_TEXT, finish
from annotation.qa.subtasks.distance import write as grab
from annotation.qa.truth import CLOSE_M, LEVEL_M, against, disorders, places_of, reach
from data.robot import episodes as robot
from data.robot.errors import RobotError
from data.store import Store

LEAST_PX = 14.0
"""An object is boxed only where its projection is at least so wide and high (pixels)."""
COVERED = 0.3
"""An object counts as hidden where a nearer one's box covers more than this of its own."""
WHOLE = 0.85
"""Least share of an object's box inside the image."""
LEAD_M = 0.04
"""The right distance stands out by this; twice what `truth.CLOSE_M` asks."""
STEP_M = 0.04
"""A motion has a direction where it leads at least this far along it."""
DRAWS = 12
"""Attempts with one moment."""


@dataclass(frozen=True)
class Seen:
    """An object as it is seen in one view."""

    thing: Any
    box: Box
    depth: float


def generate(
    store: Store, project_id: str, subtask: str, count: int, seed: int = 0, author: str = "", *, submit: bool = True
) -> list[pool.Stored]:  # fmt: skip
    """Make items of one subtask from the project's kept moments.

    Args:
        store: the database.
        project_id: the project.
        subtask: slug.
        count: how many are wanted.
        seed: the draw: the same on the same moments makes the same items.
        author: who stands as their author.
        submit: send them into review; otherwise they stay drafts.

    Returns:
        The items; fewer than `count` where the moments do not allow more, or the quota is full.

    Raises:
        Training: the author's trial batch waits to be judged.
    """
    slug = named(subtask).slug
    rng = random.Random(f"{seed} {slug}")
    kept = [m for m in moments(store, project_id, state="kept") if m.arm in SUBTASKS[slug].arms]
    used = {row["moment"]: row["n"] for row in store.query(_USED, [project_id, slug])}
    order = sorted(rng.sample(kept, len(kept)), key=lambda m: used.get(m.moment_id, 0))
    made: list[pool.Stored] = []
    for turn in range(2):
        # a second item of a moment only when every moment has one
        for moment in order:
            if len(made) >= count:
                return made
            if turn > used.get(moment.moment_id, 0):
                continue
            item = propose(store, moment, slug, rng, none=_none_due(store, project_id) if slug == "matching" else False)
            if item is None:
                continue
            try:
                made.append(_into_pool(store, project_id, item, author, submit))
            except QuotaFull:
                return made
    return made


_USED = (
    "SELECT json_extract(v.document, '$.moment') AS moment, count(*) AS n FROM qa_items i JOIN qa_versions v ON v.item_id = i.item_id "
    "AND v.version = i.version WHERE i.project_id = ? AND i.subtask = ? GROUP BY moment"
)


def _none_due(store: Store, project_id: str) -> bool:
    """Whether the next Cross-View Matching item should have no right box, so that the project's share is kept."""
    project = get_project(store, project_id)
    row = store.one(
        "SELECT count(*) AS n, sum(cell = ?) AS none FROM qa_items WHERE project_id = ? AND subtask = 'matching' AND state <> 'discarded'",
        [NONE_CELL, project_id],
    )
    total, none = (row["n"], row["none"] or 0) if row else (0, 0)
    full = [p for p in places(store, project) if p.subtask == "matching" and p.cell == NONE_CELL and not p.left]
    return not full and none + 1 <= project.none_share * (total + 1)


def _into_pool(store: Store, project_id: str, item: Item, author: str, submit: bool) -> pool.Stored:
    with store.atomic():
        draft = item.change(marks=(), options={}, option_images={}, gold=None, hard=(), provenance={}, unique_confirmed=False)
        begun = pool.create_item(store, project_id, draft, author)
        item = item.change(item_id=begun.item.item_id)
        saved = pool.save(store, item.item_id, item, begun.version, author, why="generated from the poses")
        return pool.submit(store, item.item_id, author, saved.rev) if submit else pool.get(store, item.item_id)


def propose(store: Store, moment: Moment, slug: str, rng: random.Random, *, none: bool = False) -> Item | None:
    """One item on a moment that keeps the rules and agrees with the poses; None where the moment does not allow any."""
    scene = scene_at(store, moment)
    if scene.truth is None and slug != "viewpoint":
        return None
    for _ in range(DRAWS if slug != "viewpoint" else 2):
        try:
            item = MAKERS[slug](store, scene, rng, none)
        except QaError:
            return None
        if item is not None and not rules.check(item) and against(scene, item).status in ("agrees", "unknown"):
            return item
    return None


# what is seen


def seen(scene: Scene, view: str) -> list[Seen]:
    """The known objects that are whole and uncovered in a view, by depth."""
    camera = scene.cameras.get(view)
    if camera is None:
        return []
    found, whole = [], []
    for thing in known_objects(scene.truth):
        box = geometry.bounds(camera, thing.size, thing.pose)
        if box is None:
            continue
        pixels, depth = geometry.project(camera, geometry.corners(thing.size, thing.pose))
        uncut = ((float(pixels[:, 0].min()), float(pixels[:, 1].min())), (float(pixels[:, 0].max()), float(pixels[:, 1].max())))
        found.append(Seen(thing, box, float(depth.mean())))
        big = min(box[1][0] - box[0][0], box[1][1] - box[0][1]) >= LEAST_PX
        if big and geometry.area(box) >= WHOLE * geometry.area(uncut):
            whole.append(found[-1])
    clear = []
    for one in whole:
        others = [o for o in found if o is not one and o.depth < one.depth + 0.02]
        if all(geometry.shared(one.box, o.box) <= COVERED * geometry.area(one.box) for o in others) and not _behind_hand(scene, view, one):
            clear.append(one)
    return sorted(clear, key=lambda s: s.depth)


def _behind_hand(scene: Scene, view: str, one: Seen) -> bool:
    """Whether a gripper is in front of an object in a view."""
    assert scene.truth is not None
    (x0, y0), (x1, y1) = one.box
    for hand in scene.truth.grippers.values():
        pixels, depth = geometry.project(scene.cameras[view], [hand.pose[:3]])
        if 0 < depth[0] < one.depth - 0.02 and x0 <= pixels[0][0] <= x1 and y0 <= pixels[0][1] <= y1:
            return True
    return False


def _mark(number: int, view: str, kind: Kind, colour: str, points: Any) -> Mark:
    rounded = tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)
    return Mark(id=f"m{number}", view=view, kind=kind, colour=colour, points=rounded)  # type: ignore[arg-type]


def _references(scene: Scene, rng: random.Random) -> list[str]:
    if scene.moment.arm == "dual":
        return ["head"]
    return rng.sample(VIEWS["single"], 4)


def _word(thing: Any) -> str:
    """What an object is called in a question: its category, so that no colour word is in it."""
    return str(thing.category or thing.name).replace("_", " ")


# distance


def _distance(store: Store, scene: Scene, rng: random.Random, none: bool) -> Item | None:
    truth, dual = scene.truth, scene.moment.arm == "dual"
    assert truth is not None
    view = _references(scene, rng)[0]
    things = seen(scene, view)
    sides: tuple[str | None, ...] = tuple(s for s in ("left", "right") if s in truth.grippers) if dual else (None,)
    hands = {side: truth.grippers[side] if side else next(iter(truth.grippers.values()), None) for side in sides}
    if len(things) * len(sides) < 5 or None in hands.values():
        return None
    things = rng.sample(things, min(5, len(things)))
    pairs: list[tuple[Seen, str | None]] = [(thing, rng.choice(sides)) for thing in things]
    rest = [(thing, side) for thing in things for side in sides if (thing, side) not in pairs]
    pairs += rng.sample(rest, 5 - len(pairs))
    extreme = rng.choice(("shortest", "longest"))
    sign = 1 if extreme == "shortest" else -1
    far = [reach(hands[side], thing.thing) for thing, side in pairs]
    order = sorted(range(5), key=lambda k: sign * far[k])
    if abs(far[order[1]] - far[order[0]]) < max(LEAD_M, 2 * CLOSE_M):
        return None
    colours = dict(zip([id(thing) for thing in things], rng.sample(STANDARD, len(things)), strict=True))
    flat = [_flat(scene, view, hands[side], thing) for thing, side in pairs]
    looks = min(order[1:], key=lambda k: sign * flat[k])
    kinds = {k: "near_in_image" if k == looks else "middle" if k in order[1:3] else "far" for k in order[1:]}
    gold_thing = pairs[order[0]][0]
    kinds |= {k: "other_gripper" for k in kinds if pairs[k][0] is gold_thing and k != looks}
    # the hard ones are what looks right, and what comes next
    rest_order = [looks, *(k for k in order[1:] if k != looks)]
    item = begin(store, scene.moment, "distance", seed=rng.randrange(2**30), reference=view).change(slots={"extreme": extreme})
    marks = tuple(_mark(n, view, "box", colours[id(thing)], thing.box) for n, thing in enumerate(things))
    texts = [grab(colours[id(pairs[k][0])], pairs[k][1]) for k in (order[0], *rest_order)]
    item = finish(item, rng, texts, [kinds[k] for k in rest_order], marks=marks)
    return item.change(question=SUBTASKS["distance"].question(item))


def _flat(scene: Scene, view: str, hand: Any, one: Seen) -> float:
    """Distance in the image from a gripper to an object, pixels."""
    pixels, _ = geometry.project(scene.cameras[view], [hand.pose[:3]])
    (x0, y0), (x1, y1) = one.box
    return float(np.hypot(pixels[0][0] - (x0 + x1) / 2, pixels[0][1] - (y0 + y1) / 2))


# consistency


def _consistency(store: Store, scene: Scene, rng: random.Random, none: bool) -> Item | None:
    for view in _references(scene, rng):
        things = seen(scene, view)
        if len(things) < 5:
            continue
        chosen = dict(zip(rng.sample(STANDARD, 5), rng.sample(things, 5), strict=True))
        known = places_of(scene, view, {colour: one.thing for colour, one in chosen.items()})
        cells = _cells(scene, view, {colour: one.thing for colour, one in chosen.items()})
        if known is None or cells is None:
            continue
        item = begin(store, scene.moment, "consistency", seed=rng.randrange(2**30), reference=view)
        made = _told_apart(cells, known, rng)
        if made is None:
            continue
        marks = tuple(_mark(n, view, "box", colour, chosen[colour].box) for n, colour in enumerate(STANDARD))
        cubes = tuple(Cube(colour=colour, label=_word(chosen[colour].thing), cell=cells[colour]) for colour in STANDARD)
        texts = [grid.write({c: cells[c] for c in STANDARD}), *(grid.write({c: s[c] for c in STANDARD}) for s, _ in made)]
        item = finish(item, rng, texts, ["perturbed"] * 4, marks=marks, cubes=cubes)
        near = sum(hard for _, hard in made)
        letters = [letter for text in texts[1:] for letter in LETTERS if item.options[letter] == text]
        return item.change(hard=tuple(sorted(letters[: max(1, min(2, near))])))
    return None


def _cells(scene: Scene, view: str, things: dict[str, Any]) -> dict[str, tuple[int, int, int]] | None:
    """Cells whose orders are those of the places: neighbours that are nearly level are put on one level. None where that merges what
    lies apart, or two into one cell."""
    known = places_of(scene, view, things)
    if known is None or scene.truth is None:
        return None
    places_m, cell_m = known
    around = grid_for(scene, view)
    assert around is not None
    coordinates = {colour: around.coordinates([thing.pose[:3]])[0] for colour, thing in things.items()}
    cells = {colour: [0, 0, 0] for colour in things}
    for k in range(3):
        order = sorted(things, key=lambda c: coordinates[c][k])
        value = int(np.clip(np.floor(coordinates[order[0]][k]) + 1, 1, grid.GRID))
        cells[order[0]][k] = value
        for before, colour in pairwise(order):
            stated = int(np.clip(np.floor(coordinates[colour][k]) + 1, 1, grid.GRID))
            apart = places_m[colour][k] - places_m[before][k]
            value = value if apart < 2 * LEVEL_M else max(value, stated)
            cells[colour][k] = value
    found = {colour: (c[0], c[1], c[2]) for colour, c in cells.items()}
    return found if len(set(found.values())) == len(found) and not disorders(found, places_m, cell_m) else None


def _told_apart(
    cells: dict[str, tuple[int, int, int]], known: tuple[dict[str, Array], Array], rng: random.Random
) -> list[tuple[dict[str, tuple[int, int, int]], bool]] | None:
    """Four wrong sets, each of which contradicts the places beyond doubt."""
    for _ in range(DRAWS):
        made = grid.perturb(cells, rng)
        if all(disorders(other, *known) for other, _ in made):
            return made
    return None


# matching


def _matching(store: Store, scene: Scene, rng: random.Random, none: bool) -> Item | None:
    dual = scene.moment.arm == "dual"
    for view in _references(scene, rng):
        others = [v for v in VIEWS["dual" if dual else "single"] if v != view]
        there = {other: {id(s.thing): s for s in seen(scene, other)} for other in others}
        for sought in rng.sample(here := seen(scene, view), len(here)):
            in_all = all(id(sought.thing) in there[other] for other in others)
            if not (in_all or none):
                continue
            same = {id(t) for t in known_objects(scene.truth) if t.category == sought.thing.category}
            strangers = sorted({key for found in there.values() for key in found} - {id(sought.thing)})
            strangers = sorted(rng.sample(strangers, len(strangers)), key=lambda key: key not in same)
            wanted = 4 if none else 3
            if len(strangers) < wanted:
                continue
            colours = rng.sample(CANDIDATES, 4)
            holders = strangers[:wanted] if none else [id(sought.thing), *strangers[:wanted]]
            marks = [_mark(0, view, "box", "red", sought.box)]
            for colour, key in zip(colours, holders, strict=True):
                for other in others:
                    if key in there[other]:
                        marks.append(_mark(len(marks), other, "box", colour, there[other][key].box))
            names = [colour.capitalize() for colour in colours]
            texts = [NONE_TEXT, *names] if none else [names[0], *names[1:], NONE_TEXT]
            kinds = ["same_category" if key in same else "close_by" for key in strangers[:wanted]] + ([] if none else ["none"])
            item = begin(store, scene.moment, "matching", seed=rng.randrange(2**30), reference=view)
            item = item.change(slots={"item": _word(sought.thing)})
            item = finish(item, rng, texts, kinds, marks=tuple(marks))
            return item.change(question=SUBTASKS["matching"].question(item))
    return None


# viewpoint


def _viewpoint(store: Store, scene: Scene, rng: random.Random, none: bool) -> Item | None:
    item = begin(store, scene.moment, "viewpoint", seed=rng.randrange(2**30))
    return item.change(unique_confirmed=True) if len(item.option_images) == len(LETTERS) else None


# motions


@dataclass(frozen=True)
class Motion:
    """What a gripper does next: its grasp point from the moment to the end of a stretch."""

    hand: str
    path: Array
    """(n, 3) in the world, metres."""
    holds: bool
    """Whether it ends by closing (or stays closed)."""


def motion(store: Store, scene: Scene, frames: int | None = None, points: int = 16) -> Motion | None:
    """The motion of the gripper that moves most from the moment to the end of the current segment (or for `frames` frames)."""
    moment = scene.moment
    episode = robot.get_episode(store, moment.episode_id)
    ends = [s.end for s in episode.record.segments if s.start <= moment.frame_index < s.end]
    end = min(episode.frames - 1, moment.frame_index + frames if frames else min(ends, default=episode.frames) - 1)
    if end - moment.frame_index < 4:
        return None
    steps = np.unique(np.linspace(moment.frame_index, end, points).round().astype(int))
    try:
        truths = [robot.truth(store, episode, int(step)) for step in steps]
    except RobotError:
        return None
    known = [truth for truth in truths if truth is not None]
    if len(known) < len(steps):
        return None
    paths = {name: np.array([truth.grippers[name].pose[:3] for truth in known], float) for name in known[0].grippers}
    lengths = {name: float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) for name, path in paths.items()}
    name = max(lengths, key=lambda key: lengths[key], default="")
    if not name or lengths[name] < 2 * STEP_M:
        return None
    openings = [truth.grippers[name].opening_m for truth in known]
    wide = [opening for opening in openings if opening is not None]
    return Motion(name, paths[name], len(wide) == len(known) and wide[-1] < 0.6 * max(wide))


def legs(path: Array, tolerance_m: float = 0.03) -> Array:
    """The turning points (k, 3) of a path: points nearer than `tolerance_m` to the line between their neighbours are left out."""
    keep = {0, len(path) - 1}
    stack = [(0, len(path) - 1)]
    while stack:
        a, b = stack.pop()
        inner = np.arange(a + 1, b)
        if not len(inner):
            continue
        line, away = path[b] - path[a], path[inner] - path[a]
        along = np.clip(away @ line / max(float(line @ line), 1e-12), 0, 1)
        off = np.linalg.norm(away - along[:, None] * line, axis=1)
        if off.max() > tolerance_m:
            middle = int(inner[off.argmax()])
            keep.add(middle)
            stack += [(a, middle), (middle, b)]
    return path[sorted(keep)]


def directions_of(path: Array, axes: Array) -> tuple[Direction, ...]:
    """The directions of a path in a camera-bound frame, leg by leg, the longest part of a leg first; what is shorter than `STEP_M` is not
    said, nor what repeats the one before."""
    said: list[Direction] = []
    for leg in np.diff(legs(path), axis=0) @ axes.T:
        for k in sorted(range(3), key=lambda k: -abs(leg[k])):
            if abs(leg[k]) >= STEP_M:
                word = directions.DIRECTIONS[2 * k + (leg[k] < 0)]
                if not said or said[-1] != word:
                    said.append(word)
    return tuple(said)


def _motions(slug: str, fewest: int, most: int) -> Callable[[Store, Scene, random.Random, bool], Item | None]:
    def make(store: Store, scene: Scene, rng: random.Random, none: bool) -> Item | None:
        moment = scene.moment
        whole = robot.get_episode(store, moment.episode_id).frames
        moving = motion(store, scene, whole if slug == "planning" else None)
        view = _references(scene, rng)[0]
        camera = scene.cameras.get(view)
        axes = geometry.bound_frame(camera, scene.truth.up) if camera is not None and scene.truth is not None else None
        if moving is None or axes is None:
            return None
        right = directions_of(moving.path, axes)
        if not fewest <= len(right) <= most:
            return None
        wrong = _other_ways(right, rng)
        if wrong is None:
            return None
        hand = "the gripper" if moment.arm == "single" else f"the {moving.hand} gripper"
        after = "then close it" if slug == "step" and moving.holds else "then open it" if slug == "planning" else ""
        item = begin(store, moment, slug, seed=rng.randrange(2**30), reference=view)
        if not item.slots.get("task"):
            return None
        texts = [directions.write(steps, f"Move {hand}", after) for steps in (right, *(steps for steps, _ in wrong))]
        item = finish(item, rng, texts, [kind for _, kind in wrong])
        return item.change(question=SUBTASKS[slug].question(item))

    return make


def _other_ways(right: tuple[Direction, ...], rng: random.Random) -> list[tuple[tuple[Direction, ...], str]] | None:
    """Four other sequences, each of which leads elsewhere: not only the same directions in another order."""
    found: dict[tuple[Direction, ...], str] = {}
    sums = [net(right)]
    for _ in range(200):
        # made from each other as well as from the right one, so that the right one is not in the middle
        steps = list(rng.choice([right, *found]))
        k = rng.randrange(len(steps))
        turned = rng.random() < 0.5
        opposite = next(d for d in directions.DIRECTIONS if d == directions.OPPOSITE[steps[k]])
        steps[k] = opposite if turned else rng.choice([d for d in directions.DIRECTIONS if d != steps[k]])
        way = tuple(steps)
        if any(a == b for a, b in pairwise(way)) or way == right or way in found:
            continue
        if any(np.abs(net(way) - other).sum() < 2 for other in sums):
            continue
        found[way] = "reversed" if turned else "misses"
        sums.append(net(way))
        if len(found) == 4:
            return list(found.items())
    return None


def net(steps: Sequence[str]) -> Array:
    """Where unit steps lead together: (3,)."""
    total = np.zeros(3)
    for step in steps:
        k = directions.DIRECTIONS.index(step)
        total[k // 2] += -1 if k % 2 else 1
    return total


# trajectory


def _trajectory(store: Store, scene: Scene, rng: random.Random, none: bool) -> Item | None:
    moving = motion(store, scene)
    view = _references(scene, rng)[0]
    camera = scene.cameras.get(view)
    if moving is None or camera is None:
        return None
    pixels, depth = geometry.project(camera, moving.path)
    size = np.array([camera.width, camera.height], float)
    if depth.min() < geometry.NEAR_M or (pixels < 4).any() or (pixels > size - 4).any():
        return None
    true = _thinned(pixels)
    if np.linalg.norm(true[-1] - true[0]) < 0.12 * size[0]:
        return None
    tracks = [true]
    kinds: list[str] = []
    ends = [np.array([(s.box[0][0] + s.box[1][0]) / 2, (s.box[0][1] + s.box[1][1]) / 2]) for s in seen(scene, view)]
    for _ in range(80):
        if len(tracks) == 5:
            break
        if ends and len(kinds) % 2 == 0:
            end, kind = ends[rng.randrange(len(ends))], "wrong_end"
        else:
            angle = rng.choice((-1, 1)) * rng.uniform(0.5, 1.2)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            end, kind = true[0] + turn @ (true[-1] - true[0]) * rng.uniform(0.8, 1.2), "misses"
        if (end < 6).any() or (end > size - 6).any() or min(np.linalg.norm(end - t[-1]) for t in tracks) < 0.1 * size[0]:
            continue
        track = _led(true, end)
        if (track < 2).any() or (track > size - 2).any():
            continue
        tracks.append(track)
        kinds.append(kind)
    if len(tracks) < 5:
        return None
    item = begin(store, scene.moment, "trajectory", seed=rng.randrange(2**30), reference=view)
    if not item.slots.get("task"):
        return None
    colours = rng.sample(STANDARD, 5)
    marks = tuple(_mark(n, view, "track", colour, track) for n, (colour, track) in enumerate(zip(colours, tracks, strict=True)))
    item = finish(item, rng, [c.capitalize() for c in colours], kinds, marks=marks)
    return item.change(question=SUBTASKS["trajectory"].question(item))


def _thinned(pixels: Array, tolerance_px: float = 4.0) -> Array:
    """A track with its turning points only, (k, 2)."""
    return legs(np.c_[pixels, np.zeros(len(pixels))], tolerance_px)[:, :2]


def _led(track: Array, end: Array) -> Array:
    """The track, bent so that it ends elsewhere: turned and stretched about its start."""
    was, want = complex(*(track[-1] - track[0])), complex(*(end - track[0]))
    ratio = want / was
    moved = (track - track[0]) @ np.array([1, 1j]) * ratio
    return np.c_[moved.real, moved.imag] + track[0]


MAKERS: dict[str, Callable[[Store, Scene, random.Random, bool], Item | None]] = {
    "matching": _matching,
    "distance": _distance,
    "viewpoint": _viewpoint,
    "consistency": _consistency,
    "planning": _motions("planning", 2, 5),
    "step": _motions("step", 1, 3),
    "trajectory": _trajectory,
}
"""Subtask → what proposes an item on a scene. Affordance Recognition is left to people: a grasp's success is not in the poses."""

__all__ = ["MAKERS", "Distractor", "Motion", "directions_of", "generate", "legs", "motion", "propose", "seen"]
