"""How figures are rounded for reading: halves up, as the published tables are (0.915 → 0.92, where binary rounding gives 0.91)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

UNKNOWN = "–"


def half_up(value: float | None, places: int) -> str:
    """`value` with so many decimals, halves away from zero; None: a dash.

    Twelve digits count: a mean of 0.91 and 0.92 is 0.915, though its last binary digit may lie below.
    """
    if value is None:
        return UNKNOWN
    return str(Decimal(f"{value:.12g}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
