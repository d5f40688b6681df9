"""`vantage study materials` writes what a paper says of a study: all of its settings, and nothing that must stay."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli import main
from app.commands import screen_visits, screens
from data.frames import FrameStore
from data.home import Home
from data.store import Store
from study import materials, participants
from study.breaks import Breaks
from study.citations import uncited
from study.episode import EpisodeEngine
from study.errors import ExportRefused
from study.ethics import EthicsRecord
from study.forms.form import Form, Item
from study.paying import Pay
from study.plans import lock_plan
from study.protocol import Protocol
from study.returning import Return, Returns
from study.studies import Recruitment, Study, create_study
from study.tutorial.settings import Tutorial

FORM = Form(
    name="spatial",
    when="before",
    title="Finding one's way",
    licence="Own items, CC0",
    items=(
        Item(name="way", text="I find my way easily.", kind="scale", points=7, low="not at all", high="very much"),
        Item(name="read", text="Choose | blue.", kind="choice", options=("red", "blue"), passes=("blue",)),
        Item(name="years", text="How old are you?", kind="number", least=18, most=99, unit="years"),
    ),
)


@pytest.fixture
def made(tmp_path: Path, make_task: Any) -> tuple[Store, Study]:
    store = Store.open(Home.from_env(tmp_path / "vantage.db").prepare())
    task = make_task("rooms-1")
    store.put_task(task)
    study = create_study(
        store,
        "Rooms",
        tasks=(task.content_hash,),
        consent="All is kept.\n\nYou can stop.",
        consent_version="7",
        debriefing="It was about looking.",
        contact="Dr. A, a@example.org",
        protocol=Protocol(history="last5", small_window="refused", window_width=900),
        ethics=EthicsRecord(basis="approval", decided_by="Board of X", number="12/34", minimum_age=18),
        pay=Pay(currency="EUR", per_session="7.50", minimum_per_hour="13.90"),  # type: ignore[arg-type]
        returns=Returns(done=Return(code="SECRETCODE", link="https://app.prolific.com/x?cc={code}")),
        recruitment=Recruitment(external_study="platform-study-99"),
        forms=(FORM,),
    )
    return store, study


def test_one_folder_says_all_of_a_study_and_keeps_what_must_stay(made: tuple[Store, Study], tmp_path: Path) -> None:
    store, study = made
    lock_plan(store, study.study_id, b"Exclude nobody.", actor="owner")
    store.close()
    command = ["study", "materials", study.study_id, str(tmp_path / "out"), "--db", str(store.home.db), "--no-screenshots"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    texts = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()}
    assert set(texts) == {materials.INDEX, *(part.name for part in materials.PARTS)}
    assert all(f"({name})" in texts[materials.INDEX] for name in texts if name != materials.INDEX)
    for name, wanted in {
        "instructions.md": "> It was about looking.",
        "consent.md": "> All is kept.\n>\n> You can stop.",
        "questionnaires.md": "| 2 | Choose \\| blue. | red / blue | blue |",
        "compensation.md": "7.50 EUR for a finished session",
        "ethics.md": "Board of X",
        "protocol.md": "| `history` | last5 |",
        "tasks.md": "| rooms-1 |",
        "words.md": "| consent.agree | I have read this, and I want to take part. |",
    }.items():
        assert wanted in texts[name], name
    assert "Not said: " in texts["ethics.md"] and "locked" in texts[materials.INDEX]
    whole = "\n".join(texts.values())
    for secret in ("SECRETCODE", "platform-study-99", "prolific.com/x"):
        assert secret not in whole
    assert "gold" not in texts["tasks.md"].lower()


def test_every_setting_is_there_with_its_meaning(made: tuple[Store, Study], tmp_path: Path) -> None:
    store, study = made
    text = (materials.write(store, study.study_id, tmp_path / "out") / "protocol.md").read_text(encoding="utf-8")
    for model in (study, study.protocol):
        fields: dict[str, Any] = type(model).model_fields
        named = [name for name in fields if not (model is study and name in materials.ELSEWHERE)]
        assert [name for name in named if f"| `{name}` |" not in text] == []
        for name in named:
            if fields[name].description:
                assert uncited(" ".join(fields[name].description.split())).replace("|", "\\|") in text, name
    assert "(measurement" not in text


def test_a_folder_that_holds_something_else_is_left_alone(made: tuple[Store, Study], tmp_path: Path) -> None:
    store, study = made
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ExportRefused, match="holds something that is no folder of materials"):
        materials.write(store, study.study_id, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    for _ in range(2):
        materials.write(store, study.study_id, tmp_path / "again")
    assert (tmp_path / "again" / "README.md").is_file()


def test_screenshots_are_told_of_in_the_index(made: tuple[Store, Study], tmp_path: Path) -> None:
    store, study = made

    def taken(folder: Path) -> str:
        folder.mkdir()
        (folder / "01.png").write_bytes(b"x")
        return "One screenshot: [screenshots/01.png](screenshots/01.png)."

    out = materials.write(store, study.study_id, tmp_path / "out", pictures=taken)
    assert "One screenshot" in (out / "README.md").read_text() and (out / "screenshots" / "01.png").is_file()
    assert materials.NO_PICTURES in (materials.write(store, study.study_id, tmp_path / "none") / "README.md").read_text()


@pytest.mark.parametrize(
    ("package", "chromium", "said"),
    [(None, "/usr/bin/chromium", "the Python package playwright"), (object(), "", "there is no Chromium here")],
)
def test_where_no_screenshot_can_be_taken_the_index_says_what_is_missing(
    made: tuple[Store, Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: object, chromium: str, said: str
) -> None:
    store, study = made
    monkeypatch.setattr(screens, "find_spec", lambda name: package)
    monkeypatch.setattr(screens, "_chromium", lambda: chromium)
    out = materials.write(store, study.study_id, tmp_path / "out", pictures=lambda folder: screens.take(store, study, folder, "toy"))
    assert said in (out / "README.md").read_text() and not (out / "screenshots").exists()


def test_each_paradigm_and_a_break_are_pictured_and_what_cannot_be_is_named(tmp_path: Path, make_task: Any, pool: Any) -> None:
    store = Store.open(Home.from_env(tmp_path / "vantage.db").prepare())
    tasks = [make_task(f"rooms-{n}") for n in range(2)]
    for task in tasks:
        store.put_task(task)
    study = create_study(
        store,
        "Rooms",
        tasks=tuple(task.content_hash for task in tasks),
        trials=2,
        paradigms=("active", "single_view", "multi_view"),
        tutorial=Tutorial(),
        breaks=Breaks(every_minutes=20, text="Rest."),
        returns=Returns(done=Return(code="SECRETCODE")),
    )
    with closing(Store.open(Home.from_env(tmp_path / "copy.db").prepare())) as copy:
        shown = {name: getattr(study, name) for name in screens.COPIED if name != "checks"}
        found, lacking = screen_visits.visits(store, study, copy, shown)
        names = [visit.name for visit in found]
        assert names == ["example-active", "task-active", "example-single_view", "task-single_view", "break"]
        assert len(lacking) == 2 and all("multi_view" in one and "not rendered yet" in one for one in lacking)
        engine = EpisodeEngine(copy, FrameStore(copy.home.frames), pool, wait_s=0.0)
        stages = []
        for visit in found:
            screen_visits.arrive(copy, visit)
            person = copy.query("SELECT participant_id FROM participants ORDER BY rowid DESC LIMIT 1")[0]["participant_id"]
            stages.append(participants.place(copy, engine, person).stage)
            assert "SECRETCODE" not in visit.study.model_dump_json()
        assert stages == ["practice", "task", "practice", "task", "break"]


def test_the_copy_for_screenshots_holds_no_code_and_every_questionnaire_is_met_in_it(made: tuple[Store, Study], tmp_path: Path) -> None:
    store, study = made
    with closing(Store.open(Home.from_env(tmp_path / "copy.db").prepare())) as copy:
        shown = screens._copy(store, study, copy)
        assert "SECRETCODE" not in shown.model_dump_json() and shown.recruitment is None
        assert [form.when for form in shown.forms] == ["before"] * len(study.forms) and shown.consent == study.consent
    for item in FORM.items:
        assert item.of.read(item, screens._passing(item)) is not None
        assert not item.judged or item.of.passes(item, screens._passing(item))
