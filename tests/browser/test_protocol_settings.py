"""What a protocol decides shows on the page, and the server holds to it."""

from __future__ import annotations

import json
from typing import Any


def test_no_history_shows_and_serves_no_earlier_frame(server: Any, trouble: None, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("no-history"), protocol=kit.Protocol(confidence_required=False, history="none"))
    tab.press("w", "d")
    tab.at(2)
    assert tab.page.locator(".strip").is_hidden()
    episode = server.episode()["episode_id"]
    assert tab.page.evaluate(kit.js("ask"), [f"/api/frame/{episode}/1", None])[0] == 403
    assert tab.page.evaluate(kit.js("ask"), [f"/api/frame/{episode}/2", None])[0] == 200


def test_the_last_five_frames_are_shown_and_no_older_one_is_served(server: Any, trouble: None, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("last-five"))
    tab.press(*"wdqasew")
    tab.at(7)
    tab.page.wait_for_function(f"() => {kit.IN_PAGE}.querySelectorAll('.strip li').length === 5")
    assert [item.split("\n")[-1] for item in tab.page.locator(".strip li").all_inner_texts()] == ["2", "3", "4", "5", "6"]
    assert tab.page.locator(".strip button").count() == 0
    episode = server.episode()["episode_id"]
    assert tab.page.evaluate(kit.js("ask"), [f"/api/frame/{episode}/1", None])[0] == 403


def test_frames_can_be_enlarged_where_the_protocol_says_so_and_the_look_is_logged(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("enlarge"), protocol=kit.Protocol(confidence_required=False, enlarge=True, history="all"))
    tab.press("w", "d")
    tab.at(2)
    tab.page.get_by_role("button", name="Enlarge the view after step 1").press("Enter")
    dialog = tab.page.get_by_role("dialog", name="An earlier view")
    dialog.locator("canvas").wait_for()
    around, picture = dialog.bounding_box(), dialog.locator("canvas").bounding_box()
    assert around["width"] - picture["width"] < 40 and around["height"] <= 800, "the dialogue is as large as its picture"
    episode = server.episode()["episode_id"]
    looked = server.store.query("SELECT data FROM events WHERE episode_id = ? AND kind = 'looked_back'", [episode])
    assert [row["data"] for row in looked] == ['{"seq":1,"at_seq":2}']


def test_without_a_belief_bar_nothing_is_sent_before_the_answer(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("no-beliefs"), protocol=kit.Protocol(confidence_required=False, belief_bar=False))
    tab.press("f", "1", "Escape", "w")
    tab.at(1)
    tab.page.reload()
    tab.ready()
    assert tab.page.locator(".option input:checked").count() == 1  # the draft stayed in this tab
    episode = server.episode()["episode_id"]
    assert server.store.query("SELECT * FROM beliefs WHERE episode_id = ?", [episode]) == []


def test_a_schedule_of_probes_notes_the_answer_at_every_second_view_alone(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("sometimes"), protocol=kit.Protocol(probe_every=2))
    words = tab.page.get_by_text("You may note what you think so far")
    assert not words.is_visible()
    tab.press("f", "1", "Escape", "w")
    tab.at(1)
    words.wait_for()
    tab.press("f", "2", "Escape")
    tab.page.get_by_text("Noted").wait_for()
    tab.press("w")
    tab.at(2)
    assert not words.is_visible()
    episode = server.episode()["episode_id"]
    assert {row["seq"] for row in server.store.query("SELECT seq FROM beliefs WHERE episode_id = ?", [episode])} == {1}


def test_a_task_that_cannot_be_built_is_given_back_and_the_next_one_begins(server: Any, trouble: None, new_tab: Any, kit: Any) -> None:
    broken = kit.make_task("broken", scene=kit.room(no_such_setting=True))
    study = server.study(broken, kit.make_task("sound", text="Is this one sound?"), name="Broken")
    tab = new_tab()
    kit.enter(tab, server.link(study))
    skip = tab.page.get_by_role("button", name="Go on without this task")
    tab.page.locator(".vantage[data-state=ready]").or_(skip).first.wait_for()
    if skip.count() == 0:  # the sound one came first: answer it
        tab.press("f", "1")
        tab.page.get_by_role("button", name="Give final answer").press("Enter")
        tab.page.get_by_role("button", name="Submit").press("Enter")
        tab.page.locator(".done button").press("Enter")
        skip.press("Enter")
        tab.page.get_by_role("heading", name="Thank you").wait_for()
    else:
        skip.press("Enter")
        tab.ready()
        assert tab.page.get_by_text("Is this one sound?").is_visible()
    states = {row["state"] for row in server.store.query("SELECT state FROM slots WHERE study_id = ?", [study.study_id])}
    assert "returned" in states


def test_a_second_part_begins_when_the_person_says_so(server: Any, playing: Any, kit: Any) -> None:
    phases = (kit.Phase(name="before"), kit.Phase(name="after", hidden=("object_1",)))
    scene = kit.msgspec.structs.replace(kit.room(), phases=phases)
    tab = playing(kit.make_task("parts", scene=scene, required_features=("phases",)))
    tab.press("w")
    tab.at(1)
    assert tab.page.locator(".part").text_content() == "Part 1 of 2"
    unseen = tab.page.get_by_text("You have seen only part 1 of 2.")
    tab.press("f", "1")
    answer = tab.page.get_by_role("button", name="Give final answer")
    answer.press("Enter")
    unseen.wait_for()
    assert tab.page.evaluate(kit.js("focus"))[1] == "Not yet"  # a press too many does not answer
    tab.press("Enter", "Escape")
    on = tab.page.get_by_role("button", name="Go on to the next part")
    on.press("Enter")
    tab.page.get_by_role("button", name="Stay here").press("Enter")
    on.press("Enter")
    tab.page.get_by_role("button", name="Go on to part 2").press("Enter")
    tab.at(2)
    assert tab.page.locator(".part").text_content() == "Part 2 of 2"
    tab.page.get_by_text("The next part has begun").wait_for()
    assert tab.page.get_by_role("button", name="Go on to the next part").is_hidden()
    tab.press("Escape", "d")
    tab.at(3)
    answer.press("Enter")
    tab.page.get_by_role("button", name="Submit").wait_for()
    assert unseen.is_hidden() and tab.page.evaluate(kit.js("focus"))[1] == "Submit"
    assert [s["kind"] for s in server.steps(server.episode()["episode_id"])] == ["start", "action", "phase", "action"]


def test_free_text_is_asked_for_and_answered_without_options(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("free-text"), protocol=kit.Protocol(confidence_required=False, answer_form="free_text"))
    assert tab.page.locator(".option").count() == 0
    tab.page.get_by_role("textbox", name="Your answer").fill("the blue box")
    tab.page.get_by_text("Noted").wait_for()
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    tab.page.get_by_role("button", name="Submit").press("Enter")
    tab.page.get_by_role("heading", name="Your answer is saved.").wait_for()
    assert server.store.one("SELECT raw FROM answers WHERE episode_id = ?", [server.episode()["episode_id"]]) == {"raw": '"the blue box"'}


def test_a_belief_of_the_wrong_form_is_refused_in_a_sentence(server: Any, trouble: None, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("wrong-belief"))
    row = server.episode()
    body = {"episode": row["episode_id"], "epoch": row["epoch"], "n": 1, "answer": ["no", "such"], "confidence": 50}
    status, text = tab.page.evaluate(kit.js("ask"), ["/api/belief", body])
    assert (status, json.loads(text)["error"]) == (422, "bad_answer")
    assert json.loads(text)["message"].endswith("Nothing was lost: change your answer and send it again.")
    assert tab.page.evaluate(kit.js("ask"), ["/api/belief", body | {"answer": None, "confidence": 101}])[0] == 400
    assert server.store.query("SELECT * FROM beliefs WHERE episode_id = ?", [row["episode_id"]]) == []
