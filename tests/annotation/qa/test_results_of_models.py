"""Model results: what cannot be read is no answer, never A; tables per subtask and domain; errors coded blind by two."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.qa import derive, projects
from annotation.qa.errors import QaError
from annotation.qa.evaluating import results
from annotation.qa.items import Item
from annotation.qa.projects import Project
from annotation.qa.published.exporting import export
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from app.pages.qa_lead_results import CHANCE, figure, stale_words
from data.store import Store


@pytest.fixture
def project(store: Store, sound: Callable[..., Item]) -> Project:
    project = projects.create_project(store, "R", trial_batch=0)
    for slug in SUBTASKS:
        for seed in range(2):
            pool.admit(store, project.project_id, sound(slug, seed), state="accepted", actor="lea", why="test")
    return project


@pytest.fixture
def tree(store: Store, project: Project, tmp_path: Path) -> Path:
    """A result tree: run1 answers spatial items rightly and robotic ones with unreadable text that the script took for A."""
    out = tmp_path / "results"
    export(store, project.project_id, out, None)
    for path in out.rglob("QA.json"):
        qa = json.loads(path.read_text())
        spatial = qa["domain"] == "spatial"
        choice = qa["correct"] if spatial else "A"
        run = {"model": "m-1", "choice": choice, "explanation": f"I see.\nAnswer: {choice}" if spatial else "I cannot tell."}
        path.write_text(json.dumps(qa | {"run1": run}))
    return out


def test_unreadable_answers_are_no_answer_and_never_a(store: Store, project: Project, tree: Path) -> None:
    report = results.import_results(store, project.project_id, tree, actor="lea")
    assert (report.files, report.imported, report.no_answer, report.fallbacks, report.refused) == (16, 16, 8, 8, [])
    (row,) = results.tables(results.stored(store, project.project_id))
    assert row["spatial"] | {"low": 0, "high": 0} == {"n": 8, "correct": 8, "no_answer": 0, "accuracy": 1.0, "low": 0, "high": 0}
    assert row["robotic"]["accuracy"] == 0.0 and row["robotic"]["no_answer"] == 8
    assert row["all"]["accuracy"] == row["mean_of_subtasks"] == 0.5
    assert results.scatter([row]) == [{"run": "run1", "model": "m-1", "variant": "", "spatial": 1.0, "robotic": 0.0, "n": 16}]
    text = results.markdown([row])
    assert text.splitlines()[0].count("|") == text.splitlines()[2].count("|") and "| 100.0 |" in text


@pytest.mark.parametrize("error", ["429 Too Many Requests. Answer: B", "Missing or invalid question/options", {"code": 500}])
def test_a_call_that_failed_is_no_answer_and_counts(store: Store, project: Project, tree: Path, error: dict[str, Any] | str) -> None:
    """The released scripts write the model and an error under the run's key; into an empty object where even the question was lost."""
    for number, path in enumerate(sorted((tree / "matching").rglob("QA.json"))):
        failed = {"run1": {"model": "m-1", "error": error}}
        path.write_text(json.dumps(failed if number else json.loads(path.read_text()) | failed))
    report = results.import_results(store, project.project_id, tree, actor="lea")
    assert (report.imported, report.no_answer, report.failed, report.fallbacks, report.refused) == (16, 10, 2, 8, [])
    (row,) = results.tables(results.stored(store, project.project_id))
    assert row["spatial"] | {"low": 0, "high": 0} == {"n": 8, "correct": 6, "no_answer": 2, "accuracy": 0.75, "low": 0, "high": 0}
    assert all("The call failed" in r["raw"] for r in results.stored(store, project.project_id) if r["subtask"] == "matching")


def test_a_call_that_failed_stands_in_tables_of_answers_too(store: Store, project: Project, tmp_path: Path) -> None:
    one, two = (stored.item for stored in pool.items(store, project.project_id, subtask="planning"))
    lines = tmp_path / "run.jsonl"
    rows = [
        {"item_id": one.item_id, "model": "m", "error": "timeout: Answer: A", "raw": None},
        {"item_id": two.item_id, "model": "m", "error": "", "raw": f"Answer: {two.gold}"},
    ]
    lines.write_text("\n".join(map(json.dumps, rows)))
    report = results.import_results(store, project.project_id, lines, actor="lea")
    assert (report.imported, report.no_answer, report.failed) == (2, 1, 1)
    (row,) = results.tables(results.stored(store, project.project_id))
    assert row["all"]["n"] == 2 and row["all"]["correct"] == 1 and row["all"]["no_answer"] == 1


def test_a_second_model_under_the_same_key_does_not_take_the_place_of_the_first(
    store: Store, project: Project, tree: Path, tmp_path: Path
) -> None:
    """The released scripts write every model under one key unless they are told another."""
    first = results.import_results(store, project.project_id, tree, actor="lea")
    for path in tree.rglob("QA.json"):
        qa = json.loads(path.read_text())
        path.write_text(json.dumps(qa | {"run1": {"model": "m-2", "choice": "A", "explanation": f"Answer: {qa['correct']}"}}))
    for _ in range(2):  # and again
        results.import_results(store, project.project_id, tree, actor="lea")
    runs = {(row["run"], row["model"]): row["all"] for row in results.tables(results.stored(store, project.project_id))}
    assert {key: score["accuracy"] for key, score in runs.items()} == {("run1", "m-1"): 0.5, ("run1 (m-2)", "m-2"): 1.0}
    assert {score["n"] for score in runs.values()} == {first.imported}
    item = pool.items(store, project.project_id, subtask="step")[0].item
    (tmp_path / "both.csv").write_text(f"item_id,model,answer\n{item.item_id},x,{item.gold}\n{item.item_id},y,\n")
    assert results.import_results(store, project.project_id, tmp_path / "both.csv", actor="lea").replaced == 0
    assert {row["run"] for row in results.stored(store, project.project_id)} >= {"both", "both (y)"}


def test_importing_again_replaces_and_a_choice_without_text_counts(store: Store, project: Project, tree: Path) -> None:
    results.import_results(store, project.project_id, tree, actor="lea")
    path = next((tree / "step").rglob("QA.json"))
    qa = json.loads(path.read_text())
    path.write_text(json.dumps(qa | {"run1": {"model": "m-1", "choice": qa["correct"]}}))
    report = results.import_results(store, project.project_id, tree, actor="lea")
    assert report.replaced == 16 and report.no_answer == 7
    assert len(results.stored(store, project.project_id)) == 16


def test_a_published_tree_without_ids_is_matched_by_its_folders(store: Store, project: Project, tree: Path) -> None:
    for path in tree.rglob("QA.json"):
        qa = json.loads(path.read_text())
        path.write_text(json.dumps({key: qa[key] for key in ("question", "options", "correct", "run1")}))
    (tree / "matching").rename(tree / "Cross-View Matching")
    assert results.import_results(store, project.project_id, tree, actor="lea").imported == 16
    assert not any(row["stale"] for row in results.stored(store, project.project_id))


def test_tables_of_answers_are_read_and_derived_items_known(store: Store, project: Project, tmp_path: Path) -> None:
    item = pool.items(store, project.project_id, subtask="planning")[0].item
    (rejected,) = derive.derive([item], "reject").items
    table = tmp_path / "model-x.csv"
    table.write_text(
        f"item_id,model,raw\n{item.item_id},x,Answer: {item.gold}\n{rejected.item_id},x,Answer: E\nqa_nobody,x,Answer: A\n,x,A\n"
    )
    report = results.import_results(store, project.project_id, table, actor="lea")
    assert report.imported == 2
    assert [why for _, why in report.refused] == [
        "There is no accepted item 'qa_nobody' in this project.",
        "item_id and model are needed.",
    ]
    rows = results.tables(results.stored(store, project.project_id))
    assert [(row["run"], row["variant"], row["all"]["accuracy"]) for row in rows] == [("model-x", "", 1.0), ("model-x", "reject", 1.0)]
    lines = tmp_path / "y.jsonl"
    lines.write_text(json.dumps({"item_id": item.item_id, "model": "y", "answer": "A cup"}) + "\nnonsense\n")
    report = results.import_results(store, project.project_id, lines, actor="lea")
    assert (report.imported, report.no_answer, len(report.refused)) == (1, 1, 1)


def test_what_is_no_result_file_is_refused(store: Store, project: Project, tmp_path: Path) -> None:
    with pytest.raises(QaError, match=r"no QA\.json lies below it"):
        results.import_results(store, project.project_id, tmp_path, actor="lea")
    with pytest.raises(QaError, match=r"a \.jsonl or a \.csv table"):
        results.import_results(store, project.project_id, tmp_path / "x.xlsx", actor="lea")
    (tmp_path / "QA.json").write_text("[]")
    report = results.import_results(store, project.project_id, tmp_path, actor="lea")
    assert report.refused == [("QA.json", "An object is needed, got list.")]


def test_results_of_an_item_that_changed_are_marked_stale(store: Store, project: Project, tree: Path) -> None:
    results.import_results(store, project.project_id, tree, actor="lea")
    stored = pool.items(store, project.project_id, subtask="step")[0]
    other = stored.item.change(question=stored.item.question + " Look.")
    pool.rebalance(store, stored.item.item_id, other, "lea", "test")
    stale = [row["item_id"] for row in results.stored(store, project.project_id) if row["stale"]]
    assert stale == [stored.item.item_id]


def test_wilson_agrees_with_a_published_value() -> None:
    # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I: 81 of 263, 0.2553 to 0.3662
    assert results.wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert results.wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_errors_are_coded_without_seeing_run_or_model(store: Store, project: Project, tree: Path) -> None:
    results.import_results(store, project.project_id, tree, actor="lea")
    todo = results.to_code(store, project.project_id, "cod")
    assert len(todo) == 8 and not {"run", "model", "file"} & set(todo[0])
    for coder, codes in {"cod": ["geometry", "task"], "dee": ["geometry", "perception"]}.items():
        for row, code in zip(todo, codes, strict=False):
            results.code_error(store, row["result_id"], coder, code)
    assert len(results.to_code(store, project.project_id, "cod")) == 6
    found = results.coded(store, project.project_id)
    assert found["runs"] == {"run1": {"perception": 0.5, "geometry": 1.0, "task": 0.5}}
    assert (found["answers"], found["twice"], found["agreement"]) == (2, 2, 0.5)
    right: dict[str, Any] = next(r for r in results.stored(store, project.project_id) if r["answer"] == r["gold"])
    with pytest.raises(QaError, match="This answer is right"):
        results.code_error(store, right["result_id"], "cod", "task")
    with pytest.raises(QaError, match="A code is one of"):
        results.code_error(store, todo[0]["result_id"], "cod", "bad luck")


def test_the_plot_shows_each_run_where_its_accuracies_are_and_people_as_such() -> None:
    points = [
        {"run": "r1", "model": "m-1", "variant": "", "spatial": 0.25, "robotic": 0.5, "n": 16},
        {"run": "r2", "model": "m-2", "variant": "flip", "spatial": 0.75, "robotic": 0.1, "n": 8},
        {"run": "s1", "model": "people", "variant": "", "spatial": 0.9, "robotic": 0.95, "n": 16},
    ]
    made = figure(points).to_dict()
    models, people = made["data"]
    assert (list(models["x"]), list(models["y"]), list(models["text"])) == ([0.25, 0.75], [0.5, 0.1], ["r1", "r2"])
    assert (list(people["x"]), list(people["y"]), people["marker"]["symbol"]) == ([0.9], [0.95], "diamond")
    assert [shape["x0"] for shape in made["layout"]["shapes"]] == [0, CHANCE, 0]
    assert [trace["showlegend"] for trace in figure(points[:1]).to_dict()["data"]] == [True, False]


def written(kind: str, item: str) -> tuple[str, bytes]:
    """A table of one answer A as other programs write it."""
    words = "à gauche\nAnswer: A"
    csv_text = f'item_id,model,raw\n{item},gpt,"{words}"\n'
    return {
        "excel-ansi.csv": ("x.csv", csv_text.encode("cp1252")),
        "excel-bom.csv": ("x.csv", csv_text.encode("utf-8-sig")),
        "excel-semicolon.csv": ("x.csv", csv_text.replace(",", ";").encode("utf-8-sig")),
        "excel-unicode-text": ("x.txt", csv_text.replace(",", "\t").encode("utf-16")),
        "upper.CSV": ("x.CSV", csv_text.replace("item_id,model,raw", "Item_ID,Model,Raw").encode()),
        "long-reasoning.csv": ("x.csv", f'item_id,model,raw\n{item},r1,"{"thinking " * 20_000}\nAnswer: A"\n'.encode()),
        "nul.csv": ("x.csv", f'item_id,model,raw\n{item},gpt,"a\0b\nAnswer: A"\n'.encode()),
        "ansi.jsonl": ("x.jsonl", json.dumps({"item_id": item, "model": "m", "raw": words}, ensure_ascii=False).encode("cp1252")),
        "lone-surrogate.jsonl": ("x.jsonl", json.dumps({"item_id": item, "model": "m", "raw": "\ud83d\nAnswer: A"}).encode()),
        "nan.jsonl": ("x.jsonl", json.dumps({"item_id": item, "model": "m", "answer": "A", "score": float("nan")}).encode()),
        "line-separator.jsonl": (
            "x.jsonl",
            json.dumps({"item_id": item, "model": "m", "raw": "a\u2028b\nAnswer: A"}, ensure_ascii=False).encode(),
        ),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "excel-ansi.csv", "excel-bom.csv", "excel-semicolon.csv", "excel-unicode-text", "upper.CSV", "long-reasoning.csv", "nul.csv",
        "ansi.jsonl", "lone-surrogate.jsonl", "nan.jsonl", "line-separator.jsonl",
    ],
)  # fmt: skip
def test_tables_of_other_programs_give_their_answer(kind: str, project: Project, store: Store, tmp_path: Path) -> None:
    item = pool.items(store, project.project_id)[0].item
    name, data = written(kind, item.item_id)
    (tmp_path / name).write_bytes(data)
    report = results.import_results(store, project.project_id, tmp_path / name, actor="lea")
    assert (report.imported, report.refused, report.no_answer) == (1, [], 0)
    assert [row["answer"] for row in results.stored(store, project.project_id)] == ["A"]
    assert bool(report.notes) == (kind in ("excel-ansi.csv", "ansi.jsonl", "nul.csv"))


def test_a_table_without_its_columns_says_which_it_has(project: Project, store: Store, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id;llm;answer\n1;m;A\n")
    with pytest.raises(QaError, match="no column item_id and no column model in its header, which holds: id, llm, answer"):
        results.import_results(store, project.project_id, tmp_path / "x.csv", actor="lea")


def test_one_bad_line_is_named_and_the_others_are_read(project: Project, store: Store, tmp_path: Path) -> None:
    item = pool.items(store, project.project_id)[0].item.item_id
    (tmp_path / "x.jsonl").write_text(f'{{"item_id": "{item}", "model": "m", "answer": "A"}}\n[1]\n{"[" * 3000}\n{{"item_id": 1}}\n')
    report = results.import_results(store, project.project_id, tmp_path / "x.jsonl", actor="lea")
    assert report.imported == 1 and [where for where, _ in report.refused] == ["x.jsonl:2", "x.jsonl:3", "x.jsonl:4"]


@pytest.mark.parametrize(
    ("people", "models", "words"),
    [
        (0, 0, ""),
        (1, 0, "1 answer of people is to an item that has changed since; it is counted."),
        (2, 6, "2 answers of people and 6 of models are to items that have changed since; they are counted."),
        (0, 6, "6 answers of models are to items that have changed since; they are counted."),
    ],
)
def test_answers_to_items_that_changed_are_told_apart_for_people_and_models(people: int, models: int, words: str) -> None:
    assert stale_words(people, models) == words
