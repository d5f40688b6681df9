"""The stations of a participant's way between consent and thanks, in their order. Another one: a module and a line."""

from __future__ import annotations

from collections.abc import Mapping

from study.place import Station
from study.stations import breaks, forms, instructions, limits, messages, seats, tasks, tutorial

STATIONS: Mapping[str, tuple[Station, ...]] = {
    "consented": (
        messages.unread,
        forms.at("eligibility"),
        seats.seat,
        forms.at("before"),
        forms.at("check"),
        instructions.told,
        tasks.practice,
        tutorial.example,
        forms.at("comprehension"),
    ),
    "practised": (messages.unread, forms.between, breaks.rest, limits.session, seats.seat, tasks.task, forms.at("after")),
    "finished": (),
}
"""Participant's state → what is asked there, one after the other. Who has passed all of it moves on, from ``consented`` to
``practised``, from there to ``finished``."""
