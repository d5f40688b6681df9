"""What a kind of robot source declares about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from data.robot.cameras import MATRICES, Form
from data.robot.folder import Folder
from data.robot.records import EpisodeRecord, Report
from data.robot.views import Options


@dataclass(frozen=True)
class Source:
    """One kind of robot source."""

    kind: str
    """Its name: that of its module, kept with every source imported as such."""
    label: str
    """What people call it: "AgiBot World folder"."""
    found: Callable[[Folder], bool]
    """Whether a folder is one."""
    read: Callable[[Folder, Report, Options], Iterator[EpisodeRecord]]
    """Its episodes in order; what is wrong with them goes into the report, one by one, and costs only what it concerns."""
    marked: bool = False
    """Whether one look at the top of a folder tells. Such kinds are asked first, and a folder of several such sources is told from one."""
    calibration: Form | None = MATRICES
    """The form in which its camera matrices lie on disk; None: it has none."""
    nearly: Callable[[Folder], str] = lambda folder: ""
    """Why a folder that looks like one is none, one sentence with the path; empty: it does not look so."""
