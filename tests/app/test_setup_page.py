"""The page Set-up as Streamlit runs it: a study is made, filled in section by section, and opened; what is refused is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from annotation.qa import projects
from app import identity, services
from app.cli import main
from app.commands import study_frames
from app.pages.setup import SECTIONS
from data.frames import FrameStore
from data.task import Gold, Provenance, Question, Task
from sim_bridge.backends.toy import create
from sim_bridge.local import LocalClient
from sim_bridge.pool import WorkerStatus
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access
from study.access import EVERY_STUDY
from study.fits import fits
from study.frozen import Rendered, keep
from study.paradigms import paradigm
from study.readiness import concerns
from study.studies import being_edited, create_study, get_study, list_studies, revise
from tests.homes import fresh_store


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
    store = fresh_store(tmp_path)
    with store.atomic():
        tasks = [task(number) for number in range(16)]
        for one in tasks:
            store.put_task(one)
    settings = SimpleNamespace(backend="toy", others=(), workers=1, remotes=(), public="https://study.example.org")
    pool = SimpleNamespace(status=lambda: WORKERS)
    services.install(SimpleNamespace(store=store, home=store.home, settings=settings, pool=pool))  # type: ignore[arg-type]

    def open_page(study_id: str = EVERY_STUDY) -> AppTest:
        cookie, grant = access.enter(store, access.create_invite(store, "researcher", study_id))
        monkeypatch.setattr(identity, "page_cookie", lambda: cookie)
        return AppTest.from_function(draw, kwargs={"grant": grant}, default_timeout=60).run()

    yield SimpleNamespace(store=store, tasks=tuple(one.content_hash for one in tasks), open=open_page)
    services.install(None)
    store.close()


WORKERS = [
    WorkerStatus(
        pid=1, address="ws://a", state="ready", sessions=0, rss_mb=0.0, restarts=0, busy_s=0.0, message="", backend="toy", places=12
    ),
]  # fmt: skip


def press(test: AppTest, label: str) -> AppTest:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception, test.exception
    return test


def fill(test: AppTest, **values: object) -> None:
    """Fill in fields by the words they have (spaces as underlines)."""
    for name, value in values.items():
        fields = [*test.text_input, *test.text_area, *test.selectbox]
        next(field for field in fields if field.label == name.replace("_", " ")).set_value(str(value))


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
    next(box for box in test.multiselect if box.label == "Source").set_value(["vantage"])
    press(test, "Find tasks")
    press(test, "Use these 12 tasks")
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
    assert "<td>Tasks per person and session</td><td>6</td><td>4</td>" in told
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


def test_what_was_done_stands_until_another_section_is_looked_at(kit: SimpleNamespace) -> None:
    test = kit.open()
    fill(test, Name_of_the_study="Summer")
    press(test, "Make the study")
    assert [box.value for box in test.run().success] == ["It is made, as a draft."], "drawn once more, it is still said"
    assert not go(test, "pay").success
    press(test, "Save and go on")
    assert test.run().success[0].value == "Saved “Pay”." and section(test) == "Ethics record"
    assert not go(test, "pay").success and not go(test, "ethics").success, "what is over is not said again"


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
    assert any(bar.proto.text.endswith("0 of 3 sets of pictures are there") for bar in test.get("progress"))
    press(test, "Render what is missing")
    assert [(one["study"], one["backends"], one["workers"]) for one in started] == [(study.study_id, ("toy",), 1)]
    assert any("multi view shows pictures" in one.says and one.about == "pictures" for one in concerns(kit.store, study))


def test_checks_examples_and_breaks_are_set_on_the_page(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "before")
    next(box for box in test.selectbox if box.label == "Colour vision").set_value("needed")
    next(box for box in test.checkbox if box.label.startswith("Worked examples")).set_value(True)
    next(field for field in test.text_input if field.label.startswith("Tasks between two breaks")).set_value("5")
    press(test, "Save and go on")
    kept = being_edited(kit.store, study.study_id)
    assert (kept.checks.colours, kept.tutorial is not None, kept.breaks.every_tasks) == ("needed", True, 5)
    test = go(kit.open(study.study_id), "before")
    assert any(str(text.value).startswith("Example 1") for text in test.markdown)


def field(test: AppTest, label: str, number: int = 0) -> Any:
    return [one for one in [*test.text_input, *test.text_area] if one.label == label][number]


def test_rules_of_exclusion_are_declared_beside_the_plan(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "plan")
    for typed, kept in (("0", None), ("2", 2)):
        next(one for one in test.text_input if "so many attention checks" in one.label).set_value(typed)
        next(box for box in test.checkbox if "who ended early" in box.label).set_value(True)
        press(test, "Save and go on")
        assert being_edited(kit.store, study.study_id).exclusions.attention_missed == kept
    rules = being_edited(kit.store, study.study_id).exclusions
    assert (rules.stopped, rules.clipped, rules.any, section(test)) == (True, False, True, "Analysis plan")


def test_what_is_typed_stays_while_other_sections_are_looked_at_and_is_marked(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "texts")
    fill(test, Consent="We keep your answers.")
    go(test.run(), "pay")
    assert [o for o in test.radio(key="setup_menu").options if o.endswith("✎")] == ["8\\. Texts and consent ○ ✎"]
    go(test, "texts")
    assert field(test, "Consent").value == "We keep your answers." and being_edited(kit.store, study.study_id).consent == ""
    press(go(test, "texts"), "Save and go on")
    assert being_edited(kit.store, study.study_id).consent == "We keep your answers."
    assert not [o for o in test.radio(key="setup_menu").options if o.endswith("✎")]
    fill(go(test, "texts"), Consent="Something else.")
    press(test.run(), "Take back what is typed")
    assert field(test, "Consent").value == "We keep your answers."


@pytest.mark.parametrize(
    ("section_name", "label", "typed", "says"),
    [
        ("name", "Name", "", "Give the study a name"),
        ("name", "People who are to take part", "1e9", "People who are to take part: write a whole number from 1 to 100000, got “1e9”."),
        ("places", "Sessions per person", "99", "Sessions per person: write a whole number from 1 to 50, got “99”."),
        ("places", "Tasks per person and session", "", "Tasks per person and session: write a whole number from 1 to 1000."),
        ("ethics", "Day of the decision", "2099-01-01", "Day of the decision: this day has not come yet, got “2099-01-01”."),
        ("ethics", "Day of the decision", "31.3.26", "Day of the decision: write a day such as 2026-03-31, got “31.3.26”."),
        ("pay", "Currency", "banana", "Currency: a currency is three capital letters such as EUR, got “BANANA”."),
        ("pay", "For a finished session", "-1", "For a finished session: write an amount from 0 to 9999999.99"),
        ("pay", "For a finished session", "nine", "For a finished session: write an amount such as 9.50, got “nine”."),
        ("returns", "Return link", "ftp://x", "Return link, who has finished: a return link begins with https://"),
        ("before", "How often each is given", "0", "How often each is given: write a whole number from 1 to 10, got “0”."),
        ("tasks", "Tasks per category at most", "0", "Tasks per category at most: write a whole number from 1 to 10000, got “0”."),
        ("size", "Seconds per task", "soon", "Seconds per task: write a whole number from 1 to 7200, got “soon”."),
    ],
)
def test_a_value_out_of_bounds_is_said_beside_its_button_and_nothing_is_saved(
    kit: SimpleNamespace, section_name: str, label: str, typed: str, says: str
) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks, tutorial={}, paradigms=("active", "single_view"))
    test = go(kit.open(study.study_id), section_name)
    field(test, label).set_value(typed)
    buttons = {button.label for button in test.button}
    test.run() if section_name == "size" else press(test, "Find tasks" if "Find tasks" in buttons else "Save and go on")
    told = " ".join(one.value for one in [*test.error, *test.info]).replace("\\", "").replace(":small[]", "")
    assert says in told and being_edited(kit.store, study.study_id) == study
    assert field(test, label).value == typed and not test.success


def test_a_study_keeps_at_least_one_paradigm(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks, paradigms=("single_view",))
    test = go(kit.open(study.study_id), "paradigms")
    next(box for box in test.checkbox if box.label == "single view").set_value(False)
    press(test, "Save and go on")
    assert "Tick at least one paradigm" in test.error[0].value and being_edited(kit.store, study.study_id) == study


def test_other_tasks_are_counted_before_they_take_the_place_of_those_there_are(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks[:2])
    test = press(go(kit.open(study.study_id), "tasks"), "Find tasks")
    assert "14 come, 0 go" in " ".join(one.value for one in test.info)
    assert len(being_edited(kit.store, study.study_id).tasks) == 2
    press(test, "Use these 16 tasks")
    field(go(test, "tasks"), "Tasks per category at most").set_value("1")
    press(press(test, "Find tasks"), "Use these 8 tasks")
    assert len(being_edited(kit.store, study.study_id).tasks) == 8
    again = go(kit.open(study.study_id), "tasks")
    assert field(again, "Tasks per category at most").value == "1"


def test_where_robot_questions_are_put_to_people_is_said_to_who_has_a_project(kit: SimpleNamespace) -> None:
    assert not [one for one in kit.open().caption if "robot episodes" in one.value]
    projects.create_project(kit.store, "Questions", study_id=None)
    assert [one for one in kit.open().caption if "robot episodes" in one.value]


def test_where_no_task_stands_as_is_wanted_the_page_says_so(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks[:2])
    test = go(kit.open(study.study_id), "tasks")
    box = next(box for box in test.multiselect if box.label == "Verification")
    assert "retained (0)" in box.options and "not-verified (16)" in box.options
    box.set_value(["retained"])
    press(test, "Find tasks")
    (said,) = (one.value for one in test.error)
    assert said.startswith("No task of these kinds is retained") and said.endswith("16 stand otherwise with their verifiers.")


def test_what_is_not_published_is_discarded_after_a_question(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", state="live", tasks=kit.tasks, trials=3, ethics={"basis": "demonstration"})
    revise(kit.store, study.study_id, trials=4)
    test = press(go(kit.open(study.study_id), "opening"), "Discard what is not published")
    assert being_edited(kit.store, study.study_id).trials == 4
    press(test, "Leave it as it is")
    press(press(test, "Discard what is not published"), "Yes, discard what is not published")
    assert being_edited(kit.store, study.study_id).trials == 3


def test_a_study_is_closed_and_put_away_after_a_question_and_taken_back(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", state="live", tasks=kit.tasks, ethics={"basis": "demonstration"})
    test = kit.open()
    press(press(go(test, "opening"), "Close the study"), "Yes, close the study")
    assert get_study(kit.store, study.study_id).state == "closed"
    press(press(go(test, "opening"), "Put it away"), "Yes, put it away")
    assert list_studies(kit.store) == []
    press(test, "Take it back")
    assert [one.study_id for one in list_studies(kit.store)] == [study.study_id]


def test_a_draft_is_not_closed_by_a_button_and_links_are_made_where_it_is_opened(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks, recruitment={"external_study": "65f"})
    test = go(kit.open(study.study_id), "opening")
    assert "Close the study" not in [button.label for button in test.button]
    assert any("STUDY_ID={{%STUDY_ID%}}" in block.value for block in test.code)
    press(test, "Make a participant link")
    assert any("/enter?invite=" in block.value for block in test.code)


def test_studies_of_one_name_are_told_apart(kit: SimpleNamespace) -> None:
    two = [create_study(kit.store, "Demo study", tasks=kit.tasks) for _ in range(2)]
    box = next(box for box in kit.open().selectbox if box.label == "Study")
    assert [option for option in box.options if "Demo" in option] == [f"Demo study ({one.study_id})" for one in two]


def test_each_paradigm_says_how_many_tasks_fit_it_and_which_do_not(kit: SimpleNamespace) -> None:
    proven = task(20).model_copy(update={"gt_trajectory": ("turn_left",)})
    kit.store.put_task(proven)
    study = create_study(kit.store, "S", tasks=(*kit.tasks[:2], proven.content_hash))
    passive = paradigm("gt_passive")
    (found,) = fits(kit.store, study.tasks, [passive])
    assert [one.task_id for one in found.unfit] == ["toy-0", "toy-1"]
    test = go(kit.open(study.study_id), "paradigms")
    told = " ".join(block.proto.body for block in test.get("html"))
    assert f"{passive.meaning}. <b>1 of 3 tasks fit.</b>" in told.replace("&#x27;", "'")
    assert f"{paradigm('active').meaning}. <b>3 of 3 tasks fit.</b>" in told
    assert any("2 tasks do not fit" in one.label for one in test.expander)
    for one in found.unfit:
        assert f"<td>{one.task_id}</td><td>{escape(one.why)}</td>" in told
    asked = ["study", "fits", study.study_id, "--paradigm", "gt_passive", "--db", str(kit.store.home.db)]
    shown = CliRunner().invoke(main, asked)
    assert shown.output.startswith("gt_passive: 1 of 3 tasks fit\n  toy-0 ")
    (row,) = json.loads(CliRunner().invoke(main, [*asked, "--json"]).stdout)
    assert (row["fit"], [one["task_id"] for one in row["unfit"]]) == (1, ["toy-0", "toy-1"])


def test_a_sessions_time_that_may_end_before_six_categories_are_met_is_said_where_it_is_set_and_before_opening(
    kit: SimpleNamespace,
) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks, trials=8, per_task=2, ethics={"basis": "demonstration"})
    warns = "A session is over after 10 minutes at tasks, and a task has no time limit of its own"

    def warned(test: AppTest) -> str:
        return " ".join(one.value for one in test.warning).replace("\\", "").replace(":small[]", "")

    def checked(test: AppTest) -> str:
        return " ".join(block.proto.body for block in go(test, "opening").get("html"))

    test = go(kit.open(study.study_id), "protocol")
    field(test, "Minutes at tasks per session").set_value("10")
    press(test, "Save and go on")
    assert section(test) == "Texts and consent" and f"Protocol: {warns}" in warned(test), "told at once"
    assert warns in warned(go(test, "protocol"))
    assert warns in checked(test) and not next(button for button in test.button if button.label == "Open the study").disabled
    field(go(test, "protocol"), "Seconds per task").set_value("98")
    press(test, "Save and go on")
    assert "A session is over" not in warned(test) + warned(go(test, "protocol")) + checked(test)


def test_a_simulator_is_chosen_for_each_source_and_what_is_not_connected_is_said(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks)
    test = go(kit.open(study.study_id), "simulators")
    boxes = {box.label.replace("\\", ""): box for box in test.selectbox if "task" in box.label}
    assert sorted(boxes) == ["other, 4 tasks", "vantage, 12 tasks"]
    (first,) = (box for label, box in boxes.items() if label.startswith("other"))
    assert first.value == "" and "the server’s own (toy)" in first.options and "mujoco, which is not connected now" in first.options
    assert not any("recorded" in option for option in first.options), "tasks on pictures are played on those anyway"
    first.set_value("mujoco")
    press(test, "Save and go on")
    assert section(test) == "Pictures" and being_edited(kit.store, study.study_id).protocol.backends == ("other=mujoco",)
    test = go(test, "simulators")
    assert "No simulator of the kind mujoco is connected to this server now" in test.warning[0].value
    next(box for box in test.selectbox if box.label.startswith("other")).set_value("")
    press(test, "Save and go on")
    assert being_edited(kit.store, study.study_id).protocol.backends == ()


def test_a_simulator_that_is_named_for_no_task_or_too_late_is_a_concern(kit: SimpleNamespace) -> None:
    study = create_study(kit.store, "S", tasks=kit.tasks, paradigms=("active", "multi_view"))
    named = revise(kit.store, study.study_id, protocol={"backends": ["vantage=toy", "rows=omnigibson"]})
    says = [one.says for one in concerns(kit.store, named) if one.about == "simulators"]
    assert says == ["A simulator is named for rows, and the study has no tasks of it to simulate."]
    view = LocalClient(create()).load("s", Scene(camera=Camera(64, 48), room=Room()), Pose((0.0, 0.0, 1.0)))
    rendered = [Rendered(view.observation.frames[-1], view.observation.camera)]
    frames = FrameStore(kit.store.home.frames)
    keep(kit.store, frames, kit.tasks[0], "random_walk", rendered, fingerprint='{"backend": "mujoco 4.0"}')
    (late,) = [one for one in concerns(kit.store, named) if one.about == "simulators" and one.stops]
    assert late.stops == "people"
    assert late.says.startswith("Pictures of 1 task were rendered by mujoco and stay as they are, and the study names toy for them")
