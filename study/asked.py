"""A question in words, for whoever is asked in text: one form for all model agents."""

from __future__ import annotations

from collections.abc import Sequence


def asked(
    text: str,
    *,
    note: str = "",
    options: Sequence[str] = (),
    blanks: Sequence[Sequence[str]] = (),
    blank_names: Sequence[str] = (),
    targets: Sequence[str] = (),
    told: Sequence[str] = (),
) -> list[str]:
    """Lines with the question, what may be answered, and what is told beside it, each in the order in which it is shown."""
    lines = [f"Question: {text}"]
    if note:
        lines.append(note)
    if options:
        lines.append("Options: " + "; ".join(options))
    for number, choices in enumerate(blanks):
        name = blank_names[number] if number < len(blank_names) else f"blank {number + 1}"
        lines.append(f"Options for {name}: " + "; ".join(choices))
    if targets:
        lines.append("Targets: " + "; ".join(targets))
    if told:
        lines.append("Things in the scene: " + "; ".join(told))
    return lines
