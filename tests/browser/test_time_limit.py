"""The time for a task, and for a session, is told before, shown above the picture, and its end keeps what was chosen and answered."""

from __future__ import annotations

from typing import Any

from study.returning import Return, Returns
from study.studies import create_study

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


def test_a_session_whose_time_is_up_keeps_what_was_answered_and_leads_to_the_next_and_to_the_code(
    server: Any, new_tab: Any, kit: Any
) -> None:
    tasks = [kit.make_task(f"in-session-{n}", text=f"Which box is larger, once more ({n})?") for n in range(4)]
    for task in tasks:
        server.store.put_task(task)
    study = create_study(
        server.store,
        "Short sessions",
        state="live",
        tasks=tuple(task.content_hash for task in tasks),
        per_task=2,
        trials=2,
        sessions=2,
        min_categories=1,
        session_minutes=0.3,
        protocol=kit.Protocol(confidence_required=False),
        returns=Returns(done=Return(code="DONE88")),
    )
    tab = new_tab()
    kit.enter(tab, server.link(study))
    page = tab.page
    page.get_by_text("A session takes at most 18 seconds at the tasks.").wait_for()
    page.get_by_role("button", name="Go on").press("Enter")
    tab.ready()
    page.get_by_role("timer").filter(has_text="left of this session: what you answered is kept").wait_for()
    assert page.evaluate(APART % kit.IN_PAGE), "the picture is not covered"
    tab.press("1")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_role("button", name="Submit").press("Enter")
    page.get_by_text("Your answer is saved.").wait_for()
    page.get_by_role("button", name="Next task").press("Enter")
    tab.ready()
    tab.press("ArrowLeft", "1")
    page.get_by_role("heading", name="The time of this session is up.").wait_for()
    page.get_by_text("This task was not ended and does not count against you.").wait_for()
    assert page.get_by_role("button", name="Give final answer").count() == 0, "nothing more can be given"
    page.locator(".done button.primary").press("Enter")
    between = page.get_by_role("heading", name="Session 1 of 2 is done")
    between.wait_for()
    page.get_by_text("The time of this session is up, so the session is over.").wait_for()
    page.reload()
    between.wait_for()
    held = "SELECT s.slot_id FROM slots s WHERE s.study_id = ? AND (s.state = 'held' OR s.claimed_by IS NOT NULL)"
    assert server.store.query(held, [study.study_id]) == [], "what was open or reserved is free for others"
    page.get_by_role("button", name="Begin the next session").press("Enter")
    tab.ready()
    page.get_by_role("heading", name="The time of this session is up.").wait_for()
    page.locator(".done button.primary").press("Enter")
    page.get_by_role("heading", name="Thank you").wait_for()
    page.get_by_text("All that you answered is kept and counts.").wait_for()
    page.get_by_text("DONE88").wait_for()
    kept = server.store.query(
        "SELECT e.state, a.stopped_by, e.last_seq FROM episodes e LEFT JOIN answers a USING (episode_id) WHERE e.study_id = ? "
        "ORDER BY e.created_at",
        [study.study_id],
    )
    assert [(row["state"], row["stopped_by"]) for row in kept] == [("completed", "answer"), ("timed_out", None), ("timed_out", None)]
    assert kept[1]["last_seq"] == 1, "what was done in the open task is kept"
    cuts = server.store.query("SELECT data FROM events WHERE kind = 'session_time_up' AND study_id = ? ORDER BY seq", [study.study_id])
    assert [row["data"] for row in cuts] == ['{"done":1,"trial":2}', '{"done":1,"trial":3}']
    assert server.store.query(
        "SELECT outcome, code FROM outcomes o JOIN participants p USING (participant_id) WHERE p.study_id = ?", [study.study_id]
    ) == [{"outcome": "done", "code": "DONE88"}]
