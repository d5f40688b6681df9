"""A study's checks of screen and eyes, and the forms that they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from data.task import Task
from study.checks.pictures import ABSENT, GREYS, HARD, PLATES, SURE
from study.forms.form import Follows, Form, Item

Asked = Literal["never", "needed", "always"]
"""``needed``: where the study's tasks need it; it is decided when the study is published, and stands in its text from then on."""
DIM = ("dim", "night")
"""Lighting of scenes (`sim_bridge.spec.Scene.lighting`) in which little light matters."""
COLOURS = re.compile(r"\b(red|green|blue|yellow|orange|purple|violet|pink|brown|cyan|magenta|turquoise|colou?r(?:s|ed)?)\b", re.IGNORECASE)
"""Words of a question that name a colour."""
NO_DIGIT = "no digit"


class Checks(BaseModel):
    """Which checks come before the tasks. Each is a form of the moment ``check``; window and pixel ratio are recorded with every form and
    task that is opened. They screen for what the tasks need, and diagnose nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    contrast: Asked = "never"
    """Whether dark greys can be told from black on this screen: for tasks in dim light."""
    colours: Asked = "never"
    """Whether digits made of coloured dots are read: for tasks whose words or marks name colours."""
    follows: Follows = "go_on"
    """What follows for people who do not pass."""
    attempts: int = 2
    """How often each is asked of people who do not pass."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms of those that are asked."""
        asked = [*([_contrast(self)] if self.contrast != "never" else []), *([_colours(self)] if self.colours != "never" else [])]
        return tuple(asked)

    def decided(self, tasks: Iterable[Task]) -> Checks:
        """With what is needed decided by a study's tasks."""
        if "needed" not in (self.contrast, self.colours):
            return self
        dim = coloured = False
        for task in tasks:
            dim |= any(light in DIM for light in (task.scene.lighting, *(phase.lighting for phase in task.scene.phases)))
            coloured |= names_colours(task)
        decide = {"contrast": "always" if dim else "never", "colours": "always" if coloured else "never"}
        return self.model_copy(update={name: value for name, value in decide.items() if getattr(self, name) == "needed"})


def names_colours(task: Task) -> bool:
    """Whether a task's words name a colour, or marks on its pictures have one."""
    asked = task.question
    words = (asked.text, asked.note, *asked.options, *asked.targets, *(option for blank in asked.blanks for option in blank))
    return bool(task.shown.get("marks")) or any(COLOURS.search(text) for text in words)


def _contrast(checks: Checks) -> Form:
    return Form(
        name="screen_contrast",
        when="check",
        title="Your screen",
        text="Some rooms are dim. Please sit as you will during the tasks, with the brightness of the screen that you will use.",
        items=(
            Item(
                name="letters",
                text="Which of these letters can you see on the black stripe?",
                note="Some are hard to see, and some are not there.",
                kind="several",
                options=tuple(sorted((*GREYS, *ABSENT))),
                none="I see none",
                passes=SURE,
                either=HARD,
                explanation="Please make the screen brighter, or the room darker, and look again.",
                picture="contrast",
            ),
        ),
        attempts=checks.attempts,
        follows=checks.follows,
        licence="Drawn by Vantage. A screening of the screen as it stands, no measurement.",
    )


def _colours(checks: Checks) -> Form:
    digits = tuple(sorted({digit for digit, _, _ in PLATES.values()} | {"4", "7", "9"}))
    return Form(
        name="colour_vision",
        when="check",
        title="Colours",
        text="Some tasks name colours. Which digit do you see in each disc? Look as long as you like. "
        "Not every digit is seen by everybody.",
        items=tuple(
            Item(
                name=name,
                text=f"Disc {number} of {len(PLATES)}",
                kind="choice",
                options=(*digits, NO_DIGIT),
                passes=(digit,),
                picture=name,
            )
            for number, (name, (digit, _, _)) in enumerate(PLATES.items(), start=1)
        ),
        wrong_allowed=1,
        attempts=1,
        follows=checks.follows,
        licence="Drawn by Vantage, after the principle of pseudo-isochromatic plates. A screening on a screen that nobody has calibrated, "
        "no diagnosis.",
    )
