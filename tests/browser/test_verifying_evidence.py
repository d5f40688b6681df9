"""The evidence before a verifier: twin, what programs noticed, masks over a view; who cannot judge gives the place to somebody else."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from annotation.auditing.check import Audited, Check, Finding
from annotation.auditing.findings import keep
from annotation.auditing.reading import of_tasks
from annotation.auditing.running import audit
from annotation.reviewing import things
from annotation.reviewing.kinds.tasks import KIND
from annotation.verifying import items, preparing
from annotation.verifying.playing import play
from annotation.verifying.verifications import Protocol
from data.frames import FrameStore
from data.task import Task
from sim_bridge.backends.toy import create
from sim_bridge.local import LocalClient

from .conftest import Server, make_task, wait_until
from .test_verifying import Room, come_in, open_room

NOTICED = "A program noticed this of the task."
REBUILT = "Built here after a released row"
WAY = ("turn_left", "move_forward")


def played(server: Server, *tasks: Task) -> None:
    """Tasks with the evidence that the server's own kind of simulator makes of them."""
    client: Any = LocalClient(create())
    for task in tasks:
        server.store.put_task(task)
        found = play(client, task.task_id, task)
        preparing.keep(server.store, FrameStore(server.home.frames), task.content_hash, found, fingerprint="{}", actor="fixture")


def a_room_with_a_twin(server: Server) -> Room:
    """One task to judge, whose twin is known too and of which an audit says something."""
    text = "Which box is larger: the red one or the blue one?"
    task = make_task("seen-1", gt_trajectory=WAY, text=text, twin="seen-2")
    task = task.model_copy(update={"scene": structs.replace(task.scene, source_scene="Rs_int")})
    twin = make_task("seen-2", gt_trajectory=WAY, text=text, twin="seen-1", gold="the red one")
    played(server, task, twin)

    def noticed(audited: Audited) -> Any:
        return (Finding(row, NOTICED) for row in audited.rows)

    check = Check(id="noticed", severity="warning", about="All.", fix="None.", look=noticed)
    keep(server.store, "dataset", "vantage", audit(of_tasks([task]), [check]))
    settings = Protocol(control_share=0.0, training=0, allow_own_study=True)
    study = server.study(task, name="Twins")
    made = items.start(server.store, "Twins", [task.content_hash], study_id=study.study_id, protocol=settings, actor="lead")
    return Room(server, made, [task])


def test_twin_flags_and_masks_come_with_the_second_stage_alone(server: Server, new_tab: Any) -> None:
    room = a_room_with_a_twin(server)
    verifier = come_in(room, new_tab(width=1366, height=650))
    page = verifier.page
    verifier.stage("look")
    (review,) = server.store.query("SELECT review_id FROM reviews WHERE scope = ?", [room.verification.verification_id])
    early = page.request.get(f"{server.base}/api/verify/mask/{review['review_id']}/0")
    assert early.status == 404
    assert not any(NOTICED in text or "twin-0" in text or REBUILT in text for _, text in verifier.heard)
    verifier.look("x")
    page.locator(".answers .fidelity", has_text=f"{REBUILT}: places exact, sizes exact, looks approximate").wait_for()
    page.locator(".flags li", has_text=NOTICED).wait_for()
    verifier.press("t")
    page.locator(".twin", has_text="Its answer: the red one").wait_for()
    page.wait_for_function("""() => {
      const image = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.twin img')).find(Boolean);
      return image && image.complete && image.naturalWidth > 0;
    }""")
    verifier.press("k")
    page.locator(".legend span", has_text="the red one (").or_(page.locator(".legend span", has_text="box 1 (")).first.wait_for()
    shown = page.locator("img.masks")
    assert shown.is_visible() and shown.evaluate("(image) => [image.naturalWidth, image.naturalHeight]") == [640, 480]
    over, below = (page.locator(where).bounding_box() for where in ("img.masks", ".frame > img:first-child"))
    assert over == below, "the masks lie on the picture"
    before = page.locator(".legend").inner_text()
    verifier.press("ArrowRight")
    page.wait_for_function("""(before) => {
      const legend = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.legend')).find(Boolean);
      return legend && legend.querySelector('i') && legend.innerText !== before;
    }""", arg=before)  # fmt: skip
    verifier.press("k")
    assert not page.locator(".legend").is_visible() and not shown.is_visible()


def test_masks_that_would_not_fit_say_why(server: Server, new_tab: Any, trouble: None) -> None:
    """The kept pictures are of another renderer."""
    verifier = come_in(open_room(server, range(31, 32), "Other pictures"), new_tab(width=1366, height=650))
    verifier.look("x")
    verifier.press("k")
    verifier.page.locator(".legend", has_text="otherwise than it was kept").wait_for()
    assert not verifier.page.locator("img.masks").is_visible()


def test_who_cannot_judge_gives_the_place_to_somebody_else_and_three_votes_come_in(server: Server, new_tab: Any) -> None:
    room = open_room(server, range(32, 33), "Cannot judge")
    scope = room.verification.verification_id
    away = come_in(room, new_tab(width=1440, height=900))
    away.look("x")
    away.press("z")
    away.page.get_by_label("Why you cannot judge it").wait_for()
    away.page.keyboard.press("Enter")
    away.page.get_by_text("Say in a few words why").wait_for()
    away.page.keyboard.type("I made this scene")
    away.page.keyboard.press("Enter")
    away.stage("nothing")
    for place in range(3):
        verifier = come_in(room, new_tab(width=1440, height=900))
        verifier.look("x")
        verifier.judge("y", "y", "y", then="nothing")
        assert room.state(1) == ("in_verification" if place < 2 else "retained")
    rows = server.store.query("SELECT state, skipped FROM reviews WHERE scope = ? ORDER BY rowid", [scope])
    assert [(row["state"], row["skipped"]) for row in rows] == [("void", "I made this scene"), *[("judged", None)] * 3]
    (axes,) = server.store.query(
        "SELECT count(*) AS n, count(DISTINCT r.reviewer) AS people FROM review_votes v JOIN reviews r USING (review_id) "
        "WHERE r.scope = ? AND r.state = 'judged' AND v.axis = 'correctness'",
        [scope],
    )
    assert axes == {"n": 3, "people": 3}
    assert things.get(server.store, KIND, room.subject(1)).state == "retained"


SEEN = """(element) => {
  const { top, bottom, left, width } = element.getBoundingClientRect();
  const at = element.getRootNode().elementFromPoint(left + width / 2, bottom - 4);
  return top >= 0 && bottom <= innerHeight && (at === element || element.contains(at));
}"""
"""Whether the lower edge of an element is before the reader's eyes: inside the window, under nothing else."""


def test_in_a_low_window_what_a_key_does_is_seen(server: Server, new_tab: Any) -> None:
    room = a_room_with_a_twin(server)
    verifier = come_in(room, new_tab(width=1366, height=650))
    page = verifier.page
    verifier.stage("look")
    # whoever is sent back for an answer gives it with a digit; the arrows still say how sure they are, and choose nothing else
    verifier.press("y", "Enter", "1", "ArrowRight")
    page.get_by_text("50 %", exact=True).wait_for()
    assert (
        page.locator(".panel input[type=radio]:checked")
        .evaluate_all("found => found.map((one) => one.closest('label').innerText)")[0]
        .startswith("1")
    )
    verifier.press("Enter")
    verifier.stage("judge")
    cards, problem = page.locator("section.axis"), page.locator(".said .problem")
    verifier.press("y", "x")
    cards.nth(1).locator(".reason").last.wait_for()
    assert cards.nth(1).evaluate(SEEN), "the axis that fails, with its reasons"
    verifier.press("Enter")
    problem.wait_for()
    assert problem.evaluate(SEEN) and cards.nth(2).evaluate(SEEN), "what is missing, and where"
    verifier.press("ArrowRight")
    page.get_by_text("2 / 3").wait_for()
    assert page.locator(".frame").evaluate(SEEN), "a key that shows another view brings the view back"


def test_that_all_three_pass_is_said_until_it_is_saved(server: Server, new_tab: Any) -> None:
    played(server, task := make_task("clean-1", gt_trajectory=WAY, text="Which box is larger?"))
    settings = Protocol(control_share=0.0, training=0, allow_own_study=True)
    study = server.study(task, name="One clean task")
    made = items.start(server.store, "Clean", [task.content_hash], study_id=study.study_id, protocol=settings, actor="lead")
    verifier = come_in(Room(server, made, [task]), new_tab(width=1366, height=650))
    verifier.look("x")
    with verifier.page.expect_response("**/api/verify/draft") as kept:
        verifier.press("Enter")
    kept.value.finished()
    said = verifier.page.locator(".said .status")
    verifier.page.wait_for_function("(element) => element.innerText !== ''", arg=said.element_handle())
    assert said.inner_text() == "All three pass. Enter saves it." and said.evaluate(SEEN)
    verifier.press("Enter")
    verifier.stage("nothing")


def test_whoever_steps_in_sees_the_whole_picture_in_a_low_window(server: Server, new_tab: Any) -> None:
    room = a_room_with_a_twin(server)
    verifier = come_in(room, new_tab(width=1366, height=650))
    verifier.look("x")
    verifier.press("s")
    verifier.tab.ready()
    heading = verifier.page.get_by_role("heading", name="Which box is larger")
    wait_until(lambda: heading.bounding_box()["y"] < 130)
    assert verifier.page.locator(".view").first.evaluate(SEEN), "the lower edge of the picture"
