"""What a questionnaire is: items, the moment at which it is asked, and what follows from its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from study.forms.kinds import Kind, kind

NAME = r"^[a-z][a-z0-9_]{0,39}$"


@dataclass(frozen=True)
class Moment:
    """When a form is asked."""

    name: str
    meaning: str
    """A clause for the reference."""
    repeats: bool = False
    """Whether it is asked again and again between tasks (`Form.every`)."""
    judges: bool = False
    """Whether its answers must be judged: a form of this moment whose items say nothing of what passes is refused."""
    again: str = "form.again"
    """The key of what is said when it is asked again (`study.wording`)."""
    teaches: bool = False
    """Whether it is there to make something understood: asked again, what was right still stands."""
    screens: bool = False
    """Whether who does not pass is screened out, where the form says nothing else."""


MOMENTS: tuple[Moment, ...] = (
    Moment("eligibility", "before everything else, to find out who may take part", judges=True, screens=True),
    Moment("before", "before the tasks, after it is known who may take part"),
    Moment("check", "before the tasks: whether the screen and the eyes are fit for them", judges=True, again="form.again_look"),
    Moment("comprehension", "after the worked examples, before the first task", judges=True, again="form.again_right", teaches=True),
    Moment("between", "between tasks", repeats=True),
    Moment("attention", "between tasks, with a right answer that whoever reads it gives", repeats=True, judges=True),
    Moment("after", "after the last task"),
)
"""When a form can be asked, in the order in which a participant meets them."""
_MOMENTS = {moment.name: moment for moment in MOMENTS}

Follows = Literal["go_on", "warn", "screen_out"]
"""What follows for people who do not pass. ``go_on``: it is kept, and they notice nothing; ``warn``: they are told, and may go on;
``screen_out``: their part ends here."""


class Item(BaseModel):
    """One question of a form."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str = Field(pattern=NAME)
    """In the export; once in its form."""
    text: str = Field(min_length=1, max_length=2000)
    """The question, or the statement that is rated."""
    note: str = Field(default="", max_length=2000)
    """A smaller line below it."""
    kind: str
    """How it is asked: the name of one of `study.forms.kinds.KINDS`."""
    options: tuple[str, ...] = Field(default=(), max_length=60)
    """choice, several: what can be chosen."""
    none: str = Field(default="", max_length=100)
    """several: words of a last choice, that none of the options holds; empty: leaving all of them open says it."""
    points: int = Field(default=7, ge=2, le=11)
    """scale: how many points it has."""
    low: str = Field(default="", max_length=100)
    """scale: what its point 1 means."""
    high: str = Field(default="", max_length=100)
    """scale: what its last point means."""
    unit: str = Field(default="", max_length=40)
    """number: stands behind it, such as ``years``."""
    least: float | None = None
    """number: the smallest that is taken."""
    most: float | None = None
    """number: the largest that is taken."""
    whole: bool = True
    """number: whether it must be a whole one."""
    lines: int = Field(default=1, ge=1, le=12)
    """text: how many lines the field shows."""
    required: bool = True
    """Whether the form can be sent only with an answer to it (declining is one)."""
    may_decline: bool = False
    """Whether “I prefer not to say” can be chosen."""
    passes: tuple[str, ...] = ()
    """choice, text: the answers that pass, any of them; several: exactly these. Never sent to a browser."""
    either: tuple[str, ...] = ()
    """several: options that may be ticked or not; neither decides whether the answer passes."""
    passes_from: float | None = None
    """scale, number: the smallest answer that passes. Never sent to a browser."""
    passes_to: float | None = None
    """scale, number: the largest answer that passes. Never sent to a browser."""
    explanation: str = Field(default="", max_length=2000)
    """What is said to people who did not pass this item, when the form is asked again."""
    picture: str = Field(default="", max_length=60)
    """A drawn picture that stands with it (a name of `study.checks.pictures`); empty: none."""

    @property
    def of(self) -> Kind:
        """Its kind."""
        return kind(self.kind)

    @property
    def judged(self) -> bool:
        """Whether some of its answers pass and others do not."""
        return bool(self.passes) or self.passes_from is not None or self.passes_to is not None

    @model_validator(mode="after")
    def _sound(self) -> Item:
        if fault := self.of.fault(self):
            raise ValueError(f"the item {self.name} {fault}")
        return self


class Form(BaseModel):
    """One questionnaire: a page with its items."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str = Field(pattern=NAME)
    """In the export; once in its study."""
    when: str
    """When it is asked: the name of one of `study.forms.form.MOMENTS`."""
    title: str = Field(min_length=1, max_length=200)
    """The heading of its page."""
    text: str = Field(default="", max_length=5000)
    """Words above the items (plain text; blank lines part paragraphs)."""
    items: tuple[Item, ...] = Field(min_length=1, max_length=60)
    """What it asks, in order."""
    every: int = Field(default=5, ge=1, le=500)
    """between, attention: n: it is asked after every n-th task, but not after the last one."""
    wrong_allowed: int = Field(default=0, ge=0, le=60)
    """How many judged items may be missed and the form is passed all the same."""
    attempts: int = Field(default=1, ge=1, le=10)
    """How often it is asked of people who do not pass, before what then follows; each time with the explanations."""
    follows: Follows | None = None
    """What follows for people who have not passed then: ``go_on`` (kept, and not told), ``warn`` or ``screen_out``. None: as the moment has
    it (eligibility screens out, all others go on)."""
    warning: str = Field(default="", max_length=2000)
    """warn: what is said; empty: that the answers are not those that the study needs."""
    licence: str = Field(default="", max_length=500)
    """Where its words are from, and under which terms they may be used; kept with the study's materials."""

    @property
    def moment(self) -> Moment:
        """When it is asked."""
        return _MOMENTS[self.when]

    @property
    def judged(self) -> bool:
        """Whether it is passed or not."""
        return any(item.judged for item in self.items)

    @property
    def rule(self) -> Follows:
        """What follows for people who have not passed at the last attempt."""
        return self.follows or ("screen_out" if self.moment.screens else "go_on")

    def item(self, name: str) -> Item | None:
        """The item of that name."""
        return next((item for item in self.items if item.name == name), None)

    @model_validator(mode="after")
    def _sound(self) -> Form:
        if self.when not in _MOMENTS:
            raise ValueError(f"when: expected one of {', '.join(_MOMENTS)}, got {self.when[:40]!r}")
        names = [item.name for item in self.items]
        if len(set(names)) < len(names):
            raise ValueError(f"the form {self.name} has an item twice: name each once")
        if self.moment.judges and not self.judged:
            raise ValueError(f"the form {self.name} is asked for {self.when}, and no item says which answers pass (passes, passes_from …)")
        return self
