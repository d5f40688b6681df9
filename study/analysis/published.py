"""What ESI-Bench prints of people: facts that stand beside a study's own figures, never filled in for them.

Table 2 prints one percentage for each subcategory and paradigm, over tasks of a matched subset, without n or interval. Its head calls the
human columns "Passive, Active, Passive, Active"; the text (§ 4.4) uses the third as active and the fourth as ground truth, so the order is
single view, multi-view, active, ground truth. 19 subcategories have shares of whole tasks in every cell, as one verdict for each task would
give (`study.measures.verdicts`). Means over categories are computed here and printed nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from study.paradigms import PARADIGMS

COLUMNS = ("single", "multi", "active", "ground_truth")
"""Columns of Table 2, as paradigms name them (`study.paradigms.paradigm.Paradigm.published`)."""
HUMAN: Mapping[tuple[str, str], tuple[float, float, float, float]] = {
    ("Perceptual Grounding", "View Hallucination"): (52.2, 45.8, 80.8, 83.8),
    ("Perceptual Grounding", "Partial Occlusion"): (37.9, 34.7, 80.0, 87.4),
    ("Perceptual Grounding", "Material Transparency"): (41.3, 44.0, 93.6, 97.2),
    ("Physical Structure", "Rigid Containment"): (47.5, 42.5, 92.5, 100.0),
    ("Physical Structure", "Liquid Volume"): (79.4, 66.9, 89.7, 86.8),
    ("Physical Structure", "Deformable"): (57.1, 60.2, 76.5, 82.7),
    ("Physical Dynamics", "Inclined Plane"): (60.7, 62.3, 83.6, 83.6),
    ("Physical Dynamics", "Stacking & Stability"): (36.0, 39.3, 84.3, 86.5),
    ("Specular Reflection", "Reflection Authoring"): (94.9, 88.9, 96.0, 96.0),
    ("Specular Reflection", "Spatial Relations"): (78.8, 78.8, 84.1, 87.6),
    ("Specular Reflection", "Correspondence"): (85.2, 80.7, 89.8, 92.0),
    ("Spatial Relations", "Linear Alignment"): (51.1, 39.4, 73.4, 79.8),
    ("Spatial Relations", "Geometric Configuration"): (32.4, 33.5, 74.3, 86.3),
    ("Spatial Relations", "Physical Contact"): (35.8, 40.8, 88.3, 90.8),
    ("Metric Comparison", "Dimensional Size"): (48.5, 56.9, 82.6, 91.9),
    ("Metric Comparison", "Spatial Distance"): (57.9, 59.9, 69.1, 78.9),
    ("Cognitive Mapping", "Connectivity"): (68.3, 68.3, 81.7, 91.7),
    ("Cognitive Mapping", "Traversable Passage"): (80.0, 70.0, 71.7, 85.0),
    ("Cognitive Mapping", "Regional Boundary"): (61.3, 62.5, 67.5, 70.0),
    ("Cognitive Mapping", "Long-Term Navigation"): (35.0, 36.7, 51.7, 61.7),
    ("Enumerative Perception", "Counting w Occlusion"): (6.7, 10.0, 53.3, 76.7),
    ("Enumerative Perception", "Spatial Segmentation"): (13.3, 23.3, 63.3, 70.0),
    ("Enumerative Perception", "Merged Observation"): (60.0, 60.0, 65.0, 73.3),
    ("Enumerative Perception", "Category Ambiguity"): (23.3, 25.0, 51.7, 61.7),
    ("Enumerative Perception", "Structural Enclosure"): (10.0, 22.5, 42.5, 77.5),
    ("Enumerative Perception", "Illumination Variability"): (20.0, 34.0, 62.0, 66.0),
    ("Temporal Understanding", "Unobserved Change"): (39.4, 39.4, 70.8, 81.0),
    ("Temporal Understanding", "Agent Observation"): (38.3, 42.1, 83.5, 90.2),
    ("Action Sequencing", "Action Order Inference"): (40.3, 41.6, 74.0, 81.8),
}
"""(category, subcategory) → percent right of people in the four columns (ESI-Bench, Table 2)."""
SOURCE = "ESI-Bench, Table 2, human columns: one verdict per task of a matched subset, no n and no interval printed"
FACULTIES: Mapping[str, str] = {
    "Perceptual Grounding": "object representation",
    "Physical Structure": "object representation",
    "Physical Dynamics": "object representation",
    "Specular Reflection": "object representation",
    "Spatial Relations": "layout and geometry",
    "Metric Comparison": "layout and geometry",
    "Cognitive Mapping": "layout and geometry",
    "Enumerative Perception": "number representation",
    "Temporal Understanding": "agents and goal-directed actions",
    "Action Sequencing": "agents and goal-directed actions",
}
"""Category → core knowledge system by which ESI-Bench groups it (Fig. 1 and 5, Table 3). The paper gives it by colour alone; this is
inferred from its orders of categories and its captions, and a plot says so. What a subcategory itself leans on (`Subcategory.knowledge`)
can differ."""
METACOGNITION: Mapping[str, tuple[float, float, float]] = {"people": (71.8, 62.7, 41.3)}
"""Agent → percent of active trajectories with view diversity, with a contrastive view, with a revised belief (ESI-Bench, Table 11)."""
_COLUMN_OF = {way.name: COLUMNS.index(way.published) for way in PARADIGMS if way.published}


def published(paradigm: str, category: str | None = None, subcategory: str | None = None) -> float | None:
    """The published share of people, 0 to 1; None: there is none.

    Args:
        paradigm: how the tasks were met.
        category: None: the plain mean of the ten categories.
        subcategory: None: the plain mean of the category's subcategories.
    """
    column = _COLUMN_OF.get(paradigm)
    if column is None:
        return None
    cells: dict[str, dict[str, Fraction]] = {}
    for (of, name), values in HUMAN.items():
        cells.setdefault(of, {})[name] = Fraction(str(values[column])) / 100
    if category is None:
        return float(sum(_mean(found) for found in cells.values()) / len(cells))
    of_category = cells.get(category, {})
    if subcategory is None:
        return float(_mean(of_category)) if of_category else None
    found = of_category.get(subcategory)
    return None if found is None else float(found)


def _mean(cells: Mapping[str, Fraction]) -> Fraction:
    return sum(cells.values(), Fraction(0)) / len(cells)
