"""A large study of invented rows in the real schema: what `bench.store` measures in.

Every row is one that the program could have written (foreign keys hold, numbers agree between tables), and every index, trigger and guard
of the schema stands afterwards. The rows are made inside SQLite; indexes of the two largest tables are made when the rows are there. There
are no frame files, save those of the person who is erased.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.qa.items import LETTERS, VIEWS, Item, ViewImage
from annotation.qa.projects import create_project, open_quotas
from annotation.qa.subtasks import SUBTASKS
from bench.loop import bench_task
from data.store import Store, dumps
from data.subcategories import SUBCATEGORIES
from data.task import Task, hash_of
from study import access
from study.paying import Pay
from study.protocol import Protocol
from study.studies import Study

TRIALS = 6
"""Tasks of a participant."""
AT = "2026-01-01T00:00:00.000Z"
_TIME = "strftime('%Y-%m-%dT%H:%M:%S.000Z', {}, 'unixepoch')"
_BEGAN = 1767225600
"""2026-01-01 in seconds."""
_POSE = '{"position_m":[0.0,-1.2,1.0],"quaternion_xyzw":[0.6427876,0.0,0.0,0.7660444]}'


@dataclass(frozen=True)
class Sizes:
    """How many of what."""

    steps: int
    episodes: int
    tasks: int

    @property
    def people(self) -> int:
        """Participants; one episode in ten is a model's."""
        return max(2, self.episodes * 9 // 10 // TRIALS)

    @property
    def items(self) -> int:
        """Robot questions: three times as many as the published benchmark has where there are 100,000 tasks."""
        return max(40, self.tasks // 20)

    @property
    def moments(self) -> int:
        return 2 * self.items

    @property
    def reviews(self) -> int:
        return max(40, self.episodes)


@dataclass(frozen=True)
class Made:
    """What was made."""

    study_id: str
    project_id: str
    cookie: str
    """Of a researcher of the study."""
    people: tuple[str, ...]
    """Participants who have done all their tasks."""


def make(store: Store, sizes: Sizes) -> Made:
    """Fill an empty database."""
    hashes = _tasks(store, sizes.tasks)
    study = Study(
        study_id="st_bench", name="Bench", state="live", version=1, tasks=tuple(hashes), trials=TRIALS,
        protocol=Protocol(budget=1000, belief_bar=True), pay=Pay(currency="EUR", per_session=Decimal(9), minimum_per_hour=Decimal(12)),
    )  # fmt: skip
    text = study.model_dump_json()
    with store.atomic():
        row = {"study_id": study.study_id, "document": text}
        store.insert("studies", row | {"name": study.name, "state": "live", "version": 1, "created_at": AT})
        store.insert("study_versions", row | {"version": 1, "sha256": hashlib.sha256(text.encode()).hexdigest(), "published_at": AT})
    cookie, _ = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    with _filling(store):
        _people(store, sizes, study)
        _episodes(store, sizes, study)
    project = _questions(store, sizes, study.study_id)
    store.query("PRAGMA wal_checkpoint(TRUNCATE)")
    people = [f"p_{n:020d}" for n in range(sizes.people)]
    return Made(study.study_id, project, cookie, tuple(people))


@contextmanager
def _filling(store: Store) -> Iterator[None]:
    """Fast, unsafe writing of a database that nobody else uses; afterwards it is as before."""
    tables = ("steps", "events", "frames")
    marks = ", ".join("?" * len(tables))
    indexes = store.query(f"SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ({marks})", tables)
    before = {name: store.query(f"PRAGMA {name}")[0][name] for name in ("synchronous", "foreign_keys", "cache_size")}
    for name, value in (("synchronous", 0), ("foreign_keys", 0), ("cache_size", -800_000)):
        store.db.execute(f"PRAGMA {name}={value}")
    with store.atomic() as db:
        for index in indexes:
            db.execute(f"DROP INDEX {index['name']}")
    yield
    with store.atomic() as db:
        for index in indexes:
            db.execute(index["sql"])
    for name, value in before.items():
        store.db.execute(f"PRAGMA {name}={value}")
    assert not store.query("PRAGMA foreign_key_check(steps)")


def _tasks(store: Store, count: int) -> list[str]:
    """Tasks that differ in their id, spread over the subcategories that a simple question fits."""
    base, kinds = bench_task(), []
    for one in SUBCATEGORIES:
        try:
            changed = Task.model_validate({**base.model_dump(), "category": one.category, "subcategory": one.name})
        except ValueError:
            continue
        kinds.append((one.category, one.name, changed.model_copy(update={"task_id": "bench-000000"}).canonical_json()))
    rows = []
    for n in range(count):
        category, subcategory, document = kinds[n % len(kinds)]
        name = f"bench-{n:06d}"
        document = document.replace("bench-000000", name)
        content_hash = hash_of(document)
        rows.append((content_hash, name, 1, content_hash, base.provenance.dataset, category, subcategory, document, AT))
    with store.atomic() as db:
        db.conn.executemany(
            "INSERT INTO tasks (content_hash, task_id, version, dedup_key, dataset, category, subcategory, document, created_at) "
            "VALUES (?,?,?,?,?,?,?,?,?)",
            rows,
        )
    return [row[0] for row in rows]


_NUMBERS = "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {})"


def _people(store: Store, sizes: Sizes, study: Study) -> None:
    numbers = _NUMBERS.format(sizes.people)
    with store.atomic() as db:
        for sql in (
            "participants (participant_id, study_id, number, state, consent_version, consented_at, created_at) {0} "
            "SELECT printf('p_%020d', n), :study, n, 'practised', '1', :at, :at FROM numbers",
            "recruitment {0} SELECT printf('p_%020d', n), :study, 'prolific', printf('pid-%d', n), 'x', printf('s-%d', n), :at "
            "FROM numbers",
            "sessions (session_id, cookie_hash, created_at, expires_at) {0} SELECT printf('se_%020d', n), printf('cookie-%d', n), :at, "
            "'2099-01-01T00:00:00.000Z' FROM numbers",
            "grants {0} SELECT printf('gr_%020d', n), printf('se_%020d', n), 'participant', :study, printf('p_%020d', n), NULL, NULL, :at, "
            "NULL FROM numbers",
            "events (at, kind, study_id, participant_id, data) {0} SELECT :at, 'participant_entered', :study, printf('p_%020d', n), '{{}}' "
            "FROM numbers",
        ):
            db.execute("INSERT INTO " + sql.format(numbers), {"study": study.study_id, "at": AT})


def _episodes(store: Store, sizes: Sizes, study: Study) -> None:
    """Episodes with their slots, steps, frames, beliefs, answers, scores and events. Episode n is participant n mod people's."""
    last = sizes.steps // sizes.episodes
    human = f"n < {sizes.people * TRIALS}"
    of_person = f"CASE WHEN {human} THEN printf('p_%020d', n % {sizes.people}) END"
    began = _TIME.format(f"{_BEGAN} + n * 60")
    values = {
        "study": study.study_id,
        "at": AT,
        "protocol": study.protocol.model_dump_json(),
        "order": dumps({"options": [0, 1], "blanks": [], "targets": []}),
        "pose": _POSE,
        "visible": dumps({f"object_{n}": 1000 + n for n in range(1, 7)}),
    }
    with store.atomic() as db:
        db.execute("CREATE TEMP TABLE listed (n INTEGER PRIMARY KEY, task TEXT)")
        db.execute("INSERT INTO listed SELECT key, value FROM studies, json_each(document, '$.tasks') WHERE study_id = ?", [study.study_id])
        numbers = _NUMBERS.format(sizes.episodes)
        task = f"(SELECT task FROM listed l WHERE l.n = (numbers.n * 7) % {sizes.tasks})"
        db.execute(
            f"INSERT INTO slots (slot_id, study_id, task_hash, paradigm, state, participant_id, trial_index, created_at, "
            f"assigned_at) {numbers} "
            f"SELECT printf('sl_%020d', n), :study, {task}, 'active', 'completed', {of_person}, n / {sizes.people} + 1, :at, :at "
            f"FROM numbers WHERE n < {sizes.people * TRIALS}",
            values,
        )
        db.execute(
            "INSERT INTO episodes (episode_id, task_hash, study_id, participant_id, slot_id, agent_kind, agent_name, paradigm, "
            f"protocol, seed, option_order, trial_index, state, epoch, last_seq, backend, "
            f"deterministic, created_at, started_at, finished_at) {numbers} "
            f"SELECT printf('ep_%020d', n), {task}, :study, {of_person}, CASE WHEN {human} THEN printf('sl_%020d', n) END, "
            f"iif({human}, 'human', 'model'), iif({human}, '', 'bench-model'), 'active', :protocol, n, :order, n / {sizes.people} + 1, "
            f"'completed', 1, {last} - 1, 'bench', 1, {began}, {began}, "
            f"{_TIME.format(f'{_BEGAN} + n * 60 + 300')} FROM numbers",
            values,
        )
        steps = _NUMBERS.format(sizes.episodes * last)
        first = int(store.query("SELECT coalesce(max(seq), 0) AS n FROM events")[0]["n"]) + 1
        db.execute(
            f"INSERT INTO steps (episode_id, seq, epoch, event_seq, kind, action, sim_action, ok, reason, pose_before, pose_after, "
            f"pixel_hash, more_frames, visible, clipped, phase, client_time_ms, painted_ms, queued_ms, input, "
            f"timing_ms, server_time) {steps} "
            f"SELECT printf('ep_%020d', n / {last}), n % {last}, 1, {first} + n, iif(n % {last} = 0, 'start', 'action'), "
            f"iif(n % {last} = 0, 'start', 'turn_left'), iif(n % {last} = 0, '', 'turn_left'), 1, '', :pose, :pose, "
            f"lower(hex(randomblob(32))), '[]', :visible, 0, '', 1.5 * n, 1.5 * n, 0, 'key', "
            f"'{{\"render\":21.5}}', {_TIME.format(f'{_BEGAN} + n')} "
            "FROM numbers",
            values,
        )
        db.execute(
            "INSERT INTO events (seq, at, kind, episode_id, data) SELECT event_seq, server_time, 'step', episode_id, json_object("
            "'seq', seq, 'kind', kind, 'action', action, 'sim_action', sim_action, 'reason', '', 'pixel_hash', pixel_hash, "
            "'phase', '', 'epoch', epoch, 'ok', json('true'), 'clipped', json('false'), 'pose_before', json(pose_before), "
            "'pose_after', json(pose_after), 'more_frames', json('[]'), 'visible', json(visible), 'boxes', json(boxes), "
            "'client_time_ms', client_time_ms, 'painted_ms', painted_ms, 'queued_ms', queued_ms, 'input', input) FROM steps"
        )
        db.execute(
            "INSERT INTO frames SELECT pixel_hash, pixel_hash, 'image/webp', 640, 480, 60000, server_time FROM steps ORDER BY pixel_hash"
        )
        _thoughts(db, sizes, last)


def _thoughts(db: Any, sizes: Sizes, last: int) -> None:
    """A belief at every tenth step, an answer and a score of every episode, a report in every tenth."""
    answer = "'\"the bowl\"'"
    for kind, table, numbers, columns, row in (
        ("belief", "beliefs", sizes.episodes * last // 10, "(episode_id, epoch, n, seq, event_seq, raw, answer, confidence, server_time)",
         f"printf('ep_%020d', n * 10 / {last}), 1, n, n * 10 % {last}, {{}} + n, {answer}, {answer}, n % 101"),
        ("answered", "answers", sizes.episodes,
         "(episode_id, epoch, seq, event_seq, raw, answer, confidence, stopped_by, server_time)",
         f"printf('ep_%020d', n), 1, {last} - 1, {{}} + n, {answer}, {answer}, n % 101, 'answer'"),
        ("problem", "problems", max(1, sizes.episodes // 10), "(problem_id, episode_id, seq, event_seq, text, server_time)",
         "printf('pr_%020d', n), printf('ep_%020d', n * 10), 0, {} + n, 'It was dark.'"),
    ):  # fmt: skip
        (before,) = db.execute("SELECT max(seq) FROM events").fetchone()
        with_numbers = _NUMBERS.format(numbers)
        db.execute(f"INSERT INTO {table} {columns} {with_numbers} SELECT {row.format(before + 1)}, '{AT}' FROM numbers")
        db.execute(
            f"INSERT INTO events (seq, at, kind, episode_id, data) SELECT event_seq, server_time, '{kind}', episode_id, '{{}}' "
            f"FROM {table} ORDER BY event_seq"
        )
    db.execute(
        "INSERT INTO scores SELECT episode_id, task_hash, 'bench', 1, 1, 1, 0.5, '{}', created_at FROM episodes"
    )  # fmt: skip


def _questions(store: Store, sizes: Sizes, study_id: str) -> str:
    """A project of robot questions: moments, items in every state, and reviews."""
    quotas = [quota.model_dump() for quota in open_quotas(sizes.items)]
    project = create_project(store, "Bench", study_id=study_id, trial_batch=0, quotas=quotas).project_id
    views = tuple(ViewImage(view=view, image="0" * 64, width=640, height=480, file=f"{view}.jpg") for view in VIEWS["dual"])
    options = {letter: f"the {name} block" for letter, name in zip(LETTERS, ("red", "green", "blue", "white", "black"), strict=True)}
    texts = {
        slug: Item(
            item_id="bench-item", subtask=slug, arm="dual", source="plain", moment="bench-moment", views=views, reference_view="head",
            question="Which block is nearest to the gripper?" * 4, options=options, gold="A",
        ).canonical_json()
        for slug in SUBTASKS
    }  # fmt: skip
    states = ("accepted", "accepted", "accepted", "draft", "in_review", "flagged", "accepted", "in_review")
    lines: dict[str, list[tuple[Any, ...]]] = {name: [] for name in ("robot", "moments", "items", "versions", "events", "reviews", "votes")}
    document = dumps({"views": {view: {"file": view} for view in VIEWS["dual"]}, "segments": [{"text": "x" * 80} for _ in range(20)]})
    episodes = max(4, sizes.moments // 20)
    for n in range(episodes):
        lines["robot"].append((f"re_{n:06d}", "rs_bench", f"{n}", "dual", "stack the cups", 500, 30.0, document, AT))
    filler = {
        "views": [view.model_dump(mode="json") for view in views],
        "metrics": {"views": {v: {"signature": "00" * 192} for v in VIEWS["dual"]}},
    }
    for n in range(sizes.moments):
        state = ("kept", "kept", "dropped", "filtered", "candidate")[n % 5]
        own = filler | {"place": n} | ({"filter": {"reason": "blurred"}} if state == "filtered" else {})
        own |= {"triage": {"subtasks": list(SUBTASKS)[: n % 4]}} if n % 3 == 0 else {}
        lines["moments"].append((f"mo_{n:08d}", project, f"re_{n % episodes:06d}", n // episodes, state, "hard", dumps(own), AT))
        if state in ("kept", "dropped"):
            told = {"moment": f"mo_{n:08d}", "project": project, "what": "keep", "seconds": 5.0 + n % 50}
            lines["events"].append((AT, "moment_decided", f"au_{n % 9}", f"mo_{n:08d}", dumps(told)))
    slugs = list(SUBTASKS)
    at = [f"2026-01-02T00:{minute:02d}:00.000Z" for minute in range(60)]
    for n in range(sizes.items):
        item, state, slug = f"qa-{n:08d}", states[n % len(states)], slugs[n % len(slugs)]
        text = texts[slug].replace("bench-item", item).replace("bench-moment", f"mo_{2 * n:08d}")
        round_ = 0 if state == "draft" else 1
        row = (item, project, n // len(slugs) + 1, slug, "", "dual", "plain", state, 1, round_, n, 0, "authored", f"au_{n % 9}", AT, AT)
        lines["items"].append(row)
        lines["versions"].append((item, 1, hash_of(text), text, "create", "", f"au_{n % 9}", AT))
        for minute, event in enumerate(("create", "edit", "submit")[: 3 if round_ else 2]):
            lines["events"].append((at[minute], "qa_item", f"au_{n % 9}", item, dumps({"item": item, "event": event, "state": state})))
    reviewed = [n for n in range(sizes.items) if states[n % len(states)] in ("accepted", "flagged")]
    for n in range(sizes.reviews):
        number, slot = reviewed[n % len(reviewed)], n // len(reviewed) + 1
        item, review = f"qa-{number:08d}", f"rv_{n:08d}"
        flagged = states[number % len(states)] == "flagged"
        ended = "flagged" if flagged else "clean"
        lines["reviews"].append((review, project, item, slot, f"re_{slot}_{n % 40}", ended, at[3], at[8], at[8]))
        lines["votes"] += [(review, "answer", "answer", "A", at[5]), (review, "verdict", "verdict", "flag" if flagged else "clean", at[8])]
        told = {"review": review, "item": item, "verdict": ended}
        lines["events"].append((at[8], "qa_review_decided", f"re_{slot}_{n % 40}", item, dumps(told)))
    with store.atomic() as db:
        store.insert("robot_sources", {"source_id": "rs_bench", "kind": "plain", "name": "bench", "root": "/none", "created_at": AT})
        for name, into in (
            ("robot", "robot_episodes (episode_id, source_id, key, arm, task, frames, fps, document, created_at)"),
            ("moments", "moments (moment_id, project_id, episode_id, frame_index, state, reason, document, created_at)"),
            ("items", "qa_items (item_id, project_id, number, subtask, cell, arm, source, state, version, round, queued, trial, "
             "origin, author, created_at, updated_at)"),
            ("versions", "qa_versions (item_id, version, content_hash, document, kind, why, editor, at)"),
            ("events", "events (at, kind, actor, subject, data)"),
        ):  # fmt: skip
            db.conn.executemany(f"INSERT INTO {into} VALUES ({', '.join('?' * len(lines[name][0]))})", lines[name])
        db.conn.executemany(
            "INSERT INTO reviews (review_id, kind, scope, subject, version, round, slot, reviewer, state, stages, assigned_at, moved_at, "
            "decided_at) VALUES (?, 'robot_question', ?, ?, 1, 1, ?, ?, ?, 2, ?, ?, ?)",
            lines["reviews"],
        )
        db.conn.executemany("INSERT INTO review_votes (review_id, stage, axis, vote, at) VALUES (?, ?, ?, ?, ?)", lines["votes"])
        db.execute("UPDATE qa_items SET live = (SELECT count(*) FROM reviews r WHERE r.kind = 'robot_question' AND r.subject = item_id)")
    return project


def frames_of(store: Store, participant_id: str) -> list[str]:
    """Pixel hashes of a participant's steps."""
    rows = store.query("SELECT s.pixel_hash FROM steps s JOIN episodes e USING (episode_id) WHERE e.participant_id = ?", [participant_id])
    return [row["pixel_hash"] for row in rows]
