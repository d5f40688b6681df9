"""Rows of a study's tables with types (`data.rows`). The row of a step is `study.steps.Step`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec

from data.rows import Json
from sim_bridge.spec import Hands
from study.ordering import Order
from study.paradigms import paradigm
from study.paradigms.paradigm import Paradigm
from study.protocol import Protocol, read_protocol


class EpisodeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `episodes`: one showing of a task, as it stands."""

    episode_id: str
    task_hash: str
    study_id: str | None
    participant_id: str | None
    slot_id: str | None
    agent_kind: str
    """human, model, script or gym."""
    agent_name: str
    paradigm: str
    protocol: str
    """JSON; read it with `settings`."""
    seed: int
    option_order: Annotated[Order, Json]
    trial_index: int | None
    state: str
    epoch: int = 0
    """Which opening is the current one; 0: never opened."""
    tab: str = ""
    last_seq: int = -1
    """The current step; −1: nothing was shown yet."""
    phase: str
    backend: str = ""
    deterministic: bool | None = None
    fingerprint: str = "{}"
    flags: Annotated[tuple[str, ...], Json] = ()
    actions: str = ""
    """JSON list of the actions offered; empty before the first view and in episodes of schema 1: all of the task's."""
    hands: Annotated[Hands | None, Json] = None
    """What a hand can do in the scene, as the simulator said at the first view; None: it said nothing."""
    created_at: str
    started_at: str | None = None
    finished_at: str | None = None
    version: int = 1
    """Of the study; 0: before its first."""
    mode: str = "live"
    """live, pilot, preview or bot."""
    partner: str = ""
    """The episode whose pictures are shown again; empty: none."""
    pictures: int = 0
    """How many pictures are shown that exist already; 0: none was shown yet, or what is seen follows from what is done."""

    @property
    def settings(self) -> Protocol:
        """The protocol of this showing."""
        return read_protocol(self.protocol)

    @property
    def met(self) -> Paradigm:
        """How the task is met."""
        return paradigm(self.paradigm)

    @property
    def offered(self) -> tuple[str, ...] | None:
        """The actions offered; None: all of the task's."""
        return tuple(json.loads(self.actions)) if self.actions else None


class SlotRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `slots`: one place for one person at one task in one paradigm."""

    slot_id: str
    study_id: str
    task_hash: str
    paradigm: str
    practice: bool
    state: str
    participant_id: str | None
    trial_index: int | None
    replaces: str | None
    created_at: str
    assigned_at: str | None
    closed_at: str | None
    version: int
    """Of the study, in which whoever had it takes part; of a free one: in which it was made."""
    mode: str
    """live, pilot, preview or bot: only people of the same kind of run are given it."""
    claimed_by: str | None = None
    """For whom a free place is reserved, who will come to it in the session they have begun."""
    partner: str = ""
    """The episode whose pictures whoever has it is shown; empty: none, or not chosen yet."""


class ParticipantRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `participants`."""

    participant_id: str
    study_id: str
    number: int
    """Order of entry into the study, from 0."""
    state: str
    consent_version: str | None
    consented_at: str | None
    created_at: str
    finished_at: str | None
    shared_computer: bool
    """Came at a computer that somebody else had used before, or that is for several people."""
    version: int
    """Of the study, published when they came; 0: before the first."""
    mode: str
    """live, pilot, preview or bot."""


class OutcomeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `outcomes`: what somebody was told came of their taking part."""

    participant_id: str
    outcome: str
    """A name of `study.returning.OUTCOMES`."""
    code: str
    """The completion code that they have; empty: none."""
    version: int
    """Of the study."""
    told_at: str


class BeliefRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `beliefs`: what was thought at one moment."""

    episode_id: str
    epoch: int
    n: int
    seq: int
    event_seq: int
    raw: str
    """As it was given, JSON."""
    answer: str | None
    """As understood, JSON; None: unreadable or incomplete."""
    confidence: int | None
    client_time_ms: float | None = None
    """The browser's clock when it was thought."""
    server_time: str

    @property
    def value(self) -> Any:
        """The answer as understood, or None."""
        return json.loads(self.answer) if self.answer else None


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `answers`: how an episode was answered."""

    episode_id: str
    epoch: int
    seq: int
    event_seq: int
    raw: str
    """As it was given, JSON."""
    answer: str | None
    """As understood, JSON; None: no answer."""
    confidence: int | None
    reasoning: str
    stopped_by: str
    client_time_ms: float | None = None
    """The browser's clock when it was submitted."""
    server_time: str

    @property
    def value(self) -> Any:
        """The answer as understood, or None."""
        return json.loads(self.answer) if self.answer else None


class ProblemRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `problems`: what somebody reported, in their words."""

    problem_id: str
    episode_id: str
    seq: int
    """The step that was shown; −1: none yet."""
    event_seq: int
    text: str
    server_time: str


class ScoreRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `scores`."""

    episode_id: str
    task_hash: str
    scorer: str
    answered: bool
    correct_strict: bool
    correct_lenient: bool
    chance: float
    details: Annotated[dict[str, float], Json]
    computed_at: str


class SnapshotRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `snapshots`: a simulator's state after step `seq`."""

    episode_id: str
    seq: int
    fingerprint: str
    data: bytes


class InviteRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `invites`; the token itself is not kept."""

    invite_id: str
    role: str
    study_id: str
    label: str
    uses_left: int | None
    """None: as often as people come."""
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    staff_id: str | None
    """Of staff: who came in by it; None: nobody yet."""
    kiosk: bool
    """Of participants: for a computer that several people use one after the other."""


class RoleRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `roles`: what a member of staff is in a study (``*``: in all)."""

    staff_id: str
    study_id: str
    role: str
    granted_at: str
    revoked_at: str | None


class GrantRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `grants`: what one browser may do in one role."""

    grant_id: str
    session_id: str
    role: str
    study_id: str
    participant_id: str | None
    staff_id: str | None
    invite_id: str | None
    created_at: str
    revoked_at: str | None


class AgentKeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `agent_keys`; the key itself is not kept."""

    key_id: str
    study_id: str
    name: str
    created_at: str
    revoked_at: str | None
