"""What a participant meets beside tasks: questionnaires."""

from __future__ import annotations

from typing import Any

from app.components import questionnaire
from app.pages.parts import begin
from app.services import Services
from study.forms import answers
from study.place import Place
from study.stations.forms import occasion
from study.studies import Study
from study.wording import say


def stopping(study: Study) -> dict[str, Any]:
    """What the study says to whoever is about to stop."""
    return {"payment": study.stopping, "hold_minutes": study.hold_minutes, "contact": study.contact}


def ask(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """One questionnaire."""
    form = next(form for form in study.every_form if form.name == where.part)
    begin(form.title, bare=True)
    showing = answers.show(services.store, participant_id, form, occasion(where.done, form.when))
    questionnaire(showing.showing_id, title=study.name, next_label=say("form.continue"), key="form", stop=stopping(study))
