"""Rows of the tables that stand beside the episodes: studies, participants, tasks, events, and what was visible."""

from __future__ import annotations

from pydantic import Field

from study.page_events import PAGE_EVENTS
from study.tabular import Row, Time


class StudyRow(Row):
    """One row per study."""

    study_id: str
    """Study; key of this table."""
    name: str
    """What staff and participants see it called."""
    state: str
    """draft, live, closed."""
    protocol: str
    """The study's settings, JSON; an episode's own stand in the table of episodes."""
    paradigms: str
    """How its tasks are met, JSON list."""
    tasks: int
    """Tasks it has."""
    trials: int
    """Tasks per participant."""
    seed: int
    """Decides the order of tasks within a category."""
    consent_version: str
    """Version of the consent text as it stands."""
    consent_sha256: str
    """SHA-256 of the consent text as it stands, UTF-8."""
    people: int
    """People who have come to the kinds of runs that this export holds, whatever became of them. Those who declined or withdrew are counted
    here and appear in no other table."""
    consented: int
    """Of them: agreed to take part, and did not withdraw."""
    finished: int
    """Of them: came to the end."""
    stopped: int
    """Of them: ended early and left what they did."""
    declined: int
    """Of them: did not agree, as it stands."""
    withdrawn: int
    """Of them: took their data back, or had it erased."""


class ParticipantRow(Row):
    """One row per person who agreed to take part and did not withdraw. Browser, window and screen are those of the first opening."""

    participant_id: str
    """Pseudonymous participant; key of this table. Recruitment ids are never exported."""
    study_id: str
    """Study."""
    study_version: int
    """Which published version of the study they take part in; 0: before the first."""
    mode: str
    """Kind of run: live, pilot, preview (staff tried it out) or bot (simulated people). An export tells of the live ones alone unless it
    was asked for others."""
    number: int
    """Order of entry into the study, from 0; decides the counterbalancing row."""
    state: str
    """Where they stand: consented, practised, finished, …"""
    states: str
    """Each state that was reached with its first time, JSON object in order: server times, ISO-8601 UTC."""
    entered_at: Time
    """When they came in."""
    consent_version: str | None
    """Version of the consent text that they agreed to."""
    consent_sha256: str | None
    """SHA-256 of that text, UTF-8; empty for people from before this was recorded."""
    consented_at: Time | None
    """When they agreed."""
    practised_at: Time | None
    """When practice was over."""
    finished_at: Time | None
    """When they came to the end."""
    stopped_at: Time | None
    """When they ended early and left what they did."""
    shared_computer: bool
    """They came at a computer that somebody else had used before, or that is for several people one after the other."""
    tasks_completed: int
    """Tasks answered, practice aside."""
    sessions_timed_out: int
    """Sessions that ended because their time was up (the study's `session_minutes`); their open task is timed_out."""
    browser: str | None
    """Name and major version. Empty, like the columns below, where it was not told, and for people from before this was recorded."""
    system: str | None
    """Operating system, without a version."""
    device: str | None
    """computer, tablet or phone."""
    viewport_width: int | None
    """Of the page, CSS pixels."""
    viewport_height: int | None
    """Of the page, CSS pixels."""
    screen_width: int | None
    """CSS pixels."""
    screen_height: int | None
    """CSS pixels."""
    pixel_ratio: float | None
    """Device pixels per CSS pixel: the screen's own ratio times the browser's zoom."""
    zoom: float | None
    """The browser's zoom, estimated from the width of its window outside and inside; a side panel makes it larger."""
    colour_scheme: str | None
    """light or dark, as the page was shown."""
    touch: bool | None
    """Whether the screen can be touched."""
    apparatuses: int
    """How many different browsers, systems or screens their tasks were opened with; 0: not told."""
    outcome: str
    """What came of their taking part: done, stopped, screened_out, full (no place left), technical (kept from going on by our
    technique); empty: on their way."""
    rejected: str
    """Why a researcher did not accept their data: declared_rule, technical, duplicate, not_eligible or not_a_person; empty: so it is not.
    Their answered episodes are then in the state rejected."""
    rejected_why: str
    """Which rule, or what happened, in the researcher's words."""
    shown_s: float
    """Seconds in which a page of ours was there to read or fill in, and none of the next three. The four add up to the time from coming
    in to the end, or to the last sign of life; see the explanation of the measurement."""
    thinking_s: float
    """Seconds in which a task's picture was on the screen, and the next action theirs."""
    waiting_s: float
    """Seconds in which they waited for us: the server, the simulator, the queue."""
    away_s: float
    """Seconds away: the tab hidden, another window used, the connection lost, a break, or no sign of life between tasks for ten minutes."""


class TaskRow(Row):
    """One row per task version that an exported episode met."""

    task_hash: str
    """SHA-256 of the task document (its version); key of this table."""
    task_id: str
    """Stable task id."""
    category: str
    """Task category; multiview_qa: the domain, spatial or robotic."""
    subcategory: str
    """Task subcategory; unique only together with the category. multiview_qa: the subtask."""
    dataset: str
    """Source of the task: esi-bench, vantage, multiview-qa, …"""
    source_row_id: str
    """Row id in the source."""
    generator: str
    """Importer or generator, name and version."""
    twin: str | None
    """Task id of the twin in which another answer is right."""
    question: str
    """The question as people and models read it."""
    note: str
    """Clarification shown with it."""
    form: str
    """How the answer is given."""
    options: str
    """Options in the source's order, JSON list; the order in which an episode showed them stands in the table of episodes."""
    blanks: str
    """Options of each blank, JSON list of lists."""
    targets: str
    """Targets of an assignment, JSON list."""
    gold: str
    """Accepted answers, JSON list; the first is the canonical one."""
    chance: float
    """Probability that a random well-formed answer is right."""
    budget: int
    """Observations that the task allows, the first view included; a protocol may allow fewer."""
    actions: str
    """Actions of the task, JSON list; those that an episode offered stand in the table of episodes."""
    phases: int
    """Parts of a task with several; 0: it has none."""
    objects: str
    """Things in the scene, JSON object: handle → the question's words for it, or its category."""


class EventRow(Row):
    """One row per thing that happened beside steps, beliefs and answers: openings, looks back, and what became of the page."""

    episode_id: str
    """Episode."""
    participant_id: str | None
    """Pseudonymous participant."""
    event_seq: int
    """The server's monotonic sequence number."""
    kind: str = Field(
        description="opened (also after a reload); looked_back: an earlier frame was looked at; "
        + "; ".join(f"{name}: {meaning}" for name, meaning in PAGE_EVENTS.items())
        + "."
    )
    seq: int
    """Step that was shown; −1: none yet."""
    detail: str
    """opened: what the page was shown with, JSON; looked_back: number of the step that was looked at; of the page's own: see kind."""
    client_time_ms: float | None
    """Browser clock, milliseconds since 1970; the page's own events alone have it."""
    server_time: Time
    """When it was on disk."""


class VisibleRow(Row):
    """One row per step and thing in view, practice and unfinished episodes too. Counted in the simulator; nobody who played was told."""

    episode_id: str
    """Episode."""
    seq: int
    """Step."""
    handle: str
    """The scene's own handle."""
    label: str
    """The question's words for the thing, or its category in the scene."""
    named: bool
    """Whether the question names it."""
    pixels: int
    """Pixels of the frame that show it, counted on every second line and column and scaled up. What stands behind glass counts, what shows
    only in a mirror does not."""
    share: float
    """The same as a part of the frame, 0 to 1."""
    left_px: int | None
    """Smallest box around those pixels, in pixels of the frame from its top left corner; its ends are even. Empty: not kept then."""
    top_px: int | None
    """See left_px."""
    right_px: int | None
    """See left_px; the first column that is not in it."""
    bottom_px: int | None
    """See left_px; the first row that is not in it."""
