"""Strategies: a coder's free grouping of the successful trajectories of a subcategory (ESI-Bench, App. I, Table 8).

No labels are offered. Every coder has a partition of their own; a strategy with one trajectory counts.
"""

from __future__ import annotations

import msgspec

from data.store import Store, new_id, now
from study.labels.shown import NotLabelled, known, trajectories

MAX_NAME = 120
"""Longest name, characters."""


class Strategy(msgspec.Struct, frozen=True):
    """A row of `strategies`: one group of one coder."""

    strategy_id: str
    study_id: str
    category: str
    subcategory: str
    coder: str
    name: str
    about: str
    made_at: str


class Member(msgspec.Struct, frozen=True):
    """Where a coder put a trajectory."""

    episode_id: str
    strategy_id: str


def of_coder(store: Store, study_id: str, subcategory: tuple[str, str], coder: str) -> list[Strategy]:
    """A coder's strategies of a subcategory, oldest first."""
    return store.rows(
        "SELECT * FROM strategies WHERE study_id = ? AND category = ? AND subcategory = ? AND coder = ? ORDER BY made_at, rowid",
        Strategy,
        [study_id, *subcategory, coder],
    )


def members(store: Store, study_id: str, subcategory: tuple[str, str], coder: str) -> dict[str, str]:
    """Episode → strategy, for one coder."""
    rows = store.rows(
        "SELECT m.episode_id, m.strategy_id FROM strategies g JOIN strategy_members m USING (strategy_id) "
        "WHERE g.study_id = ? AND g.category = ? AND g.subcategory = ? AND g.coder = ? ORDER BY m.episode_id",
        Member,
        [study_id, *subcategory, coder],
    )
    return {row.episode_id: row.strategy_id for row in rows}


def create(store: Store, study_id: str, subcategory: tuple[str, str], coder: str, name: str, about: str = "") -> Strategy:
    """A new strategy.

    Raises:
        NotLabelled: it has no name, too long a one, or one that this coder uses already.
    """
    with store.atomic():
        name = _name(store, study_id, subcategory, coder, name)
        made = Strategy(new_id("sg"), study_id, *subcategory, coder, name, about.strip()[:2000], now())
        store.insert("strategies", msgspec.structs.asdict(made))
        _tell(store, "strategy_made", made, name=name)
    return made


def rename(store: Store, strategy_id: str, coder: str, name: str, about: str | None = None) -> Strategy:
    """Give a strategy another name.

    Raises:
        NotLabelled: as `create`, or it is another coder's.
    """
    with store.atomic() as db:
        found = _own(store, strategy_id, coder)
        name = found.name if name.strip() == found.name else _name(store, found.study_id, (found.category, found.subcategory), coder, name)
        text = found.about if about is None else about.strip()[:2000]
        db.execute("UPDATE strategies SET name = ?, about = ? WHERE strategy_id = ?", [name, text, strategy_id])
        _tell(store, "strategy_renamed", found, name=name)
    return _own(store, strategy_id, coder)


def put(store: Store, strategy_id: str, coder: str, episode_id: str) -> None:
    """Put a trajectory into a strategy; out of the one in which it was.

    Raises:
        NotLabelled: the strategy is another coder's, or the trajectory is no successful one of its subcategory.
    """
    with store.atomic() as db:
        found = _own(store, strategy_id, coder)
        of = (found.category, found.subcategory)
        if not trajectories(store, found.study_id, outcome="right", subcategory=of, only=episode_id):
            raise NotLabelled("Strategies group the successful trajectories of one subcategory: this is none of them.")
        db.execute(
            "INSERT INTO strategy_members (episode_id, coder, strategy_id, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (episode_id, coder) DO UPDATE SET strategy_id = excluded.strategy_id, at = excluded.at",
            [episode_id, coder, strategy_id, now()],
        )
        _tell(store, "strategy_given", found, episode=episode_id)


def take_out(store: Store, study_id: str, coder: str, episode_id: str) -> None:
    """Leave a trajectory without a strategy again.

    Raises:
        NotLabelled: it is no trajectory of the study.
    """
    known(store, study_id, episode_id)
    with store.atomic() as db:
        db.execute("DELETE FROM strategy_members WHERE episode_id = ? AND coder = ?", [episode_id, coder])
        store.event("strategy_taken", {"episode": episode_id}, actor=coder, study_id=study_id)


def merge(store: Store, strategy_id: str, into: str, coder: str) -> Strategy:
    """Put everything of one strategy into another, and remove the first.

    Raises:
        NotLabelled: both are the same, of different subcategories, or another coder's.
    """
    with store.atomic() as db:
        first, second = _own(store, strategy_id, coder), _own(store, into, coder)
        if first.strategy_id == second.strategy_id:
            raise NotLabelled("A strategy cannot be merged into itself: choose another one.")
        if (first.study_id, first.category, first.subcategory) != (second.study_id, second.category, second.subcategory):
            raise NotLabelled("Only strategies of the same study and subcategory can be merged.")
        db.execute("UPDATE strategy_members SET strategy_id = ?, at = ? WHERE strategy_id = ?", [into, now(), strategy_id])
        db.execute("DELETE FROM strategies WHERE strategy_id = ?", [strategy_id])
        _tell(store, "strategy_merged", first, into=into)
    return second


def split(store: Store, strategy_id: str, coder: str, episodes: list[str], name: str) -> Strategy:
    """Make a new strategy of some trajectories of another one.

    Raises:
        NotLabelled: none, or one that is not in it, is named; or as `create`.
    """
    with store.atomic() as db:
        found = _own(store, strategy_id, coder)
        of = (found.category, found.subcategory)
        inside = {episode for episode, where in members(store, found.study_id, of, coder).items() if where == strategy_id}
        if not episodes or not set(episodes) <= inside:
            raise NotLabelled("Choose one or more trajectories that are in this strategy.")
        made = create(store, found.study_id, of, coder, name)
        for episode in episodes:
            db.execute(
                "UPDATE strategy_members SET strategy_id = ?, at = ? WHERE episode_id = ? AND coder = ?",
                [made.strategy_id, now(), episode, coder],
            )
        _tell(store, "strategy_split", found, into=made.strategy_id, episodes=episodes)
    return made


def remove(store: Store, strategy_id: str, coder: str) -> None:
    """Remove a strategy; its trajectories are without one again.

    Raises:
        NotLabelled: it is another coder's.
    """
    with store.atomic() as db:
        found = _own(store, strategy_id, coder)
        db.execute("DELETE FROM strategy_members WHERE strategy_id = ?", [strategy_id])
        db.execute("DELETE FROM strategies WHERE strategy_id = ?", [strategy_id])
        _tell(store, "strategy_removed", found)


def _own(store: Store, strategy_id: str, coder: str) -> Strategy:
    found = store.row("SELECT * FROM strategies WHERE strategy_id = ?", Strategy, [strategy_id])
    if found is None or found.coder != coder:
        raise NotLabelled("There is no such strategy of yours: it was merged or removed, or it is another coder's.")
    return found


def _name(store: Store, study_id: str, subcategory: tuple[str, str], coder: str, name: str) -> str:
    said = name.strip()
    if not said or len(said) > MAX_NAME:
        raise NotLabelled(f"Name the strategy in 1 to {MAX_NAME} characters, got {len(said)}.")
    if said.casefold() in {each.name.casefold() for each in of_coder(store, study_id, subcategory, coder)}:
        raise NotLabelled(f"You have a strategy “{said}” here already: choose another name, or put the trajectory into it.")
    return said


def _tell(store: Store, kind: str, strategy: Strategy, **more: object) -> None:
    told = {"strategy": strategy.strategy_id, "category": strategy.category, "subcategory": strategy.subcategory, **more}
    store.event(kind, told, actor=strategy.coder, study_id=strategy.study_id, subject=strategy.strategy_id)
