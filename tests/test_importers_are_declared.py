"""Importers of data sets: each is declared once, is found by its files or named, and no other file knows its name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.commands.tasks import command
from data.home import Home
from data.importers import registry
from data.importers.importer import Imported, Importer
from data.importers.reading import Rejection
from data.importers.registry import FORMATS, detect, importers
from data.importers.run import UnknownFormat, import_paths
from data.store import Store
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[1]


def refuse(paths: Iterable[Path]) -> Iterator[Imported | Rejection]:
    for path in paths:
        yield Rejection(path.name, "", "Is a list.")


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> Importer:
    """A second importer, which takes text files and rejects them."""
    other = Importer("lists", "lists", "lists", lambda path: path.suffix == ".txt", refuse, "name a .txt file")
    both = {**importers(), other.name: other}
    monkeypatch.setattr(registry, "importers", lambda: both)
    monkeypatch.setattr("data.importers.run.importers", lambda: both)
    return other


@pytest.mark.parametrize("name", FORMATS)
def test_each_registered_module_declares_an_importer_of_its_name(name: str) -> None:
    assert importers()[name].name == name


def test_files_tell_their_importer(lists: Importer, tmp_path: Path) -> None:
    row, text, folder, nothing = tmp_path / "row.json", tmp_path / "rows.txt", tmp_path / "folder", tmp_path / "nowhere"
    for file in (row, text, folder / "deep" / "ROW.JSON"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    assert [detect([path]).name for path in (row, text, folder, nothing)] == ["esi", "lists", "esi", "esi"]
    assert detect([nothing, text]) is lists


def test_the_importer_can_be_named(lists: Importer, tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "x.db"))
    row = tmp_path / "row.json"
    row.write_text("{}")
    assert [r.reason for r in import_paths(store, [row], "lists").rejected] == ["Is a list."]
    with pytest.raises(UnknownFormat, match=r"There is no data set format 'csv'; known: esi, lists\."):
        import_paths(store, [row], "csv")


def test_the_command_offers_the_registered_formats_and_says_what_to_name(tmp_path: Path) -> None:
    assert f"[{'|'.join(FORMATS)}]" in CliRunner().invoke(command, ["import", "--help"]).output
    empty = tmp_path / "empty"
    empty.mkdir()
    done = CliRunner().invoke(command, ["import", str(empty), "--db", str(tmp_path / "x.db")])
    assert done.exit_code == 1 and "name the release's json_clean folder, one of its files, or a summary list." in done.output


def test_no_other_file_knows_an_importer_or_its_data_set_by_name() -> None:
    names = {*FORMATS, *(importer.dataset for importer in importers().values())}
    wrong = []
    for room in ("app", "annotation", "study", "data", "sim_bridge"):
        for file in sorted((ROOT / room).rglob("*.py")):
            if not file.relative_to(ROOT).as_posix().startswith("data/importers/"):
                texts = [n for n in nodes(file) if isinstance(n, ast.Constant)]
                wrong += [f"{file.relative_to(ROOT)}:{n.lineno}: {n.value}" for n in texts if n.value in names]
    assert wrong == []
