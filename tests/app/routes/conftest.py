"""One server's worth of data, people of every role, and in this process what a browser gets: replies of our routes, messages of pages."""

from __future__ import annotations

import asyncio
import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette

from annotation import adjudicating, disputes
from annotation.authoring import drafts
from annotation.authoring.drafts import Kept
from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.evaluating import evaluation
from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from annotation.reviewing.kinds.robot_questions import KIND
from annotation.verifying import items, queue
from annotation.verifying.verifications import Protocol
from app import identity
from app import services as running
from app.components import assets_version
from app.guard import RateLimiter
from app.pages.page import Visit
from app.pages.registry import PAGES
from app.routes import routes
from app.services import Services, Settings
from app.staff_api import export_command, export_path
from data import jobs
from data.home import Home
from data.store import Store, dumps, now
from data.task import Gold, Provenance, Question, Task
from sim_bridge.encoding import encode_frame
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene
from study import access, agent_keys, agents, frozen, participants, questions
from study.access import EVERY_STUDY, Grant
from study.forms import answers
from study.forms.form import Form
from study.forms.form import Item as FormItem
from study.studies import create_study
from tests.streamlit_ground import Drawn, drawn

SECRET = "Kept from strangers"
"""Stands in the name of the study and of the project."""
HOST = "app.example"
ROOMY = 10**9


@dataclass
class Reply:
    """What a route answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Person:
    """Somebody who knocks: a browser with its cookie, or a model with its key."""

    cookie: str | None = None
    grant: Grant | None = None
    key: str | None = None


class Doors:
    """Our routes without a server; requests are those of our own pages unless said otherwise."""

    def __init__(self) -> None:
        self.app = Starlette(routes=routes())
        self.loop = asyncio.Runner()

    def ask(
        self, who: Person, method: str, address: str, body: Any = None, *, raw: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        path, _, query = address.partition("?")
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        sent = {"host": HOST, "origin": f"http://{HOST}", "content-type": "application/json"}
        sent |= {"cookie": f"vantage_session={who.cookie}"} if who.cookie is not None else {}
        sent |= {"authorization": f"Bearer {who.key}"} if who.key is not None else {}
        sent |= headers or {}
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(), "scheme": "http",
            "root_path": "", "http_version": "1.1", "client": ("127.0.0.1", 50_000), "server": (HOST, 80),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }  # fmt: skip
        messages: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": content, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)

        async def answer() -> None:
            await asyncio.wait_for(self.app(scope, receive, send), 60)

        self.loop.run(answer())
        told = {name.decode().lower(): value.decode() for name, value in messages[0]["headers"]}
        return Reply(messages[0]["status"], told, b"".join(message.get("body", b"") for message in messages[1:]))


@dataclass
class World:
    """Two studies with their people; everything of value belongs to the first."""

    services: Services
    doors: Doors
    people: dict[str, Person] = field(default_factory=dict)
    makers: dict[str, Callable[[], str]] = field(default_factory=dict)
    """Name of a thing that requests use up → how another one is made."""
    secret: str = SECRET
    place: dict[str, str] = field(default_factory=dict)
    """Name of a thing → its id, as it stands in addresses."""

    @property
    def store(self) -> Store:
        return self.services.store

    def send(self, name: str, address: str, body: Any) -> Any:
        """What somebody's browser posts; its reply."""
        return self.doors.ask(self.people[name], "POST", address, body)

    def epoch(self, episode: str) -> int:
        """The epoch of an episode."""
        row = self.store.one("SELECT epoch FROM episodes WHERE episode_id = ?", [episode])
        return int(row["epoch"]) if row else 0

    def seq(self, episode: str) -> int:
        """Its newest step."""
        row = self.store.one("SELECT last_seq FROM episodes WHERE episode_id = ?", [episode])
        return int(row["last_seq"]) if row else 0

    def rev(self, item: str) -> int:
        """The newest version of an item."""
        return pool.get(self.store, item).version

    def draft(self) -> Kept:
        """The draft of a task."""
        found = self.store.row("SELECT * FROM task_drafts WHERE draft_id = ?", Kept, [self.place["draft"]])
        assert found is not None
        return found

    def document(self) -> Any:
        """What it holds, changed."""
        kept = self.draft()
        return kept.draft.model_dump(mode="json") | {"question": f"Which one, {kept.rev}?"}

    def renew(self) -> None:
        """A new one in place of what is over, so that every route has something to work on."""
        for name, make in self.makers.items():
            if name not in self.place or not self.lasts(self.place[name]):
                self.place[name] = make()

    def lasts(self, thing: str) -> bool:
        """Whether an episode goes on, or an item can be changed."""
        if showing := self.store.one("SELECT sent_at FROM form_showings WHERE showing_id = ?", [thing]):
            return showing["sent_at"] is None
        episode = self.store.one("SELECT state FROM episodes WHERE episode_id = ?", [thing])
        return episode["state"] == "active" if episode else KIND.changeable(pool.get(self.store, thing).state)

    def writes(self) -> int:
        """Another number whenever another thread has written anything since this was asked last."""
        row = self.store.one("PRAGMA data_version")
        return int(row["data_version"]) if row else 0

    def counts(self) -> dict[str, int]:
        """Rows of each table."""
        names = [row["name"] for row in self.store.query("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {}
        for name in names:
            row = self.store.one(f'SELECT count(*) AS n FROM "{name}"')
            found[name] = int(row["n"]) if row else 0
        return found


def build_task(task_id: str, *, parts: bool = False) -> Task:
    """A size question in a small room, in one part or two."""
    objects = (
        Object("object_1", "bowl", Pose((-0.8, 1.5, 0.0)), origin="base", size_m=(0.4, 0.4, 0.4)),
        Object("object_2", "lamp", Pose((0.8, 1.5, 0.0)), origin="base", size_m=(0.3, 0.3, 0.6)),
    )
    phases = (Phase("before", budget_share=0.5), Phase("after", hidden=("object_1",), budget_share=0.5)) if parts else ()
    return Task(
        task_id=task_id, category="Metric Comparison", subcategory="Dimensional Size",
        question=Question(text="Which is larger?", form="choice", options=("the bowl", "the lamp")),
        gold=Gold(accepted=("the lamp",), chance=0.5),
        scene=Scene(camera=Camera(64, 48), room=Room(), objects=objects, phases=phases),
        start=Pose((0.0, -0.5, 1.0), (0.7071067811865476, 0.0, 0.0, 0.7071067811865476)),
        names={"object_1": "bowl", "object_2": "lamp"}, provenance=Provenance(dataset="vantage"),
    )  # fmt: skip


def build_item(home: Home, slug: str, seed: int, **changes: Any) -> Item:
    """A sound item whose small pictures are in the home."""

    def image(view: str, key: str) -> ViewImage:
        kept = io.BytesIO()
        Image.new("RGB", (64, 48), f"#{random.Random(key).randrange(1 << 24):06x}").save(kept, "PNG")
        return ViewImage(view=view, image=ImageFolder(home).keep(kept.getvalue()), width=64, height=48)

    views = tuple(image(view, f"{seed} {view}") for view in VIEWS["dual"])
    strangers = tuple(image("left-gripper", f"{seed} stranger {k}") for k in range(3))
    return SUBTASKS[slug].sample(random.Random(seed), Scenery("agibot", "dual", f"e{seed}", f"m{seed}", views, strangers)).change(**changes)


def _people(world: World, study: str, other: str) -> None:
    """Everybody who may come, by the name that the tables use."""
    store = world.store

    def come(name: str, role: str, where: str) -> Person:
        cookie, grant = access.enter(store, access.create_invite(store, role, where, label=name))
        world.people[name] = Person(cookie, grant)
        return world.people[name]

    world.people["nobody"] = Person()
    world.people["unknown cookie"] = Person(cookie="x" * 43)
    for name in ("participant", "participant, same study", "participant, ended", "participant, expired"):
        come(name, "participant", study)
    for role in ("annotator", "author", "reviewer", "researcher", "owner"):
        come(role, role, study)
        come(f"{role}, other study", role, other)
    come("annotator, no item", "annotator", study)
    come("reviewer, no review", "reviewer", study)
    come("researcher, all studies", "researcher", EVERY_STUDY)
    come("owner, all studies", "owner", EVERY_STUDY)
    come("participant, other study", "participant", other)
    gone = come("researcher, revoked", "researcher", study)
    assert gone.grant and gone.grant.staff_id
    access.revoke_staff(store, gone.grant.staff_id)
    out = come("researcher, signed out", "researcher", study)
    access.sign_out(store, out.cookie)
    access.sign_out(store, world.people["participant, ended"].cookie)
    late = world.people["participant, expired"].grant
    assert late is not None
    with store.atomic() as db:
        db.execute(
            "UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z' "
            "WHERE session_id = (SELECT session_id FROM grants WHERE grant_id = ?)",
            [late.grant_id],
        )
    for name, where in (("model", study), ("model, same study", study), ("model, other study", other), ("model, revoked", study)):
        world.people[name] = Person(key=agent_keys.create(store, where, name))
    revoked = store.one("SELECT key_id FROM agent_keys WHERE name = 'model, revoked'")
    assert revoked is not None
    agent_keys.revoke(store, revoked["key_id"])
    world.people["cookie as a key"] = Person(key=world.people["owner"].cookie)


def _moment(world: World, project: str) -> str:
    """A kept moment with pictures, as sampling leaves it."""
    store = world.store
    item = build_item(store.home, "distance", 77)
    views = [view.model_dump(mode="json") for view in item.views]
    figures = {view.view: {"sharpness": 240.0, "dark": 0.01, "blown": 0.0, "signature": "00" * 192} for view in item.views}
    document = {"views": views, "place": 0, "metrics": {"views": figures, "skew_s": 0.0, "nearest": 30.0}}
    with store.atomic():
        store.insert("robot_sources", {"source_id": "rs_1", "kind": "plain", "name": "table", "root": "/none", "created_at": now()})
        episode = {"episode_id": "re_1", "source_id": "rs_1", "key": "e1", "arm": "dual", "task": "stack the cups", "frames": 500}
        known = dumps({"views": {view.view: {} for view in item.views}})
        store.insert("robot_episodes", episode | {"fps": 30.0, "document": known, "created_at": now()})
        moment = {"moment_id": "mo_1", "project_id": project, "episode_id": "re_1", "frame_index": 20, "timestamp_s": 0.7}
        store.insert("moments", moment | {"state": "candidate", "document": dumps(document), "created_at": now()})
    return "mo_1"


def _verification(world: World, study: str, task: Task, reviewer: str) -> dict[str, str]:
    """A verification of one task, whose first view its reviewer has before them."""
    view = frozen.Rendered(encode_frame(np.full((48, 64, 3), 90, np.uint8)), Pose((0.0, 0.0, 1.0)))
    frozen.keep(world.store, world.services.frames, task.content_hash, frozen.EVIDENCE, [view], fingerprint="{}")
    settings = Protocol(training=0, control_share=0.0)
    made = items.start(world.store, SECRET, [task.content_hash], study_id=study, protocol=settings, evidence=False, actor="fixture")
    return {"verification": made.verification_id, "verified": queue.next_item(world.store, made.verification_id, reviewer).review_id}


def _dispute(world: World, study: str, task: Task, wrong: str, judge: str) -> str:
    """A disputed gold, which its judge has before them."""
    store, engine = world.store, world.services.engine
    episode = engine.create(
        task.content_hash, study_id=study, participant_id=participants.add_participant(store, study), agent_kind="human"
    )
    engine.answer(episode, engine.open(episode).epoch, wrong, 90)
    disputes.raise_one(store, study, task.content_hash, SECRET, actor="fixture")
    return adjudicating.next_one(store, judge, [study], []).review_id


def build(folder: Path) -> World:
    """The world, in a home of its own, on the toy simulator."""
    home = Home.from_env(folder / "vantage.db").prepare()
    services = Services.start(home, Settings(backend="toy", workers=1, agent_sessions=40))
    for name in ("act_limit", "other_limit", "entry_limit"):
        setattr(services, name, RateLimiter(per_s=ROOMY, burst=ROOMY))
    running.install(services)
    world, store = World(services, Doors()), services.store
    plain, parted = build_task("toy-plain"), build_task("toy-parts", parts=True)
    for task in (plain, parted):
        store.put_task(task)
    tasks = (plain.content_hash, parted.content_hash)
    study = create_study(store, SECRET, state="live", tasks=tasks, trials=2)
    other = create_study(store, "Another", state="live", tasks=tasks, trials=2)
    project = projects.create_project(store, SECRET, study_id=study.study_id, reviewers_per_item=2, trial_batch=0)
    projects.create_project(store, "Another", study_id=other.study_id, trial_batch=0)
    _people(world, study.study_id, other.study_id)

    def staff(name: str) -> str:
        grant = world.people[name].grant
        assert grant is not None and grant.staff_id is not None
        return grant.staff_id

    person = world.people["participant"].grant
    assert person is not None and person.participant_id is not None
    for event in ("welcome", "consent"):
        participants.advance(store, person.participant_id, event)
    engine = services.engine
    mine: dict[str, Any] = {"study_id": study.study_id, "participant_id": person.participant_id, "agent_kind": "human"}

    def begun(task: Task, opened: bool = True) -> Callable[[], str]:
        def make() -> str:
            episode = engine.create(task.content_hash, **mine)
            if opened:
                engine.open(episode, tab="a")
            return episode

        return make

    engine.create(plain.content_hash, study_id=other.study_id, agent_kind="model", agent_name="model, other study")

    def models() -> str:
        return agents.begin(engine, plain.content_hash, "model", study_id=study.study_id).episode_id

    def draft() -> str:
        item = build_item(home, "viewpoint", 5, item_id="qa-draft")
        return pool.create_item(store, project.project_id, item, staff("annotator")).item.item_id

    world.makers = {
        "episode": begun(plain),
        "parts": begun(parted),
        "unopened": begun(plain, opened=False),
        "model's": models,
        "item": draft,
    }
    world.renew()
    accepted = [build_item(home, "distance", n, item_id=f"qa-asked-{n}") for n in range(2)]
    for item in accepted:
        pool.admit(store, project.project_id, item, state="accepted", actor="fixture", why="fixture")
    asking = evaluation.create_evaluation(store, project.project_id, "Questions")
    cookie, grant = access.enter(store, access.create_invite(store, "participant", asking.study_id), world.people["participant"].cookie)
    assert grant.participant_id is not None
    world.people["participant"].cookie = cookie  # a new one with each right
    for event in ("welcome", "consent"):
        participants.advance(store, grant.participant_id, event)
    where = participants.place(store, engine, grant.participant_id)
    assert where.episode_id is not None
    world.place["question"] = where.episode_id
    questions.open_question(engine, where.episode_id, tab="a")

    # a study of which they end their part
    left = create_study(store, "Left early", state="live", tasks=tasks, trials=2)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", left.study_id), world.people["participant"].cookie)
    assert grant.participant_id is not None
    world.people["participant"].cookie = cookie
    for event in ("welcome", "consent"):
        participants.advance(store, grant.participant_id, event)
    world.place["stopper's"] = participants.place(store, engine, grant.participant_id).episode_id or ""

    quiz = Form(
        name="quiz", when="before", title="Quiz", items=(
            FormItem(name="free", text="Which?", kind="text", required=False),
            FormItem(name="seen", text="Which?", kind="text", required=False, picture="contrast"),
        ),
    )  # fmt: skip
    asked = [create_study(store, f"Asked {n}", state="live", tasks=tasks, trials=2, forms=(quiz,)) for n in range(2)]
    for n, one in enumerate(asked):
        cookie, grant = access.enter(store, access.create_invite(store, "participant", one.study_id), world.people["participant"].cookie)
        assert grant.participant_id is not None
        world.people["participant"].cookie = cookie
        participants.decide(store, grant.participant_id, "consent")
        taker = grant.participant_id
        if n == 0:
            world.makers["asked"] = lambda taker=taker: answers.show(store, taker, quiz, len(answers.showings_of(store, taker))).showing_id  # type: ignore[misc]
            world.renew()
        else:
            world.place["stopper's form"] = answers.show(store, taker, quiz, 0).showing_id

    waiting = pool.create_item(store, project.project_id, build_item(home, "viewpoint", 6, item_id="qa-waiting"), staff("annotator"))
    pool.submit(store, waiting.item.item_id, staff("annotator"), waiting.version)
    judged, _ = pool.next_review(store, project.project_id, staff("reviewer"))
    world.place |= {"reviewed": waiting.item.item_id, "judged": judged.review_id, "moment": _moment(world, project.project_id)}
    world.place |= _verification(world, study.study_id, plain, staff("reviewer"))
    world.place["adjudicated"] = _dispute(world, study.study_id, parted, "the bowl", staff("annotator"))

    world.place["draft"] = drafts.begin(store, staff("annotator"), "Perceptual Grounding", "Partial Occlusion", SECRET)

    command = export_command(services, study.study_id)
    world.place["job"] = jobs.create(store, "export", command, owner=staff("researcher"))
    archive = export_path(json.dumps(command))
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"PK")
    found = archive.with_name("findings.jsonl")
    found.write_text('{"row_id": "x", "file": "", "check_id": "no-margin", "evidence": "None."}\n', encoding="utf-8")
    world.place["audit"] = jobs.create(store, "audit", ["vantage", "audit", "--out", str(found)], owner=staff("researcher"))
    with store.atomic() as db:
        db.execute("UPDATE jobs SET state = 'done'")
    world.place |= {"version": assets_version(), "study": study.study_id, "task": "toy-plain", "project": project.project_id}
    return world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One world for a file; tests leave it as they found it, or say so."""
    made = build(tmp_path_factory.mktemp("world"))
    yield made
    running.install(None)
    made.doors.loop.close()
    made.services.stop()
    made.store.close()


@pytest.fixture
def judged(world: World) -> str:
    """A review that the reviewer without one is given for this test."""
    store, project = world.store, world.place["project"]
    made = len(store.query("SELECT item_id FROM qa_items"))
    item = build_item(store.home, "viewpoint", 200 + made, item_id=f"qa-judged-{made}")
    author, reviewer = (world.people[name].grant for name in ("author", "reviewer, no review"))
    assert author is not None and reviewer is not None
    stored = pool.create_item(store, project, item, author.staff_id or "")
    pool.submit(store, stored.item.item_id, stored.author, stored.version)
    review, _ = pool.next_review(store, project, reviewer.staff_id or "")
    return str(review.review_id)


@pytest.fixture
def open_page(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Drawn]:
    """Draw a page for somebody, whether or not their menu has it; `address` is the query, `cookie` another browser's."""

    def make(path: str, name: str, address: str = "", cookie: str | None = "") -> Drawn:
        person = world.people[name]
        assert person.grant is not None
        visit = Visit(person.grant, False)
        monkeypatch.setattr(identity, "page_cookie", lambda: person.cookie if cookie == "" else cookie)
        page = next(page for page in PAGES if page.path == path)
        return drawn(lambda: page.draw(visit), address)

    return make


@pytest.fixture
def run_page(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Drawn]:
    """Run a part of a page as somebody."""

    def run(name: str, draw: Callable[[], None]) -> Drawn:
        monkeypatch.setattr(identity, "page_cookie", lambda: world.people[name].cookie)
        return drawn(draw)

    return run
