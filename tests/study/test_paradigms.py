"""Paradigms are declared: one module each, found nowhere else by name. Single view: one frame, no action, an answer."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.frames import FrameStore
from data.store import Store
from data.task import Gold, Question, Task
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.spec import Scene
from study import agents, export_columns, paradigms, participants, rendering
from study.episode import EpisodeEngine
from study.errors import BadAction, BudgetUsed, SceneUnplayable, WrongParadigm
from study.export import export
from study.ordering import per_showing
from study.paradigms import PARADIGMS, check_fit, paradigm
from study.protocol import Protocol
from study.replay import episode_ids, replay
from study.studies import create_study, protocol_in
from study.tabular import dictionary
from tests.present import present
from tests.sources import parsed
from tests.study.conftest import InlinePool

ROOT = Path(paradigms.__file__).parents[2]
SINGLE = Protocol(paradigm="single_view")
NAMES = {declared.name for declared in PARADIGMS}


def sources() -> list[Path]:
    own = ROOT / "study" / "paradigms"
    return [p for room in ("study", "annotation", "app") for p in sorted((ROOT / room).rglob("*.py")) if own not in p.parents]


def named(tree: ast.AST) -> list[str]:
    """Places where a paradigm stands by its name: as a value of its own, unless it is a word of a state machine (``active``)."""
    found = []
    active = any(_word(node) == "active" for node in ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in NAMES - {"active"}:
            found.append(f"{node.lineno}: {node.value}")
        about = {_word(n) for n in ast.walk(node)} if active and _decides(node) else set()
        if "active" in about and about & {"paradigm", "ways", "way", "met"}:
            found.append(f"{getattr(node, 'lineno', '?')}: active")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "paradigm" in node.value and _in_sql(node.value):
            found.append(f"{node.lineno}: SQL")
    return found


def _word(node: ast.AST) -> object:
    """What a part of an expression is called, or the text that it is."""
    return next((getattr(node, name) for name in ("attr", "id", "arg", "value") if isinstance(getattr(node, name, None), str)), None)


def _decides(node: ast.AST) -> bool:
    return isinstance(node, (ast.Compare, ast.keyword, ast.AnnAssign, ast.arg, ast.Call, ast.Subscript))


def _in_sql(text: str) -> bool:
    return any(f"'{name}'" in text for name in NAMES)


def test_no_other_file_knows_a_paradigm_by_its_name() -> None:
    found = {str(path.relative_to(ROOT)): named(parsed(path)) for path in sources()}
    assert {path: places for path, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "line",
    [
        "if protocol.paradigm == 'multiview_qa': pass",
        "if row.paradigm != 'active': pass",
        "add(store, paradigm='active')",
        "x = {'single_view': 1}",
        "store.query(\"SELECT 1 FROM episodes WHERE paradigm = 'active'\")",
    ],
)
def test_the_search_for_names_finds_them(line: str) -> None:
    assert named(ast.parse(line))


def test_names_are_unique_and_an_unknown_one_is_said_with_those_there_are() -> None:
    assert len(NAMES) == len(PARADIGMS)
    with pytest.raises(WrongParadigm, match=r"no paradigm 'passive'.*active, single_view, .*multiview_qa"):
        Protocol(paradigm="passive")


def test_a_task_is_met_only_in_paradigms_that_fit_it_and_the_refusal_says_why(make_task: Callable[..., Task]) -> None:
    task = make_task()
    assert check_fit(task, "single_view") is paradigm("single_view")
    with pytest.raises(WrongParadigm, match=r"toy-001 is a task in a scene, not a question about pictures.*active or single_view or"):
        check_fit(task, "multiview_qa")


def test_single_view_shows_the_start_view_and_nothing_can_be_done_but_answer(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, pool: InlinePool
) -> None:
    view = begin(protocol=SINGLE)
    assert (view.actions, view.budget, view.shown) == ((), 1, (0,))
    assert (view.step.seq, view.step.observations_left, view.step.forced, view.step.handles) == (0, 0, True, ())
    with pytest.raises(BadAction):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
    with pytest.raises(BudgetUsed):
        engine.stay(view.episode_id, view.epoch, 1, "x")
    assert pool.held == {}, "the simulator is given back with the first view"
    final = engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    assert (final.state, final.observations, final.answer, final.confidence) == ("completed", 1, "near the lamp", 60)
    kept = "SELECT paradigm, stopped_by, correct_strict FROM episodes JOIN answers USING (episode_id) JOIN scores USING (episode_id)"
    assert store.query(kept) == [{"paradigm": "single_view", "stopped_by": "answer", "correct_strict": 1}]


def test_single_view_of_a_task_in_parts_is_the_first_parts_start_view(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task], two_part_scene: Callable[..., Scene]
) -> None:
    task = make_task("parts", scene=two_part_scene())
    single, active = begin(task, protocol=SINGLE), begin(task)
    first = store.query("SELECT DISTINCT pixel_hash, phase FROM steps WHERE seq = 0")
    assert len(first) == 1 and first[0]["phase"] == "before"
    assert (single.step.phase_next, active.step.phase_next) == (False, True)
    with pytest.raises(BadAction, match="no further part"):
        engine.next_phase(single.episode_id, single.epoch, 1)


def test_single_view_needs_no_action_that_the_simulator_lacks(
    begin: Callable[..., Any], make_task: Callable[..., Task], pool: InlinePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyBackend, "capabilities", tuple(word for word in ToyBackend.capabilities if word != "open"))
    pool.renew()
    task = make_task("lids", actions=("turn_left", "open"), required_features=("open",))
    with pytest.raises(SceneUnplayable, match="cannot do"):
        begin(task)
    assert begin(task, protocol=SINGLE).step.seq == 0


def test_single_view_episodes_are_replayed(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, pool: InlinePool
) -> None:
    view = begin(protocol=SINGLE)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    assert episode_ids(store) == [view.episode_id]
    report = replay(store, frames, pool, [view.episode_id])
    assert report.ok and (report.steps, report.verified) == (1, 1)


def test_a_study_has_several_paradigms_and_nobody_meets_a_task_in_two(
    store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    tasks = [make_task(f"t-{n}", gold=Gold(accepted=("near the lamp",), chance=0.5)) for n in range(4)]
    for task in tasks:
        store.put_task(task)
    hashes = tuple(task.content_hash for task in tasks)
    study = create_study(store, "S", state="live", tasks=hashes, paradigms=("active", "single_view"), per_task=2, trials=4)
    assert {(r["paradigm"], r["n"]) for r in store.query("SELECT paradigm, count(*) AS n FROM slots GROUP BY paradigm")} == {
        ("active", 8),
        ("single_view", 8),
    }
    firsts = set()
    for _ in range(4):
        person = participants.add_participant(store, study.study_id)
        for event in ("welcome", "consent"):
            participants.advance(store, person, event)
        met = []
        while (place := participants.place(store, engine, person)).stage == "task":
            view = engine.open(present(place.episode_id))
            row = store.one("SELECT paradigm, protocol, task_hash FROM episodes WHERE episode_id = ?", [place.episode_id])
            assert json.loads(present(row)["protocol"])["paradigm"] == present(row)["paradigm"] and bool(view.actions) == (
                present(row)["paradigm"] == "active"
            )
            met.append((present(row)["task_hash"], present(row)["paradigm"]))
            engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
        assert len({task for task, _ in met}) == 4, "each task once, in one paradigm"
        assert sorted(way for _, way in met) == ["active"] * 2 + ["single_view"] * 2
        firsts.add(met[0][1])
    assert firsts == {"active", "single_view"}, "the order of paradigms is counterbalanced"


def test_a_study_is_refused_where_a_task_does_not_fit_one_of_its_paradigms(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    with pytest.raises(WrongParadigm, match="toy-001 is a task in a scene"):
        create_study(store, "S", tasks=(task.content_hash,), paradigms=("active", "multiview_qa"))
    with pytest.raises(ValueError, match="stands twice"):
        create_study(store, "S", tasks=(task.content_hash,), paradigms=("active", "active"))
    assert store.query("SELECT * FROM studies") == []


def shown(options: tuple[str, ...], seed: int, person: int | None, form: Any = "choice") -> tuple[str, ...]:
    question = Question(text="?", form=form, options=options)
    return tuple(options[i] for i in per_showing(question, seed, person).options)


@pytest.mark.parametrize("options", [("no", "yes"), ("Yes", "No"), ("B", "A")])
def test_yes_and_no_and_a_and_b_keep_one_order_per_person_and_both_orders_are_equally_frequent(options: tuple[str, str]) -> None:
    for person in range(8):
        assert len({shown(options, seed, person) for seed in range(20)}) == 1
    orders = [shown(options, 0, person) for person in range(64)]
    assert sorted(orders.count(order) for order in set(orders)) == [32, 32]
    assert len({shown(options, seed, None) for seed in range(20)}) == 2, "who is no person has no order of their own"


def test_numerals_stand_in_ascending_order_and_other_options_are_shuffled() -> None:
    assert {shown(("10", "2", "0.5"), seed, None) for seed in range(20)} == {("0.5", "2", "10")}
    assert len({shown(("lamp", "bowl", "cup"), seed, 3) for seed in range(40)}) == 6


def test_blanks_that_offer_the_same_show_it_in_the_same_order() -> None:
    rooms = ("hall", "kitchen", "bath", "study")
    question = Question(text="?", form="blanks", blanks=(rooms, rooms[::-1], ("left", "right"), rooms), blank_names=tuple("abcd"))
    seen = set()
    for seed in range(30):
        order = per_showing(question, seed, None).blanks
        first, second, _, last = (tuple(blank[i] for i in way) for blank, way in zip(question.blanks, order, strict=True))
        assert first == second == last
        seen.add(first)
    assert len(seen) > 10


@pytest.mark.parametrize("name", sorted(way.name for way in PARADIGMS if way.opens not in ("pictures", "frames")))
def test_options_are_shuffled_alike_in_every_paradigm_of_scenes(
    begin: Callable[..., Any], store: Store, frames: FrameStore, pool: InlinePool, make_task: Callable[..., Task], name: Any
) -> None:
    task = make_task(question=Question(text="?", form="choice", options=tuple("wxyz")), gold=Gold(accepted=("w",), chance=0.25))
    store.put_task(task)
    sets = [(task.content_hash, paradigm(name).frozen)] if paradigm(name).frozen else []
    assert rendering.render(store, frames, pool, sets) == []
    orders = {begin(task, protocol=Protocol(paradigm=name), seed=seed).options for seed in range(12)}
    assert len(orders) > 4
    assert begin(task, protocol=Protocol(paradigm=name, shuffle_options=False), seed=1).options == tuple("wxyz")


def test_a_model_in_single_view_is_asked_for_an_answer_and_stops_by_itself(
    engine: EpisodeEngine, store: Store, make_task: Callable[..., Task]
) -> None:
    task = make_task()
    store.put_task(task)
    view = agents.begin(engine, task.content_hash, "m", protocol=SINGLE)
    told = agents.prompt(view)
    assert "turn_left" not in told and "Explore" not in told and "This is the only view." in told
    again = agents.respond(engine, view.episode_id, view.epoch, 0, "let me look around")
    assert again.reprompt and again.final is None
    said = json.dumps({"action": "stop", "answer": "near the lamp", "confidence": 0.5})
    final = agents.respond(engine, view.episode_id, view.epoch, 0, said).final
    assert final is not None and (final.answer, final.confidence, final.observations) == ("near the lamp", 50, 1)
    assert store.one("SELECT stopped_by FROM answers") == {"stopped_by": "model_stop"}


def test_a_model_names_one_of_the_studys_paradigms(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", tasks=(task.content_hash,), paradigms=("active", "single_view"))
    assert [protocol_in(study, name).paradigm for name in (None, "single_view")] == ["active", "single_view"]
    with pytest.raises(WrongParadigm, match=r"no paradigm 'multiview_qa'.*active, single_view"):
        protocol_in(study, "multiview_qa")


def test_exports_name_the_paradigm_and_the_released_tree_holds_what_its_models_met(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, frames: FrameStore, tmp_path: Path
) -> None:
    kept = {}
    for protocol in (SINGLE, Protocol()):
        view = begin(protocol=protocol)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
        kept[protocol.paradigm] = view.episode_id
    report = export(store, frames, tmp_path / "out")
    assert (report.episodes, report.steps, report.results) == (2, 2, 1)
    rows = {row["paradigm"]: row for row in pq.read_table(tmp_path / "out" / "tables" / "episodes.parquet").to_pylist()}
    single = rows["single_view"]
    assert (single["budget"], single["observations"], single["actions"], single["confidence"]) == (1, 1, "[]", 60)
    assert (single["item_hash"], single["time_limit_s"]) == ("", None), "columns of another paradigm are empty"
    (path,) = (tmp_path / "out" / "results").rglob("*_answer.json")
    assert json.loads(path.read_text())["vantage"]["episode_id"] == kept["active"]


def test_columns_of_a_paradigm_stand_where_it_says() -> None:
    names = list(export_columns.EpisodeRow.model_fields)
    for declared in PARADIGMS:
        for column in declared.columns:
            assert names[names.index(column.after) + 1] == column.name
            entry = next(e for e in dictionary(export_columns.TABLES) if (e["table"], e["column"]) == ("episodes", column.name))
            assert entry["description"] == column.meaning
