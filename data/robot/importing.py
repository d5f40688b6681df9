"""Taking a source in: read all of it, then write it in one transaction. What is sound is kept, the rest is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from data.robot.errors import NoSource, NothingSound
from data.robot.folder import Folder
from data.robot.leftovers import name_the_rest
from data.robot.records import VIEWS, EpisodeRecord, Report, clean
from data.robot.sources import SOURCES, detect
from data.robot.views import Options
from data.store import Store, dumps, new_id, now

MAX_KEPT_PROBLEMS = 2000
"""Of one import, kept in the database; the rest is counted."""
MAX_WORDS = 400


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    source_id: str
    kind: str
    episodes: int
    """Sound episodes, of this import."""
    added: int
    changed: int
    unchanged: int
    report: Report

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        counts = {"episodes": self.episodes, "added": self.added, "changed": self.changed, "unchanged": self.unchanged}
        return {"source_id": self.source_id, "kind": self.kind, **counts, **self.report.as_json()}


def import_source(
    store: Store,
    root: Path,
    kind: str | None = None,
    *,
    name: str = "",
    licence: str = "",
    actor: str = "",
    cameras: Mapping[str, str] | None = None,
    every_frame: bool = False,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Import the sound episodes of a folder; again: what is new or has changed.

    Args:
        store: the database.
        root: the folder. Nothing is written to it, and frames are read from it later.
        kind: a key of `SOURCES`; None: found out.
        name: how people call it; default: the kind and the folder's name.
        licence: of the recordings.
        actor: who imports.
        cameras: camera of the source → view, where the names do not tell.
        every_frame: decode every frame of every video.
        limit: at most so many sound episodes, in the order of the source.
        progress: called with the number of episodes looked at.

    Returns:
        What was done, with the report.

    Raises:
        NoSource: the folder is no source, or of another kind.
        NothingSound: no episode is sound; nothing was written, and `report` says why.
        VideoUnavailable: it holds videos and PyAV is not installed.
    """
    folder = Folder.open(Path(root))
    if kind is None:
        kind = detect(folder)
    elif kind not in SOURCES:
        raise NoSource(f"A source is of the kind {', '.join(SOURCES)}; got {kind!r}.")
    elif not SOURCES[kind].found(folder):
        raise NoSource(f"{folder.root} is no {SOURCES[kind].label}.")
    report = Report()
    records = _read(folder, kind, report, _options(cameras, every_frame), limit, progress)
    if not records:
        raise NothingSound(f"{folder.root} has no sound episode ({len(report.problems)} faults); nothing was imported.", report)
    said = {"name": clean(name, MAX_WORDS), "licence": clean(licence, MAX_WORDS), "actor": actor}
    return _write(store, folder, kind, records, report, whole=limit is None, **said)


def _options(cameras: Mapping[str, str] | None, every_frame: bool) -> Options:
    known = {view for views in VIEWS.values() for view in views}
    for camera, view in (cameras or {}).items():
        if view not in known:
            raise NoSource(f"A camera is one of the views {', '.join(sorted(known))}; got {view!r} for {camera!r}.")
    return Options(dict(cameras or {}), every_frame)


def _read(
    folder: Folder, kind: str, report: Report, options: Options, limit: int | None, progress: Callable[[int], None] | None
) -> list[EpisodeRecord]:  # fmt: skip
    records: dict[str, EpisodeRecord] = {}
    for record in islice(SOURCES[kind].read(folder, report, options), limit):
        if record.key in records:
            report.add("contradiction", record.key, "This episode is there twice.", "the first one imported")
        records.setdefault(record.key, record)
        if progress is not None:
            progress(report.seen)
    if limit is None:
        name_the_rest(folder, report)
    return list(records.values())


def _write(
    store: Store,
    folder: Folder,
    kind: str,
    records: list[EpisodeRecord],
    report: Report,
    *,
    whole: bool,
    name: str,
    licence: str,
    actor: str,
) -> Imported:
    root = str(folder.root)
    with store.atomic() as db:
        source = store.one("SELECT source_id, name FROM robot_sources WHERE kind = ? AND root = ?", [kind, root])
        source_id = source["source_id"] if source else new_id("rs")
        if source is None:
            row = {"source_id": source_id, "kind": kind, "name": name or f"{kind} {folder.root.name}", "root": root, "licence": licence}
            store.insert("robot_sources", row | {"created_at": now()})
        before = {
            row["key"]: row for row in store.query("SELECT episode_id, key, document FROM robot_episodes WHERE source_id = ?", [source_id])
        }
        added = changed = 0
        for record in records:
            document = dumps(record.model_dump(mode="json", exclude_defaults=True))
            row = {"arm": record.arm, "task": record.task, "frames": record.frames, "fps": record.fps, "document": document}
            known = before.pop(record.key, None)
            if known is None:
                added += 1
                place = {"episode_id": new_id("re"), "source_id": source_id, "key": record.key}
                store.insert("robot_episodes", place | row | {"created_at": now()})
            elif known["document"] != document:
                changed += 1
                db.execute(
                    "UPDATE robot_episodes SET arm = ?, task = ?, frames = ?, fps = ?, document = ? WHERE episode_id = ?",
                    [*row.values(), known["episode_id"]],
                )
        for key in before if whole else ():
            what = "This episode was imported earlier, and is not there any more or not sound any more."
            report.add("gone", key, what, "kept as it was; its frames cannot be read")
        _keep_report(store, source_id, report, name, licence)
        data = {"source": source_id, "kind": kind, "root": root, "episodes": len(records), "added": added, "changed": changed}
        store.event("robot_source_imported", data | {"faults": report.counts()}, actor=actor)
    return Imported(source_id, kind, len(records), added, changed, len(records) - added - changed, report)


def _keep_report(store: Store, source_id: str, report: Report, name: str, licence: str) -> None:
    kept = report.as_json()
    kept["left_off"] = max(0, len(report.problems) - MAX_KEPT_PROBLEMS)
    kept["problems"] = kept["problems"][:MAX_KEPT_PROBLEMS]
    with store.atomic() as db:
        db.execute("UPDATE robot_sources SET report = ? WHERE source_id = ?", [dumps(kept), source_id])
        for column, value in (("name", name), ("licence", licence)):
            if value:
                db.execute(f"UPDATE robot_sources SET {column} = ? WHERE source_id = ?", [value, source_id])
