"""One episode, from its first view to its answer. People, models, scripts and the Gymnasium environment all go through here.

For every action: validate → act in the simulator → frame on disk → step row committed → acknowledge. Who may act is decided in the
database: every `open` raises the episode's epoch, and a commit of an earlier epoch is refused. The simulator is disposable: whenever
something went wrong after an action reached it, its session is thrown away and built again from the database (snapshot, else the list of
actions), so it never holds an action that the database does not.
"""

from __future__ import annotations

import json
import math
import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from data.frames import FrameRef, FrameStore
from data.store import Store, StoreBusy, dumps, new_id, now
from data.task import Answer, Question, Task
from sim_bridge import errors as bridge
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.protocol import StepReply
from study import scoring, slots, states
from study.errors import BadAction, BadAnswer, BudgetUsed, EpisodeOver, FrameNotShown, OutOfStep, TakenOver, UnknownEpisode, WrongParadigm
from study.handles import Handles, hand_needed, handles, handles_needed, held_after, parse
from study.protocol import Protocol, check_fit, seconds_left
from study.simulators import Live, OnWait, Pool, Simulators, as_offered, fingerprint_of, flag, offerable, turn
from study.steps import UNKEPT, Step, StepKind, keep, step_at
from study.views import BeliefView, EpisodeView, FinalView, HandleView, Saved, StepView
from study.words import in_words

HISTORY_LENGTH = 5
"""Earlier frames shown under the rule ``last5``, beside the current one (released runner)."""
GRACE_S = 2.0
"""What was sent within a time limit may arrive so much later (seconds)."""
MAX_REPORT = 5000
"""Longest problem report, in characters."""
_OVER = {
    "timed_out": "This task has ended: nothing happened in it for a long time, so its place was freed for others. What you did is kept."
}
"""What a person is told who comes back to an episode that ended without them."""


class EpisodeEngine:
    """Runs episodes. Thread-safe; everything it acknowledges is committed and on disk."""

    def __init__(self, store: Store, frames: FrameStore, pool: Pool, *, wait_s: float = 30.0) -> None:
        """Args:
        store: the database.
        frames: the frame folder.
        pool: simulators (`sim_bridge.pool.Pool`), started.
        wait_s: how long to wait in line for a simulator (seconds).
        """
        self.store, self.frames = store, frames
        self._simulators = Simulators(store, pool, wait_s)

    # beginning

    def create(
        self,
        task_hash: str,
        *,
        agent_kind: str = "human",
        agent_name: str = "",
        participant_id: str | None = None,
        slot_id: str | None = None,
        study_id: str | None = None,
        trial_index: int | None = None,
        protocol: Protocol | None = None,
        seed: int | None = None,
    ) -> str:
        """A new episode; nothing is simulated before `open`.

        Args:
            task_hash: content hash of the task.
            agent_kind: ``human``, ``model``, ``script`` or ``gym``.
            agent_name: model or script name.
            participant_id: pseudonymous id of the person.
            slot_id: the slot it fills; study, person and trial index are taken from it.
            study_id: the study, when there is no slot.
            trial_index: the how-manieth task of this participant, when there is no slot.
            protocol: settings; None: the defaults.
            seed: decides the order of options and the numbering of objects; None: drawn.

        Returns:
            The episode id.

        Raises:
            TaskNotFound: no such task.
            WrongParadigm: the task cannot be met as the protocol says.
            ValueError: unknown `agent_kind` or slot.
        """
        if agent_kind not in ("human", "model", "script", "gym"):
            raise ValueError(f"agent_kind is human, model, script or gym, got {agent_kind!r}")
        protocol = protocol or Protocol()
        task = self.store.get_task(task_hash)
        check_fit(task, protocol)
        seed = secrets.randbits(31) if seed is None else seed
        episode_id = new_id("ep")
        with self.store.atomic():
            if slot_id is not None:
                slot = self.store.one("SELECT study_id, participant_id, trial_index FROM slots WHERE slot_id = ?", [slot_id])
                if slot is None:
                    raise ValueError(f"no slot {slot_id!r}")
                study_id, participant_id, trial_index = slot["study_id"], slot["participant_id"], slot["trial_index"]
            at = now()
            order = _draw_order(task, seed, protocol)
            self.store.event(
                "episode_created",
                {"task": task_hash, "agent_kind": agent_kind, "agent_name": agent_name, "slot": slot_id, "seed": seed, "order": order}
                | {"protocol": protocol.model_dump(mode="json"), "trial_index": trial_index},
                at=at,
                study_id=study_id,
                participant_id=participant_id,
                episode_id=episode_id,
            )
            self.store.insert(
                "episodes",
                {
                    "episode_id": episode_id,
                    "task_hash": task_hash,
                    "study_id": study_id,
                    "participant_id": participant_id,
                    "slot_id": slot_id,
                    "agent_kind": agent_kind,
                    "agent_name": agent_name,
                    "paradigm": protocol.paradigm,
                    "protocol": protocol.model_dump_json(),
                    "seed": seed,
                    "option_order": dumps(order),
                    "trial_index": trial_index,
                    "state": "created",
                    "phase": task.scene.phases[0].name if task.scene.phases else "",
                    "created_at": at,
                },
            )
        return episode_id

    def open(self, episode_id: str, *, tab: str = "", on_wait: OnWait | None = None) -> EpisodeView:
        """Take the episode over: from now on only the returned epoch may act.

        A new episode is simulated up to its first view. An episode that went on before is answered from the database; the simulator
        resumes with the next action (or with `prepare`).

        Args:
            episode_id: the episode.
            tab: any word of the caller for itself, kept in the log.
            on_wait: called with the place in the line while no simulator is free.

        Returns:
            The view.

        Raises:
            UnknownEpisode: no such episode.
            EpisodeOver: it ended before its first view.
            BridgeDown, NoRoom, SceneUnplayable: its first view cannot be simulated now.
            StorageFull: no room; the episode is as it was.
            WrongParadigm: it is a question about pictures (`study.questions`).
        """
        _in_simulator(self._row(episode_id))
        row = self.take_over(episode_id, tab)
        if row["last_seq"] < 0 and row["state"] not in states.OVER:
            self._start(episode_id, row["epoch"], on_wait)
        else:
            self._simulators.supersede(episode_id, row["epoch"])
        return self.view(episode_id, row["epoch"])

    def take_over(self, episode_id: str, tab: str = "") -> dict[str, Any]:
        """Raise the epoch and write that the episode was opened; one that is over stays as it is. Returns its row as it is then."""
        with self.store.atomic() as db:
            row = self._row(episode_id)
            if row["state"] in states.OVER:
                return row
            state, at = states.after(states.EPISODE, row["state"], "open"), now()
            db.execute(
                "UPDATE episodes SET epoch = epoch + 1, tab = ?, state = ?, started_at = coalesce(started_at, ?) WHERE episode_id = ?",
                [tab, state, at, episode_id],
            )
            self.store.event("opened", {"epoch": row["epoch"] + 1, "tab": tab}, at=at, episode_id=episode_id)
            return self._row(episode_id)

    def view(self, episode_id: str, epoch: int | None = None) -> EpisodeView:
        """The episode as it stands, without taking it over.

        Raises:
            UnknownEpisode: no such episode, or not begun.
            EpisodeOver: it ended before its first view.
        """
        row = self._row(episode_id)
        task, protocol = self._task(row), _protocol(row)
        order = json.loads(row["option_order"])
        question = asked(task.question, protocol)
        free = question is not task.question
        if row["last_seq"] < 0:
            self._not_over(row)
            raise UnknownEpisode(f"The episode {episode_id!r} has no first view yet: open it.")
        return EpisodeView(
            episode_id=episode_id,
            epoch=row["epoch"] if epoch is None else epoch,
            state=row["state"],
            question=question.text,
            form=question.form,
            options=() if free else _pick(question.options, order["options"]),
            blanks=() if free else tuple(_pick(b, o) for b, o in zip(question.blanks, order["blanks"], strict=True)),
            blank_names=question.blank_names,
            targets=() if free else _pick(question.targets, order["targets"]),
            note=question.note,
            actions=task.actions,
            budget=_budget(task, protocol),
            step=self._step_view(row, task, self._step_row(episode_id, row["last_seq"]), image=False),
            shown=tuple(s for s in range(row["last_seq"] + 1) if _shown(s, row["last_seq"], protocol)),
            history=protocol.history,
            enlarge=protocol.enlarge,
            belief_bar=protocol.belief_bar,
            confidence_required=protocol.confidence_required,
            belief=self.last_belief(episode_id),
            width=task.scene.camera.width,
            height=task.scene.camera.height,
        )

    def _task(self, row: dict[str, Any]) -> Task:
        """The episode's task with the actions that this episode offers."""
        return as_offered(self.store.get_task(row["task_hash"]), row)

    def prepare(self, episode_id: str, epoch: int, on_wait: OnWait | None = None) -> None:
        """Bring the simulator to the current step ahead of the next action; the same errors as `act`."""
        with self._using(episode_id, epoch) as live:
            row = self._mine(episode_id, epoch)
            if row["state"] not in states.OVER:
                self._simulators.run(live, row, self._task(row), lambda client, session: None, on_wait)

    # acting

    def act(
        self,
        episode_id: str,
        epoch: int,
        seq: int,
        action: str,
        *,
        client_time_ms: float | None = None,
        frame_painted_ms: float | None = None,
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
            row = self._mine(episode_id, epoch)
            task = self._task(row)
            offered = self._handles(row, task)
            try:
                public, scene_action = parse(task, action, offered)
            except bridge.ActionError as error:
                raise BadAction(str(error)) from None
            if stored := self._repeated(row, task, seq, public):
                return stored
            self._may_observe(row, task, seq)
            times = {"client_time_ms": _clock(client_time_ms), "painted_ms": _clock(frame_painted_ms)}
            reply = self._simulators.run(live, row, task, lambda client, session: client.act(session, turn(seq), scene_action), on_wait)
            if stayed := self._forbidden(row, public, reply):
                return self._keep_place(live, row, task, seq, public, stayed, reply, times)
            return self._commit(live, row, task, seq, "action", public, scene_action, reply, offered, times)

    def next_phase(
        self,
        episode_id: str,
        epoch: int,
        seq: int,
        *,
        client_time_ms: float | None = None,
        frame_painted_ms: float | None = None,
        on_wait: OnWait | None = None,
    ) -> StepView:
        """Go on to the task's next part, as step `seq`: the camera is back at the start, the new view is an observation.

        Raises:
            BadAction: there is no further part.
            Otherwise as `act`.
        """
        with self._using(episode_id, epoch) as live:
            row = self._mine(episode_id, epoch)
            task = self._task(row)
            if seq == row["last_seq"] and row["phase"] and (stored := self._repeated(row, task, seq, f"phase:{row['phase']}")):
                return stored
            upcoming = _next_phase(task, row["phase"])
            if upcoming is None:
                raise BadAction("This task has no further part: answer when you are ready.")
            action = f"phase:{upcoming}"
            self._may_observe(row, task, seq, new_phase=True)
            reply = self._simulators.run(live, row, task, lambda client, session: client.set_phase(session, turn(seq), upcoming), on_wait)
            row = row | {"phase": upcoming}
            times = {"client_time_ms": _clock(client_time_ms), "painted_ms": _clock(frame_painted_ms)}
            return self._commit(live, row, task, seq, "phase", action, action, reply, self._handles(row, task), times)

    def stay(self, episode_id: str, epoch: int, seq: int, reason: str, *, client_time_ms: float | None = None) -> StepView:
        """Spend one observation where the camera is: what a model's second piece of text that is no action costs (`science.md` 8).

        Raises:
            As `act`.
        """
        with self._using(episode_id, epoch) as live:
            row = self._mine(episode_id, epoch)
            task = self._task(row)
            if stored := self._repeated(row, task, seq, "stay"):
                return stored
            self._may_observe(row, task, seq)
            last = self._step_row(episode_id, row["last_seq"])
            times = {"client_time_ms": _clock(client_time_ms), "painted_ms": None}
            return self._insert(live, row, task, _same_view(last, live.epoch, seq, "stay", "stay", reason, times, {}), (), None)

    # what is thought and answered

    def belief(self, episode_id: str, epoch: int, n: int, answer: Any, confidence: int | None) -> Saved:
        """Keep the current answer and confidence; each change is an event.

        Args:
            n: the sender's count of changes in this epoch; each (episode, epoch, n) is kept once.
            answer: in the question's form, possibly incomplete; None: no answer yet.
            confidence: 0–100, or None for untouched.

        Raises:
            BadAnswer: a confidence or a person's answer not of the question's form, or the protocol has no belief bar.
            TakenOver, EpisodeOver, UnknownEpisode, StorageFull: see there.
        """
        confidence = _confidence(confidence)
        raw = _raw(answer)
        self.settle(episode_id)
        with self.store.atomic():
            row = self._mine(episode_id, epoch)
            known = self.store.one(
                "SELECT server_time FROM beliefs WHERE episode_id = ? AND epoch = ? AND n = ?", [episode_id, epoch, _integer(n, "n")]
            )
            if known:
                return Saved(saved_at=known["server_time"])
            self._not_over(row)
            if row["agent_kind"] == "human" and not _protocol(row).belief_bar:
                raise BadAnswer("This study does not ask for a current answer; give the final one when you are ready.")
            task, at = self.store.get_task(row["task_hash"]), now()
            value = self._read_answer(row, task, answer, unfinished=True)
            data = {"epoch": epoch, "n": n, "seq": row["last_seq"], "raw": answer, "answer": value, "confidence": confidence}
            event_seq = self.store.event("belief", data, at=at, episode_id=episode_id)
            self.store.insert(
                "beliefs",
                {"episode_id": episode_id, "epoch": epoch, "n": n, "seq": row["last_seq"], "event_seq": event_seq}
                | {"raw": raw, "answer": None if value is None else dumps(value), "confidence": confidence, "server_time": at},
            )
        return Saved(saved_at=at)

    def answer(
        self,
        episode_id: str,
        epoch: int,
        answer: Any,
        confidence: int | None = None,
        *,
        reasoning: str = "",
        stopped_by: str | None = None,
    ) -> FinalView:
        """Give the final answer: it is kept, scored, and ends the episode.

        Args:
            answer: in the question's form. Models may end without one (None or "not sure").
            confidence: 0–100, or None for untouched.
            reasoning: a model's own words.
            stopped_by: why a model's loop ended; None: ``answer``, or ``budget`` when no observation was left.

        Returns:
            The end; right or wrong is told only where the protocol shows feedback.

        Raises:
            BadAnswer: not of the question's form; nothing is lost, answer again.
            TakenOver, EpisodeOver, UnknownEpisode, StorageFull: see there.
        """
        confidence = _confidence(confidence)
        raw = _raw(answer)
        self.settle(episode_id)
        with self.store.atomic():
            row = self._mine(episode_id, epoch)
            task, protocol = self.store.get_task(row["task_hash"]), _protocol(row)
            kept = self.store.one("SELECT * FROM answers WHERE episode_id = ?", [episode_id])
            if kept and kept["epoch"] == epoch and kept["raw"] == raw:
                return self._final_view(row, task)
            self._not_over(row)
            if row["last_seq"] < 0:
                raise BadAnswer("The task has not been shown yet: open it, then answer.")
            value = self._read_answer(row, task, answer)
            if confidence is None and protocol.confidence_required:
                raise BadAnswer("Say how sure you are (0 to 100) before you send your answer. Nothing was lost.")
            used = protocol.paradigm == "active" and row["last_seq"] + 1 >= _budget(task, protocol)
            stopped_by = stopped_by or ("budget" if used else "answer")
            final = self._finish(row, task, answer, value, confidence, reasoning, stopped_by)
        self._simulators.release(episode_id)
        return final

    def settle(self, episode_id: str) -> None:
        """End an episode whose time is up (`Protocol.time_limit_s`): what the person had chosen last is the answer."""
        row = self._row(episode_id)
        if row["state"] in states.OVER or row["last_seq"] < 0 or not _late(row):
            return
        with self.store.atomic():
            row = self._row(episode_id)
            if row["state"] in states.OVER:
                return
            task, last = self.store.get_task(row["task_hash"]), self.last_belief(episode_id)
            answer, confidence = (last.answer, last.confidence) if last else (None, None)
            self._finish(row, task, answer, answer, confidence, "", "time_limit")

    def _finish(
        self, row: dict[str, Any], task: Task, answer: Any, value: Answer | None, confidence: int | None, reasoning: str, stopped_by: str
    ) -> FinalView:
        """Keep and score the final answer and end the episode; part of the caller's transaction."""
        episode_id, at = row["episode_id"], now()
        data = {"epoch": row["epoch"], "seq": row["last_seq"], "raw": answer, "answer": value, "confidence": confidence}
        event_seq = self.store.event("answered", data | {"reasoning": reasoning, "stopped_by": stopped_by}, at=at, episode_id=episode_id)
        self.store.insert(
            "answers",
            {"episode_id": episode_id, "epoch": row["epoch"], "seq": row["last_seq"], "event_seq": event_seq, "raw": _raw(answer)}
            | {"answer": None if value is None else dumps(value), "confidence": confidence}
            | {"reasoning": reasoning, "stopped_by": stopped_by, "server_time": at},
        )
        record_score(self.store, row, task, answer, self._shown_options(row, task))
        self._set_state(row, "answer", at)
        self.store.db.execute("DELETE FROM snapshots WHERE episode_id = ?", [episode_id])
        return self._final_view(self._row(episode_id), task)

    def end(self, episode_id: str, event: str, *, actor: str = "", release: bool = True) -> str:
        """End an episode without an answer: ``return``, ``time_out``, ``reject`` or ``withdraw``. Returns the new state.

        `release=False` leaves the simulator to a later `release`, for callers inside a transaction of their own.

        Raises:
            BadTransition: impossible in its state.
        """
        with self.store.atomic():
            row = self._row(episode_id)
            state = self._set_state(row, event, now(), actor=actor)
        if release:
            self._simulators.release(episode_id)
        return state

    def report_problem(self, episode_id: str, epoch: int, text: str) -> Saved:
        """Keep a participant's report of a problem, with the step it belongs to. Possible after the end too.

        Raises:
            BadAnswer: empty or longer than 5,000 characters.
        """
        if not isinstance(text, str) or not text.strip() or len(text) > MAX_REPORT or not _is_text(text):
            raise BadAnswer(f"Describe the problem in 1 to {MAX_REPORT} characters.")
        with self.store.atomic():
            row, at = self._row(episode_id), now()
            event_seq = self.store.event("problem", {"seq": row["last_seq"], "epoch": epoch, "text": text}, at=at, episode_id=episode_id)
            self.store.insert(
                "problems",
                {"problem_id": new_id("pr"), "episode_id": episode_id, "seq": row["last_seq"], "event_seq": event_seq}
                | {"text": text, "server_time": at},
            )
        return Saved(saved_at=at)

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
        row = self._row(episode_id)
        if not (0 <= seq <= row["last_seq"]) or not _shown(seq, row["last_seq"], _protocol(row)):
            raise FrameNotShown("This view is not shown (any more) in this study. Go on from the current one.")
        step = self._step_row(episode_id, seq)
        if not -1 <= index < len(step.frames):
            raise FrameNotShown(f"Step {seq} has {len(step.frames)} frame(s), got {index!r}.")
        if looked and seq < row["last_seq"]:
            self.store.event("looked_back", {"seq": seq, "at_seq": row["last_seq"]}, episode_id=episode_id)
        return self._frame_bytes(step.frames[index])

    # simulators

    def release(self, episode_id: str) -> None:
        """Give the episode's simulator back; it resumes when the episode goes on."""
        self._simulators.release(episode_id)

    def sweep(self, idle_s: float = 900.0) -> int:
        """Give back simulators of episodes that have been idle for `idle_s` seconds; returns how many."""
        return self._simulators.sweep(idle_s)

    def close(self) -> None:
        """Give every simulator back."""
        self._simulators.close()

    @contextmanager
    def _using(self, episode_id: str, epoch: int) -> Iterator[Live]:
        """The locked session record of the current epoch; an epoch that is not current touches nothing."""
        _in_simulator(self._mine(episode_id, epoch))
        with self._simulators.using(episode_id, epoch) as live:
            yield live

    def _start(self, episode_id: str, epoch: int, on_wait: OnWait | None) -> None:
        """Simulate and keep the first view."""
        with self._using(episode_id, epoch) as live:
            row = self._mine(episode_id, epoch)
            if row["last_seq"] >= 0:
                return
            task = self.store.get_task(row["task_hash"])
            reply = self._simulators.run(live, row, task, lambda client, session: live.loaded, on_wait)
            assert reply is not None
            times = {"client_time_ms": None, "painted_ms": None}
            self._commit(live, row, task, 0, "start", "start", "", reply, Handles((), {}), times)

    # one step

    def _may_observe(self, row: dict[str, Any], task: Task, seq: int, new_phase: bool = False) -> None:
        """Whether step `seq` may be the next observation."""
        self._not_over(row)
        if seq != row["last_seq"] + 1:
            raise OutOfStep(
                f"The current step is {row['last_seq']}, so the next is {row['last_seq'] + 1}, got {seq!r}. Look at it, then go on."
            )
        budget = _budget(task, _protocol(row))
        if row["last_seq"] + 1 >= budget:
            raise BudgetUsed(f"All {budget} observations are used up: give your answer now.")
        if not new_phase and self._phase_left(row, task) <= 0:
            raise BudgetUsed("The observations of this part are used up: go on to the next part, or give your answer.")

    def _forbidden(self, row: dict[str, Any], action: str, reply: StepReply) -> str:
        """Why the protocol forbids what a camera action did; empty if it does not. Out of a wall or a thing every move is free."""
        if _protocol(row).clipping == "flag" or action not in CAMERA_ACTIONS or not reply.observation.clipped:
            return ""
        if self._step_row(row["episode_id"], row["last_seq"]).clipped:
            return ""
        return "you cannot turn that way here" if action.startswith("turn") else "you cannot go there"

    def _keep_place(
        self,
        live: Live,
        row: dict[str, Any],
        task: Task,
        seq: int,
        action: str,
        reason: str,
        reply: StepReply,
        times: Mapping[str, float | None],
    ) -> StepView:
        """Keep a camera action that is forbidden as a failed step: the simulator goes back, the view is the one before, byte for byte.

        Nothing is left to execute when the episode is resumed or replayed, so `sim_action` is empty.
        """
        last = self._step_row(row["episode_id"], row["last_seq"])
        self._simulators.undo(live, seq, last)
        step = _same_view(last, live.epoch, seq, "action", action, reason, times, _rounded(reply))
        return self._insert(live, row, task, step, (), None)

    def _repeated(self, row: dict[str, Any], task: Task, seq: int, action: str) -> StepView | None:
        """The stored step when `seq` has happened in this epoch: a double click or a retry."""
        if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
            raise OutOfStep(f"A step has a number from 1, got {seq!r}.")
        if seq > row["last_seq"]:
            return None
        stored = self._step_row(row["episode_id"], seq)
        if stored.epoch != row["epoch"] or stored.action != action:
            raise OutOfStep(f"Step {seq} is done already ({stored.action}); the current step is {row['last_seq']}. Look, then go on.")
        return self._step_view(row, task, stored)

    def _commit(
        self,
        live: Live,
        row: dict[str, Any],
        task: Task,
        seq: int,
        kind: StepKind,
        action: str,
        sim_action: str,
        reply: StepReply,
        offered: Handles,
        times: Mapping[str, float | None],
    ) -> StepView:
        """Keep what the simulator returned, frames first, and acknowledge it."""
        try:
            seen = reply.observation
            refs = tuple(self.frames.put(frame) for frame in seen.frames)
            step = Step(
                episode_id=row["episode_id"],
                seq=seq,
                epoch=live.epoch,
                event_seq=UNKEPT,
                kind=kind,
                action=action,
                sim_action=sim_action,
                ok=reply.ok,
                reason=offered.in_words(reply.reason),
                pose_before=reply.before,
                pose_after=seen.camera,
                pixel_hash=refs[-1].pixel_hash,
                more_frames=tuple(ref.pixel_hash for ref in refs[:-1]),
                visible=dict(sorted(seen.visible.items())),
                clipped=seen.clipped,
                phase=row["phase"],
                timing_ms=_rounded(reply),
                server_time="",
                **times,
            )
        except BaseException:
            # the simulator is ahead of the database: it is built again from it
            self._simulators.drop(live)
            raise
        return self._insert(live, row, task, step, refs, reply, seen.frames[-1].data)

    def _insert(
        self,
        live: Live,
        row: dict[str, Any],
        task: Task,
        step: Step,
        refs: Sequence[FrameRef],
        reply: StepReply | None,
        image: bytes | None = None,
    ) -> StepView:
        episode_id, seq, at = row["episode_id"], step.seq, now()
        try:
            with self.store.atomic() as db:
                current = self._mine(episode_id, live.epoch)
                self._not_over(current)
                if current["last_seq"] != seq - 1:
                    raise OutOfStep(f"The current step is {current['last_seq']}: look at it, then go on.")
                for ref in refs:
                    ref.record(db)
                    if not self.frames.path(ref.pixel_hash).exists():
                        # An erasure took the file away after it had been found there.
                        raise StoreBusy(f"The frame of step {seq} was removed while it was being kept. Send the same step again.")
                if seq == 0 and live.client is not None:
                    hello = live.client.hello
                    fingerprint = fingerprint_of(hello)
                    actions = dumps(list(offerable(task, hello.capabilities)))
                    db.execute(
                        "UPDATE episodes SET backend = ?, deterministic = ?, fingerprint = ?, actions = ? WHERE episode_id = ?",
                        [hello.backend, int(hello.deterministic), fingerprint, actions, episode_id],
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
        return self._step_view(row | {"last_seq": seq, "phase": step.phase}, task, step, image_bytes=image)

    def _step_view(
        self, row: dict[str, Any], task: Task, step: Step, *, image: bool = True, image_bytes: bytes | None = None
    ) -> StepView:
        budget = _budget(task, _protocol(row))
        offered = self._handles(row, task)
        left = budget - (row["last_seq"] + 1)
        upcoming = _next_phase(task, row["phase"])
        if image and image_bytes is None and _shown(step.seq, row["last_seq"], _protocol(row)):
            image_bytes = self._frame_bytes(step.pixel_hash)
        return StepView(
            seq=step.seq,
            action=step.action,
            ok=step.ok,
            words=in_words(step.action, step.ok, step.reason, dict(offered.offers)),
            reason=step.reason,
            observations_left=left,
            forced=left <= 0,
            phase=step.phase,
            phase_used=upcoming is not None and self._phase_left(row, task) <= 0,
            phase_next=upcoming is not None,
            handles=tuple(HandleView(handle=handle, label=label) for handle, label in offered.offers),
            frames=len(step.frames),
            held=self._held(row, task, step.seq, dict(offered.offers)),
            saved_at=step.server_time,
            image=image_bytes,
            timing_ms=step.timing_ms,
        )

    # reading

    def _row(self, episode_id: str) -> dict[str, Any]:
        row = self.store.one("SELECT * FROM episodes WHERE episode_id = ?", [str(episode_id)])
        if row is None:
            raise UnknownEpisode(f"There is no episode {str(episode_id)[:40]!r} here.")
        return row

    def _mine(self, episode_id: str, epoch: int) -> dict[str, Any]:
        """The episode's row, if `epoch` is the current one."""
        row = self._row(episode_id)
        if row["epoch"] != epoch:
            raise TakenOver(
                "This task was opened elsewhere (another tab, window or device) and goes on there. Reload here to take it back."
            )
        return row

    @staticmethod
    def _not_over(row: dict[str, Any]) -> None:
        if row["state"] in states.OVER:
            raise EpisodeOver(_OVER.get(row["state"], f"This task is over ({row['state']}); nothing can be added."))

    def _step_row(self, episode_id: str, seq: int) -> Step:
        step = step_at(self.store, episode_id, seq)
        if step is None:
            raise OutOfStep(f"There is no step {seq!r}.")
        return step

    def _frame_bytes(self, pixel_hash: str) -> bytes:
        row = self.store.one("SELECT file_hash FROM frames WHERE pixel_hash = ?", [pixel_hash])
        return self.frames.read(pixel_hash, row["file_hash"] if row else None)

    def _handles(self, row: dict[str, Any], task: Task) -> Handles:
        if not handles_needed(task):
            return Handles((), {})
        seen = self.store.query("SELECT visible FROM steps WHERE episode_id = ? ORDER BY seq", [row["episode_id"]])
        return handles(task, row["seed"], [json.loads(s["visible"]) for s in seen])

    def _held(self, row: dict[str, Any], task: Task, seq: int, labels: Mapping[str, str]) -> HandleView | None:
        """What is in the hand after step `seq`."""
        if not hand_needed(task):
            return None
        done = self.store.query("SELECT action, ok FROM steps WHERE episode_id = ? AND seq <= ? ORDER BY seq", [row["episode_id"], seq])
        handle = held_after((step["action"], bool(step["ok"])) for step in done)
        return None if handle is None else HandleView(handle=handle, label=labels[handle])

    def _phase_left(self, row: dict[str, Any], task: Task) -> int:
        """Observations left in the current part; each later part keeps at least one."""
        budget, phases = _budget(task, _protocol(row)), task.scene.phases
        if not phases:
            return budget - (row["last_seq"] + 1)
        index = [phase.name for phase in phases].index(row["phase"])
        counted = self.store.one("SELECT count(*) AS n FROM steps WHERE episode_id = ? AND phase = ?", [row["episode_id"], row["phase"]])
        used = counted["n"] if counted else 0
        before = row["last_seq"] + 1 - used
        share = max(1, int(phases[index].budget_share * budget + 1e-9))
        return min(share, budget - before - (len(phases) - 1 - index)) - used

    def _shown_options(self, row: dict[str, Any], task: Task) -> tuple[str, ...]:
        return _pick(task.question.options, json.loads(row["option_order"])["options"])

    def _read_answer(self, row: dict[str, Any], task: Task, answer: Any, *, unfinished: bool = False) -> Answer | None:
        """An answer in the question's own words; None where a model (or, so far, a person) has given none that can be read.

        Args:
            row: the episode's row.
            task: its task.
            answer: as it was given.
            unfinished: whether a person may also give no answer yet, or a part of one.

        Raises:
            BadAnswer: a person's answer is not of the question's form.
        """
        question = asked(task.question, _protocol(row))
        value = scoring.normalise(task.question.form, task.question, answer, self._shown_options(row, task))
        if value is None and question is not task.question:
            value = scoring.normalise(question.form, question, answer)
        waits = unfinished and (answer is None or scoring.is_unfinished(question.form, question, answer))
        if value is None and row["agent_kind"] == "human" and not waits:
            raise BadAnswer(f"{scoring.explain(question)} Nothing was lost: change your answer and send it again.")
        return value

    def last_belief(self, episode_id: str) -> BeliefView | None:
        """What was thought last, in whatever opening of the episode."""
        row = self.store.one("SELECT * FROM beliefs WHERE episode_id = ? ORDER BY event_seq DESC LIMIT 1", [episode_id])
        if row is None:
            return None
        answer = json.loads(row["answer"]) if row["answer"] else None
        return BeliefView(n=row["n"], answer=answer, confidence=row["confidence"], seq=row["seq"], saved_at=row["server_time"])

    def _final_view(self, row: dict[str, Any], task: Task) -> FinalView:
        kept = self.store.one("SELECT * FROM answers WHERE episode_id = ?", [row["episode_id"]])
        assert kept is not None
        score = self.store.one("SELECT correct_lenient FROM scores WHERE episode_id = ?", [row["episode_id"]])
        told = _protocol(row).show_feedback and score is not None
        return FinalView(
            state=row["state"],
            saved_at=kept["server_time"],
            observations=kept["seq"] + 1,
            answer=json.loads(kept["answer"]) if kept["answer"] else None,
            confidence=kept["confidence"],
            correct=bool(score["correct_lenient"]) if told and score else None,
            right_answer=task.gold.accepted[0] if told else None,
        )

    def _set_state(self, row: dict[str, Any], event: str, at: str, *, actor: str = "") -> str:
        state = states.after(states.EPISODE, row["state"], event)
        with self.store.atomic() as db:
            db.execute(
                "UPDATE episodes SET state = ?, finished_at = coalesce(finished_at, ?) WHERE episode_id = ?", [state, at, row["episode_id"]]
            )
            self.store.event("episode_state", {"event": event, "state": state}, at=at, actor=actor, episode_id=row["episode_id"])
            if row["slot_id"]:
                slots.move(self.store, row["slot_id"], event)
        return state


def record_score(store: Store, row: dict[str, Any], task: Task, answer: Any, shown: Sequence[str]) -> scoring.Score:
    """Score an answer and keep the score; computing it anew replaces it.

    Args:
        store: the database.
        row: the episode's row.
        task: the task version whose gold counts.
        answer: as it was given.
        shown: options in the order shown.
    """
    result = scoring.score(task, answer, shown)
    details = {name: value for name in ("absolute_error", "soft_score") if (value := getattr(result, name)) is not None}
    scored = {"episode_id": row["episode_id"], "task_hash": task.content_hash, "scorer": scoring.SCORER, "chance": result.chance}
    scored |= {name: int(getattr(result, name)) for name in ("answered", "correct_strict", "correct_lenient")}
    with store.atomic() as db:
        db.table("scores").upsert(scored | {"details": dumps(details), "computed_at": now()}, pk=("episode_id", "task_hash"))
    return result


def _in_simulator(row: dict[str, Any]) -> None:
    """Refuse to simulate what has no scene."""
    if row["paradigm"] == "multiview_qa":
        raise WrongParadigm("This is a question about pictures: it has no camera to move and no simulator. Open it on its own page.")


def _late(row: dict[str, Any]) -> bool:
    """Whether an episode's time was up so long ago that what arrives now was not sent in time."""
    left = seconds_left(_protocol(row), row["started_at"])
    return left is not None and left < -GRACE_S


def _protocol(row: dict[str, Any]) -> Protocol:
    return Protocol.model_validate_json(row["protocol"])


def _budget(task: Task, protocol: Protocol) -> int:
    return protocol.budget or task.budget


def asked(question: Question, protocol: Protocol) -> Question:
    """The question as a showing asks it: where its protocol asks for free text, without options and answered in words (or a number)."""
    if protocol.answer_form != "free_text":
        return question
    form = question.form if question.form in ("count", "number") else "free_text"
    return question.model_copy(update={"form": form, "options": (), "blanks": (), "targets": ()})


def _shown(seq: int, last: int, protocol: Protocol) -> bool:
    """Whether the history rule shows step `seq` when `last` is the current one."""
    reach = {"none": 0, "last5": HISTORY_LENGTH, "all": last}[protocol.history]
    return last - reach <= seq <= last


def _next_phase(task: Task, phase: str) -> str | None:
    names = [p.name for p in task.scene.phases]
    if phase not in names:
        return None
    index = names.index(phase) + 1
    return names[index] if index < len(names) else None


def _draw_order(task: Task, seed: int, protocol: Protocol) -> dict[str, Any]:
    """In which order options, blanks' options and targets are shown: indices into the question's own order. Counts keep their order."""
    draw = random.Random(seed)
    question = task.question

    def order(n: int) -> list[int]:
        indices = list(range(n))
        if protocol.shuffle_options and protocol.paradigm == "active" and question.form not in ("count", "number"):
            draw.shuffle(indices)
        return indices

    return {
        "options": order(len(question.options)),
        "blanks": [order(len(b)) for b in question.blanks],
        "targets": order(len(question.targets)),
    }


def _pick(texts: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    return tuple(texts[i] for i in order)


def _same_view(
    last: Step,
    epoch: int,
    seq: int,
    kind: StepKind,
    action: str,
    reason: str,
    times: Mapping[str, float | None],
    timing_ms: dict[str, float],
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
        **times,
    )


def _rounded(reply: StepReply) -> dict[str, float]:
    return {name: round(ms, 3) for name, ms in reply.timing_ms.items()}


def _confidence(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100 or value != int(value):
        raise BadAnswer(f"Confidence is a whole number from 0 to 100 (or left out), got {str(value)[:40]!r}. Nothing was lost.")
    return int(value)


def _integer(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise BadAnswer(f"{name} is a whole number from 0, got {str(value)[:40]!r}.")
    return value


def _raw(answer: Any) -> str:
    """The answer as it was given, as JSON text; refuses what is no text, number, list or mapping of such, or too long."""
    try:
        text = dumps(answer)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        text = ""
    if not text or len(text) > 4 * scoring.MAX_TEXT:
        raise BadAnswer("An answer is a text, a number, a list or a mapping of at most 16,000 characters. Nothing was lost.")
    return text


def _is_text(text: str) -> bool:
    """Whether a text can be written: half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _clock(value: Any) -> float | None:
    """A sender's clock reading, milliseconds; what is none is left out."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e15
    return float(value) if good else None

