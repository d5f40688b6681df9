"""A demo study with the bundled tasks, so that a new installation has something to do for everybody."""

from __future__ import annotations

import json
from dataclasses import dataclass

from data.generators.registry import bundled
from data.store import Store
from data.task import Task, converted
from study import access
from study.ethics import EthicsRecord
from study.protocol import Protocol
from study.studies import Study, create_study, get_study

NAME = "Demo study"
WELCOME = """In this study you look around in rooms and houses and answer questions about what you see.

Each task shows you a room or a house through a camera. You move the camera step by step with buttons or keys.
Look at whatever you need, and gather as much evidence as you need; answer only when you are confident.
You have a limited number of views per task; the page shows how many are left."""
ROLES = ("participant", "annotator", "reviewer", "researcher")
"""Who gets a link. The annotator writes questions about robot episodes; the reviewer is the second person who judges them."""
CONSENT = """This is a demonstration. What you do here (your actions, the views you see, your answers, how sure you are, and the times)
is kept on this machine.

Taking part is voluntary. You can stop at any time, without giving a reason."""
THANKS = """That was the demo study. Your answers are saved.

You can close this window."""


@dataclass(frozen=True)
class Link:
    """One link to print. `path` follows the app's address."""

    role: str
    path: str


def seed_demo(store: Store) -> list[Link]:
    """Make the demo study with its links, once; later calls return the same links while they work, else fresh ones.

    Args:
        store: the database.

    Returns:
        One link for each role that has something to do (`ROLES`).
    """
    tasks = list(bundled())
    path = store.home.run / "demo.json"
    kept: dict[str, str] = {}
    if path.exists():
        try:
            kept = dict(json.loads(path.read_text()))
        except ValueError:
            kept = {}
    tokens = {}
    with store.atomic():
        study = _study(store, tasks)
        # the researcher sets up studies of their own
        where = dict.fromkeys(ROLES, study.study_id) | {"researcher": access.EVERY_STUDY}
        for role in ROLES:
            token = kept.get(role, "")
            tokens[role] = token if access.is_valid(store, token) else access.create_invite(store, role, where[role], label=f"demo {role}")
    if tokens != kept:
        # only the owner of the installation may read the tokens
        path.touch(mode=0o600)
        path.write_text(json.dumps(tokens))
    return [Link(role, f"/enter?invite={token}") for role, token in tokens.items()]


def _study(store: Store, tasks: list[Task]) -> Study:
    by_hash = {task.content_hash: task for task in tasks}
    practice = next((h for h, task in by_hash.items() if "practice" in task.task_id), next(iter(by_hash)))
    hashes = tuple(h for h in by_hash if h != practice)
    row = store.one("SELECT study_id FROM studies WHERE name = ? AND state = 'live' ORDER BY created_at DESC LIMIT 1", [NAME])
    if row is not None:
        study = get_study(store, row["study_id"])
        if _same_tasks(store, study, hashes, practice):
            return study
    known = {row["content_hash"] for row in store.query("SELECT content_hash FROM tasks")}
    for content_hash, task in by_hash.items():
        if content_hash not in known:
            store.put_task(task)
    return create_study(
        store,
        NAME,
        state="live",
        protocol=Protocol(),
        practice_task=practice,
        tasks=hashes,
        trials=min(6, len(hashes)),
        welcome=WELCOME,
        consent=CONSENT,
        thanks=THANKS,
        ethics=EthicsRecord(basis="demonstration"),
    )


def _same_tasks(store: Store, study: Study, hashes: tuple[str, ...], practice: str) -> bool:
    """Whether a study has these tasks, be it in documents of an older version: then it goes on as it is."""
    if (study.tasks, study.practice_task) == (hashes, practice):
        return True
    if study.practice_task is None or len(study.tasks) != len(hashes):
        return False
    own = zip((practice, *hashes), (study.practice_task, *study.tasks), strict=True)
    return all(new == old or new == converted(store.get_task(old)).content_hash for new, old in own)
