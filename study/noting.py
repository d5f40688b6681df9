"""What is told of an episode beside its steps and answers: problems, what became of the page, which pictures were looked at."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from data.store import new_id, now
from study import looks, states
from study.errors import BadAnswer, FrameNotShown, TooMany
from study.looks import Look
from study.reading import EpisodeReader
from study.records import ProblemRecord
from study.steps import clock
from study.views import Saved
from study.wording import say

MAX_REPORT = 5000
"""Longest problem report, in characters."""
MAX_REPORTS = 20
"""Most problem reports of one episode."""
MAX_PAGE_EVENTS = 1000
"""Most events of the page kept of one episode."""


class _Count(msgspec.Struct):
    rows: int


class Noting(EpisodeReader):
    """The part of the engine that keeps what is told beside."""

    def report_problem(self, episode_id: str, epoch: int, text: str) -> Saved:
        """Keep a participant's report of a problem, with the step it belongs to. Possible after the end too.

        Raises:
            BadAnswer: empty or longer than 5,000 characters.
        """
        if not isinstance(text, str) or not text.strip() or len(text) > MAX_REPORT or not _is_text(text):
            raise BadAnswer(say("refused.report", most=MAX_REPORT))
        with self.store.atomic():
            seq, at = self._record(episode_id).last_seq, now()
            again = "SELECT * FROM problems WHERE episode_id = ? AND seq = ? AND text = ?"
            if said := self.store.row(again, ProblemRecord, [episode_id, seq, text]):
                return Saved(saved_at=said.server_time)
            self._under_total("problems", episode_id, MAX_REPORTS, "Problems were reported")
            event_seq = self.store.event("problem", {"seq": seq, "epoch": epoch, "text": text}, at=at, episode_id=episode_id)
            self.store.insert(
                "problems",
                {"problem_id": new_id("pr"), "episode_id": episode_id, "seq": seq, "event_seq": event_seq}
                | {"text": text, "server_time": at},
            )
        return Saved(saved_at=at)

    def page_event(self, episode_id: str, epoch: int, n: int, what: str, *, client_time_ms: float | None = None, detail: str = "") -> None:
        """Keep what became of the page: it was hidden, left, found again, made larger or smaller, or lost the connection.

        What comes when the episode is over, or by another page than the newest, is not kept: it says nothing of the episode.

        Args:
            episode_id: the episode.
            epoch: from its opening.
            n: the sender's count of such events in that opening; each is kept once.
            what: which event (`study.page_events.PAGE_EVENTS`).
            client_time_ms: the sender's clock, milliseconds.
            detail: what else there is to say of it, such as the new size.

        Raises:
            UnknownEpisode: no such episode.
        """
        with self.store.atomic():
            record = self._record(episode_id)
            if record.epoch != epoch or record.state in states.OVER or record.last_seq < 0:
                return
            sql = "SELECT count(*) AS rows FROM events WHERE episode_id = ? AND kind = 'page'"
            again = f"{sql} AND json_extract(data, '$.epoch') = ? AND json_extract(data, '$.n') >= ?"
            held, same = self.store.row(sql, _Count, [episode_id]), self.store.row(again, _Count, [episode_id, epoch, n])
            if (same and same.rows) or (held and held.rows >= MAX_PAGE_EVENTS):
                return
            data = {"epoch": epoch, "n": n, "what": what, "seq": record.last_seq, "client_time_ms": clock(client_time_ms), "detail": detail}
            self.store.event("page", data, episode_id=episode_id)

    def looked(self, episode_id: str, epoch: int, seen: Sequence[Look]) -> None:
        """Keep when which picture was on the screen. As for events of the page, what comes late or by another page is not kept.

        Args:
            episode_id: the episode.
            epoch: from its opening.
            seen: the looks that ended; each number of an opening is kept once.

        Raises:
            UnknownEpisode: no such episode.
            FrameNotShown: one is of a picture that is not shown; nothing was kept.
        """
        with self.store.atomic():
            here = self._standing(episode_id)
            if here.record.epoch != epoch or here.over or here.record.last_seq < 0:
                return
            for look in seen:
                if look.seq not in here.shown or look.ended_ms < look.began_ms:
                    raise FrameNotShown(f"Look {look.n} is of no picture that is shown, or ends before it begins.")
            looks.keep(self.store, episode_id, epoch, seen)

    def _under_total(self, table: str, episode_id: str, most: int, what: str) -> None:
        """Refuse one row more of an episode than it may have.

        Raises:
            TooMany: it has as many as it may.
        """
        held = self.store.row(f"SELECT count(*) AS rows FROM {table} WHERE episode_id = ?", _Count, [episode_id])
        if held is not None and held.rows >= most:
            raise TooMany(f"{what} {most} times in this task, which is the most that is kept. What was kept is safe; go on without.")


def _is_text(text: str) -> bool:
    """Whether a text can be written: half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
