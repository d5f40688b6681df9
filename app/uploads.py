"""Files given to an uploader of a page. Streamlit keeps them in the server's memory, so each person may have so much there and no more."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Message, Send

from app.guard import HttpError
from app.streamlit_seam import files
from study.access import Grant

Place = tuple[str, str]
"""A file's place: the Streamlit session, and the file's id in it."""


@dataclass
class Kept:
    """One file in memory, or on its way there."""

    person: str
    size: int
    arrived: bool = False


@dataclass
class Upload:
    """A file on its way; leaving the context without Streamlit having taken it forgets it."""

    kept: dict[Place, Kept]
    place: Place
    taken: bool = False

    def __enter__(self) -> Upload:
        return self

    def __exit__(self, *_: object) -> None:
        if self.taken:
            self.kept[self.place].arrived = True
        else:
            self.kept.pop(self.place, None)

    def watching(self, send: Send) -> Send:
        """`send`, noticing whether Streamlit took the file."""

        async def noticed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.taken = 200 <= message["status"] < 300
            await send(message)

        return noticed


@dataclass
class Uploads:
    """Every file in memory. Used on the event loop alone."""

    most_of_one: int
    """Bytes that one person's files may take at once."""
    most_together: int
    """Bytes that all files may take at once."""
    kept: dict[Place, Kept] = field(default_factory=dict)

    def begin(self, grant: Grant, place: Place, headers: Headers) -> Upload:
        """Make room for a file that is about to be sent.

        Args:
            grant: whose it is.
            place: where Streamlit will keep it.
            headers: of the request.

        Raises:
            HttpError: 411, the length is not told beforehand; 413, there is no room for it; 409, the same file is on its way.
        """
        told = headers.get("content-length", "")
        if not told.isascii() or not told.isdigit():
            raise HttpError(411, "no_length", "Say how long the file is (content-length).")
        self._forget_what_is_gone()
        if place in self.kept and not self.kept[place].arrived:
            raise HttpError(409, "on_its_way", "This file is being sent already.")
        self.kept.pop(place, None)
        person, size = grant.staff_id or grant.grant_id, int(told)
        own = sum(kept.size for kept in self.kept.values() if kept.person == person)
        if own + size > self.most_of_one or sum(kept.size for kept in self.kept.values()) + size > self.most_together:
            raise HttpError(413, "too_large", "There is no room for this file now. Remove a file chosen before, or reload the page.")
        self.kept[place] = Kept(person, size)
        return Upload(self.kept, place)

    def _forget_what_is_gone(self) -> None:
        for place, kept in list(self.kept.items()):
            if kept.arrived and not files.still_kept(*place):
                del self.kept[place]
