"""A whole project with made-up people, through the real pool and database: does the pool end consistent?

Authors train, write, are refused by the rules, and mend what is flagged; reviewers answer before they see the right answer, sometimes
wrongly, and mostly but not always see what is wrong. Two people sometimes edit one item at once. The images are small drawings of nothing.
"""

from __future__ import annotations

import hashlib
import io
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from annotation.qa import projects
from annotation.qa.errors import Conflict, NothingToReview, NotReady, QaError, QuotaFull, Training
from annotation.qa.items import LETTERS, VIEWS, Arm, Item, Letter, ViewImage
from annotation.qa.projects import Project, Quota
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import agreement, balance, pool
from data.home import Home
from data.store import Store

WIDTH, HEIGHT = 320, 240
"""Of a simulated image, pixels."""
CARELESS = 0.15
"""Share of items first sent in with something missing, which the rules refuse."""
FLAWED = 0.25
"""Share of items with a fault that only a person can see."""
SEEN = 0.85
"""Share of such faults that a reviewer sees."""
FALSE_ALARM = 0.03
"""Share of sound items that a reviewer flags."""
RIGHT = 0.93
"""Share of a reviewer's answers that are right."""
MENDED = 0.85
"""Share of flagged items that are revised; the others are discarded."""
CLASH = 0.15
"""Share of revisions during which somebody else saves."""

SOURCES: dict[str, Arm] = {"agibot": "dual", "bridge": "single"}
LEAD = "lead"


@dataclass
class Outcome:
    """What the simulated people met."""

    refused: int = 0
    conflicts: int = 0
    flags: int = 0
    discarded: int = 0
    starved: int = 0
    passed_flaws: int = 0
    """Faulty items that were accepted all the same."""
    drafts_refused_by_quota: int = 0
    images: dict[str, bytes] = field(default_factory=dict)


def simulate(
    *,
    items: int = 800,
    authors: int = 6,
    reviewers: int = 5,
    per_item: int = 2,
    seed: int = 1,
    store: Store | None = None,
    tell: Callable[[str], None] = lambda _: None,
    then: Callable[[Store, Project, Callable[[str], bytes]], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Run a project until `items` are accepted, then balance it and look at everything.

    Args:
        items: accepted items wanted, spread evenly over the subtasks.
        authors: how many people write.
        reviewers: how many others review.
        per_item: K, the clean reviews that an item needs.
        seed: decides everything but times.
        store: where; None: a new database that is deleted at the end.
        tell: progress in words.
        then: called at the end with the store, the project and a reader of the images; its result is added.

    Returns:
        Figures, ``problems`` (sentences; empty: all is as it must be) and ``ok``.

    Raises:
        QaError: fewer reviewers than an item needs.
    """
    if reviewers < per_item:
        raise QaError(f"An item needs {per_item} reviewers, there are {reviewers}.")
    if store is not None:
        return _run(store, items, authors, reviewers, per_item, seed, tell, then)
    with tempfile.TemporaryDirectory(prefix="vantage-qa-") as folder:
        own = Store.open(Home.from_env(Path(folder) / "vantage.db"))
        # deleted at the end: nothing of it has to survive a power cut
        own.db.execute("PRAGMA synchronous=OFF")
        try:
            return _run(own, items, authors, reviewers, per_item, seed, tell, then)
        finally:
            own.close()


def _run(
    store: Store, count: int, authors: int, reviewers: int, per_item: int, seed: int, tell: Callable[[str], None], then: Any
) -> dict[str, Any]:  # fmt: skip
    began = time.perf_counter()
    rng = random.Random(seed)
    slugs = list(SUBTASKS)
    share, more = divmod(count, len(slugs))
    quotas = [Quota.model_validate({"subtask": slug, "target": share + (k < more)}) for k, slug in enumerate(slugs) if count > k]
    project = projects.create_project(
        store, f"Simulation {seed}", actor=LEAD, reviewers_per_item=per_item, quotas=[q.model_dump() for q in quotas], seed=seed
    )
    world = _World(store, project, rng, [f"author-{k + 1}" for k in range(authors)], [f"reviewer-{k + 1}" for k in range(reviewers)])
    turns = world.work(tell)
    tell("Balancing …")
    balanced = balance.apply(store, project.project_id, LEAD)
    again = balance.apply(store, project.project_id, LEAD)
    tell("Looking at everything …")
    problems = agreement.audit(store, project.project_id) + _check(balanced, project, again)
    states = Counter(s.state for s in pool.items(store, project.project_id))
    counted = [s for s in pool.items(store, project.project_id, state="accepted") if not s.trial]
    if len(counted) != count:
        problems.append(f"{len(counted)} items were accepted, {count} were wanted.")
    found: dict[str, Any] = {
        "items": count,
        "authors": authors,
        "reviewers": reviewers,
        "reviewers_per_item": per_item,
        "seed": seed,
        "turns": turns,
        "accepted": len(counted),
        "trial_items": sum(s.trial for s in pool.items(store, project.project_id)),
        "states": dict(sorted(states.items())),
        "rounds": {str(k): n for k, n in sorted(Counter(s.round for s in counted).items())},
        "clean_reviews_per_accepted_item": _clean(store, project.project_id),
        **{name: value for name, value in vars(world.outcome).items() if name != "images"},
        "balance": balanced,
        "rates": agreement.rates(store, project.project_id),
    }
    if then is not None:
        found["then"] = then(store, project, world.outcome.images.__getitem__)
        problems += found["then"].get("problems", [])
    return found | {"seconds": round(time.perf_counter() - began, 1), "problems": problems, "ok": not problems}


def _check(balanced: dict[str, Any], project: Project, again: dict[str, Any]) -> list[str]:
    """The figures that must hold after balancing."""
    problems = []
    for slug, row in balanced["subtasks"].items():
        if not row["within_one"]:
            problems.append(f"{slug}: letters or colours are not within one: {row['letters']}, {row['colours']}.")
        if SUBTASKS[slug].none_cell is not None:
            wanted = project.none_share
            # with few items no whole number of them comes within a hundredth of the share
            bound = max(0.01, 0.5 / row["items"])
            if abs(row["none_gold"] - wanted) > bound + 1e-9:
                problems.append(f"{slug}: None is right in {row['none_gold']:.1%}, wanted {wanted:.0%}.")
    if again["moved"]:
        problems.append(f"Balancing a balanced project moved {again['moved']} items.")
    return problems


def _clean(store: Store, project_id: str) -> dict[str, int]:
    """Clean reviews in the accepting round → accepted items."""
    rows = store.query(
        "SELECT (SELECT count(*) FROM qa_reviews r WHERE r.item_id = i.item_id AND r.round = i.round AND r.state = 'clean') AS clean, "
        "count(*) AS n FROM qa_items i WHERE i.project_id = ? AND i.state = 'accepted' AND i.trial = 0 GROUP BY clean ORDER BY clean",
        [project_id],
    )
    return {str(row["clean"]): row["n"] for row in rows}


class _World:
    """The people, and what they alone know of each item."""

    def __init__(self, store: Store, project: Project, rng: random.Random, authors: list[str], reviewers: list[str]) -> None:
        self.store, self.project, self.rng = store, project, rng
        self.authors, self.reviewers = authors, reviewers
        self.flaws: dict[str, str | None] = {}
        self.truth: dict[str, str] = {}
        """Item → the text of the option that is really right."""
        self.outcome = Outcome()
        self.moments = [self._scenery(source, arm, k) for source, arm in SOURCES.items() for k in range(3)]

    def work(self, tell: Callable[[str], None]) -> int:
        """Everybody in turn until the quotas are full and nothing is under way; returns the number of turns."""
        turn = 0
        while any(place.accepted < place.target for place in projects.places(self.store, self.project)):
            turn += 1
            before = self.store.last_event()
            for person in self.rng.sample([*self.authors, *self.reviewers], len(self.authors) + len(self.reviewers)):
                if person in self.authors:
                    self._write(person)
                else:
                    # reading is faster than writing
                    for _ in range(3 * self.project.reviewers_per_item):
                        if not self._review(person):
                            break
            if turn % 5 == 0:
                self._lead()
            if self.store.last_event() == before and not self._lead():
                raise QaError("The simulated people are stuck: nobody can do anything, and the quotas are not full.")
            if turn % 20 == 0:
                tell(f"Turn {turn}: {sum(p.accepted for p in projects.places(self.store, self.project))} items accepted.")
        self.outcome.passed_flaws = sum(
            self.flaws.get(s.item.item_id) is not None for s in pool.items(self.store, self.project.project_id, state="accepted")
        )
        return turn

    # authors

    def _write(self, author: str) -> None:
        for stored in pool.items(self.store, self.project.project_id, state="flagged", author=author):
            self._revise(stored, author)
        due = projects.due(self.store, self.project)
        if not due and projects.training(self.store, self.project, author).passed:
            return
        place = self.rng.choice(due) if due else None
        slug = place.subtask if place else self.rng.choice(list(SUBTASKS))
        arms = SUBTASKS[slug].arms
        if SUBTASKS[slug].option_kind == "images":
            # its options tell of the moment, so who met the moment elsewhere cannot review it: in a project with many moments few have
            arm = self.rng.choice(arms)
            source = next(name for name, of in SOURCES.items() if of == arm)
            scenery = self._scenery(source, arm, len(self.moments) + len(self.truth))
        else:
            scenery = self.rng.choice([m for m in self.moments if m.arm in arms])
        cell = SUBTASKS[slug].none_cell
        whole = cell.sample(self.rng, scenery, bool(place and place.cell)) if cell is not None else SUBTASKS[slug].sample(self.rng, scenery)
        try:
            begun = whole.change(marks=(), options={}, option_images={}, gold=None, hard=(), provenance={}, unique_confirmed=False)
            begun = begun.change(item_id=f"qa_{len(self.truth) + 1:06d}")
            stored = pool.create_item(self.store, self.project.project_id, begun, author, keep_id=True)
        except Training:
            return
        except QuotaFull:
            self.outcome.drafts_refused_by_quota += 1
            return
        item_id = stored.item.item_id
        whole = whole.change(item_id=item_id)
        self.truth[item_id] = _right(whole)
        rev = stored.version
        if whole.marks:
            rev = pool.save_marks(self.store, item_id, whole.marks[: len(whole.marks) // 2], rev, author).rev
            rev = pool.save_marks(self.store, item_id, whole.marks, rev, author).rev
        self.flaws[item_id] = self.rng.choice(list(pool.REASONS)) if self.rng.random() < FLAWED else None
        if self.flaws[item_id] == "wrong" and SUBTASKS[slug].option_kind == "directions":
            whole = _wrong(whole, self.rng)
        if self.rng.random() < CARELESS:
            rev = pool.save(self.store, item_id, whole.change(hard=(), unique_confirmed=False), rev, author).rev
        else:
            rev = pool.save(self.store, item_id, whole, rev, author).rev
        self._send(item_id, whole, rev, author)

    def _send(self, item_id: str, whole: Item, rev: int, author: str) -> None:
        try:
            pool.submit(self.store, item_id, author, rev)
        except NotReady:
            self.outcome.refused += 1
            rev = pool.save(self.store, item_id, whole, rev, author).rev
            pool.submit(self.store, item_id, author, rev)
        except QuotaFull as error:
            self.outcome.drafts_refused_by_quota += 1
            pool.move(self.store, item_id, "discard", author, str(error))

    def _revise(self, stored: pool.Stored, author: str) -> None:
        item_id = stored.item.item_id
        people = self.reviewers
        known = {r.reviewer for r in pool.reviews(self.store, item_id) if r.answer is not None}
        fresh = len(set(people) - known)
        needed = 1 if stored.trial else self.project.reviewers_per_item
        if self.rng.random() > MENDED or fresh < needed:
            why = "cannot be mended" if fresh >= needed else "nobody is left who has not seen its answer"
            self.outcome.starved += fresh < needed
            self.outcome.discarded += 1
            pool.move(self.store, item_id, "discard", author, why)
            return
        mended = stored.item.change(question=stored.item.question + " ")
        if self.flaws.get(item_id) == "wrong" and SUBTASKS[stored.item.subtask].option_kind == "directions":
            mended = _righted(mended, self.truth[item_id])
        self.flaws[item_id] = None
        rev = stored.version
        if self.rng.random() < CLASH:
            pool.save(self.store, item_id, stored.item.change(question=stored.item.question + "  "), rev, LEAD, why="spelling")
        try:
            rev = pool.save(self.store, item_id, mended, rev, author, why="as the reviewers asked", kind="revise").rev
        except Conflict as conflict:
            self.outcome.conflicts += 1
            newer = Item.read(conflict.document)
            merged = mended.change(question=newer.question + ".") if newer.question == mended.question else mended
            rev = pool.save(self.store, item_id, merged, conflict.version, author, why="as the reviewers asked", kind="revise").rev
        pool.submit(self.store, item_id, author, rev)

    # reviewers

    def _review(self, reviewer: str) -> bool:
        try:
            review, _ = pool.next_review(self.store, self.project.project_id, reviewer)
        except NothingToReview:
            return False
        if self.rng.random() < 0.02:
            return True  # put aside; taken up again at the next turn
        shown = pool.get(self.store, review.item_id)
        right = next(letter for letter in LETTERS if _text(shown.item, letter) == self.truth[review.item_id])
        answer = right if self.rng.random() < RIGHT else self.rng.choice(LETTERS)
        item = pool.answer_review(self.store, review.review_id, reviewer, answer, self.rng.choice((None, 50, 80, 100)))
        flaw = self.flaws.get(review.item_id)
        if flaw is not None and self.rng.random() < SEEN:
            self._flag(review, reviewer, flaw)
        elif flaw is None and self.rng.random() < FALSE_ALARM:
            self._flag(review, reviewer, "weak_distractor")
        else:
            words = "I misread it." if answer != item.gold else "Good." if shown.trial else ""
            pool.decide(self.store, review.review_id, reviewer, "clean", comment=words)
        return True

    def _flag(self, review: pool.Review, reviewer: str, reason: str) -> None:
        self.outcome.flags += 1
        pool.decide(self.store, review.review_id, reviewer, "flag", reasons=[reason], comment=pool.REASONS[reason])

    # the lead

    def _lead(self) -> bool:
        """Items that no reviewer can take any more are given up; whether there were some."""
        starved = pool.starved(self.store, self.project.project_id, self.reviewers)
        for item_id in starved:
            self.outcome.starved += 1
            self.outcome.discarded += 1
            pool.move(self.store, item_id, "discard", LEAD, "nobody is left who has not seen its answer")
        return bool(starved)

    # images

    def _scenery(self, source: str, arm: Arm, number: int) -> Scenery:
        views = tuple(self._image(view, 1000 * number + k, source) for k, view in enumerate(VIEWS[arm]))
        strangers = tuple(self._image("left-gripper", 1000 * number + 500 + k, source) for k in range(3)) if arm == "dual" else ()
        return Scenery(source, arm, f"episode-{number:03d}", f"moment-{number:03d}", views, strangers)

    def _image(self, view: str, number: int, source: str) -> ViewImage:
        draw = np.random.default_rng([number, len(source)])
        blocks = draw.integers(60, 220, size=(6, 8, 3), dtype=np.uint8)
        kept = io.BytesIO()
        Image.fromarray(blocks).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC).save(kept, "PNG", compress_level=1)
        name = hashlib.sha256(kept.getvalue()).hexdigest()
        self.outcome.images[name] = kept.getvalue()
        return ViewImage(view=view, image=name, width=WIDTH, height=HEIGHT, file=f"simulated/{number}.png", frame_index=number)


def _text(item: Item, letter: Letter) -> str:
    """What an option says, whatever its letter: an image option is its image."""
    image = item.option_images.get(letter)
    return image.image if image is not None else item.options.get(letter, "")


def _right(item: Item) -> str:
    assert item.gold is not None
    return _text(item, item.gold)


def _wrong(item: Item, rng: random.Random) -> Item:
    """The item with another option marked as right."""
    letter = rng.choice([x for x in LETTERS if x != item.gold])
    assert item.gold is not None
    return _marked(item, item.gold, letter)


def _righted(item: Item, text: str) -> Item:
    """The item with the option of this text marked as right."""
    letter = next(x for x in LETTERS if item.options[x] == text)
    assert item.gold is not None
    return _marked(item, item.gold, letter)


def _marked(item: Item, old: str, new: str) -> Item:
    """The right answer's mark moved from `old` to `new`; what was said of `new` as a distractor goes to `old`."""
    swap = {old: new, new: old}
    provenance = {swap.get(letter, letter): origin for letter, origin in item.provenance.items()}
    return item.change(gold=new, hard=tuple(sorted(swap.get(x, x) for x in item.hard)), provenance=provenance)
