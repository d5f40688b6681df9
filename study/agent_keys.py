"""Keys of model agents: one opens the episodes that its agent began in one study. Kept as SHA-256 only, shown once."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from data.store import Store, new_id, now
from study.errors import NotAllowed
from study.records import AgentKeyRecord
from study.studies import get_study


@dataclass(frozen=True)
class Agent:
    """A model agent's key."""

    key_id: str
    study_id: str
    name: str


def create(store: Store, study_id: str, name: str, *, actor: str = "") -> str:
    """A bearer key for a model agent in a study; names are unique among its live keys.

    Returns:
        The key (shown once).

    Raises:
        ValueError: the name is taken or empty.
    """
    get_study(store, study_id)
    key, key_id = secrets.token_urlsafe(32), new_id("ak")
    with store.atomic():
        taken = store.one("SELECT 1 AS yes FROM agent_keys WHERE study_id = ? AND name = ? AND revoked_at IS NULL", [study_id, name])
        if taken or not name.strip():
            raise ValueError(f"name: give another name, {name!r} is {'taken' if taken else 'empty'}")
        store.insert(
            "agent_keys",
            {"key_id": key_id, "token_hash": _hash(key), "study_id": study_id, "name": name, "created_at": now(), "revoked_at": None},
        )
        store.event("agent_key", {"key": key_id, "name": name}, actor=actor, study_id=study_id)
    return key


def revoke(store: Store, key_id: str, *, actor: str = "") -> None:
    """A key stops working at once."""
    with store.atomic() as db:
        db.execute("UPDATE agent_keys SET revoked_at = coalesce(revoked_at, ?) WHERE key_id = ?", [now(), key_id])
        store.event("agent_key_revoked", {"key": key_id}, actor=actor)


def agent(store: Store, key: str | None, episode_id: str | None = None) -> Agent:
    """The agent behind a bearer key; with `episode_id`, only if the episode is its own.

    Raises:
        NotAllowed: unknown or revoked key, or another's episode.
    """
    kept = store.row("SELECT * FROM agent_keys WHERE token_hash = ? AND revoked_at IS NULL", AgentKeyRecord, [_hash(key or "")])
    if kept is None:
        raise NotAllowed("This needs a valid key: send it as 'Authorization: Bearer …'.")
    found = Agent(kept.key_id, kept.study_id, kept.name)
    if episode_id is not None:
        episode = store.one("SELECT study_id, agent_kind, agent_name FROM episodes WHERE episode_id = ?", [str(episode_id)])
        if episode is None or (episode["study_id"], episode["agent_kind"], episode["agent_name"]) != (found.study_id, "model", found.name):
            raise NotAllowed("This episode does not belong to this key.")
    return found


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
