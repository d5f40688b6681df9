"""Citations of the rules of measurement (`docs/explanation/measurement.md`) in what settings say of themselves."""

from __future__ import annotations

import re

_CITED = re.compile(r"\s*\(measurement \d+(?:, \d+)*\)")


def uncited(text: str) -> str:
    """A setting's documentation without them: they are for whoever reads the code and its reference, not for a page or a command."""
    return _CITED.sub("", text)
