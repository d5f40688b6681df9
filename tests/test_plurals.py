"""A number in front of a word is said as English says it: 1 study, 2 studies."""

from __future__ import annotations

from pathlib import Path

import app
from data.plurals import number_of

ROOT = Path(app.__file__).parent.parent


def test_one_has_its_own_word_and_thousands_are_set_apart() -> None:
    assert [number_of(n, "study", "studies") for n in (0, 1, 2)] == ["0 studies", "1 study", "2 studies"]
    assert number_of(12480, "task") == "12,480 tasks" and number_of(1, "view is", "views are") == "1 view is"
