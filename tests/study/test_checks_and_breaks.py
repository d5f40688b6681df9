"""Checks of screen and eyes, breaks between tasks, and how far somebody is."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.store import Store, now
from data.task import Task
from sim_bridge.spec import Scene
from study import breaks, participants
from study.breaks import Breaks
from study.checks import pictures
from study.checks.settings import Checks, names_colours
from study.episode import EpisodeEngine
from study.forms import answers, sending
from study.forms.answers import Given
from study.forms.ready import ready
from study.studies import create_study, get_study

# Machado, Oliveira and Fernandes (2009), severity 1.0, in linear RGB
LACKING = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
MISSED_BY = {"plate_red": ["protan"], "plate_green": ["deutan"], "plate_both": ["protan", "deutan"], "plate_blue": ["tritan"]}


def _lab(rgb: Any, eyes: Any = None) -> Any:
    share = np.array(rgb) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    if eyes is not None:
        linear = np.clip(np.array(LACKING[eyes]) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("name", list(pictures.PLATES))
def test_a_plate_is_far_apart_for_full_colour_vision_and_close_where_cones_are_lacking(name: Any) -> None:
    _, figure, ground = pictures.PLATES[name]
    assert np.linalg.norm(_lab(figure) - _lab(ground)) > 45
    for eyes in MISSED_BY.get(name, ()):
        assert np.linalg.norm(_lab(figure, eyes) - _lab(ground, eyes)) < 14
    for eyes in set(LACKING) if name == "plate_all" else ():
        assert np.linalg.norm(_lab(figure, eyes) - _lab(ground, eyes)) > 30


@pytest.mark.parametrize("name", list(pictures.DRAWN))
def test_pictures_are_the_same_whenever_they_are_drawn_and_show_what_they_should(name: Any) -> None:
    image = Image.open(io.BytesIO(pictures.picture(name))).convert("RGB")
    assert np.array_equal(np.array(image), np.array(pictures.DRAWN[name]()))
    if name == "contrast":
        assert {int(grey) for grey in np.unique(np.array(image))} == {0, *pictures.GREYS.values()}


def _chosen(form: Any, **values: Any) -> Any:
    return {item.name: Given(value=values.get(item.name, item.of.right(item))) for item in form.items}


def test_contrast_passes_with_or_without_the_hardest_letters_and_never_with_absent_ones() -> None:
    (form,) = Checks(contrast="always").forms
    item = form.items[0]
    for extra, passed in (((), True), (pictures.HARD, True), (("C",), False)):
        assert answers.passes(item, Given(value=[*pictures.SURE, *extra])) is passed
    assert answers.passes(item, Given(value=["H", "T"])) is False
    assert item.none and answers.read(item, Given(value=[])).empty is False and answers.passes(item, Given(value=[])) is False


def test_one_plate_may_be_missed_and_two_may_not(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(
        store, "S", state="live", tasks=(task.content_hash,), trials=1, checks=Checks(colours="always", follows="screen_out")
    )
    (form,) = study.every_form
    for missed, stage in ((("plate_red",), "task"), (("plate_red", "plate_both"), "screened_out")):
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        assert participants.place(store, engine, person).part == "colour_vision"
        showing = answers.show(store, person, form, 0)
        sending.send(store, engine, showing.showing_id, _chosen(form, **dict.fromkeys(missed, "no digit")))
        assert participants.place(store, engine, person).stage == stage


def test_needed_is_decided_by_the_tasks_when_the_study_is_published(
    store: Store, make_task: Callable[..., Task], two_part_scene: Callable[..., Scene]
) -> None:
    plain = make_task()
    coloured = make_task("toy-red", question=plain.question.model_copy(update={"text": "Is the red cup larger?"}))
    assert names_colours(coloured) and not names_colours(plain)
    for task in (plain, coloured):
        store.put_task(task)
    wanted = Checks(contrast="needed", colours="needed")
    one = create_study(store, "A", state="live", tasks=(plain.content_hash,), trials=1, checks=wanted)
    other = create_study(store, "B", state="live", tasks=(coloured.content_hash,), trials=1, checks=wanted)
    assert [get_study(store, study.study_id).checks.colours for study in (one, other)] == ["never", "always"]
    assert get_study(store, other.study_id).checks.contrast == "never"


@pytest.fixture
def person_of(store: Store, make_task: Callable[..., Task]) -> Callable[..., Any]:
    def make(n: Any, **more: Any) -> Any:
        tasks = [make_task(f"toy-{k}", question=make_task().question.model_copy(update={"text": f"Which? {k}"})) for k in range(n)]
        for task in tasks:
            store.put_task(task)
        study = create_study(store, "S", state="live", tasks=tuple(t.content_hash for t in tasks), trials=n, **more)
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        return person

    return make


def _answer(engine: EpisodeEngine, where: Any) -> None:
    view = engine.open(where.episode_id)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)


def test_breaks_are_offered_between_tasks_and_kept_with_their_times(
    store: Store, engine: EpisodeEngine, person_of: Callable[..., Any]
) -> None:
    person = person_of(3, breaks=Breaks(every_tasks=1))
    met = []
    while (where := participants.place(store, engine, person)).stage != "thanks":
        met.append(where.stage)
        if where.stage == "break":
            for _ in range(2):  # a page that is drawn again begins no other break
                breaks.begin(store, person, where.done)
            assert participants.place(store, engine, person).stage == "break"
            breaks.end(store, person, where.done)
        else:
            _answer(engine, where)
    assert met == ["task", "break", "task", "break", "task"]
    kinds = [row["kind"] for row in store.query("SELECT kind FROM events WHERE kind LIKE 'break%' ORDER BY seq")]
    assert kinds == ["break_began", "break_ended"] * 2


def test_breaks_by_time_wait_for_the_end_of_a_task(store: Store, engine: EpisodeEngine, person_of: Callable[..., Any]) -> None:
    person = person_of(3, breaks=Breaks(every_minutes=20))
    _answer(engine, participants.place(store, engine, person))
    assert participants.place(store, engine, person).stage == "task"
    _answer(engine, participants.place(store, engine, person))
    early = now().replace("2026", "2025")
    with store.atomic() as db:
        db.execute("UPDATE episodes SET started_at = ?", [early])
    assert participants.place(store, engine, person).stage == "break"


def test_progress_counts_every_part_of_the_session(store: Store, engine: EpisodeEngine, person_of: Callable[..., Any]) -> None:
    forms = (ready("background"), ready("attention").model_copy(update={"every": 1}), ready("strategy"))
    person = person_of(2, forms=forms)
    assert participants.progress(store, engine, person) == (0, 5)
    far = []
    while (where := participants.place(store, engine, person)).stage != "thanks":
        if where.stage == "form":
            form = next(one for one in forms if one.name == where.part)
            showing = answers.show(store, person, form, where.done if form.moment.repeats else 0)
            drawn = {i.name: Given(value=i.of.right(i)) if i.judged else Given(declined=i.may_decline) for i in form.items}
            sending.send(store, engine, showing.showing_id, drawn)
        else:
            _answer(engine, where)
        far.append(participants.progress(store, engine, person))
    assert far == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
