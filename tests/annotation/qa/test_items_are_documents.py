"""An item is one immutable document: canonical, hashed, refused by field when malformed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from annotation.qa.errors import BadItem
from annotation.qa.items import Item, read_marks
from annotation.qa.subtasks import SUBTASKS


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_a_document_read_back_is_the_same_item(sound: Callable[..., Item], subtask: str) -> None:
    item = sound(subtask)
    again = Item.read(item.canonical_json())
    assert again == item
    assert again.content_hash == item.content_hash
    assert Item.read(json.loads(item.canonical_json())) == item


def test_the_hash_depends_on_content_alone(sound: Callable[..., Item]) -> None:
    item = sound("distance")
    doc = item.document()
    shuffled = dict(reversed(list(doc.items())))
    whole = json.loads(json.dumps(doc).replace(".0,", ","))
    assert Item.read(shuffled).content_hash == item.content_hash == Item.read(whole).content_hash
    assert item.change(gold=item.hard[0]).content_hash != item.content_hash


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gold": "F"}, "gold: input should be 'A'"),
        ({"item_id": 3}, "item_id: input should be a valid string, got 3"),
        ({"secret": 1}, "secret: extra inputs"),
        ({"marks": [{"id": "a", "view": "head", "kind": "box", "colour": "teal", "points": []}]}, "marks.0.colour"),
        ({"marks": [{"id": "a", "view": "head", "kind": "box", "colour": "red", "points": [[1, float("nan")]]}]}, "finite"),
        ({"cubes": [{"colour": "red", "cell": [0, 1, 1]}]}, "from 1 to 5, got (0, 1, 1)"),
        ({"views": [{"view": "head", "image": "x", "width": 1, "height": 1}]}, "views.0.image"),
    ],
)
def test_a_malformed_document_is_refused_by_field(sound: Callable[..., Item], change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadItem, match=r".") as caught:
        Item.read(sound("distance").document() | change)
    assert words in str(caught.value)


def test_a_change_is_validated_too(sound: Callable[..., Item]) -> None:
    with pytest.raises(BadItem, match="gold"):
        sound("step").change(gold="Z")
    with pytest.raises(BadItem, match="no field colour"):
        sound("step").change(colour="red")


def test_marks_from_the_canvas_may_be_half_drawn_but_not_malformed() -> None:
    half = {"id": "m1", "view": "head", "kind": "box", "colour": "red", "points": [[3, 4.25]]}
    assert read_marks([half])[0].points == ((3.0, 4.25),)
    with pytest.raises(BadItem, match="same id"):
        read_marks([half, half])
    with pytest.raises(BadItem, match=r"marks\.0: points"):
        read_marks([half | {"points": "here"}])
    with pytest.raises(BadItem, match="a list of marks is needed, got dict"):
        read_marks({})
