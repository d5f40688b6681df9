"""Versions of an item: every edit is a new one, and none changes afterwards. Who, when and why stand beside each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from annotation.qa.errors import UnknownItem
from annotation.qa.items import Item
from data.store import Store


class Version(msgspec.Struct, frozen=True):
    """One version of an item."""

    version: int
    content_hash: str
    kind: str
    """create, edit, marks, revise, balance, import."""
    why: str
    editor: str
    at: str


class _Document(msgspec.Struct, frozen=True):
    document: str


@dataclass(frozen=True)
class Change:
    """One difference between two versions."""

    field: str
    before: Any
    after: Any


def history(store: Store, item_id: str) -> list[Version]:
    """The versions of an item, oldest first.

    Raises:
        UnknownItem: there is no such item.
    """
    rows = store.rows(
        "SELECT version, content_hash, kind, why, editor, at FROM qa_versions WHERE item_id = ? ORDER BY version", Version, [item_id]
    )
    if not rows:
        raise UnknownItem(f"There is no item {item_id[:60]!r} here.")
    return rows


def at_version(store: Store, item_id: str, version: int) -> Item:
    """An item as it was.

    Raises:
        UnknownItem: no such version.
    """
    row = store.row("SELECT document FROM qa_versions WHERE item_id = ? AND version = ?", _Document, [item_id, version])
    if row is None:
        raise UnknownItem(f"There is no version {version} of the item {item_id[:60]!r} here.")
    return Item.read(row.document)


def write_version(store: Store, item: Item, version: int, kind: str, why: str, editor: str, at: str) -> None:
    """Keep a new version; part of the caller's transaction."""
    row = {"item_id": item.item_id, "version": version, "content_hash": item.content_hash, "document": item.canonical_json()}
    store.insert("qa_versions", row | {"kind": kind, "why": why, "editor": editor, "at": at})


def diff(before: Item, after: Item) -> list[Change]:
    """What differs, field by field; marks by their id, images and cubes by their view and colour."""
    old, new = _flat(before.document()), _flat(after.document())
    return [Change(name, old.get(name), new.get(name)) for name in sorted({*old, *new}) if old.get(name) != new.get(name)]


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    keys = {"marks": "id", "views": "view", "cubes": "colour"}
    found: dict[str, Any] = {}
    for name, value in document.items():
        if name == "absent":
            found |= {f"absent.{entry['view']} {entry['colour']}": "not visible" for entry in value}
        elif name in keys:
            found |= {f"{name}.{entry[keys[name]]}": {k: v for k, v in entry.items() if k != keys[name]} for entry in value}
        elif isinstance(value, dict):
            found |= {f"{name}.{key}": entry for key, entry in value.items()}
        else:
            found[name] = value
    return found
