"""Task documents: two versions that are read, hashes that stay, and what is written of a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from app.commands.tasks import command
from data import task_v1
from data.generators.registry import FOLDER
from data.home import Home
from data.playable import assess
from data.store import Store
from data.task import Ask, Gold, Provenance, Question, Task, converted, hash_of
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

FIRST = Path(__file__).parents[1] / "fixtures" / "tasks_v1"
"""Documents as the first version wrote them."""
HASHES = {
    "own-change-002a": (
        "e22f8a8dc73eaae9a9f7028d721e1f7f2745ff97669b67db938bc9f26d0caf67",
        "5bbe22e7776fb89e53e69774db9f610f5f69ac28c9880e394a3950d5cf32d518",
    ),
    "own-cloth-001b": (
        "49049af23bd7ea3ff73014db5e0d8d12d25fb20ab0320990198fcaf62133a6dd",
        "18ed69c808a000d1f843d9553f09702ace60b43cca55a863c08d6fe878416b7a",
    ),
    "own-connect-001a": (
        "33db09c66968c7b3ce46069c009867a3a172c536c3712e96e0c1e7cacd03a4e0",
        "05126bf288aab4ac1cfb8a054b7e02026ca2b914f3c8b3aae1241c28538dfce8",
    ),
    "own-fit-001a": (
        "a259e5b0c75e6b885ce05b6cf5af0a307ba690a0bbec4d174992deb9a13e93a4",
        "41102e3340ffcaa435e1e2e60f6119f29c337f1e8ddf28adf3b53ca4548e4cf8",
    ),
    "own-lighting-001b": (
        "ee3e4a3674d45961476bfe07ff0e2fe5b3270d30fe4ddafc782e5ebe6bfd209c",
        "3219226366f61b8704e0893131fca95157fa8cc9ed158e794c2c4fb27f07131f",
    ),
    "own-mirrored-001a": (
        "f675086ab34f108fdd22d08fc80e8eb8c8b9f68245606306d90cdae2ff64242f",
        "15710cba76ef25f9abb4a7faa8bf2363b3a61532bf22247750819032bde510a3",
    ),
    "own-order-001a": (
        "d51d9cd3eb9d5a63e6ec2c8ea0a38e68b18fae8548bac38973a8d515e9d5a588",
        "594797c2bd3e2dd45a8c479f98d3f51f2404054b4444a954c5567f26389296e4",
    ),
    "own-route-002a": (
        "8e36b4cdbb52dc3b6ed603b543d26c6f6611a1a4ff8410c184c44492a35f017c",
        "1375e1ccad26a67832814a4e86abc848ee9ff1312b3f230fec7b7cfcc70ff0a5",
    ),
    "own-size-001a": (
        "e97f62170cb6989b35cec69e7d38c0279e747a1f7894332302fa9516ea778efb",
        "661ae2becef874920bfcbc11d1897dff39670ee0973abf2f92d4a1555ca68951",
    ),
    "own-stack-001": (
        "ee2625ffd5fb153ef7e740ec170641ce5f82aacad95c18cef3fc78bb47658d4d",
        "888fdb16a52860fbdfd091820b580d5967858912213c9c1d7bb004e249e44a3a",
    ),
    "esi-0042-below": (
        "1e53814b179cd3cb1a06fe9391aca21914f797337fb8eb46d8f9a6c374a26092",
        "0727ce4c487fe67c738e4b043cda17be59c02ceeb0f4b15942e4ecd7736942a9",
    ),
    "esi-0042-vessels": (
        "199d43cf6e46c25f3b4d491115c3f8850e26194d184bd4258b338009394b10e1",
        "be8293f6250a746d6fceef2366d129292cb8b872923770b61427c1430ee39cbe",
    ),
}
"""File → content hash of the document of version 1, and of the same task as version 2. They stand in databases: they never change."""
EACH = pytest.mark.parametrize("name", sorted(HASHES))


def first(name: str) -> Task:
    return Task.from_json((FIRST / f"{name}.json").read_text(encoding="utf-8"))


def small(**more: Any) -> Task:
    fields: dict[str, Any] = {
        "task_id": "t-1",
        "category": "Spatial Relations",
        "subcategory": "Physical Contact",
        "question": Question(text="?", form="yes_no", options=("yes", "no")),
        "gold": Gold(accepted=("yes",), chance=0.5),
        "scene": Scene(camera=Camera(), room=Room(), objects=(Object("object_1", "mug", Pose((0, 1, 0))),)),
        "start": Pose((0, 0, 1)),
        "provenance": Provenance(dataset="vantage"),
    }
    return Task(**(fields | more))


@EACH
def test_content_hashes_of_both_versions_stay(name: str) -> None:
    task = first(name)
    assert task.schema_version == 1
    assert (task.content_hash, converted(task).content_hash) == HASHES[name]
    assert task.content_hash == hash_of((FIRST / f"{name}.json").read_text(encoding="utf-8").rstrip("\n"))


@EACH
def test_a_converted_task_comes_back_as_it_was_and_keeps_question_gold_scene_and_proof(name: str) -> None:
    old, new = first(name), converted(first(name))
    assert Task.from_json(new.canonical_json()) == new and converted(new) is new
    same = set(Task.model_fields) - {"schema_version", "tags"}
    assert [field for field in same if getattr(old, field) != getattr(new, field)] == []
    assert not set(new.tags) & set(task_v1.EXECUTED) and new.tags.items() <= old.tags.items()


def test_the_bundled_tasks_are_the_converted_ones_in_other_words() -> None:
    reworded = {"question", "gold", "provenance"}
    for name in (n for n in HASHES if (FOLDER / f"{n}.json").exists()):
        bundled, then = Task.from_json((FOLDER / f"{name}.json").read_text(encoding="utf-8")), converted(first(name))
        if not bundled.provenance.generator.endswith(" 3"):  # made anew since
            assert bundled.content_hash != then.content_hash
            continue
        assert [field for field in set(Task.model_fields) - reworded if getattr(bundled, field) != getattr(then, field)] == []
        assert bundled.question.ask == then.question.ask and bundled.question.form == then.question.form
    assert {json.loads(f.read_text(encoding="utf-8"))["schema_version"] for f in FOLDER.glob("own-*.json")} == {2}


def test_what_version_1_told_in_tags_and_words_is_in_fields() -> None:
    change, stack, below = first("own-change-002a"), first("own-stack-001"), first("esi-0042-below")
    assert change.gt_phase_starts == (12,) and change.first_view == 1.0 and len(change.vessels) == 3
    assert change.question.ask == Ask(what="which_changed", things=("object_7", "object_6", "object_8"))
    assert change.settled is not None and change.settled["object_1"] == (0.135, -1.559, 0.04)
    assert isinstance(stack.first_view, str) and stack.first_view.startswith("argued: from the floor")
    assert below.defects == ("a recorded object lies below the floor",) and below.question.ask is None
    assert below.defects[0] in assess(below, Catalogue(None)).missing
    assert first("own-connect-001a").settled == {} and below.settled is None


def test_a_database_of_the_first_version_keeps_its_tasks_and_finds_both_documents_of_an_id(tmp_path: Path) -> None:
    store, old = Store.open(Home.from_env(tmp_path / "vantage.db")), first("own-size-001a")
    store.put_task(old)
    assert store.get_task(HASHES["own-size-001a"][0]) == old
    assert store.put_task(converted(old)) == "imported" and store.put_task(old) == "duplicate"
    assert store.find_task("own-size-001a") == converted(old)
    assert store.get_task(old.content_hash).schema_version == 1
    store.close()


def test_what_stands_at_its_default_is_not_written_at_any_depth() -> None:
    document = json.loads(small().canonical_json())
    assert set(document) == {
        "schema_version", "task_id", "category", "subcategory", "question", "gold", "scene", "start", "actions", "provenance",
    }  # fmt: skip
    assert document["scene"] == {
        "camera": {},
        "room": {},
        "objects": [
            {
                "handle": "object_1",
                "category": "mug",
                "pose": {"position_m": [0.0, 1.0, 0.0], "quaternion_xyzw": [0.0, 0.0, 0.0, 1.0]},
            }
        ],
    }
    assert json.loads(small(settled={"object_1": (0.0, 1.0, 0.0)}).canonical_json())["settled"] == {"object_1": [0.0, 1.0, 0.0]}
    assert small(settled={}).document()["settled"] == {} and "settled" not in document


def test_a_field_of_a_later_program_changes_no_hash() -> None:
    class Later(Task):
        later: int = 3

    Later.__name__ = "Task"
    new = small()
    assert Later(**json.loads(new.canonical_json())).content_hash == new.content_hash
    old = json.loads((FIRST / "own-size-001a.json").read_text(encoding="utf-8"))
    assert Later(**old).content_hash == HASHES["own-size-001a"][0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"schema_version": 3}, "schema_version: this program reads 1 and 2, got 3"),
        ({"vessels": ("object_9",)}, "vessels: no object 'object_9' in the scene"),
        ({"settled": {"object_9": (0, 0, 0)}}, "settled: no object 'object_9'"),
        ({"gt_phase_starts": (1,)}, "gt_phase_starts: should rise"),
        ({"question": Question(text="?", form="yes_no", ask=Ask(what="touching", things=("object_9",)))}, "question.ask: no object"),
        ({"schema_version": 1, "tags": {"settled": "object_1"}}, "tags.settled: should list handles"),
        ({"schema_version": 1, "tags": {"gt_phase_1_actions": "few"}}, "tags.gt_phase_1_actions: should be a number, got 'few'"),
    ],
)
def test_a_document_that_cannot_be_is_refused_with_the_fields_name(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        small(**more)


def test_phases_begin_in_order() -> None:
    scene = Scene(camera=Camera(), room=Room(), phases=(Phase("one"), Phase("two"), Phase("three")))
    assert small(scene=scene, gt_trajectory=("move_up",) * 4, gt_phase_starts=(1, 3)).gt_phase_starts == (1, 3)
    for starts in ((3, 1), (1, 5), (1, 2, 3)):
        with pytest.raises(ValidationError, match="gt_phase_starts"):
            small(scene=scene, gt_trajectory=("move_up",) * 4, gt_phase_starts=starts)


def test_the_command_converts_files_in_place_and_names_what_it_cannot_convert(tmp_path: Path) -> None:
    for name in ("own-size-001a", "own-size-001b"):
        document = json.loads((FIRST / "own-size-001a.json").read_text(encoding="utf-8")) | {"task_id": name}
        if name.endswith("b"):
            document["question"]["text"] = "Welche Vase ist größer?"
        (tmp_path / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    done = CliRunner().invoke(command, ["convert", str(tmp_path), "--json"])
    assert done.exit_code == 1 and json.loads(done.stdout)["converted"] == 1, done.output
    assert "own-size-001b.json: question.text: not a wording that 'size 2' had" in done.output
    assert Task.from_json((tmp_path / "own-size-001a.json").read_text()).content_hash == HASHES["own-size-001a"][1]
    (tmp_path / "own-size-001b.json").unlink()
    again = CliRunner().invoke(command, ["convert", str(tmp_path)])
    assert again.exit_code == 0 and "1 is of version 2 already" in again.output
