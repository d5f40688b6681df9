"""What the parts of the episode engine share: reading an episode from the database, and what is told of one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Annotated

import msgspec

from data.frames import FrameStore
from data.rows import Json
from data.store import Store
from data.task import Question, Task
from study import sequences
from study.action_results import at_once, in_words, of_picture, put_out_of_sight, share_of, shared_by_parts
from study.errors import EpisodeOver, FrameNotShown, OutOfStep, TakenOver, UnknownEpisode
from study.handles import Handles, first_seen, hand_needed, handles_needed, held_after, offered
from study.objects import choices, least_pixels, reach
from study.records import BeliefRecord, EpisodeRecord
from study.simulators import PER_AGENT, Pool, Simulators
from study.standing import Standing, as_met
from study.steps import Step, step_at, steps_of
from study.views import BeliefView, HandleView, StepView
from study.wording import say

ONE_VIEW = ("start_view", "frames")
"""Openings (`study.paradigms.paradigm.Opening`) that show one view at a time: then a step says which part it is in."""
_OVER = {
    "timed_out": "This task has ended: nothing happened in it for a long time, so its place was freed for others. What you did is kept."
}
"""What a person is told who comes back to an episode that ended without them."""
_REMEMBERED = 512
"""Episodes whose sights are kept in memory; another's are read again."""


class _Looked(msgspec.Struct, frozen=True):
    """What of a step decides the objects offered and the hand."""

    seq: int
    action: str
    ok: bool
    visible: Annotated[dict[str, int], Json]


class _Sights(msgspec.Struct, frozen=True):
    """What the steps up to `seq` have brought into view and into the hand."""

    seq: int = -1
    seen: tuple[str, ...] = ()
    """Scene handles of objects in the order in which they came into view."""
    held: str | None = None
    """Public handle in the hand."""


class EpisodeReader:
    """Reads episodes. Thread-safe."""

    def __init__(self, store: Store, frames: FrameStore, pool: Pool, *, wait_s: float = 30.0, per_agent: int = PER_AGENT) -> None:
        """Args:
        store: the database.
        frames: the frame folder.
        pool: simulators (`sim_bridge.pool.Pool`), started.
        wait_s: how long to wait in line for a simulator (seconds).
        per_agent: how many simulator sessions one model agent may have at a time.
        """
        self.store, self.frames = store, frames
        self._simulators = Simulators(store, pool, wait_s, per_agent)
        self._sights: OrderedDict[str, _Sights] = OrderedDict()
        self._guard = threading.Lock()

    def frame(self, episode_id: str, seq: int, index: int = -1, *, looked: bool = True) -> bytes:
        """The encoded image (image/webp) of a step, as far as the history rule shows it. Looking back is logged.

        Args:
            episode_id: the episode.
            seq: the step.
            index: which frame of a step with several; −1: the observation.
            looked: False when the page fetches ahead and nobody looks yet: not logged.

        Raises:
            FrameNotShown: hidden by the history rule, or no such step.
            FrameDamaged: the file is missing or changed.
        """
        here = self._standing(episode_id)
        if seq not in here.shown:
            raise FrameNotShown(say("refused.not_shown"))
        step = self._step(episode_id, seq)
        if not -1 <= index < len(step.frames):
            raise FrameNotShown(f"Step {seq} has {len(step.frames)} frame(s), got {index!r}.")
        if looked and seq < here.record.last_seq and here.paradigm.opens != "grid":
            self.store.event("looked_back", {"seq": seq, "at_seq": here.record.last_seq}, episode_id=episode_id)
        return self._frame_bytes(step.frames[index])

    def question(self, episode_id: str) -> Question:
        """The question as this episode asks it, options in the task's own order.

        Raises:
            UnknownEpisode: no such episode.
        """
        return self._standing(episode_id).question

    def task_of(self, episode_id: str) -> Task:
        """The episode's task.

        Raises:
            UnknownEpisode: no such episode.
        """
        return self._standing(episode_id).task

    def last_belief(self, episode_id: str) -> BeliefView | None:
        """What was thought last, in whatever opening of the episode."""
        last = self.store.row("SELECT * FROM beliefs WHERE episode_id = ? ORDER BY event_seq DESC LIMIT 1", BeliefRecord, [episode_id])
        if last is None:
            return None
        return BeliefView(n=last.n, answer=last.value, confidence=last.confidence, seq=last.seq, saved_at=last.server_time)

    def _record(self, episode_id: str) -> EpisodeRecord:
        record = self.store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [str(episode_id)])
        if record is None:
            raise UnknownEpisode(f"There is no episode {str(episode_id)[:40]!r} here.")
        return record

    def _mine(self, episode_id: str, epoch: int) -> EpisodeRecord:
        """The episode's record, if `epoch` is the current one."""
        record = self._record(episode_id)
        if record.epoch != epoch:
            raise TakenOver(say("refused.taken_over"))
        return record

    def _stands(self, record: EpisodeRecord) -> Standing:
        return Standing(record, as_met(self.store.get_task(record.task_hash), record))

    def _standing(self, episode_id: str) -> Standing:
        return self._stands(self._record(episode_id))

    @staticmethod
    def _not_over(here: Standing) -> None:
        if here.over:
            state = here.record.state
            raise EpisodeOver(_OVER.get(state, f"This task is over ({state}); nothing can be added."))

    def _step(self, episode_id: str, seq: int) -> Step:
        step = step_at(self.store, episode_id, seq)
        if step is None:
            raise OutOfStep(f"There is no step {seq!r}.")
        return step

    def _frame_bytes(self, pixel_hash: str) -> bytes:
        return self.frames.kept(self.store, pixel_hash)

    def _phase_left(self, here: Standing) -> int:
        """Observations left in the current part; each later part keeps at least one."""
        budget, phases, record = here.budget, here.task.scene.phases, here.record
        if not phases:
            return budget - here.used
        index = [phase.name for phase in phases].index(record.phase)
        counted = self.store.one("SELECT count(*) AS n FROM steps WHERE episode_id = ? AND phase = ?", [record.episode_id, record.phase])
        used: int = counted["n"] if counted else 0
        before = here.used - used
        share = share_of(budget, phases[index].budget_share)
        return min(share, budget - before - (len(phases) - 1 - index)) - used

    @staticmethod
    def _shares(here: Standing) -> str:
        """How the parts of a task share the observations, where somebody acts."""
        return shared_by_parts(here.budget, [p.budget_share for p in here.task.scene.phases]) if here.paradigm.acts else ""

    def _seen(self, here: Standing) -> _Sights:
        """What has come into view and into the hand so far; only steps that were not read before are read."""
        episode_id, last = here.record.episode_id, here.record.last_seq
        with self._guard:
            sights = self._sights.get(episode_id, _Sights())
        if sights.seq > last:
            sights = _Sights()
        new = self.store.rows(
            "SELECT seq, action, ok, visible FROM steps WHERE episode_id = ? AND seq > ? AND seq <= ? ORDER BY seq",
            _Looked,
            [episode_id, sights.seq, last],
        )
        least = least_pixels(here.task, here.protocol.object_rule)
        for step in new:
            sights = _Sights(
                step.seq,
                first_seen(here.record.seed, least, step.visible, sights.seen),
                held_after([(step.action, step.ok)], sights.held),
            )
        with self._guard:
            self._sights[episode_id] = sights
            self._sights.move_to_end(episode_id)
            while len(self._sights) > _REMEMBERED:
                self._sights.popitem(last=False)
        return sights

    def _handles(self, here: Standing) -> Handles:
        if not handles_needed(here.task):
            return Handles((), {})
        return offered(here.task, here.record.seed, here.protocol.object_rule, here.record.hands, self._seen(here).seen)

    def _offers(self, here: Standing, objects: Handles, step: Step) -> tuple[HandleView, ...]:
        """What is offered, with the number of what has been seen well and its place in the view of `step`."""
        seen = self._seen(here).seen if objects.numbered else ()

        def view(n: int, handle: str, label: str) -> HandleView:
            scene = objects.to_scene[handle]
            if handle not in objects.numbered:
                return HandleView(handle=handle, label=label)
            if scene not in seen:
                return HandleView(handle=handle, label=label, unseen=True)
            return HandleView(handle=handle, label=label, number=n, box=step.boxes.get(scene))

        return tuple(view(n, handle, label) for n, (handle, label) in enumerate(objects.offers, 1))

    def _held(self, here: Standing, seq: int, labels: dict[str, str]) -> HandleView | None:
        """What is in the hand after step `seq`."""
        if not hand_needed(here.task):
            return None
        if seq == here.record.last_seq:
            handle = self._seen(here).held
        else:
            done = self.store.rows(
                "SELECT seq, action, ok, visible FROM steps WHERE episode_id = ? AND seq <= ? ORDER BY seq",
                _Looked,
                [here.record.episode_id, seq],
            )
            handle = held_after((step.action, step.ok) for step in done)
        return None if handle is None else HandleView(handle=handle, label=labels[handle])

    def _last_view(self, here: Standing) -> StepView:
        """The current step; of a showing of words alone, that there is none."""
        if here.paradigm.stepped:
            return self._step_view(here, self._step(here.record.episode_id, here.record.last_seq), image=False)
        return StepView(
            seq=here.record.last_seq,
            action="start",
            ok=True,
            words=at_once(here.paradigm.opens, len(here.task.scene.phases)),
            reason="",
            observations_left=0,
            forced=True,
            phase="",
            phase_used=False,
            phase_next=False,
            part=0,
            parts=0,
            handles=(),
            frames=0,
            acts=here.paradigm.acts,
            held=None,
            saved_at=here.record.started_at or here.record.created_at,
        )

    def _parts(self, here: Standing) -> tuple[int, ...]:
        """Which part of the task each picture of a set shows."""
        if here.paradigm.opens != "grid":
            return ()
        names = [phase.name for phase in here.task.scene.phases]
        steps = steps_of(self.store, here.record.episode_id)
        return tuple(1 + names.index(step.phase) if step.phase in names else 0 for step in steps)

    def _step_view(self, here: Standing, step: Step, *, image: bool = True, image_bytes: bytes | None = None) -> StepView:
        objects = self._handles(here)
        left = here.left
        labels = dict(objects.offers)
        upcoming = here.next_phase
        parts = [phase.name for phase in here.task.scene.phases] if here.paradigm.opens in ONE_VIEW else []
        held = self._held(here, step.seq, labels)
        sorted_out = bool(objects.offers) and here.protocol.object_rule.sorted_out
        if image and image_bytes is None and step.seq in here.shown:
            image_bytes = self._frame_bytes(step.pixel_hash)
        return StepView(
            seq=step.seq,
            action=step.action,
            ok=step.ok,
            words=self._words(here, step, labels),
            reason=step.reason,
            observations_left=left,
            forced=left <= 0,
            phase=step.phase,
            phase_used=upcoming is not None and self._phase_left(here) <= 0,
            phase_next=upcoming is not None,
            part=1 + parts.index(step.phase) if step.phase in parts else 0,
            parts=len(parts),
            handles=self._offers(here, objects, step),
            choices=choices(here.task, here.record.hands, objects.to_scene, held.handle if held else None) if sorted_out else {},
            reach=reach(here.record.hands, here.task.scene.camera.move_step_m) if sorted_out else "",
            acts=here.paradigm.acts,
            paged=here.paradigm.paged,
            next_ms=self._next_ms(here, step.seq),
            frames=len(step.frames),
            held=held,
            saved_at=step.server_time,
            image=image_bytes,
            timing_ms=step.timing_ms,
        )

    def _words(self, here: Standing, step: Step, labels: dict[str, str]) -> str:
        """What is said of a step."""
        if here.paradigm.paged:
            return of_picture(step.seq + 1, here.budget, self._begins(here, step))
        if here.paradigm.acts:
            unseen = put_out_of_sight(step.sim_action, step.ok, step.visible)
            return in_words(step.action, step.ok, step.reason, labels, unseen=unseen)
        return at_once(here.paradigm.opens, len(here.task.scene.phases))

    def _begins(self, here: Standing, step: Step) -> tuple[int, int] | None:
        """The part that begins with a picture, and how many there are; None: none begins there."""
        names = [phase.name for phase in here.task.scene.phases]
        if step.phase not in names:
            return None
        before = step_at(self.store, here.record.episode_id, step.seq - 1)
        return None if before is not None and before.phase == step.phase else (1 + names.index(step.phase), len(names))

    def _next_ms(self, here: Standing, seq: int) -> float | None:
        """After how long the next picture comes by itself."""
        record = here.record
        if not record.partner or here.protocol.pace != "partner" or seq + 1 >= here.budget:
            return None
        return sequences.pictures(self.store, record)[seq].looked_ms
