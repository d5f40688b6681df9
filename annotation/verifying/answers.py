"""Answers as people read them."""

from __future__ import annotations

from data.task import Answer


def in_words(answer: Answer) -> str:
    """One answer; a mapping in the order of its names, so that equal answers read alike."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list):
        return ", ".join(answer)
    return ", ".join(f"{name}: {answer[name]}" for name in sorted(answer))
