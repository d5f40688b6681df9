"""Ten categories, twenty-nine subcategories, keyed by both names."""

from __future__ import annotations

import pytest

from data.subcategories import BY_KEY, CATEGORIES, FEATURES, RUNNERS, SUBCATEGORIES, UnknownSubcategory, find
from sim_bridge.actions import ACTIONS


def test_counts_are_the_benchmarks() -> None:
    assert (len(CATEGORIES), len(SUBCATEGORIES), len(BY_KEY), len(RUNNERS)) == (10, 29, 29, 19)


def test_one_name_may_stand_in_two_categories() -> None:
    assert "Spatial Relations" in CATEGORIES
    assert find("Specular Reflection", "Spatial Relations").runner == "mirror"


def test_every_need_is_an_action_or_a_described_feature() -> None:
    assert {n for s in SUBCATEGORIES for n in s.needs} <= {*ACTIONS, *FEATURES}


def test_definitions_are_sentences() -> None:
    assert all(s.definition.endswith(".") and len(s.definition) > 40 and s.abilities and s.faculties and s.chance for s in SUBCATEGORIES)


@pytest.mark.parametrize(
    ("category", "name", "message"),
    [
        ("Spatial Relations", "Soup", "it has: Linear Alignment, Geometric Configuration, Physical Contact"),
        ("Cooking", "Soup", "known categories: Physical Structure"),
    ],
)
def test_an_unknown_pair_lists_the_known_ones(category: str, name: str, message: str) -> None:
    with pytest.raises(UnknownSubcategory, match=message):
        find(category, name)
