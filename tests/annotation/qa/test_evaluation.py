"""People answer items: what a study is made of, who may not take part, and their results beside those of models."""

from __future__ import annotations

import io
import json
import random
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image

from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.errors import QaError, UnknownItem
from annotation.qa.evaluating import evaluation, results
from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from app.cli import main
from data.frames import FrameStore
from data.home import Home
from data.store import Store
from data.task import Task
from study import access, participants, questions
from study.episode import EpisodeEngine
from study.errors import NotAllowed
from study.studies import get_study, list_studies
from tests.present import present

ROOT = Path(__file__).parents[3]


@pytest.fixture
def picture(store: Store) -> Callable[..., Any]:
    """Keep a small picture; its hash."""

    def make(key: str) -> str:
        image = Image.new("RGB", (64, 48), tuple(random.Random(key).randrange(256) for _ in range(3)))
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return ImageFolder(store.home).keep(buffer.getvalue())

    return make


@pytest.fixture
def with_pictures(picture: Callable[..., Any]) -> Callable[..., Any]:
    """A sound item whose pictures are here."""

    def make(subtask: str, seed: int, gold: str | None = None) -> Any:
        def image(view: str, key: str) -> ViewImage:
            return ViewImage(view=view, image=picture(key), width=640, height=480)

        views = tuple(image(view, f"{seed}/{view}") for view in VIEWS["dual"])
        strangers = tuple(image("left-gripper", f"{seed}/{k}") for k in range(3))
        scenery = Scenery("agibot", "dual", f"episode-{seed}", f"moment-{seed}", views, strangers)
        item = SUBTASKS[subtask].sample(random.Random(seed), scenery).change(item_id=f"qa-{subtask}-{seed}")
        return item.change(gold=gold) if gold else item

    return make


@pytest.fixture
def project(store: Store) -> Any:
    return projects.create_project(store, "P", trial_batch=0)


@pytest.fixture
def accepted(store: Store, project: Any, with_pictures: Callable[..., Any]) -> Callable[..., Any]:
    """Accepted items, `per` of each of these subtasks."""

    def make(*subtasks: str, per: int = 1, gold: str | None = None) -> Any:
        found = []
        for number, subtask in enumerate(subtasks):
            for k in range(per):
                item = with_pictures(subtask, 10 * number + k, gold)
                found.append(pool.admit(store, project.project_id, item, state="accepted", actor="importer", why="fixture").item)
        return found

    return make


class NoPool:
    """Whoever asks for a simulator fails the test."""

    def acquire(self, *_: object, **__: object) -> None:
        pytest.fail("a question about pictures asked for a simulator")

    release = report_lost = acquire


@pytest.fixture
def engine(store: Store) -> EpisodeEngine:
    return EpisodeEngine(store, FrameStore(store.home.frames), NoPool())  # type: ignore[arg-type]


@pytest.fixture
def answer_all(store: Store, engine: EpisodeEngine) -> Callable[..., Any]:
    """A new participant answers everything by a rule: item → (letter, confidence)."""

    def run(study: Any, rule: Any) -> str:
        person = participants.add_participant(store, study.study_id)
        for event in ("welcome", "consent"):
            participants.advance(store, person, event)
        while (place := participants.place(store, engine, person)).stage in ("practice", "task"):
            view = questions.open_question(engine, present(place.episode_id))
            task = store.get_task(
                present(store.one("SELECT task_hash FROM episodes WHERE episode_id = ?", [place.episode_id]))["task_hash"]
            )
            letter, sure = rule(task)
            engine.answer(present(place.episode_id), view.epoch, letter, sure)
            if place.stage == "practice":
                participants.advance(store, person, "practise")
        return person

    return run


def wrong(task: Task) -> str:
    return next(letter for letter in "ABCDE" if letter != task.gold.accepted[0])


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_what_is_shown_holds_neither_gold_nor_what_leads_to_it(sound: Callable[..., Item], subtask: Any) -> None:
    item = sound(subtask)
    task = evaluation.task_of(item, "qp")
    assert set(task.shown) == {*("subtask", "arm", "reference_view", "views", "marks", "question", "options", "option_images")}
    others = [
        evaluation.task_of(item.change(gold=letter, hard=(), provenance={}, slots={}, cubes=()), "qp").shown
        for letter in "ABCDE"
        if letter != item.gold
    ]
    if subtask == "viewpoint":  # its question names the side, which stands in the text already
        others = [other | {"question": task.shown["question"]} for other in others]
    assert all(other == task.shown for other in others)
    assert item.item_id not in json.dumps(task.shown)
    assert (task.category, task.subcategory, task.gold.accepted, task.gold.chance) == (
        SUBTASKS[subtask].domain,
        *(subtask, (item.gold,), 0.2),
    )
    assert Task.from_json(task.canonical_json()).content_hash == task.content_hash


def test_a_study_asks_the_accepted_items_and_says_what_is_allowed(
    store: Store, project: Any, accepted: Callable[..., Any], with_pictures: Callable[..., Any]
) -> None:
    items = accepted("matching", "planning", per=2)
    pool.create_item(store, project.project_id, with_pictures("matching", 90), "a")  # a draft
    study = evaluation.create_evaluation(store, project.project_id, "People")
    assert (len(study.tasks), study.trials, study.state, study.qa_project) == (4, 4, "live", project.project_id)
    assert {store.get_task(h).task_id for h in study.tasks} == {item.item_id for item in items}
    protocol = study.protocol
    assert (protocol.paradigm, protocol.time_limit_s, protocol.external_references, protocol.confidence_required) == (
        *("multiview_qa", None),
        *(True, False),
    )
    assert "You may look things up" in study.welcome and "no time limit" in study.welcome
    other = evaluation.create_evaluation(store, project.project_id, "Strict", references=False, time_limit_s=90)
    assert "do not look anything up" in other.welcome and "90 seconds" in other.welcome
    assert (other.protocol.external_references, other.protocol.time_limit_s) == (False, 90)


def test_samples_are_counted_over_all_or_by_subtask(store: Store, project: Any, accepted: Callable[..., Any]) -> None:
    accepted("matching", per=4)
    accepted("planning", "step")  # the first of the moment of an item that is there already: one person is asked one of both

    def make(**fields: Any) -> int:
        return evaluation.create_evaluation(store, project.project_id, "S", **fields).trials

    assert (make(), make(sample=3), make(sample=99), make(sample=2, per_subtask=True)) == (5, 3, 5, 4)
    with pytest.raises(QaError, match="at least one"):
        make(sample=0)
    with pytest.raises(QaError, match="number of items"):
        make(per_subtask=True)


def test_a_study_of_nothing_or_without_pictures_is_refused_in_a_sentence(store: Store, project: Any, sound: Callable[..., Item]) -> None:
    with pytest.raises(QaError, match="no accepted items"):
        evaluation.create_evaluation(store, project.project_id, "S")
    pool.admit(store, project.project_id, sound("matching"), state="accepted", actor="a", why="w")
    with pytest.raises(QaError, match="3 of 3 images are not kept on the server"):
        evaluation.create_evaluation(store, project.project_id, "S")
    with pytest.raises(UnknownItem):
        evaluation.create_evaluation(store, "qp_none", "S")
    assert present(store.one("SELECT count(*) AS n FROM studies"))["n"] == 0
    assert present(store.one("SELECT count(*) AS n FROM tasks"))["n"] == 0


@pytest.mark.parametrize(("kind", "gold"), [("flip", None), ("reject", "E"), ("single", None)])
def test_a_derived_set_is_asked_by_its_own_rules(
    store: Store, project: Any, accepted: Callable[..., Any], kind: Any, gold: str | None
) -> None:
    items = {item.item_id: item for item in accepted("distance", "planning", "affordance")}
    study = evaluation.create_evaluation(store, project.project_id, "D", derived=kind)
    for content_hash in study.tasks:
        task = store.get_task(content_hash)
        origin = items[task.task_id.removesuffix(f".{kind}")]
        assert (task.twin, task.source["variant"]) == (origin.item_id, kind)
        assert task.gold.accepted == (gold or origin.gold,)
        assert kind not in json.dumps({k: v for k, v in task.shown.items() if k != "views"})


def test_the_practice_item_is_left_out_of_the_study(store: Store, project: Any, accepted: Callable[..., Any]) -> None:
    first, second = accepted("matching", "planning")
    study = evaluation.create_evaluation(store, project.project_id, "S", practice=first.item_id)
    assert store.get_task(present(study.practice_task)).task_id == first.item_id
    assert [store.get_task(h).task_id for h in study.tasks] == [second.item_id]
    with pytest.raises(QaError, match="to practise on"):
        evaluation.create_evaluation(store, project.project_id, "S", practice="nothing")


def test_people_who_made_changed_or_reviewed_items_are_refused(store: Store, with_pictures: Callable[..., Any]) -> None:
    team = projects.create_project(store, "Team", trial_batch=0, reviewers_per_item=1)
    item = with_pictures("planning", 5)
    pool.admit(store, team.project_id, item, state="accepted", actor="importer", why="fixture")
    study = evaluation.create_evaluation(store, team.project_id, "S")

    def browser(role: str) -> tuple[str, str]:
        cookie, grant = access.enter(store, access.create_invite(store, role, study.study_id, label=role))
        return cookie, grant.staff_id or ""

    people = {
        name: browser(role) for name, role in (("maker", "author"), ("editor", "author"), ("judge", "reviewer"), ("lead", "researcher"))
    }
    draft = pool.create_item(store, team.project_id, with_pictures("matching", 6), people["maker"][1])
    pool.save(store, draft.item.item_id, draft.item.change(episode="other"), draft.version, people["editor"][1])
    version = pool.get(store, draft.item.item_id).version
    pool.submit(store, draft.item.item_id, people["maker"][1], version)
    assert pool.next_review(store, team.project_id, people["judge"][1]) is not None
    token = access.create_invite(store, "participant", study.study_id)
    for name, (cookie, staff_id) in people.items():
        cookie, grant = access.enter(store, token, cookie)
        person = grant.participant_id or ""
        if name == "lead":
            evaluation.check_taker(store, study, person, cookie)
            continue
        for _ in range(2):
            with pytest.raises(NotAllowed, match="you cannot answer them as a participant"):
                evaluation.check_taker(store, study, person, cookie)
        access.sign_out(store, cookie)  # the browser is still theirs
        with pytest.raises(NotAllowed):
            evaluation.check_taker(store, study, person)
        told = store.query("SELECT data FROM events WHERE kind = 'qa_annotator_refused' AND participant_id = ?", [person])
        assert [json.loads(row["data"])["staff"] for row in told] == [[staff_id]]
    _, stranger = access.enter(store, token)
    evaluation.check_taker(store, study, stranger.participant_id or "")


def test_people_stand_beside_models_in_the_published_table(
    store: Store, engine: EpisodeEngine, project: Any, accepted: Callable[..., Any], answer_all: Callable[..., Any], tmp_path: Path
) -> None:
    accepted("matching", "distance", "planning", "step", per=2)
    study = evaluation.create_evaluation(store, project.project_id, "Spring")
    right = answer_all(study, lambda task: (task.gold.accepted[0], 90))
    half = answer_all(study, lambda task: (task.gold.accepted[0] if task.category == "spatial" else wrong(task), None))
    gone = answer_all(study, lambda task: (wrong(task), 0))
    participants.withdraw(store, engine, gone)
    lines = [{"item_id": s.item.item_id, "model": "m", "answer": s.item.gold} for s in pool.items(store, project.project_id)]
    file = tmp_path / "run-1.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    results.import_results(store, project.project_id, file, actor="a")

    table = evaluation.human_table(store, project.project_id)
    (people,), (model,) = table["people"], table["models"]
    assert table["chance"] == 0.2 and table["stale"] == {"people": 0, "models": 0}
    assert (people["study"], people["participants"], people["items"], people["all"]["n"]) == ("Spring", 2, 8, 16)
    assert {slug: (score["n"], score["accuracy"]) for slug, score in people["subtasks"].items()} == {
        **{"matching": (4, 1.0), "distance": (4, 1.0), "planning": (4, 0.5), "step": (4, 0.5)},
    }
    assert (people["spatial"]["accuracy"], people["robotic"]["accuracy"], people["all"]["accuracy"]) == (1.0, 0.5, 0.75)
    assert people["by_participant"] == {right: {"n": 8, "accuracy": 1.0}, half: {"n": 8, "accuracy": 0.5}}
    assert (people["mean_confidence"], people["confidence_given"]) == (90.0, 8)
    assert (model["model"], model["all"]["accuracy"]) == ("m", 1.0)
    low, high = results.wilson(12, 16)
    assert (people["all"]["low"], people["all"]["high"]) == (round(low, 4), round(high, 4))
    with store.atomic() as db:
        db.execute("UPDATE episodes SET mode = 'bot' WHERE participant_id = ?", [half])
    (people,) = evaluation.human_table(store, project.project_id)["people"]
    assert set(people["by_participant"]) == {right}, "simulated people stand beside nobody"


def test_the_interval_is_wilsons(store: Store, project: Any, accepted: Callable[..., Any], answer_all: Callable[..., Any]) -> None:
    # Newcombe, "Two-sided confidence intervals for the single proportion" (Statistics in Medicine 17, 1998), table I: 0 of 20, 0 to 0.1611
    accepted("planning", per=10)
    study = evaluation.create_evaluation(store, project.project_id, "S")
    for _ in range(2):
        answer_all(study, lambda task: (wrong(task), None))
    (people,) = evaluation.human_table(store, project.project_id)["people"]
    assert (people["robotic"]["n"], people["robotic"]["low"], people["robotic"]["high"]) == (20, 0.0, 0.1611)


def test_practice_other_projects_and_other_studies_are_kept_apart(
    store: Store, project: Any, accepted: Callable[..., Any], answer_all: Callable[..., Any], with_pictures: Callable[..., Any]
) -> None:
    first, *_ = accepted("planning", per=3)
    one = evaluation.create_evaluation(store, project.project_id, "One", practice=first.item_id)
    two = evaluation.create_evaluation(store, project.project_id, "Two", derived="flip")
    foreign = projects.create_project(store, "Other", trial_batch=0)
    pool.admit(store, foreign.project_id, with_pictures("planning", 77), state="accepted", actor="a", why="w")
    three = evaluation.create_evaluation(store, foreign.project_id, "Three")
    for study in (one, two, three):
        answer_all(study, lambda task: (task.gold.accepted[0], 50))
    rows = evaluation.human_table(store, project.project_id)["people"]
    assert sorted((row["study"], row["variant"], row["all"]["n"]) for row in rows) == [("One", "", 2), ("Two", "flip", 3)]


def test_an_answer_to_an_item_that_changed_since_is_called_stale(
    store: Store, project: Any, accepted: Callable[..., Any], answer_all: Callable[..., Any]
) -> None:
    item, _ = accepted("planning", per=2)
    study = evaluation.create_evaluation(store, project.project_id, "S")
    answer_all(study, lambda task: (task.gold.accepted[0], None))
    pool.rebalance(store, item.item_id, item.change(slots=item.slots | {"note": "x"}), "lead", "why")
    table = evaluation.human_table(store, project.project_id)
    assert table["stale"]["people"] == 1 and table["people"][0]["all"]["n"] == 2


def test_commands_make_a_study_and_print_results(
    tmp_path: Path, store: Store, project: Any, accepted: Callable[..., Any], answer_all: Callable[..., Any]
) -> None:
    accepted("planning", "matching", per=2)

    def vantage(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["qa", *arguments], env={"VANTAGE_HOME": str(store.home.root), "VANTAGE_DEBUG": "1"})

    how = ["--sample", "1", "--per-subtask", "--no-references", "--time-limit", "30", "--url", "https://x.example/", "--json"]
    waits = vantage("study", "--name", "Autumn", "--json")
    assert json.loads(waits.stdout)["state"] == "draft" and "Write its ethics record" in waits.stderr
    refused = CliRunner().invoke(main, ["study", "open", json.loads(waits.stdout)["study_id"]], env={"VANTAGE_HOME": str(store.home.root)})
    assert refused.exit_code != 0 and "ethics record" in refused.stderr
    made = vantage("study", "--name", "Spring", *how, "--demonstration")
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert (told["items"], told["per_participant"]) == (4, 2) and told["link"].startswith("https://x.example/enter?invite=")
    cookie, grant = access.enter(store, told["link"].rpartition("=")[2])
    assert cookie and grant.study_id == told["study_id"] and grant.role == "participant"
    empty = vantage("human-results")
    assert empty.exit_code == 0 and "Nobody has answered yet" in empty.stderr
    answer_all(get_study(store, told["study_id"]), lambda task: (task.gold.accepted[0], None))
    shown = vantage("human-results")
    assert "| Spring | people | full |" in shown.stdout and "100.0" in shown.stdout and "Guessing gives 20 %" in shown.stderr
    assert json.loads(vantage("human-results", "--json").stdout)["people"][0]["all"]["n"] == 2
    bad = vantage("study", "--name", "S", "--per-subtask")
    assert bad.exit_code != 0
    assert present(Store.open(Home.from_env(store.home.db)).one("SELECT count(*) AS n FROM studies"))["n"] == 2


def test_the_how_to_page_can_be_followed(
    store: Store, project: Any, accepted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    accepted("planning", per=2)
    page = (ROOT / "docs/how-to/evaluate-people-on-robot-questions.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    monkeypatch.setenv("VANTAGE_HOME", str(store.home.root))
    (tmp_path / "page.py").write_text(block.replace("qp_…", project.project_id), encoding="utf-8")
    runpy.run_path(str(tmp_path / "page.py"))
    (study,) = list_studies(store)
    assert (study.trials, study.per_task, study.protocol.paradigm) == (2, 5, "multiview_qa")
    assert present(store.one("SELECT count(*) AS n FROM slots WHERE paradigm = 'multiview_qa'"))["n"] == 10
    options = {option for line in page.splitlines() for option in re.findall(r"^\| `(--[\w-]+)", line)}
    known = CliRunner().invoke(main, ["qa", "study", "--help"]).output
    assert options and all(option in known for option in options)
