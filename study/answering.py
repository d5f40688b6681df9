"""What is thought and answered in an episode, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from data.rows import columns
from data.store import Store, dumps, now
from data.task import Answer, Task
from study import clocks, scoring, slots, states
from study.errors import BadAnswer, OutOfStep
from study.noting import Noting
from study.records import AnswerRecord, BeliefRecord, EpisodeRecord, ParticipantRecord, ScoreRecord
from study.standing import Standing
from study.steps import clock
from study.views import FinalView, Saved
from study.wording import say

MAX_BELIEFS = 3000
"""Most changes of answer and confidence kept of one episode: a hundred at each of thirty observations."""


class Answering(Noting):
    """The part of the engine that keeps beliefs, answers and ends."""

    def belief(
        self, episode_id: str, epoch: int, n: int, answer: Any, confidence: int | None, *, client_time_ms: float | None = None
    ) -> Saved:
        """Keep the current answer and confidence; each change is an event.

        Args:
            episode_id: the episode.
            epoch: the opening that asks, from `open`; an older one is `TakenOver`.
            n: the sender's count of changes in this epoch; each (episode, epoch, n) is kept once.
            answer: in the question's form, possibly incomplete; None: no answer yet.
            confidence: 0–100, or None for untouched.
            client_time_ms: the sender's clock when it was thought, milliseconds.

        Raises:
            BadAnswer: a confidence or a person's answer not of the question's form, or the protocol has no belief bar.
            TakenOver, EpisodeOver, UnknownEpisode, StorageFull: see there.
        """
        confidence = _confidence(confidence)
        raw = _raw(answer)
        with self._in_time(episode_id, epoch) as here:
            known = self.store.row(
                "SELECT * FROM beliefs WHERE episode_id = ? AND epoch = ? AND n = ?", BeliefRecord, [episode_id, epoch, _integer(n, "n")]
            )
            if known:
                if (known.raw, known.confidence) != (raw, confidence):
                    raise OutOfStep(f"Change {n} of this answer is kept already and says something else. Number this one {n + 1} or more.")
                return Saved(saved_at=known.server_time)
            self._not_over(here)
            self._under_total("beliefs", episode_id, MAX_BELIEFS, "Your answer was changed")
            if here.record.agent_kind == "human" and not here.protocol.probes_at(here.record.last_seq):
                raise BadAnswer(say("refused.no_belief"))
            at, seq = now(), here.record.last_seq
            value = self._read_answer(here, answer, unfinished=True)
            thought = clock(client_time_ms)
            data = {"epoch": epoch, "n": n, "seq": seq, "raw": answer, "answer": value, "confidence": confidence, "client_time_ms": thought}
            belief = BeliefRecord(
                episode_id=episode_id,
                epoch=epoch,
                n=n,
                seq=seq,
                event_seq=self.store.event("belief", data, at=at, episode_id=episode_id),
                raw=raw,
                answer=None if value is None else dumps(value),
                confidence=confidence,
                client_time_ms=thought,
                server_time=at,
            )
            self.store.insert("beliefs", columns(belief))
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
        client_time_ms: float | None = None,
        of_program: bool = False,
    ) -> FinalView:
        """Give the final answer: it is kept, scored, and ends the episode.

        Args:
            episode_id: the episode.
            epoch: the opening that asks, from `open`; an older one is `TakenOver`.
            answer: in the question's form. Models may end without one (None or "not sure").
            confidence: 0–100, or None for untouched.
            reasoning: a model's own words.
            stopped_by: why a model's loop ended; None: ``answer``, or ``budget`` when no observation was left.
            client_time_ms: the sender's clock when it was submitted, milliseconds.
            of_program: whether a list or a mapping that cannot be read is refused: a program made it, not a model's words.

        Returns:
            The end; right or wrong is told only where the protocol shows feedback.

        Raises:
            BadAnswer: not of the question's form; nothing is lost, answer again.
            TakenOver, EpisodeOver, UnknownEpisode, StorageFull: see there.
        """
        confidence = _confidence(confidence)
        raw = _raw(answer)
        with self._in_time(episode_id, epoch) as here:
            kept = self._kept_answer(episode_id)
            if kept and (kept.epoch, kept.raw, kept.confidence) == (epoch, raw, confidence):
                return self._final_view(here)
            self._not_over(here)
            if here.record.last_seq < 0:
                raise BadAnswer(say("refused.not_seen"))
            if here.paradigm.paged and here.used < here.budget and not here.protocol.early_answer:
                raise BadAnswer(say("refused.look_at_all", all=here.budget, number=here.used))
            value = self._read_answer(here, answer)
            if value is None and of_program and isinstance(answer, (list, dict)):
                raise BadAnswer(f"{scoring.explain(here.question)} {scoring.shape(here.question)} The episode is not over: send it again.")
            if confidence is None and here.protocol.confidence_required and here.record.agent_kind == "human":
                raise BadAnswer(say("refused.confidence"))
            used_up = here.paradigm.acts and here.used >= here.budget
            stopped_by = stopped_by or ("budget" if used_up else "answer")
            final = self._finish(here, answer, value, confidence, reasoning, stopped_by, clock(client_time_ms))
        self._simulators.release(episode_id)
        return final

    def settle(self, record: EpisodeRecord) -> EpisodeRecord:
        """End an episode whose time is up (`study.clocks`): what the person had chosen last is the answer. Returns its record as it is
        then. Asked at every act, so nothing is read where there is no limit."""
        if (left := clocks.left(self.store, record)) is None or left.seconds >= -clocks.GRACE_S:
            return record
        last = self.last_belief(record.episode_id)
        self._time_up(record, left.limit, (last.answer, last.confidence) if last else (None, None))
        return self._record(record.episode_id)

    @contextmanager
    def _in_time(self, episode_id: str, epoch: int) -> Iterator[Standing]:
        """A transaction in which the episode stands as the current epoch has it; one whose time is up was ended before."""
        with self.store.atomic():
            here = self._stands(self._mine(episode_id, epoch))
            if not clocks.limited(self.store, here.record):
                yield here
                return
        # what is left is long to read, and nobody else waits for it
        self.settle(here.record)
        with self.store.atomic():
            yield self._stands(self._mine(episode_id, epoch))

    def time_up(self, episode_id: str, epoch: int, answer: Any = None, confidence: int | None = None) -> float | None:
        """The sender's clock says that the time is up: end the episode if it is.

        Args:
            episode_id: the episode.
            epoch: the opening that asks, from `open`; an older one is `TakenOver`.
            answer: what stood on the page, in the question's form or unfinished; it counts where it comes in time, else what was thought
                last does.
            confidence: what stood there, 0–100; None: untouched.

        Returns:
            Seconds that are left by the server's clock; None: the episode is over, or has no limit.

        Raises:
            BadAnswer: a confidence that cannot be, or an answer that is none at all.
            TakenOver, UnknownEpisode: see there.
        """
        confidence = _confidence(confidence)
        _raw(answer)
        record = self._mine(episode_id, epoch)
        left = clocks.left(self.store, record)
        if left is None:
            return None
        if left.seconds > 0:
            return left.seconds
        here, last = self._stands(record), self.last_belief(episode_id)
        thought = (last.answer, last.confidence) if last else (None, None)
        if left.seconds >= -clocks.GRACE_S and answer is not None:
            try:
                given = self._read_answer(here, answer, unfinished=True)
            except BadAnswer:
                given = None  # what was chosen before counts
            thought = thought if given is None else (given, confidence)
        self._time_up(record, left.limit, thought)
        return None

    def _time_up(self, record: EpisodeRecord, limit: clocks.Limit, thought: tuple[Answer | None, int | None]) -> None:
        """End an episode at its time limit with what was thought last as its answer; at its session's it is timed out."""
        with self.store.atomic():
            here = self._standing(record.episode_id)
            if here.over:
                return
            answer, confidence = thought
            if limit == "task":
                self._finish(here, answer, answer, confidence, "", "time_limit")
            else:
                self._set_state(here.record, "time_out", now(), actor="session time")
                person = self.store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [record.participant_id])
                assert person is not None
                clocks.end_session(self.store, person)
        self._simulators.release(record.episode_id)

    def end(self, episode_id: str, event: str, *, actor: str = "", release: bool = True) -> str:
        """End an episode without an answer: ``return``, ``time_out``, ``reject`` or ``withdraw``. Returns the new state.

        `release=False` leaves the simulator to a later `release`, for callers inside a transaction of their own.

        Raises:
            BadTransition: impossible in its state.
        """
        with self.store.atomic():
            state = self._set_state(self._record(episode_id), event, now(), actor=actor)
        if release:
            self._simulators.release(episode_id)
        return state

    def _kept_answer(self, episode_id: str) -> AnswerRecord | None:
        return self.store.row("SELECT * FROM answers WHERE episode_id = ?", AnswerRecord, [episode_id])

    def _finish(
        self,
        here: Standing,
        answer: Any,
        value: Answer | None,
        confidence: int | None,
        reasoning: str,
        stopped_by: str,
        client_time_ms: float | None = None,
    ) -> FinalView:
        """Keep and score the final answer and end the episode; part of the caller's transaction."""
        record, at = here.record, now()
        data = {"epoch": record.epoch, "seq": record.last_seq, "raw": answer, "answer": value, "confidence": confidence}
        data |= {"reasoning": reasoning, "stopped_by": stopped_by, "client_time_ms": client_time_ms}
        kept = AnswerRecord(
            episode_id=record.episode_id,
            epoch=record.epoch,
            seq=record.last_seq,
            event_seq=self.store.event("answered", data, at=at, episode_id=record.episode_id),
            raw=_raw(answer),
            answer=None if value is None else dumps(value),
            confidence=confidence,
            reasoning=reasoning,
            stopped_by=stopped_by,
            client_time_ms=client_time_ms,
            server_time=at,
        )
        self.store.insert("answers", columns(kept))
        # the task as it is kept: `here.task` offers what this episode offers, which is another content hash
        record_score(self.store, record.episode_id, self.store.get_task(record.task_hash), answer, here.options)
        self._set_state(record, "answer", at)
        self.store.db.execute("DELETE FROM snapshots WHERE episode_id = ?", [record.episode_id])
        return self._final_view(self._standing(record.episode_id))

    def _read_answer(self, here: Standing, answer: Any, *, unfinished: bool = False) -> Answer | None:
        """An answer in the question's own words; None where a model (or, so far, a person) has given none that can be read.

        Args:
            here: the episode.
            answer: as it was given.
            unfinished: whether a person may also give no answer yet, or a part of one.

        Raises:
            BadAnswer: a person's answer is not of the question's form.
        """
        whole, question = here.task.question, here.question
        words = scoring.reading_of(here.task).same_words
        value = scoring.normalise(whole.form, whole, answer, here.options, words)
        if value is None and question is not whole:
            value = scoring.normalise(question.form, question, answer, None, words)
        waits = unfinished and (answer is None or scoring.is_unfinished(question.form, question, answer))
        if value is None and here.record.agent_kind == "human" and not waits:
            raise BadAnswer(f"{scoring.explain(question)} Nothing was lost: change your answer and send it again.")
        return value

    def _final_view(self, here: Standing) -> FinalView:
        kept = self._kept_answer(here.record.episode_id)
        assert kept is not None
        score = self.store.row(
            "SELECT * FROM scores WHERE episode_id = ? AND task_hash = ?", ScoreRecord, [here.record.episode_id, here.record.task_hash]
        )
        told = here.protocol.show_feedback and score is not None
        return FinalView(
            state=here.record.state,
            saved_at=kept.server_time,
            observations=kept.seq + 1 if here.paradigm.views else 0,
            answer=kept.value,
            confidence=kept.confidence,
            correct=score.correct_lenient if told and score else None,
            right_answer=here.task.gold.accepted[0] if told else None,
        )

    def _set_state(self, record: EpisodeRecord, event: str, at: str, *, actor: str = "") -> str:
        state = states.after(states.EPISODE, record.state, event)
        with self.store.atomic() as db:
            db.execute(
                "UPDATE episodes SET state = ?, finished_at = coalesce(finished_at, ?) WHERE episode_id = ?", [state, at, record.episode_id]
            )
            self.store.event("episode_state", {"event": event, "state": state}, at=at, actor=actor, episode_id=record.episode_id)
            if record.slot_id:
                slots.move(self.store, record.slot_id, event)
        return state


def record_score(store: Store, episode_id: str, task: Task, answer: Any, shown: Sequence[str]) -> scoring.Score:
    """Score an answer and keep the score; computing it anew replaces it.

    Args:
        store: the database.
        episode_id: the episode.
        task: the task version whose gold counts.
        answer: as it was given.
        shown: options in the order shown.
    """
    result = scoring.score(task, answer, shown)
    details = {name: value for name in ("absolute_error", "soft_score") if (value := getattr(result, name)) is not None}
    kept = ScoreRecord(
        episode_id=episode_id,
        task_hash=task.content_hash,
        scorer=scoring.SCORER,
        answered=result.answered,
        correct_strict=result.correct_strict,
        correct_lenient=result.correct_lenient,
        chance=result.chance,
        details=details,
        computed_at=now(),
    )
    with store.atomic() as db:
        db.table("scores").upsert(columns(kept), pk=("episode_id", "task_hash"))
    return result


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
