"""What happened, for others to use, in the forms of `study.exports.FORMATS`.

Nothing of people who withdrew, and no recruitment ids, ever leave. An export appears as a whole or not at all.
"""

from __future__ import annotations

import json
import secrets
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from pydantic import BaseModel, ConfigDict

from data.files import replace_folder
from data.frames import FrameStore
from data.store import Store, now, os_error
from study import released
from study.errors import ExportRefused
from study.exports import FORMATS
from study.exports.card import write_card
from study.exports.choice import ALL_RESULTS, USUAL, Choice, Pictures
from study.exports.episodes import Chosen, chosen, read_episodes
from study.exports.form import Format, Making, named
from study.states import LIVE, MODES

MANIFEST = "vantage_export.json"
"""Marks a folder as an export of ours: such a folder may be replaced."""
PROBLEMS = "problems.json"
"""What an export lacks; not there where it lacks nothing."""
Progress = Callable[[int, int, Mapping[str, int]], None]
"""Called with (episodes done, episodes in all, what has been written so far by the names of the counts)."""


class ExportReport(BaseModel):
    """What an export holds: the counts of its formats by name, such as ``report.steps``; 0 where a format was left out."""

    problems: int = 0
    """Pictures that it lacks, since their files are missing or were changed; named in ``problems.json``."""
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


def export(
    store: Store,
    frames: FrameStore,
    out: Path,
    *,
    study_id: str | None = None,
    episodes: Sequence[str] | None = None,
    only: Sequence[str] = (),
    participants: Sequence[str] | None = None,
    images: Pictures = "webp",
    unfinished: bool = ALL_RESULTS,
    finished: bool = USUAL.finished,
    practice: bool = USUAL.practice,
    modes: Sequence[str] = (LIVE,),
    progress: Progress | None = None,
    actor: str = "",
) -> ExportReport:
    """Write an export folder.

    Args:
        store: the database.
        frames: the frame folder.
        out: the folder to write; an earlier export there is replaced.
        study_id: only this study; None: everything.
        episodes: only these episodes.
        only: names of formats (`study.exports.FORMATS`); empty: those that are written by default.
        participants: only what these people did.
        images: how to write the pictures of the steps (`study.exports.choice.Pictures`).
        unfinished: whether the result tree also holds episodes without a final answer, and practice, as the tables do.
        finished: only episodes with a final answer, in every form.
        practice: practice too.
        modes: of these kinds of runs (`study.states.MODES`); episodes that are named are written whatever their kind.
        progress: called after each episode.
        actor: who asks for it; kept with whose data it holds (`study.released`).

    Returns:
        Counts. A picture whose file is missing or changed is left out, counted and named in ``problems.json``; the rest is there.

    Raises:
        ExportRefused: `out` holds something else, or the study, an episode or a format does not exist.
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    out = out.absolute()
    _check_target(out)
    _check_wanted(store, study_id, episodes, participants)
    forms = named(FORMATS, only)
    choice = Choice(
        study_id=study_id,
        episodes=None if episodes is None else tuple(episodes),
        participants=None if participants is None else tuple(participants),
        finished=finished,
        practice=practice,
        modes=tuple(modes),
    )

    of_whom = _told_of(store, study_id, modes) if episodes is None and participants is None else set(participants or ())

    def write(folder: Path) -> ExportReport:
        held = chosen(store, choice)
        of_whom.update(one.participant_id for one in held if one.participant_id)
        datasets, known = frozenset(one.dataset for one in held), dict.fromkeys(one.study_id for one in held if one.study_id)
        people = None if episodes is None and participants is None else frozenset(one.participant_id for one in held if one.participant_id)
        studies = (study_id,) if study_id is not None else tuple(known)
        of_kinds = tuple(modes) if episodes is None else MODES
        making = Making(store, frames, folder, datasets, studies, people, images, of_kinds, unfinished)
        report = _write(making, forms, held, progress)
        about = {"made_by": "vantage", "format": 1, "created_at": now(), "study_id": study_id, "counts": report.model_dump()}
        about |= {"choice": msgspec.to_builtins(choice), "formats": [form.name for form in forms], "images": images}
        if any(form.card for form in forms):
            _write_card(making, forms, study_id)
        about["sha256"] = {file.stem: sha256(file.read_bytes()).hexdigest() for file in sorted((folder / "tables").glob("*.parquet"))}
        if making.problems:
            told = [problem._asdict() for problem in making.problems]
            (folder / PROBLEMS).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        (folder / MANIFEST).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        return report

    try:
        report = replace_folder(out, write)
        released.note(store, out, of_whom, study_id=study_id, forms=[form.name for form in forms], actor=actor)
        return report
    except OSError as error:
        raise os_error(error, f"write the export {out}") from error


def _told_of(store: Store, study_id: str | None, modes: Sequence[str]) -> set[str]:
    """People of whom the tables tell though no episode of theirs was written."""
    rows = store.query(
        "SELECT participant_id FROM participants WHERE (:study IS NULL OR study_id = :study) "
        "AND mode IN (SELECT value FROM json_each(:modes)) AND consented_at IS NOT NULL AND state <> 'withdrawn'",
        {"study": study_id, "modes": json.dumps(list(modes))},
    )
    return {row["participant_id"] for row in rows}


def zip_export(out: Path) -> Path:
    """Pack an export folder into ``<out>.zip`` (images are stored as they are); returns its path.

    Raises:
        StorageFull, StoreError: it cannot be written; nothing is left behind.
    """
    out = out.absolute()
    target = out.with_name(out.name + ".zip")
    partial = out.with_name(f".{out.name}.{secrets.token_hex(4)}.zip.partial")
    try:
        with zipfile.ZipFile(partial, "w") as archive:
            for path in sorted(p for p in out.rglob("*") if p.is_file()):
                packed = zipfile.ZIP_STORED if path.suffix in (".png", ".webp", ".parquet") else zipfile.ZIP_DEFLATED
                archive.write(path, f"{out.name}/{path.relative_to(out)}", packed)
        partial.replace(target)
    except OSError as error:
        raise os_error(error, f"write {target}") from error
    finally:
        partial.unlink(missing_ok=True)
    return target


def _write_card(making: Making, forms: Sequence[Format], study_id: str | None) -> None:
    """The data card: trajectories first, then the tables."""
    row = None if study_id is None else making.store.one("SELECT name FROM studies WHERE study_id = ?", [study_id])
    configs = [config for form in sorted(forms, key=lambda form: not form.card) for config in form.configs(making)]
    write_card(
        making.folder,
        title="Episodes of embodied spatial tasks",
        text="Episodes of people, models and scripts. Participants are pseudonymous; nobody who withdrew is in it.",
        name="Vantage" if row is None else str(row["name"]),
        tasks=("robotics", "visual-question-answering"),
        configs=configs,
    )


def _check_wanted(store: Store, study_id: str | None, episodes: Sequence[str] | None, participants: Sequence[str] | None) -> None:
    """Refuse what does not exist, before an earlier export would be replaced by an empty one."""
    if study_id is not None and store.one("SELECT 1 AS yes FROM studies WHERE study_id = ?", [study_id]) is None:
        raise ExportRefused(f"There is no study {study_id[:40]!r} in {store.home.db}: nothing was written.")
    for episode_id in episodes or ():
        if store.one("SELECT 1 AS yes FROM episodes WHERE episode_id = ?", [episode_id]) is None:
            raise ExportRefused(f"There is no episode {episode_id[:40]!r} in {store.home.db}: nothing was written.")
    for participant_id in participants or ():
        if store.one("SELECT 1 AS yes FROM participants WHERE participant_id = ?", [participant_id]) is None:
            raise ExportRefused(f"There is no participant {participant_id[:40]!r} in {store.home.db}: nothing was written.")


def _check_target(out: Path) -> None:
    if out.is_file() or out.is_symlink():
        raise ExportRefused(f"{out} is a file, not a folder: name another --out.")
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise ExportRefused(f"{out} holds other files, which an export would replace: name a new or empty folder with --out.")


def _write(making: Making, forms: Sequence[Format], held: list[Chosen], progress: Progress | None) -> ExportReport:
    """One pass over the episodes, each handed to every form; one episode is in memory at a time."""
    with ExitStack() as opened:
        takers = [opened.enter_context(form.write(making)) for form in forms]
        for number, episode in enumerate(read_episodes(making.store, held), start=1):
            if episode is not None:
                for take in takers:
                    take(episode)
            if progress:
                progress(number, len(held), making.counts)
    counts = {name: making.counts[name] for form in FORMATS for name in form.counts}
    return ExportReport.model_validate(counts | {"problems": len(making.problems)})
