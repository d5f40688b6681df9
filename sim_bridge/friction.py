"""Friction between what a thing is made of and what a ramp is covered with: one table, for the simulator and for whoever makes tasks.

Static coefficients, clean and dry. Source: *CRC Handbook of Chemistry and Physics*, table "Coefficients of friction" (after F. P. Bowden
and D. Tabor, *The Friction and Lubrication of Solids*, Oxford 1950); the row of ice: *OpenStax University Physics*, vol. 1, table 6.1
(shoes on ice 0.1, steel on ice 0.4), because the handbook has ice on ice alone. A handbook gives ranges, since surfaces differ: whoever
makes a task keeps clear of both ends of a range, so that its answer is right for every such pair; the simulator uses the middle.
"""

from __future__ import annotations

RANGES: dict[tuple[str, str], tuple[float, float]] = {
    ("wood", "wood"): (0.25, 0.50),
    ("wood", "steel"): (0.20, 0.60),
    ("wood", "leather"): (0.30, 0.40),
    ("wood", "rubber"): (1.0, 4.0),
    ("wood", "ice"): (0.03, 0.40),
    ("metal", "wood"): (0.20, 0.60),
    ("metal", "steel"): (0.58, 0.58),
    ("metal", "leather"): (0.60, 0.60),
    ("metal", "glass"): (0.50, 0.70),
    ("metal", "rubber"): (1.0, 4.0),
    ("metal", "ice"): (0.03, 0.40),
    ("glass", "steel"): (0.50, 0.70),
    ("glass", "glass"): (0.90, 1.0),
    ("glass", "rubber"): (1.0, 4.0),
    ("leather", "wood"): (0.30, 0.40),
    ("leather", "steel"): (0.60, 0.60),
    ("leather", "rubber"): (1.0, 4.0),
    ("plastic", "steel"): (0.20, 0.20),
    ("plastic", "rubber"): (1.0, 4.0),
}
"""(what the thing is made of, what the ramp is covered with) → least and greatest static coefficient. Plastic is polythene, metal steel."""


def coefficient(material: str, surface: str) -> float | None:
    """What the simulator uses: the middle of the range; None: the table does not have the pair.

    Example:
        >>> coefficient("wood", "wood"), coefficient("paper", "ice")
        (0.375, None)
    """
    found = RANGES.get((material, surface))
    return None if found is None else sum(found) / 2
