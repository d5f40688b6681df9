"""Rows whose answer follows from doing: what doing gives, what is kept of it, and what it admits."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.commands import trying as commands
from data import trying
from data.fidelity import fidelity, selected_on_answer
from data.playable import UNTRIED, Playability, assess, coverage, judge
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from data.trying import Outcome, attempt, keep, outcomes, untried
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.errors import SceneError, WorkerLost
from sim_bridge.spec import Camera, Object, Phase, Pose, Relation, Room, Scene
from tests.data.test_task_playability import Shelf

ABLE = (*CAMERA_ACTIONS, "pick_up", "put", "open", "cloth")


def thing(n: int, category: str, x: float, y: float = 0.0, size: float = 0.1) -> Object:
    return Object(f"object_{n}", category, Pose((x, y, size / 2)), size_m=(size, size, size))


def released(subcategory: tuple[str, str], things: tuple[Object, ...], question: Question, gold: Any, **more: Any) -> Task:
    fields: dict[str, Any] = {
        "task_id": "esi-1",
        "category": subcategory[0],
        "subcategory": subcategory[1],
        "question": question,
        "gold": Gold(accepted=(gold,), chance=0.3),
        "scene": Scene(camera=Camera(), room=Room(), objects=things, source_scene="Rs_int"),
        "start": START,
        "essential": tuple(o.handle for o in things),
        "provenance": Provenance(dataset="esi-bench", row_id="1", generator="esi-bench importer 2"),
    }
    return Task(**(fields | more))


def fitting(gold: Any = "tub") -> Task:
    """A ball and three boxes that it may go into."""
    things = (thing(1, "ball", 0.0), thing(2, "cup", 0.3, size=0.08), thing(3, "mug", 0.6, size=0.2), thing(4, "beaker", 0.9, size=0.4))
    names = {"object_1": "ball", "object_2": "cup", "object_3": "tub", "object_4": "chest"}
    question = Question(text="Which container does the ball best fit inside?", form="choice", options=("cup", "tub", "chest"))
    vessels = ("object_2", "object_3", "object_4")
    return released(("Physical Structure", "Rigid Containment"), things, question, gold, names=names, vessels=vessels)


START = Pose((0, -1, 1), (0.5, 0, 0, 0.866))


@dataclass
class Reply:
    ok: bool = True
    reason: str = ""
    visible: dict[str, int] = field(default_factory=dict)
    camera: Pose = START

    @property
    def observation(self) -> Reply:
        return self


@dataclass
class State:
    relations: tuple[Relation, ...] = ()
    objects: tuple[Any, ...] = ()


@dataclass
class Played:
    """Stands for a scene in a simulator: what actions do is told beforehand."""

    deeds: dict[str, Reply]
    told: State
    done: list[str] = field(default_factory=list)
    last: Reply = field(default_factory=Reply)

    def act(self, action: str, pictures: bool = True) -> Reply:
        self.done.append(action)
        return self.deeds.get(action, Reply())

    def state(self) -> State:
        return self.told


class FakeLab:
    """Opens the same told scene each time."""

    def __init__(self, deeds: dict[str, Reply], told: State | None = None, refuses: str = "") -> None:
        self.deeds, self.told, self.refuses, self.opened = deeds, told or State(), refuses, 0

    def renew(self) -> bool:
        return False

    @contextmanager
    def open(self, scene: Scene, start: Pose, *, actions: Any = ()) -> Any:
        if self.refuses:
            raise SceneError(self.refuses)
        self.opened += 1
        yield Played(self.deeds, self.told)


def does_not(*actions: str) -> dict[str, Reply]:
    return {action: Reply(False, "does not fit") for action in actions}


def test_the_smallest_container_that_takes_a_thing_fits_it_best() -> None:
    lab = FakeLab(does_not("put(object_1, inside, object_2)"))
    assert attempt(lab, fitting()) == Outcome("tub", True)  # type: ignore[arg-type]
    assert attempt(lab, fitting("chest")) == Outcome("tub", False, "doing it here gives another answer")  # type: ignore[arg-type]


def test_no_container_and_a_refused_scene_give_no_answer() -> None:
    none = FakeLab(does_not(*(f"put(object_1, inside, object_{n})" for n in (2, 3, 4))))
    assert attempt(none, fitting()) == Outcome(None, False, "no container takes it")  # type: ignore[arg-type]
    found = attempt(FakeLab({}, refuses="a wall is missing"), fitting())  # type: ignore[arg-type]
    assert (found.answer, found.agrees) == (None, False) and "a wall is missing" in found.why


class MortalLab(FakeLab):
    """One whose simulator dies with the first scenes, and has so many others to take its place."""

    def __init__(self, deeds: dict[str, Reply], deaths: int, others: int = 9) -> None:
        super().__init__(deeds)
        self.deaths, self.others = deaths, others

    @contextmanager
    def open(self, scene: Scene, start: Pose, *, actions: Any = ()) -> Any:
        if self.deaths:
            self.deaths -= 1
            raise WorkerLost("The worker died.")
        with super().open(scene, start, actions=actions) as trial:
            yield trial

    def renew(self) -> bool:
        self.others -= 1
        return self.others >= 0


def test_a_row_with_which_the_simulator_is_lost_is_tried_with_another_and_a_loss_is_no_outcome() -> None:
    deeds = does_not("put(object_1, inside, object_2)")
    assert attempt(MortalLab(deeds, deaths=1), fitting()) == Outcome("tub", True)  # type: ignore[arg-type]
    for lab in (MortalLab(deeds, deaths=2), MortalLab(deeds, deaths=1, others=0)):
        with pytest.raises(WorkerLost):
            attempt(lab, fitting())  # type: ignore[arg-type]


def test_the_command_keeps_no_outcome_of_a_row_that_cost_two_simulators_and_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [fitting().model_copy(update={"task_id": f"esi-{n}"}) for n in (1, 2)]
    for task in tasks:
        store.put_task(task)
    monkeypatch.setattr(commands, "abilities_of", lambda: SimpleNamespace(catalogue=Full(), capabilities=ABLE))
    lab = MortalLab(does_not("put(object_1, inside, object_2)"), deaths=2)
    monkeypatch.setattr("data.generators.lab.laboratory", lambda: nullcontext(lab))
    assert commands.try_rows(store) == {"tried": 1, "agree": 1, "lost": 1}
    assert commands.try_rows(store) == {"tried": 1, "agree": 1, "lost": 0}, "the next run tries it"
    assert commands.try_rows(store) == {"tried": 0, "agree": 0, "lost": 0}


def test_a_stop_says_what_is_kept_and_what_goes_on_and_a_long_row_does_not_keep_silent(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in (1, 2, 3):
        store.put_task(fitting().model_copy(update={"task_id": f"esi-{n}"}))
    monkeypatch.setattr(commands, "abilities_of", lambda: SimpleNamespace(catalogue=Full(), capabilities=ABLE))
    monkeypatch.setattr("data.generators.lab.laboratory", lambda: nullcontext(None))
    monkeypatch.setattr(commands, "TELL_S", 0.02)
    begun: list[Task] = []

    def attempted(lab: object, task: Task) -> Outcome:
        begun.append(task)
        if len(begun) == 2:
            time.sleep(0.3)
            raise KeyboardInterrupt
        return Outcome("tub", True)

    monkeypatch.setattr("data.trying.attempt", attempted)
    with pytest.raises(SystemExit) as stop:
        commands.try_rows(store)
    said = capsys.readouterr().err
    assert stop.value.code == 130 and said.count("1 of 3 rows (about") >= 3
    assert said.endswith("Stopped: 1 of 3 rows tried. The imported rows and these outcomes are kept; `vantage tasks try` goes on.\n")
    monkeypatch.setattr("data.trying.attempt", lambda lab, task: Outcome("tub", True))
    assert commands.try_rows(store)["tried"] == 2


def test_every_thing_of_an_assignment_is_tried_in_every_container() -> None:
    task = fitting()
    question = task.question.model_copy(update={"form": "assignment", "options": ("ball",), "targets": ("cup", "tub", "chest")})
    task = task.model_copy(update={"question": question, "gold": Gold(accepted=({"ball": "tub"},), chance=0.3)})
    assert attempt(FakeLab(does_not("put(object_1, inside, object_2)")), task) == Outcome({"ball": "tub"}, True)  # type: ignore[arg-type]


def enclosed(gold: str = "2") -> Task:
    things = (thing(1, "mug", 0.0), thing(2, "mug", 1.0), *(thing(n, "beaker", x, size=0.4) for n, x in ((3, 0.0), (4, 1.0), (5, 2.0))))
    question = Question(text="How many mugs are there?", form="count", options=("0", "1", "2", "3"))
    vessels = ("object_3", "object_4", "object_5")
    return released(("Enumerative Perception", "Structural Enclosure"), things, question, gold, vessels=vessels)


HELD = State(relations=(Relation("inside", "object_1", "object_3"), Relation("inside", "object_2", "object_4")))


def test_what_is_seen_in_opened_containers_is_counted() -> None:
    deeds = {"open(object_3)": Reply(visible={"object_1": 900, "object_2": 5}), "open(object_4)": Reply(visible={"object_2": 800})}
    assert attempt(FakeLab(deeds, HELD), enclosed()) == Outcome("2", True)  # type: ignore[arg-type]
    hidden = deeds | {"open(object_4)": Reply(visible={"object_2": trying.SEEN_PIXELS - 1})}
    lab = FakeLab(hidden, HELD)
    assert attempt(lab, enclosed()).answer == "1"  # type: ignore[arg-type]
    assert lab.opened == 1 + 1 + 4 + 1  # the state, then as many sides as it takes


def test_a_container_that_stays_closed_tells_nothing() -> None:
    found = attempt(FakeLab({"open(object_5)": Reply(False, "object_3 is in the way")}, HELD), enclosed())  # type: ignore[arg-type]
    assert found == Outcome(None, False, "a container does not open: object 3 is in the way")


@dataclass
class Box:
    handle: str
    aabb_min_m: tuple[float, float, float]
    aabb_max_m: tuple[float, float, float]


def ordered(gold: dict[str, str]) -> Task:
    """A tin in the middle, two plates left and right, two lids before and behind."""
    things = (
        thing(1, "can_of_soda", 0.0), thing(2, "cup", -0.5), thing(3, "cup", 0.5), thing(4, "mug", 0.0, 0.5), thing(5, "mug", 0.0, -0.5),
    )  # fmt: skip
    names = {"object_1": "can of soda"}
    question = Question(
        text="Which cup should go under the can_of_soda, and which mug on top?", form="pair",
        blanks=(("left", "right"), ("above", "below")), blank_names=("A", "C"),
    )  # fmt: skip
    return released(("Action Sequencing", "Action Order Inference"), things, question, gold, names=names)


def test_order_follows_from_what_carries_without_reaching_over_an_edge() -> None:
    """All lie on each other; what reaches over an edge is told by the boxes."""

    wide, narrow = ((-0.2, -0.2, 0.0), (0.2, 0.2, 0.1)), ((-0.05, -0.05, 0.0), (0.05, 0.05, 0.1))

    class Told(Played):
        def state(self) -> State:
            upper, _, lower = self.done[-1].removeprefix("put(").removesuffix(")").split(", ")
            big = {"object_3", "object_4"}  # the right cup carries the tin; the mug behind is larger than the tin
            middle = ((-0.1, -0.1, 0.0), (0.1, 0.1, 0.1))
            size: Callable[..., Any] = lambda h: middle if h == "object_1" else wide if h in big else narrow  # noqa: E731
            return State((Relation("on", upper, lower),), (Box(upper, *size(upper)), Box(lower, *size(lower))))

    class Lab(FakeLab):
        @contextmanager
        def open(self, scene: Scene, start: Pose, *, actions: Any = ()) -> Any:
            yield Told({}, State())

    assert attempt(Lab({}), ordered({"A": "right", "C": "below"})) == Outcome({"A": "right", "C": "below"}, True)  # type: ignore[arg-type]
    assert not attempt(Lab({}), ordered({"A": "left", "C": "below"})).agrees  # type: ignore[arg-type]


def test_outcomes_are_kept_by_content_and_by_object_models(store: Store) -> None:
    task = fitting()
    store.put_task(task)
    assert [t.task_id for t in untried(store, "shelf 1")] == ["esi-1"]
    keep(store, task, Outcome(None, False, "no container takes it"), "shelf 1")
    keep(store, task, Outcome("tub", True), "shelf 1")
    assert outcomes(store, "shelf 1") == {task.content_hash: Outcome("tub", True)} and outcomes(store, "shelf 2") == {}
    assert list(untried(store, "shelf 1")) == [] and len(list(untried(store, "shelf 2"))) == 1


class Full(Shelf):
    """Has everything, hollow."""

    def lookup(self, category: str) -> Any:
        return type("Match", (), {"grade": "exact", "transparent": True, "hollow": True})()


@pytest.mark.parametrize(
    ("outcome", "missing"),
    [
        (None, [UNTRIED]),
        (Outcome("tub", True), []),
        (Outcome("chest", False, "x"), ["its answer follows from doing, and here it gives another answer"]),
        (Outcome(None, False, "no container takes it"), ["its answer follows from doing, and here no container takes it"]),
    ],
)
def test_a_row_is_offered_where_doing_gives_its_answer_and_says_so(outcome: Outcome | None, missing: list[str]) -> None:
    task = fitting()
    tried = {} if outcome is None else {task.content_hash: outcome}
    assert assess(task, Full(), ABLE, tried) == Playability(not missing, missing, selected=not missing)
    own = task.model_copy(update={"provenance": Provenance(dataset="vantage", generator="fit 4")})
    assert assess(own, Full(), ABLE) == Playability(True, []) and not selected_on_answer(own)


def test_coverage_lists_them_apart(store: Store) -> None:
    task = fitting()
    store.put_task(task)
    assert not judge(store, Full(), ABLE)(task).playable
    keep(store, task, Outcome("tub", True), "shelf 1")
    found = coverage(store, Full(), ABLE)
    assert (found["imported"], found["playable"], found["share"], found["selected"], found["selected_tasks"]) == (1, 1, 1.0, 1, ["esi-1"])
    assert found["fidelity"] == {"places exact, sizes exact, looks approximate, scene furniture absent": 1}
    assert found["categories"]["ball"] == {"grade": "exact", "note": "", "tasks": 1} and found["grades"] == {"exact": 4}


def test_each_task_says_how_faithful_it_is() -> None:
    task = fitting()
    assert fidelity(task.model_copy(update={"scene": Scene(camera=Camera(), room=Room(), objects=task.scene.objects)})) is None
    unsized = (Object("object_1", "ball", Pose((0, 0, 0))), Object("object_2", "table", Pose((1, 0, 0))))
    phases = (Phase("a", lighting="day"), Phase("b", lighting="dim"))
    lit = Scene(camera=Camera(), room=Room(), objects=unsized, phases=phases, source_scene="Rs_int")
    task = released(
        ("Enumerative Perception", "Illumination Variability"), unsized, Question(text="?", form="count", options=("1", "2")), "1",
        scene=lit, essential=("object_1",), tags={"substituted": "club sandwich", "approximate places": "of some"},
    )  # fmt: skip
    found = fidelity(task)
    assert found is not None and found.words == (
        "places approximate, sizes approximate, looks approximate, scene furniture in part, change of light approximate, "
        "the source shows club sandwich instead"
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    from data.home import Home

    return Store.open(Home.from_env(tmp_path / "x.db"))
