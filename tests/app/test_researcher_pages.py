"""The researcher's pages as Streamlit runs them: pages of the list, the search, and an episode by its link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.commands.export import command
from app.pages import job_panel, researcher_episode
from data.frames import FrameStore
from data.task import Gold, Provenance, Question, Task
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.local import LocalClient
from sim_bridge.pool import Pool
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access, frozen, walking
from study.access import EVERY_STUDY
from study.episode import EpisodeEngine
from study.exports import FORMATS
from study.overview import outcomes
from study.protocol import Protocol
from study.simulators import fingerprint_of
from study.studies import create_study
from tests.homes import fresh_store


def draw(page: str, grant: object) -> None:
    """The script of a page, as the navigation calls it."""
    from app.pages import researcher, researcher_episode, researcher_export

    if page == "list":
        researcher.overview(grant, several=False)  # type: ignore[arg-type]
    elif page == "export":
        researcher_export.export(grant)  # type: ignore[arg-type]
    else:
        researcher_episode.episode(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A study with 120 episodes, and its researcher."""
    store = fresh_store(tmp_path)
    question = Question(text="Which is larger?", form="choice", options=("the mug", "the bowl"))
    task = Task(
        task_id="toy-1", category="Metric Comparison", subcategory="Dimensional Size", question=question,
        gold=Gold(accepted=("the bowl",), chance=0.5), scene=Scene(camera=Camera(64, 48), room=Room()), start=Pose((0.0, 0.0, 1.0)),
        provenance=Provenance(dataset="vantage"),
    )  # fmt: skip
    store.put_task(task)
    study = create_study(store, "Many", state="live", tasks=(task.content_hash,))
    cookie, grant = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    engine = EpisodeEngine(store, None, Pool(workers=0))  # type: ignore[arg-type]
    made = [engine.create(task.content_hash, study_id=study.study_id, agent_kind="model", agent_name=f"model {n:03d}") for n in range(120)]
    with store.atomic() as db:
        for n, episode in enumerate(made):
            db.execute(
                "UPDATE episodes SET created_at = ? WHERE episode_id = ?", [f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}.000Z", episode]
            )
    elsewhere = engine.create(task.content_hash, agent_kind="script")
    services.install(SimpleNamespace(store=store, engine=engine, home=store.home))  # type: ignore[arg-type]
    monkeypatch.setattr(identity, "page_cookie", lambda: cookie)

    def open_page(page: str, **address: str) -> AppTest:
        test = AppTest.from_function(draw, kwargs={"page": page, "grant": grant}, default_timeout=30)
        for name, value in address.items():
            test.query_params[name] = value
        return test.run()

    yield SimpleNamespace(store=store, task=task, study=study, engine=engine, made=made, elsewhere=elsewhere, open=open_page)
    services.install(None)
    store.close()


def shown(test: AppTest) -> list[str]:
    assert not test.exception, test.exception
    return list(test.dataframe[0].value["Who"])


def address(test: AppTest) -> str:
    """The episode that the address names (before the first change it is as the test gave it, afterwards a list)."""
    value = test.query_params["episode"]
    return value if isinstance(value, str) else value[0]


def test_the_list_has_pages(kit: SimpleNamespace) -> None:
    test = kit.open("list")
    assert shown(test) == [f"model {n:03d}" for n in range(119, 69, -1)]
    buttons = {button.label: button for button in test.button}
    assert buttons["Newer"].disabled and not buttons["Older"].disabled
    buttons["Older"].click().run()
    assert shown(test) == [f"model {n:03d}" for n in range(69, 19, -1)]


def test_the_list_tells_when_an_episode_was_first_shown_not_when_it_was_made_ready(kit: SimpleNamespace) -> None:
    with kit.store.atomic() as db:
        db.execute("UPDATE episodes SET started_at = '2026-01-02T08:00:00.000Z' WHERE episode_id = ?", [kit.made[-1]])
    started = kit.open("list").dataframe[0].value["Started"]
    assert (started[0].day, started[0].hour, started.isna().sum()) == (2, 8, len(started) - 1)


def test_an_export_begins_with_the_choices_of_the_command(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    with kit.store.atomic() as db:
        db.execute("UPDATE episodes SET last_seq = 0")
    asked: list[list[str]] = []
    monkeypatch.setattr(job_panel, "start", lambda store, kind, argv, owner: asked.append(argv))

    def params(argv: list[str]) -> dict[str, object]:
        told = command.make_context("export", argv).params
        return told | {"forms": told["forms"] or tuple(form.name for form in FORMATS if form.by_default)}

    test = kit.open("export")
    assert not any("\\`" in caption.value for caption in test.caption)
    next(button for button in test.button if button.label == "Make an export").click().run()
    given = params(asked[0][1:])
    usual = params(["--out", str(given["out"]), "--zip", "--study", kit.study.study_id])
    assert given == usual and not given["unfinished"]
    test.checkbox(key="export-results").check().run()
    next(button for button in test.button if button.label == "Make an export").click().run()
    assert params(asked[1][1:])["unfinished"]


def test_a_search_begins_on_the_first_page(kit: SimpleNamespace) -> None:
    test = kit.open("list")
    next(button for button in test.button if button.label == "Older").click().run()
    test.text_input[1].set_value("model 00").run()
    assert shown(test) == [f"model {n:03d}" for n in range(9, -1, -1)]
    test.text_input[0].set_value("no such task").run()
    assert [info.value for info in test.info if "No episode fits" in info.value] and not test.dataframe


def test_an_old_episode_opens_by_its_link_and_the_address_stays(kit: SimpleNamespace) -> None:
    test = kit.open("episode", episode=kit.made[0])
    assert not test.exception, test.exception
    assert test.selectbox[0].value == kit.made[0]
    assert address(test) == kit.made[0]
    test.selectbox[0].select(kit.made[119]).run()
    assert test.selectbox[0].value == kit.made[119] and address(test) == kit.made[119]


@pytest.mark.parametrize("which", ["elsewhere", "nothing"])
def test_a_link_to_no_episode_of_the_study_says_so_and_opens_no_other(kit: SimpleNamespace, which: str) -> None:
    test = kit.open("episode", episode=kit.elsewhere if which == "elsewhere" else "ep_nothing")
    assert not test.exception, test.exception
    assert "There is no episode" in test.error[0].value and test.selectbox[0].value is None
    assert not test.header
    test.selectbox[0].select(kit.made[100]).run()
    assert address(test) == kit.made[100] and test.header[0].value == "Which is larger?"


def test_a_selection_is_of_the_list_that_was_drawn(kit: SimpleNamespace) -> None:
    """A newer episode pushes the rows down: the list is then another element, and what was chosen stays chosen."""
    test = kit.open("list")
    before = test.dataframe[0].proto.id
    test.session_state["episode"] = kit.made[119]
    kit.engine.create(kit.task.content_hash, study_id=kit.study.study_id, agent_kind="model", agent_name="model 120")
    test.run()
    assert shown(test)[:2] == ["model 120", "model 119"] and test.dataframe[0].proto.id != before
    assert test.session_state["episode"] == kit.made[119]
    same = test.dataframe[0].proto.id
    test.run()
    assert test.dataframe[0].proto.id == same


def test_the_box_for_a_model_stays_open(kit: SimpleNamespace) -> None:
    test = kit.open("list")
    test.session_state["let-a-model-in"] = True
    test.run()
    next(button for button in test.button if button.label == "Make a key").click().run()
    assert [error.value for error in test.error] == ["Give the model a name first."]
    assert test.session_state["let-a-model-in"] is True
    assert next(box for box in test.expander if box.label == "Let a model agent in").proto.expanded


def test_an_episode_tells_its_options_in_the_order_shown_and_the_gold_before_an_answer(kit: SimpleNamespace) -> None:
    rows = kit.store.query("SELECT episode_id, option_order FROM episodes WHERE study_id = ?", [kit.study.study_id])
    one_of_each = {row["option_order"]: row["episode_id"] for row in rows}
    told = set()
    for episode in one_of_each.values():
        test = kit.open("episode", episode=episode)
        assert any("gold **the bowl**" in line.value for line in test.markdown)
        told.add(next(line.value for line in test.caption if line.value.startswith("Options as shown: ")))
    assert len(one_of_each) == 2
    assert told == {"Options as shown: the mug · the bowl", "Options as shown: the bowl · the mug"}


def test_the_list_tells_how_often_answers_are_right(kit: SimpleNamespace) -> None:
    def answered(episode: str, right: bool, seconds: int) -> None:
        with kit.store.atomic() as db:
            times = "started_at = '2026-01-01T00:00:00.000Z', finished_at = ?"
            db.execute(
                f"UPDATE episodes SET state = 'completed', {times} WHERE episode_id = ?", [f"2026-01-01T00:00:{seconds}.000Z", episode]
            )
            db.execute(
                "INSERT INTO scores (episode_id, task_hash, scorer, answered, correct_strict, correct_lenient, chance, computed_at) "
                "VALUES (?, ?, 'test', 1, ?, ?, 0.5, '2026-01-01T00:00:00.000Z')",
                [episode, kit.task.content_hash, right, right],
            )

    for episode, right, seconds in zip(kit.made, (True, True, False, True), (10, 20, 30, 50), strict=False):
        answered(episode, right, seconds)
    only, = outcomes(kit.store, kit.study.study_id)  # fmt: skip
    assert (only.agent_kind, only.answered, only.right, only.chance, only.median_s) == ("model", 4, 0.75, 0.5, pytest.approx(25))  # type: ignore[comparison-overlap]
    assert outcomes(kit.store, EVERY_STUDY) == [only]


def test_an_episode_without_actions_tells_what_was_shown(kit: SimpleNamespace) -> None:
    client, frames = LocalClient(ToyBackend()), FrameStore(kit.store.home.frames)
    views = walking.render(client, "scout", kit.task)
    frozen.keep(kit.store, frames, kit.task.content_hash, "random_walk", views, fingerprint=fingerprint_of(client.hello))
    for way, told in (("multi_view", "30 pictures"), ("question_only", "without a picture")):
        episode = kit.engine.create(kit.task.content_hash, study_id=kit.study.study_id, protocol=Protocol(paradigm=way))
        kit.engine.open(episode)
        test = kit.open("episode", episode=episode)
        assert not test.exception, test.exception
        assert any(told in line.value for line in (*test.markdown, *test.info))
        assert not any("actions" in line.value for line in test.markdown)


def test_a_step_is_told_with_the_second_sentence_that_its_person_read() -> None:
    step = {"seq": 3, "action": "put(object_1,inside,object_2)", "ok": True, "reason": "", "clipped": False, "unseen": True}
    told = researcher_episode._step(step, (None, None), None)["text"]
    assert told == "Put object 1 inside object 2. It is in there, not in plain sight: look in from higher up."
    assert "plain sight" not in researcher_episode._step(step | {"unseen": False}, (None, None), None)["text"]
