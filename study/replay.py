"""Render stored episodes again, action by action: compare every pixel hash where the renderer is the same, poses, results and answers in
any case; check every frame file on the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel

from data.frames import FrameDamaged, FrameStore, pixel_hash_of
from data.store import Store
from data.task import SIM_SEED
from sim_bridge.backends.changes import since
from sim_bridge.errors import BridgeError, WorkerLost
from sim_bridge.protocol import StepReply
from study import frozen, scoring, sequences
from study.errors import SceneUnplayable, UnknownEpisode
from study.paradigms import PARADIGMS
from study.records import AnswerRecord, EpisodeRecord, ScoreRecord
from study.showing import shown_order
from study.simulators import Client, Pool, fingerprint_of, offerable
from study.standing import Standing, as_met
from study.steps import Step, steps_of


class Difference(BaseModel):
    """One step that did not come out as stored."""

    episode: str
    seq: int
    what: str
    """``pixels`` (rendered otherwise by the same renderer), ``pose`` (the camera stood elsewhere), ``result`` (done where it had failed, or
    the reverse, or another part), ``answer`` (scored otherwise), ``file`` (stored file missing or changed) or ``error`` (could not be
    rendered)."""
    detail: str = ""


Verdict = Literal["bit-exact", "equal", "changed", "differs"]
"""``bit-exact``: same renderer, every pixel as stored. ``equal``: recorded with another renderer; poses, results and answers equal, pixels
not compared. ``changed``: recorded with another renderer, and poses or results differ after an action that was changed on purpose since.
``differs``: anything else."""


class Replayed(BaseModel):
    """How one episode came out."""

    episode: str
    verdict: Verdict
    recorded_with: str
    """The renderer that recorded it, in words."""
    reasons: tuple[str, ...] = ()
    """``changed``: what was changed on purpose."""

    @property
    def sentence(self) -> str:
        """For people."""
        match self.verdict:
            case "bit-exact":
                return "same renderer: bit-exact"
            case "equal":
                return f"recorded with {self.recorded_with}: poses, results and answers equal, pixels not compared"
            case "changed":
                return f"recorded with {self.recorded_with}, goes on differently because of a change on purpose: {' '.join(self.reasons)}"
            case _:
                return "differs"


class Report(BaseModel):
    """The result of a replay; `ok` where nothing differs but pixels of another renderer and what was changed on purpose."""

    episodes: int = 0
    steps: int = 0
    verified: int = 0
    """Steps whose pixels and files are as stored, pictures on the way included."""
    pictures: int = 0
    """Pictures of the verified steps: one per step, more where an action showed its course."""
    equal: int = 0
    """Steps recorded with another renderer whose pose and result are as stored, and whose files are whole."""
    changed: int = 0
    """Steps that go on otherwise because an action was changed on purpose."""
    differing: int = 0
    """Steps, or answers, that differ."""
    other_backend: int = 0
    """Episodes recorded with another renderer, simulator version or asset pack."""
    replayed: list[Replayed] = []
    """Each episode, in order."""
    differences: list[Difference] = []

    @property
    def ok(self) -> bool:
        return self.differing == 0 and self.verified + self.equal + self.changed == self.steps

    def add(self, part: Report) -> None:
        """Add another replay's result to this one."""
        for name in type(self).model_fields:
            setattr(self, name, getattr(self, name) + getattr(part, name))


def episode_ids(store: Store, backend: str | None = None) -> list[str]:
    """Episodes with at least one step, oldest first; `backend`: only those recorded with it. Questions about pictures have none."""
    rendered = [paradigm.name for paradigm in PARADIGMS if paradigm.stepped]
    rows = store.query(
        f"SELECT episode_id FROM episodes WHERE last_seq >= 0 AND paradigm IN ({','.join('?' * len(rendered))}) "
        "AND (? IS NULL OR backend = ?) ORDER BY created_at, episode_id",
        [*rendered, backend, backend],
    )
    return [row["episode_id"] for row in rows]


def replay(
    store: Store,
    frames: FrameStore,
    pool: Pool,
    episodes: Sequence[str],
    *,
    backend: str = "",
    wait_s: float = 120.0,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Render `episodes` again.

    Args:
        store: the database.
        frames: the frame folder.
        pool: simulators of the backend that recorded them.
        episodes: episode ids.
        backend: name of the simulator, where the pool has several; empty: the pool's own.
        wait_s: how long to wait for a simulator.
        progress: called with the id of each episode before it is replayed.

    Returns:
        The report.

    Raises:
        UnknownEpisode: one of them does not exist.
        BridgeError: no simulator can be reached. Of one that is lost another takes the place; an episode that costs two differs.
    """
    report = Report()
    for episode_id in episodes:
        record = store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [episode_id])
        if record is None:
            raise UnknownEpisode(f"There is no episode {episode_id[:40]!r} here.")
        if progress:
            progress(episode_id)
        if not record.met.simulated:
            report.add(_compared(store, frames, record))
            continue
        session = f"replay-{episode_id}"
        for final in (False, True):
            client = pool.acquire(session, backend=backend, wait_s=wait_s)
            try:
                report.add(_Replaying(store, frames, client, session, record, final).run())
                break
            except WorkerLost:
                pool.report_lost(session)  # says nothing of the episode: once more with another
            finally:
                pool.release(session)
    return report


def _compared(store: Store, frames: FrameStore, record: EpisodeRecord) -> Report:
    """What an episode without a simulator showed, held to the frozen set, or to what its partner saw, and to the files."""
    steps = steps_of(store, record.episode_id)
    if record.met.paged:
        shown = [picture.pixel_hash for picture in sequences.kept(store, record)]
        # a partner's pictures may have been erased since: then the files alone are looked at
        shown = shown or [step.pixel_hash for step in steps]
    else:
        views = frozen.views_of(store, record.task_hash, record.met.frozen)
        shown = [views[n].pixel_hash for n in shown_order(views, record.seed)]
    report = Report(episodes=1, steps=len(steps))
    for step in steps:
        problem = _file_problem(store, frames, step.pixel_hash)
        if problem is None and [step.pixel_hash] != shown[step.seq : step.seq + 1]:
            problem = ("pixels", f"stored {step.pixel_hash[:12]}, which is not the picture in this place")
        if problem is None:
            report.verified, report.pictures = report.verified + 1, report.pictures + 1
        else:
            report.differing += 1
            report.differences.append(Difference(episode=record.episode_id, seq=step.seq, what=problem[0], detail=problem[1]))
    _compare_answer(store, record, report)
    renderer = renderer_of(json.loads(record.fingerprint))
    verdict: Verdict = "differs" if report.differing else "bit-exact"
    report.replayed.append(Replayed(episode=record.episode_id, verdict=verdict, recorded_with=renderer))
    return report


class _Replaying:
    """One episode being rendered again."""

    def __init__(
        self, store: Store, frames: FrameStore, client: Client, session: str, record: EpisodeRecord, final: bool
    ) -> None:  # fmt: skip
        self.store, self.frames, self.client, self.session, self.record = store, frames, client, session, record
        self.final = final
        """Whether an episode with which the simulator is lost counts as one that cannot be replayed."""
        self.task = as_met(store.get_task(record.task_hash), record)
        self.same = fingerprint_of(client.hello) == record.fingerprint
        recorded = json.loads(record.fingerprint)
        self.recorded_with = renderer_of(recorded)
        self.changes = () if self.same else since(recorded, client.hello.backend)
        self.met: set[str] = set()
        """Reasons of changes that an action so far falls under."""
        self.report = Report(episodes=1, other_backend=int(not self.same))

    def run(self) -> Report:
        """Render every step and compare.

        Raises:
            WorkerLost: the simulator was lost, and this is not the `final` trial.
        """
        report, steps = self.report, steps_of(self.store, self.record.episode_id)
        report.steps = len(steps)
        shown: list[str] = []
        for step in steps:
            name = step.sim_action.partition("(")[0]
            self.met |= {change.reason for change in self.changes if name in change.actions}
            stored = list(step.frames)
            problem = next(filter(None, (_file_problem(self.store, self.frames, pixel_hash) for pixel_hash in stored)), None)
            acted = step.kind in ("start", "phase") or bool(step.sim_action)
            try:
                if acted:
                    reply = self._again(step)
                    shown = [frame.pixel_hash for frame in reply.observation.frames]
            except (BridgeError, SceneUnplayable) as error:
                if isinstance(error, WorkerLost) and not self.final:
                    raise
                self._tell(step.seq, "error", str(error))
                report.differing += len(steps) - step.seq - 1
                break
            if problem is None and acted:
                problem = _moved(step, reply)
            # who stayed (a model without an action, a forbidden move) saw the same picture again: that of the step before
            now = shown if acted else shown[-1:]
            if problem is None and self.same and now != stored:
                problem = ("pixels", _difference(stored, now))
            if problem is None and self.same:
                report.verified, report.pictures = report.verified + 1, report.pictures + len(stored)
            elif problem is None:
                report.equal += 1
            elif problem[0] in ("pose", "result") and self.met:
                report.changed += 1
            else:
                self._tell(step.seq, *problem)
        _compare_answer(self.store, self.record, report)
        verdict: Verdict = "differs" if report.differing else "changed" if report.changed else "bit-exact" if self.same else "equal"
        reasons = tuple(sorted(self.met)) if verdict == "changed" else ()
        report.replayed.append(Replayed(episode=self.record.episode_id, verdict=verdict, recorded_with=self.recorded_with, reasons=reasons))
        return report

    def _again(self, step: Step) -> StepReply:
        if step.kind == "start":
            able = offerable(self.task, self.client.hello.capabilities)
            return self.client.load(self.session, self.task.scene, self.task.start, actions=able, seed=SIM_SEED, seq=0)
        if step.kind == "phase":
            return self.client.set_phase(self.session, step.seq, step.sim_action.removeprefix("phase:"))
        return self.client.act(self.session, step.seq, step.sim_action)

    def _tell(self, seq: int, what: str, detail: str) -> None:
        self.report.differing += 1
        self.report.differences.append(Difference(episode=self.record.episode_id, seq=seq, what=what, detail=detail))


def _compare_answer(store: Store, record: EpisodeRecord, report: Report) -> None:
    """Whether what was answered is scored now as it was then, where the scorer is the same."""
    episode = [record.episode_id]
    answer = store.row("SELECT * FROM answers WHERE episode_id = ?", AnswerRecord, episode)
    kept = store.row(
        "SELECT * FROM scores WHERE episode_id = ? AND task_hash = ? AND scorer = ?",
        ScoreRecord,
        [*episode, record.task_hash, scoring.SCORER],
    )
    if answer is None or kept is None:
        return
    task = store.get_task(record.task_hash)
    now = scoring.score(task, answer.value, Standing(record, task).options)
    was = (kept.answered, kept.correct_strict, kept.correct_lenient)
    if was != (now.answered, now.correct_strict, now.correct_lenient):
        detail = f"scored {'right' if kept.correct_strict else 'not right'} then, otherwise now"
        report.differing += 1
        report.differences.append(Difference(episode=record.episode_id, seq=answer.seq, what="answer", detail=detail))


def _moved(step: Step, reply: StepReply) -> tuple[str, str] | None:
    """Where pose or result of a step part from what was stored."""
    if reply.observation.camera != step.pose_after:
        there, then = reply.observation.camera.position_m, step.pose_after.position_m
        return "pose", f"camera stored at {then}, now at {there} m"
    if reply.ok != step.ok:
        return "result", f"{step.sim_action}: stored as {'done' if step.ok else 'failed'}, now {'done' if reply.ok else reply.reason}"
    if reply.observation.phase != step.phase:
        return "result", f"part stored {step.phase!r}, now {reply.observation.phase!r}"
    return None


def renderer_of(fingerprint: dict[str, str]) -> str:
    """A renderer in words: what decides pixels, as far as the fingerprint says it."""
    if not fingerprint:
        return "an unknown renderer"
    version = " ".join(filter(None, (fingerprint.get("backend"), fingerprint.get("mujoco"))))
    more = [fingerprint[key] for key in ("gl_renderer", "machine") if fingerprint.get(key)]
    program = fingerprint.get("assets_hash", "")
    return ", ".join([version or "an unnamed backend", *more, *([f"program {program[:8]}"] if program else [])])


def _difference(stored: list[str], shown: list[str]) -> str:
    """Where the pictures of one step part."""
    if len(stored) != len(shown):
        return f"stored {len(stored)} picture(s), rendered {len(shown)}"
    at = next(i for i, (a, b) in enumerate(zip(stored, shown, strict=True)) if a != b)
    which = "" if len(stored) == 1 else f"picture {at + 1} of {len(stored)}: "
    return f"{which}stored {stored[at][:12]}, rendered {shown[at][:12]}"


def _file_problem(store: Store, frames: FrameStore, pixel_hash: str) -> tuple[str, str] | None:
    try:
        data = frames.kept(store, pixel_hash)
        if pixel_hash_of(data) != pixel_hash:
            return "file", f"{frames.path(pixel_hash)} shows other pixels than its name says"
    except FrameDamaged as error:
        return "file", str(error)
    return None
