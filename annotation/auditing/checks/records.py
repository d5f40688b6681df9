"""Golds that contradict what the row's own payload says of them: recorded answers, states, counts, regions and phases."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from annotation.auditing.check import Check, Row
from annotation.auditing.checks.payload import answer, data_of, meta, names, objects, plain, rules_by_kind, tells

MET_M = 0.01
"""Two things whose middles are nearer than this lie in each other."""


def _differs(gold: Any, recorded: Any, where: str) -> str | None:
    return None if plain(gold) == plain(recorded) else f"The gold is {gold!r}, but {where} says {recorded!r}."


@tells
def _transparent(row: Row) -> str | None:
    recorded = str(meta(row)["answer"])
    if not all(names(row, objects(row)[key]["category"]) for key in ("obj_small", "obj_container")):
        return None
    inside = "no" if "not inside" in recorded.lower() else "yes"
    return None if answer(row) == inside else f"The gold is {answer(row)}, but the record says: {recorded}."


@tells
def _pair(row: Row) -> str | None:
    gold, qa = json.loads(row.raw["answer"]), meta(row)["qa"]
    for name in ("A", "C"):
        if gold[f"answer_{name}"] != (recorded := qa[f"rel_{name}_correct"]):
            return f"The gold says {gold[f'answer_{name}']} for {name}, but the record of that view says {recorded}."
    return None


@tells
def _under_cloth(row: Row) -> str | None:
    payload, gold = meta(row), row.raw["answer"]
    options = {o["option_id"].upper(): o["text"] for o in row.raw["options"]}
    said = options.get(gold.strip().upper(), gold)
    return _differs(said, payload["small_item"]["category"], "the thing under the cloth")


@tells
def _larger(row: Row) -> str | None:
    payload, said = meta(row), answer(row)
    sides = {plain(payload["left_category"]): "left", plain(payload["right_category"]): "right"}
    return _differs(sides.get(said, said) if len(sides) == 2 else said, payload["gt_larger"], "gt_larger")


@tells
def _near(row: Row) -> str | None:
    recorded = meta(row).get("near_category") or objects(row)["obj_near"]["category"]
    return _differs(row.raw["answer"], recorded, "the nearer thing of the record")


@tells
def _adjacent(row: Row) -> str | None:
    inner, gold = data_of(row), answer(row)
    if isinstance(inner.get("answer_bool"), bool) and gold != ("yes" if inner["answer_bool"] else "no"):
        return f"The gold is {gold}, but answer_bool is {inner['answer_bool']}."
    path = inner["graph_shortest_region_path"]
    direct = any({a, b} == {path[0], path[-1]} for a, b in itertools.pairwise(path))
    if direct != (gold == "yes"):
        said = "two of its rooms that follow each other are the two of the question" if direct else "it passes other rooms"
        return f"The gold is {gold}, but the recorded path is {' > '.join(path)}: {said}."
    return None


@tells
def _via(row: Row) -> str | None:
    inner, gold = data_of(row), row.raw["answer"]
    on_path = inner["internal_shortest_path_regions"]
    if gold not in on_path:
        return f"The gold is {gold}, but the recorded path passes {', '.join(on_path)}."
    if others := [option for option in row.raw["options"] if option in on_path and option != gold]:
        return f"The gold is {gold}, but the recorded path also passes the option {others[0]}."
    return None


def _regions(inner: Any) -> Iterator[tuple[str, str, str]]:
    """(category, instance, region) of every object that a recorded view shows."""
    if isinstance(inner, dict):
        if {"assigned_region", "object_name", "object_category"} <= inner.keys():
            yield inner["object_category"], inner["object_name"], inner["assigned_region"]
        for value in inner.values():
            yield from _regions(value)
    elif isinstance(inner, list):
        for value in inner:
            yield from _regions(value)


@tells
def _region(row: Row) -> str | None:
    inner, gold = data_of(row), answer(row)
    seen = set(_regions(inner))
    if inner["case_type"] == "object_in_region":
        instance = inner.get("object_instance_name")
        where = {region for _, name, region in seen if name == instance}
        if len(where) == 1 and gold != plain(region := where.pop()):
            return f"The gold is {row.raw['answer']}, but the views assign {instance} to {region}."
    elif inner["case_type"] == "objects_same_region":
        if isinstance(inner.get("answer_bool"), bool) and gold != ("yes" if inner["answer_bool"] else "no"):
            return f"The gold is {gold}, but answer_bool is {inner['answer_bool']}."
    elif inner.get("answer_region") and gold != plain(inner["answer_region"]):
        return f"The gold is {row.raw['answer']}, but answer_region is {inner['answer_region']}."
    return None


@tells
def _several_regions(row: Row) -> str | None:
    inner = data_of(row)
    if inner["case_type"] == "objects_same_region":
        return None
    category = inner.get("object_category") or inner["object_name"]
    places: dict[str, set[str]] = {}
    for found, instance, region in _regions(inner):
        if found == category:
            places.setdefault(region, set()).add(instance)
    fitting = [region for region in places if region in row.raw["options"]]
    if len(fitting) > 1:
        return (
            f"The question asks for the {category}, and the recorded views show some in {', '.join(sorted(fitting))}: several options fit."
        )
    return None


@tells
def _blanks(row: Row) -> str | None:
    recorded = [step["answer"] for step in data_of(row)["question_payload"]["steps"] if "answer" in step]
    return _differs(row.raw["answer"], " | ".join(recorded), "the record of its steps")


@tells
def _count(row: Row) -> str | None:
    targets = data_of(row)["render"]["resolved_objects"].get("targets", [])
    gold = int(re.search(r"\d+", row.raw["answer"]).group())  # type: ignore[union-attr]
    if gold != len(targets):
        return f"The gold is {gold}, but the record places {len(targets)} of them."
    for i, one in enumerate(targets):
        for other in targets[:i]:
            if max(abs(a - b) for a, b in zip(one["position"], other["position"], strict=True)) < MET_M:
                return f"The gold counts {gold}, but {other['name']} and {one['name']} stand in the same place."
    return None


@tells
def _nothing_to_count(row: Row) -> str | None:
    found = data_of(row)["render"].get("resolved_objects") or {}
    return None if found.get("targets") else f"The gold is {row.raw['answer']}, and the record places nothing to be counted."


@tells
def _mirrored(row: Row) -> str | None:
    inner, gold = data_of(row), answer(row)
    seen = [thing["position_label"] for thing in inner["placement"] if thing["visible_in_mirror"]]
    if len(seen) != 1:
        return f"The gold is {gold}, but {len(seen)} of the things are recorded as visible in the mirror."
    return _differs(gold, seen[0], "the thing that is visible in the mirror")


@tells
def _seen_through(row: Row) -> str | None:
    thing, gold = data_of(row)["placement"][0], answer(row)
    evidence = data_of(row).get("evidence", {})
    mirror, direct = (evidence.get(key, thing.get(key)) for key in ("visible_in_mirror", "visible_directly"))
    if isinstance(mirror, bool) and isinstance(direct, bool) and mirror != direct and gold != ("yes" if mirror else "no"):
        return f"The gold is {gold}, but it is recorded as visible {'in the mirror' if mirror else 'directly'} alone."
    return None


@tells
def _closer(row: Row) -> str | None:
    return _differs(row.raw["answer"], data_of(row)["evidence"]["closer_object"], "evidence.closer_object")


@tells
def _walk(row: Row) -> str | None:
    payload, gold = meta(row), row.raw["answer"].strip()
    return _differs(str(payload["qa"]["choices"].get(gold.upper(), gold)), str(payload["true_count"]), "true_count")


@tells
def _change(row: Row) -> str | None:
    inner, gold = data_of(row), answer(row)
    kinds = {}
    for box in inner["boxes"]:
        before, after = ((box.get(f"phase{n}_content") or {}).get("category") for n in (1, 2))
        kinds[box.get("position_label", "the box")] = (
            "no_change" if before == after else "add" if before is None else "remove" if after is None else "replace"
        )
    words = ", ".join(f"{label}: {kind}" for label, kind in kinds.items())
    changed = [label for label, kind in kinds.items() if kind != "no_change"]
    if inner["task_type"] == "change_detection":
        return None if (gold == "yes") == bool(changed) else f"The gold is {gold}, but by the contents of both phases {words}."
    if inner["task_type"] == "change_identification":
        return None if gold == plain(next(iter(kinds.values()))) else f"The gold is {gold}, but by the contents of both phases {words}."
    if [f"{label} box" for label in changed] != [gold]:
        return f"The gold is {gold}, but by the contents of both phases {words}."
    return None


COUNTING = (
    "Category Ambiguity",
    "Counting w Occlusion",
    "Illumination Variability",
    "Merged Observation",
    "Spatial Segmentation",
    "Structural Enclosure",
)
_STATES = {
    ("Perceptual Grounding", "Material Transparency"): _transparent,
    ("Action Sequencing", "Action Order Inference"): _pair,
    ("Physical Structure", "Deformable"): _under_cloth,
    ("Physical Structure", "Liquid Volume"): _larger,
    ("Metric Comparison", "Spatial Distance"): _near,
    ("Specular Reflection", "Correspondence"): _mirrored,
    ("Specular Reflection", "Reflection Authoring"): _seen_through,
    ("Specular Reflection", "Spatial Relations"): _closer,
    ("Temporal Understanding", "Agent Observation"): _walk,
    ("Temporal Understanding", "Unobserved Change"): _change,
}
_ROOMS = {
    ("Cognitive Mapping", "Connectivity"): _adjacent,
    ("Cognitive Mapping", "Traversable Passage"): _via,
    ("Cognitive Mapping", "Regional Boundary"): _region,
    ("Cognitive Mapping", "Long-Term Navigation"): _blanks,
}
_MEND = "Correct the gold as a new version of the task, or leave the row out."
CHECKS = (
    Check(
        id="gold-state",
        severity="error",
        about="Golds that contradict the state which the row records: the contents of both phases, what lies under the cloth, what is "
        "visible in the mirror, the recorded answer of the view, the recorded count or the nearer, larger or inner thing.",
        fix=_MEND,
        look=rules_by_kind(_STATES),
    ),
    Check(
        id="gold-rooms",
        severity="error",
        about="Golds about rooms that contradict the recorded path or the room to which the recorded views assign the object.",
        fix=_MEND,
        look=rules_by_kind(_ROOMS),
        source="App. Q.25 to Q.28",
    ),
    Check(
        id="gold-count",
        severity="error",
        about="Golds that are not the number of things which the row places, or count two that stand in the same place (within 1 cm).",
        fix=_MEND,
        look=rules_by_kind({("Enumerative Perception", name): _count for name in COUNTING}),
        source="App. Q.19 to Q.24",
    ),
    Check(
        id="nothing-to-count",
        severity="error",
        about="Counting rows that place nothing to be counted.",
        fix="Leave the row out.",
        look=rules_by_kind({("Enumerative Perception", name): _nothing_to_count for name in COUNTING}),
    ),
    Check(
        id="object-in-several-rooms",
        severity="error",
        about="A question asks in which room, or to which room nearest, an object is, and the recorded views show objects of its name in "
        "more than one of the options.",
        fix="Name the object so that only one fits, or leave the row out.",
        look=rules_by_kind({("Cognitive Mapping", "Regional Boundary"): _several_regions}),
    ),
)
