"""A subtask of robot questions is one module and one line: no other file of the rooms knows one from another."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from annotation.qa import projects, rules
from annotation.qa.errors import BadItem
from annotation.qa.items import Item
from annotation.qa.projects import Quota
from annotation.qa.registry import REGISTERED
from annotation.qa.subtasks import SUBTASKS, named
from annotation.qa.subtasks.base import Scenery, Subtask
from annotation.qa.work import balance

ROOT = Path(__file__).resolve().parents[3]
DECLARED = ROOT / "annotation" / "qa" / "subtasks"
_QUOTED = {slug: re.compile(rf"""["'`]{slug}["'`]""") for slug in REGISTERED}


def python_mentions(source: str) -> set[str]:
    """The slugs that stand in a Python source as a literal: a whole text, or quoted inside one, as in SQL."""
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {slug for slug in REGISTERED for text in texts if text == slug or f"'{slug}'" in text}


def script_mentions(source: str) -> set[str]:
    """The slugs that stand in a script as a literal."""
    return {slug for slug in REGISTERED if _QUOTED[slug].search(source)}


def knows_of_questions(source: str) -> bool:
    """Whether a Python source imports the room of the questions: elsewhere the word may be another one (a step of an episode)."""
    return re.search(r"^\s*(?:from|import) annotation\b", source, re.MULTILINE) is not None


EPISODES = {"viewer.js", "timeline.js"}
"""Scripts that show the steps of an episode."""


def files() -> list[Path]:
    every = [path for room in ("annotation", "app") for pattern in ("*.py", "*.js") for path in (ROOT / room).rglob(pattern)]
    return sorted(path for path in every if path.name != "registry.py" and DECLARED not in path.parents)


def test_no_other_file_names_a_subtask() -> None:
    found = {}
    for path in files():
        source = path.read_text(encoding="utf-8")
        named_here = script_mentions(source) if path.suffix == ".js" else python_mentions(source)
        if path.name in EPISODES or (path.suffix == ".py" and not knows_of_questions(source) and "annotation" not in path.parts):
            named_here -= {"step"}
        if named_here:
            found[str(path.relative_to(ROOT))] = sorted(named_here)
    assert found == {}


@pytest.mark.parametrize(
    ("source", "finds"),
    [
        ("if item.subtask == 'viewpoint': pass", {"viewpoint"}),
        ("DRAWN = (\"matching\", \"distance\")", {"matching", "distance"}),
        ("QUERY = \"SELECT 1 FROM qa_items WHERE subtask = 'matching'\"", {"matching"}),
        ("PER = {'step': 2}", {"step"}),
        ('"""Of planning and matching."""\nx = "in planning"', set()),
    ],
)  # fmt: skip
def test_the_scan_finds_comparisons_tables_and_queries(source: str, finds: set[str]) -> None:
    assert python_mentions(source) == finds


def test_the_scan_finds_names_in_scripts() -> None:
    assert script_mentions("if (this.slug === 'affordance') draw();") == {"affordance"}
    assert script_mentions("// affordance\nconst affordance = 1;") == set()


@pytest.mark.parametrize("slug", REGISTERED)
def test_a_module_names_no_subtask_but_its_own(slug: str) -> None:
    assert python_mentions((DECLARED / f"{slug}.py").read_text(encoding="utf-8")) == {slug}


def test_modules_that_are_shared_name_no_subtask() -> None:
    shared = [path for path in DECLARED.glob("*.py") if path.stem not in REGISTERED]
    assert {path.name: python_mentions(path.read_text(encoding="utf-8")) for path in shared} == {path.name: set() for path in shared}


def test_every_module_that_declares_a_subtask_is_registered() -> None:
    declaring = {path.stem for path in DECLARED.glob("*.py") if re.search(r"^SUBTASK = ", path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert declaring == set(REGISTERED) and list(SUBTASKS) == list(REGISTERED)


def test_documents_and_quotas_of_no_registered_subtask_are_refused(sound: Callable[..., Item]) -> None:
    document = sound(REGISTERED[0]).document() | {"subtask": "juggling"}
    with pytest.raises(BadItem, match=rf"^subtask: input should be '{REGISTERED[0]}', .* or '{REGISTERED[-1]}', got 'juggling'"):
        Item.read(document)
    with pytest.raises(ValidationError, match="juggling"):
        Quota.model_validate({"subtask": "juggling", "target": 1})


@pytest.mark.parametrize("subtask", SUBTASKS.values(), ids=SUBTASKS)
def test_a_declaration_is_whole_and_fits_itself(subtask: Subtask, sound: Callable[..., Item]) -> None:
    assert named(subtask.name) is subtask is named(subtask.slug.upper())
    assert (subtask.option_kind == "images") == (subtask.images is not None)
    assert subtask.uses_cubes == (subtask.option_kind == "triplets")
    assert subtask.asked and subtask.advice and subtask.distractors and subtask.demo_items >= 0
    for arm in subtask.arms:
        item = sound(subtask.slug, 1, arm)
        assert item.subtask == subtask.slug and rules.check(item) == [] and item.question == subtask.question(item)
        assert {view.view for view in subtask.shown(item)} <= {view.view for view in item.views}
        assert bool(item.marks) == subtask.draws and bool(item.cubes) == subtask.uses_cubes


def test_only_items_with_a_none_cell_are_counted_apart(sound: Callable[..., Item]) -> None:
    for slug, subtask in SUBTASKS.items():
        cells = {projects.cell_of(sound(slug, seed)) for seed in range(12)}
        assert cells == ({"", "none"} if subtask.none_cell is not None else {""})
        assert projects.cell_of(sound(slug).change(gold=None, provenance={})) == ("open" if subtask.none_cell is not None else "")
        assert ("none_gold" in balance.row([sound(slug)])) == (subtask.none_cell is not None)


@pytest.mark.parametrize("none", [True, False])
def test_a_none_cell_samples_either_kind(none: bool, scenery: Callable[..., Scenery]) -> None:
    cells = [subtask.none_cell for subtask in SUBTASKS.values() if subtask.none_cell is not None]
    assert cells
    for cell in cells:
        assert all(cell.holds(cell.sample(random.Random(seed), scenery(), none)) is none for seed in range(5))
