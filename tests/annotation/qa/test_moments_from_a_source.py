"""From a folder on disk to checked items, nothing made up in between: import, sample, keep, generate, hold to the truth, help."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from annotation.qa import moments as chosen
from annotation.qa import rules
from annotation.qa.drawn import assist
from annotation.qa.errors import QaError
from annotation.qa.items import VIEWS
from annotation.qa.projects import create_project
from annotation.qa.published import exporting
from annotation.qa.truth import examine
from annotation.qa.trying.generating import generate
from annotation.qa.work import pool
from data.robot.images import ImageFolder
from data.robot.importing import import_source
from data.store import Store

FRAMES = 24
FOLDER = "put\u00a0block \u3000🤖 e\u0301 \u202bתרגיל $x$ "
"""A folder's name as people have them: blanks of several kinds, an accent apart from its letter, other scripts."""


@pytest.fixture
def tree(world: Any, tmp_path: Path) -> Path:
    """Two episodes in the layout of BridgeData V2, with camera matrices and poses."""
    for number in range(2):
        episode = SimpleNamespace(key=f"kitchen/{number}", arm="single", frames=FRAMES)
        folder = tmp_path / "bridge" / "kitchen" / FOLDER / f"{number:02d}" / "2026-01-02_10-07-00" / "raw" / "traj_group0" / "traj0"
        for view, camera in zip(VIEWS["single"], ("images0", "images1", "images2", "images3"), strict=True):
            (folder / camera).mkdir(parents=True)
            for frame in range(FRAMES):
                (folder / camera / f"im_{frame}.png").write_bytes(world.still(None, episode, view, frame).data)
        (folder / "lang.txt").write_text("put the block into the bowl\nconfidence: 1.0\n")
        lenses = world.cameras(None, episode, 0)
        known = {f"images{k}": {"k": lens.k, "world_to_camera": lens.world_to_camera} for k, lens in enumerate(lenses.values())}
        (folder / "cameras.json").write_text(json.dumps(known))
        truths = [world.truth(None, episode, frame) for frame in range(FRAMES)]
        objects = [
            {"name": thing.name, "category": thing.category, "size": thing.size, "poses": [t.objects[n].pose for t in truths]}
            for n, thing in enumerate(truths[0].objects)
        ]
        arm = {"poses": [t.grippers["arm"].pose for t in truths], "opening_m": [t.grippers["arm"].opening_m for t in truths]}
        events = [vars(event) for event in truths[0].events]
        document = {"schema": 1, "frames": FRAMES, "up": [0, 0, 1], "objects": objects, "grippers": {"arm": arm}, "events": events}
        (folder / "truth.json").write_text(json.dumps(document))
    return tmp_path / "bridge"


def test_a_folder_becomes_moments_and_items_that_agree_with_its_poses(store: Store, tree: Path) -> None:
    import_source(store, tree, "bridge", name="made for the test")
    project = create_project(store, "P", trial_batch=0).project_id
    found = chosen.sample_moments(store, project, per_episode=2, seed=1)
    assert (found.added, found.filtered, found.by_source) == (4, {}, {"made for the test": {"candidate": 4}})
    for moment in chosen.moments(store, project):
        view = moment.view("view3")
        assert (
            view is not None and (tree / view.file).name == f"im_{moment.frame_index}.png" and moment.task == "put the block into the bowl"
        )
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    made = [stored for slug in ("distance", "consistency", "step") for stored in generate(store, project, slug, 2, 1, "set-up")]
    assert {stored.item.subtask for stored in made} == {"distance", "consistency", "step"}
    for stored in made:
        assert stored.state == "in_review" and rules.check(stored.item) == []
        assert examine(store, stored.item).status == ("unknown" if stored.item.subtask == "step" else "agrees")
    item = next(stored.item for stored in made if stored.item.subtask == "consistency")
    told, matrix = assist.help_for(store, item), assist.grid_matrix(store, item)
    assert told is not None and len(told["pairs"]) == 12 and told["boxes"] and matrix is not None and len(matrix) == 12
    assert pool.get(store, item.item_id).item == item
    with store.atomic() as db:
        db.execute("UPDATE qa_items SET state = 'accepted'")
    out = tree.parent / "out"
    assert exporting.export(store, project, out, ImageFolder(store.home)).items == len(made)
    documents = [json.loads(path.read_text()) for path in sorted(out.rglob("QA.json"))]
    table = pq.read_table(out / "items.parquet").to_pylist()
    exported = {view["file"] for one in documents for view in one["item"]["views"]}
    assert len(documents) == len(table) == len(made)
    assert all(f"/{FOLDER}/" in file and (tree / file).is_file() for file in exported)
    assert {row["episode"] for row in table} <= {moment.episode for moment in chosen.moments(store, project)}


def test_a_source_whose_folder_is_gone_is_a_sentence_and_uses_up_no_frame(store: Store, tree: Path, tmp_path: Path) -> None:
    import_source(store, tree, "bridge", name="kitchen")
    project = create_project(store, "P", trial_batch=0).project_id
    tree.rename(tmp_path / "elsewhere")
    with pytest.raises(QaError, match=r"Not there any more: kitchen \(.*bridge\)"):
        chosen.sample_moments(store, project, per_episode=1)
    (tmp_path / "elsewhere").rename(tree)
    assert chosen.sample_moments(store, project, per_episode=1).waiting == 2
