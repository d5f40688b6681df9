"""A request that the network swallows counts as a lost connection after a while: its page sends it again, and what had arrived all the same
is done once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from study.forms.form import Form, Item
from study.studies import create_study
from tests.browser.qa_desk import desks
from tests.browser.test_qa_review import question, reviewing, right_is, robot  # noqa: F401
from tests.browser.test_verifying import come_in, open_room

ARRIVES = pytest.mark.parametrize("arrives", [True, False], ids=["it arrives", "it does not arrive"])


class Network:
    """Swallows the next request to an address, or its reply; what is sent after it gets through."""

    def __init__(self, page: Any, address: str, *, arrives: bool) -> None:
        self.page, self.arrives, self.sent = page, arrives, 0
        page.clock.install()
        page.route(address, self._take)

    def _take(self, route: Any) -> None:
        self.sent += 1
        if self.sent > 1:
            route.continue_()
        elif self.arrives:
            route.fetch()

    def swallowed(self) -> None:
        """Wait until the first one is on its way, then so long that nobody would wait for it any more."""
        for _ in range(200):
            if self.sent:
                break
            self.page.wait_for_timeout(50)
        self.page.wait_for_timeout(300)
        assert self.sent == 1
        self.page.clock.fast_forward(25_000)
        self.page.wait_for_timeout(600)  # the pause before it is sent again
        assert self.sent > 1, "it is not waited for for ever"


@ARRIVES
def test_a_step_is_done_once_and_the_presses_go_on(
    trouble: None, server: Any, playing: Callable[..., Any], kit: Any, arrives: bool
) -> None:
    tab = playing(kit.make_task(f"hangs-{arrives:d}"))
    network = Network(tab.page, "**/api/act", arrives=arrives)
    tab.press("w")
    network.swallowed()
    if arrives:
        tab.at(1)
        assert tab.page.locator(".missed").is_hidden()
    else:
        tab.page.locator(".missed", has_text="not").wait_for()
    tab.page.locator(".notice").wait_for(state="hidden")
    tab.press("a")
    tab.at(2 if arrives else 1)
    done = [step["action"] for step in server.steps(server.episode()["episode_id"])][1:]
    assert done == (["move_forward", "move_left"] if arrives else ["move_left"])


def test_an_answer_is_given_once(trouble: None, server: Any, playing: Callable[..., Any], kit: Any) -> None:
    tab = playing(kit.make_task("answer-hangs"))
    page = tab.page
    network = Network(page, "**/api/answer", arrives=True)
    page.get_by_text("the blue one", exact=True).last.click()
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_role("button", name="Submit").click()
    network.swallowed()
    page.get_by_text("Your answer is saved.").wait_for()
    assert len(server.store.query("SELECT * FROM answers WHERE episode_id = ?", [server.episode()["episode_id"]])) == 1


def test_a_questionnaire_is_sent_once(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("form-hangs")
    server.store.put_task(task)
    quiz = Form(name="quiz", when="before", title="Quiz", items=(Item(name="free", text="Which?", kind="text"),))
    study = create_study(server.store, "Hangs", state="live", tasks=(task.content_hash,), trials=1, forms=(quiz,))
    tab = new_tab()
    page = tab.page
    kit.enter(tab, server.link(study))
    page.wait_for_selector(".form[data-state=ready]")
    page.get_by_role("textbox").fill("a cup")
    page.locator(".form .saved", has_text="Saved").wait_for()
    network = Network(page, "**/api/form/send", arrives=True)
    page.get_by_role("button", name="Continue").click()
    network.swallowed()
    page.locator(".form").wait_for(state="detached")
    (sent,) = server.store.query(
        "SELECT sent_at FROM form_showings JOIN participants USING (participant_id) WHERE study_id = ?", [study.study_id]
    )
    assert sent["sent_at"]


def test_a_verdict_is_stored_once_and_the_next_task_comes(trouble: None, server: Any, new_tab: Any) -> None:
    room = open_room(server, range(30, 32), "Hangs")
    verifier = come_in(room, new_tab(width=1440, height=900))
    verifier.look("x")
    number = verifier.question()
    network = Network(verifier.page, "**/api/verify/judge", arrives=True)
    verifier.press("y", "y", "y", "Enter")
    verifier.page.locator(".verify .status", has_text="Saving…").wait_for()
    network.swallowed()
    verifier.stage("look")
    assert verifier.question() != number
    assert verifier.page.locator(".verify .problem").inner_text() == ""
    scope = room.verification.verification_id
    decided = server.store.query("SELECT * FROM reviews WHERE scope = ? AND decided_at IS NOT NULL", [scope])
    assert len(decided) == 1


def test_a_review_of_a_robot_question_is_stored_once(trouble: None, robot: Any, reviewing: Any) -> None:  # noqa: F811
    here = robot()
    item = here.submit(right_is(here.item("trajectory"), "B"))
    tab = reviewing(here)
    question(tab)
    network = Network(tab.page, "**/api/qa/review/*/answer", arrives=True)
    tab.press("b", "Enter")
    tab.page.locator(".judge .status", has_text="Saving…").wait_for()
    network.swallowed()
    tab.page.wait_for_selector(".judge .outcome")
    (review,) = here.reviews(item)
    assert (review.state, review.answer) == ("answered", "B")


def test_what_an_author_types_is_saved(trouble: None, own_server: Any, new_tab: Any, kit: Any) -> None:
    author = desks(own_server, new_tab, kit)(width=1366, height=650).begin("Affordance Recognition")
    page = author.page
    network = Network(page, "**/api/qa/item/*", arrives=False)
    page.get_by_label("What is to be grasped").fill("red cup")
    network.swallowed()
    page.locator(".author > .foot .saved", has_text=re.compile("^Saved")).wait_for()
    kit.wait_until(lambda: author.stored().item.slots.get("item") == "red cup")
