"""The stations at which questionnaires are asked."""

from __future__ import annotations

from study.forms import answers
from study.forms.form import MOMENTS
from study.place import Here, Place, Station

_REPEATS = frozenset(moment.name for moment in MOMENTS if moment.repeats)


def at(moment: str) -> Station:
    """The station of a moment that comes once: its forms, one after the other."""

    def due(here: Here) -> Place | None:
        for form in here.study.every_form:
            if form.when == moment and answers.is_due(here.store, here.person.participant_id, form, 0):
                return here.at("form", part=form.name)
        return None

    return due


def between(here: Here) -> Place | None:
    """The forms that are asked after each so many tasks, before the next task is given."""
    if not 0 < here.done < here.total * here.study.sessions:
        return None
    asked = (form for form in here.study.every_form if form.when in _REPEATS and here.done % form.every == 0)
    for form in asked:
        if answers.is_due(here.store, here.person.participant_id, form, here.done):
            return here.at("form", part=form.name)
    return None


def occasion(here_done: int, when: str) -> int:
    """Tasks done that name the showing of a form: those between tasks are asked again and again."""
    return here_done if when in _REPEATS else 0
