"""Which tasks can be played here, and what is missing where one cannot: honest, per task and per subcategory.

A task is playable with a named asset catalogue when every object its answer depends on is recognisable (a model of it, one that anybody
would call so, or a package that bears its name), everything else in the scene can at least be shown, every action and feature it needs
exists, and the source does not contradict itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data.abilities import EMBEDDED, Catalogue, capabilities_of
from data.fidelity import fidelity, selected_on_answer
from data.store import Store
from data.subcategories import FEATURES, SUBCATEGORIES
from data.task import AUTHORED, REHEARSAL, Task
from data.trying import Outcome, outcomes
from sim_bridge.actions import ACTIONS
from sim_bridge.actions.doors import OPENING
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Object, Vec3

RECOGNISABLE = ("exact", "alias", "labelled")
"""Grades under which a naive viewer names the object."""
MAX_DISTORTION = 3.0
"""How differently a model's axes may be stretched to a recorded size and still be recognised (ours; judged by looking at renders)."""
CAVITY = 0.62
"""Share of an open box's outer width that its contents may take: the rest is walls and flaps."""
OWN = "vantage"
"""What the provenance of own tasks names as their data set: proven, not imported."""
PROVEN = (OWN, AUTHORED, REHEARSAL)
"""Data sets of tasks whose answers were found with these models."""
UNTRIED = "its answer follows from doing, which was not tried with these models (`vantage tasks try`)"
_FROM_CATALOGUE = ("transparent", "open_containers")
"""Features that the models of the task's own vessels decide."""


@dataclass(frozen=True)
class Playability:
    """Whether one task can be played, and what is missing, in words."""

    playable: bool
    missing: list[str]
    selected: bool = False
    """Whether it was admitted because doing it here gives its recorded answer: no accuracy is computed on such tasks without saying so."""


def assess(
    task: Task, catalogue: Catalogue, capabilities: Iterable[str] | None = None, tried: Mapping[str, Outcome] | None = None
) -> Playability:
    """Judge one task.

    Args:
        task: the task.
        catalogue: the installed asset catalogue.
        capabilities: action names and features of the backend; None: those of the embedded simulator.
        tried: content hash → what came of trying (`trying.outcomes`); None: nothing was tried.

    Returns:
        Whether it is playable; what is missing, each in a few words, without repeats.
    """
    able = set(capabilities_of(EMBEDDED) if capabilities is None else capabilities)
    missing: list[str] = []
    missing += task.defects
    released = task.provenance.dataset not in PROVEN
    by_doing = released and selected_on_answer(task) and "native_models" not in able
    if by_doing:
        outcome = (tried or {}).get(task.content_hash)
        if outcome is None:
            missing.append(UNTRIED)
        elif not outcome.agrees:
            missing.append(f"its answer follows from doing, and here {_here(outcome)}")
    for feature in task.required_features:
        if (feature not in able and feature not in _FROM_CATALOGUE) or not _SHOWN.get(feature, _always)(task):
            missing.append(_need(feature))
    for thing in task.scene.objects:
        match = catalogue.lookup(thing.category)
        words = thing.category.replace("_", " ")
        if match.grade not in RECOGNISABLE:
            missing.append(f"no recognisable model of: {words}" if thing.handle in task.essential else f"nothing to show for: {words}")
        elif thing.handle in task.essential and _distortion(thing, match) > MAX_DISTORTION:
            missing.append(f"recorded proportions do not fit the model of: {words}")
        elif thing.handle in task.vessels:
            if "transparent" in task.required_features and not (_see_through(thing, match) and match.hollow):
                missing.append(f"no see-through model of: {words}")
            elif "open_containers" in task.required_features and not match.hollow:
                missing.append(f"no open model of: {words}")
            elif getattr(match, "shut", False) and not thing.params.get("open") and OPENING not in task.actions:
                missing.append(f"stays shut, and nobody can open it: {words}")
            elif task.scene.phases and not all(_fits(thing, other, getattr(match, "room", None)) for other in task.scene.objects):
                missing.append("recorded contents do not fit the model of the box")
    missing += (*_alike(task, catalogue), *_swallowed(task, catalogue)) if released else ()
    missing = list(dict.fromkeys(missing))
    return Playability(playable=not missing, missing=missing, selected=by_doing and not missing)


def _here(outcome: Outcome) -> str:
    return "it gives another answer" if outcome.answer is not None else outcome.why


def _alike(task: Task, catalogue: Catalogue) -> Iterator[str]:
    """What looks the same here and must be told apart: essential things of two categories, and what may lie under a cloth."""
    kind_of, form_of = getattr(catalogue, "kind_of", None), getattr(catalogue, "form_of", None)
    if kind_of is None or form_of is None:
        return
    looks: dict[str, str] = {}
    for category in sorted({thing.category for thing in task.scene.objects if thing.handle in task.essential}):
        other = looks.setdefault(kind_of(category), category)
        if other != category:
            yield f"look alike here: {other.replace('_', ' ')}, {category.replace('_', ' ')}"
    if "cloth" not in task.required_features:
        return
    for thing in task.scene.objects:
        if thing.handle in task.essential:
            form = form_of(thing.category)
            others = {o.replace(" ", "_") for o in task.question.options} - {thing.category}
            if not form or form in {form_of(o) for o in others}:
                yield f"not told from another option under the cloth: {thing.category.replace('_', ' ')}"


def _swallowed(task: Task, catalogue: Catalogue) -> Iterator[str]:
    """What lies wholly within a thing that has the size that such a thing usually has, where the row shows something smaller."""
    found = {o.handle: catalogue.lookup(o.category) for o in task.scene.objects}
    natural: dict[str, Vec3 | None] = {handle: getattr(match, "real_size_m", None) for handle, match in found.items()}
    for large in task.scene.objects:
        match, size = found[large.handle], natural[large.handle]
        if large.size_m is not None or large.height_m is not None or size is None or not large.on_floor:
            continue
        if match.hollow or match.transparent or "path" in large.params:
            continue
        for small in task.scene.objects:
            own = small.size_m or natural[small.handle]
            if small.handle != large.handle and own is not None and small.on_floor and own[2] <= size[2] and _over(small, own, large, size):
                yield f"lies within a {large.category.replace('_', ' ')} of the usual size: {small.category.replace('_', ' ')}"


def _over(small: Object, own: Vec3, large: Object, size: Vec3) -> bool:
    """Whether one thing's box lies wholly over or under the other's, seen from above."""
    axes = tuple(zip(*rotation_matrix(large.pose.quaternion_xyzw), strict=True))[:2]
    sides = tuple(zip(*rotation_matrix(small.pose.quaternion_xyzw), strict=True))
    apart = [a - b for a, b in zip(small.pose.position_m[:2], large.pose.position_m[:2], strict=True)]
    for axis, whole in zip(axes, size, strict=False):
        reach = sum(abs(sum(a * b for a, b in zip(axis, side, strict=True))) * length / 2 for side, length in zip(sides, own, strict=True))
        if abs(axis[0] * apart[0] + axis[1] * apart[1]) + reach > whole / 2:
            return False
    return True


def _always(task: Task) -> bool:
    return True


_SHOWN: dict[str, Callable[[Task], bool]] = {
    "robot_walk": lambda task: any("path" in thing.params for thing in task.scene.objects),
    "cloth": lambda task: any(thing.params.get("drape", False) for thing in task.scene.objects),
}
"""Feature → whether the scene asks for it. Rows that an earlier importer brought in have a robot that stands and a cloth that lies flat."""


def needs_of(tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """Buildings and models of the source that tasks are made of, each once, for a machine that has the source's simulator to look for.

    Returns:
        ``{"building": …, "tasks": n}`` and ``{"category": …, "model": … or None, "tasks": n}``, in order of their names.
    """
    found: Counter[tuple[str, str, str | None]] = Counter()
    for task in tasks:
        scene = task.scene
        here = {("category", o.category, o.model) for o in scene.objects}
        if scene.source_scene is not None and ":" not in scene.source_scene:
            here.add(("building", scene.source_scene, None))
        found.update(here)
    return [
        {"building": name, "tasks": count} if kind == "building" else {"category": name, "model": model, "tasks": count}
        for (kind, name, model), count in sorted(found.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or ""))
    ]


def _see_through(thing: Object, match: Any) -> bool:
    """Whether contents show: a glass model, or one that the scene asks for in glass and that exists in it."""
    return bool(match.transparent or (thing.params.get("glass") and getattr(match, "glass_possible", False)))


def _distortion(thing: Object, match: Any) -> float:
    """Ratio of the greatest to the least stretch when the model takes the recorded size (axes matched by length: models may be turned)."""
    natural = getattr(match, "real_size_m", None)
    if thing.size_m is None or natural is None:
        return 1.0
    stretch = [size / max(own, 1e-4) for size, own in zip(sorted(thing.size_m), sorted(natural), strict=True)]
    return float(max(stretch) / max(min(stretch), 1e-6))


def _fits(box: Object, thing: Object, room: tuple[float, float] | None) -> bool:
    """Whether a thing that lies in the box has room in it; true for things elsewhere.

    Args:
        room: shares of the box's outer width and depth that its inside has; None: `CAVITY`.
    """
    if box.size_m is None or thing.size_m is None or thing.handle == box.handle:
        return True
    x, y, z = (t - b for t, b in zip(thing.pose.position_m, box.pose.position_m, strict=True))
    middle = 0.0 if box.origin == "center" else box.size_m[2] / 2
    if max(abs(x), abs(y)) > min(box.size_m[:2]) / 2 or abs(z - middle) > box.size_m[2] / 2:
        return True
    share = max(CAVITY, min(room or (0.0,)))
    return all(t <= share * b for t, b in zip(sorted(thing.size_m[:2]), sorted(box.size_m[:2]), strict=True))


def _need(feature: str) -> str:
    if feature in ACTIONS:
        return f"the action {feature}"
    return f"needs {FEATURES.get(feature, feature)}"


def pack_of(catalogue: Catalogue) -> str:
    """Name and version of the object models."""
    return f"{catalogue.name} {catalogue.version}"


def judge(store: Store, catalogue: Catalogue, capabilities: Iterable[str] | None = None) -> Callable[[Task], Playability]:
    """`assess` for the tasks of a store, with what came of trying them."""
    able = tuple(capabilities_of(EMBEDDED) if capabilities is None else capabilities)
    tried = outcomes(store, pack_of(catalogue))
    return lambda task: assess(task, catalogue, able, tried)


def coverage(store: Store, catalogue: Catalogue, capabilities: Iterable[str] | None = None, dataset: str | None = None) -> dict[str, Any]:
    """Imported and playable tasks per subcategory, and the reasons of the others with their counts (a task may have several).

    Args:
        store: where they are.
        catalogue: the installed asset catalogue.
        capabilities: as for `assess`.
        dataset: the data set meant; None: all that were imported.

    Returns:
        ``pack``: name and version of the catalogue; ``imported``, ``playable``, ``share`` and ``selected`` (of those playable, admitted
        because doing it gives the recorded answer) of all distinct tasks, the latest version of each; ``subcategories``: the same for
        each in their declared order, with ``reasons`` of those not playable; ``fidelity``: line (`fidelity.Fidelity.words`) → playable
        tasks; ``grades``: how categories of objects are shown (exact, alias, labelled, none) → how many; ``categories``: category →
        grade, what is seen instead, and in how many tasks it is; ``selected_tasks``: ids of those so admitted.
    """
    able = tuple(capabilities_of(EMBEDDED) if capabilities is None else capabilities)
    judged = judge(store, catalogue, able)
    imported: Counter[tuple[str, str]] = Counter()
    playable: Counter[tuple[str, str]] = Counter()
    selected: dict[tuple[str, str], list[str]] = {s.key: [] for s in SUBCATEGORIES}
    reasons: dict[tuple[str, str], Counter[str]] = {s.key: Counter() for s in SUBCATEGORIES}
    faithful: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for task in store.tasks(dataset=dataset):
        if dataset is None and task.provenance.dataset == OWN:
            continue
        key = (task.category, task.subcategory)
        found = judged(task)
        imported[key] += 1
        playable[key] += found.playable
        reasons.setdefault(key, Counter()).update(found.missing)
        used.update({thing.category for thing in task.scene.objects})
        if found.selected:
            selected.setdefault(key, []).append(task.task_id)
        if found.playable and (how := fidelity(task)) is not None:
            faithful[how.words] += 1
    total, able_to = sum(imported.values()), sum(playable.values())
    categories = {name: {**_shown(catalogue, name), "tasks": n} for name, n in sorted(used.items())}
    return {
        "pack": pack_of(catalogue),
        "imported": total,
        "playable": able_to,
        "share": round(able_to / total, 4) if total else None,
        "selected": sum(map(len, selected.values())),
        "subcategories": [
            {
                "category": s.category,
                "subcategory": s.name,
                "imported": imported[s.key],
                "playable": playable[s.key],
                "selected": len(selected[s.key]),
                "reasons": dict(sorted(reasons[s.key].items(), key=lambda item: (-item[1], item[0]))),
            }
            for s in SUBCATEGORIES
        ],
        "fidelity": dict(sorted(faithful.items(), key=lambda item: (-item[1], item[0]))),
        "grades": dict(sorted(Counter(str(c["grade"]) for c in categories.values()).items())),
        "categories": categories,
        "selected_tasks": sorted(task_id for ids in selected.values() for task_id in ids),
    }


def _shown(catalogue: Catalogue, category: str) -> dict[str, str]:
    match = catalogue.lookup(category)
    return {"grade": match.grade, "note": getattr(match, "reason", "")}
