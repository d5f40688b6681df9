"""Right answers held to the poses: generated items agree, corrupted ones are caught, what cannot be told is said to be so."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from annotation.qa import moments as chosen
from annotation.qa import rules
from annotation.qa.items import LETTERS, Item
from annotation.qa.parts import cubes as grid
from annotation.qa.parts import directions
from annotation.qa.projects import create_project, open_quotas
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.matching import none_is_gold
from annotation.qa.subtasks.motions import net
from annotation.qa.truth import check_truth, examine
from annotation.qa.trying.generating import generate, propose
from annotation.qa.work import pool
from data.robot import episodes
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present

SEEDS = range(4)
DEEDS = ("Take hold of the block 0", "Put down the block 0")
"""What the grippers of these episodes do, as a question says it."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of these episodes are never behind the robot: not looked for, which takes most of the time."""
    monkeypatch.setattr(Sight, "_behind_robot", lambda sight, view, one: False)


@pytest.fixture
def project(store: Store) -> str:
    return create_project(store, "P", trial_batch=0).project_id


def kept(store: Store, robots: Robots, project: str, arms: tuple[str, ...] = ("dual", "single"), **more: Any) -> list[chosen.Moment]:
    for arm in arms:
        robots.add(arm, **{"tasks": 1, "episodes": 2, **more})
    chosen.sample_moments(store, project, per_episode=1)
    for moment in chosen.moments(store, project, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    return chosen.moments(store, project, state="kept")


def proposed(store: Store, moments: list[chosen.Moment], slug: str, seed: int) -> list[Item]:
    rng = random.Random(seed)
    return [item for moment in moments if (item := propose(store, moment, slug, rng)) is not None]


def shifted(item: Item, step: int = 1) -> Item:
    """Another letter marked as right, and nothing else wrong."""
    other = LETTERS[(LETTERS.index(item.gold) + step) % 5]
    swap = {item.gold: other, other: item.gold}
    provenance = {swap.get(letter, letter): d for letter, d in item.provenance.items()}
    return item.change(gold=other, hard=tuple(sorted(swap.get(x, x) for x in item.hard)), provenance=provenance)


@pytest.mark.parametrize("slug", ["distance", "consistency", "matching"])
@pytest.mark.parametrize("seed", SEEDS)
def test_generated_golds_agree_and_another_letter_is_caught(store: Store, robots: Robots, project: str, slug: str, seed: int) -> None:
    moments = kept(store, robots, project)
    items = proposed(store, moments, slug, seed)
    assert items
    for item in items:
        assert rules.check(item) == [] and check_truth(store, item) == []
        assert examine(store, item).status == "agrees"
        for step in range(1, 5):
            found = examine(store, shifted(item, step))
            assert found.status == "contradicts" and found.problems, (slug, item.options, step)


@pytest.mark.parametrize("seed", SEEDS)
def test_exchanged_cubes_are_caught(store: Store, robots: Robots, project: str, seed: int) -> None:
    rng = random.Random(seed)
    items = proposed(store, kept(store, robots, project), "consistency", seed)
    assert items
    for item in items:
        cells = {cube.colour: cube for cube in item.cubes}
        one, other = rng.sample(sorted(cells), 2)
        swapped = tuple(
            cube.model_copy(update={"cell": cells[other if cube.colour == one else one].cell}) if cube.colour in (one, other) else cube
            for cube in item.cubes
        )
        text = grid.write(grid.cells(swapped))
        corrupted = item.change(cubes=swapped, options=item.options | {item.gold: text})
        found = examine(store, corrupted)
        assert found.status == "contradicts"
        assert any({one, other} & set(problem.sentence.replace(".", " ").split()) for problem in found.problems)
        assert {problem.field for problem in found.problems} >= {"cubes", "gold"}


def test_a_wrong_option_that_is_right_too_is_caught(store: Store, robots: Robots, project: str) -> None:
    item = next(iter(proposed(store, kept(store, robots, project), "consistency", 1)))
    wrong = next(letter for letter in LETTERS if letter != item.gold)
    same = item.change(options=item.options | {wrong: item.options[present(item.gold)].replace("), (", "),  (")})
    assert any("agrees with the poses too" in problem.sentence for problem in check_truth(store, same))


def test_the_wrong_extreme_and_the_wrong_gripper_are_caught(store: Store, robots: Robots, project: str) -> None:
    items = proposed(store, kept(store, robots, project), "distance", 2)
    for item in items:
        other = "longest" if item.slots["extreme"] == "shortest" else "shortest"
        assert examine(store, item.change(slots={"extreme": other})).status == "contradicts"
    duals = [item for item in items if item.arm == "dual"]
    assert duals
    swap = {"left gripper": "right gripper", "right gripper": "left gripper"}
    caught = 0
    for item in duals:
        texts = {letter: next((t.replace(a, b) for a, b in swap.items() if a in t), t) for letter, t in item.options.items()}
        caught += examine(store, item.change(options=texts)).status != "agrees"
    assert caught, "with the grippers exchanged another option is the extreme one"


def test_a_box_on_nothing_or_between_two_is_said_to_be_unclear(store: Store, robots: Robots, project: str) -> None:
    item = proposed(store, kept(store, robots, project, ("single",)), "distance", 3)[0]
    first = item.marks[0]
    moved = first.model_copy(update={"points": ((1.0, 1.0), (9.0, 9.0))})
    found = examine(store, item.change(marks=(moved, *item.marks[1:])))
    assert found.status == "unclear" and any(f"marks.{first.id}" == p.field and "no known object" in p.sentence for p in found.problems)


def test_two_objects_in_one_line_of_sight_make_a_box_ambiguous(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = proposed(store, kept(store, robots, project, ("single",)), "distance", 3)[0]

    def doubled(store: Store, episode: Any, index: Any) -> Any:
        truth = robots.truth(store, episode, index)
        twin = [replace(thing, name=f"twin of {thing.name}") for thing in truth.objects]
        return replace(truth, objects=(*truth.objects, *twin))

    monkeypatch.setattr(episodes, "truth", doubled)
    found = examine(store, item)
    assert found.status == "unclear" and all("may be the" in p.sentence for p in found.problems if p.field.startswith("marks"))


def test_without_truth_nothing_is_claimed(store: Store, robots: Robots, project: str) -> None:
    item = proposed(store, kept(store, robots, project), "distance", 1)[0]
    robots.known = False
    assert examine(store, shifted(item)).status == "unknown" and check_truth(store, shifted(item)) == []
    robots.known = True
    assert check_truth(store, item.change(moment="elsewhere")) == []


# generating


@pytest.mark.parametrize("slug", [slug for slug in SUBTASKS if slug != "affordance"])
def test_generated_items_go_through_the_pool_into_review(store: Store, robots: Robots, project: str, slug: str) -> None:
    kept(store, robots, project, episodes=3)
    made = generate(store, project, slug, 2, 1, "set-up")
    assert made, slug
    for stored in made:
        assert (stored.state, stored.author, stored.item.subtask) == ("in_review", "set-up", slug)
        assert rules.check(stored.item) == [] and check_truth(store, stored.item) == []
        assert chosen.get_moment(store, stored.item.moment).views == stored.item.views
    review, _ = pool.next_review(store, project, "rita")
    assert review.item_id in {stored.item.item_id for stored in made}


def test_the_same_seed_makes_the_same_items_on_the_same_moments(store: Store, robots: Robots, project: str) -> None:
    moments = kept(store, robots, project)
    one, two = ([i.change(item_id="qa-x") for i in proposed(store, moments, "distance", 7)] for _ in range(2))
    assert one == two != proposed(store, moments, "distance", 8)


def test_moments_are_used_evenly_and_the_quota_ends_it(store: Store, robots: Robots) -> None:
    quotas = [quota.model_dump() for quota in open_quotas(2, ["distance"])]
    own = create_project(store, "Q", trial_batch=0, quotas=quotas).project_id
    kept(store, robots, own)
    made = generate(store, own, "distance", 9, 1, "set-up", submit=False)
    assert len(made) == 2 and len({s.item.moment for s in made}) == 2 and {s.state for s in made} == {"draft"}
    assert len(pool.items(store, own)) == 2, "what the quota refused left nothing behind"


def test_a_quarter_of_matching_items_have_no_right_box(store: Store, robots: Robots, project: str) -> None:
    kept(store, robots, project, ("single",), tasks=1, episodes=4)
    made = generate(store, project, "matching", 4, 3, "set-up")
    assert len(made) == 4 and sum(none_is_gold(stored.item) for stored in made) == 1
    for stored in made:
        assert examine(store, stored.item).status == "agrees"


def test_options_of_motions_lead_elsewhere_than_the_right_one(store: Store, robots: Robots, project: str) -> None:
    moments = kept(store, robots, project, episodes=3)
    for slug in ("planning", "step"):
        items = proposed(store, moments, slug, 1)
        assert items, slug
        for item in items:
            nets = {letter: tuple(net(directions.read(text))) for letter, text in item.options.items()}
            assert len(set(nets.values())) == 5
            whole = chosen.get_moment(store, item.moment).task
            assert item.slots["task"] == whole if slug == "planning" else item.slots["task"].split(" with ")[0] in DEEDS
    # the grippers of these episodes go forward and down, seen by a head that stands at the front
    duals = [moment for moment in moments if moment.arm == "dual"]
    right = {step for item in proposed(store, duals, "step", 2) for step in directions.read(item.options[present(item.gold)])}
    assert {"forward", "downward"} <= right and not {"backward", "upward"} & right


@pytest.mark.parametrize("slug", [slug for slug, subtask in SUBTASKS.items() if subtask.make is not None])
def test_the_same_draw_makes_the_same_item(store: Store, robots: Robots, project: str, slug: str) -> None:
    moments = kept(store, robots, project)
    for moment in moments:
        if moment.arm in SUBTASKS[slug].arms:
            # kept alive, so that no two draws see their objects at the same addresses
            made = [propose(store, moment, slug, random.Random(5)) for _ in range(6)]
            assert all(item == made[0] for item in made)
