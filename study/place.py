"""Where a participant stands, and what decides it: the stations of their way, asked one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from data.store import Store
from study.episode import EpisodeEngine
from study.records import ParticipantRecord
from study.studies import Study


class Place(BaseModel):
    """Where a participant stands."""

    model_config = ConfigDict(frozen=True)

    stage: str
    """What is shown: a key of `app.pages.participant.STAGES`, or ``practice`` or ``task`` (then `component` shows the episode)."""
    episode_id: str | None = None
    """The episode to play now (practice and task)."""
    component: str | None = None
    """The page component that shows it (`Paradigm.component`)."""
    part: str = ""
    """Which of a stage's parts is due, where it has several: the name of a form, of a worked example."""
    done: int = 0
    """Tasks completed."""
    total: int = 0
    """Tasks of this study per participant."""
    note: str = ""
    """What the participant should be told here, in a sentence; mostly nothing."""


@dataclass(frozen=True)
class Here:
    """Who asks a station what is due."""

    store: Store
    engine: EpisodeEngine
    study: Study
    """In the version that this person takes part in."""
    person: ParticipantRecord
    done: int
    """Tasks completed."""

    @property
    def total(self) -> int:
        """Tasks of this study per participant."""
        return min(self.study.trials, len(self.study.tasks))

    def at(self, stage: str, *, episode_id: str | None = None, component: str | None = None, part: str = "", note: str = "") -> Place:
        """A place of this person."""
        return Place(stage=stage, episode_id=episode_id, component=component, part=part, done=self.done, total=self.total, note=note)


Station = Callable[[Here], Place | None]
"""What of one kind is due for somebody now; None: nothing, and the next station is asked. It gives the same answer until something is done.
It never moves the participant's state: who has passed all stations of a state moves on (`study.participants.place`)."""
