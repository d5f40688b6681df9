"""Steps of an episode: validate → act in the simulator → frame on disk → step row committed → acknowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from data.frames import FrameRef
from data.store import StoreBusy, dumps, now
from sim_bridge import errors as bridge
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.protocol import StepReply
from study.answering import Answering
from study.errors import BadAction, BudgetUsed, OutOfStep, WrongParadigm
from study.handles import Handles, parse
from study.records import EpisodeRecord
from study.showing import lay_open
from study.simulators import Live, OnWait, fingerprint_of, flag, offerable, turn
from study.standing import Standing
from study.steps import UNKEPT, Step, StepKind, clock, keep
from study.views import StepView
from study.wording import say


class Given(msgspec.Struct, frozen=True):
    """How an action was given; clock readings of the sender in milliseconds, None: not told."""

    client_time_ms: float | None = None
    """When the action was given."""
    painted_ms: float | None = None
    """When the frame before it was on the screen."""
    queued_ms: float | None = None
    """How long the press waited behind the step before it; 0: not at all."""
    input: str = ""
    """What the action was given with."""


class Acting(Answering):
    """The part of the engine that makes steps."""

    def act(
        self,
        episode_id: str,
        epoch: int,
        seq: int,
        action: str,
        *,
        client_time_ms: float | None = None,
        frame_painted_ms: float | None = None,
        queued_ms: float | None = None,
        given_with: str = "",
        on_wait: OnWait | None = None,
    ) -> StepView:
        """Execute one action as step `seq`.

        Args:
            episode_id: the episode.
            epoch: from `open`.
            seq: the current step's number + 1. Each (episode, epoch, seq) happens once: a repeat returns the stored step.
            action: canonical action text with public handles.
            client_time_ms: the sender's clock when the action was given, milliseconds.
            frame_painted_ms: the sender's clock when the frame before it was on the screen, milliseconds.
            queued_ms: how long the press waited behind the step before it, milliseconds; 0: not at all.
            given_with: what a person gave it with (``key``, ``button``, ``pointer``, ``touch``); of others it is ``agent``.
            on_wait: called with the place in the line while no simulator is free.

        Returns:
            The step, committed; its `image` is the observation.

        Raises:
            BadAction: no action, or not offered (free).
            BudgetUsed: no observation left.
            TakenOver, EpisodeOver, OutOfStep, UnknownEpisode: see there.
            BridgeDown, NoRoom, StorageFull: not done; the episode is kept, send the same step again.
        """
        with self._using(episode_id, epoch) as live:
            here = self._stands(self._mine(episode_id, epoch))
            objects = self._handles(here)
            try:
                public, scene_action = parse(here.task, action, objects)
            except bridge.ActionError as error:
                raise BadAction(str(error)) from None
            if stored := self._repeated(here, seq, public):
                return stored
            self._may_observe(here, seq)
            how = given(here, client_time_ms, frame_painted_ms, queued_ms, given_with)
            reply = self._simulators.run(live, here, lambda client, session: client.act(session, turn(seq), scene_action), on_wait)
            if stayed := self._forbidden(here, public, reply):
                return self._keep_place(live, here, seq, public, stayed, reply, how)
            return self._commit(live, here, seq, "action", public, scene_action, reply, objects, how)

    def next_phase(
        self,
        episode_id: str,
        epoch: int,
        seq: int,
        *,
        client_time_ms: float | None = None,
        frame_painted_ms: float | None = None,
        queued_ms: float | None = None,
        given_with: str = "",
        on_wait: OnWait | None = None,
    ) -> StepView:
        """Go on to the task's next part, as step `seq`: the camera is back at the start, the new view is an observation.

        Raises:
            BadAction: there is no further part.
            Otherwise as `act`.
        """
        with self._using(episode_id, epoch) as live:
            here = self._stands(self._mine(episode_id, epoch))
            phase = here.record.phase
            if seq == here.record.last_seq and phase and (stored := self._repeated(here, seq, f"phase:{phase}")):
                return stored
            upcoming = here.next_phase
            if upcoming is None:
                raise BadAction(say("refused.no_part"))
            action = f"phase:{upcoming}"
            self._may_observe(here, seq, new_phase=True)
            reply = self._simulators.run(live, here, lambda client, session: client.set_phase(session, turn(seq), upcoming), on_wait)
            there = Standing(msgspec.structs.replace(here.record, phase=upcoming), here.task)
            how = given(here, client_time_ms, frame_painted_ms, queued_ms, given_with)
            return self._commit(live, there, seq, "phase", action, action, reply, self._handles(there), how)

    def stay(self, episode_id: str, epoch: int, seq: int, reason: str, *, client_time_ms: float | None = None) -> StepView:
        """Spend one observation where the camera is: what a model's second piece of text that is no action costs (measurement 8).

        Raises:
            As `act`.
        """
        with self._using(episode_id, epoch) as live:
            here = self._stands(self._mine(episode_id, epoch))
            if stored := self._repeated(here, seq, "stay"):
                return stored
            self._may_observe(here, seq)
            last = self._step(episode_id, here.record.last_seq)
            step = _same_view(last, live.epoch, seq, "stay", "stay", reason, given(here, client_time_ms), {})
            return self._insert(live, here, step, (), None)

    @contextmanager
    def _using(self, episode_id: str, epoch: int) -> Iterator[Live]:
        """The locked session record of the current epoch; an epoch that is not current touches nothing."""
        record = self._mine(episode_id, epoch)
        in_scene(record)
        self.settle(record)
        with self._simulators.using(episode_id, epoch) as live:
            yield live

    def _start(self, episode_id: str, epoch: int, on_wait: OnWait | None) -> None:
        """Simulate and keep the first view."""
        with self._using(episode_id, epoch) as live:
            here = self._stands(self._mine(episode_id, epoch))
            if here.record.last_seq < 0:
                self._first_view(live, here, on_wait, None)

    def _first_view(self, live: Live, here: Standing, on_wait: OnWait | None, first: Callable[[], None] | None) -> None:
        """Simulate and keep step 0, or keep what is shown at once; `first` writes what must be there before it, in the same
        transaction."""
        if not here.paradigm.simulated:
            with self.store.atomic():
                if first is not None:
                    first()
                here = self._stands(self._mine(here.record.episode_id, live.epoch))
                self._not_over(here)
                if here.record.last_seq < 0:
                    lay_open(self.store, here.record, here.task)
            return
        reply = self._simulators.run(live, here, lambda client, session: live.loaded, on_wait)
        assert reply is not None
        self._commit(live, here, 0, "start", "start", "", reply, Handles((), {}), Given(), first)

    def _may_observe(self, here: Standing, seq: int, new_phase: bool = False) -> None:
        """Whether step `seq` may be the next observation."""
        self._not_over(here)
        if here.paradigm.paged:
            raise WrongParadigm("Here pictures are shown one after the other: there is no camera to move. Ask for the next, or answer.")
        last = here.record.last_seq
        if seq != last + 1:
            raise OutOfStep(f"The current step is {last}, so the next is {last + 1}, got {seq!r}. Look at it, then go on.")
        if here.used >= here.budget:
            raise BudgetUsed(say("refused.used_up", all=here.budget))
        if not new_phase and self._phase_left(here) <= 0:
            raise BudgetUsed(say("refused.part_used_up"))

    def _forbidden(self, here: Standing, action: str, reply: StepReply) -> str:
        """Why the protocol forbids what a camera action did; empty if it does not. Out of a wall or a thing every move is free."""
        if not here.protocol.forbids_clipping(here.task) or action not in CAMERA_ACTIONS or not reply.observation.clipped:
            return ""
        if self._step(here.record.episode_id, here.record.last_seq).clipped:
            return ""
        return "you cannot turn that way here" if action.startswith("turn") else "you cannot go there"

    def _keep_place(self, live: Live, here: Standing, seq: int, action: str, reason: str, reply: StepReply, given: Given) -> StepView:
        """Keep a camera action that is forbidden as a failed step: the simulator goes back, the view is the one before, byte for byte.

        Nothing is left to execute when the episode is resumed or replayed, so `sim_action` is empty.
        """
        last = self._step(here.record.episode_id, here.record.last_seq)
        self._simulators.undo(live, seq, last)
        step = _same_view(last, live.epoch, seq, "action", action, reason, given, _rounded(reply))
        return self._insert(live, here, step, (), None)

    def _repeated(self, here: Standing, seq: int, action: str) -> StepView | None:
        """The stored step when `seq` has happened in this epoch: a double click or a retry."""
        if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
            raise OutOfStep(f"A step has a number from 1, got {seq!r}.")
        last = here.record.last_seq
        if seq > last:
            return None
        stored = self._step(here.record.episode_id, seq)
        if stored.epoch != here.record.epoch or stored.action != action:
            raise OutOfStep(f"Step {seq} is done already ({stored.action}); the current step is {last}. Look, then go on.")
        return self._step_view(here, stored)

    def _commit(
        self,
        live: Live,
        here: Standing,
        seq: int,
        kind: StepKind,
        action: str,
        sim_action: str,
        reply: StepReply,
        objects: Handles,
        given: Given,
        first: Callable[[], None] | None = None,
    ) -> StepView:
        """Keep what the simulator returned, frames first, and acknowledge it."""
        try:
            seen = reply.observation
            refs = tuple(self.frames.put(frame) for frame in seen.frames)
            step = Step(
                episode_id=here.record.episode_id,
                seq=seq,
                epoch=live.epoch,
                event_seq=UNKEPT,
                kind=kind,
                action=action,
                sim_action=sim_action,
                ok=reply.ok,
                reason=objects.in_words(reply.reason or reply.ended),
                pose_before=reply.before,
                pose_after=seen.camera,
                pixel_hash=refs[-1].pixel_hash,
                more_frames=tuple(ref.pixel_hash for ref in refs[:-1]),
                visible=dict(sorted(seen.visible.items())),
                boxes=dict(sorted(seen.boxes.items())),
                clipped=seen.clipped,
                phase=here.record.phase,
                client_time_ms=given.client_time_ms,
                painted_ms=given.painted_ms,
                queued_ms=given.queued_ms,
                input=given.input,
                timing_ms=_rounded(reply),
                server_time="",
            )
        except BaseException:
            # the simulator is ahead of the database: it is built again from it
            self._simulators.drop(live)
            raise
        return self._insert(live, here, step, refs, reply, seen.frames[-1].data, first)

    def _insert(
        self,
        live: Live,
        here: Standing,
        step: Step,
        refs: Sequence[FrameRef],
        reply: StepReply | None,
        image: bytes | None = None,
        first: Callable[[], None] | None = None,
    ) -> StepView:
        episode_id, seq, at = step.episode_id, step.seq, now()
        record = msgspec.structs.replace(here.record, last_seq=seq, phase=step.phase)
        try:
            with self.store.atomic() as db:
                if first is not None:
                    first()
                current = self._stands(self._mine(episode_id, live.epoch))
                self._not_over(current)
                if current.record.last_seq != seq - 1:
                    raise OutOfStep(f"The current step is {current.record.last_seq}: look at it, then go on.")
                for ref in refs:
                    ref.record(db)
                    if not self.frames.path(ref.pixel_hash).exists():
                        # An erasure took the file away after it had been found there.
                        raise StoreBusy(f"The frame of step {seq} was removed while it was being kept. Send the same step again.")
                if seq == 0 and live.client is not None:
                    hello = live.client.hello
                    fingerprint = fingerprint_of(hello)
                    actions = dumps(list(offerable(here.task, hello.capabilities)))
                    hands = None if reply is None or reply.hands is None else dumps(msgspec.to_builtins(reply.hands))
                    record = msgspec.structs.replace(record, hands=None if reply is None else reply.hands)
                    db.execute(
                        "UPDATE episodes SET backend = ?, deterministic = ?, fingerprint = ?, actions = ?, hands = ? WHERE episode_id = ?",
                        [hello.backend, int(hello.deterministic), fingerprint, actions, hands, episode_id],
                    )
                step = keep(self.store, msgspec.structs.replace(step, server_time=at))
                db.execute("UPDATE episodes SET last_seq = ?, phase = ? WHERE episode_id = ?", [seq, step.phase, episode_id])
                if reply is not None and reply.snapshot is not None and live.client is not None:
                    db.execute(
                        "INSERT INTO snapshots (episode_id, seq, fingerprint, data) VALUES (?,?,?,?) ON CONFLICT (episode_id) "
                        "DO UPDATE SET seq = excluded.seq, fingerprint = excluded.fingerprint, data = excluded.data",
                        [episode_id, seq, fingerprint_of(live.client.hello), reply.snapshot],
                    )
                if step.clipped:
                    flag(self.store, episode_id, "clipped")
        except BaseException:
            self._simulators.drop(live)
            raise
        live.seq = seq if live.session is not None else -1
        if reply is not None and live.session is not None:
            live.snapshot = reply.snapshot
        return self._step_view(Standing(record, here.task), step, image_bytes=image)


def in_scene(record: EpisodeRecord) -> None:
    """Refuse to play what has no scene.

    Raises:
        WrongParadigm: it has none.
    """
    if record.met.opens == "pictures":
        raise WrongParadigm("This is a question about pictures: it has no camera to move and no simulator. Open it on its own page.")


def _same_view(
    last: Step, epoch: int, seq: int, kind: StepKind, action: str, reason: str, given: Given, timing_ms: dict[str, float]
) -> Step:
    """A failed step that changed nothing: what step `last` shows is its observation too, and the simulator executed nothing that lasts."""
    return msgspec.structs.replace(
        last,
        epoch=epoch,
        event_seq=UNKEPT,
        seq=seq,
        kind=kind,
        action=action,
        sim_action="",
        ok=False,
        reason=reason,
        pose_before=last.pose_after,
        more_frames=(),
        timing_ms=timing_ms,
        client_time_ms=given.client_time_ms,
        painted_ms=given.painted_ms,
        queued_ms=given.queued_ms,
        input=given.input,
    )


def _rounded(reply: StepReply) -> dict[str, float]:
    return {name: round(ms, 3) for name, ms in reply.timing_ms.items()}


def given(here: Standing, client_time_ms: Any, painted_ms: Any = None, queued_ms: Any = None, given_with: str = "") -> Given:
    """How an action was given, as it is kept."""
    person = here.record.agent_kind == "human"
    return Given(clock(client_time_ms), clock(painted_ms), clock(queued_ms), given_with if person else "agent")
