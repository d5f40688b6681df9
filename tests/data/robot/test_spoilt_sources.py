"""Whatever is in the files of a source, an import ends with a report or with one sentence."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.robot import episodes as robot
from data.robot.errors import RobotError
from data.robot.importing import import_source
from data.store import Store
from tests.data.robot.conftest import Make

STRANGE = [None, True, -1, 0, 10**30, 1e308, "", "x" * 5000, "\ud800", "../../etc/passwd", "/etc/passwd", [], {}, [[]], {"a": 1}, "\0", 0.5]  # type: ignore[var-annotated]
TURNS = 40


def spoilt(value: Any, rng: random.Random) -> Any:
    """A JSON value with one thing in it replaced, renamed, repeated or removed."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return rng.choice(STRANGE)
    if isinstance(value, dict):
        key, what = rng.choice(list(value)), rng.random()
        kept = {k: v for k, v in value.items() if k != key}
        if what < 0.15:
            return kept
        return kept | ({rng.choice(["..", "../a", "x" * 300]): value[key]} if what < 0.25 else {key: spoilt(value[key], rng)})
    index, what = rng.randrange(len(value)), rng.random()
    middle = [] if what < 0.1 else [value[index]] * 2 if what < 0.2 else [spoilt(value[index], rng)]
    return [*value[:index], *middle, *value[index + 1 :]]


def spoil(path: Path, rng: random.Random) -> None:
    if path.suffix == ".json" and rng.random() < 0.85:
        path.write_text(json.dumps(spoilt(json.loads(path.read_text()), rng)))
    elif path.suffix == ".parquet" and rng.random() < 0.8:
        columns = pq.read_table(path).to_pydict()
        name = rng.choice(list(columns))
        columns[name] = [rng.choice([None, -5, 2**40]) if rng.random() < 0.5 else None for _ in columns[name]]
        pq.write_table(pa.table(columns), path)
    else:
        data = bytearray(path.read_bytes())
        for _ in range(rng.randint(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.2 else data)


@pytest.mark.parametrize("kind", ["agibot", "bridge", "lerobot_3", "lerobot_2"])
def test_a_spoilt_source_ends_with_a_report_or_a_sentence(store: Store, make: type[Make], tmp_path: Path, kind: str) -> None:
    sound, root = tmp_path / "sound", tmp_path / "s"
    if kind == "agibot":
        make.agibot(sound, frames=4)
    elif kind == "bridge":
        where = make.bridge(sound, frames=2)
        pose = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        make.json(
            where / "cameras.json", {f"images{k}": {"k": [[60, 0, 32], [0, 60, 24], [0, 0, 1]], "world_to_camera": pose} for k in range(4)}
        )
        make.json(where / "truth.json", make.truth(2))
    else:
        getattr(make, kind)(sound, (3, 4))
    rng, reports, sentences = random.Random(f"{kind} 1"), 0, 0
    for _ in range(TURNS):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(sound, root)
        files = sorted(path for path in root.rglob("*") if path.is_file())
        for path in rng.sample(files, 2):
            spoil(path, rng)
        try:
            done = import_source(store, root)
        except RobotError as error:
            sentences += len(str(error)) > 20
            continue
        json.dumps(done.as_json(), allow_nan=False)
        reports += 1
        for episode in robot.episodes(store):
            for view in episode.record.views:
                still_or_sentence(store, episode, view)
    assert reports + sentences == TURNS and reports > TURNS // 4


def still_or_sentence(store: Any, episode: Any, view: str) -> None:
    try:
        still = robot.still(store, episode, view, episode.frames - 1)
    except RobotError:
        return
    assert still.width > 0 and still.data
