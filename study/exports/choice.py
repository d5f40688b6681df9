"""What an export is to hold: which episodes, of whom, and how their pictures are written; and how large it will be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import msgspec

from data.store import Store, dumps
from study.states import LIVE
from study.words import person

Pictures = Literal["webp", "png", "none"]
"""How pictures are written: ``webp`` as they are stored, ``png`` (as in the released tree) with the same pixels, ``none`` not at all."""
PICTURES: tuple[Pictures, ...] = get_args(Pictures)
BASE_BYTES = 160_000
"""What an archive without a step has: the heads of the tables and their dictionary."""
ROW_BYTES = 900
"""What a step takes in tables and result files, packed, measured on the demo study; a guess beforehand needs no more."""
PNG_FACTOR = 1.1
"""How much larger a frame is as PNG than as it is stored (lossless WebP): 1.09 over frames of the demo study."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which episodes. Nothing of people who withdrew is ever among them, and none that was never shown."""

    study_id: str | None = None
    """Only this study; None: every study, and what belongs to none."""
    episodes: tuple[str, ...] | None = None
    """Only these; None: all."""
    participants: tuple[str, ...] | None = None
    """Only those of these people; None: all, and those of models."""
    finished: bool = False
    """Only those with a final answer."""
    practice: bool = True
    """Practice too."""
    modes: tuple[str, ...] = (LIVE,)
    """Of these kinds of runs (`study.states.MODES`). An episode that is named is meant, whatever its kind."""

    def where(self) -> tuple[str, dict[str, Any]]:
        """SQL after ``WHERE`` on ``episodes e LEFT JOIN slots s``, and its parameters."""
        terms, params = ["e.last_seq >= 0 AND e.state <> 'withdrawn'"], dict[str, Any]()
        if self.study_id is not None:
            terms.append("e.study_id = :study")
            params["study"] = self.study_id
        for name, column, ids in (("ids", "episode_id", self.episodes), ("people", "participant_id", self.participants)):
            if ids is not None:
                terms.append(f"e.{column} IN (SELECT value FROM json_each(:{name}))")
                params[name] = dumps(list(ids))
        if self.episodes is None:
            terms.append("e.mode IN (SELECT value FROM json_each(:modes))")
            params["modes"] = dumps(list(self.modes))
        if self.finished:
            terms.append("e.state IN ('completed', 'rejected')")
        if not self.practice:
            terms.append("coalesce(s.practice, 0) = 0")
        return " AND ".join(terms), params


USUAL = Choice()
"""What is exported where nothing else is asked for, by the page as by the command: every episode, practice too. The tables say of each
what it was."""
ALL_RESULTS = False
"""Whether result files are usually written of practice and of episodes without a final answer, too. They are not, by the page as by the
command: whoever scores a folder of result files counts every file as an answer of the study."""


class Estimate(msgspec.Struct, frozen=True):
    """How large an export will be, as far as can be said beforehand."""

    episodes: int
    people: int
    steps: int
    stored: int
    """Bytes of the pictures as they are stored, those on the way of an action too."""

    def size(self, pictures: Pictures, copies: int) -> int:
        """About how many bytes the archive will have.

        Args:
            pictures: how they are written.
            copies: how many of the chosen forms hold them.
        """
        factor = {"webp": 1.0, "png": PNG_FACTOR, "none": 0.0}[pictures]
        return round(BASE_BYTES + self.steps * ROW_BYTES + self.stored * factor * copies)


def estimate(store: Store, choice: Choice) -> Estimate:
    """Count what an export would hold, without reading it."""
    where, params = choice.where()
    found = store.row(
        f"WITH chosen AS (SELECT e.episode_id, e.participant_id FROM episodes e LEFT JOIN slots s USING (slot_id) WHERE {where}), "
        "way AS (SELECT coalesce(sum(f.bytes), 0) AS bytes FROM chosen JOIN steps t USING (episode_id), json_each(t.more_frames) m "
        "JOIN frames f ON f.pixel_hash = m.value WHERE t.more_frames <> '[]') "
        "SELECT count(DISTINCT c.episode_id) AS episodes, count(DISTINCT c.participant_id) AS people, count(t.seq) AS steps, "
        "coalesce(sum(f.bytes), 0) + (SELECT bytes FROM way) AS stored FROM chosen c "
        "LEFT JOIN steps t ON t.episode_id = c.episode_id LEFT JOIN frames f ON f.pixel_hash = t.pixel_hash",
        Estimate,
        params,
    )
    assert found is not None
    return found


def in_bytes(size: int) -> str:
    """A size for people: ``24.5 MB``."""
    value, units = float(size), ("B", "kB", "MB", "GB", "TB")
    for unit in units[:-1]:
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} {units[-1]}"


def chosen_people(store: Store, study_id: str | None, modes: Sequence[str] = (LIVE,)) -> Sequence[Person]:
    """Who can be chosen: the people of a study (None: of every study) and of these kinds of runs of whom something can leave, by study and
    number."""
    return store.rows(
        "SELECT p.participant_id, p.number, t.name AS study FROM participants p JOIN studies t USING (study_id) "
        "WHERE p.consented_at IS NOT NULL AND p.state NOT IN ('withdrawn', 'declined') "
        "AND p.mode IN (SELECT value FROM json_each(:modes)) AND (:study IS NULL OR p.study_id = :study) "
        "ORDER BY t.created_at, p.number",
        Person,
        {"study": study_id, "modes": dumps(list(modes))},
    )


class Person(msgspec.Struct, frozen=True):
    """Somebody who took part, as researchers call them."""

    participant_id: str
    number: int
    study: str
    """Name of the study."""

    @property
    def name(self) -> str:
        """``P012``."""
        return person(self.number)
