"""Render stored episodes again, action by action, and compare every pixel hash; check every frame file on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel

from data.frames import FrameDamaged, FrameStore, pixel_hash_of
from data.store import Store
from data.task import SIM_SEED
from sim_bridge.errors import BridgeError
from study.errors import SceneUnplayable, UnknownEpisode
from study.paradigms import PARADIGMS
from study.records import EpisodeRecord
from study.simulators import Client, Pool, fingerprint_of, offerable
from study.standing import as_met
from study.steps import steps_of


class Difference(BaseModel):
    """One step that did not come out as stored."""

    episode: str
    seq: int
    what: str
    """``pixels`` (rendered otherwise), ``file`` (stored file missing or changed) or ``error`` (could not be rendered)."""
    detail: str = ""


class Report(BaseModel):
    """The result of a replay; `ok` only if every step was rendered and compared equal and every file is whole."""

    episodes: int = 0
    steps: int = 0
    verified: int = 0
    """Steps whose pixels and files are as stored, pictures on the way included."""
    pictures: int = 0
    """Pictures of the verified steps: one per step, more where an action showed its course."""
    differing: int = 0
    """Steps that are not."""
    other_backend: int = 0
    """Episodes recorded with another backend version or asset pack: a difference there is to be expected."""
    differences: list[Difference] = []

    @property
    def ok(self) -> bool:
        return self.differing == 0 and self.verified == self.steps


def episode_ids(store: Store, backend: str | None = None) -> list[str]:
    """Episodes with at least one step, oldest first; `backend`: only those recorded with it. Questions about pictures have none."""
    rendered = [paradigm.name for paradigm in PARADIGMS if paradigm.simulated]
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
    wait_s: float = 120.0,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Render `episodes` again.

    Args:
        store: the database.
        frames: the frame folder.
        pool: simulators of the backend that recorded them.
        episodes: episode ids.
        wait_s: how long to wait for a simulator.
        progress: called with the id of each episode before it is replayed.

    Returns:
        The report.

    Raises:
        UnknownEpisode: one of them does not exist.
        BridgeError: no simulator can be reached.
    """
    report = Report()
    for episode_id in episodes:
        record = store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [episode_id])
        if record is None:
            raise UnknownEpisode(f"There is no episode {episode_id[:40]!r} here.")
        if progress:
            progress(episode_id)
        session = f"replay-{episode_id}"
        client = pool.acquire(session, wait_s=wait_s)
        try:
            _episode(store, frames, client, session, record, report)
        finally:
            pool.release(session)
    return report


def _episode(store: Store, frames: FrameStore, client: Client, session: str, record: EpisodeRecord, report: Report) -> None:
    task = as_met(store.get_task(record.task_hash), record)
    steps = steps_of(store, record.episode_id)
    report.episodes += 1
    report.other_backend += fingerprint_of(client.hello) != record.fingerprint
    for step in steps:
        report.steps += 1
        stored = list(step.frames)
        problem = next(filter(None, (_file_problem(store, frames, pixel_hash) for pixel_hash in stored)), None)
        acted = step.kind in ("start", "phase") or bool(step.sim_action)
        try:
            if step.kind == "start":
                able = offerable(task, client.hello.capabilities)
                reply = client.load(session, task.scene, task.start, actions=able, seed=SIM_SEED, seq=0)
            elif step.kind == "phase":
                reply = client.set_phase(session, step.seq, step.sim_action.removeprefix("phase:"))
            elif acted:
                reply = client.act(session, step.seq, step.sim_action)
            # who stayed (a model without an action, a forbidden move) saw the same picture again: `reply` is still that of the step before
            shown = [frame.pixel_hash for frame in reply.observation.frames][0 if acted else -1 :]
        except (BridgeError, SceneUnplayable) as error:
            report.differing += 1
            report.differences.append(Difference(episode=record.episode_id, seq=step.seq, what="error", detail=str(error)))
            rest = len(steps) - step.seq - 1
            report.steps, report.differing = report.steps + rest, report.differing + rest
            return
        if shown != stored:
            problem = ("pixels", _difference(stored, shown))
        if problem:
            report.differing += 1
            report.differences.append(Difference(episode=record.episode_id, seq=step.seq, what=problem[0], detail=problem[1]))
        else:
            report.verified += 1
            report.pictures += len(stored)


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
