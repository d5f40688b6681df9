"""Questionnaires: asked at their moment, every version kept, judged by their rule, exported and erased."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from data.frames import FrameStore
from data.store import Store
from data.task import Task
from study import erasure, participants
from study.episode import EpisodeEngine
from study.exports.people import form_rows, quality_row
from study.forms import answers, sending
from study.forms.answers import Given
from study.forms.form import MOMENTS, Form, Item
from study.forms.kinds import KINDS, BadFormAnswer
from study.forms.ready import READY
from study.page_events import GOING
from study.studies import Study, create_study


def _form(name: str = "quiz", when: str = "comprehension", **more: Any) -> Form:
    item = Item(name="capital", text="Which?", kind="choice", options=("a", "b"), passes=("a",), explanation="It is a.")
    return Form(name=name, when=when, title="Quiz", items=(item,), **more)


@pytest.fixture
def arrive(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> Callable[..., Any]:
    """Somebody who has consented, in a study with these forms; gives (person, place)."""

    def make(*forms: Any, tasks: int = 1, **more: Any) -> Any:
        made = [make_task(f"toy-{k:03}", question=make_task().question.model_copy(update={"text": f"Which? {k}"})) for k in range(tasks)]
        for task in made:
            store.put_task(task)
        study = create_study(store, "S", state="live", tasks=tuple(t.content_hash for t in made), trials=tasks, forms=forms, **more)
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        return person, lambda: participants.place(store, engine, person)

    return make


@pytest.fixture
def fill(store: Store, engine: EpisodeEngine) -> Callable[..., Any]:
    """Send a form with these values."""

    def send(person: Any, form: Any, occasion: int = 0, **values: Any) -> Any:
        showing = answers.show(store, person, form, occasion)
        given = {name: Given(value=value) for name, value in values.items()}
        return sending.send(store, engine, showing.showing_id, given)

    return send


@pytest.fixture
def play(engine: EpisodeEngine) -> Callable[..., Any]:
    def answer(place: Any) -> None:
        view = engine.open(place.episode_id)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 70)

    return answer


def test_forms_come_at_their_moments_in_order(arrive: Callable[..., Any], fill: Callable[..., Any], play: Callable[..., Any]) -> None:
    forms = tuple(_form(moment.name, moment.name, every=1) for moment in reversed(MOMENTS))
    person, place = arrive(*forms, tasks=2)
    met = []
    while (here := place()).stage not in ("thanks", "screened_out"):
        met.append(here.part or here.stage)
        if here.stage == "form":
            fill(
                person,
                next(f for f in forms if f.name == here.part),
                here.done if here.part in ("between", "attention") else 0,
                capital="a",
            )
        else:
            play(here)
    assert met[:4] == ["eligibility", "before", "check", "comprehension"]
    assert sorted(met[5:7]) == ["attention", "between"] and met[4] == met[7] == "task" and met[8:] == ["after"]


def test_who_is_not_eligible_is_screened_out_and_holds_nothing(store: Store, arrive: Callable[..., Any], fill: Callable[..., Any]) -> None:
    form = _form(when="eligibility")
    person, place = arrive(form)
    assert fill(person, form, capital="b").then == "screen_out"
    assert place().stage == "screened_out"
    assert store.query("SELECT 1 FROM slots WHERE participant_id = ? AND state = 'held'", [person]) == []
    # sending it again says the same, and changes nothing
    showing = answers.showings(store, person, form.name, 0)[0]
    assert sending.send(store, None, showing.showing_id, {"capital": Given(value="a")}).then == "screen_out"  # type: ignore[arg-type]


def test_an_attention_check_that_is_missed_gives_the_task_back(
    store: Store, arrive: Callable[..., Any], fill: Callable[..., Any], play: Callable[..., Any]
) -> None:
    form = _form("look", "attention", every=1, follows="screen_out")
    person, place = arrive(form, tasks=2)
    play(place())
    assert place().part == "look"
    fill(person, form, occasion=1, capital="b")
    assert place().stage == "screened_out"
    states = [row["state"] for row in store.query("SELECT state FROM slots WHERE participant_id = ?", [person])]
    assert states == ["completed"]


def test_a_form_is_asked_again_with_explanations_as_often_as_it_says(
    store: Store, arrive: Callable[..., Any], fill: Callable[..., Any]
) -> None:
    form = _form(attempts=2, follows="warn", warning="Read!")
    person, place = arrive(form)
    assert fill(person, form, capital="b").then == "again"
    assert place().part == "quiz"
    second = answers.show(store, person, form, 0)
    assert (second.attempt, answers.before(store, second)) == (2, ["capital"])
    sent = fill(person, form, capital="b")
    assert (sent.then, sent.message, place().stage) == ("warn", "Read!", "task")


def test_what_was_right_in_a_comprehension_check_still_stands_when_it_is_asked_again(
    store: Store, arrive: Callable[..., Any], fill: Callable[..., Any]
) -> None:
    item = _form().items[0]
    for when, stands in (("comprehension", {"capital": "a"}), ("before", {}), ("eligibility", {})):
        form = Form(
            name=f"two_{when}", when=when, title="Two", attempts=3, items=(item, item.model_copy(update={"name": "river"})), follows="go_on"
        )
        person, _ = arrive(form)
        fill(person, form, capital="a", river="b")
        second = answers.show(store, person, form, 0)
        assert {name: row.value for name, row in answers.right_before(store, second, form).items()} == stands, when
        assert answers.latest(store, second.showing_id) == {}, "it was not given this time"
        fill(person, form, capital="b", river="a")
        third = answers.show(store, person, form, 0)
        assert set(answers.right_before(store, third, form)) == ({"river"} if stands else set())


def test_what_is_missing_is_said_for_each_item_and_nothing_is_sent(
    store: Store, arrive: Callable[..., Any], fill: Callable[..., Any]
) -> None:
    age = Item(name="age", text="Age?", kind="number", least=1, most=120)
    free = Item(name="free", text="?", kind="text", required=False)
    form = Form(name="about", when="before", title="About", items=(age, free))
    person, place = arrive(form)
    with pytest.raises(sending.Incomplete) as missing:
        fill(person, form)
    assert missing.value.faults == {"age": "Please answer this question."}
    with pytest.raises(sending.Incomplete) as wrong:
        fill(person, form, age=200)
    assert wrong.value.faults == {"age": "Give a number from 1 to 120."}
    assert store.query("SELECT * FROM form_answers") == [] and place().part == "about"
    with pytest.raises(BadFormAnswer, match="no such question"):
        fill(person, form, nothing=1)
    assert fill(person, form, age=30).then == "go_on"


def test_every_version_of_an_answer_is_kept_and_a_reload_finds_the_last(
    store: Store, engine: EpisodeEngine, arrive: Callable[..., Any]
) -> None:
    form = _form(when="before")
    person, _ = arrive(form)
    showing = answers.show(store, person, form, 0)
    for value in ("a", "a", "b"):
        answers.note(store, showing, form.items[0], Given(value=value))
    assert answers.show(store, person, form, 0).showing_id == showing.showing_id
    assert answers.latest(store, showing.showing_id)["capital"].value == "b"
    sending.send(store, engine, showing.showing_id, {"capital": Given(value="a")})
    rows = store.query("SELECT n, value, sent, passed FROM form_answers ORDER BY n")
    assert [tuple(row.values()) for row in rows] == [(1, '"a"', 0, None), (2, '"b"', 0, None), (3, '"a"', 1, 1)]
    with pytest.raises(BadFormAnswer, match="sent already"):
        answers.note(store, showing, form.items[0], Given(value="b"))


def test_who_prefers_not_to_say_has_answered(store: Store, arrive: Callable[..., Any], engine: EpisodeEngine) -> None:
    item = Item(name="age", text="Age?", kind="number", may_decline=True)
    form = Form(name="about", when="before", title="About", items=(item,))
    person, _ = arrive(form)
    showing = answers.show(store, person, form, 0)
    sending.send(store, engine, showing.showing_id, {"age": Given(declined=True)})
    assert store.one("SELECT value, declined, sent FROM form_answers") == {"value": None, "declined": 1, "sent": 1}
    with pytest.raises(BadFormAnswer):
        answers.read(_form().items[0], Given(declined=True))


@pytest.mark.parametrize("form", READY, ids=lambda form: form.name)
def test_a_simulated_person_can_answer_every_ready_form(form: Any) -> None:
    chance = random.Random(7)
    for item in form.items:
        for value in (item.of.drawn(item, chance), *([item.of.right(item)] if item.judged else [])):
            assert answers.read(item, Given(value=value)).value is not None or value == []
        if item.judged:
            assert answers.passes(item, Given(value=item.of.right(item))) is True
            assert answers.passes(item, Given()) is False
    assert form.licence and Form.model_validate(form.model_dump(mode="json")) == form


@pytest.mark.parametrize(
    ("kind", "more", "good", "bad"),
    [
        ("choice", {"options": ("a", "b")}, "a", ("c", 1, ["a"])),
        ("several", {"options": ("a", "b")}, ["b"], ("a", ["c"], ["a", "a"])),
        ("scale", {"low": "l", "high": "h", "points": 5}, 5, (0, 6, "3", True, 2.5)),
        ("number", {"least": 0, "most": 9}, 9, (-1, 10, "3", True, 2.5, float("nan"))),
        ("text", {}, " x ", ("", "  ", 3, "x" * 5001)),
    ],
)
def test_each_kind_takes_its_answers_and_refuses_others(kind: str, more: dict[str, Any], good: Any, bad: Any) -> None:
    item = Item(name="x", text="?", kind=kind, **more)
    assert answers.read(item, Given(value=good)).value == (good.strip() if isinstance(good, str) else good)
    for value in bad:
        with pytest.raises(BadFormAnswer):
            item.of.read(item, value)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"kind": "slider"}, "expected one of choice, several, scale, number, text, got 'slider'"),
        ({"kind": "choice", "options": ("a",)}, "needs two or more options"),
        ({"kind": "choice", "options": ("a", "b"), "passes": ("c",)}, "passes names 'c'"),
        ({"kind": "scale", "low": "l"}, "words for both ends"),
        ({"kind": "number", "least": 3, "most": 2}, "least must be the smaller"),
    ],
)
def test_a_badly_declared_item_says_what_is_wrong(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Item(name="x", text="?", **fields)


def test_a_study_takes_ready_forms_by_name_and_refuses_unknown_and_double_ones() -> None:
    study = Study(study_id="s", name="S", forms=["background", "attention"])  # type: ignore[arg-type]
    assert [form.name for form in study.forms] == ["background", "attention"]
    assert Study.model_validate(study.model_dump(mode="json")) == study
    with pytest.raises(ValidationError, match="no ready form 'nothing'; there are eligibility"):
        Study(study_id="s", name="S", forms=["nothing"])  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="two forms are called background"):
        Study(study_id="s", name="S", forms=["background", "background"])  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="no item says which answers pass"):
        Form(name="x", when="attention", title="X", items=(Item(name="y", text="?", kind="text"),))


def test_names_of_kinds_and_moments_are_each_their_own() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) and len({moment.name for moment in MOMENTS}) == len(MOMENTS)


def test_answers_are_erased_with_the_person(store: Store, frames: FrameStore, arrive: Callable[..., Any], fill: Callable[..., Any]) -> None:
    word = Item(name="word", text="?", kind="text")
    form = Form(name="about", when="before", title="About", items=(word,))
    person, _ = arrive(form)
    fill(person, form, word="what nobody else would ever write")
    erasure.erase(store, frames, person)
    assert store.query("SELECT * FROM form_showings") == store.query("SELECT * FROM form_answers") == []
    assert b"nobody else would" not in b"".join(path.read_bytes() for path in store.home.root.glob("vantage.db*"))


def test_answers_are_exported_with_the_question_and_every_version(store: Store, engine: EpisodeEngine, arrive: Callable[..., Any]) -> None:
    form = _form(when="before")
    person, _ = arrive(form)
    showing = answers.show(store, person, form, 0)
    answers.note(store, showing, form.items[0], Given(value="b"))
    sending.send(store, engine, showing.showing_id, {"capital": Given(value="a")})
    rows = list(form_rows(store, participants.get_participant(store, person)))
    assert {(row.form, row.moment, row.item, row.text) for row in rows} == {("quiz", "before", "capital", "Which?")}
    assert [(row.n, row.sent, row.value, row.passed) for row in rows] == [(1, False, '"b"', None), (2, True, '"a"', True)]


def test_a_report_on_quality_counts_declared_checks_and_left_tabs_and_never_speed(
    store: Store, engine: EpisodeEngine, arrive: Callable[..., Any], fill: Callable[..., Any], play: Callable[..., Any]
) -> None:
    look, quiz = _form("look", "attention", every=1), _form(attempts=2)
    person, place = arrive(look, quiz, tasks=2)
    fill(person, quiz, capital="b")
    fill(person, quiz, capital="a")
    where = place()
    view = engine.open(where.episode_id)
    for n, (what, at) in enumerate([("blur", 1000.0), ("hidden", 1100.0), ("visible", 4000.0), ("focus", 4100.0), ("resized", 5000.0)], 1):
        engine.page_event(view.episode_id, view.epoch, n, what, client_time_ms=at)
    engine.page_event(view.episode_id, view.epoch, 6, "hidden", client_time_ms=6000.0, detail=GOING)
    view = engine.open(where.episode_id)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    place()
    fill(person, look, occasion=1, capital="b")
    row = quality_row(store, participants.get_participant(store, person))
    assert (row.attention_asked, row.attention_missed, row.comprehension_attempts, row.comprehension_passed) == (1, 1, 2, True)
    assert (row.left_tab, row.left_tab_ms, row.resized, row.openings, row.tasks_completed) == (
        1,
        3000.0,
        1,
        2,
        1,
    )  # a page loaded again was not left
    assert not [name for name in type(row).model_fields if "speed" in name or "fast" in name or "still" in name]
