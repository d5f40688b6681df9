"""One episode, from its first view to its answer. People, models, scripts and the Gymnasium environment all go through here.

For every action: validate → act in the simulator → frame on disk → step row committed → acknowledge. Who may act is decided in the
database: every `open` raises the episode's epoch, and a commit of an earlier epoch is refused. The simulator is disposable: whenever
something went wrong after an action reached it, its session is thrown away and built again from the database (snapshot, else the list of
actions), so it never holds an action that the database does not.

Here an episode begins, is opened and looked at; `study.acting` makes its steps, `study.answering` keeps what is thought and answered.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

import msgspec

from data.rows import columns
from data.store import new_id, now
from data.subcategories import find
from study import clocks, states, trajectories, yoking
from study.acting import in_scene
from study.devices import Device
from study.errors import UnknownEpisode
from study.paging import Paging
from study.paradigms import check_fit
from study.protocol import Protocol
from study.records import EpisodeRecord, ParticipantRecord, SlotRecord
from study.showing import told_beside
from study.simulators import OnWait
from study.standing import Standing, as_met
from study.views import EpisodeView

AGENT_KINDS = ("human", "model", "script", "gym")
"""Who plays."""


class EpisodeEngine(Paging):
    """Runs episodes. Thread-safe; everything it acknowledges is committed and on disk."""

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
        mode: str = "live",
    ) -> str:
        """A new episode; nothing is simulated before `open`.

        Args:
            task_hash: content hash of the task.
            agent_kind: ``human``, ``model``, ``script`` or ``gym``.
            agent_name: model or script name.
            participant_id: pseudonymous id of the person.
            slot_id: the slot it fills; study, person, paradigm and trial index are taken from it.
            study_id: the study, when there is no slot.
            trial_index: position of this task in the participant's sequence, when there is no slot.
            protocol: settings; None: the defaults.
            seed: decides the order of options and the numbering of objects; None: drawn.
            mode: kind of run (`study.states.MODES`), when there is no slot.

        Returns:
            The episode id.

        Raises:
            TaskNotFound: no such task.
            WrongParadigm: the task cannot be met as the protocol (or the slot) says.
            ValueError: unknown `agent_kind` or slot.
        """
        if agent_kind not in AGENT_KINDS:
            raise ValueError(f"agent_kind is human, model, script or gym, got {agent_kind!r}")
        with self.store.atomic():
            record = self._drafted(
                task_hash, agent_kind, agent_name, participant_id, slot_id, study_id, trial_index, protocol or Protocol(), seed
            )
            if slot_id is None:
                record = msgspec.structs.replace(record, mode=mode)
            self._keep_record(record)
        return record.episode_id

    def begin(
        self,
        task_hash: str,
        *,
        agent_kind: str,
        agent_name: str,
        study_id: str | None = None,
        protocol: Protocol | None = None,
        seed: int | None = None,
        also: Callable[[str], None] | None = None,
    ) -> EpisodeView:
        """A new episode of nobody's slot with its first view, as one step: it is there whole, or nothing is.

        Args:
            task_hash, agent_kind, agent_name, study_id, protocol, seed: as `create`.
            also: writes what belongs to the episode (its id is handed over) in the same transaction.

        Returns:
            The view of epoch 1.

        Raises:
            As `create` and `open`, and what `also` raises; TooMany: the agent has as many sessions as it may. Nothing was written.
        """
        drafted = self._drafted(task_hash, agent_kind, agent_name, None, None, study_id, None, protocol or Protocol(), seed)
        in_scene(drafted)
        episode_id, at = drafted.episode_id, now()
        record = msgspec.structs.replace(drafted, epoch=1, tab=agent_name, state="active", started_at=at)

        def keep() -> None:
            self._keep_record(record)
            self.store.event("opened", {"epoch": 1, "tab": agent_name}, at=at, episode_id=episode_id)
            if also is not None:
                also(episode_id)

        try:
            with self._simulators.using(episode_id, record.epoch) as live:
                self._first_view(live, Standing(record, as_met(self.store.get_task(task_hash), record)), None, keep)
        except BaseException:
            self._simulators.release(episode_id)
            raise
        if not record.met.acts:
            # nothing is simulated any more
            self._simulators.release(episode_id)
        return self.view(episode_id, record.epoch)

    def _drafted(
        self,
        task_hash: str,
        agent_kind: str,
        agent_name: str,
        participant_id: str | None,
        slot_id: str | None,
        study_id: str | None,
        trial_index: int | None,
        protocol: Protocol,
        seed: int | None,
    ) -> EpisodeRecord:
        """The record of a new episode, not kept yet."""
        task = self.store.get_task(task_hash)
        seed = secrets.randbits(31) if seed is None else seed
        version, mode, partner = 1, "live", ""
        if slot_id is not None:
            slot = self.store.row("SELECT * FROM slots WHERE slot_id = ?", SlotRecord, [slot_id])
            if slot is None:
                raise ValueError(f"no slot {slot_id!r}")
            study_id, participant_id, trial_index = slot.study_id, slot.participant_id, slot.trial_index
            version, mode, partner = slot.version, slot.mode, slot.partner
            protocol = protocol.model_copy(update={"paradigm": slot.paradigm})
        paradigm = check_fit(trajectories.known(self.store, task), protocol.paradigm)
        if paradigm.partner and slot_id is None and study_id is not None:
            # a model has no place that would name one
            partner = yoking.choose(self.store, study_id, mode, task_hash, paradigm)
        return EpisodeRecord(
            episode_id=new_id("ep"),
            task_hash=task_hash,
            study_id=study_id,
            participant_id=participant_id,
            slot_id=slot_id,
            agent_kind=agent_kind,
            agent_name=agent_name,
            paradigm=paradigm.name,
            protocol=protocol.model_dump_json(),
            seed=seed,
            option_order=paradigm.drawn_order(task.question, seed, self._number(participant_id), shuffle=protocol.shuffle_options),
            trial_index=trial_index,
            state="created",
            phase=task.scene.phases[0].name if task.scene.phases else "",
            created_at=now(),
            version=version,
            mode=mode,
            partner=partner,
        )

    def _keep_record(self, record: EpisodeRecord) -> None:
        """Write a new episode's event and row; part of the caller's transaction."""
        self.store.event(
            "episode_created",
            {"task": record.task_hash, "agent_kind": record.agent_kind, "agent_name": record.agent_name, "slot": record.slot_id}
            | {"seed": record.seed, "order": msgspec.to_builtins(record.option_order)}
            | {"protocol": record.settings.model_dump(mode="json"), "trial_index": record.trial_index},
            at=record.created_at,
            study_id=record.study_id,
            participant_id=record.participant_id,
            episode_id=record.episode_id,
        )
        self.store.insert("episodes", columns(record))

    def open(self, episode_id: str, *, tab: str = "", device: Device | None = None, on_wait: OnWait | None = None) -> EpisodeView:
        """Take the episode over: from now on only the returned epoch may act.

        A new episode is simulated up to its first view. An episode that went on before is answered from the database; the simulator
        resumes with the next action (or with `prepare`).

        Args:
            episode_id: the episode.
            tab: any word of the caller for itself, kept in the log.
            device: what the page is shown with, kept in the log.
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
        in_scene(self._record(episode_id))
        record = self.take_over(episode_id, tab, device)
        if record.last_seq < 0 and record.state not in states.OVER:
            self._start(episode_id, record.epoch, on_wait)
        else:
            self.settle(record)
            self._simulators.supersede(episode_id, record.epoch)
        if not record.met.acts:
            # nothing is simulated any more
            self._simulators.release(episode_id)
        return self.view(episode_id, record.epoch)

    def take_over(self, episode_id: str, tab: str = "", device: Device | None = None) -> EpisodeRecord:
        """Raise the epoch and write that the episode was opened; one that is over stays as it is. Returns its record as it is then."""
        with self.store.atomic() as db:
            record = self._record(episode_id)
            if record.state in states.OVER:
                return record
            state, at = states.after(states.EPISODE, record.state, "open"), now()
            db.execute(
                "UPDATE episodes SET epoch = epoch + 1, tab = ?, state = ?, started_at = coalesce(started_at, ?) WHERE episode_id = ?",
                [tab, state, at, episode_id],
            )
            told = {"epoch": record.epoch + 1, "tab": tab} | ({} if device is None else {"device": msgspec.to_builtins(device)})
            self.store.event("opened", told, at=at, episode_id=episode_id)
            return self._record(episode_id)

    def view(self, episode_id: str, epoch: int | None = None) -> EpisodeView:
        """The episode as it stands, without taking it over.

        Raises:
            UnknownEpisode: no such episode, or not begun.
            EpisodeOver: it ended before its first view.
        """
        here = self._standing(episode_id)
        record, task, protocol, question = here.record, here.task, here.protocol, here.offered
        if record.last_seq < 0:
            self._not_over(here)
            raise UnknownEpisode(f"The episode {episode_id!r} has no first view yet: open it.")
        belief, answer, last = self.last_belief(episode_id), self._kept_answer(episode_id), self._last_view(here)
        limit = clocks.left(self.store, record)
        kept = [last.saved_at, belief.saved_at if belief else "", answer.server_time if answer else ""]
        return EpisodeView(
            episode_id=episode_id,
            epoch=record.epoch if epoch is None else epoch,
            state=record.state,
            question=question.text,
            form=question.form,
            options=question.options,
            blanks=question.blanks,
            blank_names=question.blank_names,
            stacked=question.form == "sequence" and find(task.category, task.subcategory).stacked,
            targets=question.targets,
            note=" ".join(filter(None, (question.note, self._shares(here)))),
            actions=task.actions,
            by_itself=bool(record.partner) and protocol.pace == "partner",
            early_answer=protocol.early_answer,
            budget=here.budget,
            opens=here.paradigm.opens,
            step=last,
            saved_at=max(kept),
            shown=here.shown,
            parts=self._parts(here),
            told=told_beside(here.paradigm, task, record.seed),
            history=protocol.history,
            enlarge=protocol.enlarge,
            belief_bar=protocol.belief_bar,
            probe_every=protocol.probe_every,
            confidence_required=protocol.confidence_required,
            belief=belief,
            seconds_left=None if limit is None else limit.seconds,
            limit="" if limit is None else limit.limit,
            answered=answer is not None and answer.value is not None,
            ended_by=clocks.ended_by(self.store, record),
            width=task.scene.camera.width,
            height=task.scene.camera.height,
        )

    def prepare(self, episode_id: str, epoch: int, on_wait: OnWait | None = None) -> None:
        """Bring the simulator to the current step ahead of the next action, where one can follow; the same errors as `act`."""
        record = self._record(episode_id)
        in_scene(record)
        if not record.met.acts:
            return
        with self._using(episode_id, epoch) as live:
            here = self._stands(self._mine(episode_id, epoch))
            if not here.over:
                self._simulators.run(live, here, lambda client, session: None, on_wait)

    def make_ready(self, episode_id: str) -> bool:
        """Load the scene and draw the first view of an episode that nobody has opened, where a simulator is free at once. Nothing of it is
        kept or shown, and the episode stays as it is; `open` goes on from there.

        Returns:
            Whether it is ready; False also where it has been opened, is over or has no scene.

        Raises:
            UnknownEpisode: no such episode.
            SceneUnplayable, BridgeError: it cannot be loaded; opening it will say so.
        """
        if not self._ahead(self._record(episode_id)):
            return False
        with self._simulators.using(episode_id, 0) as live:
            here = self._standing(episode_id)  # somebody may have opened it meanwhile
            return self._ahead(here.record) and not live.abandoned and self._simulators.load_ahead(live, here)

    @staticmethod
    def _ahead(record: EpisodeRecord) -> bool:
        return record.epoch == 0 and record.state not in states.OVER and record.met.simulated

    def release(self, episode_id: str) -> None:
        """Give the episode's simulator back; it resumes when the episode goes on."""
        self._simulators.release(episode_id)

    def sweep(self, idle_s: float = 900.0) -> int:
        """Give back simulators of episodes that have been idle for `idle_s` seconds; returns how many."""
        return self._simulators.sweep(idle_s)

    def close(self) -> None:
        """Give every simulator back."""
        self._simulators.close()

    def _number(self, participant_id: str | None) -> int | None:
        """The person's number in the study; None: it is nobody's."""
        person = self.store.row("SELECT * FROM participants WHERE participant_id = ?", ParticipantRecord, [participant_id])
        return None if person is None else person.number
