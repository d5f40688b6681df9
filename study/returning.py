"""How a participant goes back to whoever sent them: per outcome a completion code and a return address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

OutcomeName = Literal["done", "screened_out", "full", "no_consent", "stopped", "technical"]


@dataclass(frozen=True)
class Outcome:
    """What came of somebody's taking part."""

    name: OutcomeName
    state: str
    """The participant's state that means it (`study.participants.PARTICIPANT`)."""
    words: str
    """For researchers."""


OUTCOMES: tuple[Outcome, ...] = (
    Outcome("done", "finished", "finished"),
    Outcome("screened_out", "screened_out", "screened out"),
    Outcome("full", "full", "found no place left"),
    Outcome("no_consent", "declined", "did not agree to take part"),
    Outcome("stopped", "stopped", "ended early"),
    Outcome("technical", "failed", "stopped by a fault of ours"),
)
"""The registry. Who withdraws keeps the outcome that they had; before any, they have ended early."""

OUTCOME_OF: Mapping[str, OutcomeName] = {outcome.state: outcome.name for outcome in OUTCOMES} | {"withdrawn": "stopped"}
"""State of a participant who goes no further → their outcome."""
IN_WORDS: Mapping[str, str] = {outcome.name: outcome.words for outcome in OUTCOMES}
"""Outcome → what it is called for researchers."""

CODE = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]{2,59}$")
"""A completion code: 3 to 60 letters, digits, hyphens, underlines."""
BLANKS = ("{code}", "{person}")
"""What an address may have filled in."""


class Return(BaseModel):
    """What somebody with one outcome is given to go back with."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    code: str = ""
    """The completion code; empty: none."""
    link: str = ""
    """Where they go back to, https; ``{code}`` and ``{person}`` (the platform's id of the person) are filled in; empty: nowhere."""
    how: Literal["shown", "redirect"] = "shown"
    """Whether the address is shown as a button, or the page goes there by itself after a few seconds (the button is there too)."""

    @field_validator("code")
    @classmethod
    def _a_code(cls, code: str) -> str:
        if code and not CODE.match(code):
            raise ValueError("a completion code has 3 to 60 letters, digits, hyphens and underlines, and begins with a letter or digit")
        return code

    @field_validator("link")
    @classmethod
    def _an_address(cls, link: str) -> str:
        if not link:
            return link
        parts = urlsplit(link)
        if parts.scheme != "https" or not parts.hostname or parts.username is not None or parts.password is not None:
            raise ValueError("a return link begins with https:// and a host name")
        if any(ord(sign) <= 32 or sign in "\"'<>\\" for sign in link):
            raise ValueError("a return link holds no blanks, quotes, backslashes and angle brackets")
        if blanks := set(re.findall(r"\{[^}]*\}?|\}", link)) - set(BLANKS):
            raise ValueError(f"a return link may have {' and '.join(BLANKS)} filled in, not {', '.join(sorted(blanks))}")
        return link

    @model_validator(mode="after")
    def _whole(self) -> Return:
        if "{code}" in self.link and not self.code:
            raise ValueError("the return link has a {code} to fill in, and there is no code")
        if self.how == "redirect" and not self.link:
            raise ValueError("there is no return link to go to: give one, or show the code")
        return self


class Returns(BaseModel):
    """How people go back to whoever sent them. Without any code and link their last page says only that they can close the window."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    done: Return = Return()
    """Who has finished."""
    screened_out: Return = Return()
    """Who the study's own rule let go no further."""
    full: Return = Return()
    """Who found no place left."""
    no_consent: Return = Return()
    """Who did not agree to take part."""
    stopped: Return = Return()
    """Who ended early."""
    technical: Return = Return()
    """Whom a fault of ours kept from going on."""
    hosts: tuple[str, ...] = Field(default=("app.prolific.com",))
    """Where return links may lead: host names, each as a whole."""
    personal: bool = False
    """Whether each person's code ends in six signs of their own, so that a code that is passed on is noticed. Not for a platform that knows
    one code for all (Prolific)."""
    debriefed: tuple[OutcomeName, ...] = ("done", "stopped", "technical")
    """Outcomes with which people read the study's debriefing, before their code."""

    @model_validator(mode="after")
    def _clear(self) -> Returns:
        seen: dict[str, str] = {}
        for outcome in OUTCOMES:
            way = self.of(outcome.name)
            if way.code and (other := seen.setdefault(way.code.casefold(), outcome.words)) != outcome.words:
                raise ValueError(
                    f"the code {way.code} stands for “{other}” and for “{outcome.words}”: whoever brings it could be either; use two codes"
                )
            host = urlsplit(way.link).hostname
            if host is not None and host not in self.hosts:
                raise ValueError(
                    f"the return link of “{outcome.words}” leads to {host}, which is none of the hosts that the study allows "
                    f"({', '.join(self.hosts) or 'none'}): add it to hosts, or mend the link"
                )
        return self

    def of(self, name: OutcomeName) -> Return:
        """What somebody with this outcome is given."""
        way: Return = getattr(self, name)
        return way

    @property
    def given(self) -> bool:
        """Whether anybody is given a code or a link."""
        return any(self.of(outcome.name).code or self.of(outcome.name).link for outcome in OUTCOMES)


def address(way: Return, code: str, person: str = "") -> str:
    """A return link filled in.

    Args:
        way: of the outcome.
        code: the code that this person is given.
        person: the platform's id of the person; empty: they came by no platform.
    """
    return way.link.replace("{code}", quote(code, safe="")).replace("{person}", quote(person, safe=""))
