"""The next task is made ready while its person still reads that the last answer is saved, or comes in from the consent.

Its place is taken and its scene loaded; it is not begun, and nothing of it is shown. A simulator is used only where one is free at once,
and given back where nobody comes (`study.simulators.AHEAD_RELEASE_S`); the place follows the study's rule for places that were left
(`Study.hold_minutes`).
"""

from __future__ import annotations

import logging

from app.services import Services
from sim_bridge.errors import Refusal
from study import participants

log = logging.getLogger("vantage.ahead")


def give_place(services: Services, participant_id: str) -> None:
    """Give the participant the place that is due, and begin to load its scene."""
    load(services, participants.place(services.store, services.engine, participant_id).episode_id)


def load(services: Services, episode_id: str | None) -> None:
    """Begin to load the scene of an episode, where there is one. Returns at once."""
    if episode_id is not None:
        services.opening.submit(_load, services, episode_id)


def after_answer(services: Services, episode_id: str) -> None:
    """Begin to take the next place of whoever has just answered this task, and to load its scene. Returns at once."""
    record = services.store.one("SELECT participant_id, slot_id, state FROM episodes WHERE episode_id = ?", [episode_id])
    if record is not None and record["slot_id"] and record["participant_id"] and record["state"] == "completed":
        services.opening.submit(_next, services, record["participant_id"])


def _next(services: Services, participant_id: str) -> None:
    try:
        give_place(services, participant_id)
    except Exception as error:
        _untroubled(error)


def _load(services: Services, episode_id: str) -> None:
    try:
        services.engine.make_ready(episode_id)
    except Exception as error:
        _untroubled(error)


def _untroubled(error: Exception) -> None:
    """Nobody waits for this: the page meets the same trouble when the person goes on, and tells them."""
    log.info("not made ready: %s", error, exc_info=None if isinstance(error, Refusal) else error)
