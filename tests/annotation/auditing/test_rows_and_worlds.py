"""Checks of fields, answers, questions, worlds and conditions: a faulty row and a sound one for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from annotation.auditing.check import Audited, Row
from annotation.auditing.findings import findings, findings_of, keep, latest
from annotation.auditing.reading import of_project, of_study, of_tasks, read_path
from annotation.auditing.registry import checks
from annotation.auditing.report import summary
from annotation.auditing.running import audit, chosen
from annotation.qa.projects import create_project
from annotation.qa.work.authoring import create_item
from data.generators.registry import benchmark
from data.home import Home
from data.store import Store
from study.studies import create_study
from tests.annotation.auditing.rows import found, read, released, write
from tests.annotation.qa.conftest import build_item


def test_copies_near_copies_and_contradictions() -> None:
    one = released("0001")
    assert [f.row.row_id for f in found("duplicate-exact", one, released("0002"))] == ["0002"]
    assert not found("duplicate-near", one, released("0002"))

    def seeded(metadata: dict[str, Any]) -> None:
        metadata["seed"] = 7
        metadata["objects"][0]["position"][0] += 0.005

    again = released("0003", change=seeded)
    assert not found("duplicate-exact", one, again)
    assert [f.row.row_id for f in found("duplicate-near", one, again)] == ["0003"]
    flipped = released("0004", change=seeded, answer="no")
    assert {f.row.row_id for f in found("same-question-other-gold", one, flipped)} == {"0001", "0004"}

    def moved(metadata: dict[str, Any]) -> None:
        metadata["objects"][0]["position"][1] += 0.3

    assert not found("same-question-other-gold", one, released("0005", change=moved, answer="no"))
    assert found("duplicate-id", one, released("0001", change=moved))


def test_fields_that_a_runner_needs() -> None:
    assert not found("field-missing", released())
    without = released()
    del without["scene"]
    assert "no scene" in found("field-missing", without)[0].evidence
    assert "camera" in found("field-missing", released(change=lambda metadata: metadata.pop("camera_poses")))[0].evidence
    assert found("field-missing", released(metadata_json="{"))


def test_answers_and_options() -> None:
    assert not found("gold-not-an-option", released(), released("0043", "action"))
    assert "none of the options" in found("gold-not-an-option", released(answer="perhaps"))[0].evidence
    above = json.dumps({"answer_A": "above", "answer_C": "left"})
    assert found("gold-not-an-option", released(runner="action", answer=above))
    assert not found("options-unreadable", released())
    assert found("options-unreadable", released(options_json=json.dumps(["yes", "no", "No"])))
    assert found("options-unreadable", released(options_json="[]"))
    twice = json.dumps({"A": ["right", "left"], "C": ["left", "left"]})
    assert "2 times" in found("options-unreadable", released(runner="action", options_json=twice))[0].evidence
    both = json.dumps({"A": ["right", "below"], "C": ["left", "right"]})
    assert found("options-overlap", released(runner="action", options_json=both))
    assert not found("options-overlap", released(runner="action"))
    assert not found("gold-in-other-words", released())
    assert found("gold-in-other-words", released(runner="pour"))
    assert not found("option-not-in-question", released(runner="pour"))
    assert found("option-not-in-question", released(runner="pour", options_json=json.dumps(["jug", "wineglass"])))


def test_results_of_one_name_and_files_that_are_skipped_or_lie_wrong() -> None:
    def named(metadata: dict[str, Any]) -> None:
        metadata["question_id"] = "mirror_object_reality/q_003"

    rows = [read(released(i, "mirror", named), f"{i}.json") for i in ("0001", "0002")]
    check = checks()["result-overwritten"]
    assert [f.row.row_id for f in check.look(Audited(rows))] == ["0001", "0002"]
    assert not list(check.look(Audited(rows[:1])))
    assert not list(check.look(Audited([read(released(i, "mirror"), f"{i}.json") for i in ("0001", "0002")])))
    assert list(checks()["runner-skips"].look(Audited([read(released(runner="storage"), "a__2.json")])))
    assert not list(checks()["runner-skips"].look(Audited([read(released(runner="storage"), "a.json")])))
    folder = "Physical Structure/Liquid Volume/Rs_int/kitchen_0/q.json"
    assert list(checks()["row-misfiled"].look(Audited([read(released(), folder)])))
    assert not list(checks()["row-misfiled"].look(Audited([read(released(runner="pour"), folder)])))


def test_what_hides_is_asked_for() -> None:
    def same(metadata: dict[str, Any]) -> None:
        metadata["objects"][1]["category"] = "baguette"
        masks = (("target", True), ("occluder", False))
        metadata |= {f"exist_{n}_obj": [{"_key": f"exist_{n}_obj_0", "_indices": [0], "value": v}] for n, v in masks}

    assert not found("occluder-is-an-option", released(runner="occlusion"))
    assert found("occluder-is-an-option", released(runner="occlusion", change=same))
    assert found("occluder-not-in-view", released(runner="occlusion", change=same))
    assert not found("occluder-not-in-view", released(runner="occlusion"))
    assert not found("never-in-view", released(runner="occlusion", change=same))
    unseen = [{"_key": "exist_near_0", "_indices": [0], "value": False}]
    assert found("never-in-view", released(runner="distance", change=lambda metadata: metadata.update(exist_near=unseen)))


def test_things_and_cameras_out_of_the_world() -> None:
    def fell(metadata: dict[str, Any]) -> None:
        metadata["objects"][1]["position"][2] = -3.0

    def far(metadata: dict[str, Any]) -> None:
        for pose in metadata["camera_poses"]:
            pose["position"][0] = 80.0

    def under(metadata: dict[str, Any]) -> None:
        for pose in metadata["camera_poses"]:
            pose["position"][2] = -1.0

    assert not found("object-out-of-world", released())
    assert "3.00 m below the floor" in found("object-out-of-world", released(change=fell))[0].evidence
    assert not found("camera-out-of-world", released())
    assert found("camera-out-of-world", released(change=far))
    assert found("camera-out-of-world", released(change=under))
    inside = released(runner="occlusion", change=lambda metadata: metadata["views"]["view_00_az250.png"].update(position=[0.1, 0, 0.05]))
    assert found("camera-inside-object", inside)
    assert not found("camera-inside-object", released(runner="occlusion"))


def test_a_gold_that_holds_from_one_view_only() -> None:
    def asked(metadata: dict[str, Any]) -> None:
        metadata["qa"] = {"view_idx": 0}

    first = {"answer": json.dumps({"answer_A": "right", "answer_C": "left"})}
    assert not found("gold-of-another-view", released(runner="action", change=asked, **first))

    def hidden(metadata: dict[str, Any]) -> None:
        asked(metadata)
        metadata["stage0_initial_views"][0]["exist_obj_fixed"] = False

    assert "begins at view 2" in found("gold-of-another-view", released(runner="action", change=hidden, **first))[0].evidence


def test_names_of_containers() -> None:
    other = json.dumps(["medium container", "teacup", "bucket"])
    answer = json.dumps([{"_key": "snow globe", "value": "medium container"}, {"_key": "address", "value": "bucket"}])
    assert found("option-names-absent", released(runner="storage", options_json=other, answer=answer))
    assert not found("option-names-absent", released(runner="storage"))
    assert not found("gold-containment", released(runner="storage", options_json=other, answer=answer))


def test_the_bundle_has_what_its_definitions_promise() -> None:
    audited = of_tasks(benchmark())
    report = audit(audited, chosen(("condition-light-change", "condition-manipulation", "condition-phases")))
    kinds = {check: {f.row.kind[1] for f in found} for check, found in report.findings.items()}
    assert not kinds["condition-light-change"]
    assert not kinds["condition-manipulation"]
    assert not kinds["condition-phases"]


def test_sound_own_tasks_are_left_in_peace() -> None:
    """The bundle's tasks but those conditions: no check of rows may find anything in them that their twins would not show."""
    allowed = {"condition-light-change", "condition-manipulation"}
    which = [check for check in chosen() if check.needs == "rows" and _mine(check.look.__module__) and check.id not in allowed]
    report = audit(of_tasks(benchmark()), which)
    assert {name: [f.evidence for f in found[:2]] for name, found in report.findings.items() if found} == {}


def _mine(module: str) -> bool:
    names = ("fields", "answers", "duplicates", "questions", "geometry", "records", "world", "conditions", "payload")
    return module.rsplit(".", 1)[-1] in names


def test_an_audit_of_a_study_is_kept_and_its_newest_findings_are_flags(tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "v.db"))
    row = read(released(runner="touching", question="Are the pillow and board game touching each other?"))
    assert row.task is not None
    store.put_task(row.task)
    study = create_study(store, "A study", tasks=(row.task.content_hash,), per_task=1)
    report = audit(of_study(store, study.study_id), chosen(("question-names-absent", "gold-contact")))
    first = keep(store, "study", study.study_id, report)
    assert [f.check_id for f in findings(store, first)] == ["question-names-absent"]
    assert [flag.check for flag in findings_of(store, row.task.content_hash)] == ["question-names-absent"]
    second = keep(store, "study", study.study_id, audit(Audited([]), chosen(("gold-contact",))))
    kept = latest(store, "study", study.study_id)
    assert kept is not None and kept.audit_id == second
    assert findings_of(store, row.task.content_hash) == ()


def test_own_tasks_in_files_and_broken_ones(tmp_path: Path) -> None:
    document = json.loads(benchmark()[0].canonical_json())
    write(tmp_path / "own.json", document)
    write(tmp_path / "broken.json", document | {"budget": "many"})
    audited = read_path(tmp_path)
    assert [(row.file, row.task is not None) for row in audited.rows] == [("broken.json", False), ("own.json", True)]
    assert [f.row.file for f in checks()["file-unreadable"].look(audited)] == ["broken.json"]
    assert not list(checks()["field-missing"].look(audited))
    assert msgspec.json.encode({"rows": len(audited.rows)})
    assert isinstance(audited.rows[0], Row)


def test_robot_questions_of_a_project(tmp_path: Path) -> None:
    store = Store.open(Home.from_env(tmp_path / "v.db"))
    project = create_project(store, "Mugs")
    for _ in range(2):
        create_item(store, project.project_id, build_item("distance"), "author")
    audited = of_project(store, project.project_id)
    report = audit(audited, chosen(("duplicate-exact", "gold-not-an-option", "file-unreadable")))
    assert {name: len(found) for name, found in report.findings.items()} == {
        "duplicate-exact": 1,
        "gold-not-an-option": 0,
        "file-unreadable": 0,
    }
    keep(store, "project", project.project_id, report)
    assert summary(report)["rows"] == 2
