"""Which letter a model's reply answers with: the one place that reads replies.

The released scripts of MV-RoboBench take the first ``Answer: X`` anywhere in the text, else the first lone capital from A to E that no full
stop follows, else A. Here the last one counts in place of the first, since models think aloud and correct themselves, and what says neither
is no answer, never a letter. Read too are statements that the scripts' pattern misses for their dress: ``**Answer:** C``, ``the answer is
(C)``, ``\\boxed{C}``. "A" before a noun is an article, and a statement that names two letters has not chosen.
"""

from __future__ import annotations

import re

_DRESS = r"\s*_`\"'“”‘’«»$\\(){}\[\]:：="
_STATED = re.compile(
    rf"\banswer\b[{_DRESS}]*?(?:\b(?:is|was|(?:would|should|must)\s+be)\b|[:：=→]|[-–—]+>?)"
    rf"(?:[{_DRESS}]|\b(?:is|the|option|choice|letter|image|boxed|text|textbf|mathrm|mathbf)\b)*"
    r"([A-E])\b(?!['’]\w)",
    re.IGNORECASE,
)
"""A statement of an answer, on one line or several."""
_SEVERAL = re.compile(r"(?:\s*[/&,]\s*|\s+(?:or|and)\s+)(?:option\s+)?[A-E]\b(?=\W*?(?:$|[\n,/&]|\bor\b|\band\b))", re.IGNORECASE)
"""What follows a letter that is one of a list."""
_LONE = re.compile(r"(?<![A-E][-–—])\b([A-E])\b(?!\.|[-–—’']\w)")
"""A capital alone; one with a full stop behind it is the head of a repeated option."""
_ALONE = re.compile(r"\W*(?:(?i:option|answer|boxed|text)\W*)*([A-E])\W*")
"""A reply that is a letter alone."""
_GOES_ON = (
    "is|was|as|because|since|for|due|seems|appears|looks|shows|has|would|will|can|fits|matches|best|which|that|where|when|while|with|given|"
    "and|or|but|so|then|not|by|in|on|from|to|at|of|if|based"
)
"""Words that follow an answer "A"; before any other word of small letters it is the article."""
_ARTICLE = re.compile(rf"[ \t]+(?!(?:{_GOES_ON})\b)[a-z]")
_TAG = re.compile(r"</?[a-z][^<>\n]{0,60}>", re.IGNORECASE)


def read_answer(text: str) -> str | None:
    """The letter that a reply answers with; None where it cannot be read.

    Example:
        >>> read_answer("The cup is near.\\n**Answer: B**"), read_answer("Answer: A. No: answer:\\nC"), read_answer("I think it is D")
        ('B', 'C', 'D')
        >>> read_answer("A cup is near."), read_answer("Answer: A or B"), read_answer("")
        (None, None, None)
    """
    plain = _TAG.sub(" ", re.sub(r"<\s*answer\s*>", " answer: ", text, flags=re.IGNORECASE))
    if alone := _ALONE.fullmatch(plain):
        return alone[1]
    stated = [found for found in _STATED.finditer(plain) if not _is_article(found, plain)]
    if stated:
        return None if _SEVERAL.match(plain, stated[-1].end()) else stated[-1][1].upper()
    lone = [found[1] for found in _LONE.finditer(plain) if not _is_article(found, plain)]
    return lone[-1] if lone else None


def _is_article(found: re.Match[str], text: str) -> bool:
    return found[1] in "Aa" and _ARTICLE.match(text, found.end()) is not None
