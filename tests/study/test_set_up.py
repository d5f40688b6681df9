"""Setting a study up: places that can exist, what it lacks, its ethics record, its versions and their differences, copies, locked plans."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError
from sqlite_utils.utils import sqlite3

from data.store import Store
from data.task import Task
from study import participants, plans
from study.admission import archive, move_study, publish_study, studies
from study.errors import BadTransition, StudyError, WrongParadigm
from study.ethics import EthicsRecord, missing
from study.fits import fits, nowhere
from study.paradigms import PARADIGMS, paradigm
from study.readiness import NotReady, concerns, look
from study.studies import create_study, get_study, list_studies, revise
from study.versions import clone, differences, versions
from tests.present import present

RECORD = EthicsRecord(
    basis="determination", decided_by="Board", number="26-1", decided_on="2026-03-02", minimum_age=18, retention="Ten years.",  # type: ignore[arg-type]
    risks="None.", withdrawal_until="Before publication.",
)  # fmt: skip
WHOLE: dict[str, Any] = {"ethics": RECORD, "consent": "We keep your answers.", "contact": "Ann", "debriefing": "What it was about."}
"""What people can be let in with."""


def _tasks(store: Store, make_task: Callable[..., Task], n: Any, **fields: Any) -> Any:
    made = [make_task(f"toy-{k:03}", **fields) for k in range(n)]
    for task in made:
        store.put_task(task)
    return tuple(task.content_hash for task in made)


@pytest.fixture
def picky() -> Iterator[Any]:
    """Single view shows ``toy-001`` alone."""
    why, way = "is not the first one", paradigm("single_view")
    before = way.unfit
    object.__setattr__(way, "unfit", lambda task: "" if task.task_id == "toy-001" else why)
    yield why
    object.__setattr__(way, "unfit", before)


def test_a_place_that_cannot_exist_is_not_made_and_it_is_named_with_the_reason(
    store: Store, make_task: Callable[..., Task], picky: Any
) -> None:
    tasks = _tasks(store, make_task, 3)
    study = create_study(store, "S", tasks=tasks, paradigms=("active", "single_view"), per_task=2)
    places = store.query("SELECT paradigm, task_hash, count(*) AS n FROM slots GROUP BY paradigm, task_hash")
    assert sorted((row["paradigm"], row["n"]) for row in places) == [("active", 2)] * 3 + [("single_view", 2)]
    active, single = fits(store, tasks, study.ways)
    assert (active.fit, active.unfit) == (tasks, ())
    assert [(task.task_id, task.why) for task in single.unfit] == [("toy-000", picky), ("toy-002", picky)]
    assert nowhere((active, single)) == () and [task.task_id for task in nowhere((single,))] == ["toy-000", "toy-002"]


def test_a_task_that_no_paradigm_shows_is_told_and_a_paradigm_that_shows_none_is_refused(
    store: Store, make_task: Callable[..., Task], picky: Any
) -> None:
    tasks = _tasks(store, make_task, 3)
    study = create_study(store, "S", tasks=tasks, paradigms=("single_view",), per_task=1)
    assert [concern.says for concern in concerns(store, study) if concern.about == "tasks"] == [
        f"toy-000 {picky}: it has no place in any paradigm of this study, so nobody meets it.",
        f"toy-002 {picky}: it has no place in any paradigm of this study, so nobody meets it.",
    ]
    with pytest.raises(WrongParadigm, match=r"toy-000 is not the first one \(and 1 others cannot either\), so the paradigm single_view"):
        create_study(store, "T", tasks=(tasks[0], tasks[2]), paradigms=("active", "single_view"))


def test_a_study_without_enough_tasks_for_its_rule_is_told_and_not_published(store: Store, make_task: Callable[..., Task]) -> None:
    tasks = _tasks(store, make_task, 3)
    study = create_study(store, "S", tasks=tasks, trials=5, min_categories=6, **WHOLE)
    says = [concern.says for concern in concerns(store, study)]
    assert says[0] == "Everybody is to meet 6 categories, and its tasks are of 1: add tasks, or ask for fewer."
    assert says[1] == "Everybody is to meet 6 categories in 5 tasks: give more tasks each, or ask for fewer."
    assert says[2].startswith("Everybody is to do 5 tasks, and one person can meet 3 ")
    with pytest.raises(NotReady, match=r"S is not ready, so it cannot be published\. Everybody is to meet 6"):
        publish_study(store, study.study_id, actor="a")
    assert get_study(store, study.study_id).version == 0
    revise(store, study.study_id, min_categories=1, trials=3)
    assert publish_study(store, study.study_id, actor="a").version == 1


def test_a_task_and_its_twin_count_once(store: Store, make_task: Callable[..., Task]) -> None:
    pair = [make_task("one", twin="two"), make_task("two", twin="one"), make_task("three")]
    for task in pair:
        store.put_task(task)
    study = create_study(store, "S", tasks=tuple(task.content_hash for task in pair), trials=3)
    assert look(store, study).groups == 2


@pytest.mark.parametrize("event", ["pilot", "open"])
def test_people_come_in_only_with_an_ethics_record_and_a_consent_text(store: Store, make_task: Callable[..., Task], event: str) -> None:
    study = create_study(store, "S", tasks=_tasks(store, make_task, 1), ethics=EthicsRecord(basis="approval", decided_by="Board"))
    with pytest.raises(NotReady, match=r"people cannot be let in\. Its ethics record does not say the number of the decision, .* and"):
        move_study(store, study.study_id, event, actor="a")
    for field, says in (("consent", "It has no consent text"), ("contact", "whom its people may ask"), ("debriefing", "no debriefing")):
        revise(store, study.study_id, **WHOLE | {field: " "})
        with pytest.raises(NotReady, match=says):
            move_study(store, study.study_id, event, actor="a")
    assert get_study(store, study.study_id).state == "draft"
    revise(store, study.study_id, **WHOLE)
    assert move_study(store, study.study_id, event, actor="a") in ("pilot", "live")


def test_each_empty_line_of_an_ethics_record_is_named() -> None:
    assert len(missing(None)) == len(EthicsRecord.model_fields) and missing(RECORD) == ()
    for field in EthicsRecord.model_fields:
        empty = RECORD.model_copy(update={field: EthicsRecord().model_dump()[field]})
        assert len(missing(empty)) == 1
    assert missing(EthicsRecord(basis="demonstration")) == ()
    with pytest.raises(ValidationError):
        EthicsRecord(basis="whatever")  # type: ignore[arg-type]


def test_an_open_study_publishes_no_version_that_people_could_not_come_into(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(store, "S", tasks=_tasks(store, make_task, 1), **WHOLE)
    move_study(store, study.study_id, "open", actor="a")
    revise(store, study.study_id, ethics=None)
    with pytest.raises(NotReady, match="ethics record"):
        publish_study(store, study.study_id, actor="a")
    revise(store, study.study_id, ethics=RECORD, thanks="Bye.")
    assert publish_study(store, study.study_id, actor="a").version == 2


def test_versions_say_field_by_field_what_differs(store: Store, make_task: Callable[..., Task]) -> None:
    tasks = _tasks(store, make_task, 3)
    study = create_study(store, "S", state="live", tasks=tasks[:2], trials=1, **WHOLE | {"ethics": None})
    changed = study.model_dump(mode="json") | {"tasks": tasks[1:], "trials": 2, "ethics": RECORD.model_dump(mode="json")}
    revise(store, study.study_id, **{name: changed[name] for name in ("tasks", "trials", "ethics")}, protocol={"budget": 12})
    participants.add_participant(store, study.study_id)
    publish_study(store, study.study_id, actor="ann", note="shorter")
    found = {
        one.field: (one.before, one.after) for one in differences(get_study(store, study.study_id, 1), get_study(store, study.study_id, 2))
    }
    assert found["trials"] == ("1", "2") and found["protocol.budget"] == ("", "12") and found["tasks"] == ("2", "2: 1 new, 1 gone")
    assert found["ethics.number"] == ("", "26-1") and "thanks" not in found and "version" not in found
    one, two = versions(store, study.study_id)
    assert (one.people, two.people, two.actor, two.note) == (1, 0, "ann", "shorter") and one.sha256 != two.sha256


def test_a_copy_is_a_draft_with_the_same_settings_and_an_ethics_record_of_its_own(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(
        store,
        "S",
        state="live",
        tasks=_tasks(store, make_task, 2),
        trials=2,
        ethics=RECORD,
        recruitment={"external_study": "65f"},
        returns={"done": {"code": "DONE1", "link": "https://app.prolific.com/x?cc={code}", "how": "redirect"}},
    )
    copy = clone(store, study.study_id, "S, again", actor="a")
    assert (copy.name, copy.state, copy.version, copy.tasks, copy.trials) == ("S, again", "draft", 0, study.tasks, 2)
    assert (
        missing(copy.ethics) == ("the number of the decision", "the day of the decision") and present(copy.recruitment).external_study == ""
    )
    assert not copy.returns.given and study.returns.given
    with pytest.raises(StudyError, match="Another study is called"):
        clone(store, study.study_id, "s, Again", actor="a")
    assert store.query("SELECT * FROM participants WHERE study_id = ?", [copy.study_id]) == []


def test_a_study_is_put_away_when_nobody_comes_in_and_taken_back(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(store, "S", state="live", tasks=_tasks(store, make_task, 1), **WHOLE)
    with pytest.raises(BadTransition, match="close it first"):
        archive(store, study.study_id, actor="a")
    move_study(store, study.study_id, "close", actor="a")
    archive(store, study.study_id, actor="a")
    assert list_studies(store) == [] and studies(store) == [] and len(studies(store, archived=True)) == 1
    with pytest.raises(BadTransition, match="take it back first"):
        move_study(store, study.study_id, "open", actor="a")
    archive(store, study.study_id, actor="a", back=True)
    assert move_study(store, study.study_id, "open", actor="a") == "live"
    draft = create_study(store, "D", tasks=study.tasks)
    archive(store, draft.study_id, actor="a")
    assert get_study(store, draft.study_id).state == "closed"


def test_a_plan_is_locked_by_its_hash_and_a_changed_one_stands_beside_it(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(store, "S", tasks=_tasks(store, make_task, 1), **WHOLE)
    text = b"Leave out who withdrew.\r\n"
    first = plans.lock_plan(store, study.study_id, text, name="plan.md", actor="a")
    assert first.sha256 == hashlib.sha256(text).hexdigest() and first.beforehand
    assert plans.lock_plan(store, study.study_id, text, actor="b") == first
    move_study(store, study.study_id, "open", actor="a")
    second = plans.lock_plan(store, study.study_id, b"\x89PDF\x00\xff\xfe\x01", name="plan.pdf", actor="a")
    assert (second.n, second.text, second.beforehand) == (2, "", False)
    assert [plan.n for plan in plans.plans(store, study.study_id)] == [1, 2]
    with pytest.raises(plans.BadPlan, match="is empty"):
        plans.lock_plan(store, study.study_id, b" \n", actor="a")
    for statement in ("UPDATE plan_locks SET text = ''", "DELETE FROM plan_locks"):
        with pytest.raises(sqlite3.IntegrityError, match="stays as it was"), store.atomic() as db:
            db.execute(statement)


def test_a_paradigm_that_shows_another_persons_way_needs_the_paradigm_of_that_person(store: Store, make_task: Callable[..., Task]) -> None:
    ways = [way for way in PARADIGMS if way.partner]
    assert ways
    tasks = _tasks(store, make_task, 1)
    for way in ways:
        with pytest.raises(WrongParadigm, match=f"saw in the paradigm {way.partner}"):
            create_study(store, "S", tasks=tasks, paradigms=(way.name,))
        # in a study that is being edited it is a concern, which stops publishing
        study = create_study(store, "S", tasks=tasks, paradigms=(way.partner,))
        alone = study.model_copy(update={"paradigms": (way.name,)})
        assert [c.stops for c in concerns(store, alone) if f"saw in {paradigm(way.partner).called}" in c.says] == ["publishing"]
        both = create_study(store, "S", tasks=tasks, paradigms=(way.partner, way.name))
        assert not [c for c in concerns(store, both) if f"saw in {paradigm(way.partner).called}" in c.says]


def _says(store: Store, study: Any) -> list[tuple[str, str, str]]:
    return [(one.about, one.stops, one.says) for one in concerns(store, study)]


def test_a_study_without_a_name_or_tasks_is_not_published(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(store, " ", **WHOLE | {"ethics": RECORD})
    assert [(about, stops) for about, stops, _ in _says(store, study)] == [("name", "publishing"), ("tasks", "publishing")]
    with pytest.raises(NotReady, match=r"This study is not ready, .* It has no name"):
        publish_study(store, study.study_id, actor="a")


def test_another_consent_text_needs_another_version_of_its_own(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(store, "S", tasks=_tasks(store, make_task, 1), trials=1, **WHOLE)
    assert "texts" not in [about for about, _, _ in _says(store, study)]
    move_study(store, study.study_id, "open", actor="a")
    for text, version, says in (("Other.", "1", "than in version 1"), ("Other.", " ", "has no version")):
        revise(store, study.study_id, consent=text, consent_version=version)
        with pytest.raises(NotReady, match=says):
            publish_study(store, study.study_id, actor="a")
    revise(store, study.study_id, consent="Other.", consent_version="2")
    assert publish_study(store, study.study_id, actor="a").version == 2
    # the version of a text two publications ago is taken too
    revise(store, study.study_id, consent="A third.", consent_version="1")
    with pytest.raises(NotReady, match="than in version 1"):
        publish_study(store, study.study_id, actor="a")


def test_a_platforms_id_is_one_open_studys_and_codes_are_told_apart(store: Store, make_task: Callable[..., Task]) -> None:
    tasks = _tasks(store, make_task, 1)
    fields = {"tasks": tasks, "trials": 1, **WHOLE, "returns": {"done": {"code": "DONE1"}}}
    empty = create_study(store, "Empty", **fields | {"recruitment": {}})
    assert [stops for about, stops, says in _says(store, empty) if "is not filled in" in says] == ["people"]
    one, two = (create_study(store, name, **fields | {"recruitment": {"external_study": "65f"}}) for name in ("One", "Two"))
    assert [stops for _, stops, says in _says(store, two) if "same id" in says] == [""]
    assert [says for _, stops, says in _says(store, two) if "DONE1" in says and not stops]
    move_study(store, one.study_id, "open", actor="a")
    with pytest.raises(NotReady, match=r"Another study here \(live\) has the same id of the platform") as refused:
        move_study(store, two.study_id, "open", actor="a")
    assert "One" not in str(refused.value)
    move_study(store, one.study_id, "close", actor="a")
    assert move_study(store, two.study_id, "open", actor="a") == "live"


def test_who_declined_is_not_counted_as_finished(store: Store, make_task: Callable[..., Task]) -> None:
    study = create_study(store, "S", state="live", tasks=_tasks(store, make_task, 1), **WHOLE)
    person = participants.add_participant(store, study.study_id)
    participants.decide(store, person, "decline")
    assert [(line.participants, line.finished) for line in studies(store)] == [(1, 0)]
