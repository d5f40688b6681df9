"""The editor of a robot question: from the first change on nothing is called saved until the server has it, be it away or silent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.qa_desk import Desk, desks


@pytest.fixture
def author(own_server: Any, new_tab: Any, kit: Any) -> Desk:
    """An item in the editor, on a server that may be killed."""
    opened: Desk = desks(own_server, new_tab, kit)(width=1366, height=650).begin("Affordance Recognition")
    return opened


def line(author: Desk) -> Any:
    """What the editor says of all that is kept."""
    return author.page.locator(".author > .foot .saved")


def grasp(author: Desk, number: int) -> None:
    author.tool("head", "g", str(number))
    author.drag("head", (60 + 90 * number, 220), (90 + 90 * number, 330))


def test_what_is_drawn_and_typed_while_the_server_is_away_is_not_called_saved(
    trouble: None, author: Desk, own_server: Any, kit: Any
) -> None:
    page, said = author.page, line(author)
    grasp(author, 1)
    page.locator(".canvas[data-kept=saved]").wait_for()
    said.filter(has_text="Saved").wait_for()
    port = int(own_server.base.rsplit(":", 1)[1])
    own_server.process.kill()
    own_server.process.wait()
    grasp(author, 2)
    assert not said.inner_text().startswith("Saved")
    said.filter(has_text="Not saved yet").wait_for()
    grasp(author, 3)
    assert said.inner_text().startswith("Not saved yet"), "one more change is no better news"
    page.get_by_label("What is to be grasped").fill("red cup")
    author.page.get_by_role("radio", name="Left gripper").check()
    assert said.inner_text().startswith("Not saved yet")
    own_server.process, _ = kit.launch(own_server.home, port=port)
    grasp(author, 4)  # the first one after the break
    said.filter(has_text="Saved").wait_for()
    page.locator(".canvas[data-kept=saved]").wait_for()
    kit.wait_until(lambda: len(author.stored().item.marks) == 4)
    kit.wait_until(lambda: author.stored().item.slots.get("item") == "red cup")
    said.filter(has_text="Saved").wait_for()


@pytest.mark.parametrize("what", ["a mark", "a word"])
def test_a_server_that_says_nothing_is_not_called_saving_for_ever(trouble: None, author: Desk, what: str) -> None:
    page, said = author.page, line(author)
    held: list[Any] = []
    silent = [True]
    page.route("**/api/qa/**", lambda r: held.append(r) if silent[0] and r.request.method == "POST" else r.continue_())
    if what == "a mark":
        grasp(author, 1)
    else:
        page.get_by_label("What is to be grasped").fill("red cup")
    said.filter(has_text="Saving…").wait_for()
    said.filter(has_text="Not saved yet: The server does not answer.").wait_for()
    assert held
    silent[0] = False
    for route in held:
        route.continue_()
    said.filter(has_text="Saved").wait_for()
