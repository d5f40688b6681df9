"""The kinds of robot sources: each module says whether a folder is one (`found`) and reads its episodes (`read`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from data.robot.errors import NoSource
from data.robot.folder import Folder
from data.robot.records import EpisodeRecord, Report
from data.robot.sources import agibot, bridge, lerobot, plain
from data.robot.views import Options


@dataclass(frozen=True)
class Source:
    """One kind of source."""

    kind: str
    label: str
    found: Callable[[Folder], bool]
    read: Callable[[Folder, Report, Options], Iterator[EpisodeRecord]]


_MODULES = (lerobot, agibot, bridge, plain)

SOURCES: Mapping[str, Source] = {module.KIND: Source(module.KIND, module.LABEL, module.found, module.read) for module in _MODULES}
"""Kind → reader, in the order in which a folder is asked."""


def detect(root: Path | Folder) -> str:
    """The kind of a folder.

    Raises:
        NoSource: it is not there, an archive, empty, or of no known kind.
    """
    folder = root if isinstance(root, Folder) else Folder.open(root)
    for kind in (lerobot.KIND, agibot.KIND):
        if SOURCES[kind].found(folder):
            return kind
    inside = [name for name in folder.folders() if any(module.found(Folder(folder.root / name)) for module in (lerobot, agibot))]
    if inside:
        raise NoSource(f"{folder.root} holds sources in its folders ({', '.join(inside[:5])}): name one of them.")
    for kind, source in SOURCES.items():
        if source.found(folder):
            return kind
    if any(".tfrecord" in name for where in islice(folder.walk(), 100) for name in folder.files(where)):
        raise NoSource(f"{folder.root} is an RLDS/TFDS dataset: convert it to a LeRobot dataset or to folders of images first.")
    known = ", ".join(f"{kind} ({source.label})" for kind, source in SOURCES.items())
    raise NoSource(f"{folder.root} is none of the known sources: {known}. Its layout is described in docs/how-to/import-robot-episodes.md.")
