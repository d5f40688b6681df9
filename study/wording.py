"""A participant's words: every sentence that somebody reads who takes part stands in one catalogue for each language, and is said here.

    with speaking(study.language):
        say("consent.agree")                      # "I have read this, and I want to take part."
        say("task.title", number=3, total=8)      # "Task 3 of 8"
        words_for("play", "stop")                 # what a component of the page says, for its browser side

Which language is spoken belongs to the run of a page or the reply to a request, not to the process: outside `speaking` it is English.
Words that a study brings (its consent, its questions) stand in the study, not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from study.errors import StudyError
from study.wordings import CATALOGUES


class UnknownLanguage(StudyError):
    """There is no catalogue of a participant's words in this language."""

    code = "unknown_language"


class NoWords(Exception):
    """Our own mistake: something is said that stands in no catalogue, or without one of its values."""


@dataclass(frozen=True)
class Wording:
    """All of a participant's words in one language."""

    language: str
    """BCP 47 tag, as pages name it."""
    texts: Mapping[str, str]
    """Key → words, with a place for each value: ``Task {number} of {total}``."""

    def say(self, key: str, /, *things: object, **values: object) -> str:
        """The words of `key` with its values in their places; `things` go to ``{0}``, ``{1}``, ….

        Raises:
            NoWords: there is no such key, or a value is missing.
        """
        try:
            return self.texts[key].format(*things, **values)
        except (KeyError, IndexError) as error:
            raise NoWords(f"No words for {key!r} in {self.language!r}: {error} is missing.") from None

    def part(self, *groups: str) -> dict[str, str]:
        """What a component's browser side says: the texts whose keys begin with one of `groups`, their places still open."""
        return {key: text for key, text in self.texts.items() if key.partition(".")[0] in groups}


def wording(language: str) -> Wording:
    """The words of a language.

    Raises:
        UnknownLanguage: there are none.
    """
    if language not in CATALOGUES:
        raise UnknownLanguage(f"There are no words in the language {language[:20]!r}. Use one of: {', '.join(CATALOGUES)}.")
    return Wording(language, CATALOGUES[language].TEXTS)


ENGLISH = wording("en")
_spoken: ContextVar[Wording] = ContextVar("spoken", default=ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[Wording]:
    """Within it, `say` says it in this language: for one run of a page, or one reply."""
    token = _spoken.set(wording(language))
    try:
        yield _spoken.get()
    finally:
        _spoken.reset(token)


def spoken() -> str:
    """The language that is spoken now, as a BCP 47 tag."""
    return _spoken.get().language


def say(key: str, /, *things: object, **values: object) -> str:
    """The words of `key` in the language that is spoken now.

    Args:
        key: of the catalogue, such as ``consent.agree``.
        *things: for the numbered places in it, as sentences about objects have.
        **values: for the named places in it.

    Raises:
        NoWords: there is no such key, or a value is missing.
    """
    return _spoken.get().say(key, *things, **values)


def words_for(*groups: str) -> dict[str, str]:
    """What a component's browser side says in the language that is spoken now: all keys of these groups (``play`` for ``play.…``)."""
    return _spoken.get().part(*groups)
