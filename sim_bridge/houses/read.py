"""The plan of a scene's house, derived or explicit."""

from __future__ import annotations

from sim_bridge.houses.derive import plan
from sim_bridge.houses.plan import Plan
from sim_bridge.spec import House


def plan_of(house: House) -> Plan:
    """The plan that `Scene.house` means.

    Raises:
        ValueError: it means none; the message names the field (``layout.doors[1].centre_m: …``).
    """
    if house.layout is None:
        return plan(house.seed, house.rooms, house.open_plan)
    made = Plan(house.layout, house.seed)
    problem = made.problem()
    if problem:
        raise ValueError(f"layout.{problem}")
    return made
