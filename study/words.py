"""What an answer and a person are called, wherever they are named in words."""

from __future__ import annotations

from data.task import Answer


def answer_in_words(answer: Answer | None) -> str:
    """An answer on one line: an order with arrows, a mapping by its names, so that equal answers read alike; empty: there is none."""
    if answer is None:
        return ""
    if isinstance(answer, list):
        return " → ".join(map(str, answer))
    if isinstance(answer, dict):
        return "; ".join(f"{name}: {answer[name]}" for name in sorted(answer))
    return str(answer)


def person(number: int) -> str:
    """What a participant is called where staff read of them: ``P012``, a number within the study and nobody's id."""
    return f"P{number:03d}"
