"""The drawing component: exact in original pixels, usable without a mouse, and no mark is ever lost."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from annotation.qa import projects
from annotation.qa.items import VIEWS, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from app.components import assets_version

TARGETS = {"cyan": (300.0, 220.0), "magenta": (350.0, 260.0)}
"""Centres of the two squares in every test image (fixtures/studio), in its pixels."""
COLOURS = {"cyan": (0, 255, 255), "magenta": (255, 0, 255)}
GREY = 128
IN_CANVAS = """
    const root = [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.canvas')).shadowRoot;
"""


class Studio:
    """The test page with one item in one tab."""

    def __init__(self, tab: Any, base: str, item: str) -> None:
        self.tab, self.page, self.base, self.item = tab, tab.page, base, item

    def ready(self) -> Studio:
        self.page.wait_for_selector(".canvas[data-ready=yes]")
        self.page.wait_for_function(f"() => {{ {IN_CANVAS} return [...root.querySelectorAll('.port img')].every((i) => i.complete); }}")
        return self

    def port(self, view: str) -> Any:
        return self.page.locator(f'[data-view="{view}"] .port')

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def on_screen(self, view: str, x: float, y: float) -> tuple[float, float]:
        """Where an image pixel is, by the image's own box."""
        box = self.page.locator(f'[data-view="{view}"] .port img').bounding_box()
        width, height = (int(n) for n in self.page.locator(f'[data-view="{view}"] .vsize').inner_text().split(" × "))
        return box["x"] + x * box["width"] / width, box["y"] + y * box["height"] / height

    def drag(self, view: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.stroke(self.on_screen(view, *start), self.on_screen(view, *end))

    def stroke(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end)
        mouse.up()

    def click(self, view: str, *points: tuple[float, float]) -> None:
        for point in points:
            self.page.mouse.click(*self.on_screen(view, *point))

    def saved(self) -> list[dict[str, Any]]:
        """The marks on the server, once the page says that they are there."""
        self.page.wait_for_selector(".canvas[data-kept=saved]")
        return self.marks()

    def marks(self) -> list[dict[str, Any]]:
        reply = self.page.context.request.get(f"{self.base}/api/qa/marks/{self.item}")
        assert reply.status == 200, reply.text()
        found: list[dict[str, Any]] = reply.json()["marks"]
        return found

    def post(self, body: Any, origin: str | None = None) -> Any:
        headers = {"content-type": "application/json", "origin": origin or self.base}
        return self.page.context.request.post(f"{self.base}/api/qa/marks/{self.item}", data=json.dumps(body), headers=headers)

    def shown(self) -> int:
        """Marks drawn, once what has changed has been painted."""
        painted = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
        found: int = self.page.evaluate(f"async () => {{ {painted} {IN_CANVAS} return root.querySelectorAll('.mark').length; }}")
        return found

    def status(self) -> str:
        found: str = self.page.locator(".canvas .status").inner_text()
        return found

    def squares(self, view: str) -> dict[str, tuple[float, float]]:
        """Where the two squares are on the screen, found in a picture of it."""
        picture = np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")).astype(float)
        ratio = picture.shape[1] / self.page.viewport_size["width"]
        box = self.port(view).bounding_box()
        left, top = round((box["x"] + 3) * ratio), round((box["y"] + 3) * ratio)
        part = picture[top : round((box["y"] + box["height"] - 3) * ratio), left : round((box["x"] + box["width"] - 3) * ratio)]
        found = {}
        for name, colour in COLOURS.items():
            away = np.asarray(colour, float) - GREY
            weight = np.clip(((part - GREY) @ away) / (away @ away), 0, 1)
            rows, columns = np.mgrid[0 : weight.shape[0], 0 : weight.shape[1]] + 0.5
            sure = weight > 0.5
            near = np.maximum(abs(columns - columns[sure].mean()), abs(rows - rows[sure].mean())) < np.sqrt(sure.sum()) * 1.2
            weight *= near
            found[name] = ((left + (columns * weight).sum() / weight.sum()) / ratio, (top + (rows * weight).sum() / weight.sum()) / ratio)
        return found


def close(found: Any, wanted: Any, tolerance: float = 0.5) -> bool:
    """Whether points lie within `tolerance` pixels of others."""
    return np.shape(found) == np.shape(wanted) and bool(np.allclose(found, wanted, rtol=0, atol=tolerance))


def points(mark: dict[str, Any]) -> list[tuple[float, ...]]:
    return [tuple(point) for point in mark["points"]]


@pytest.fixture
def study(studio_server: Any, kit: Any) -> Any:
    return studio_server.study(kit.make_task("canvas"))


@pytest.fixture
def sign_in(studio_server: Any, study: Any, kit: Any) -> Callable[[Any, str], None]:
    """Give a tab's browser a role in the study."""

    def give(tab: Any, role: str) -> None:
        cookie, _ = kit.access.enter(studio_server.store, kit.access.create_invite(studio_server.store, role, study.study_id))
        tab.page.context.add_cookies([{"name": "vantage_session", "value": cookie, "url": studio_server.base}])

    return give


@pytest.fixture
def studio(studio_server: Any, study: Any, sign_in: Any, new_tab: Any) -> Callable[..., Studio]:
    """Open an item as an author (`like`: the same item and person in another tab)."""

    def open_item(name: str = "item", *, like: Studio | None = None, query: str = "", **options: Any) -> Studio:
        tab = new_tab(like=like.tab if like else None, **options)
        if like is None:
            sign_in(tab, "author")
        item = f"{study.study_id}.{name}"
        tab.page.goto(f"{studio_server.base}/?item={item}{query}")
        return Studio(tab, studio_server.base, item).ready()

    return open_item


@pytest.mark.parametrize("ratio", [1, 1.25, 2])
def test_strokes_are_exact_in_original_pixels_at_every_zoom_and_pixel_ratio(studio: Any, ratio: float) -> None:
    page = studio(device_scale_factor=ratio)
    worst = 0.0
    for zoom, kind, view in ((0, "b", "head"), (2, "g", "right-gripper"), (4, "b", "head")):
        page.port(view).focus()
        page.press("0", *["+"] * zoom, kind)
        page.page.mouse.move(5, 5)
        at = page.squares(view)
        page.stroke(at["cyan"], at["magenta"])
        mark = page.saved()[-1]
        for point, (name, truth) in zip(points(mark), TARGETS.items(), strict=True):
            error = max(abs(a - b) for a, b in zip(point, truth, strict=True))
            assert error <= 0.5, f"{name} at ratio {ratio}, zoom {zoom}: {point} is not {truth}"
            worst = max(worst, error)
        # What is drawn lies where the squares are.
        drawn = page.page.evaluate(
            f"() => {{ {IN_CANVAS} const r = root.querySelector('.mark.selected .ink').getBoundingClientRect();"
            " return [[r.left, r.top], [r.right, r.bottom]]; }"
        )
        for corner, name in zip(drawn, TARGETS, strict=True):
            assert max(abs(a - b) for a, b in zip(corner, at[name], strict=True)) < 2.5, (drawn, at)
        page.press("v", "Delete")
    print(f"worst error at ratio {ratio}: {worst:.3f} px")


def test_everything_can_be_drawn_and_edited_by_keyboard(studio: Any) -> None:
    page = studio()
    while not page.port("head").evaluate("e => e.getRootNode().activeElement === e"):
        page.press("Tab")
    page.press("b", "2", "ArrowRight", "Enter", *["Shift+ArrowRight"] * 4, *["ArrowDown"] * 5, "Enter")
    page.press("t", "4", "Enter", *["Shift+ArrowDown"] * 2, "Enter", *["Shift+ArrowLeft"] * 3, "Enter", "Enter")
    page.press("g", "3", "Enter", *["Shift+ArrowUp"] * 2, "Enter")
    yellow, blue, green = page.saved()
    assert [(m["kind"], m["colour"], m["view"]) for m in (yellow, blue, green)] == [
        ("box", "yellow", "head"),
        ("track", "blue", "head"),
        ("grasp", "green", "head"),
    ]
    (x0, y0), (x1, y1) = points(yellow)
    assert (x1 - x0, y1 - y0) == (40, 5)
    a, b, c = points(blue)
    assert (b[0] - a[0], b[1] - a[1], c[0] - b[0], c[1] - b[1]) == (0, 20, -30, 0)

    page.press("v", "Escape", "n", "Shift+ArrowLeft", "ArrowUp")  # the first mark: the box
    page.press("n", "e", "n", "ArrowRight", "i", "ArrowDown", "Escape", "6")  # the track: second point, one more after it
    page.press("n", "Delete", "Control+z")
    page.press("p", "k")
    assert "Tab" in page.status()
    page.press("Enter")
    box, track, grasp, copied = page.saved()
    assert points(box) == [(x0 - 10, y0 - 1), (x1 - 10, y1 - 1)]
    middle = ((b[0] + 1 + c[0]) / 2, b[1] + 1)
    assert points(track) == [a, (b[0] + 1, b[1]), middle, c] and track["colour"] == "purple"
    assert grasp == green
    assert copied == track | {"id": copied["id"], "view": "left-gripper"} and copied["id"] != track["id"]

    page.press("e", "n", "Delete")  # a point of the copy
    assert len(points(page.saved()[-1])) == 3
    page.press("Escape", "Backspace", "Control+z", "Control+z", "Control+Shift+Z", "Control+y")
    assert page.saved() == [box, track, grasp]
    page.press("Control+z")
    page.press("b", "Enter", "ArrowRight", "Escape")
    assert "dropped" in page.status() and len(page.saved()) == 4
    page.page.get_by_role("button", name="Keys").press("Enter")
    assert "undo, redo" in page.page.get_by_role("dialog", name="Keys").inner_text()
    page.press("Enter")


def test_marks_are_moved_resized_snapped_and_given_points_with_the_mouse(studio: Any) -> None:
    page = studio()
    page.port("head").focus()
    page.press("b")
    page.drag("head", (100, 100), (200, 180))
    page.press("t", "5")
    page.click("head", (300, 300), (400, 300), (400, 400), (400, 400))
    page.press("v")
    page.drag("head", (150, 140), (180, 170))  # by its inside
    page.drag("head", (230, 210), (260, 250))  # bottom right corner
    page.drag("head", (130, 180), (90, 185))  # left side
    box, track = page.saved()
    assert close(points(box), [(90, 130), (260, 250)], 0.5) and track["colour"] == "pink"
    page.drag("head", (200, 200), (105, 67))  # nearly to the top left corner: the edges pull
    box = page.saved()[0]
    assert points(box)[0] == (0, 0) and points(box)[1] == pytest.approx((170, 120), abs=0.5)
    page.drag("head", (170, 120), (900, 900))  # a corner cannot leave the image
    assert points(page.saved()[0]) == [(0, 0), (640, 480)]
    page.press("Control+z")
    page.page.mouse.dblclick(*page.on_screen("head", 350, 301))
    page.drag("head", (350, 301), (350, 350))
    track = page.saved()[1]
    assert close(points(track), [(300, 300), (350, 350), (400, 300), (400, 400)], 0.8)
    page.page.get_by_role("button", name="Delete", exact=True).click()  # the chosen point, then the whole track
    assert len(points(page.saved()[1])) == 3
    page.press("Escape", "Escape", "s", "n", "n", "Delete")
    assert "off" not in page.status() and [m["kind"] for m in page.saved()] == ["box"]
    page.press("b")
    page.drag("head", (300, 3), (400, 100))  # snapping is off now
    assert points(page.saved()[1])[0][1] == pytest.approx(3, abs=0.5)
    page.page.mouse.click(*page.on_screen("head", 500, 300))
    page.press("v", "Escape")
    assert len(page.saved()) == 2  # a half-drawn box is no mark


def test_fifty_undos_and_redos_a_reload_a_rerun_and_other_images_lose_nothing(studio: Any) -> None:
    page = studio()
    page.port("head").focus()
    states = [[]]  # type: ignore[var-annotated]
    for number in range(6):
        page.press("btg"[number % 3], str(number + 1))
        if number % 3 == 1:
            page.click("right-gripper", (60 + 50 * number, 60), (90 + 50 * number, 160), (90 + 50 * number, 160))
        else:
            page.drag("head", (40 + 80 * number, 60), (90 + 80 * number, 140))
        states.append(page.saved())
    for turn in range(50):
        page.press("Control+z", "Control+z", "Control+y", "Control+y")
        if turn == 20:
            assert page.saved() == states[6]
            page.press(*["Control+z"] * 3)
            page.page.reload()  # with three steps taken back, and before anything had time to be saved
            page.ready()
            assert page.shown() == 3 and page.saved() == states[3]
            page.port("head").focus()
            page.press(*["Control+y"] * 3)
        if turn == 30:
            image = page.page.locator("[data-view=head] .port img")
            before = image.get_attribute("src")
            page.page.get_by_role("button", name="Other images").click()
            page.page.wait_for_function(
                f"(old) => {{ {IN_CANVAS} return root.querySelector('[data-view=head] img').src !== old; }}", arg=before
            )
            assert page.shown() == 6
            page.port("head").focus()
        if turn == 40:
            page.page.get_by_role("button", name="Run again").click()
            page.port("head").focus()
    assert page.saved() == states[6]
    for state in reversed(states[:6]):
        page.press("Control+z")
        assert page.saved() == state
    page.press("Control+z")
    assert page.status() == "Nothing to undo."
    page.press(*["Control+y"] * 6)
    assert page.saved() == states[6]


def test_a_half_drawn_track_is_there_after_a_reload(studio: Any) -> None:
    page = studio()
    page.port("head").focus()
    page.press("t")
    page.click("head", (100, 100), (200, 100), (200, 200))
    page.page.reload()
    page.ready()
    assert page.status().startswith("Your half-drawn track is still here")
    page.click("head", (300, 200))
    page.page.get_by_role("button", name="Finish the track").click()
    assert close(points(page.saved()[0]), [(100, 100), (200, 100), (200, 200), (300, 200)], 0.5)


def test_without_a_network_marks_wait_in_the_browser_and_go_when_it_is_back(studio: Any, trouble: None) -> None:
    page = studio()
    page.port("head").focus()
    broken = {"yes": True}
    page.page.route(
        "**/api/qa/marks/*", lambda route: route.abort() if broken["yes"] and route.request.method == "POST" else route.continue_()
    )
    page.press("b")
    page.drag("head", (100, 100), (200, 200))
    page.drag("head", (300, 100), (400, 200))
    page.page.get_by_text("Not saved yet: Connection lost.").wait_for()
    assert page.marks() == []
    page.page.reload()
    page.ready()
    assert page.shown() == 2 and page.marks() == []
    broken["yes"] = False
    assert [m["kind"] for m in page.saved()] == ["box", "box"]
    said = page.page.locator(".canvas .saved").inner_text()
    assert len(said.split(":")) == 3 and said.startswith("saved ")

    # A save that arrived, but whose reply did not, is no conflict.
    page.page.unroute_all(behavior="ignoreErrors")
    lost: list[int] = []
    broken["yes"] = True

    def lose_first(route: Any) -> None:
        if route.request.method != "POST" or not broken["yes"]:
            route.continue_()
            return
        if not lost:
            lost.append(route.fetch().status)
        route.abort()

    page.page.route("**/api/qa/marks/*", lose_first)
    page.port("head").focus()
    page.press("b")
    page.drag("head", (100, 300), (200, 400))
    page.page.get_by_text("Not saved yet").wait_for()
    page.drag("head", (300, 300), (400, 400))
    broken["yes"] = False
    assert len(page.saved()) == 4 and lost == [200]
    assert page.page.locator(".clash").is_hidden()


def test_marks_of_two_tabs_are_merged_one_by_one(studio: Any, trouble: None) -> None:
    one = studio()
    two = studio(like=one)
    for page in (one, two):
        page.port("head").focus()
        page.press("b")
    one.drag("head", (100, 100), (200, 200))
    first = one.saved()
    two.drag("head", (300, 100), (400, 200))
    both = two.saved()
    assert len(both) == 2 and first[0] in both and two.shown() == 2
    assert two.page.locator(".clash").is_hidden()
    # The other tab deletes its own mark, whether or not it has heard of the second one.
    one.port("head").focus()
    one.press("v", "n")
    # the list follows at once; the picture is drawn with the next frame, and may still show the mark that was chosen before
    while one.page.locator('.markrow[aria-pressed="true"]').get_attribute("data-id") != first[0]["id"]:
        one.press("n")
    one.press("Delete")
    assert one.saved() == [mark for mark in both if mark != first[0]]
    assert one.shown() == 1
    # A mark is moved in one tab while the other adds one: no question either.
    kept = one.marks()
    two.page.reload()
    two.ready()
    one.port("head").focus()
    one.press("b")
    one.drag("head", (450, 300), (550, 400))
    added = next(mark for mark in one.saved() if mark not in kept)
    two.port("head").focus()
    two.press("v", "n", "ArrowRight")
    merged = two.saved()
    assert len(merged) == 2 and added in merged and kept[0] not in merged
    assert {mark["id"] for mark in merged} == {kept[0]["id"], added["id"]}
    assert two.page.locator(".clash").is_hidden()


def test_one_mark_changed_by_two_is_asked_about_and_a_settled_question_is_gone(studio: Any, trouble: None) -> None:
    one = studio()
    one.port("head").focus()
    one.press("b")
    one.drag("head", (100, 100), (200, 200))
    drawn = one.saved()
    two = studio(like=one)
    two.port("head").focus()
    for page, arrow in ((one, "ArrowRight"), (two, "ArrowLeft")):
        page.port("head").focus()
        page.press("v", "n", arrow)
        if page is one:
            theirs = one.saved()
    assert theirs != drawn
    two.page.get_by_text("These marks were changed elsewhere in the meantime").wait_for()
    assert one.marks() == theirs, "nobody's marks were replaced"
    assert two.page.locator(".theirs").count() == 1
    two.press("b")
    two.drag("head", (300, 300), (400, 400))
    two.page.reload()
    two.ready()
    assert two.shown() == 2 and two.page.locator(".theirs").count() == 1
    two.page.get_by_role("button", name="Keep mine").click()
    mine = two.saved()
    assert len(mine) == 2 and theirs[0] not in mine
    assert two.page.locator(".clash").is_hidden() and two.page.locator(".theirs").count() == 0
    # What is drawn afterwards is kept, and the settled question's buttons are not there to undo it.
    two.port("head").focus()
    two.press("b")
    two.drag("head", (300, 100), (400, 200))
    assert len(two.saved()) == 3
    two.page.locator(".clash button").first.evaluate("(button) => button.click()")
    assert len(two.saved()) == 3 and two.shown() == 3
    # The first tab moves the mark again from where it saw it, and takes the other's.
    one.port("head").focus()
    one.press("v", "n", "ArrowDown")
    one.page.get_by_role("button", name="Take theirs").click()
    assert one.saved() == two.marks()
    one.press("Control+z")
    assert len(one.saved()) == 1, "undo brings back what was here"


def test_help_is_dashed_takes_no_pointer_and_is_never_saved(studio: Any) -> None:
    page = studio(query="&help=1")
    page.port("left-gripper").focus()
    page.press("b", "1")
    page.drag("left-gripper", (100, 100), (200, 200))
    # until the mark is chosen, the help is that of where one points
    page.page.locator("[data-view=left-gripper] .mark.selected").wait_for(state="attached")
    lines = page.page.locator("[data-view=head] .help polyline.ink")
    ends = [tuple(float(n) for n in pair.split(",")) for pair in lines.get_attribute("points").split()]
    assert close(sorted(ends), [(0, 150), (640, 150)])  # the box's centre, seen from beside
    dashes = page.page.evaluate(
        f"() => {{ {IN_CANVAS} return ['.help .ink', '.mark .ink'].map((s) => getComputedStyle(root.querySelector(s)).strokeDasharray); }}"
    )
    assert dashes[0] != "none" and dashes[1] == "none"
    page.press("v")
    page.click("head", (435, 300))  # on the help's own box
    assert page.status() != "" and page.page.locator("[data-view=head] .mark.selected").count() == 0
    page.press("b")
    page.drag("head", (436, 241), (549, 411))  # drawn right over the help
    left, right = page.saved()
    assert close(points(right), [(436, 241), (549, 411)], 0.5) and left["view"] == "left-gripper"
    page.press("l", "o")
    page.page.wait_for_function(f"() => {{ {IN_CANVAS} return root.querySelectorAll('.help').length === 0; }}")
    assert len(page.saved()) == 2


def test_zoom_and_pan_by_wheel_hand_and_keys_and_enlarging_keep_marks_in_place(studio: Any) -> None:
    page = studio()
    page.port("head").focus()
    page.press("g")
    page.drag("head", (200, 200), (260, 240))
    before = page.saved()
    spot = page.on_screen("head", 230, 220)
    page.page.mouse.move(*spot)
    page.page.keyboard.down("Control")
    page.page.mouse.wheel(0, -400)
    page.page.keyboard.up("Control")
    page.page.wait_for_function(f"() => {{ {IN_CANVAS} return root.querySelector('[data-view=head] .percent').textContent > '100'; }}")
    assert page.on_screen("head", 230, 220) == pytest.approx(spot, abs=1)  # the pixel under the pointer stays there
    page.press("h")
    page.stroke(spot, (spot[0] + 40, spot[1] + 20))
    assert page.on_screen("head", 230, 220) == pytest.approx((spot[0] + 40, spot[1] + 20), abs=1)
    page.press("ArrowRight", "f")
    assert page.page.locator("[data-view=head]").evaluate("e => e.classList.contains('main')")
    page.press("0", "v", "Escape")
    page.page.wait_for_timeout(100)
    page.drag("head", (230, 220), (240, 230))
    assert close(points(page.saved()[0]), [(x + 10, y + 10) for x, y in points(before[0])], 0.5)


def test_names_focus_and_contrast_are_there_in_light_and_dark(studio: Any, kit: Any) -> None:
    for scheme in ("light", "dark"):
        page = studio(scheme, color_scheme=scheme, query="&help=1")
        page.port("head").focus()
        page.press("b", "1")
        page.drag("head", (100, 100), (200, 200))
        page.saved()
        page.press("v", "n")
        assert page.page.evaluate(kit.js("audit")) == []
        assert page.page.evaluate(kit.js("contrast")) == []
        page.page.get_by_role("button", name="Select").focus()
        seen = set()
        for _ in range(60):
            page.press("Tab")
            inside, name, visible = page.page.evaluate(kit.js("focus"))
            if not inside:
                break
            seen.add(name)
            assert visible, name
        assert {"head, 1 mark", "Undo", "Red 1", "Enlarge head"} <= seen and len(seen) > 20
        assert page.page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_someone_who_only_looks_cannot_draw_and_asks_nothing(studio: Any) -> None:
    author = studio()
    author.port("head").focus()
    author.press("b")
    author.drag("head", (100, 100), (200, 200))
    marks = author.saved()
    asked: list[str] = []
    author.page.on("request", lambda request: asked.append(request.url) if "/api/qa/" in request.url else None)
    author.page.goto(author.page.url + "&readonly=1")
    author.ready()
    author.port("head").focus()
    author.press("v", "b", "1")
    author.drag("head", (300, 100), (400, 200))
    author.press("v", "n", "Delete", "Control+z")
    assert author.shown() == 1 and asked == [] and author.marks() == marks
    assert author.page.get_by_role("button", name="Box", exact=True).count() == 0


def test_only_authors_of_the_study_save_and_only_from_our_own_pages(studio: Any, sign_in: Any, new_tab: Any) -> None:
    author = studio()
    mark = {"id": "m_1", "view": "head", "kind": "box", "colour": "red", "points": [[1, 2], [3, 4.5]]}
    assert author.post({"rev": 0, "marks": [mark]}).json()["rev"] == 1
    assert author.post({"rev": 0, "marks": [mark]}).json()["rev"] == 1  # the same again
    clash = author.post({"rev": 0, "marks": []})
    assert clash.status == 409 and clash.json()["error"] == "marks_changed"
    assert (clash.json()["rev"], clash.json()["marks"]) == (1, [mark])
    assert author.post({"rev": 1, "marks": []}, origin="http://elsewhere.example").status == 403
    for shape in (
        mark | {"colour": "mauve"},
        mark | {"points": [[1, 2, 3], [4, 5, 6]]},
        mark | {"gold": "A"},
        mark | {"id": ""},
        {"id": "m_2"},
    ):
        reply = author.post({"rev": 1, "marks": [shape]})
        assert reply.status == 400 and "marks.0" in reply.json()["message"]
    assert author.post({"rev": 1, "marks": [mark | {"id": f"m_{n}"} for n in range(201)]}).status == 422
    assert author.marks() == [mark]

    for role, read in (("reviewer", 403), ("participant", 403), (None, 403)):
        other = Studio(new_tab(), author.base, author.item)
        if role:
            sign_in(other.tab, role)
        assert other.page.context.request.get(f"{other.base}/api/qa/marks/{other.item}").status == read
        assert other.post({"rev": 1, "marks": []}).status == 403
    assert author.marks() == [mark]


def test_the_pools_items_keep_what_the_canvas_saves(server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("pool"))
    project = projects.create_project(server.store, "Pool", study_id=study.study_id)
    views = tuple(ViewImage(view=view, image=str(number) * 64, width=640, height=480) for number, view in enumerate(VIEWS["dual"]))
    sample = SUBTASKS["distance"].sample(random.Random(1), Scenery("agibot", "dual", "episode", "moment", views, ()))
    item = pool.create_item(server.store, project.project_id, sample.change(marks=()), "ann").item.item_id
    tab = new_tab()
    cookie, _ = kit.access.enter(server.store, kit.access.create_invite(server.store, "author", study.study_id))
    tab.page.context.add_cookies([{"name": "vantage_session", "value": cookie, "url": server.base}])
    author = Studio(tab, server.base, item)
    mark = {"id": "m_1", "view": "head", "kind": "box", "colour": "red", "points": [[10, 20], [30, 40.25]]}
    assert author.marks() == []
    for _ in range(2):  # the second is the repeat of a save whose reply got lost
        assert author.post({"rev": 0, "marks": [mark]}).json()["rev"] == 1
    clash = author.post({"rev": 0, "marks": []})
    assert clash.status == 409 and (clash.json()["rev"], clash.json()["marks"]) == (1, [mark])
    assert author.marks() == [mark] and pool.get(server.store, item).item.marks[0].points == ((10, 20), (30, 40.25))
    assert Studio(tab, server.base, "qa_nobody").post({"rev": 0, "marks": []}).status == 403


def test_words_of_help_never_cover_each_other_and_what_a_line_says_is_written_once(studio_server: Any, new_tab: Any) -> None:
    page = new_tab().page
    page.goto(f"{studio_server.base}/sign-in")
    script = """async ([base, boxes, taken]) => {
      const { helpLabels } = await import(`${base}helplabels.js`);
      const { suggestions } = await import(`${base}helplines.js`);
      const view = { name: 'a', width: 640, height: 480 };
      const found = helpLabels({ boxes, lines: [] }, view, taken, (units) => units);
      const pairs = ['b', 'c', 'd'].map((to) => ({ from: 'a', to, matrix: [0, 0, 0, 0, 0, -1, 0, 1, 0] }));
      const views = ['a', 'b', 'c', 'd'].map((name) => ({ ...view, name }));
      const shown = (more) => [...suggestions({ pairs }, views, [['a', [10, 20]]], { lines: true, outlines: true, names: true, ...more }).values()].flatMap(({ lines }) => lines);
      return { found, said: shown({}).map(({ label }) => label), unnamed: shown({ names: false }).map(({ label }) => label), off: shown({ lines: false }).length };
    }"""  # noqa: E501
    things = (("yellow rubber duck", 200, 200), ("yellow tin of corn", 206, 204), ("plate", 560, 430), ("red bottle", 212, 190))
    boxes = [{"label": name, "points": [[x, y], [x + 70, y + 50]]} for name, x, y in things]
    told = page.evaluate(script, [f"{studio_server.base}/assets/{assets_version()}/", boxes, [[200, 250, 280, 268]]])
    assert [label["text"] for label in told["found"]] == [box["label"] for box in boxes]
    rows = [(label["x"], label["y"], label["x"] + 5 * len(label["text"])) for label in told["found"]]
    for number, (x, y, end) in enumerate(rows):
        assert x >= 0 and end <= 640 and 11 <= y <= 480
        assert not [one for one in rows[:number] if abs(one[1] - y) < 11 and min(one[2], end) > max(one[0], x)]
        assert not (abs(y - 259) < 9 and x < 280 and end > 200), "nor the name of a mark"
    assert [bool(label) for label in told["said"]] == [True, False, False]
    assert told["unnamed"] == ["", "", ""] and told["off"] == 0
