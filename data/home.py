"""Where data lives: one folder with the database, frames, logs and run files (``VANTAGE_HOME``, default ``.vantage``)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

DATABASE_NAME = "vantage.db"
"""The database's name inside a home folder."""


@dataclass(frozen=True)
class Home:
    """Paths of one installation. Nothing is created until `prepare`."""

    root: Path
    """Folder of everything below."""
    db: Path
    """The SQLite database."""

    @property
    def frames(self) -> Path:
        """Rendered frames, addressed by pixel hash."""
        return self.root / "frames"

    @property
    def recordings(self) -> Path:
        """Recorded views of tasks, each recording in a folder named by its digest."""
        return self.root / "recordings"

    @property
    def log(self) -> Path:
        """Logs of the app and its workers."""
        return self.root / "log"

    @property
    def run(self) -> Path:
        """Locks, process ids, demo links: files of a running installation."""
        return self.root / "run"

    @classmethod
    def from_env(cls, db: Path | str | None = None) -> Home:
        """The home named by `db`, else by ``VANTAGE_HOME``, else ``.vantage`` in the current folder.

        Args:
            db: another database. ``<folder>/vantage.db`` means that folder; any other name keeps its frames, logs and
                run files beside it in ``<name>-files/``, so that two databases in one folder never mix.

        Returns:
            The home, with absolute paths.
        """
        if db is None:
            root = Path(os.environ.get("VANTAGE_HOME") or ".vantage").expanduser().absolute()
            return cls(root=root, db=root / DATABASE_NAME)
        path = Path(db).expanduser().absolute()
        if path.name == DATABASE_NAME:
            return cls(root=path.parent, db=path)
        return cls(root=path.with_name(path.name + "-files"), db=path)

    def prepare(self) -> Home:
        """Create the folders; readable by their owner only, since answers of people lie here."""
        for folder in (self.root, self.frames, self.log, self.run):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.db.parent.mkdir(parents=True, exist_ok=True)
        return self
