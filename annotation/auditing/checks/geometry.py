"""Golds that contradict what the row itself records of its world: where things are, how large they are, what touches, what was stable.

Every rule states its tolerance; between "surely so" and "surely not" it is silent, and `gold-margin` names what lies there.
"""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

from annotation.auditing.check import Check, Row
from annotation.auditing.checks.payload import answer, data_of, meta, names, objects, plain, rules_by_kind, tells
from data.importers import fields

EQUAL, UNEQUAL = 0.05, 0.08
"""Two sides of a triangle count as equal up to the first relative difference, and as surely unequal from the second."""
SAME = 0.02
"""Two sides that differ by less are equal to anybody's eye."""
ON_LINE_M, OFF_LINE_M = 0.01, 0.05
"""A middle that lies nearer to the line of the other two lies on it; one that lies farther does not."""
APART_M = 0.02
"""Gap between two boxes from which things surely do not touch."""
WITHIN = 0.5
"""Share of the small thing's box that must lie in the container's box for it to be inside."""
FARTHER_M = 0.02
LARGER = 1.05
"""Ratio of scales from which one of two equal models is surely the larger."""
SLID_M, FELL_M = 0.03, 0.05
"""The benchmark's own: a thing that moved farther along the slope has slid, one that sank deeper has fallen."""
VOLUME = 0.10
"""Relative difference of two capacities below which nobody can tell them apart."""
MIRROR_M = 0.03
"""Difference of two distances to the observer below which nobody can tell them apart."""
BESIDE_M = 0.5
"""Farther than this from the box of a thing, a reference is not beside it; the release places it at 0.05 m."""
PASSED_M = 1.0
UNSURE_M = 0.1
"""A thing counts as passed, or not, where its distance from the path is this much away from the benchmark's 1.0 m."""


def _sides(row: Row) -> tuple[float, float, float]:
    points = [objects(row)[f"obj{i}"]["position"][:2] for i in (1, 2, 3)]
    a, b, c = sorted(math.dist(points[i], points[j]) for i, j in ((0, 1), (1, 2), (0, 2)))
    return a, b, c


def _shape(row: Row) -> tuple[str, float, float, str]:
    """(gold, spread of all three sides, difference of the two nearest ones, the sides in words); differences are relative."""
    a, b, c = _sides(row)
    words = f"the sides are {a:.3f}, {b:.3f} and {c:.3f} m"
    return answer(row).removesuffix(" triangle"), (c - a) / c, min((b - a) / b, (c - b) / c), words


@tells
def _triangle(row: Row) -> str | None:
    gold, spread, nearest, words = _shape(row)
    if gold == "equilateral" and spread > UNEQUAL:
        return f"The gold is equilateral, but {words}: they differ by {spread:.0%}."
    if gold == "isosceles" and nearest > UNEQUAL:
        return f"The gold is isosceles, but {words}: no two agree within {UNEQUAL:.0%}."
    if gold == "isosceles" and spread < SAME:
        return f"The gold is isosceles, but {words}: all three agree within {SAME:.0%}, so that it is equilateral."
    if gold == "random" and nearest < SAME:
        return f"The gold is a random triangle, but {words}: two agree within {nearest:.1%}, so that it is isosceles."
    return None


@tells
def _triangle_margin(row: Row) -> str | None:
    gold, spread, nearest, words = _shape(row)
    if gold == "random" and SAME <= nearest < EQUAL:
        return (
            f"The gold is a random triangle, and {words}: two of them differ by no more than {nearest:.1%}, as sides of isosceles golds do."
        )
    if (gold == "isosceles" and EQUAL < nearest <= UNEQUAL) or (gold == "equilateral" and EQUAL < spread <= UNEQUAL):
        return f"The gold is {gold}, and {words}: sides that should agree differ by more than {EQUAL:.0%}."
    return None


def _off_line(row: Row) -> float:
    points = [objects(row)[f"obj{i}"]["position"][:2] for i in (1, 2, 3)]
    ends = max(((0, 1, 2), (1, 2, 0), (0, 2, 1)), key=lambda e: math.dist(points[e[0]], points[e[1]]))
    (x1, y1), (x2, y2), (x, y) = (points[i] for i in ends)
    off: float = abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / math.dist((x1, y1), (x2, y2))
    return off


@tells
def _line(row: Row) -> str | None:
    off, gold = _off_line(row), answer(row)
    if gold == "yes" and off > OFF_LINE_M:
        return f"The gold is yes, but the middle thing lies {off:.3f} m off the line through the other two."
    if gold == "no" and off < ON_LINE_M:
        return f"The gold is no, but the middle thing lies only {off:.3f} m off the line through the other two."
    return None


@tells
def _line_margin(row: Row) -> str | None:
    off, gold = _off_line(row), answer(row)
    if (gold == "yes" and 0.02 < off <= OFF_LINE_M) or (gold == "no" and ON_LINE_M <= off < 0.03):
        return (
            f"The gold is {gold}, and the middle thing lies {off:.3f} m off the line through the other two: neither clearly on nor off it."
        )
    return None


Box = tuple[Any, Any]


def _gap(one: Box, other: Box) -> float:
    """Largest gap along an axis; negative: the boxes overlap along all three."""
    gap: float = max(max(one[0][i] - other[1][i], other[0][i] - one[1][i]) for i in range(3))
    return gap


@tells
def _contact(row: Row) -> str | None:
    things = objects(row)
    if not all(names(row, things[key]["category"]) for key in ("obj1", "obj2")):
        return None  # the question is about other things: `question-names-absent`
    boxes = {key: (box["min"], box["max"]) for key, box in fields.keyed(meta(row)["obj_aabb"], "obj_aabb").items()}
    gap, gold = _gap(boxes["obj1_aabb"], boxes["obj2_aabb"]), answer(row)
    if gold == "yes" and gap > APART_M:
        return f"The gold is yes, but the boxes of the two things are {gap:.3f} m apart."
    seen = list(fields.keyed(meta(row).get("touching"), "touching").values())
    if gold == "no" and gap <= 0 and seen and sum(v is True for v in seen) * 2 >= len(seen):
        return f"The gold is no, but the boxes of the two things meet and their masks touch in {sum(map(bool, seen))} of {len(seen)} views."
    return None


def _share_inside(small: dict[str, Any], large: dict[str, Any]) -> float:
    share = 1.0
    for i in range(3):
        low, high = small["aabb_min"][i], small["aabb_max"][i]
        share *= max(0.0, min(high, large["aabb_max"][i]) - max(low, large["aabb_min"][i])) / (high - low)
    return share


@tells
def _containment(row: Row) -> str | None:
    things = objects(row)
    if not all(names(row, things[key]["category"]) for key in ("obj_small", "obj_container")):
        return None
    share, gold = _share_inside(things["obj_small"], things["obj_container"]), answer(row)
    if gold == "yes" and share < WITHIN:
        return f"The gold is yes, but {share:.0%} of the small thing's box lies in the container's box."
    if gold == "no" and share > 1 - 0.05:
        return f"The gold is no, but {share:.0%} of the small thing's box lies in the container's box."
    return None


@tells
def _fits(row: Row) -> str | None:
    """Rigid Containment: the gold's containers against the recorded targets."""
    payload, gold = meta(row), row.raw["answer"]
    containers = fields.keyed(payload["containers"], "containers")
    targets = {plain(payload["containee"]["cat"]): payload["containee"]["target_container"]}
    targets |= {plain(e["cat"]): e["target_container"] for e in fields.keyed(payload.get("extras"), "extras").values()}
    pairs = fields.keyed(json.loads(gold), "answer") if gold.startswith("[") else {plain(payload["containee"]["cat"]): gold}
    for item, said in pairs.items():
        wanted = targets.get(plain(item))
        if wanted in containers and not _is_container(plain(said), wanted, containers):
            target = plain(containers[wanted]["cat"])
            return f"The gold puts the {plain(item)} into the {plain(said)}; the record's target is the {wanted} one, the {target}."
    return None


_SIZES = {"small": "small", "medium": "fit", "large": "big"}


def _is_container(said: str, wanted: str, containers: dict[str, Any]) -> bool:
    first, _, rest = said.partition(" ")
    category = plain(containers[wanted]["cat"])
    if first in _SIZES and rest in ("container", category) and said != category:
        return _SIZES[first] == wanted
    return said == category


@tells
def _unplaced(row: Row) -> str | None:
    placed = meta(row)["containee"]["placement"]
    if placed.get("success") is False or placed.get("bbox_check") is False:
        return (
            "The record says that the thing could not be put into its container (success or bbox_check is false): the fit was never shown."
        )
    return None


def _rectangle(centre: Any, corner: Any, point: Any) -> float:
    """Distance of a point from the rectangle around `centre` that has this corner."""
    half = [abs(corner[i] - centre[i]) for i in (0, 1)]
    return math.hypot(*(max(0.0, abs(point[i] - centre[i]) - half[i]) for i in (0, 1)))


@tells
def _distance(row: Row) -> str | None:
    payload, things = meta(row), objects(row)
    near, far, gold = plain(things["obj_near"]["category"]), plain(things["obj_far"]["category"]), answer(row)
    reference = things["obj_ref"]["position"]
    d_near = _rectangle(reference, payload["near_corner_xy"], things["obj_near"]["position"])
    d_far = _rectangle(reference, payload["far_corner_xy"], things["obj_far"]["position"])
    nearer = near if d_near + FARTHER_M < d_far else far if d_far + FARTHER_M < d_near else ""
    if gold in (near, far) and nearer and nearer != gold:
        return (
            f"The gold is {gold}, but by their settled places the {near} is {d_near:.2f} m and the {far} {d_far:.2f} m from the reference."
        )
    return None


@tells
def _distance_readings(row: Row) -> str | None:
    payload, things, gold = meta(row), objects(row), answer(row)
    reference = things["obj_ref"]["position"][:2]
    if gold != plain(things["obj_near"]["category"]) or not payload["d_near"] < payload["d_far"]:
        return None
    settled = [math.dist(reference, things[key]["position"][:2]) for key in ("obj_near", "obj_far")]
    recorded = [payload["dist_near_centre"], payload["dist_far_centre"]]
    for said, (near, far) in (("recorded", recorded), ("settled", settled)):
        if near > far + FARTHER_M:
            return f"The gold is nearer from edge to edge, but farther by the {said} centres ({near:.2f} against {far:.2f} m)."
    return None


@tells
def _size(row: Row) -> str | None:
    payload, gold = meta(row), answer(row)
    references = {key[3]: plain(value) for key, value in fields.keyed(payload["ref_category"], "ref_category").items()}
    scales = {key[-1]: float(value) for key, value in fields.keyed(payload["scale_obj"], "scale_obj").items()}
    said = next((n for n, words in references.items() if words in gold), "")
    other = {"1": "2", "2": "1"}.get(said, "")
    if said and scales[other] > scales[said] * LARGER:
        return f"The gold is {gold}, but that thing has the scale {scales[said]:.2f} and the other, equal model {scales[other]:.2f}."
    return None


@tells
def _size_margin(row: Row) -> str | None:
    scales = [float(value) for value in fields.keyed(meta(row)["scale_obj"], "scale_obj").values()]
    if len(scales) == 2 and max(scales) <= min(scales) * LARGER:
        return f"The two things are equal models with the scales {scales[0]:.2f} and {scales[1]:.2f}: neither is clearly larger."
    return None


@tells
def _beside(row: Row) -> str | None:
    """Dimensional Size names each thing by what lies beside it: measured from its middle to the boxes of both things."""
    low = {key[8]: box for key, box in fields.keyed(meta(row)["task_obj_aabb_min"], "task_obj_aabb_min").items()}
    high = {key[8]: box for key, box in fields.keyed(meta(row)["task_obj_aabb_max"], "task_obj_aabb_max").items()}
    for own, other in (("1", "2"), ("2", "1")):
        reference = objects(row)[f"ref_obj{own}"]
        away = {
            n: math.hypot(*(max(0.0, low[n][i] - p, p - high[n][i]) for i, p in enumerate(reference["position"]))) for n in (own, other)
        }
        if away[own] > min(away[other], BESIDE_M):
            category = plain(reference["category"])
            return f"The {category} lies {away[own]:.2f} m from the thing that is named by it, and {away[other]:.2f} m from the other one."
    return None


@tells
def _target(row: Row) -> str | None:
    category = plain(objects(row)["target"]["category"])
    return None if answer(row) == category else f"The gold is {answer(row)}, but the thing in the scene is a {category}."


@tells
def _slope(row: Row) -> str | None:
    payload, thing, gold = meta(row), objects(row)["task_obj"], answer(row)
    flags = payload.get("ground_truth_slid"), payload.get("ground_truth_fallen")
    if gold == "yes" and True in flags:
        return f"The gold is yes (stays), but the record says slid {flags[0]}, fallen {flags[1]}."
    if gold == "no" and flags == (False, False):
        return "The gold is no, but the record says that it neither slid nor fell."
    start, end = thing["pos_init"], thing["pos_final"]
    moved, sank = math.dist(start[:2], end[:2]), start[2] - end[2]
    if gold == "yes" and (moved > SLID_M or sank > FELL_M):
        return f"The gold is yes (stays), but it moved {moved:.3f} m and sank {sank:.3f} m."
    if gold == "no" and moved < SLID_M - 0.005 and sank < FELL_M:
        return f"The gold is no, but it moved {moved:.3f} m and sank {sank:.3f} m: less than the {SLID_M} and {FELL_M} m that count."
    return None


@tells
def _stack(row: Row) -> str | None:
    payload = meta(row)
    category = dict(zip(payload["object_names"], map(plain, payload["object_categories"]), strict=True))
    stable = {tuple(category[name] for name in trial["order"]) for trial in payload["trials"] if trial["all_stable"]}
    orders = json.loads(row.raw["answer"])
    gold = {tuple(map(plain, order)) for order in (orders if orders and isinstance(orders[0], list) else [orders])}
    if wrong := sorted(gold - stable):
        return f"The gold accepts {' < '.join(wrong[0])} (bottom to top), which no recorded trial found stable."
    if missing := sorted(stable - gold):
        return f"The gold leaves out {' < '.join(missing[0])} (bottom to top), which a recorded trial found stable."
    return None


@tells
def _capacity(row: Row) -> str | None:
    payload = meta(row)
    left, right = (float(payload[key]["capacity_measured"]) for key in ("obj1", "obj2"))
    larger = "left" if left > right else "right"
    said = answer(row)
    if said == plain(payload["left_category"]) != plain(payload["right_category"]):
        said = "left"
    elif said == plain(payload["right_category"]):
        said = "right"
    if said in ("left", "right") and said != larger and left != right:
        return f"The gold is {said}, but the measured capacities are {left:.0f} (left) and {right:.0f} (right)."
    return None


@tells
def _capacity_margin(row: Row) -> str | None:
    left, right = (float(meta(row)[key]["capacity_measured"]) for key in ("obj1", "obj2"))
    if abs(left - right) < VOLUME * max(left, right):
        return f"The measured capacities are {left:.0f} and {right:.0f}: they differ by {abs(left - right) / max(left, right):.1%}."
    return None


@tells
def _mirror_distance(row: Row) -> str | None:
    eye = data_of(row)["scene_setup"]["camera"]["position"]
    away = {thing["alias"]: math.dist(eye, thing["real_position"]) for thing in data_of(row)["placement"]}
    nearer, gold = min(away, key=lambda alias: away[alias]), row.raw["answer"].strip().upper()
    if gold in away and gold != nearer and abs(away["A"] - away["B"]) > MIRROR_M:
        return f"The gold is {gold}, but A is {away['A']:.2f} m and B {away['B']:.2f} m from the observer."
    return None


@tells
def _mirror_margin(row: Row) -> str | None:
    eye = data_of(row)["scene_setup"]["camera"]["position"]
    away = {thing["alias"]: math.dist(eye, thing["real_position"]) for thing in data_of(row)["placement"]}
    if abs(away["A"] - away["B"]) <= MIRROR_M:
        return f"A is {away['A']:.3f} m and B {away['B']:.3f} m from the observer: nobody can tell which is closer."
    return None


def _on_path(point: Any, path: Any) -> float:
    def reach(a: Any, b: Any) -> float:
        square = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2
        t = 0.0 if not square else max(0.0, min(1.0, ((point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])) / square))
        return math.dist(point, (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))

    return min(reach(a, b) for a, b in itertools.pairwise(path))


@tells
def _passed(row: Row) -> str | None:
    payload = meta(row)
    walked = [step["robot_xy"] for step in payload["step_log"]]
    surely, maybe, words = 0, 0, []
    for thing in fields.keyed(payload["objects_meta"], "objects_meta").values():
        if thing["category"] != payload["object_category"]:
            continue
        place = thing["position"][:2]
        away = [_on_path(place, payload["path_waypoints"]), min(math.dist(place, at) for at in walked)]  # a robot may have been set down
        words.append(f"{min(away):.2f}")
        surely += all(d < PASSED_M - UNSURE_M for d in away)
        maybe += any(d < PASSED_M + UNSURE_M for d in away)
    gold = int(payload["qa"]["choices"].get(row.raw["answer"].strip().upper(), row.raw["answer"]))
    if not surely <= gold <= maybe:
        return f"The gold is {gold}, but the things of the asked category came within {', '.join(words) or 'no'} m of the robot's path."
    return None


_SHAPES = {("Spatial Relations", "Geometric Configuration"): _triangle, ("Spatial Relations", "Linear Alignment"): _line}
_MARGINS = {
    ("Spatial Relations", "Geometric Configuration"): _triangle_margin,
    ("Spatial Relations", "Linear Alignment"): _line_margin,
    ("Metric Comparison", "Dimensional Size"): _size_margin,
    ("Metric Comparison", "Spatial Distance"): _distance_readings,
    ("Physical Structure", "Liquid Volume"): _capacity_margin,
    ("Specular Reflection", "Spatial Relations"): _mirror_margin,
}
_MEND = "Correct the gold as a new version of the task, or leave the row out."
CHECKS = (
    Check(
        id="gold-shape",
        severity="error",
        about="Golds about a line or a triangle that the recorded middles of the things contradict. Sides count as equal up to 5 % and "
        "as unequal from 8 %, a random triangle is isosceles where two sides agree within 2 %; a thing lies on a line up to 1 cm and "
        "off it from 5 cm. In between the check is silent.",
        fix=_MEND,
        look=rules_by_kind(_SHAPES),
        source="App. Q.9",
    ),
    Check(
        id="gold-contact",
        severity="error",
        about="Golds about touching that the recorded boxes contradict: yes where the boxes are more than 2 cm apart; no where they "
        "meet and the masks touch in at least half the views. Rows whose question names other things are left to question-names-absent.",
        fix=_MEND,
        look=rules_by_kind({("Spatial Relations", "Physical Contact"): _contact}),
        source="App. Q.8",
    ),
    Check(
        id="gold-containment",
        severity="error",
        about="Golds about being inside that the recorded boxes contradict (yes with less than half of the small thing's box in the "
        "container's, no with more than 95 % of it), and golds of best fit that are not the recorded target container.",
        fix=_MEND,
        look=rules_by_kind(
            {("Perceptual Grounding", "Material Transparency"): _containment, ("Physical Structure", "Rigid Containment"): _fits}
        ),
        source="App. Q.1 and Q.10",
    ),
    Check(
        id="gold-distance",
        severity="error",
        about="Golds about which thing is nearer that the recorded places contradict by more than 2 cm (between an edge of the "
        "reference and a "
        "middle), or in a mirror question by more than 3 cm between the middles and the observer.",
        fix=_MEND,
        look=rules_by_kind(
            {("Metric Comparison", "Spatial Distance"): _distance, ("Specular Reflection", "Spatial Relations"): _mirror_distance}
        ),
        source="App. Q.6 and Q.17",
    ),
    Check(
        id="gold-size",
        severity="error",
        about="Golds about which of two equal models is larger that their recorded scales contradict by more than 5 %, and golds about "
        "the larger volume that the measured capacities contradict.",
        fix=_MEND,
        look=rules_by_kind({("Metric Comparison", "Dimensional Size"): _size, ("Physical Structure", "Liquid Volume"): _capacity}),
        source="App. Q.2 and Q.7",
    ),
    Check(
        id="gold-category",
        severity="error",
        about="Golds that name another thing than the one the scene records as the one asked about.",
        fix=_MEND,
        look=rules_by_kind(
            {("Perceptual Grounding", "Partial Occlusion"): _target, ("Perceptual Grounding", "View Hallucination"): _target}
        ),
        source="App. Q.14 and Q.15",
    ),
    Check(
        id="gold-stability",
        severity="error",
        about="Golds about staying on a slope that the recorded flags or places contradict (moved more than 3 cm, or sunk more than 5 cm).",
        fix=_MEND,
        look=rules_by_kind({("Physical Dynamics", "Inclined Plane"): _slope}),
        source="App. Q.4",
    ),
    Check(
        id="gold-stack",
        severity="error",
        about="Accepted orders of a stack that are not the ones which the recorded trials found stable.",
        fix=_MEND,
        look=rules_by_kind({("Physical Dynamics", "Stacking & Stability"): _stack}),
        source="App. Q.5",
    ),
    Check(
        id="gold-passed",
        severity="error",
        about="Golds about how many things the robot passed within 1.0 m that the recorded path contradicts. A thing counts as passed "
        "below 0.9 m from both the planned and the walked path, as not passed beyond 1.1 m from both; in between the check is silent.",
        fix=_MEND,
        look=rules_by_kind({("Temporal Understanding", "Agent Observation"): _passed}),
        source="App. Q.12",
    ),
    Check(
        id="gold-margin",
        severity="warning",
        about="Golds that hold by so little that a person cannot see it, or hold by one of two readings only: sides between equal and "
        "unequal, a line missed by 1 to 3 cm, capacities within 10 %, mirror distances within 3 cm, nearer by the edges but farther by "
        "the middles.",
        fix="Leave the row out, or make the difference larger.",
        look=rules_by_kind(_MARGINS),
    ),
    Check(
        id="reference-not-beside",
        severity="error",
        about="A question names each of two things by what lies beside it, and that lies nearer to the other one, or more than 0.5 m "
        "away (it rolled off or fell).",
        fix="Leave the row out, or place the reference again.",
        look=rules_by_kind({("Metric Comparison", "Dimensional Size"): _beside}),
        source="App. Q.7",
    ),
    Check(
        id="placement-failed",
        severity="warning",
        about="The record itself says that the act on which the gold rests did not succeed.",
        fix="Leave the row out, or run the placement again.",
        look=rules_by_kind({("Physical Structure", "Rigid Containment"): _unplaced}),
        source="App. Q.10",
    ),
)
