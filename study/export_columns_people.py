"""Rows of the tables of what people said beside the tasks: answers of questionnaires, and a report on each person's quality."""

from __future__ import annotations

from study.tabular import Row, Time


class FormRow(Row):
    """One row per version of an answer in a questionnaire: what was sent, and what stood there before. What a form asks and which answers
    pass stands in the study's document (`study_versions`), which the study's version names."""

    participant_id: str
    """Pseudonymous participant."""
    study_id: str
    """Study."""
    study_version: int
    """Version of the study in which they take part."""
    mode: str
    """Kind of run: live, pilot, preview or bot."""
    form: str
    """Name of the form."""
    moment: str
    """When it is asked: eligibility, before, check, comprehension, between, attention or after."""
    occasion: int
    """Tasks done when it was asked, for those between tasks; else 0."""
    attempt: int
    """From 1; more where it was asked again of people who had not passed."""
    item: str
    """Name of the item; each once in its form."""
    kind: str
    """choice, several, scale, number or text."""
    text: str
    """The question as it was read."""
    n: int
    """Which version of the answer, from 1."""
    sent: bool
    """Whether this version was sent with the form; otherwise it stood there meanwhile."""
    value: str | None
    """The answer, JSON: an option, a point of the scale, a number, a text, or the options ticked. Empty: declined, or left out."""
    declined: bool
    """They preferred not to say."""
    passed: bool | None
    """Whether the answer is among those that pass; empty: the item is not judged, or this version was not sent."""
    opened_at: Time | None
    """When the form was opened first; server time."""
    client_time_ms: float | None
    """Browser clock when it was given, milliseconds since 1970."""
    server_time: Time
    """When it was on disk."""


class QualityRow(Row):
    """One row per person: what says how well they could and did take part. Nothing in it is how fast, still or stubborn somebody was, and
    nothing excludes anybody: a rule that does is declared before data are collected."""

    participant_id: str
    """Pseudonymous participant; key of this table."""
    study_id: str
    """Study."""
    mode: str
    """Kind of run: live, pilot, preview or bot."""
    state: str
    """Where they stand."""
    tasks_completed: int
    """Tasks answered, practice aside."""
    attention_asked: int
    """Declared attention checks that they sent."""
    attention_missed: int
    """Of them: not passed."""
    comprehension_attempts: int
    """How often they sent a comprehension check."""
    comprehension_passed: bool | None
    """Whether they passed all of them in the end; empty: none was sent."""
    examples_given: int
    """Worked examples that they had, each time counted."""
    examples_passed: int
    """Of them: answered rightly, with everything done that was on the list."""
    checks_missed: str
    """Checks of screen and eyes that they did not pass, JSON list of names."""
    left_tab: int
    """How often the tab was hidden, or another window used, while a task was open. A page that was closed or
    loaded again counts under `openings` instead; in data recorded before December 2026 it counts here, too."""
    left_tab_ms: float
    """For how long altogether, milliseconds of the browser's clock; what was not seen to end is left out."""
    offline: int
    """How often the connection was lost while a task was open."""
    resized: int
    """How often the window or its zoom changed while a task was open."""
    openings: int
    """How often tasks were opened: more than there are tasks where pages were loaded again."""
    problems: int
    """Problems that they reported in tasks."""
    declined: int
    """Questions to which they preferred not to answer."""
