"""The time for a task is told before, shown above the picture, and its end keeps what was chosen."""

from __future__ import annotations

from typing import Any

APART = """() => {
  const root = %s;
  const line = root.querySelector('.clock').getBoundingClientRect();
  const seen = root.querySelector('.view canvas').getBoundingClientRect();
  return line.width > 0 && (line.bottom <= seen.top || line.top >= seen.bottom || line.right <= seen.left || line.left >= seen.right);
}"""


def test_what_is_chosen_when_the_time_is_up_is_the_answer_and_the_next_task_comes(server: Any, new_tab: Any, kit: Any) -> None:
    protocol = kit.Protocol(time_limit_s=7, belief_bar=False)
    study = server.study(kit.make_task("in-time"), kit.make_task("in-time-too", text="Which box is the larger one?"), protocol=protocol)
    tab = new_tab()
    kit.enter(tab, server.link(study))
    page = tab.page
    page.get_by_text("For each task you have 7 seconds.").wait_for()
    page.get_by_role("button", name="Go on").press("Enter")
    tab.ready()
    page.get_by_role("timer").filter(has_text="left: what you have chosen then is your answer").wait_for()
    assert page.get_by_role("status").filter(has_text="Less than a minute is left for this task.").count() == 1, "it is read out"
    assert page.evaluate(APART % kit.IN_PAGE), "the picture is not covered"
    tab.press("1")
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="The time for this task is up.").wait_for()
    page.get_by_text("What you had chosen last is kept as your answer.").wait_for()
    first = server.episode()
    page.get_by_role("button", name="Next task").press("Enter")
    tab.ready()
    page.get_by_role("heading", name="The time for this task is up.").wait_for()
    assert page.get_by_text("What you had chosen last is kept as your answer.").count() == 0
    page.locator(".done button.primary").press("Enter")
    page.get_by_role("heading", name="Thank you").wait_for()
    kept = server.store.query(
        "SELECT e.episode_id, e.state, a.answer, a.confidence, a.stopped_by FROM answers a JOIN episodes e USING (episode_id) "
        "WHERE e.study_id = ? ORDER BY e.created_at",
        [study.study_id],
    )
    assert [(row["state"], row["stopped_by"]) for row in kept] == [("completed", "time_limit")] * 2
    assert kept[0]["episode_id"] == first["episode_id"] and kept[0]["answer"] is not None and kept[0]["confidence"] is not None
    assert (kept[1]["answer"], kept[1]["confidence"]) == (None, None)
