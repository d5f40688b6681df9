"""The kinds of robot sources: each module declares one, which says whether a folder is one and reads its episodes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path

from data.robot.cameras import MATRICES, Form
from data.robot.errors import NoSource
from data.robot.folder import Folder
from data.robot.kinds import KINDS
from data.robot.sources.base import Source


def _declared(kind: str) -> Source:
    """What the module of this name declares.

    Raises:
        TypeError: it declares no source of its own name.
    """
    source = getattr(import_module(f"{__name__}.{kind}"), "SOURCE", None)
    if not isinstance(source, Source) or source.kind != kind:
        raise TypeError(f"{__name__}.{kind} is registered, so it must declare SOURCE, a Source of the kind {kind!r}; got {source!r}.")
    return source


SOURCES: Mapping[str, Source] = {kind: _declared(kind) for kind in KINDS}
"""Kind → source, in the order in which a folder is asked."""
FORMS: Mapping[str, Form] = {form.name: form for form in (MATRICES, *(s.calibration for s in SOURCES.values())) if form is not None}
"""Name → form of camera matrices, as records keep it."""


LOOKED_UP = 4
"""Folders above the one named that may be the source that was meant."""


def detect(root: Path | Folder) -> str:
    """The kind of a folder.

    Raises:
        NoSource: it is not there, an archive, empty, or of no known kind.
    """
    folder = root if isinstance(root, Folder) else Folder.open(root)
    marked = [source for source in SOURCES.values() if source.marked]
    for source in marked:
        if source.found(folder):
            return source.kind
    inside = [name for name in folder.folders() if any(source.found(Folder(folder.root / name)) for source in marked)]
    if inside:
        raise NoSource(f"{folder.root} holds sources in its folders ({', '.join(inside[:5])}): name one of them.")
    for kind, source in SOURCES.items():
        if source.found(folder):
            return kind
    if any(".tfrecord" in name for where in islice(folder.walk(), 100) for name in folder.files(where)):
        raise NoSource(f"{folder.root} is an RLDS/TFDS dataset: convert it to a LeRobot dataset or to folders of images first.")
    for above in list(folder.root.parents)[:LOOKED_UP]:
        if around := next((source for source in marked if source.found(Folder(above))), None):
            raise NoSource(f"{folder.root} lies inside a source ({around.label}): name {above} instead.")
    if why := next(filter(None, (source.nearly(folder) for source in SOURCES.values())), ""):
        raise NoSource(f"{folder.root}: {why}")
    known = ", ".join(f"{kind} ({source.label})" for kind, source in SOURCES.items())
    raise NoSource(f"{folder.root} is none of the known sources: {known}. Its layout is described in docs/how-to/import-robot-episodes.md.")
