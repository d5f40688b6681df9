"""Rows that contradict themselves, are damaged or in another unit: tasks that cannot be played, or reasoned rejections, never a crash."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.importers.esi import build
from data.importers.importer import Imported
from data.importers.reading import RawRow, Rejection
from data.playable import assess
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from tests.data.released_rows import BUILDERS, counting_row, deformable_row, distance_row, line_row, mirror_row, task_of, touching_row


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (counting_row(category="club_sandwich"), "names other objects"),
        ({**touching_row(), "question": "Are the pillow and textbook touching each other?"}, "names other objects"),
        ({**deformable_row(), "answer": "grapefruit"}, "another object"),
        ({**mirror_row(), "answer": "No"}, "outside the runner's first view"),
        (
            {**line_row(), "metadata_json": line_row()["metadata_json"].replace("[0.3, 0.0, 0.05]", "[0.3, 0.0, -2940.0]")},
            "below the floor",
        ),
    ],
)
def test_rows_that_contradict_themselves_are_kept_but_not_playable(value: dict[str, Any], why: str) -> None:
    assert any(why in defect for defect in task_of(value).defects)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": 42}, "id"),
        ({"id": "../x"}, "id"),
        ({"id": ""}, "id"),
        ({"big_task": "Cooking"}, "big_task"),
        ({"small_task": "Soup"}, "small_task"),
        ({"runner_task": "triangle"}, "runner_task"),
        ({"scene": "../../etc"}, "scene"),
        ({"room": "/abs"}, "room"),
        ({"question": None}, "question"),
        ({"question": "a\x00b"}, "question"),
        ({"question": "half \ud800"}, "question"),
        ({"answer": "perhaps"}, "answer"),
        ({"answer": True}, "answer"),
        ({"options_json": "[]"}, "options_json"),
        ({"options_json": '["yes","Yes"]'}, "options_json"),
        ({"options_json": "{"}, "options_json"),
        ({"options_json": ["yes", "no"]}, "options_json"),
        ({"image_paths_json": '["../x.png"]'}, "image_paths_json[0]"),
        ({"image_paths_json": '["/etc/passwd"]'}, "image_paths_json[0]"),
        ({"metadata_json": "[]"}, "metadata_json"),
        ({"metadata_json": "{}"}, "metadata_json.camera_poses"),
        ({"metadata_json": '{"a": NaN}'}, "metadata_json"),
        ({"metadata_json": '{"a": 1, "a": 2}'}, "metadata_json"),
        ({"metadata_json": '{"a": ' + "[" * 5000 + "]" * 5000 + "}"}, "metadata_json"),
    ],
)
def test_bad_fields_are_named(change: dict[str, Any], field: str) -> None:
    built = build(RawRow("file.json", {**line_row(), **change}))
    assert isinstance(built, Rejection)
    assert built.field == field
    assert built.reason.endswith(".") and "\n" not in built.reason


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("[0.3, 0.0, 0.05]", '["0.3", "0.0", "0.05"]', "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", "[0.3, 0.0]", "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", "[0.3, 0.0, 1e999]", "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", f"[0.3, 0.0, {10**400}]", "metadata_json.objects.obj1.position"),
        ("[0.3, 0.0, 0.05]", "[0.3, 0.0, 1e30]", "metadata_json.objects.obj1.position"),
        ("[0.0, 0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0, 0.0]", "metadata_json.objects.obj1.quaternion_xyzw"),
        ('"obj2"', '"obj1"', "metadata_json.objects[1]._key"),
        ('"red_mug"', "7", "metadata_json.objects.obj1.category"),
        ('"red_mug"', '"../red_mug"', "metadata_json.objects.obj1.category"),
    ],
)
def test_bad_payload_fields_are_named(old: str, new: str, field: str) -> None:
    metadata = line_row()["metadata_json"]
    assert old in metadata
    built = build(RawRow("file.json", {**line_row(), "metadata_json": metadata.replace(old, new)}))
    assert isinstance(built, Rejection)
    assert built.field == field


def test_numbers_that_overflow_anywhere_in_the_source_are_refused() -> None:
    for text in ("1e999", "9" * 400 + ".0", '"\\ud800"'):
        value = line_row()["metadata_json"][:-1] + f', "note": {{"deep": [{text}]}}}}'
        built = build(RawRow("file.json", {**line_row(), "metadata_json": value}))
        assert isinstance(built, Rejection), text
        assert built.field == "metadata.note.deep[0]"


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8), st.just([]), st.just({}),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(["_key", "position", "value"]), st.text(max_size=3), max_size=2),
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside a JSON value."""
    found, stack = [], [value]
    while stack:
        v = stack.pop()
        for key, child in v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else ():
            found.append((v, key))
            stack.append(child)
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), runner=st.sampled_from(sorted(BUILDERS)))
def test_mutated_rows_become_tasks_or_rejections(data: st.DataObject, runner: str) -> None:
    value = BUILDERS[runner]()
    metadata = json.loads(value["metadata_json"])
    for _ in range(data.draw(st.integers(1, 3))):
        target = data.draw(st.sampled_from(["row", "metadata"]))
        spots = places(metadata) if target == "metadata" else [(value, k) for k in value]
        container, key = spots[data.draw(st.integers(0, len(spots) - 1))] if spots else (value, "id")
        if isinstance(container, dict) and data.draw(st.booleans()):
            container.pop(key, None)
        elif isinstance(container, dict) or (isinstance(key, int) and key < len(container)):
            container[key] = data.draw(JUNK)
    if "metadata_json" in value and isinstance(value["metadata_json"], str):
        value["metadata_json"] = json.dumps(metadata)
    built = build(RawRow("file.json", value))
    if isinstance(built, Imported):
        assert Task.from_json(built.task.canonical_json()).content_hash == built.task.content_hash
    else:
        assert built.file == "file.json" and built.reason.strip() and "Traceback" not in built.reason


def scaled(value: Any, factor: float) -> Any:
    """A decoded row with every place and size in it (three numbers) in another unit."""
    if isinstance(value, list) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
        return [v * factor for v in value]
    if isinstance(value, dict):
        return {k: scaled(v, factor) for k, v in value.items()}
    return [scaled(v, factor) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("factor", [100, 1000], ids=["centimetres", "millimetres"])
@pytest.mark.parametrize("runner", sorted(set(BUILDERS) - {"pour"}))
def test_lengths_of_another_unit_are_named(runner: str, factor: float) -> None:
    """Of a camera at eye height, as the release has it; where water is poured, nothing is measured."""
    value = BUILDERS[runner]()
    metadata = value["metadata_json"].replace("-1.0, 0.05]", "-1.0, 1.5]")
    plain = build(RawRow("file.json", {**value, "metadata_json": metadata}))
    assert isinstance(plain, Imported) and not any("no room" in defect for defect in plain.task.defects)
    built = build(RawRow("file.json", {**value, "metadata_json": json.dumps(scaled(json.loads(metadata), factor))}))
    assert isinstance(built, Rejection) or any("no room" in defect for defect in built.task.defects), built


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Screenshot at 9.41.02\u202fAM.png", True),
        ("図\u3000一.png", True),
        (" blanks .png", True),
        ("e\u0301.png", True),
        ("🤖.png", True),
        ("é" * 125 + ".png", True),
        ("a\u0000.png", False),
        ("a\n.png", False),
        ("a\\b.png", False),
        ("\ud83d.png", False),
        ("é" * 126 + ".png", False),
    ],
    ids=ascii,
)
def test_an_image_may_have_any_name_of_a_file(name: str, taken: bool) -> None:
    built = build(RawRow("file.json", {**distance_row(), "image_paths_json": json.dumps([name])}))
    assert isinstance(built, Imported) == taken
    assert taken or built.field.startswith("image_paths_json")  # type: ignore[union-attr]


def lines_with(old: str, new: str) -> dict[str, Any]:
    value = line_row()
    assert old in value["metadata_json"]
    return {**value, "metadata_json": value["metadata_json"].replace(old, new)}


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (lines_with("[0.3, 0.0, 0.05]", "[0.3, 0.0, -65286.0]"), "a recorded object lies below the floor"),
        (lines_with("[0.0, -1.0, 0.05]", "[900.0, -1.0, 0.05]"), "no room in metres"),
        (lines_with("[0.0, -1.0, 0.05]", "[1e9, -1.0, 0.05]"), "outside any scene"),
        (lines_with("[0.0, -1.0, 0.05]", "[0.0, -1.0, -900.0]"), "start view lies below the floor"),
    ],
)
def test_a_row_that_is_in_no_room_is_named_and_its_neighbours_are_untouched(bad: dict[str, Any], told: str) -> None:
    good = line_row()
    built = [build(RawRow(name, value)) for name, value in (("a.json", good), ("bad.json", bad), ("z.json", good))]
    assert isinstance(built[0], Imported) and isinstance(built[2], Imported) and not built[0].task.defects
    said = [built[1].reason] if isinstance(built[1], Rejection) else list(built[1].task.defects)
    assert any(told in sentence.lower() for sentence in said), said


def test_a_kind_that_nobody_knows_is_named() -> None:
    value = json.loads(json.dumps(line_row()).replace("red_mug", "zorgblat").replace("red mug", "zorgblat"))
    found = assess(task_of(value), Catalogue.load(), CAMERA_ACTIONS)
    assert "no recognisable model of: zorgblat" in found.missing
