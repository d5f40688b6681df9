"""Pictures that exist, shown one after the other: each is a step, kept before it is acknowledged. Nothing is simulated."""

from __future__ import annotations

import msgspec

from data.store import now
from study import sequences
from study.acting import Acting, given
from study.errors import BudgetUsed, OutOfStep, WrongParadigm
from study.standing import Standing
from study.steps import keep
from study.views import StepView


class Paging(Acting):
    """The part of the engine that shows the next picture; the first is shown by the opening (`study.showing`)."""

    def next_picture(
        self,
        episode_id: str,
        epoch: int,
        seq: int,
        *,
        client_time_ms: float | None = None,
        frame_painted_ms: float | None = None,
        queued_ms: float | None = None,
        given_with: str = "",
    ) -> StepView:
        """Show the next picture, as step `seq`.

        Args:
            episode_id: the episode.
            epoch: from `open`.
            seq: the current step's number + 1. Each (episode, epoch, seq) happens once: a repeat returns the stored step.
            client_time_ms: the sender's clock when it was asked for, milliseconds.
            frame_painted_ms: the sender's clock when the picture before it was on the screen, milliseconds.
            queued_ms: how long the press waited behind the step before it, milliseconds; 0: not at all.
            given_with: what a person asked with (``key``, ``button``, ``touch``, or ``pace``: it came by itself).

        Returns:
            The step, committed; its `image` is the picture.

        Raises:
            WrongParadigm: this episode does not show pictures one after the other.
            BudgetUsed: it was the last picture.
            TakenOver, EpisodeOver, OutOfStep, UnknownEpisode, StorageFull: see there.
        """
        here = self._stands(self._mine(episode_id, epoch))
        if not here.paradigm.paged:
            raise WrongParadigm("Here the next view follows from an action: there is no next picture to ask for.")
        if stored := self._repeated(here, seq, sequences.NEXT):
            return stored
        here = self._stands(self.settle(here.record))
        self._may_page(here, seq)
        shown = sequences.pictures(self.store, here.record)
        # A picture that cannot be read is shown to nobody: then nothing is kept of it.
        image = self._frame_bytes(shown[seq].pixel_hash)
        how = given(here, client_time_ms, frame_painted_ms, queued_ms, given_with)
        step = msgspec.structs.replace(sequences.step(here.record, shown, seq, now()), **msgspec.structs.asdict(how))
        with self.store.atomic() as db:
            self._may_page(self._stands(self._mine(episode_id, epoch)), seq)
            step = keep(self.store, step)
            db.execute("UPDATE episodes SET last_seq = ?, phase = ? WHERE episode_id = ?", [seq, step.phase, episode_id])
        there = msgspec.structs.replace(here.record, last_seq=seq, phase=step.phase)
        return self._step_view(Standing(there, here.task), step, image_bytes=image)

    def _may_page(self, here: Standing, seq: int) -> None:
        """Whether picture `seq` may be the next."""
        self._not_over(here)
        last = here.record.last_seq
        if seq != last + 1:
            raise OutOfStep(f"The current picture is {last}, so the next is {last + 1}, got {seq!r}. Look at it, then go on.")
        if here.used >= here.budget:
            raise BudgetUsed(f"This was the last of {here.budget} pictures: give your answer now.")
