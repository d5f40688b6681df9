"""The stations of a participant's way between consent and thanks, in their order. Another one: a module and a line."""

from __future__ import annotations

from collections.abc import Mapping

from study.place import Station
from study.stations import tasks

STATIONS: Mapping[str, tuple[Station, ...]] = {
    "consented": (tasks.practice,),
    "practised": (tasks.task,),
    "finished": (),
}
"""Participant's state → what is asked there, one after the other. Who has passed all of it moves on, from ``consented`` to
``practised``, from there to ``finished``."""
