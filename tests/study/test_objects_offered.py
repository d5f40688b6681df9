"""Which objects are offered for which action, and which carry a number: nothing of it tells what a question asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest

from data.generators.registry import bundled
from data.task import Ask, Task
from sim_bridge.actions import OBJECT_ACTIONS, parse_action
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.spec import Camera, Hands, Object, Pose, Room, Scene
from study.handles import Handles, handles, offered
from study.objects import BY_RULE, DEFAULT_RULE, actionable, asked_about, choices, least_pixels, reach, told_apart
from study.protocol import Protocol, read_protocol

SEED = 7
ACTING = {task.task_id: task for task in bundled() if OBJECT_ACTIONS & {*task.actions}}
TWINS = [(task, ACTING[task.twin]) for name, task in ACTING.items() if task.twin and name < task.twin]
CAN = {
    "box": ("take", "open", "hold", "carry"),
    "mug": ("take", "hold", "carry", "water"),
    "ball": ("take",),
    "table": ("carry",),
    "ramp": (),
}


def a_task(
    make_task: Callable[..., Task], *kinds: str, names: dict[str, str] | None = None, ask: Ask | None = None, actions: tuple[str, ...]
) -> Task:
    things = tuple(Object(f"object_{n}", kind, Pose((0.0, float(n), 0.0))) for n, kind in enumerate(kinds, 1))
    base = make_task(names=names or {}, actions=actions, scene=Scene(Camera(640, 480), Room(bounds_m=(-9, -9, 9, 9)), things))
    return base.model_copy(update={"question": base.question.model_copy(update={"ask": ask, "text": "?"})})


def hands_of(task: Task) -> Hands:
    return Hands(1.5, {o.handle: CAN[o.category] for o in task.scene.objects})  # type: ignore[misc]


def offers(task: Task, seen: tuple[str, ...], held: str | None = None) -> tuple[Handles, dict[str, tuple[tuple[str, ...], ...]]]:
    found = offered(task, SEED, DEFAULT_RULE, hands_of(task), seen)
    back = {scene: public for public, scene in found.to_scene.items()}
    told = choices(task, hands_of(task), found.to_scene, back[held] if held else None)
    return found, {form: tuple(tuple(found.to_scene[h] for h in place) for place in places) for form, places in told.items()}


def test_what_is_counted_is_never_offered_so_the_list_does_not_count(make_task: Callable[..., Task]) -> None:
    task = a_task(make_task, "box", "mug", "mug", "table", ask=Ask(what="count", category="mug"), actions=("open", "close"))
    before, _ = offers(task, ("object_1", "object_4"))
    after, told = offers(task, ("object_1", "object_4", "object_2", "object_3"))
    assert before == after
    assert told == {"open": (("object_1",),), "close": (("object_1",),)}, "a table does not open"


def test_an_action_offers_what_it_can_be_done_to_and_the_hand_decides_the_rest(make_task: Callable[..., Task]) -> None:
    actions = ("pick_up", "put", "put_on_floor", "pour", "place_on_slope", "fill")
    task = a_task(make_task, "box", "mug", "ball", "table", "ramp", "mug", actions=actions)
    every = tuple(o.handle for o in task.scene.objects)
    _, free = offers(task, every)
    assert {*free["pick_up"][0]} == {"object_1", "object_2", "object_3", "object_6"}
    assert free["put inside"][0] == free["put_on_floor"][0] == (), "nothing is in the hand"
    assert {*free["pour"][1]} == {*free["pour"][2]} == {*free["fill"][0]} == {"object_2", "object_6"}
    assert "object_5" not in free["place_on_slope"][0], "the slope is not put on itself"
    _, full = offers(task, every, held="object_2")
    assert full["pick_up"] == ((),)
    assert full["put inside"][0] == full["put on"][0] == full["place_on_slope"][0] == full["pour"][1] == ("object_2",)
    assert {*full["put inside"][1]} == {"object_1", "object_6"}
    assert {*full["put on"][1]} == {"object_1", "object_4", "object_6"}
    assert full["pour"][2] == ("object_6",), "what is held is not poured into itself"


def test_what_the_question_names_may_carry_whatever_is_put_on_it(make_task: Callable[..., Task]) -> None:
    task = a_task(make_task, "ball", "mug", names={"object_1": "ball", "object_2": "mug"}, actions=("pick_up", "put"))
    _, told = offers(task, (), held="object_2")
    assert told["put on"][1] == ("object_1",)
    assert told["put inside"][1] == ()


def test_things_of_one_kind_that_the_question_tells_apart_carry_no_number(make_task: Callable[..., Task]) -> None:
    names = {"object_1": "left box", "object_2": "right box", "object_3": "ball"}
    ask = Ask(what="fits", things=("object_3", "object_1", "object_2"))
    task = a_task(make_task, "box", "box", "ball", "mug", "ball", names=names, ask=ask, actions=("pick_up", "put"))
    found, _ = offers(task, ("object_4", "object_5"))
    assert {found.to_scene[h] for h in found.numbered} == {"object_3", "object_4"}
    assert "object_5" not in found.to_scene.values(), "another ball is not offered: the question asks about one"


def test_a_share_of_small_frames_is_enough_and_four_hundred_pixels_of_others(make_task: Callable[..., Task]) -> None:
    task = a_task(make_task, "box", actions=("open",))
    assert least_pixels(task, DEFAULT_RULE) == 400
    hands = hands_of(task)
    assert handles(task, SEED, DEFAULT_RULE, hands, [{"object_1": 399}]).offers == ()
    assert handles(task, SEED, DEFAULT_RULE, hands, [{"object_1": 400}]).offers == (("object_1", "object 1"),)
    assert handles(task, SEED, BY_RULE["listed"], hands, [{"object_1": 20}]).offers == (("object_1", "object 1"),)
    small = task.model_copy(update={"scene": msgspec.structs.replace(task.scene, camera=Camera(320, 240))})
    assert least_pixels(small, DEFAULT_RULE) == 100


def test_a_protocol_kept_without_the_rule_has_the_one_of_before() -> None:
    assert Protocol().objects == "numbered"
    assert read_protocol(Protocol().model_dump_json(exclude={"objects"})).objects == "listed"
    with pytest.raises(ValueError, match="objects: expected one of numbered, unnumbered, listed, got 'names'"):
        Protocol(objects="names")


def test_how_far_a_hand_reaches_is_said_in_steps() -> None:
    told = "Your hand reaches 1.5 m from the camera: {} steps ahead. From high up, things on the floor are farther away."
    assert reach(Hands(1.5)) == told.format(6) and reach(Hands(1.5), 0.6) == told.format(2)
    assert reach(Hands()) == reach(None) == ""


def test_there_are_twins_with_object_actions() -> None:
    assert len(TWINS) >= 50
    assert len({first.subcategory for first, _ in TWINS}) >= 5


@pytest.mark.parametrize(("first", "second"), TWINS, ids=lambda task: task.task_id)
def test_twins_offer_the_same_however_much_of_what_they_share_is_seen(first: Task, second: Task) -> None:
    """What two twins share is seen in both, what is asked about in either; neither the list nor the numbers on the picture differ."""

    def told(task: Task, other: Task) -> tuple[list[str], list[str]]:
        kinds = {o.handle: o.category for o in task.scene.objects}
        spare = Counter(o.category for o in other.scene.objects)
        seen = []
        for handle, kind in kinds.items():
            spare[kind] -= 1
            if spare[kind] >= 0 or handle in asked_about(task):
                seen.append(handle)
        found = offered(task, SEED, DEFAULT_RULE, None, seen)
        called = {public: task.names.get(scene, kinds[scene]) for public, scene in found.to_scene.items()}
        ask = task.question.ask
        assert ask is not None and ask.category not in {kinds[scene] for scene in found.to_scene.values()}
        return sorted(called.values()), sorted(called[public] for public in found.numbered)

    assert told(first, second) == told(second, first)


@pytest.mark.skipif(not gl.available(), reason="libOSMesa is not installed")
def test_twins_show_the_same_numbers_at_first_and_the_proof_s_actions_are_offered() -> None:
    from sim_bridge.backends.mujoco.backend import MujocoBackend

    backend, pairs = MujocoBackend(), {first.subcategory: (first, second) for first, second in TWINS}
    for pair in pairs.values():
        shown = []
        for task in pair:
            scene = msgspec.structs.replace(task.scene, camera=msgspec.structs.replace(task.scene.camera, width=320, height=240))
            small = task.model_copy(update={"scene": scene})
            backend.load("s", scene, task.start, 0, False)
            seen, hands = backend.observe("s").visible, backend.hands("s")
            backend.close("s")
            found = handles(small, SEED, DEFAULT_RULE, hands, [seen])
            assert not {found.to_scene[h] for h in found.numbered} & told_apart(task)
            standing = [h for h in found.numbered if seen.get(found.to_scene[h], 0) >= least_pixels(small, DEFAULT_RULE)]
            shown.append((sorted(dict(found.offers).values()), len(standing)))
            possible = {*task.names, *(actionable(task, hands) - asked_about(task))}
            every = {handle: handle for handle in possible}
            for action in map(parse_action, task.gt_trajectory):
                if action.name not in OBJECT_ACTIONS:
                    continue
                relation = next((a for a in action.args if a in ("inside", "on")), "")
                takes = action.kind.hand == "takes"
                held = None if takes or action.kind.hand == "" else action.objects[0]
                told = choices(task, hands, every, held)[f"{action.name} {relation}".strip()]
                for place, handle in zip(told, action.objects, strict=True):
                    assert handle in place, (task.task_id, str(action))
        assert shown[0] == shown[1], [task.task_id for task in pair]
