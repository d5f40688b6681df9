"""The cube tool: cells by pressing, by keys and by typing; a view that turns and shows what is where."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def tool(studio_server: Any, new_tab: Any, kit: Any) -> Callable[..., Any]:
    """A tab with the cube tool."""
    study = studio_server.study(kit.make_task("cubes"))

    def open_tool(query: str = "", **options: Any) -> Any:
        tab = new_tab(**options)
        cookie, _ = kit.access.enter(studio_server.store, kit.access.create_invite(studio_server.store, "author", study.study_id))
        tab.page.context.add_cookies([{"name": "vantage_session", "value": cookie, "url": studio_server.base}])
        tab.page.goto(f"{studio_server.base}/?item=x&cubes=1{query}")
        tab.page.locator(".cubes .cell").first.wait_for()
        return tab

    return open_tool


def known(page: Any, *expected: tuple[str, str, list[int]]) -> None:
    """Wait until the page has been told exactly these cubes."""
    wanted = [{"colour": colour, "label": label, "cell": cell} for colour, label, cell in expected]
    page.get_by_text("The page knows: " + json.dumps(wanted, separators=(",", ":")), exact=True).wait_for()


def cell(page: Any, x: int, y: int, z: int) -> Any:
    return page.get_by_role("gridcell", name=f"x {x}, y {y}, z {z}")


def middle(page: Any, selector: str) -> tuple[float, float]:
    """Centre on the screen, after what has been asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    x, y = page.evaluate(
        "(selector) => { const root = [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.cubes')).shadowRoot;"
        " const r = root.querySelector(selector).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }",
        selector,
    )
    return x, y


def test_cubes_are_placed_by_pressing_by_typing_and_by_keys(tool: Any) -> None:
    tab = tool()
    page = tab.page
    cell(page, 2, 3, 1).click()
    known(page, ("red", "", [2, 3, 1]))
    page.get_by_label("Label of the red cube").fill("Mug")
    page.get_by_label("x of the blue cube").fill("5")  # leaves the label: it counts
    page.get_by_label("y of the blue cube").fill("1")
    page.get_by_label("z of the blue cube").fill("4")
    known(page, ("red", "Mug", [2, 3, 1]), ("blue", "", [5, 1, 4]))
    page.get_by_label("x of the blue cube").fill("6")
    assert page.locator(".cubes .status").inner_text() == "Coordinates are whole numbers from 1 to 5; got 6."
    page.get_by_label("x of the blue cube").fill("2")
    page.get_by_label("y of the blue cube").fill("3")
    page.get_by_label("z of the blue cube").fill("1")
    assert page.locator(".cubes .status").inner_text() == "Cell 2, 3, 1 already holds the red cube."

    cell(page, 1, 1, 4).focus()
    tab.press("3", "ArrowRight", "ArrowUp", "PageDown", "Enter")  # green, one right, one forward, one layer down
    known(page, ("red", "Mug", [2, 3, 1]), ("green", "", [2, 2, 3]), ("blue", "", [2, 3, 4]))
    assert page.locator(".orders dd").all_inner_texts() == [
        "red 2 = green 2 = blue 2",
        "green 2 < red 3 = blue 3",
        "red 1 < green 3 < blue 4",
    ]
    tab.press("Delete")
    known(page, ("red", "Mug", [2, 3, 1]), ("blue", "", [2, 3, 4]))
    tab.press("Control+z")
    known(page, ("red", "Mug", [2, 3, 1]), ("green", "", [2, 2, 3]), ("blue", "", [2, 3, 4]))


def test_the_view_turns_by_drag_and_keys_and_shows_x_right_y_forward_z_up(tool: Any) -> None:
    tab = tool("&image=1")
    page = tab.page
    for number, (x, y, z) in enumerate([(1, 1, 1), (5, 1, 1), (1, 5, 1), (1, 1, 5)]):
        if number == 3:
            page.get_by_role("button", name="Height z = 5").click()
        cell(page, x, y, z).click()
    near, right, far, high = (
        ".space .solid[data-cube=red]",
        ".space .solid[data-cube=yellow]",
        ".space .solid[data-cube=green]",
        ".space .solid[data-cube=blue]",
    )
    start = {name: middle(page, name) for name in (near, right, far, high)}
    assert start[right][0] > start[near][0] + 50 and start[far][1] < start[near][1] - 20 and start[high][1] < start[near][1] - 100
    # The same cubes on the image, by the camera's own projection.
    photo = {name: middle(page, f".photo .solid[data-cube={name}]") for name in ("red", "yellow", "green", "blue")}
    assert (
        photo["yellow"][0] > photo["red"][0] + 50 and photo["green"][1] < photo["red"][1] - 20 and photo["blue"][1] < photo["red"][1] - 50
    )

    page.locator(".space").focus()
    tab.press(*["ArrowRight"] * 30)  # half way round
    assert middle(page, right)[0] < middle(page, near)[0] - 50 and middle(page, far)[1] > middle(page, near)[1] + 20
    assert "Turned to 208°" in page.locator(".cubes .status").inner_text()
    tab.press("Home")
    assert middle(page, right) == pytest.approx(start[right], abs=1)
    box = page.locator(".space").bounding_box()
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 112, box["y"] + 12)
    page.mouse.up()
    assert abs(middle(page, right)[0] - start[right][0]) > 20
    # A turn is no press: nothing was placed. A press on a cell of the layer is.
    page.get_by_role("button", name="From above").click()
    page.mouse.click(*middle(page, '.slot[data-cell="4,3"]'))
    known(
        page, ("red", "", [1, 1, 1]), ("yellow", "", [5, 1, 1]), ("green", "", [1, 5, 1]), ("blue", "", [1, 1, 5]), ("pink", "", [4, 3, 5])
    )


def test_without_calibration_the_author_lays_the_grid_over_the_image(tool: Any) -> None:
    tab = tool("&image=plain")
    page = tab.page
    cell(page, 1, 1, 1).click()
    cell(page, 5, 5, 1).click()
    red = middle(page, ".photo .solid[data-cube=red]")
    yellow = middle(page, ".photo .solid[data-cube=yellow]")
    assert yellow[0] > red[0] and yellow[1] < red[1]
    end = middle(page, ".grip:nth-of-type(2)")  # the right end of the x edge
    page.mouse.move(*end)
    page.mouse.down()
    page.mouse.move(end[0] + 30, end[1] + 10, steps=3)
    page.mouse.up()
    page.get_by_role("button", name="Near left low corner of the grid").focus()
    tab.press("ArrowLeft", "Shift+ArrowUp")  # takes the whole grid along
    page.get_by_text("The grid lies at").wait_for()
    page.get_by_text("Corners: [[159, 422], [").wait_for()
    # Five cells of x have grown by 30 and one pixel of the page fewer on the image: the far cube follows most.
    assert (
        middle(page, ".photo .solid[data-cube=yellow]")[0] > yellow[0] + 20 and middle(page, ".photo .solid[data-cube=red]")[0] < red[0] + 6
    )


def test_the_cube_tool_has_names_visible_focus_and_contrast(tool: Any, kit: Any) -> None:
    for scheme in ("light", "dark"):
        tab = tool(color_scheme=scheme)
        page = tab.page
        cell(page, 2, 2, 1).click()
        cell(page, 3, 3, 1).click()
        assert page.evaluate(kit.js("audit")) == []
        assert page.evaluate(kit.js("contrast")) == []
        page.locator(".space").focus()
        tab.press("Tab", "Shift+Tab")
        seen = set()
        for _ in range(60):
            inside, name, visible = page.evaluate(kit.js("focus"))
            if not inside:
                break
            seen.add(name)
            assert visible, name
            tab.press("Tab")
        assert {"x of the red cube", "Height z = 3", "Undo", "From above"} <= seen
        assert len([name for name in seen if name.startswith("x ") and "y " in name]) == 1  # one stop for the whole layer
