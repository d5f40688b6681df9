"""The released rows themselves (skipped where no copy is at hand): figures of the whole set, byte flips, invariants of every task."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from data.importers.esi import import_rows, read_rows
from data.importers.importer import Imported
from data.importers.reading import RawRow, Rejection, SummaryFile, content_key, read_files
from data.task import Task

ROWS = Path(os.environ.get("VANTAGE_ESI_ROWS") or Path(__file__).resolve().parents[3] / "shared" / "esi-bench" / "json_clean")
pytestmark = pytest.mark.skipif(not ROWS.is_dir(), reason="no released ESI-Bench rows at hand (set VANTAGE_ESI_ROWS to a folder of them)")


@pytest.fixture(scope="module")
def imported() -> list[Imported]:
    """Every second row."""
    files = sorted(p for p in ROWS.rglob("*.json") if p.parent != ROWS)[::2]
    found = list(import_rows(files))
    assert [f for f in found if isinstance(f, Rejection)] == []
    assert len(found) == len(files)
    return [f for f in found if isinstance(f, Imported)]


def test_all_twenty_nine_subcategories_come_in(imported: list[Imported]) -> None:
    assert len({(i.task.category, i.task.subcategory) for i in imported}) == 29


def test_summaries_are_recognised_and_exact_copies_share_their_key() -> None:
    found = list(read_files([ROWS]))
    rows = [f.value for f in found if isinstance(f, RawRow)]
    assert len({f.file for f in found if isinstance(f, SummaryFile)}) == 10
    assert len(rows) + 10 == len(found)
    distinct = {json.dumps({k: v for k, v in r.items() if k != "id"}, sort_keys=True) for r in rows}
    assert len({content_key(r) for r in rows}) == len(distinct) < len(rows)


def test_every_task_is_well_formed(imported: list[Imported]) -> None:
    for task in (i.task for i in imported):
        q = task.question
        assert 0 < task.gold.chance <= 0.5, task.task_id
        for accepted in task.gold.accepted:
            if isinstance(accepted, str):
                assert accepted in q.options
            elif isinstance(accepted, list):
                assert sorted(accepted) == sorted(q.options) or all(a in b for a, b in zip(accepted, q.blanks, strict=True))
            elif q.form == "assignment":
                assert set(accepted) == set(q.options) and set(accepted.values()) <= set(q.targets)
            else:
                assert all(accepted[n] in b for n, b in zip(q.blank_names, q.blanks, strict=True))
        assert task.start.position_m[2] >= -0.1 or any("below the floor" in d for d in task.defects)
        assert not any("no room" in d for d in task.defects) or any("below the floor" in d for d in task.defects)
        assert all(w.lower() in q.text.lower() or " near the " in w for w in task.names.values()), task.task_id
        x0, y0, x1, y1 = task.scene.room.bounds_m
        assert x0 < task.start.position_m[0] < x1 and y0 < task.start.position_m[1] < y1


def test_no_name_gives_an_answer_away(imported: list[Imported]) -> None:
    hidden = {"View Hallucination", "Partial Occlusion", "Deformable", "Agent Observation", "Merged Observation", "Category Ambiguity"}
    assert all(not i.task.names for i in imported if i.task.subcategory in hidden)


def test_handles_do_not_follow_the_role(imported: list[Imported]) -> None:
    """The object of the right answer gets a lower number than the other one about every second time."""
    for subcategory in ("Dimensional Size", "Spatial Distance"):
        lower = []
        for task in (i.task for i in imported if i.task.subcategory == subcategory):
            numbers = {words: int(h.split("_")[1]) for h, words in task.names.items()}
            right = str(task.gold.accepted[0])
            rivals = [w for w in numbers if any(w.endswith(o) for o in task.question.options)]
            if len(rivals) == 2:
                mine = next(w for w in rivals if w.endswith(right))
                lower.append(numbers[mine] == min(numbers[w] for w in rivals))
        assert len(lower) > 20 and 0.2 < sum(lower) / len(lower) < 0.8, subcategory


def test_flipped_bytes_of_released_rows_never_crash(tmp_path: Path) -> None:
    numbers = random.Random(7)
    files = sorted(p for p in ROWS.rglob("*.json") if p.parent != ROWS and p.stat().st_size < 40_000)
    target = tmp_path / "x.json"
    for path in numbers.sample(files, 120):
        data = bytearray(path.read_bytes())
        for _ in range(numbers.randint(1, 3)):
            data[numbers.randrange(len(data))] = numbers.randrange(256)
        target.write_bytes(data)
        (found,) = read_rows([target])
        assert isinstance(found, (Task, Rejection, SummaryFile))
        if isinstance(found, Task):
            assert Task.from_json(found.canonical_json()) == found
