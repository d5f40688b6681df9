"""Each subcategory is declared once, in `data.subcategories`; no other file tells subcategories apart by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.importers.esi import _SCENES
from data.subcategories import BY_KEY, CATEGORIES, RUNNERS, SUBCATEGORIES
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Pose, Room, Scene
from study.scoring import normalise, reading_of, score
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "annotation", "study", "data", "sim_bridge")
USES = (
    "annotation/auditing/checks/",  # what is wrong with the rows of one kind
    "annotation/verifying/tables.py",  # published figures
    "study/labels/results.py",  # published figures
    "study/analysis/published.py",  # published figures
    "data/subcategories/",  # the declarations
    "data/generators/",  # a generator says whose it is
    "sim_bridge/actions/",  # some actions are named like released runners
)
NAMES = {s.name for s in SUBCATEGORIES} | set(CATEGORIES)


def names_in(file: Path, root: Path = ROOT) -> Iterator[str]:
    """Where a file holds the name of a subcategory or category as a text of its own, or compares something with a runner's name."""
    docs = {id(node.value) for node in nodes(file) if isinstance(node, ast.Expr)}
    compared = {
        id(part)
        for node in nodes(file)
        if isinstance(node, (ast.Compare, ast.match_case, ast.MatchValue))
        if "runner" in ast.unparse(node)
        for side in ast.iter_child_nodes(node)
        for part in ast.walk(side)
    }
    for node in nodes(file):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docs else None
        if isinstance(text, str) and (text in NAMES or (text in RUNNERS and id(node) in compared)):
            yield f"{file.relative_to(root)}:{node.lineno}: {text}"  # type: ignore[attr-defined]


def test_no_other_file_tells_subcategories_apart_by_name() -> None:
    files = [f for room in ROOMS for f in sorted((ROOT / room).rglob("*.py")) if "__pycache__" not in f.parts]
    files = [f for f in files if not f.relative_to(ROOT).as_posix().startswith(USES)]
    assert [place for f in files for place in names_in(f)] == []


def test_the_search_finds_names_and_runners(tmp_path: Path) -> None:
    assert any(place.endswith(": Deformable") for place in names_in(ROOT / "data" / "subcategories" / "physical_structure.py"))
    file = tmp_path / "app.py"
    file.write_text("if row.runner == 'pour' or kind.name in ('Deformable', 'Soup'):\n    'Deformable'\n")
    assert [place.rpartition(": ")[2] for place in names_in(file, tmp_path)] == ["pour", "Deformable"]


def test_every_runner_of_the_release_has_a_reader_of_scenes() -> None:
    assert sorted(_SCENES) == list(RUNNERS)


def test_what_is_declared_holds_together() -> None:
    assert len(BY_KEY) == len(SUBCATEGORIES)
    for kind in SUBCATEGORIES:
        reading = kind.reading
        assert bool(reading.yes_words) == bool(reading.no_words), kind.key
        assert not (reading.yes_words and kind.form != "yes_no"), f"{kind.key}: words for yes and no, but no yes or no"
        assert not (reading.exact and (reading.yes_words or reading.same_words or reading.sides)), f"{kind.key}: exact takes no other words"
        assert not set(reading.yes_words) & set(reading.no_words), kind.key
        kind.run_name.format(scene="s", room="r", index=1)


@pytest.mark.parametrize(
    ("category", "subcategory", "right"),
    [("Spatial Relations", "Geometric Configuration", True), ("Metric Comparison", "Dimensional Size", False), ("Cooking", "Soup", False)],
)
def test_words_of_a_subcategory_hold_for_it_alone(category: str, subcategory: str, right: bool) -> None:
    options = ("random", "equilateral")
    task = Task(
        task_id="t", category=category, subcategory=subcategory, question=Question(text="?", form="choice", options=options),
        gold=Gold(accepted=("random",), chance=0.5), scene=Scene(camera=Camera(), room=Room()), start=Pose((0.0, 0.0, 1.0)),
        provenance=Provenance(dataset="vantage"),
    )  # fmt: skip
    assert score(task, "scalene").correct_strict == right
    assert (normalise("choice", task.question, "scalene", None, reading_of(task).same_words) == "random") == right
