"""What newcomers at the drawing studio stumbled over: pictures in sight, keys that say what they do, places that stay where they are."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from urllib.parse import urljoin

import pytest

from annotation.qa.work import pool
from tests.browser.conftest import wait_until
from tests.browser.qa_desk import Desk, desks, me, sound
from tests.browser.slowed import PAUSE_MS, Pauses, slow

OUTLINED = ".cell.now"


@pytest.fixture
def desk(server: Any, new_tab: Any, kit: Any) -> Any:
    """An author's tab on a new project."""
    return desks(server, new_tab, kit)


def place(author: Desk) -> str:
    """The place of the table that is outlined: view and colour."""
    found: str = author.page.locator(OUTLINED).get_attribute("data-place")
    return found


def ready(author: Desk, slug: str, seed: int = 0) -> Desk:
    """The editor on a whole item of the author's own."""
    stored = sound(author.store, author.project, slug, me(author.store), seed)
    author.page.goto(urljoin(author.page.url, f"/editor?item={stored.item.item_id}"))
    return author.opened()


def test_pictures_stay_in_sight_while_options_are_written(desk: Any) -> None:
    author = ready(desk(), "distance")
    page = author.page
    strip = page.locator(".held")
    assert strip.is_hidden(), "the large ones are in sight"
    page.get_by_label("Under every reading").focus()
    page.get_by_label("Under every reading").scroll_into_view_if_needed()
    strip.locator("svg").first.wait_for()
    assert strip.locator("svg").count() == 3 and strip.locator("svg [data-colour]").count() == 5
    held = page.locator(".held").bounding_box()
    assert 56 <= held["y"] <= 64 and 200 <= held["height"] <= 250
    for svg in strip.locator("svg").all():
        box = svg.bounding_box()
        assert box["width"] > 240 and box["y"] + box["height"] <= held["y"] + held["height"], "each picture is wholly in sight"
    # What has the focus is never below them, whichever way one goes.
    for key in ["Shift+Tab"] * 25:
        author.tab.press(key)
        at = page.evaluate("""async () => {
          for (let n = 0; n < 3; n += 1) await new Promise((done) => requestAnimationFrame(done));
          let e = document.activeElement; while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
          const box = e.getBoundingClientRect(); return [box.top, Boolean(e.closest('.option, .asked'))]; }""")
        if not at[1]:
            break
        assert strip.is_hidden() or at[0] >= held["y"] + held["height"], at
    # On the way down they cover what is left of the large ones, never more, and what follows stays where it is.
    main = page.locator('[data-testid="stMain"]')
    covered = main.evaluate("""async (main) => {
      const inner = (at) => [...at.querySelectorAll('*')].map((e) => e.shadowRoot).filter(Boolean);
      const find = (at, what) => at.querySelector(what) || inner(at).map((root) => find(root, what)).find(Boolean);
      const [held, stage, asked] = ['.held', '.author > section', '.asked'].map((what) => find(document, what));
      const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))));
      const seen = [];
      for (let y = 0; y <= 1000; y += 50) {
        main.scrollTo(0, y);
        await frames();
        const [a, b, c] = [held, stage, asked].map((e) => e.getBoundingClientRect());
        seen.push([getComputedStyle(held).visibility === 'visible', a.top, a.bottom, b.bottom, c.top - b.bottom]);
      }
      return seen;
    }""")
    shown = [entry for entry in covered if entry[0]]
    assert shown and len(shown) < len(covered)
    assert all(56 <= top <= 64 and below <= bottom + 1 for _, top, bottom, below, _ in shown), shown
    assert {round(gap) for *_, gap in covered} == {22}
    page.get_by_label("Under every reading").focus()
    page.get_by_label("Under every reading").scroll_into_view_if_needed()
    strip.get_by_role("button", name="Hide the pictures").press("Enter")
    assert strip.locator("svg").first.is_hidden()
    page.reload()
    author.opened()
    page.get_by_label("Under every reading").focus()
    page.get_by_label("Under every reading").scroll_into_view_if_needed()
    strip.get_by_role("button", name="Show the pictures").press("Enter")
    strip.locator("svg").first.wait_for()

    # F needs no focus in a picture, and leads back to where one was.
    way = page.get_by_label("How option").first
    page.get_by_label("Option A is right").focus()
    author.tab.press("f")
    page.locator(".filled").wait_for()
    large = page.locator(".pane.main .port").bounding_box()
    assert large["y"] <= 76 and large["height"] > 600
    author.tab.press("f")
    page.locator(".filled").wait_for(state="detached")
    here = page.get_by_label("Option A is right")
    assert here.evaluate("e => e === e.getRootNode().activeElement") and 60 < here.bounding_box()["y"] < 840
    assert way.count() == 1


def test_the_cube_tool_shows_the_reference_view_itself(desk: Any) -> None:
    author = ready(desk(), "consistency")
    page, strip = author.page, author.page.locator(".held")
    page.get_by_label("z of the pink cube").focus()
    page.get_by_label("z of the pink cube").scroll_into_view_if_needed()
    assert strip.is_hidden()
    page.get_by_label("Under every reading").focus()
    page.get_by_label("Under every reading").scroll_into_view_if_needed()
    strip.locator("svg").first.wait_for()


def test_a_low_window_keeps_its_room_for_what_is_written(desk: Any) -> None:
    author = ready(desk(width=683, height=325), "distance")
    author.page.get_by_label("Under every reading").focus()
    author.page.get_by_label("Under every reading").scroll_into_view_if_needed()
    assert author.page.locator(".held").is_hidden()


def test_a_press_in_another_view_says_what_is_drawn_there(desk: Any) -> None:
    author = desk().begin("Cross-View Matching")
    page = author.page
    assert place(author) == "head red"
    author.drag("left-gripper", (60, 200), (140, 290))  # red belongs into head alone
    page.get_by_text("Yellow box drawn on left-gripper").wait_for()
    assert page.locator('[data-place="left-gripper yellow"]').get_attribute("class").split()[1] == "drawn"
    assert place(author) == "left-gripper green"
    page.locator('[data-view="right-gripper"] .port').focus()
    page.get_by_text("Now green in right-gripper.").wait_for()
    assert place(author) == "right-gripper green"
    page.locator('[data-view="head"] .port').focus()
    page.get_by_text("Now red in head.").wait_for()
    author.drag("head", (60, 200), (140, 290))
    page.get_by_text("Red box drawn on head").wait_for()
    author.drag("head", (260, 200), (340, 290))  # nothing else belongs there
    page.get_by_text("Only red belongs into head: draw ").wait_for()
    page.locator(".canvas[data-kept=saved]").wait_for()
    assert [(mark.view, mark.colour) for mark in author.stored().item.marks] == [("left-gripper", "yellow"), ("head", "red")]

    author.home()
    author.begin("3D Spatial Consistency")
    author.drag("left-gripper", (60, 200), (140, 290))
    page.get_by_text("What is drawn belongs into head.").wait_for()
    assert page.locator(".cell.drawn").count() == 0


def test_the_outlined_place_goes_with_the_reference_view(desk: Any) -> None:
    author = desk().begin("Affordance Recognition")
    assert place(author) == "head red"
    author.page.get_by_role("radio", name="Right gripper view").check()
    author.page.locator('[data-place="right-gripper red"].now').wait_for()
    assert author.page.locator(".places th.reference").inner_text() == "right"


def test_keys_of_options_say_what_they_do_and_do_it_after_the_focus_has_gone_on(desk: Any) -> None:
    author = ready(desk(), "planning")
    page = author.page
    gold = author.stored().item.gold
    wrong = [letter for letter in "ABCDE" if letter != gold]
    for letter in wrong:
        page.get_by_label(f"How option {letter} was made").select_option(value="")
    page.get_by_label(f"How option {wrong[0]} was made").focus()
    author.tab.press("4")
    second = page.get_by_label(f"How option {wrong[1]} was made")
    assert second.evaluate("e => e === e.getRootNode().activeElement") and second.input_value() == ""
    author.tab.press("=")
    page.get_by_text("All rules are kept").wait_for()
    assert {origin.kind for origin in author.stored().item.provenance.values()} == {"misses"}
    page.locator('[data-view="head"] .port').focus()
    author.tab.press("?")
    table = page.locator("dialog[open].keytable")
    assert "in an option’s directions: add upward, downward" in table.inner_text() and "draw a box" not in table.inner_text()
    author.tab.press("Escape")

    ready(author, "matching", 2)
    item = author.stored().item
    box, none = (
        next(x for x, text in item.options.items() if text.startswith("None") is said and x != item.gold) for said in (False, True)
    )
    page.locator('[data-view="head"] .port').focus()
    author.tab.press("?")
    assert "directions" not in table.inner_text() and "draw a box" in table.inner_text()
    author.tab.press("Escape")
    offered = page.get_by_label(f"How option {box} was made").locator("option:not(:disabled)").all_inner_texts()
    assert len(offered) == 5 and not any(words.startswith("“None”") for words in offered)
    assert page.get_by_label(f"How option {none} was made").locator("option:not(:disabled)").all_inner_texts()[1:] == [
        "“None” although one box is right."
    ]  # fmt: skip
    page.get_by_label(f"How option {box} was made").focus()
    author.tab.press("4")
    author.option(box).get_by_text("it names a box, so it is not made as “None”").wait_for()


def test_a_question_is_turned_round_and_back(desk: Any) -> None:
    author = ready(desk(), "distance")
    page, first = author.page, author.stored().item
    other = "longest" if first.slots["extreme"] == "shortest" else "shortest"
    page.get_by_role("radio", name=other).check()
    page.get_by_text("Mark the right option.").wait_for()
    assert page.locator(".option.gold").count() == 0 and not page.get_by_label("Under every reading").is_checked()
    assert page.get_by_role("button", name="Send to review").is_disabled()
    page.get_by_role("radio", name=first.slots["extreme"]).check()
    page.locator(".option.gold").wait_for()
    page.get_by_label("Under every reading").press("Space")
    page.get_by_text("All rules are kept").wait_for()
    page.locator(".author[data-kept=saved]").wait_for()
    assert author.stored().item == first


def tops(author: Desk) -> dict[str, float]:
    """Where the parts beside the pictures begin, and where the pictures end."""
    parts = {"table": ".marktable", "said": ".panel .foot", "copies": ".copies", "bar": ".author > .foot", "ways": ".ways"}
    found = {name: author.page.locator(part).bounding_box() for name, part in parts.items()}
    return {name: box["y"] for name, box in found.items()}


def test_nothing_moves_or_overlaps_while_one_draws(desk: Any) -> None:
    author = desk().begin("Cross-View Matching")
    page = author.page
    before = tops(author)
    author.drag("head", (60, 200), (140, 290))
    page.get_by_text("Next: yellow in right-gripper.").wait_for()
    seen = [tops(author)]
    for number in range(2):
        author.drag("right-gripper", (40 + 115 * number, 200), (120 + 115 * number, 290))
    page.get_by_text("Next: blue in right-gripper.").wait_for()
    seen.append(tops(author))
    author.tool("right-gripper", "v", "n")
    page.get_by_role("button", name="left-gripper", exact=True).wait_for()  # copy to
    seen.append(tops(author))
    author.tab.press("x")
    author.tab.press("m")
    seen.append(tops(author))
    moved = {name: max(abs(one[name] - before[name]) for one in seen) for name in before}
    assert {name: by for name, by in moved.items() if by > 1} == {}
    # Beside the pictures nothing lies on anything else.
    boxes = [box.bounding_box() for box in page.locator(".panel .toolbar, .marktable, .panel .status, .copies, .ways").all()]
    boxes.sort(key=lambda box: box["y"])
    for one, other in pairwise(boxes):
        assert one["y"] + one["height"] <= other["y"] + 0.5, (one, other)


def test_what_is_needed_keeps_its_order_and_items_are_gone_through_as_listed(desk: Any) -> None:
    author = desk()
    page = author.page
    names = page.locator(".kind .name").all_inner_texts()
    assert names[:2] == ["Cross-View Matching", "Distance Judgement"] and len(names) == 8
    stored = sound(author.store, author.project, "step", me(author.store))
    page.get_by_role("radio", name="Viewpoint Identification").check()
    author.begin("Viewpoint Identification")
    mine = author.item
    # An item in review is gone through, too.
    pool.submit(author.store, stored.item.item_id, stored.author, stored.version)
    page.reload()
    author.opened()
    page.locator('[data-view="head"] .port').focus()
    author.tab.press(",")
    page.get_by_role("heading", name="Step Execution 1").wait_for()
    page.get_by_text("It is in review.").wait_for()
    author.tab.press(".")
    page.get_by_role("heading", name="Viewpoint Identification 1").wait_for()
    author.opened()
    assert author.item == mine

    author.home()
    assert page.locator(".kind .name").all_inner_texts() == names
    assert page.get_by_role("radio", name="Viewpoint Identification").is_checked(), "one goes on with what one made last"
    # As the list has them: to do alone.
    page.get_by_role("combobox", name="State").select_option("todo")
    page.wait_for_url("**state=todo**")
    page.locator(f'.open[data-item="{mine}"]').press("Enter")
    author.opened()
    assert page.get_by_role("button", name="Previous item").count() == 0, "nothing else is to do"

    # The browser's way back leads to the item, and a reload stays there.
    author.home()
    page.go_back()
    page.get_by_role("heading", name="Viewpoint Identification 1").wait_for()
    author.opened()
    assert author.item == mine
    page.reload()
    page.get_by_role("heading", name="Viewpoint Identification 1").wait_for()
    author.opened()
    assert author.item == mine


def test_what_is_pressed_while_an_item_gives_way_to_another_is_not_done_to_it(desk: Any) -> None:
    author = desk()
    page = author.page
    first, second = (sound(author.store, author.project, "step", me(author.store), seed).item.item_id for seed in (0, 1))
    slow(page, Pauses(stream=PAUSE_MS))
    page.reload()
    page.locator(f'.open[data-item="{first}"]').press("Enter")
    author.opened()
    page.get_by_text("All rules are kept").wait_for()
    page.locator('[data-view="head"] .port').focus()
    page.keyboard.press(".")
    page.keyboard.press("Control+Enter")  # the item that was left stands there still
    page.locator(f".st-key-author-{second} .author[data-kept=saved]").wait_for()
    author.tab.drawn()
    assert [pool.get(author.store, item).state for item in (first, second)] == ["draft", "draft"]
    page.keyboard.press("Control+Enter")
    page.locator(f".st-key-author-{second} .author").wait_for(state="detached")
    assert [pool.get(author.store, item).state for item in (first, second)] == ["draft", "in_review"]


FOCUSED = """() => {
  let e = document.activeElement; while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  const box = e.getBoundingClientRect();
  return [e.closest('.option')?.dataset.letter, e.className, box.top > 60 && box.bottom < innerHeight - 40]; }"""


def test_the_button_that_enlarges_a_view_stays_where_it_is(desk: Any) -> None:
    author = ready(desk(), "distance")
    button = author.page.locator('[data-view="head"] button.large')
    before = button.bounding_box()
    author.page.mouse.move(*author.at("head", 300, 300))
    author.page.locator('[data-view="head"] .readout').get_by_text(",").wait_for()
    assert button.bounding_box() == before


def test_what_is_left_leads_to_the_option_and_a_digit_to_the_next_one(desk: Any) -> None:
    author = desk().begin("Action Planning")
    page = author.page
    page.get_by_role("button", name="left to do").press("Enter")
    assert page.evaluate(FOCUSED) == ["A", "steps", True], "the first option, which is empty"
    author.tab.press("ArrowLeft", "ArrowUp")
    page.locator(".author[data-kept=saved]").wait_for()
    page.get_by_role("button", name="left to do").press("Enter")
    assert page.evaluate(FOCUSED) == ["B", "steps", True]
    page.get_by_label("How option A was made").focus()
    author.tab.press("1")
    assert page.evaluate(FOCUSED)[0] == "B", "also where nothing is written yet"


def test_each_picture_says_which_gripper_it_shows(desk: Any) -> None:
    author = ready(desk(), "viewpoint")
    for letter, image in author.stored().item.option_images.items():
        assert author.option(letter).locator(".plain").inner_text() == image.view.replace("-", " ")


PLACES = """() => {
  const found = {};
  const main = document.querySelector('[data-testid=stMain]');
  const look = (root, inside) => {
    const ours = inside || Boolean(root.querySelector('.author'));
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) look(e.shadowRoot, root !== document && ours);
      const fixed = e.closest('.author > .foot, [data-testid=stHeader], .strip, .moments, .itemlist, .pane');
      if (!e.matches('button, input, textarea, select, h2, [role=tab]') || !e.offsetParent || fixed || root === document || !ours) continue;
      const name = [e.closest('.option')?.dataset.letter, e.tagName, e.type, e.getAttribute('aria-label') || e.innerText].join(' ');
      found[name] ??= Math.round(e.getBoundingClientRect().top + main.scrollTop);
    }
  };
  look(document, false);
  return found; }"""


class Still:
    """Where everything that can be pressed in the editor stands, looked at again and again."""

    def __init__(self, author: Desk) -> None:
        self.author, self.moved = author, dict[str, int]()
        self.last = author.page.evaluate(PLACES)

    def look(self) -> None:
        """Once what was done is saved: notes what stands elsewhere than before."""
        self.author.page.locator(".author[data-kept=saved]").wait_for()
        self.author.page.wait_for_timeout(150)
        now = self.author.page.evaluate(PLACES)
        self.moved |= {name: now[name] - self.last[name] for name in now if abs(now[name] - self.last.get(name, now[name])) > 1}
        self.last = now


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (1440, 900)])
def test_what_is_left_to_do_comes_and_goes_and_moves_nothing(desk: Any, width: int, height: int) -> None:
    author = desk(width=width, height=height).begin("Cross-View Matching")
    page = author.page
    page.get_by_text("The question is").or_(page.get_by_text("fill this in")).first.wait_for()
    still = Still(author)
    author.drag("head", (60, 200), (140, 290))
    author.boxes("left-gripper", "2345")
    page.get_by_text("Next: yellow in right-gripper.").wait_for()
    still.look()
    what = page.get_by_label("What is in the red box")
    for words in ("cup", "", "cup"):
        what.fill(words)
        what.blur()
        still.look()
    page.get_by_label("Option B is right").check()
    still.look()
    page.get_by_label("How option A was made").focus()
    author.tab.press("2", "=")
    still.look()
    author.option("C").get_by_label("Comes close").check()
    still.look()
    page.get_by_label("Under every reading").press("Space")
    still.look()
    assert len(still.last) > 40 and still.moved == {}
    # Directions are counted while they are added.
    author.home()
    author.begin("Action Planning")
    still = Still(author)
    for letter in "AB":
        author.option(letter).locator(".steps").focus()
        author.tab.press("ArrowLeft")
        still.look()
        author.tab.press("ArrowUp")
        still.look()
    assert {name: by for name, by in still.moved.items() if "Add a direction" not in name} == {}


def unfit_way(author: Desk) -> None:
    """An option that names a box was made as the one that says that none is right: said at its row, above four others."""
    author.page.get_by_label("How option B was made").focus()
    author.tab.press("4")


def words_of(letter: str, words: str) -> Any:
    """Other words for an option."""

    def write(author: Desk) -> None:
        author.page.get_by_label(f"Text of option {letter}").fill(words)
        author.page.get_by_label(f"Text of option {letter}").blur()

    return write


HINTS = {
    "matching": [(unfit_way, "so it is not made as “None”")],
    "distance": [
        (words_of("A", "Grab the item in the blue box"), "must say which gripper grabs"),
        (words_of("C", "Grab it"), "names no colour"),
    ],
    "consistency": [
        (words_of("A", "all of them"), "Option A is no set of triplets"),
        (words_of("C", "as in A"), "Option C is no set of triplets"),
    ],
    "planning": [(words_of("A", "as in B"), "names no directions")],
}


# In a narrow window directions take lines of their own, which go with them.
@pytest.mark.parametrize(
    ("slug", "width", "height"),
    [(slug, *size) for slug in HINTS for size in ((1366, 650), (1440, 900), (900, 700)) if size[0] > 900 or slug != "planning"],
)
def test_what_is_said_of_an_option_moves_nothing(desk: Any, slug: str, width: int, height: int) -> None:
    author = ready(desk(width=width, height=height), slug)
    still = Still(author)
    for do, said in HINTS[slug]:
        do(author)
        author.page.locator(".option .todo", has_text=said).wait_for()
        still.look()
    assert len(still.last) > 30 and still.moved == {}


def test_where_one_begins_stays_where_it_is_however_many_items_one_has(desk: Any) -> None:
    author = desk(width=1366, height=650)
    page = author.page
    before = [page.get_by_role("heading", name=name).bounding_box() for name in ("Begin an item", "1. What is needed", "2. A moment")]
    for seed in range(7):
        sound(author.store, author.project, ("distance", "step")[seed % 2], me(author.store), seed)
    page.reload()
    page.get_by_text("7 draft").wait_for()
    page.locator(".itemlist .open").nth(5).wait_for()
    after = [page.get_by_role("heading", name=name).bounding_box() for name in ("Begin an item", "1. What is needed", "2. A moment")]
    assert after == before
    assert page.locator(".kind input").first.is_visible()
    page.get_by_role("link", name="Go to your items").press("Enter")
    page.wait_for_function("document.querySelector('#your-items').getBoundingClientRect().top < 200")
    assert page.get_by_role("heading", name="Your items").bounding_box()["y"] > 56, "below the page's own head"


def test_keys_are_meant_for_the_view_that_is_pointed_at_or_has_them(desk: Any) -> None:
    author = ready(desk(), "distance")
    page = author.page
    filled = page.locator(".views.one .pane.main")
    author.tool("head")
    page.mouse.move(*author.at("left-gripper", 300, 300))
    author.tab.press("f")
    filled.wait_for()
    assert filled.get_attribute("data-view") == "left-gripper"
    author.tab.press("f")
    filled.wait_for(state="detached")
    author.tab.press("+")
    assert page.locator('[data-view="left-gripper"] .percent').inner_text() != page.locator('[data-view="head"] .percent').inner_text()
    author.tab.press("0")
    # Beside the pictures, too.
    page.get_by_label("Under every reading").focus()
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
    page.locator(".held").wait_for(state="hidden")  # the small pictures are away, which lay over the large ones
    page.mouse.move(*author.at("right-gripper", 300, 300))
    author.tab.press("f")
    filled.wait_for()
    assert filled.get_attribute("data-view") == "right-gripper"
    author.tab.press("f")
    filled.wait_for(state="detached")
    # Who works by keys means the view that has them, wherever the pointer rests.
    page.mouse.move(*author.at("left-gripper", 320, 320))
    author.tool("head", "b", "ArrowLeft", "f")
    filled.wait_for()
    assert filled.get_attribute("data-view") == "head"


def test_enter_ends_a_track_and_what_is_out_of_sight_is_counted(desk: Any) -> None:
    author = desk().begin("Trajectory Selection")
    page = author.page
    author.tool("head", "t")
    for number in range(9):
        page.mouse.click(*author.at("head", 60 + 55 * number, 200 + 20 * (number % 2)))
    before = tops(author)
    author.tab.press("Enter")
    page.get_by_text("Red track drawn on head: 9 points from").wait_for()
    assert page.locator(".panel .status").bounding_box()["height"] <= 64, "a track of many points is told in few words"
    assert {name: y - before[name] for name, y in tops(author).items() if abs(y - before[name]) > 1} == {}
    wait_until(lambda: [(mark.kind, len(mark.points)) for mark in author.stored().item.marks] == [("track", 9)])
    author.home()
    author.begin("Cross-View Matching")
    author.drag("head", (60, 200), (140, 290))
    author.boxes("left-gripper", "23")
    author.tool("right-gripper", "2", "x", "x", "Control+z")
    page.get_by_text("3 marks on 3 views, 1 said to be out of sight.").wait_for()


def test_the_name_of_a_mark_is_not_below_the_name_of_the_view(desk: Any) -> None:
    author = desk().begin("Distance Judgement")
    page = author.page
    author.drag("head", (20, 20), (90, 90))
    page.locator(".tag").first.wait_for()
    page.locator(".author[data-kept=saved]").wait_for()
    # the name is drawn again with each save: where it stands is asked until it is there
    wait_until(lambda: page.locator(".tag").first.bounding_box() is not None)
    tag, caption = page.locator(".tag").first.bounding_box(), page.locator('[data-view="head"] figcaption').bounding_box()
    assert tag["y"] >= caption["y"] + caption["height"] or tag["x"] >= caption["x"] + caption["width"]


def test_tools_keep_their_width_when_there_is_more_of_them_than_room(desk: Any) -> None:
    author = desk(width=1366, height=650).begin("Cross-View Matching")
    panel = author.page.locator(".panel")
    assert panel.evaluate("e => getComputedStyle(e).scrollbarGutter") == "stable"
    before = panel.evaluate("e => e.clientWidth")
    assert (
        panel.evaluate("e => { e.append(Object.assign(document.createElement('p'), {style: 'height:900px'})); return e.clientWidth; }")
        == before
    )
    # What is said stands in sight in a low window.
    said = author.page.locator(".panel .status").bounding_box()
    assert said["y"] + 36 <= panel.bounding_box()["y"] + panel.bounding_box()["height"]
