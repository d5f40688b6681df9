"""Hands in the browser, by keyboard alone: pick up, put inside, see what is held, watch what moves, read why something fails."""

from __future__ import annotations

import ctypes.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import app
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

HANDS = ("pick_up", "put", "put_on_floor", "put_back", "wait")
TABLE, BOWL, APPLE, BEAR = (f"object_{n}" for n in range(1, 5))


def kitchen(width: int = 640, height: int = 480) -> Scene:
    """A table with a bowl, an apple and a bear on it."""
    return Scene(
        Camera(width, height, 75.0),
        Room(bounds_m=(-2.6, -2.6, 2.6, 2.6), kind="kitchen", seed=4, keep_clear_m=(-1.2, -1.9, 1.2, 1.0)),
        (
            Object(TABLE, "dining_table", Pose((0.0, 0.0, 0.37)), size_m=(1.2, 0.8, 0.74)),
            Object(BOWL, "bowl", Pose((0.2, -0.1, 0.74)), origin="base", dynamic=True),
            Object(APPLE, "apple", Pose((-0.2, -0.15, 0.74)), origin="base", dynamic=True),
            Object(BEAR, "teddy_bear", Pose((0.0, 0.2, 0.74)), origin="base", dynamic=True),
        ),
    )


def fits(kit: Any, name: str, **fields: Any) -> Any:
    """Does the apple fit into the bowl? The question names both; the bear is a neutral object."""
    question = {"text": "Does the apple fit into the bowl?", "options": ("yes", "no")}
    more: dict[str, Any] = {"names": {BOWL: "bowl", APPLE: "apple"}, "actions": (*kit.CAMERA_ACTIONS, *HANDS), "scene": kitchen()}
    made = kit.make_task(name, "yes_no", "yes", **question, **(more | fields))
    return made.model_copy(update={"start": looking(0.0, -0.85, 1.3, 0.0, -34.0)})


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, kit: Any) -> Iterator[Any]:
    """A server with the embedded simulator."""
    if not ctypes.util.find_library("OSMesa"):
        pytest.skip("libOSMesa is missing: the embedded simulator cannot draw")
    running = kit.serve(tmp_path_factory.mktemp("real"), backend="mujoco")
    yield running
    kit.stop(running.process)


def choose(page: Any, label: str, option: str) -> None:
    """Choose in a list as by keyboard: focus it and type the beginning of the option."""
    page.get_by_label(label, exact=True).focus()
    page.keyboard.type(option)


def status(page: Any, text: str) -> None:
    page.locator(".status", has_text=text).wait_for()


def test_a_double_click_is_one_step_and_what_is_being_done_is_told(real: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = playing(fits(kit, "twice"), on=real)
    page = tab.page
    choose(page, "Pick up: which object", "apple")
    page.get_by_role("button", name="Do it").dblclick()
    tab.at(1)
    status(page, "Step 1: Picked up the apple.")
    choose(page, "Pick up: which object", "bear")
    page.get_by_role("button", name="Do it").click()
    page.locator(".status", has_text="Choose the object first").or_(page.locator(".status", has_text="Your hand is full")).wait_for()

    let_go: list[Any] = []
    page.route("**/api/act", lambda route: let_go.append(route))
    choose(page, "What to do", "Put")
    choose(page, "Put: inside or on which object", "bowl")
    button = page.get_by_role("button", name="Do it")
    button.click()
    status(page, "Step 2 is being done: Put apple inside bowl …")
    button.press("Enter")  # the same again, while it is being done
    button.press("Enter")
    assert len(let_go) == 1
    let_go[0].continue_()
    page.unroute("**/api/act")
    tab.at(2)
    status(page, "Step 2: Put the apple inside the bowl.")
    page.wait_for_function("document.querySelectorAll('*').length && [...document.querySelectorAll('*')].some((e) => "
                           "e.shadowRoot?.querySelector('.vantage')?.dataset.waiting === '0')")  # fmt: skip
    tab.press("ArrowLeft")
    tab.at(3)


def test_the_smallest_window_shows_what_a_press_did(real: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = playing(fits(kit, "small-window"), on=real, width=1024, height=600)
    page = tab.page
    main = page.locator("[data-testid=stMain]")

    def down() -> None:
        main.evaluate("e => e.scrollTo({ top: e.scrollHeight })")
        assert main.evaluate("e => e.scrollTop") > 40, "the page is not longer than the window: nothing is tried"

    down()
    tab.press("Escape")
    assert page.locator(".told").bounding_box()["y"] >= 0
    down()
    tab.press("ArrowLeft")
    tab.at(1)
    assert page.locator(".told").bounding_box()["y"] >= 0
    choose(page, "Pick up: which object", "apple")
    down()
    page.get_by_role("button", name="Do it").press("Enter")
    tab.at(2)
    box = page.locator(".told").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 600


def test_pick_up_put_inside_and_answer_by_keyboard(real: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = playing(fits(kit, "fits"), on=real)
    page = tab.page
    held = page.locator(".inhand")
    assert held.inner_text() == "In your hand: nothing"
    before = tab.canvas()

    tab.press("g")
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.getAttribute('aria-label')") == "What to do"
    assert page.get_by_text("Esc to move").is_visible(), "the keys of the camera are not heard here"
    choose(page, "Pick up: which object", "apple")
    tab.press("Tab", "Enter")
    tab.at(1)
    status(page, "Step 1: Picked up the apple.")
    assert held.inner_text() == "In your hand: apple"
    assert tab.canvas() != before

    tab.press("Escape")
    assert page.get_by_text("Esc to move").is_hidden()
    tab.press("ArrowLeft", "ArrowRight")  # back to the camera: what is held goes along
    tab.at(3)
    assert held.inner_text() == "In your hand: apple"

    tab.press("g")
    page.keyboard.type("Put")
    assert page.get_by_label("Put: which object", exact=True).input_value() != "", "what is in the hand is chosen already"
    choose(page, "Put: inside or on which object", "bowl")
    page.get_by_role("button", name="Do it").focus()
    tab.press("Enter")
    tab.at(4)
    status(page, "Step 4: Put the apple inside the bowl.")
    assert held.inner_text() == "In your hand: nothing"

    page.reload()
    tab.ready()
    assert held.inner_text() == "In your hand: nothing"
    tab.press("f", "1" if page.locator(".option").first.inner_text().endswith("yes") else "2")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_role("button", name="Submit").press("Enter")
    page.get_by_role("heading", name="Your answer is saved.").wait_for()

    steps = real.steps(real.episode()["episode_id"])
    assert [s["sim_action"] for s in steps] == [
        "", f"pick_up({APPLE})", "turn_left", "turn_right", f"put({APPLE}, inside, {BOWL})",
    ]  # fmt: skip
    assert [s["ok"] for s in steps] == [1, 1, 1, 1, 1]


NUMBERS = "() => [...{page}.querySelectorAll('.numbers:not([hidden]) .badge')].map((badge) => badge.textContent)"
PLACE = """() => {
    const badge = {page}.querySelector(".numbers .badge[data-number='%s']").getBoundingClientRect();
    return [badge.left + badge.width / 2, badge.top + badge.height / 2];
}"""


def test_things_carry_their_numbers_on_the_picture_and_a_click_on_one_chooses_it(real: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = playing(fits(kit, "numbers"), on=real)
    page = tab.page
    numbers = NUMBERS.replace("{page}", kit.IN_PAGE)
    picture = tab.canvas()
    assert page.evaluate(numbers) == [], "nobody chooses: the picture is bare"
    tab.press("g")
    pick = page.get_by_label("Pick up: which object", exact=True)
    told = {text.partition(" · ")[2] or text: text for text in pick.locator("option").all_inner_texts()[1:]}
    (bear,) = told.keys() - {"apple", "bowl"}
    number = bear.removesuffix(" (see the picture)")
    table = {"3": "4", "4": "3"}[number]  # it cannot be picked up
    assert sorted(page.evaluate(numbers)) == sorted(text.partition(" ")[0] for text in told.values())
    assert tab.canvas() == picture, "the frame itself stays as it is"

    apple = told["apple"].partition(" ")[0]
    page.mouse.click(*page.evaluate(PLACE.replace("{page}", kit.IN_PAGE) % apple))
    assert pick.locator("option:checked").inner_text() == told["apple"]
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.textContent") == "Do it"
    pick.focus()
    page.keyboard.type(number)
    assert pick.locator("option:checked").inner_text() == bear
    tab.press("Escape")
    assert page.evaluate(numbers) == []
    tab.press("s")
    tab.at(1)
    assert page.evaluate(numbers) == []

    tab.press("g")
    choose(page, "Pick up: which object", "bowl")
    tab.press("Tab", "Enter")
    tab.at(2)
    status(page, "Step 2: Picked up the bowl.")
    page.get_by_label("What to do").focus()
    page.keyboard.type("Put")
    target = page.get_by_label("Put: inside or on which object", exact=True)
    where = page.get_by_label("Put: where", exact=True)
    assert where.input_value() == "on", "nothing here has an inside but what is held"
    listed = ["object…", "apple", f"{table} (see the picture)"]
    assert [text.partition(" · ")[2] or text for text in target.locator("option").all_inner_texts()] == listed
    where.select_option("inside")
    assert [text.partition(" · ")[2] or text for text in target.locator("option").all_inner_texts()] == listed, "choosing it says on"
    target.select_option(label=f"{table} (see the picture)")
    assert where.input_value() == "on"
    where.select_option("inside")
    assert target.input_value() == "", "what cannot be so is chosen no longer"
    tab.press("Escape", "w")
    tab.at(3)
    where.focus()
    assert table in page.evaluate(numbers), "what can be put on carries its number, too"
    entries = [text.partition(" ")[0] for text in page.locator(".objects select[data-pick] option").all_inner_texts()]
    assert set(page.evaluate(numbers)) <= set(entries), "each number has an entry in a list"
    page.mouse.click(*page.evaluate(PLACE.replace("{page}", kit.IN_PAGE) % table))
    assert (where.input_value(), target.locator("option:checked").inner_text()) == ("on", f"{table} (see the picture)")


def test_what_fails_is_a_step_with_its_reason_in_words(real: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = playing(fits(kit, "refused"), on=real)
    page = tab.page
    tab.press(*["s"] * 4)
    tab.at(4)
    tab.press("g")
    choose(page, "Pick up: which object", "apple")
    tab.press("Tab", "Enter")
    tab.at(5)
    status(page, "Step 5: That did not work: the apple is too far away.")
    assert page.locator(".inhand").inner_text() == "In your hand: nothing"
    page.keyboard.press("Enter")  # the button keeps the focus: the same again
    tab.at(6)
    steps = real.steps(real.episode()["episode_id"])
    assert [(s["ok"], s["reason"]) for s in steps[5:]] == [(0, "the apple is too far away")] * 2


def test_pictures_on_the_way_play_in_order_at_a_pace_one_can_follow_and_presses_wait(
    server: Any, playing: Callable[..., Any], kit: Any
) -> None:
    """The toy simulator's slide has four pictures; it runs here because what is tested is the page."""
    actions = (*kit.CAMERA_ACTIONS, "pick_up", "place_on_slope")
    tab = playing(kit.make_task("slide", actions=actions, names={"object_1": "red box", "object_2": "blue box"}))
    page = tab.page
    tab.press("w", "g")
    choose(page, "Pick up: which object", "red")
    tab.press("Tab", "Enter")
    tab.at(2)
    page.get_by_label("What to do").focus()
    page.keyboard.type("Place")
    assert page.get_by_label("Place on the slope: which object", exact=True).input_value() != ""
    tab.press("Tab", "Tab", "Enter", "Escape", "d")  # the press of D comes while the pictures play
    tab.at(4)
    slide, after = page.evaluate("window.__vantage.steps.filter((s) => s.seq === 3 || s.seq === 4)")
    gaps = [later - sooner for sooner, later in zip(slide["pictures"], slide["pictures"][1:], strict=False)]
    assert len(gaps) == 3
    assert min(gaps) >= 150, "each picture stays long enough to be seen"
    assert after["send"] >= slide["pictures"][-1], "the next action waits until the last picture is shown"
    steps = server.steps(server.episode()["episode_id"])
    assert [s["action"].partition("(")[0] for s in steps] == ["start", "move_forward", "pick_up", "place_on_slope", "move_right"]
    assert len(json.loads(steps[3]["more_frames"])) == 3


DRAWN = """(() => {
  window.__drawn = [];
  const canvas = %s.querySelector('.view canvas'), context = canvas.getContext('2d');
  context.drawImage = (...given) => {
    CanvasRenderingContext2D.prototype.drawImage.apply(context, given);
    window.__drawn.push(canvas.toDataURL());
  };
})()"""
"""Keeps each picture that is drawn from now on."""


def slide(playing: Callable[..., Any], kit: Any, name: str, ready: Callable[[Any], object] = lambda page: None) -> Any:
    """A page whose last step, its third, brought several pictures; before the first, `ready` may change the page."""
    actions = (*kit.CAMERA_ACTIONS, "pick_up", "place_on_slope")
    tab = playing(kit.make_task(name, actions=actions, names={"object_1": "red box", "object_2": "blue box"}))
    ready(tab.page)
    tab.press("w", "g")
    choose(tab.page, "Pick up: which object", "red")
    tab.press("Tab", "Enter")
    tab.at(2)
    assert tab.page.get_by_role("button", name="Watch again").is_hidden()
    tab.page.get_by_label("What to do").focus()
    tab.page.keyboard.type("Place")
    tab.press("Tab", "Tab", "Enter")
    tab.at(3)
    return tab


def test_a_step_with_several_pictures_can_be_watched_again_also_after_a_reload(server: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = slide(playing, kit, "again")
    page = tab.page
    again = page.get_by_role("button", name="Watch again")
    again.wait_for()
    last = tab.canvas()
    for _ in range(2):
        page.evaluate(DRAWN % kit.IN_PAGE)
        again.press("Enter")
        page.wait_for_function(f"() => window.__drawn.length >= 2 && !{kit.IN_PAGE}.querySelector('.again').disabled")
        first, *_, final = page.evaluate("window.__drawn")
        assert first != final
        assert tab.canvas() == last
        page.reload()
        tab.ready()
        again.wait_for()
    assert len(server.steps(server.episode()["episode_id"])) == 4, "watching is no step"


UNABLE = """(() => { window.createImageBitmap = () => Promise.reject(new DOMException('No memory.', 'InvalidStateError')); })()"""
"""From now on the browser cannot make pictures."""


def test_pictures_that_cannot_be_drawn_again_are_said(server: Any, playing: Callable[..., Any], kit: Any, trouble: None) -> None:
    unheard: list[str] = []
    page = slide(playing, kit, "undrawn", ready=lambda page: page.on("pageerror", lambda error: unheard.append(str(error)))).page
    page.evaluate(UNABLE)
    page.get_by_role("button", name="Watch again").press("Enter")
    page.get_by_text("This page met an error.").wait_for()
    page.get_by_role("button", name="Reload").wait_for()
    assert unheard == []


STILL = """(() => {
  const first = {};
  const slice = Blob.prototype.slice;
  Blob.prototype.slice = function (...given) {
    const part = slice.apply(this, given);
    return given[2] === 'image/webp' ? (first.part ??= part) : part;
  };
})()"""


def test_a_film_can_be_watched_again_also_where_nothing_moves_in_it(server: Any, playing: Callable[..., Any], kit: Any) -> None:
    """That a thing stays on the slope is what the step was done to see."""
    page = slide(playing, kit, "stays", ready=lambda page: page.evaluate(STILL)).page
    page.get_by_role("button", name="Watch again").wait_for()
    page.evaluate(DRAWN % kit.IN_PAGE)
    page.get_by_role("button", name="Watch again").press("Enter")
    page.wait_for_function("() => window.__drawn.length >= 4")
    assert len(set(page.evaluate("window.__drawn"))) == 1, "in this film nothing moves"


def test_a_film_that_plays_has_the_sign_of_a_step_under_way_until_what_came_of_it_is_told(
    server: Any, playing: Callable[..., Any], kit: Any
) -> None:
    tab = slide(playing, kit, "underway", ready=lambda page: page.evaluate(SIGNS % kit.IN_PAGE))
    tab.page.locator(".status", has_text="Step 3:").wait_for()
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    signs = [sign for seq, sign in tab.page.evaluate("window.__signs") if seq == "3"]
    assert signs[0] and not signs[-1] and signs == sorted(signs, reverse=True), "the bar stays while pictures on the way are shown"


SIGNS = """(() => {
  window.__signs = [];
  const root = %s;
  const note = () => {
    const seq = root.querySelector('.view canvas').dataset.seq;
    window.__signs.push([seq, !root.querySelector('.busy').hidden]);
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
})()"""
"""At each painted picture: of which step it is, and whether the page shows that a step is under way."""


def test_watch_again_plays_at_the_first_click_also_over_the_numbers(server: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = slide(playing, kit, "over")
    page = tab.page
    again = page.get_by_role("button", name="Watch again")
    again.wait_for()
    # The toy simulator says of no thing where it is seen: the layer of numbers is laid as it is laid where one does.
    page.evaluate(
        f"""() => Object.assign({kit.IN_PAGE}.querySelector('.numbers'), {{ hidden: false }}).style.cssText =
        'left: 0; top: 0; width: 100%; height: 100%'"""
    )
    page.evaluate(DRAWN % kit.IN_PAGE)
    again.click()
    page.wait_for_function("() => window.__drawn.length >= 2")


def test_a_place_offers_what_any_choice_of_the_others_allows_and_the_others_follow(
    server: Any, playing: Callable[..., Any], kit: Any
) -> None:
    actions = (*kit.CAMERA_ACTIONS, "pick_up", "put", "pour")
    tab = playing(kit.make_task("either", actions=actions, names={"object_1": "red box", "object_2": "blue box"}))
    page = tab.page
    page.get_by_label("What to do").select_option(label="Pour")
    first, second = page.locator(".objects select[data-pick]").all()
    red, blue = (first.locator("option", has_text=colour).get_attribute("value") for colour in ("red box", "blue box"))
    first.select_option(red)
    second.select_option(blue)
    for place in (first, second):
        assert {option.get_attribute("value") for option in place.locator("option").all()} == {"", red, blue}
    first.select_option(blue)
    assert (first.input_value(), second.input_value()) == (blue, red), "to pour back takes one change"
    second.select_option(blue)
    assert (first.input_value(), second.input_value()) == (red, blue)


def test_no_number_covers_a_small_thing_or_what_lies_in_a_vessel(browser: Any) -> None:
    source = (Path(app.__file__).parent / "components" / "play" / "numbers.js").read_text(encoding="utf-8")
    script = source.partition("/** The layer over")[0].replace("export ", "").replace("import { h } from './dom.js';", "")
    boxes = {1: [300, 200, 380, 330], 2: [330, 250, 350, 280], 3: [0, 0, 40, 40], 4: [100, 100, 500, 460]}
    things = [{"number": n, "box": box} for n, box in boxes.items()]
    page = browser.new_page()
    found = page.evaluate(f"() => {{ {script}; return placed({json.dumps(things)}, 24); }}")
    page.close()
    assert len(found) == 4
    for at in found:
        for n in (1, 2, 3):
            x0, y0, x1, y1 = boxes[n]
            over = at["x"] + 12 > x0 and at["x"] - 12 < x1 and at["y"] + 12 > y0 and at["y"] - 12 < y1
            # The number of what is in the vessel 1 lies beside it, on the vessel.
            assert not over or (at["number"], n) == (2, 1), f"the number of {at['number']} covers {n}"
    (large,) = (at for at in found if at["number"] == 4)
    assert 100 <= large["x"] <= 500 and 100 <= large["y"] <= 200, "a large thing has its number within, near its upper edge"
