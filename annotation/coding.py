"""Coding answers in words: take what is new into the queue, code, and what came of it."""

from __future__ import annotations

import msgspec

from annotation.reviewing import claims, things, votes
from annotation.reviewing.agreement import Agreement, by_axis
from annotation.reviewing.kinds.answers_in_words import CODE, KIND
from annotation.reviewing.rows import Review, Vote
from data.store import Store
from study import coding


class Progress(msgspec.Struct, frozen=True):
    """How far the answers of a study are coded."""

    answers: int
    """Final answers that were looked at."""
    exact: int
    """Of these: the normaliser reads them as they stand."""
    texts: int
    """Different texts of the others."""
    coded: int
    """Texts that have their code."""
    agreement: Agreement
    """Of those who coded, without knowing of each other; where a third decided, that one counts too."""


def take_in(store: Store, study_id: str, *, actor: str) -> int:
    """Take the new answers of a study into the queue; returns how many texts are new.

    Raises:
        UnknownStudy: there is none.
    """
    if not coding.are_new(store, study_id):
        return 0
    with store.atomic():
        found = coding.new_texts(store, study_id)
        for text in found:
            things.put(store, KIND, text.subject, study_id, "found", actor=actor)
            things.move(store, KIND, text.subject, "submit", actor)
    return len(found)


def next_text(store: Store, study_id: str, coder: str) -> Review:
    """The coder's unfinished text, or the next one.

    Raises:
        NothingToReview: nothing waits for this person.
    """
    take_in(store, study_id, actor="")
    return claims.next_review(store, KIND, study_id, coder)


def give_code(store: Store, review_id: str, coder: str, code: str) -> Review:
    """Keep what a coder says.

    Raises:
        BadVote: it is no answer to the question.
        BadTransition, NotYours, UnknownReview: as `annotation.reviewing.votes.give`.
    """
    return votes.give(store, KIND, review_id, coder, CODE, {CODE: Vote(code)})


def progress(store: Store, study_id: str) -> Progress:
    """How far the answers of a study are coded.

    Raises:
        UnknownStudy: there is none.
    """
    take_in(store, study_id, actor="")
    seen = store.one(
        "SELECT count(*) AS answers, count(*) - count(c.subject) AS exact FROM coded_answers c JOIN episodes e USING (episode_id) "
        "WHERE e.study_id = ?",
        [study_id],
    )
    texts = store.one(
        "SELECT count(*) AS texts, coalesce(sum(state = 'coded'), 0) AS coded FROM reviewed WHERE kind = ? AND scope = ?",
        [KIND.name, study_id],
    )
    assert seen is not None and texts is not None
    return Progress(**seen, **texts, agreement=by_axis(store, KIND, study_id)[0])
