"""Heavy work as a subprocess with a row in `jobs`: progress, cancel, and what came of it.

A job is a command line. It is started in a process group of its own and finds its id in the environment variable ``VANTAGE_JOB``, so
that it can report progress. Whether it still runs is asked of the operating system: a job that died with its program does not stay
"running" for ever.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.store import Store, StoreError, dumps, new_id, now, os_error

JOB_VARIABLE = "VANTAGE_JOB"
"""Environment variable with the job's id."""

PACKAGES = str(Path(__file__).resolve().parent.parent)
"""Where the packages of Vantage lie: a command of ours runs as a module of this program's packages, wherever it was started."""

WITH_PROBLEMS = 3
"""Exit status of a command that did its work and had to leave something out; its last line says what. Its job is done, and says so too."""

CANCELLED = "Cancelled."
"""What a job says that somebody ended."""

JOB = {
    "queued": {"start": "running", "cancel": "cancelled", "fail": "failed"},
    "running": {"finish": "done", "fail": "failed", "cancel": "cancelled", "vanish": "failed"},
    "done": {},
    "failed": {"start": "running"},
    "cancelled": {"start": "running"},
}
"""States of a job. ``start`` on a failed or cancelled one resumes it: the same command again."""


@dataclass(frozen=True)
class Job:
    """One job."""

    job_id: str
    kind: str
    owner: str
    state: str
    """queued, running, done, failed, cancelled."""
    done: int
    total: int
    message: str
    """What it is doing, why it failed, or what it had to leave out."""
    result: dict[str, Any]
    created_at: str
    finished_at: str | None

    @property
    def goes_on(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ("queued", "running")


def command(*words: str) -> list[str]:
    """The command line of a command of Vantage, by this program's own Python."""
    return [sys.executable, "-P", "-m", "app.cli", *words]


def create(store: Store, kind: str, argv: Sequence[str], *, owner: str = "") -> str:
    """Note a job without starting it; returns its id."""
    job_id = new_id("job")
    with store.atomic():
        store.insert(
            "jobs", {"job_id": job_id, "kind": kind, "argv": dumps(list(argv)), "owner": owner, "state": "queued", "created_at": now()}
        )
        store.event("job_created", {"job": job_id, "kind": kind}, actor=owner)
    return job_id


def start(store: Store, job_id: str, *, env: Mapping[str, str] | None = None) -> None:
    """Start a job (or resume a failed or cancelled one) as a subprocess; its output goes to ``log/<job id>.log``.

    Raises:
        StoreError: unknown, running already, done, or the program cannot be started.
    """
    row = _row(store, job_id)
    _move(store, row, "start", {"started_at": now(), "finished_at": None, "message": "", "pid": None})
    path = store.home.log / f"{job_id}.log"
    packages = os.pathsep.join(dict.fromkeys([PACKAGES, *filter(None, [os.environ.get("PYTHONPATH")])]))
    try:
        with path.open("ab") as log:
            process = subprocess.Popen(
                json.loads(row["argv"]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PYTHONPATH": packages} | dict(env or {}) | {JOB_VARIABLE: job_id, "VANTAGE_HOME": str(store.home.root)},
                start_new_session=True,
            )
    except OSError as error:
        _move(store, _row(store, job_id), "fail", {"finished_at": now(), "message": f"It could not be started: {error.strerror}."})
        raise os_error(error, f"start the job {row['kind']}") from error
    with store.atomic() as db:
        db.execute("UPDATE jobs SET pid = ? WHERE job_id = ?", [process.pid, job_id])
    threading.Thread(target=_wait, args=(store, job_id, process, path), name=f"job-{job_id}", daemon=True).start()


def report(store: Store, job_id: str | None, done: int, total: int, message: str = "") -> None:
    """Progress of the job `job_id`, from inside it (None: not run as a job, nothing to do)."""
    if job_id is None:
        return
    with store.atomic() as db:
        db.execute(
            "UPDATE jobs SET done = ?, total = ?, message = ? WHERE job_id = ? AND state = 'running'",
            [int(done), int(total), message, job_id],
        )


def set_result(store: Store, job_id: str | None, result: Mapping[str, Any]) -> None:
    """What the job made, from inside it."""
    if job_id is None:
        return
    with store.atomic() as db:
        db.execute("UPDATE jobs SET result = ? WHERE job_id = ?", [dumps(dict(result)), job_id])


def current() -> str | None:
    """The id of the job this process runs as."""
    return os.environ.get(JOB_VARIABLE)


def get(store: Store, job_id: str) -> Job:
    """The job as it stands; one whose process has vanished is failed.

    Raises:
        StoreError: unknown.
    """
    return _looked_at(store, _row(store, job_id))


def _looked_at(store: Store, row: dict[str, Any]) -> Job:
    """The job of a row; one whose process has vanished is failed."""
    job_id = row["job_id"]
    if row["state"] == "running" and row["pid"] is not None and not _alive(row["pid"]):
        # its own waiter, if this program started it, writes the better message first
        row = _row(store, job_id)
        if row["state"] == "running" and not _waited(job_id):
            _move(
                store,
                row,
                "vanish",
                {"finished_at": now(), "message": "It stopped without a word, perhaps with the machine. Start it again."},
            )
            row = _row(store, job_id)
    return Job(
        **{name: row[name] for name in ("job_id", "kind", "owner", "state", "done", "total", "message", "created_at", "finished_at")},
        result=json.loads(row["result"]),
    )


def argv(store: Store, job_id: str) -> list[str]:
    """The job's command line.

    Raises:
        StoreError: unknown.
    """
    return [str(part) for part in json.loads(_row(store, job_id)["argv"])]


def recent(store: Store, *, owner: str | None = None, kind: str | None = None, of: str | None = None, limit: int = 50) -> list[Job]:
    """The latest jobs, newest first; `owner`: only theirs; `kind`: only these; `of`: only those with this word in their command line."""
    terms = {"owner = ?": owner, "kind = ?": kind, "? IN (SELECT value FROM json_each(jobs.argv))": of}
    asked = {term: value for term, value in terms.items() if value is not None}
    which = f"WHERE {' AND '.join(asked)}" if asked else ""
    rows = store.query(f"SELECT * FROM jobs {which} ORDER BY created_at DESC, rowid DESC LIMIT ?", [*asked.values(), limit])
    return [_looked_at(store, row) for row in rows]


def cancel(store: Store, job_id: str, *, actor: str = "") -> None:
    """End a queued or running job and everything it started."""
    row = _row(store, job_id)
    if row["state"] not in ("queued", "running"):
        return
    _move(store, row, "cancel", {"finished_at": now(), "message": CANCELLED}, actor)
    if row["pid"] is not None and _alive(row["pid"]):
        try:
            os.killpg(row["pid"], signal.SIGTERM)
        except ProcessLookupError:
            return


def _wait(store: Store, job_id: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Note how the process ended; runs on a thread of the program that started it."""
    code = process.wait()
    try:
        row = _row(store, job_id)
        # a job that was cancelled may run again already, as another process: how this one ended says nothing of it
        if row["state"] == "running" and row["pid"] == process.pid:
            if code in (0, WITH_PROBLEMS):
                said = _last_line(log) if code else ""
                _move(store, row, "finish", {"finished_at": now(), "message": said})
            else:
                _move(store, row, "fail", {"finished_at": now(), "message": _last_line(log) or f"It ended with status {code}."})
    finally:
        store.close()


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1][:500] if lines else ""


def _row(store: Store, job_id: str) -> dict[str, Any]:
    row = store.one("SELECT * FROM jobs WHERE job_id = ?", [job_id])
    if row is None:
        raise StoreError(f"There is no job {job_id!r}.")
    return row


def _move(store: Store, row: Mapping[str, Any], event: str, changes: Mapping[str, Any], actor: str = "") -> None:
    with store.atomic() as db:
        state = _row(store, row["job_id"])["state"]
        if event not in JOB[state]:
            raise StoreError(f"The job {row['kind']} is {state}: it cannot {event} now.")
        db.table("jobs").update(row["job_id"], {"state": JOB[state][event], **changes})
        store.event("job_state", {"job": row["job_id"], "event": event, "state": JOB[state][event]}, actor=actor)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # a finished child that nobody waited for still has a pid
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text().split(")")[-1][:4]
    except OSError:
        return True


def _waited(job_id: str) -> bool:
    return any(thread.name == f"job-{job_id}" for thread in threading.enumerate())
