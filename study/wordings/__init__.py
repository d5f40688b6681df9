"""Catalogues of a participant's words, one for each language. Another one: a module with ``NAME`` and ``TEXTS``, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from study.wordings import english, pseudo


class Catalogue(Protocol):
    """A module of this package."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """What the language calls itself."""

    @property
    def TEXTS(self) -> Mapping[str, str]:  # noqa: N802
        """Key → words; the same keys, with the same places, in every language."""


CATALOGUES: Mapping[str, Catalogue] = {"en": english, "qps-ploc": pseudo}
"""BCP 47 tag → its catalogue."""
FOR_TRYING: frozenset[str] = frozenset(("qps-ploc",))
"""Languages that nobody speaks: to see whether all words come from the catalogue."""
