"""What a study pays: settings. Amounts are in the currency's unit with two decimals; the ledger counts hundredths (`study.payments`)."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Amount = Annotated[Decimal, Field(ge=0, max_digits=9, decimal_places=2)]
"""An amount of money, at most two decimals."""
PartRule = Literal["nothing", "by_tasks", "by_time", "amount", "in_full"]
"""How much of a session is paid to people who did not finish it."""
PART_IN_WORDS: dict[str, str] = {
    "nothing": "nothing",
    "by_tasks": "as much of a session's pay as of its tasks they did",
    "by_time": "their time, waiting for us included and time away not",
    "amount": "a fixed amount",
    "in_full": "the whole session",
}
HOUR_MS = 3_600_000


class Pay(BaseModel):
    """What people are paid. Without a currency nobody is paid and no ledger is kept."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    currency: str = ""
    """Three capital letters (ISO 4217); empty: nobody is paid."""
    per_session: Amount | None = None
    """For a finished session; or `per_hour`."""
    per_hour: Amount | None = None
    """For an hour of a finished session as it was measured, waiting for us included and time away not; or `per_session`."""
    minimum_per_hour: Amount | None = None
    """Below this hourly pay as measured, a page warns (the minimum wage where the people are, or the platform's)."""
    stopped: PartRule = "by_tasks"
    """What people who end early are paid for a session that they began."""
    technical: PartRule = "in_full"
    """What people are paid who were stopped by a fault of ours."""
    screened_out: PartRule = "by_time"
    """What people are paid who are screened out or find no place left."""
    amount: Amount = Decimal(0)
    """The fixed amount, where one of these rules is ``amount``."""

    @field_validator("currency")
    @classmethod
    def _three_letters(cls, currency: str) -> str:
        if currency and not re.fullmatch("[A-Z]{3}", currency):
            raise ValueError("a currency is three capital letters such as EUR")
        return currency

    @model_validator(mode="after")
    def _whole(self) -> Pay:
        if not self.currency:
            if self.per_session is not None or self.per_hour is not None:
                raise ValueError("pay needs a currency, three capital letters such as EUR")
            return self
        if (self.per_session is None) == (self.per_hour is None):
            raise ValueError("say what is paid by per_session or by per_hour, one of the two")
        if self.hourly is None and "by_time" in (self.stopped, self.technical, self.screened_out):
            raise ValueError("by_time needs an hourly amount: give per_hour or minimum_per_hour, or choose another rule")
        return self

    @property
    def hourly(self) -> Decimal | None:
        """What an hour is paid where time is paid; None: it is not said."""
        return self.per_hour if self.per_hour is not None else self.minimum_per_hour

    def for_time(self, ms: int) -> int:
        """Hundredths for so much time, rounded up: never a hundredth too little."""
        return hundredths((self.hourly or Decimal(0)) * ms / HOUR_MS)

    def for_session(self, ms: int) -> int:
        """Hundredths for a finished session that took so long."""
        return hundredths(self.per_session) if self.per_session is not None else self.for_time(ms)

    def for_part(self, rule: PartRule, done: int, of: int, ms: int) -> int:
        """Hundredths for a session that was not finished.

        Args:
            rule: which.
            done: tasks of it that were done.
            of: tasks that it has.
            ms: time that it took so far.
        """
        if rule == "amount":
            return hundredths(self.amount)
        if rule == "in_full":
            return self.for_session(ms)
        if rule == "by_time" or (rule == "by_tasks" and self.per_session is None):
            return self.for_time(ms)
        if rule == "by_tasks" and self.per_session is not None:
            return hundredths(self.per_session * min(done, of) / of) if of else 0
        return 0


def hundredths(amount: Decimal) -> int:
    """An amount in hundredths, rounded up."""
    return int((amount * 100).to_integral_value(rounding=ROUND_UP))


def money(count: int, currency: str) -> str:
    """Hundredths in words: ``12.50 EUR``."""
    return f"{Decimal(count) / 100:.2f} {currency}"
