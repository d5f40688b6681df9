"""Which files with people's data were written out of this database, and of whom they hold data: so that an erasure can say what was
already released."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from data.store import Store, dumps, new_id, now


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `released`: one export, list or archive."""

    release_id: str
    study_id: str | None
    path: str
    """Folder or file as it was written; an archive of a folder lies beside it."""
    forms: str
    """What was written, in words: the names of the forms."""
    people: int
    """Of how many people it holds data."""
    actor: str
    at: str

    @property
    def still_there(self) -> tuple[Path, ...]:
        """What of it lies there yet."""
        folder = Path(self.path)
        return tuple(path for path in (folder, folder.with_name(folder.name + ".zip")) if path.exists())


def note(store: Store, path: Path, people: Iterable[str], *, study_id: str | None, forms: Iterable[str], actor: str = "") -> str | None:
    """Keep that a file was written.

    Args:
        store: the database.
        path: of the folder or file.
        people: pseudonymous ids of those whose data it holds.
        study_id: the study; None: several.
        forms: names of what was written.
        actor: who wrote it.

    Returns:
        The id of the release; None: the database cannot be written, so nothing is kept of it.
    """
    if not store.writable:
        return None
    release_id, known = new_id("rel"), sorted(set(people))
    with store.atomic() as db:
        row = {"release_id": release_id, "study_id": study_id, "path": str(path), "forms": ", ".join(forms), "people": len(known)}
        store.insert("released", row | {"actor": actor, "at": now()})
        db.execute(
            "INSERT INTO released_people (participant_id, release_id) SELECT participant_id, ? FROM participants "
            "WHERE participant_id IN (SELECT value FROM json_each(?))",
            [release_id, dumps(known)],
        )
    return release_id


def holding(store: Store, participant_id: str) -> list[Release]:
    """What was written that holds data of somebody, oldest first."""
    return store.rows(
        "SELECT r.* FROM released_people p JOIN released r USING (release_id) WHERE p.participant_id = ? ORDER BY r.at, r.rowid",
        Release,
        [participant_id],
    )
