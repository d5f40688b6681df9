"""Each action is declared once, in `sim_bridge.actions`; no other file tells actions apart by their names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from app import wire
from sim_bridge.actions import (
    ACTIONS,
    ARGUMENTS,
    BY_NAME,
    CAMERA_ACTIONS,
    FREEING_ACTIONS,
    KINDS,
    OBJECT_ACTIONS,
    RELATIONS,
    TAKING_ACTIONS,
    inverse_of,
    parse_action,
    written,
)
from sim_bridge.spec import Ability
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "annotation", "study", "data", "sim_bridge")
USES = (
    "sim_bridge/actions/",  # the declarations
    "sim_bridge/kinematics.py",  # what the ten camera actions do
    "sim_bridge/backends/",  # deeds
    "sim_bridge/checks/",  # the contract's checks act, and look at what came of it
    "sim_bridge/gallery",  # exhibits act
    "data/trying.py",  # released rows are tried by doing
    "data/generators/",  # proofs act, and judges look at what was done
    "data/importers/scenes_",  # what the released runners offer with each scene
    "data/subcategories/",  # what a subcategory needs
)
"""Files that use single actions; they may name them."""
TELLING = {name for name in ACTIONS if "_" in name}
"""Names that mean nothing but the action; the others (open, put, wait) are words with other meanings as well."""


def tells_apart(file: Path) -> Iterator[str]:
    """Where a file names an action in text that is no docstring. Names that are other words as well count where actions are imported,
    in comparisons, cases and collections."""
    text = file.read_text(encoding="utf-8")
    docs = {id(n.value) for n in nodes(file) if isinstance(n, ast.Expr)}
    choosing = (ast.Compare, ast.match_case, ast.MatchValue, ast.Tuple, ast.List, ast.Set, ast.Dict)
    chosen = {id(c) for n in nodes(file) if isinstance(n, choosing) for c in ast.iter_child_nodes(n)}
    for node in nodes(file):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            short = "sim_bridge.actions" in text and node.value in ACTIONS and id(node) in chosen
            if node.value in TELLING or short:
                yield f"{file.relative_to(ROOT)}:{node.lineno}: {node.value}"


def sources() -> list[Path]:
    files = [f for room in ROOMS for f in sorted((ROOT / room).rglob("*.py")) if "__pycache__" not in f.parts]
    return [f for f in files if not f.relative_to(ROOT).as_posix().startswith(USES)]


def test_no_other_file_tells_actions_apart_by_name() -> None:
    assert [place for file in sources() for place in tells_apart(file)] == []


def test_the_search_finds_a_comparison() -> None:
    found = list(tells_apart(ROOT / "sim_bridge" / "kinematics.py"))
    assert any(place.endswith(": move_down") for place in found)


@pytest.mark.parametrize("file", sorted((ROOT / "app" / "components").rglob("*.js")), ids=lambda f: f.name)
def test_the_page_learns_its_actions_from_the_server(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert [name for name in TELLING if re.search(rf"\b{name}\b", text)] == []
    if file.name in ("play.js", "keys.js", "view.js"):
        text = text.replace("addEventListener('close'", "")
        assert [name for name in ACTIONS if re.search(rf"['\"]{name}['\"]", text)] == []


def test_names_and_keys_are_each_declared_once() -> None:
    assert len(BY_NAME) == len(KINDS)
    keys = [kind.key for kind in KINDS if kind.key]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"Key[A-Z]|Arrow(Left|Right|Up|Down)", key) for key in keys)
    assert not {"KeyR", "KeyC", "KeyF", "KeyG"} & set(keys), "R and C are Streamlit's, F and G the page's own"
    cells = [kind.pad for kind in KINDS if kind.pad]
    assert len(set(cells)) == len(cells)
    assert all(0 <= cell < 6 for _, cell in cells)


def test_the_keys_and_words_on_the_buttons_are_what_they_were() -> None:
    assert {kind.name: kind.key for kind in KINDS if kind.key} == {
        "move_forward": "KeyW", "move_backward": "KeyS", "move_left": "KeyA", "move_right": "KeyD", "move_up": "KeyQ", "move_down": "KeyE",
        "turn_left": "ArrowLeft", "turn_right": "ArrowRight", "turn_up": "ArrowUp", "turn_down": "ArrowDown", "wait": "KeyX",
    }  # fmt: skip
    told = wire.controls(ACTIONS)
    grid = {(a["pad"][0], a["pad"][1]): a["short"] for a in told["actions"] if a["pad"]}
    assert [grid.get(("Move", cell)) for cell in range(6)] == ["Up", "Forward", "Down", "Left", "Back", "Right"]
    assert [grid.get(("Look", cell)) for cell in range(6)] == [None, "Up", None, "Left", "Down", "Right"]
    assert told["relations"] == [{"name": "inside", "label": "inside"}, {"name": "on", "label": "on"}]


def test_the_page_gets_the_task_s_actions_and_the_keys_of_all() -> None:
    told = wire.controls(("turn_left", "pour"))
    assert [a["name"] for a in told["actions"]] == ["turn_left", "pour"]
    assert told["actions"][1] == {
        "name": "pour",
        "label": "Pour",
        "form": ["obj", "from", "obj", "to", "obj"],
        "short": "Pour",
        "sentence": "from {1} into {2}",
        "same": [[0, 1]],
        "asks": ["which object", "from which object", "into which object"],
        "hand": "",
        "likely_held": [0, 1],
        "pad": None,
    }
    assert {key["name"] for key in told["keys"]} == {*CAMERA_ACTIONS, "wait"}


def test_inverses_are_mutual_and_of_the_camera() -> None:
    assert all(inverse_of(inverse_of(name)) == name != inverse_of(name) for name in CAMERA_ACTIONS)
    assert all(not kind.inverse for kind in KINDS if not kind.camera)


def test_arguments_are_of_known_kinds_and_ask_for_no_more_than_there_are() -> None:
    for kind in KINDS:
        assert len(kind.asks) <= kind.form.count("obj") > max(kind.likely_held, default=-1) or not kind.form
        assert kind.hand == "" or kind.form[0] == "obj"
        assert len(kind.needs) == kind.form.count("obj") and {*kind.needs} <= {*get_args(Ability), "rel"}, kind.name
    assert "pick_up" in TAKING_ACTIONS and {"place_on_slope", "put", "put_back", "put_on_floor"} <= set(FREEING_ACTIONS)
    assert not {*TAKING_ACTIONS} & {*FREEING_ACTIONS} and {*TAKING_ACTIONS, *FREEING_ACTIONS} <= set(OBJECT_ACTIONS)
    assert {*OBJECT_ACTIONS, *CAMERA_ACTIONS, "wait"} <= set(ACTIONS) and not set(OBJECT_ACTIONS) & set(CAMERA_ACTIONS)


@pytest.mark.parametrize("name", ACTIONS)
def test_what_is_written_is_read(name: str) -> None:
    for relation in RELATIONS:
        objects = [f"object_{n}" for n in range(1, ARGUMENTS[name].count("obj") + 1)]
        action = parse_action(written(name, *objects, relation=relation))
        assert (action.name, list(action.objects)) == (name, objects)
        assert str(action) == written(name, *objects, relation=relation)
