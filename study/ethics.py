"""The ethics record of a study: who decided that it may be done, and what its people were promised (measurement 29)."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

DEMONSTRATION: Final = "demonstration"
"""The basis of a study that is no research: nothing else is asked then, and what people do in it counts as no data."""


class EthicsRecord(BaseModel):
    """What a board decided about a study, and what follows for its people. Empty: not said yet. Whom people reach and what they are told
    afterwards stand in the study itself (`Study.contact`, `Study.debriefing`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    basis: Literal["", "approval", "determination", "demonstration"] = ""
    """``approval``: a board approved the study. ``determination``: a board or officer found that it needs no approval.
    ``demonstration``: it is shown or tried out, and nothing is collected for research."""
    decided_by: str = Field(default="", max_length=300)
    """The board or office that decided."""
    number: str = Field(default="", max_length=120)
    """Its number for this study."""
    decided_on: date | None = None
    """The day of the decision."""
    minimum_age: int | None = Field(default=None, ge=0, le=120)
    """How old people must be, years."""
    retention: str = Field(default="", max_length=2000)
    """What is kept, by whom, where and until when."""
    risks: str = Field(default="", max_length=2000)
    """What people risk; “none beyond everyday use of a computer” is an answer, silence is none."""
    withdrawal_until: str = Field(default="", max_length=500)
    """Until when people can take their data back, and how."""


_ASKED = {
    "basis": "whether a board approved it or found that it needs no approval",
    "decided_by": "who decided",
    "number": "the number of the decision",
    "decided_on": "the day of the decision",
    "minimum_age": "how old people must be",
    "retention": "what is kept and for how long",
    "risks": "the risks",
    "withdrawal_until": "until when people can take their data back",
}
"""Field → what is missing where it is empty."""


def missing(record: EthicsRecord | None) -> tuple[str, ...]:
    """What a study's record still has to say before people come in, in words; empty: nothing."""
    kept = record or EthicsRecord()
    if kept.basis == DEMONSTRATION:
        return ()
    return tuple(words for field, words in _ASKED.items() if getattr(kept, field) in ("", None))
