"""Archives of results from outside: unpacked whole or not at all, and nothing but a sentence is ever raised."""

from __future__ import annotations

import io
import json
import random
import stat
import struct
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.qa import projects
from annotation.qa.errors import QaError
from annotation.qa.evaluating import results
from annotation.qa.evaluating.results import unpack
from annotation.qa.projects import Project
from annotation.qa.work import pool
from data.archives import MAX_PART
from data.store import Store


def packed(*entries: tuple[str | zipfile.ZipInfo, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", packing) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return kept.getvalue()


@pytest.mark.parametrize("name", ["../QA.json", "/tmp/QA.json", "a/../../QA.json", "a\\..\\QA.json/QA.json"])
def test_an_archive_of_results_that_leads_outside_is_refused_whole(tmp_path: Path, name: str) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        archive.writestr("good/QA.json", "{}")
        archive.writestr(name, "{}")
    with pytest.raises(QaError, match="outside itself"):
        unpack(kept.getvalue(), tmp_path / "in")
    assert list(tmp_path.rglob("*.json")) == []


def test_an_archive_that_unpacks_to_too_much_or_is_none_is_refused(tmp_path: Path) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(3):
            archive.writestr(f"{n}/QA.json", b"0" * (90 << 20))
    with pytest.raises(QaError, match="too large"):
        unpack(kept.getvalue(), tmp_path)
    with pytest.raises(QaError, match="no archive"):
        unpack(b"PK no", tmp_path)


def link(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = (stat.S_IFLNK | 0o777) << 16
    return made


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([("a/QA.json", b"{}"), ("a/QA.json/b/QA.json", b"{}")], "a file and a folder of one name"),
        ([("a/QA.json", b"{}"), ("A/QA.json", b"{}")], "names a file twice"),
        ([("x" * 300 + "/QA.json", b"{}")], "a name that cannot be written"),
        ([("/".join(["x" * 100] * 20) + "/QA.json", b"{}")], "a name that cannot be written"),
        ([("a\nb/QA.json", b"{}")], "a name that cannot be written"),
        ([(link("a/QA.json"), b"/etc/passwd")], "holds a link"),
    ],
)
def test_an_archive_of_things_that_cannot_be_written_is_refused_whole(
    tmp_path: Path, entries: list[tuple[str | zipfile.ZipInfo, bytes]], words: str
) -> None:
    with pytest.raises(QaError, match=words) as caught:
        unpack(packed(("good/QA.json", b"{}"), *entries), tmp_path)
    assert list(tmp_path.iterdir()) == [] and str(caught.value).isprintable()


def test_what_is_not_wanted_is_not_unpacked_and_names_may_be_long_and_foreign(tmp_path: Path) -> None:
    name = "テスト 箱" + "x" * (MAX_PART - 13)
    data = packed((f"{name}/QA.json", b"{}"), ("evil/../../x.png", b"x"), ("pictures/huge.png", b"0" * 1000))
    with pytest.raises(QaError, match="outside itself"):
        unpack(data, tmp_path)
    assert unpack(packed((f"{name}/QA.json", b"{}"), ("pictures/huge.png", b"0")), tmp_path) == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["QA.json"]


def test_a_header_that_says_less_than_there_is_unpacks_no_more(tmp_path: Path) -> None:
    data = bytearray(packed(("a/QA.json", b"0" * 50_000)))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 10)
    with pytest.raises(QaError, match=r"Nothing was read|no archive"):
        unpack(bytes(data), tmp_path)
    assert list(tmp_path.iterdir()) == []


MUTATIONS = 600


def harmed(data: bytes, how: random.Random) -> bytes:
    """A good archive, damaged in one of several ways."""
    spoilt = bytearray(data)
    kind = how.randrange(6)
    if kind == 0:  # a few bytes anywhere
        for _ in range(how.randint(1, 8)):
            spoilt[how.randrange(len(spoilt))] = how.randrange(256)
    elif kind == 1:  # cut off
        del spoilt[how.randrange(len(spoilt)) :]
    elif kind == 2:  # a stretch taken out, or put in
        at = how.randrange(len(spoilt))
        spoilt[at : at + how.randint(0, 40)] = how.randbytes(how.randint(0, 40))
    elif kind == 3:  # a field of a header
        heads = [at for at in range(len(spoilt) - 46) if spoilt[at : at + 4] in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06")]  # type: ignore[comparison-overlap]
        at = how.choice(heads) + how.randrange(4, 46)
        spoilt[at : at + 4] = struct.pack("<I", how.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, how.getrandbits(32))))
    elif kind == 4:  # the packed bytes alone
        at = how.randrange(60, max(61, len(spoilt) // 2))
        spoilt[at] ^= 1 << how.randrange(8)
    else:  # a name, the same in both headers
        old = how.choice((b"run/matching", b"QA.json"))
        new = how.choice((b"../../../../", b"/etc/passwd/", b"C:\\\\windows/", b"\xff" * 12, b"QA.json/QA.j", b"a\0b\0c\0d\0e\0f\0"))
        spoilt = spoilt.replace(old, new[: len(old)].ljust(len(old), b"x"))
    return bytes(spoilt)


@pytest.fixture
def project(store: Store, sound: Callable[..., object]) -> Project:
    made = projects.create_project(store, "R", trial_batch=0)
    for seed in range(2):
        pool.admit(store, made.project_id, sound("matching", seed), state="accepted", actor="lea", why="test")  # type: ignore[arg-type]
    return made


def test_of_600_damaged_archives_each_is_read_or_refused_and_nothing_is_half_written(
    store: Store, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ids = [stored.item.item_id for stored in pool.items(store, project.project_id)]

    def content(item_id: str, words: str) -> bytes:
        run = {"model": "m", "choice": "B", "explanation": f"{words}\nAnswer: B"}
        return json.dumps({"id": item_id, "run1": run}).encode()

    entries = [(f"run/matching/QA{n:03d}/QA.json", content(item, "It is near. " * 30)) for n, item in enumerate(ids, start=1)]
    deep = ("run/matching/QA009/QA.json", b'{"a":' * 4000)
    seeds = [
        packed(*entries, packing=packing) for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    ] + [packed(*entries, deep)]
    told: Counter[str] = Counter()
    for number in range(MUTATIONS):
        how = random.Random(number)
        before = store.query("SELECT result_id FROM qa_results ORDER BY 1"), store.query("SELECT max(seq) FROM events")
        try:
            report = results.import_upload(store, project.project_id, "x.zip", harmed(seeds[number % len(seeds)], how), actor="lea")
        except QaError as error:
            told["refused"] += 1
            assert str(error).isprintable() and str(error).endswith(".")
            after = store.query("SELECT result_id FROM qa_results ORDER BY 1"), store.query("SELECT max(seq) FROM events")
            assert after == before
        else:
            told["read, some refused" if report.refused else "read"] += 1
            assert report.imported + len(report.refused) >= 1
        assert list(tmp_path.glob("vantage-results-*")) == []
        assert not Path("/etc/passwd/QA.json").exists() and list(tmp_path.rglob("QA.json")) == []
    assert sum(told.values()) == MUTATIONS and told["refused"] > 100 and told["read"] > 10
    rows = store.query("SELECT item_id, answer FROM qa_results")
    assert {row["item_id"] for row in rows} <= set(ids) and {row["answer"] for row in rows} <= {"B", None}
    with capsys.disabled():
        print(f" {MUTATIONS} damaged archives: {dict(told)}", end="")
