"""The rows of the exported tables. Column names, types and the data dictionary all come from these models."""

from __future__ import annotations

import functools
import operator
import typing
from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import Field, create_model

from data.task import Task
from sim_bridge.kinematics import ANGLE_DECIMALS, angles_deg
from sim_bridge.spec import Quat, Vec3
from study.export_columns_beside import EventRow, ParticipantRow, StudyRow, TaskRow, VisibleRow
from study.export_columns_people import FormRow, QualityRow
from study.looks import Look
from study.paradigms import PARADIGMS
from study.records import EpisodeRecord
from study.steps import Step
from study.tabular import Row, Time


class _EpisodeRow(Row):
    """Columns that every episode fills, however its task was met."""

    episode_id: str
    """Episode; key of this table and of all others."""
    study_id: str | None
    """Study, if it belongs to one."""
    study_version: int | None
    """Which published version of the study it belongs to; 0: before the first. Empty without a study."""
    mode: str
    """Kind of run: live, pilot, preview (staff tried it out) or bot (simulated people). An export holds the live ones alone unless it was
    asked for others."""
    participant_id: str | None
    """Pseudonymous participant; recruitment ids are never exported."""
    participant_number: int | None
    """Order of entry into the study, from 0; decides the counterbalancing row."""
    shared_computer: bool | None
    """The participant came at a computer that somebody else had used before, or that is for several people one after the other (by a kiosk
    link, by the button *Next person*, or as another person in the same browser); empty for models."""
    trial_index: int | None
    """Position of this task in the participant's sequence, from 1; 0 is practice."""
    practice: bool
    """Practice task: gives feedback, does not count."""
    agent_kind: str
    """human, model, script or gym."""
    agent_name: str
    """Name of the model or script; empty for people."""
    task_id: str
    """Stable task id."""
    task_hash: str
    """SHA-256 of the task document (its version)."""
    category: str
    """Task category; multiview_qa: the domain, spatial or robotic."""
    subcategory: str
    """Task subcategory; unique only together with the category. multiview_qa: the subtask."""
    dataset: str
    """Source of the task: esi-bench, vantage, multiview-qa, …"""
    source_row_id: str
    """Row id in the source."""
    fidelity: str
    """How faithful the scene is to the source with object models that are not the source's: places, sizes, looks, furniture, change of
    light, what the source shows instead; empty: the scene was made here."""
    selected_on_answer: bool
    """The task is offered because doing it here gives the answer that its source records: no accuracy without saying so."""
    paradigm: str
    """How the task was met."""
    budget: int
    """Observations allowed, the first view included; where nobody acts, the pictures of the showing."""
    history: str
    """Which earlier frames could be looked at: none, last5, all."""
    enlarge: bool
    """Whether frames could be enlarged."""
    shown_scale: float | None
    """Screen pixels for each pixel of the picture when a person first saw it: 1 is exact, less is shrunk. Empty, like the three columns
    below, where it was not told: models, given views, and episodes from before this was recorded. Each change is in the table of events."""
    shown_scale_least: float | None
    """The smallest scale at which it was shown."""
    shown_scale_most: float | None
    """The largest scale at which it was shown."""
    shown_smooth: bool | None
    """Whether it was ever shown interpolated, at a scale that is no whole number of screen pixels."""
    objects: str
    """Which objects an action could name: numbered (with their numbers on the picture), unnumbered, or listed (every object seen)."""
    answer_form: str
    """Whether options were shown (options) or not (free_text)."""
    actions: str
    """Actions offered in this episode, JSON list: those of the task that the simulator has."""
    belief_bar: bool
    """Whether the current answer and confidence could be given on the way; false too for people of a study's arm without probes."""
    probe_every: int
    """n: they could be given at every n-th view (1: at each); without meaning where `belief_bar` is false."""
    clipping: str
    """What a move into a wall or a thing did in this task, by the protocol or, where that leaves it to the task, by its document: flag
    (done, and flagged) or forbid (a failed step, the camera stayed)."""
    time_limit_s: float | None
    """Seconds after which what was chosen last became the answer, waiting for us not counted; empty: no limit. In scenes it is people's
    alone."""
    seed: int
    """Decides option order and object numbering of this episode."""
    options_shown: str
    """Options in the order shown, JSON list."""
    state: str
    """active, completed, returned, timed_out, rejected."""
    observations: int
    """Observations used, the first view included; where nobody acts, the pictures that were shown."""
    failed_actions: int
    """Steps whose action failed physically."""
    stays: int
    """Steps a model lost to text that was no action."""
    looked_back: int
    """How often an earlier frame was looked at."""
    openings: int
    """How often the episode was opened (1: never reloaded or resumed)."""
    answered: bool | None
    """False: ended with no answer or "not sure". Empty: not ended."""
    correct_strict: bool | None
    """Right as it stands."""
    correct_lenient: bool | None
    """Right as the released scorer of this subcategory reads it."""
    chance: float | None
    """Probability that a random well-formed answer is right."""
    confidence: int | None
    """Stated probability (0–100) that the answer is right; empty: untouched."""
    stopped_by: str | None
    """Why it ended: answer, budget, time_limit, or a model's confidence_threshold, model_stop, max_steps."""
    backend: str
    """Simulator."""
    content: str
    """What nobody meets twice: the smaller of the ids of the task and its twin."""
    evidence_declared: bool
    """Whether the task declares by what is seen which evidence decides, and the first view does not hold all of it; only where somebody
    acts."""
    evidence_seq: int | None
    """First observation by which all of that was seen; empty: it was not, or it is not declared."""
    excluded_by: str
    """Rules that leave this episode out of figures, JSON list."""
    deterministic: bool | None
    """Whether that simulator promises equal pixels for equal actions."""
    fingerprint: str
    """Versions that may change pixels, JSON."""
    flags: str
    """Marks for analysis, JSON list: clipped, resume_differs, resumed_unverified, other_backend, confidence_stop, problem_reported."""
    created_at: Time
    """Server time, ISO-8601 UTC, milliseconds."""
    started_at: Time | None
    """Server time of the first opening."""
    finished_at: Time | None
    """Server time of the end."""


def _episode_columns() -> dict[str, Any]:
    """The columns of the table of episodes: those of all, and each paradigm's own where it says."""
    ways = "; ".join(f"{way.name} ({way.meaning})" for way in PARADIGMS)
    columns = {name: (field.annotation, field.description or "") for name, field in _EpisodeRow.model_fields.items()}
    columns["paradigm"] = (str, f"{columns['paradigm'][1].rstrip('.')}: {ways}.")
    for way in PARADIGMS:
        for column in way.columns:
            names = list(columns)
            at = names.index(column.after) + 1 if column.after else len(names)
            columns = dict([*list(columns.items())[:at], (column.name, (column.kind, column.meaning)), *list(columns.items())[at:]])
    return {name: (kind, Field(description=meaning)) for name, (kind, meaning) in columns.items()}


EpisodeRow = create_model("EpisodeRow", __base__=Row, __doc__="One row per episode.", **_episode_columns())


def own_columns(record: EpisodeRecord, task: Task) -> dict[str, Any]:
    """What an episode has in the columns that single paradigms declare."""
    values: dict[str, Any] = {}
    held_by = {"protocol": record.settings, "episode": record}
    for declared in PARADIGMS:
        for column in declared.columns:
            held = task.source.get(column.name, "") if column.of == "source" else getattr(held_by[column.of], column.name)
            values[column.name] = held if declared is record.met else column.empty
    return values


def _pose_columns(when: str, at: str) -> dict[str, tuple[Any, str]]:
    see = f"See {when}_x_m."
    return {
        f"{when}_x_m": (float, f"Camera {at}: position in metres, world frame, z up."),
        f"{when}_y_m": (float, see),
        f"{when}_z_m": (float, see),
        f"{when}_qw": (
            float,
            f"Camera {at}: unit quaternion of its orientation, scalar part. It turns the camera's own axes into the world's: the camera "
            "looks along its −z, +x is right in the picture and +y up, so that the identity looks straight down.",
        ),
        f"{when}_qx": (float, f"See {when}_qw."),
        f"{when}_qy": (float, f"See {when}_qw."),
        f"{when}_qz": (float, f"See {when}_qw."),
        f"{when}_yaw_deg": (
            float,
            f"Camera {at}: heading in degrees, counter-clockwise seen from above, in (−180, 180]; 0 looks along +y, 90 along −x.",
        ),
        f"{when}_pitch_deg": (
            float,
            f"Camera {at}: degrees above the horizon; 0 is level, −90 straight down. Beyond ±90 it is upside down.",
        ),
    }


_STEP_COLUMNS: dict[str, dict[str, tuple[Any, str]]] = {
    "pose_before": _pose_columns("before", "before the action"),
    "pose_after": _pose_columns("after", "of the observation"),
    "clipped": {
        "clipped": (bool, "The camera is inside a wall or object, or outside the room."),
        "kept_out": (bool, "The move would have ended inside a wall or a thing, which is forbidden: the camera stayed."),
    },
    "more_frames": {"frames": (int, "Frames of this step; the last is the observation.")},
    "painted_ms": {
        "painted_ms": (float | None, "Browser clock when the frame before it was on the screen, milliseconds."),
        "response_ms": (
            float | None,
            "From when the frame before it was on the screen to the press, milliseconds; never negative. Empty where the press waited "
            "behind the step before it (queued_ms > 0): it answered an earlier frame. Also empty where a clock is not known.",
        ),
    },
    "timing_ms": {"simulator_ms": (float | None, "Time in the simulator process, milliseconds.")},
    "server_time": {"server_time": (Time, "When the step was on disk, ISO-8601 UTC, milliseconds.")},
}
"""Fields of a step that a table holds in other columns: column → (type, meaning). All others are columns as they are."""


def _step_columns() -> dict[str, Any]:
    """The columns of the table of steps, from the step's own fields (`study.steps.Step`)."""
    columns: dict[str, Any] = {}
    for name, hint in typing.get_type_hints(Step, include_extras=True).items():
        kind, *notes = typing.get_args(hint)
        if typing.get_origin(kind) in (typing.Literal, dict):
            kind = str
        said = next(note.description for note in notes if isinstance(note, msgspec.Meta))
        for column, (of, meaning) in _STEP_COLUMNS.get(name, {name: (kind, said)}).items():
            columns[column] = (of, Field(description=meaning))
    return columns


StepRow = create_model("StepRow", __base__=Row, __doc__="One row per observation; seq 0 is the first view.", **_step_columns())


@functools.lru_cache(maxsize=1024)
def heading(xyzw: Quat) -> tuple[float, float]:
    """(yaw, pitch) of a camera in degrees, the pitch from the horizon; turns go in steps of 15°, so few attitudes stand in many rows."""
    yaw, _roll, pitch = angles_deg(xyzw)
    level = round(pitch - 90.0, ANGLE_DECIMALS)
    return yaw, level + 360.0 if level <= -180.0 else level


def _pose_values(field: str, when: str) -> dict[str, Callable[[Step], Any]]:
    position: Callable[[Step], Vec3] = operator.attrgetter(f"{field}.position_m")
    turn: Callable[[Step], Quat] = operator.attrgetter(f"{field}.quaternion_xyzw")
    return {
        f"{when}_x_m": lambda step: position(step)[0],
        f"{when}_y_m": lambda step: position(step)[1],
        f"{when}_z_m": lambda step: position(step)[2],
        f"{when}_qw": lambda step: turn(step)[3],
        f"{when}_qx": lambda step: turn(step)[0],
        f"{when}_qy": lambda step: turn(step)[1],
        f"{when}_qz": lambda step: turn(step)[2],
        f"{when}_yaw_deg": lambda step: heading(turn(step))[0],
        f"{when}_pitch_deg": lambda step: heading(turn(step))[1],
    }


class Pressed(typing.Protocol):
    """A step, as far as it tells when it was given."""

    @property
    def client_time_ms(self) -> float | None: ...
    @property
    def painted_ms(self) -> float | None: ...
    @property
    def queued_ms(self) -> float | None: ...


def response_ms(step: Pressed) -> float | None:
    """From the frame before `step` being on the screen to the press that gave it; None where the press waited, or a clock is not known."""
    if step.client_time_ms is None or step.painted_ms is None or step.queued_ms:
        return None
    passed = step.client_time_ms - step.painted_ms
    # before it was kept whether a press waited, its sign alone tells
    return round(passed, 1) if passed >= 0 else None


_STEP_VALUES: dict[str, Callable[[Step], Any]] = {
    **_pose_values("pose_before", "before"),
    **_pose_values("pose_after", "after"),
    "kept_out": lambda step: step.kind == "action" and not step.ok and not step.sim_action,
    "frames": lambda step: len(step.more_frames) + 1,
    "visible": lambda step: msgspec.json.encode(step.visible).decode(),
    "boxes": lambda step: msgspec.json.encode(step.boxes).decode(),
    "response_ms": response_ms,
    "simulator_ms": lambda step: step.timing_ms.get("total"),
}
STEP_VALUES: dict[str, Callable[[Step], Any]] = {name: _STEP_VALUES.get(name, operator.attrgetter(name)) for name in StepRow.model_fields}
"""Column of the table of steps → its value for a step. A million steps go through here, so no `StepRow` is built and checked for each."""


class BeliefRow(Row):
    """One row per change of the current answer or confidence."""

    episode_id: str
    """Episode."""
    epoch: int
    """Which opening of the episode."""
    n: int
    """The sender's count of changes in that opening."""
    seq: int
    """Step that was shown."""
    event_seq: int
    """The server's monotonic sequence number."""
    answer: str | None
    """Current answer, JSON; empty where it was incomplete or unreadable."""
    correct: bool | None
    """Whether that answer is right as it stands; empty without one."""
    raw: str
    """As it was given, JSON."""
    confidence: int | None
    """0–100; empty: untouched."""
    client_time_ms: float | None
    """Browser clock at the change, milliseconds since 1970; changes that follow each other at once are one. Empty: unknown."""
    server_time: Time
    """When it was on disk."""


def _look_columns() -> dict[str, Any]:
    """The columns of the table of looks, from the look's own fields (`study.looks.Look`)."""
    hints = typing.get_type_hints(Look, include_extras=True)
    own = {name: typing.get_args(hint) for name, hint in hints.items()}
    columns: dict[str, Any] = {
        "episode_id": (str, Field(description="Episode.")),
        "epoch": (int, Field(description="Which opening of the episode.")),
    }
    columns |= {name: (kind, Field(description=note.description)) for name, (kind, note) in own.items()}
    columns["event_seq"] = (int, Field(description="The server's monotonic sequence number; looks that were told together share one."))
    columns["server_time"] = (Time, Field(description="When it was on disk."))
    return columns


LookRow = create_model(
    "LookRow", __base__=Row, __doc__="One row per look at one of several pictures that are shown at once.", **_look_columns()
)


class AnswerRow(Row):
    """One row per final answer."""

    episode_id: str
    """Episode."""
    seq: int
    """Step that was shown when the answer was given."""
    event_seq: int
    """The server's monotonic sequence number."""
    form: str
    """Answer form of the question."""
    answer: str | None
    """As understood, in the question's words, JSON; empty: no answer."""
    raw: str
    """As it was given, JSON."""
    gold: str
    """Accepted answers, JSON list."""
    confidence: int | None
    """0–100; empty: untouched."""
    reasoning: str
    """A model's own words."""
    stopped_by: str
    """Why it ended."""
    answered: bool
    """False: no answer."""
    correct_strict: bool
    """Right as it stands."""
    correct_lenient: bool
    """Right as the released scorer reads it."""
    chance: float
    """Probability that a random well-formed answer is right."""
    absolute_error: float | None
    """Counting and numbers: distance to the nearest accepted value."""
    soft_score: float | None
    """Counting: max(0, 1 − error / 3)."""
    scorer: str
    """Version of the scorer."""
    code: str | None
    """Which answer the text gives, as people say who saw question and text alone; (other), (unclear) or (no answer) where it gives none.
    Empty: the normaliser reads it as it stands, or it is not coded."""
    coders: int | None
    """How many people coded it: two who agree, or three, of whom the third decided; empty: none."""
    correct_coded: bool | None
    """Right by its code; where the normaliser reads it as it stands, as correct_strict. Empty: it waits for its code."""
    settled_task_hash: str | None
    """The version of the task with another gold, to which a dispute led; empty: the gold stands."""
    correct_settled: bool | None
    """Right by the gold of that version, as it stands; the columns above are by the gold that the task had when it was answered."""
    client_time_ms: float | None
    """Browser clock when it was submitted, milliseconds since 1970; empty: unknown, or nobody submitted it (the time was up)."""
    server_time: Time
    """When it was on disk."""


class ReportRow(Row):
    """One row per problem that a person reported."""

    episode_id: str
    """Episode."""
    seq: int
    """Step that was shown; −1: none yet."""
    event_seq: int
    """The server's monotonic sequence number."""
    text: str
    """As it was written."""
    server_time: Time
    """When it was on disk."""


class LabelRow(Row):
    """One row per thing that a coder said of a trajectory, as it stands; who acted was not shown to them."""

    episode_id: str
    """Episode."""
    coder: str
    """Who said it: an id of the staff."""
    kind: str
    """strategy (only of right ones), view, or failure (only of wrong ones)."""
    seq: int | None
    """Step whose view is labelled; empty: the trajectory as a whole."""
    label: str
    """The coder's own name of the strategy; redundant, confirmatory or contrastive; or the code of the failure mode."""
    belief: str | None
    """Of a view: whether the belief was kept or changed; empty: not judged."""
    note: str
    """What the coder wrote beside it."""
    at: Time
    """When it was said."""


TABLES: dict[str, type[Row]] = {
    "episodes": EpisodeRow,
    "steps": StepRow,
    "beliefs": BeliefRow,
    "looks": LookRow,
    "answers": AnswerRow,
    "tasks": TaskRow,
    "participants": ParticipantRow,
    "studies": StudyRow,
    "events": EventRow,
    "visible": VisibleRow,
    "reports": ReportRow,
    "forms": FormRow,
    "quality": QualityRow,
    "labels": LabelRow,
}
"""Table name → its row model."""
