"""Category → model: the table behind the catalogue, by hand for things (`things`), by pattern for packages.

Categories follow BEHAVIOR-1K (``bottle_of_hot_sauce``, ``hot_sauce_bottle``, ``half_mango``). A rule names its sources in order of
preference; those of the asset pack are skipped where it is not installed. Alias reasons say what the viewer sees instead.
"""

from __future__ import annotations

import functools
import re

from sim_bridge.backends.mujoco.catalogue.rules import FromPack, Made, Rule, labelled, made, no
from sim_bridge.backends.mujoco.catalogue.things import RULES

_OF = {
    "bottle": "bottle",
    "jar": "jar",
    "box": "carton",
    "bag": "bag",
    "pack": "pack",
    "carton": "gable_carton",
    "jug": "jug_of",
    "bucket": "bucket_of",
    "tube": "tube_of",
    "cup": "cup_of",
    "case": "carton",
    "canister": "canister",
    "package": "pack",
}
_SUFFIX = {
    "bottle": "bottle",
    "jar": "jar",
    "box": "carton",
    "carton": "gable_carton",
    "can": "can",
    "tin": "can",
    "shaker": "shaker",
    "atomizer": "atomizer",
    "dispenser": "dispenser",
    "canister": "canister",
    "packet": "pack",
    "tube": "tube_of",
}
_NOT_PACKAGES = frozenset(
    {
        "drink_dispenser",
        "water_dispenser",
        "paper_towel_dispenser",
        "toilet_paper_dispenser",
        "soda_dispenser",
        "cellulose_tape_dispenser",
        "window_box",
        "music_box",
        "litter_box",
        "mail_box",
        "letter_box",
        "jewelry_box",
        "ballot_box",
        "fuse_box",
        "telephone_box",
        "sand_box",
        "bread_box",
        "tool_box",
        "hot_water_bottle",
        "cocktail_shaker",
        "piggy_can",
        "trash_can",
        "garbage_can",
        "watering_can",
        "oil_can",
        "inner_tube",
        "cookie_jar",
        "bell_jar",
        "coffee_table_box",
        "display_box",
        "planter_box",
        "letterbox",
        "voting_box",
        "first_aid_box",
        "toy_shaker",
        "carafe_bottle",
        "perfume_dispenser",
        "vending_machine_can",
    }
)
_FLAT_TINS = ("sardine", "tuna", "cat food", "dog food", "anchov", "spam", "pet food")
_DRINKS = ("soda", "icetea", "iced tea", "beer", "cola", "pop", "energy", "juice", "tonic", "lemonade")


def words(category: str) -> str:
    """Readable words of a category."""
    return category.replace("_", " ").strip()


def _package(shape: str, text: str) -> Made:
    if shape == "can":
        return made("can", text=text, tall=any(text.startswith(w) for w in _DRINKS), flat=any(w in text for w in _FLAT_TINS))
    return made(shape, text=text)


def _pattern(category: str) -> Rule | None:
    """Packages: ``bottle_of_X``, ``X_bottle`` and their kind."""
    if category in _NOT_PACKAGES:
        return None
    match = re.fullmatch(r"([a-z]+)_of_([a-z0-9_]+)", category)
    if match and match[1] == "can":
        return labelled(_package("can", words(match[2])))
    if match and match[1] in _OF:
        return labelled(_package(_OF[match[1]], words(match[2])))
    match = re.fullmatch(r"([a-z0-9_]+)_([a-z]+)", category)
    if match and match[2] in _SUFFIX:
        return labelled(_package(_SUFFIX[match[2]], words(match[1])))
    return None


_REASONS = (
    (r"^half_", "no cut model of this food"),
    (r"(cooked|diced|sliced|chopped|melted|raw)_", "no model of this state of the food"),
    (r"__", "a particle system, not an object"),
)


@functools.lru_cache(maxsize=4096)
def rule(category: str) -> Rule:
    """The rule of a category; grade none with a reason where nothing fits."""
    name = category.strip().lower()
    if name in RULES:
        return RULES[name]
    found = _pattern(name)
    if found is not None:
        return found
    for pattern, reason in _REASONS:
        if re.search(pattern, name):
            return no(reason)
    return no("no model of it, and it is no package that bears its name")


def known() -> list[str]:
    """Every category with a rule of its own."""
    return sorted(RULES)


def pack_models() -> set[str]:
    """The pack models that the vocabulary uses."""
    return {s.model for r in RULES.values() for s in r.sources if isinstance(s, FromPack)}
