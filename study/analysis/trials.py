"""Rows that measures are made of: one trial is one ended episode that is no practice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

Truth = Literal["strict", "lenient", "coded", "settled"]
"""By which reading an answer is right: as it stands, as the released scorer has it, by its code, or by the gold that settled a dispute."""


class Belief(msgspec.Struct, frozen=True):
    """What was thought on the way; the last at each observation."""

    seq: int
    """Observation that was shown, from 0."""
    answer: str | None
    """As understood, in the question's words, JSON; None: incomplete or unreadable."""
    correct: bool | None
    """Whether that answer is the gold, as it stands; None without an answer."""
    confidence: int | None
    """0–100."""


class Move(msgspec.Struct, frozen=True):
    """One observation after the first."""

    seq: int
    action: str
    """Name of the action without its objects."""
    ok: bool
    """Whether it was done."""


class View(msgspec.Struct, frozen=True):
    """From where an observation was made: metres and degrees, world frame, z up (`study.export_columns.StepRow`)."""

    seq: int
    position_m: tuple[float, float, float]
    yaw_deg: float
    pitch_deg: float


class Path(msgspec.Struct, frozen=True):
    """What somebody did and thought on the way through one trial. Read only where a measure asks for it."""

    beliefs: tuple[Belief, ...] = ()
    moves: tuple[Move, ...] = ()
    views: tuple[View, ...] = ()
    contrastive: bool | None = None
    """Whether coders called one of its views contrastive; None: it is not labelled by enough of them."""
    revised_after_contrastive: bool | None = None
    """Whether the stated answer changed at the first such view or after it; None: not labelled, or fewer than two were stated."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One ended episode that is no practice. All columns are those of `study.export_columns`, so both ways of reading give them."""

    episode_id: str
    agent: str
    """Whose it is: ``human`` or the model's name."""
    person: str
    """Who gave the answer: the participant's pseudonym; of a model its name."""
    number: int | None
    """The participant's number in the study, from 0; None: no person."""
    task: str
    """Hash of the task document that was met."""
    task_id: str
    content: str
    """Tasks of one content (a twin counts by itself) are met once by a person; the unit of the *matched* subset is `task_id`."""
    category: str
    subcategory: str
    """Unique only together with the category."""
    paradigm: str
    trial_index: int | None
    """Position in the person's sequence, from 1."""
    budget: int
    """Observations that were allowed."""
    probed: bool
    """Whether beliefs could be given on the way."""
    state: str
    """completed, timed_out, …; a trial without an answer counts as missing, never as wrong."""
    answered: bool
    """False: no final answer, or "not sure"."""
    answer: str | None
    """As understood, JSON: what agreement among people compares."""
    strict: bool | None
    lenient: bool | None
    coded: bool | None
    """None: it waits for its code."""
    settled: bool | None
    """By the newest gold to which a dispute led, else as `strict`."""
    chance: float | None
    """Probability that a random well-formed answer is right."""
    confidence: int | None
    """0–100; None: untouched, or "I cannot say"."""
    observations: int
    """Shown, the first view included."""
    evidence_seq: int | None
    """First observation by which what was seen excludes every other answer; None: not declared for this task, or not reached."""
    evidence_declared: bool
    """Whether the task declares its evidence at all."""
    stopped_by: str | None
    excluded: tuple[str, ...]
    """Declared rules of exclusion that leave this trial out; empty: none. Every figure exists with and without (measurement 17)."""
    selected: bool = False
    """Whether its task is here because doing it gives the answer that its source records (`data.trying`)."""

    def right(self, truth: Truth = "strict") -> bool | None:
        """Whether it is right by a reading; None: it was not answered, or the reading does not say yet."""
        if not self.answered:
            return None
        found: bool | None = getattr(self, truth)
        return found


class Trials(msgspec.Struct, frozen=True):
    """The trials of one study, with what a figure has to say of where they come from."""

    study_id: str
    title: str
    source: str
    """In words: "the study's database", or the export's folder name."""
    mode: str
    """Kind of run: live, pilot, preview or bot."""
    versions: tuple[int, ...]
    """Published versions of the study that they belong to."""
    rows: tuple[Trial, ...]
    read_at: str
    """ISO-8601 UTC."""
    people: int
    """Who came in and did not withdraw, whether or not they answered."""
    withdrawn: int
    unfinished: int
    """Episodes that were begun and have not ended: in no figure."""
    path: Callable[[str], Path]
    """Episode id → its path; read when asked."""

    def kept(self, *, excluded: bool) -> tuple[Trial, ...]:
        """The rows: with those that declared rules leave out (`excluded=True`), or without them."""
        return self.rows if excluded else tuple(row for row in self.rows if not row.excluded)


def paradigms_of(rows: Iterable[Trial]) -> list[str]:
    """The paradigms met, in order of first appearance in the declared list."""
    from study.paradigms import PARADIGMS

    met = {row.paradigm for row in rows}
    return [way.name for way in PARADIGMS if way.name in met]
