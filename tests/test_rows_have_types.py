"""Rows of the database are read into types that are checked."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest

from data.home import Home
from data.rows import BadRow, Json, columns, read
from data.store import Store


class Seen(msgspec.Struct, frozen=True):
    seq: int
    ok: bool
    visible: Annotated[dict[str, int], Json]
    client_time_ms: float | None = None


GOOD: dict[str, Any] = {"seq": 3, "ok": 1, "visible": '{"object_1":40}', "client_time_ms": None}


def test_a_row_is_read_with_its_types_and_written_back_as_it_was() -> None:
    seen = read(Seen, GOOD)
    assert seen == Seen(seq=3, ok=True, visible={"object_1": 40}, client_time_ms=None)
    assert columns(seen) == GOOD


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seq": "three"}, r"A row read as Seen: Expected `int`, got `str` - at `\$\.seq`\."),
        ({"ok": 2}, r"A row read as Seen: Expected `bool`, got `int` - at `\$\.ok`\."),
        ({"visible": '{"object_1":"many"}'}, r"A row read as Seen: Expected `int`, got `str` - at `\$\.visible\[\.\.\.\]`\."),
        ({"visible": "{"}, r"A row read as Seen: visible is no JSON text .*"),
    ],
)
def test_a_value_of_another_type_names_its_column(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRow, match=message):
        read(Seen, GOOD | changed)


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(BadRow, match="missing required field `seq`"):
        read(Seen, {name: value for name, value in GOOD.items() if name != "seq"})


def test_the_store_reads_typed_rows(tmp_path: Any) -> None:
    class Study(msgspec.Struct):
        study_id: str
        name: str

    store = Store.open(Home.from_env(str(tmp_path / "vantage.db")))
    store.insert("studies", {"study_id": "st_1", "name": "A", "state": "draft", "document": "{}", "created_at": "2026-01-01"})
    assert store.rows("SELECT study_id, name FROM studies", Study) == [Study("st_1", "A")]
    assert store.row("SELECT study_id, name FROM studies WHERE study_id = ?", Study, ["st_1"]) == Study("st_1", "A")
    assert store.row("SELECT study_id, name FROM studies WHERE study_id = ?", Study, ["st_2"]) is None
    assert [found.name for found in store.stream("SELECT study_id, name FROM studies", Study)] == ["A"]
    with pytest.raises(BadRow):
        store.rows("SELECT study_id, state FROM studies", Study)
