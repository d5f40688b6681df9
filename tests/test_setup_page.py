"""The page Set-up as Streamlit runs it: a study is made, filled in section by section, and opened; what is refused is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.commands import study_frames
from app.pages.setup import SECTIONS
from data.home import Home
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access
from study.access import EVERY_STUDY
from study.readiness import concerns
from study.studies import being_edited, create_study, get_study, list_studies


def draw(grant: object) -> None:
    """The script of the page, as the navigation calls it."""
    from app.pages import researcher_setup

    researcher_setup.page(grant)  # type: ignore[arg-type]


def task(number: int) -> Task:
    question = Question(text="Which is larger?", form="choice", options=("the mug", "the bowl"))
    return Task(
        task_id=f"toy-{number}", category=f"Category {number % 8}", subcategory=f"Kind {number % 2}", question=question,
        gold=Gold(accepted=("the bowl",), chance=0.5), scene=Scene(camera=Camera(64, 48), room=Room()),
        start=Pose((0.0, 0.0, 1.0 + number)), provenance=Provenance(dataset="vantage" if number < 12 else "other"),
    )  # fmt: skip


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    store = Store.open(Home.from_env(tmp_path / "vantage.db"))
    with store.atomic():
        tasks = [task(number) for number in range(16)]
        for one in tasks:
            store.put_task(one)
    settings = SimpleNamespace(backend="toy", worker_addresses=(), worker_token=None)
    services.install(SimpleNamespace(store=store, home=store.home, settings=settings))  # type: ignore[arg-type]

    def open_page(study_id: str = EVERY_STUDY) -> AppTest:
        cookie, grant = access.enter(store, access.create_invite(store, "researcher", study_id))
        monkeypatch.setattr(identity, "page_cookie", lambda: cookie)
        return AppTest.from_function(draw, kwargs={"grant": grant}, default_timeout=60).run()

    yield SimpleNamespace(store=store, tasks=tuple(one.content_hash for one in tasks), open=open_page)
    services.install(None)
    store.close()


def press(test: AppTest, label: str) -> AppTest:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception, test.exception
    return test


def fill(test: AppTest, **values: object) -> None:
    """Fill in fields by the words they have (spaces as underlines)."""
    for name, value in values.items():
        fields = [*test.text_input, *test.number_input, *test.text_area, *test.selectbox, *test.date_input]
        next(field for field in fields if field.label == name.replace("_", " ")).set_value(value)


def section(test: AppTest) -> str:
    return test.header[0].value


def go(test: AppTest, name: str) -> AppTest:
    test.radio(key="setup_menu").set_value(name).run()
    assert not test.exception, test.exception
    return test


def test_a_study_is_made_and_set_up_section_by_section_and_opened(kit: SimpleNamespace) -> None:
    test = kit.open()
    fill(test, Name_of_the_study="Spring", People_who_are_to_take_part=8)
    press(test, "Make the study")
    (study,) = list_studies(kit.store)
    assert (study.name, study.planned_people, section(test)) == ("Spring", 8, "Tasks")
    test.multiselect(key="tasks-source").set_value(["vantage"]).run()
    press(test, "Use these tasks")
    assert len(being_edited(kit.store, study.study_id).tasks) == 12 and section(test) == "Paradigms"
    next(box for box in test.checkbox if box.label == "single view").set_value(True)
    press(test, "Save and go on")
    assert being_edited(kit.store, study.study_id).paradigms == ("active", "single_view")
    fill(test, People_per_task_and_paradigm=3, Sessions_per_person=2)
    press(test, "Save and go on")
    fill(test, **{"Views per task, the first included": 20})
    press(test, "Save and go on")
    assert section(test) == "Texts and consent"
    fill(test, Consent="We keep your answers.", Whom_participants_may_ask="Ann", Debriefing="What it was about.")
    for _ in ("texts", "forms", "before", "returns", "pay"):
        press(test, "Save and go on")
    assert section(test) == "Ethics record" and "does not say whether a board" in test.warning[0].value
    fill(test, Why_it_may_be_done="demonstration")
    press(test, "Save and go on")
    edited = being_edited(kit.store, study.study_id)
    assert (edited.per_task, edited.sessions, edited.protocol.budget, edited.consent) == (3, 2, 20, "We keep your answers.")
    assert not [concern for concern in concerns(kit.store, edited) if concern.stops]
    press(go(test, "opening"), "Open the study")
    assert (get_study(kit.store, study.study_id).state, get_study(kit.store, study.study_id).version) == ("live", 1)


def test_what_cannot_be_opened_says_what_is_missing_and_marks_its_sections(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "opening")
    assert next(button for button in test.button if button.label == "Open the study").disabled
    told = " ".join(block.proto.body for block in test.get("html"))
    assert "Its ethics record does not say" in told and "It has no consent text" in told
    marked = {option.split(". ")[1].removesuffix(" ○") for option in test.radio(key="setup_menu").options if option.endswith("○")}
    assert marked == {"Ethics record", "Texts and consent"}


def test_a_change_of_a_live_study_is_told_as_its_next_version_and_published(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", state="live", tasks=kit.tasks, ethics={"basis": "demonstration"})
    test = kit.open(study.study_id)
    go(test, "places")
    fill(test, Tasks_per_person_and_session=4)
    press(test, "Save and go on")
    assert get_study(kit.store, study.study_id).trials == 6
    go(test, "opening")
    told = " ".join(block.proto.body for block in test.get("html"))
    assert "<td>trials</td><td>6</td><td>4</td>" in told
    press(test, "Publish version 2")
    assert (get_study(kit.store, study.study_id).version, get_study(kit.store, study.study_id).trials) == (2, 4)


def test_a_researcher_of_one_study_makes_no_other_and_sees_no_other(kit: SimpleNamespace) -> None:
    create_study(kit.store, "Another, secret", tasks=kit.tasks)
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = kit.open(study.study_id)
    for one in SECTIONS:
        go(test, one.name)
        assert "secret" not in str(test) and "Make a copy" not in [button.label for button in test.button]
    assert not [box for box in test.selectbox if box.label == "Study"]


def test_a_value_that_cannot_be_is_said_and_nothing_changes(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "returns")
    codes = [field for field in test.text_input if field.label == "Completion code"]
    codes[0].set_value("SAME1")
    codes[1].set_value("SAME1")
    press(test, "Save and go on")
    assert "use two codes" in test.error[0].value.replace("\\", "") and being_edited(kit.store, study.study_id) == study


def test_a_plan_is_locked_on_the_page(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "plan")
    fill(test, The_plan="Leave out who withdrew.", What_it_is_called="first")
    press(test, "Lock it")
    assert kit.store.query("SELECT n, name, text FROM plan_locks") == [{"n": 1, "name": "first", "text": "Leave out who withdrew."}]
    press(test, "Lock it")
    assert "is empty" in test.error[0].value


def test_missing_pictures_are_said_and_rendered_by_a_job(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    study = create_study(kit.store, "Grids", tasks=kit.tasks[:3], paradigms=("active", "multi_view"))
    started: list[dict[str, object]] = []
    monkeypatch.setattr(study_frames, "start", lambda store, study_id, **how: started.append({"study": study_id, **how}))
    test = go(kit.open(study.study_id), "pictures")
    assert any(bar.proto.text.endswith("0 of 3 tasks have their pictures") for bar in test.get("progress"))
    press(test, "Render what is missing")
    assert [(one["study"], one["backend"]) for one in started] == [(study.study_id, "toy")]
    assert any("multi_view shows pictures" in one.says and one.about == "pictures" for one in concerns(kit.store, study))


def test_checks_examples_and_breaks_are_set_on_the_page(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "before")
    next(box for box in test.selectbox if box.label == "Colour vision").set_value("needed")
    next(box for box in test.checkbox if box.label.startswith("Worked examples")).set_value(True)
    next(field for field in test.number_input if field.label.startswith("A break after")).set_value(5)
    press(test, "Save and go on")
    kept = being_edited(kit.store, study.study_id)
    assert (kept.checks.colours, kept.tutorial is not None, kept.breaks.every_tasks) == ("needed", True, 5)
    test = go(kit.open(study.study_id), "before")
    assert any(str(text.value).startswith("Example 1") for text in test.markdown)
