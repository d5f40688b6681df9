"""The released result tree and the tables: complete, safe, all or nothing."""

from __future__ import annotations

import ast
import csv
import errno
import gc
import io
import json
import weakref
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from PIL import Image

from app import cli, staff_api
from data.frames import FrameStore, decode
from data.generators.registry import bundled
from data.spreadsheets import csv_cell
from data.store import StorageFull, Store
from data.task import Provenance, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Phase
from study import access, participants
from study.episode import EpisodeEngine
from study.errors import ExportRefused
from study.export import export, zip_export
from study.export_columns import TABLES
from study.exports import FORMATS, MODULES, results
from study.exports.choice import Choice, estimate, in_bytes
from study.exports.episodes import Episode
from study.exports.tables import TableWriter
from study.protocol import Protocol
from study.published import named_tasks, place_of, published_action, question_id, runner_of
from study.stations import instructions
from study.studies import Recruitment, create_study
from study.tabular import Row, dictionary, dictionary_markdown
from tests.present import present
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[2]
RELEASED = {
    *("source_json", "source_metadata", "question_index", "task", "scene", "room", "question_id", "provider", "model"),
    *("final_answer", "history", "step_image_dir", "camera_info", "env_postprocess"),
    *("task_type", "question", "options", "ground_truth", "predicted_answer", "accuracy", "correct", "reference_images"),
}
TURN = {
    *("step", "action", "answer", "confidence", "reasoning", "image", "camera", "action_result"),
    *("extra_image_paths", "raw_output", "finish_reason"),
}


def esi_task(make_task: Callable[..., Task], number: str, question: str = "q_000", **changes: Any) -> Any:
    source = {"runner_task": "size", "scene": "Rs_int", "room": "kitchen_0", "metadata": {"question_id": f"x/{question}"}}
    provenance = Provenance(dataset="esi-bench", row_id=number, file=f"a/{question}.json")
    return make_task(f"esi-{number}", source=source, provenance=provenance, **changes)


def play(
    engine: EpisodeEngine,
    view: Any,
    actions: tuple[str, str] = ("turn_left", "move_up"),
    answer: str = "near the lamp",
    confidence: int | None = 70,
) -> Any:
    for seq, action in enumerate(actions, 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    return engine.answer(view.episode_id, view.epoch, answer, confidence)


def test_a_result_file_has_the_released_keys_and_the_same_pixels(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    view = begin(esi_task(make_task, "0001", actions=(*CAMERA_ACTIONS, "pick_up")))
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", 30)
    handle = {h.label: h.handle for h in view.step.handles}["lamp"]
    play(engine, view, ("turn_left", f"pick_up({handle})"))
    out = tmp_path / "out"
    report = export(store, frames, out, images="png")
    counted = {"episodes": 1, "steps": 3, "beliefs": 1, "answers": 1, "results": 1, "images": 3}
    assert report.model_dump() | counted == report.model_dump()
    result = json.loads((out / "results/size/Rs_int/kitchen_0/q_000_answer.json").read_text())
    assert set(result) == RELEASED | {"vantage"}
    assert all(set(turn) == TURN for turn in result["history"])
    assert [turn["action"] for turn in result["history"]] == ["turn_left", "pick up lamp", "stop"]
    assert [turn["step"] for turn in result["history"]] == [1, 2, 3]
    assert [turn["answer"] for turn in result["history"]] == ["near the bowl", "near the bowl", "near the lamp"]
    assert [turn["confidence"] for turn in result["history"]] == [0.3, 0.3, 0.7]
    assert [turn["action_result"]["handled"] for turn in result["history"]] == [False, True, False]
    assert result["final_answer"] == {
        "answer": "near the lamp", "answer_step": 3, "confidence": 0.7, "reasoning": "", "steps": 3, "stopped_by": "model_stop",
    }  # fmt: skip
    assert (result["correct"], result["accuracy"], result["ground_truth"]) == (True, 1.0, "near the lamp")
    assert result["history"][0]["camera"]["position"] == [0.0, -0.5, 1.0]
    for seq in range(3):
        png = Image.open(out / result["step_image_dir"] / f"step_{seq + 1:03d}.png")
        row = store.one("SELECT pixel_hash FROM steps WHERE seq = ?", [seq])
        assert np.array_equal(np.asarray(png), decode(frames.kept(store, present(row)["pixel_hash"])))
    assert result["vantage"]["row_id"] == "0001"


def test_rows_that_share_a_question_id_and_repeated_episodes_get_files_of_their_own(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    first, second = esi_task(make_task, "0001"), esi_task(make_task, "0002", budget=29)
    store.put_task(second)
    for task in (first, second, first):
        play(engine, begin(task))
    export(store, frames, tmp_path / "out")
    names = sorted(p.name for p in (tmp_path / "out").rglob("*_answer.json"))
    assert len(names) == 3
    assert names[0].startswith("q_000__esi-0001__ep_")
    assert names[1:] == ["q_000__esi-0001_answer.json", "q_000__esi-0002_answer.json"]
    assert export(store, frames, tmp_path / "out").images == 9


def test_what_people_report_is_in_the_tables_and_no_formula(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    view = begin()
    engine.report_problem(view.episode_id, view.epoch, "=1+1 is what I see")
    play(engine, view)
    engine.report_problem(view.episode_id, view.epoch, "it stutters")
    assert export(store, frames, tmp_path / "out", images="none").reports == 2
    rows = pq.read_table(tmp_path / "out" / "tables" / "reports.parquet").to_pylist()
    assert [(row["episode_id"], row["text"]) for row in rows] == [(view.episode_id, "=1+1 is what I see"), (view.episode_id, "it stutters")]
    assert rows[0]["seq"] == 0 and rows[0]["event_seq"] < rows[1]["event_seq"]
    text = (tmp_path / "out" / "tables" / "reports.csv").read_text(encoding="utf-8-sig")
    assert "'=1+1 is what I see" in text


def test_tables_agree_with_their_dictionary_and_integers_are_integers(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    play(engine, begin(protocol=Protocol(confidence_required=False)), confidence=None)
    begin()
    export(store, frames, tmp_path / "out", images="none")
    for name, model in TABLES.items():
        table = pq.read_table(tmp_path / "out" / "tables" / f"{name}.parquet")
        with (tmp_path / "out" / "tables" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        assert table.column_names == header == list(model.model_fields)
        assert len(rows) == table.num_rows
    episodes = pq.read_table(tmp_path / "out" / "tables" / "episodes.parquet")
    assert str(episodes.schema.field("confidence").type) == "int64"
    assert episodes["observations"].to_pylist() == [3, 1]
    assert episodes["state"].to_pylist() == ["completed", "active"]
    with (tmp_path / "out" / "tables" / "episodes.csv").open(encoding="utf-8-sig", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["confidence"], row["correct_strict"], row["observations"]) == ("", "true", "3")
    entries = json.loads((tmp_path / "out" / "tables" / "data_dictionary.json").read_text())
    assert entries == dictionary(TABLES)
    assert all(entry["description"] for entry in entries)
    assert all(f"`{entry['column']}`" in dictionary_markdown(TABLES) for entry in entries)


def test_every_table_is_opened_by_excel_and_read_by_pandas(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    play(engine, begin(), answer="near the lamp", confidence=99)
    play(engine, begin(protocol=Protocol(confidence_required=False)), answer="near the bowl", confidence=None)
    export(store, frames, tmp_path / "out", images="none")
    for name in TABLES:
        path = tmp_path / "out" / "tables" / f"{name}.csv"
        assert path.read_bytes().startswith(b"\xef\xbb\xbf") and path.read_bytes().count(b"\xef\xbb\xbf") == 1
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        assert list(table.columns) == pq.read_table(path.with_suffix(".parquet")).column_names
        assert len(table) == pq.read_metadata(path.with_suffix(".parquet")).num_rows
    answers = pd.read_csv(tmp_path / "out" / "tables" / "answers.csv", dtype={"confidence": "Int64"})
    assert sorted(map(str, answers["confidence"])) == ["99", "<NA>"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\r=1", "  =1", "\n=1"])
def test_no_cell_is_a_formula(text: str) -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerow([csv_cell(text)])
    assert next(csv.reader(io.StringIO(buffer.getvalue())))[0] == "'" + text
    assert csv_cell(-3) == -3


def test_withdrawn_people_and_recruitment_ids_never_leave(
    store: Store, frames: FrameStore, engine: EpisodeEngine, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    task = make_task()
    store.put_task(task)
    create_study(store, "S", state="live", tasks=(task.content_hash,), recruitment=Recruitment(external_study="abc"))
    people = [access.enter_recruited(store, {"PROLIFIC_PID": f"SECRET{n}", "STUDY_ID": "abc"})[1].participant_id for n in range(2)]
    for person in people:
        for event in ("welcome", "consent"):
            participants.advance(store, present(person), event)
        view = engine.open(present(participants.place(store, engine, present(person)).episode_id))
        play(engine, view)
    participants.withdraw(store, engine, present(people[0]))
    assert export(store, frames, tmp_path / "out").episodes == 1
    content = b"".join(p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert b"SECRET" not in content
    assert present(people[0]).encode() not in content
    assert present(people[1]).encode() in content


def test_a_foreign_folder_is_not_touched_and_a_failed_export_leaves_nothing(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: bytes) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    play(engine, begin())
    foreign = tmp_path / "mine"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("x")
    with pytest.raises(ExportRefused, match="other files"):
        export(store, frames, foreign)
    assert [p.name for p in foreign.iterdir()] == ["thesis.txt"]
    with pytest.raises(ExportRefused, match="is a file"):
        export(store, frames, foreign / "thesis.txt")
    monkeypatch.setattr(results, "to_png", full)
    with pytest.raises(StorageFull):
        export(store, frames, tmp_path / "out", images="png")
    assert sorted(p.name for p in tmp_path.iterdir() if "out" in p.name) == []


def test_a_csv_writes_readings_of_a_clock_in_digits_without_loss(tmp_path: Path) -> None:
    class Clock(Row):
        at: float | None
        """A clock."""
        share: float

    times = [1796091593475.0, None, 1796091593475.25, -5.5]
    with TableWriter(tmp_path, "clock", Clock) as writer:
        writer.add([Clock(at=at, share=0.1) for at in times])
    _, *lines = (tmp_path / "clock.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in lines] == ["1796091593475.00", "", "1796091593475.25", "-5.50"]
    assert pd.read_csv(tmp_path / "clock.csv")["at"].dropna().tolist() == [at for at in times if at is not None]
    with TableWriter(tmp_path, "whole", Clock) as writer:
        writer.add([Clock(at=1796091593475.0, share=0.1)])
    assert (tmp_path / "whole.csv").read_text(encoding="utf-8-sig").splitlines()[1] == "1796091593475,0.1"


def test_practice_and_unfinished_episodes_stay_out_of_the_results_unless_asked_for(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    play(engine, begin())
    begin()
    assert export(store, frames, tmp_path / "out").results == 1
    assert export(store, frames, tmp_path / "out", unfinished=True).results == 2
    results = [json.loads(p.read_text()) for p in (tmp_path / "out").rglob("*_answer.json")]
    assert {(r["correct"], r["final_answer"]["stopped_by"]) for r in results} == {(True, "model_stop"), (None, "active")}
    assert zip_export(tmp_path / "out").stat().st_size > 1000


def test_two_databases_exports_are_equal_for_equal_episodes_apart_from_ids_and_times(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    for seed in (1, 1):
        play(engine, begin(seed=seed))
    export(store, frames, tmp_path / "out")
    one, two = (json.loads(p.read_text()) for p in sorted((tmp_path / "out").rglob("*_answer.json")))
    for result in (one, two):
        del result["vantage"], result["step_image_dir"]
    assert one == two


@pytest.mark.parametrize(
    ("runner", "action", "text"),
    [
        ("size", "turn_left", "turn_left"),
        ("stacking", "pick_up(object_1)", "pick up red cup"),
        ("stacking", "put(object_1, on, object_2)", "place red cup on top of bowl"),
        ("stacking", "put_on_floor(object_1)", "place red cup on the floor"),
        ("storage", "put(object_1, inside, object_2)", "put red cup inside bowl"),
        ("pour", "fill(object_1, with_water)", "fill water in red cup"),
        ("pour", "pour(object_1, from, object_1, to, object_2)", "pour red cup into bowl"),
        ("slope", "place_on_slope(object_1)", "put_on_slope"),
        ("transparent", "pick_up(object_1)", "pickup"),
        ("action", "put_back(object_1)", "put back red cup"),
    ],
)
def test_actions_print_as_the_released_runner_writes_them(runner: str, action: str, text: str) -> None:
    assert published_action(runner, action, {"object_1": "red_cup", "object_2": "bowl"}) == text


@pytest.mark.parametrize(
    ("runner", "metadata", "file", "expected"),
    [
        ("counting", {"question_id": "light_change/q_003"}, "x/q_9.json", "q_003"),
        ("pour", {"run_idx": 7}, "run_7.json", "run_007"),
        ("slope", {"run_idx": 0}, "a__run_000.json", "run_000"),
        ("action", {"run_idx": 2}, "x.json", "Rs_int_kitchen_0_run_2"),
        ("triangle", {"run_idx": 1}, "Rs_int__kitchen_0_1.json", "Rs_int__kitchen_0_1"),
    ],
)
def test_question_ids_follow_the_released_rule(
    make_task: Callable[..., Task], runner: str, metadata: dict[str, Any], file: str, expected: str
) -> None:
    source = {"runner_task": runner, "scene": "Rs_int", "room": "kitchen_0", "metadata": metadata}
    assert question_id(make_task(source=source, provenance=Provenance(dataset="esi-bench", file=file))) == expected


def test_one_form_alone_is_written_and_the_others_count_nothing(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    play(engine, begin())
    report = export(store, frames, tmp_path / "out", only=["tables"])
    counted = {"episodes": 1, "steps": 3, "beliefs": 0, "answers": 1, "tasks": 1, "events": 1, "visible": 6}
    assert report.model_dump() == dict.fromkeys(report.model_dump(), 0) | counted
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["tables", "vantage_export.json"]
    report = export(store, frames, tmp_path / "out", only=["results"], images="none")
    assert report.results == 1
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["results", "vantage_export.json"]


def test_an_unknown_form_is_refused_and_the_earlier_export_stays(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    play(engine, begin())
    export(store, frames, tmp_path / "out", images="none")
    with pytest.raises(ExportRefused, match="no export format 'excel': choose from tables, results"):
        export(store, frames, tmp_path / "out", only=["excel"])
    assert (tmp_path / "out" / "tables").is_dir()


def test_a_table_longer_than_a_batch_is_whole_and_in_order(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        play(engine, begin(), ("turn_left",) * 6)  # type: ignore[arg-type]
    export(store, frames, tmp_path / "one", images="none")
    monkeypatch.setattr("study.exports.tables.BATCH", 3)
    export(store, frames, tmp_path / "many", images="none")
    assert (tmp_path / "one/tables/steps.csv").read_bytes() == (tmp_path / "many/tables/steps.csv").read_bytes()
    one, many = (pq.read_table(tmp_path / name / "tables" / "steps.parquet") for name in ("one", "many"))
    assert one.equals(many)
    assert pq.ParquetFile(tmp_path / "many/tables/steps.parquet").num_row_groups == 3
    assert one["seq"].to_pylist() == [*range(7)] * 3


def test_only_one_episode_is_held_at_a_time(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        play(engine, begin())
    alive, most = weakref.WeakSet(), []  # type: ignore[var-annotated]
    made = Episode.__init__

    def watched(self: Any, *args: Any) -> None:
        made(self, *args)
        alive.add(self)
        gc.collect()
        most.append(len(alive))

    monkeypatch.setattr(Episode, "__init__", watched)
    export(store, frames, tmp_path / "out", images="none")
    assert len(most) == 4
    assert max(most) <= 2  # the one that is read, and the one before it


def test_a_person_who_withdraws_while_an_export_is_written_is_left_out(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    ids = []
    for _ in range(2):
        view = begin()
        ids.append(view.episode_id)
        play(engine, view)

    def withdraw(done: int, total: int, counts: object) -> None:
        if done == 1:
            store.db.execute("UPDATE episodes SET state = 'withdrawn' WHERE episode_id = ?", [ids[1]])

    assert export(store, frames, tmp_path / "out", images="none", progress=withdraw).episodes == 1
    content = b"".join(p.read_bytes() for p in (tmp_path / "out").rglob("*.csv"))
    assert ids[0].encode() in content
    assert ids[1].encode() not in content


@pytest.mark.parametrize(
    "metadata", [{"question_id": "x/q_003"}, {"run_idx": 7}, {}, None, "no mapping", {"question_id": 5, "run_idx": "7"}]
)
@pytest.mark.parametrize("runner", ["counting", "pour", "action", None])
def test_names_read_by_the_database_are_those_of_the_tasks(
    store: Store, make_task: Callable[..., Task], metadata: dict[str, Any] | str | None, runner: str | None
) -> None:
    source = {"runner_task": runner, "scene": "Rs_int", "metadata": metadata} if runner else {"metadata": metadata}
    task = make_task("esi-0001", source=source, provenance=Provenance(dataset="esi-bench", row_id="1", file="a/b.json"))
    store.put_task(task)
    store.put_task(make_task("other", provenance=Provenance(dataset="else")))
    (named,) = named_tasks(store, "esi-bench")
    for told in (runner_of, place_of, question_id):
        assert told(named) == told(task)


def test_names_of_every_bundled_task_are_read_by_the_database(store: Store) -> None:
    tasks = {task.task_id: task for task in bundled()}
    for task in tasks.values():
        store.put_task(task)
    named = {n.task_id: n for dataset in {t.provenance.dataset for t in tasks.values()} for n in named_tasks(store, dataset)}
    assert named.keys() == tasks.keys()
    for told in (runner_of, place_of, question_id):
        assert {task_id: told(n) for task_id, n in named.items()} == {task_id: told(task) for task_id, task in tasks.items()}


def compared(node: ast.AST) -> Iterator[ast.AST]:
    """What a comparison compares: the key of a subscript is a column's name, not something that is compared."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Subscript) and child is node.slice):
            yield from compared(child)


def test_formats_declare_themselves_and_are_found_by_name_nowhere_else() -> None:
    assert len({form.name for form in FORMATS}) == len(FORMATS)
    counts = [name for form in FORMATS for name in form.counts]
    assert len(set(counts)) == len(counts)
    assert all(form.title and form.text.endswith(".") for form in FORMATS)
    names = {form.name for form in FORMATS} | set(MODULES)
    asking = (ast.Compare, ast.match_case, ast.MatchValue)
    found = [
        f"{path.relative_to(ROOT)}:{value.lineno}"
        for room in ("app", "annotation", "study", "data", "bench", "tools")
        for path in (ROOT / room).rglob("*.py")
        for node in nodes(path)
        if isinstance(node, asking)
        for value in compared(node)
        if isinstance(value, ast.Constant) and value.value in names
    ]
    assert found == []


def test_what_is_chosen_on_the_page_is_what_the_command_writes(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    play(engine, begin())
    command = staff_api.export_command(SimpleNamespace(home=store.home), access.EVERY_STUDY, ["tables"])  # type: ignore[arg-type]
    result = CliRunner().invoke(cli.main, command[command.index("export") :])
    assert result.exit_code == 0, result.output
    archive = staff_api.export_path(json.dumps(command))
    assert {name.split("/")[1] for name in zipfile.ZipFile(archive).namelist()} == {"tables", "vantage_export.json"}
    result = CliRunner().invoke(cli.main, ["export", "--out", "x", "--format", "excel"])
    assert result.exit_code == 2
    assert all(form.name in result.output for form in FORMATS)


def test_an_export_holds_what_was_chosen_and_its_size_is_known_beforehand(
    store: Store, frames: FrameStore, engine: EpisodeEngine, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    practice, task = make_task("practice"), make_task("toy-2")
    for one in (practice, task):
        store.put_task(one)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), practice_task=practice.content_hash, trials=1)
    token = access.create_invite(store, "participant", study.study_id)
    people = [access.enter(store, token)[1].participant_id for _ in range(2)]
    for person in people:
        participants.decide(store, present(person), "consent")
        instructions.go_on(store, present(person))
        play(engine, engine.open(present(participants.place(store, engine, present(person)).episode_id)))
        participants.advance(store, present(person), "practise")
        view = engine.open(present(participants.place(store, engine, present(person)).episode_id))
        if person == people[0]:
            play(engine, view)

    def held(**choice: Any) -> tuple[int, int, int]:
        report = export(store, frames, tmp_path / "out", images="none", **choice)
        known = estimate(store, Choice(**choice))
        assert (known.episodes, known.steps) == (report.episodes, report.steps)
        return report.episodes, report.participants, report.steps

    assert held() == (4, 2, 10)
    assert held(finished=True) == (3, 2, 9) and held(practice=False) == (2, 2, 4)
    assert held(participants=(people[1],)) == (2, 1, 4)
    assert held(study_id=study.study_id, participants=(people[0],), practice=False) == (1, 1, 3)
    assert json.loads((tmp_path / "out" / "vantage_export.json").read_text())["choice"]["participants"] == [people[0]]
    with pytest.raises(ExportRefused, match="no participant 'p_nobody'"):
        export(store, frames, tmp_path / "out", participants=["p_nobody"])


def test_pictures_are_the_stored_files_once_unless_png_is_asked_for(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    play(engine, begin())
    stored = present(store.one("SELECT sum(bytes) AS bytes FROM frames"))["bytes"]
    report = export(store, frames, tmp_path / "out")
    pictures = [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".webp", ".png")]
    assert report.images == len(pictures) == 3 and {path.suffix for path in pictures} == {".webp"}
    assert sum(path.stat().st_size for path in pictures) == stored
    assert not (tmp_path / "out" / "trajectories").exists(), "the pictures a second time are for those who ask for them"
    result = json.loads(next((tmp_path / "out").rglob("*_answer.json")).read_text())
    assert [(tmp_path / "out" / result["step_image_dir"] / turn["image"]).is_file() for turn in result["history"]] == [True] * 3
    export(store, frames, tmp_path / "png", images="png")
    assert {path.suffix for path in (tmp_path / "png" / "steps").rglob("*.*")} == {".png"}


def test_people_of_two_studies_have_names_of_their_own_in_result_files(
    store: Store, frames: FrameStore, engine: EpisodeEngine, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    task = make_task()
    store.put_task(task)
    for name in ("A", "B"):
        study = create_study(store, name, state="live", tasks=(task.content_hash,), trials=1)
        person = access.enter(store, access.create_invite(store, "participant", study.study_id))[1].participant_id
        participants.decide(store, present(person), "consent")
        play(engine, engine.open(present(participants.place(store, engine, present(person)).episode_id)))
    export(store, frames, tmp_path / "out", images="none")
    models = [json.loads(path.read_text())["model"] for path in (tmp_path / "out" / "results").rglob("*.json")]
    people = {row["participant_id"] for row in store.query("SELECT participant_id FROM participants")}
    assert len(models) == 2 and set(models) == {f"human-{person}" for person in people}


def test_a_result_file_names_the_first_view_of_each_part(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    phases = (Phase("before"), Phase("after"))
    task = make_task("esi-parts", tags={"task_type": "change_detection"})
    view = begin(task.model_copy(update={"scene": msgspec.structs.replace(task.scene, phases=phases)}))
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    engine.next_phase(view.episode_id, view.epoch, 2)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    export(store, frames, tmp_path / "out")
    result = json.loads(next((tmp_path / "out").rglob("*_answer.json")).read_text())
    assert (result["task_type"], result["reference_images"]) == ("change_detection", ["step_001.webp", "step_003.webp"])
    assert [in_bytes(size) for size in (12, 24_500_000, 3_000)] == ["12 B", "24.5 MB", "3.0 kB"]
