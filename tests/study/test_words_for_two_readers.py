"""A participant never reads a server's path or a hash; whoever runs the server finds both in the log."""

from __future__ import annotations

import ast
import asyncio
import errno
import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette

import annotation
import app
import data
import sim_bridge
import study
from app import identity, services
from app.routes import routes
from app.services import Services, Settings
from data import frames as frame_files
from data import store as stores
from data.frames import FrameStore
from data.store import Store
from data.task import Task
from sim_bridge.errors import Refusal
from study import access, participants
from study.episode import EpisodeEngine
from study.studies import create_study
from tests.present import present
from tests.sources import nodes
from tests.study.conftest import InlinePool

ROOT = Path(app.__file__).parents[1]
PATH = re.compile(r"/(srv|home|tmp|root|var|work|mnt)\b|\.db\b|\.webp\b")
HASH = re.compile(r"[0-9a-f]{10,}")


def modules() -> Iterator[Any]:
    for package in (data, study, annotation, app):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not found.name.startswith(("data.generators", "data.bundled", "app.entry.")):
                yield importlib.import_module(found.name)
    yield from (sim_bridge, importlib.import_module("sim_bridge.errors"))


def refusals() -> dict[str, type[Refusal]]:
    """Every class of refusal that the program declares."""
    list(modules())
    found, waiting = {}, [Refusal]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if not kind.__module__.startswith("tests"):
            found[kind.__name__] = kind
    return found


@pytest.fixture
def here(
    store: Store, engine: EpisodeEngine, frames: FrameStore, pool: InlinePool, make_task: Callable[..., Task]
) -> Iterator[SimpleNamespace]:
    """A participant who plays, and the routes as the app has them."""
    task = make_task()
    store.put_task(task)
    made = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", made.study_id))
    for event in ("welcome", "consent"):
        participants.advance(store, present(grant.participant_id), event)
    episode = participants.place(store, engine, present(grant.participant_id)).episode_id
    parts = {"home": store.home, "settings": Settings(), "store": store, "frames": frames, "pool": pool, "engine": engine}
    required = [part.name for part in fields(Services) if part.default is MISSING and part.default_factory is MISSING]
    services.install(Services(**{name: parts.get(name) for name in required}))  # type: ignore[arg-type]
    asgi = Starlette(routes=routes())

    def ask(method: str, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
        headers = {"host": "app.example", "origin": "http://app.example", "cookie": f"{identity.COOKIE}={cookie}"}
        headers["content-type"] = "application/json"
        sent: list[dict[str, Any]] = []
        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"", "scheme": "http"}
        scope |= {"root_path": "", "http_version": "1.1", "headers": [(k.encode(), v.encode()) for k, v in headers.items()]}
        scope |= {"client": ("127.0.0.1", 9), "server": ("app.example", 80)}

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(asgi(scope, receive, send))  # type: ignore[arg-type]
        raw = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], json.loads(raw) if raw[:1] == b"{" else {}

    assert ask("POST", "/api/open", episode=episode, tab="t")[0] == 200
    yield SimpleNamespace(store=store, engine=engine, frames=frames, episode=episode, ask=ask)
    services.install(None)


def clean(words: str) -> bool:
    return not PATH.search(words) and not HASH.search(words.replace("ep_", ""))


def full(here: SimpleNamespace, patch: pytest.MonkeyPatch) -> None:
    def write(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    patch.setattr(frame_files, "write_whole", write)


def full_database(here: SimpleNamespace, patch: pytest.MonkeyPatch) -> None:
    real = here.store.event

    def event(*given: Any, **named: Any) -> int:
        with here.store._translated("write"):
            error = stores.sqlite3.OperationalError("database or disk is full")  # type: ignore[attr-defined]
            error.sqlite_errorcode = stores.sqlite3.SQLITE_FULL  # type: ignore[attr-defined]
            raise error
        return int(real(*given, **named))

    patch.setattr(here.store, "event", event)


def lost_frame(here: SimpleNamespace, patch: pytest.MonkeyPatch) -> None:
    for path in here.frames.root.glob("*/*.webp"):
        path.unlink()


def changed_frame(here: SimpleNamespace, patch: pytest.MonkeyPatch) -> None:
    for path in here.frames.root.glob("*/*.webp"):
        path.write_bytes(b"other")


@pytest.mark.parametrize(
    ("harm", "status", "code"),
    [
        (full, 507, "storage_full"),
        (full_database, 507, "storage_full"),
        (lost_frame, 500, "frame_damaged"),
        (changed_frame, 500, "frame_damaged"),
    ],
)
def test_a_participant_reads_what_it_means_for_them_and_the_log_has_the_rest(
    harm: Callable[..., None],
    status: int,
    code: str,
    here: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    harm(here, monkeypatch)
    asks = {
        "storage_full": ("POST", "/api/act", {"episode": here.episode, "epoch": 1, "seq": 1, "action": "turn_left", "t": 1.0}),
        "frame_damaged": ("GET", f"/api/frame/{here.episode}/0", {}),
    }
    method, path, body = asks[code]
    got, told = here.ask(method, path, **body)
    assert (got, told["error"]) == (status, code)
    assert clean(told["message"]), told
    assert "kept" in told["message"]
    assert str(here.store.home.root) in caplog.text


def test_a_busy_database_is_told_without_its_place(here: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    here.store.db.execute("PRAGMA busy_timeout=50")
    other = stores.sqlite3.connect(here.store.home.db, isolation_level=None)  # type: ignore[attr-defined]
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(stores, "BUSY_TIMEOUT_MS", 50)
    try:
        got, told = here.ask("POST", "/api/belief", episode=here.episode, epoch=1, n=1, answer="near the lamp", confidence=50)
    finally:
        other.close()
    assert (got, told["error"]) == (503, "store_busy") and clean(told["message"])


def test_every_refusal_that_may_name_a_file_has_words_for_people_that_do_not(
    here: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = f"{here.store.home.db} {'ab' * 32} is broken."
    met = 0
    for kind in refusals().values():
        if kind.public is None:
            continue
        error = kind.__new__(kind)
        Exception.__init__(error, secret)

        def fail(*_: Any, error: Exception = error, **__: Any) -> None:
            raise error

        monkeypatch.setattr(here.engine, "frame", fail)
        got, told = here.ask("GET", f"/api/frame/{here.episode}/0")
        assert (got, told["error"]) == (kind.status, kind.code), kind
        assert clean(told["message"]) and told["message"].endswith("."), (kind, told)
        met += 1
    assert met > 20


NAMES_FILES = re.compile(r"\b(path|folder|root|home|db|out|hash|sha256)\b|_hash\b|_path\b")
STAFF_ONLY = {
    # the commands of whoever runs the server, and the uploads of staff, who named the file themselves
    "study/analysis/exported.py",
    "study/analysis/report/writing.py",
    "study/drafting.py",
    "study/erasure.py",
    "annotation/qa/published/importing.py",
    "annotation/qa/evaluating/results.py",
}


def test_no_refusal_whose_message_is_for_people_is_made_with_a_file_name_or_a_hash() -> None:
    kinds, found = refusals(), []
    for package in ("study", "annotation", "app"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name in STAFF_ONLY or name.startswith("app/commands/"):
                continue
            for node in nodes(path):
                call = node.exc if isinstance(node, ast.Raise) else None
                if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                    continue
                kind = kinds.get(call.func.id)
                if kind is None or kind.public is not None:
                    continue
                parts = [part for part in ast.walk(call) if isinstance(part, ast.FormattedValue)]
                if any(NAMES_FILES.search(ast.unparse(part.value)) for part in parts):
                    found.append(f"{name}:{node.lineno} {ast.unparse(call)[:100]}")  # type: ignore[attr-defined]
    assert not found, "\n".join(found)
