"""A person plays an imported task to a scored answer without a mouse, and finds the same step again after a reload."""

from __future__ import annotations

import json
from typing import Any


def test_a_released_size_task_is_played_to_a_score_by_keyboard_with_a_reload_in_between(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.released_row())
    page = tab.page

    def events(kind: str) -> list[dict[str, Any]]:
        sql = "SELECT data FROM events WHERE episode_id = ? AND kind = ? ORDER BY seq"
        return [json.loads(row["data"]) for row in server.store.query(sql, [server.episode()["episode_id"], kind])]

    tab.press("w", "d", "ArrowLeft")
    tab.at(3)
    tab.press("f", "1")  # note a belief: the first option shown
    page.get_by_text("Noted").wait_for()
    before = tab.canvas(), page.locator(".status").inner_text(), page.locator(".left").inner_text()
    chosen = page.locator(".option:has(input:checked)").inner_text()

    page.evaluate("window.dispatchEvent(new Event('blur'))")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    kit.wait_until(lambda: [event["what"] for event in events("page")][-1] == "focus")
    page.reload()
    tab.ready()

    assert page.locator(".view canvas").get_attribute("data-seq") == "3"
    assert tab.canvas() == before[0]
    assert page.locator(".status").inner_text() == before[1] and before[1].startswith("Step 3: ")
    assert page.locator(".left").inner_text() == before[2] == "26 of 30 views left"
    assert page.locator(".option:has(input:checked)").inner_text() == chosen
    assert page.locator(".strip li").count() == 3

    tab.press("e", "q")
    tab.at(5)
    tab.press("f")
    option = page.locator(".option", has_text="near the toy figure")
    tab.press(option.locator("kbd").inner_text())
    tab.press("Tab")  # from the options to the slider
    tab.press("End", "Tab", "Enter")  # 100 %, then the button
    page.get_by_role("dialog", name="Your final answer").wait_for()
    assert "near the toy figure" in page.locator("dialog .final").inner_text()
    tab.press("Enter")
    page.get_by_role("heading", name="Your answer is saved.").wait_for()

    episode = server.episode()
    assert episode["state"] == "completed"
    looked = server.store.query("SELECT seq FROM events WHERE episode_id = ? AND kind = 'looked_back'", [episode["episode_id"]])
    assert looked == []  # the page filled its strip; nobody chose to look
    steps = server.steps(episode["episode_id"])
    assert [step["action"] for step in steps] == ["start", "move_forward", "move_right", "turn_left", "move_down", "move_up"]
    gone = [event["seq"] for event in events("page") if event["detail"] == "going"]
    assert gone in ([], [3])  # the page says so as it goes; whether that still arrives is the browser's affair
    # A loaded machine may show another tab for a moment: that is told, and is not what is tested here.
    told = [(event["what"], event["seq"]) for event in events("page") if event["what"] not in ("hidden", "visible")]
    assert told == [("scaled", 0), ("blur", 3), ("focus", 3), ("scaled", 3)]
    first, again = events("opened")
    assert first["device"] == again["device"]
    assert {name: first["device"][name] for name in ("kind", "viewport_width", "viewport_height", "pixel_ratio", "colour_scheme")} == {
        "kind": "computer", "viewport_width": 1280, "viewport_height": 800, "pixel_ratio": 1.0, "colour_scheme": "light",
    }  # fmt: skip
    assert first["device"]["browser"].startswith("Chrome ") and first["device"]["system"] == "Linux"
    answer = server.store.one("SELECT * FROM answers WHERE episode_id = ?", [episode["episode_id"]])
    assert (json.loads(answer["answer"]), answer["confidence"]) == ("near the toy figure", 100)
    score = server.store.one("SELECT * FROM scores WHERE episode_id = ?", [episode["episode_id"]])
    assert (score["answered"], score["correct_strict"]) == (1, 1)
    belief = server.store.one("SELECT * FROM beliefs WHERE episode_id = ? ORDER BY event_seq LIMIT 1", [episode["episode_id"]])
    assert belief["seq"] == 3 and belief["confidence"] is None
    assert steps[3]["client_time_ms"] < belief["client_time_ms"] < steps[4]["client_time_ms"] < answer["client_time_ms"]

    tab.press("Enter")  # on to the next page
    page.get_by_role("heading", name="Thank you").wait_for()


def test_fast_presses_are_all_executed_once_and_in_order(server: Any, playing: Any, kit: Any) -> None:
    slow = kit.room(fault="slow", fault_s=0.05)
    tab = playing(kit.make_task("fast", scene=slow))
    keys = ["w", "ArrowLeft", "w", "w", "d", "ArrowUp", "s", "q", "q", "ArrowDown", "e", "a", "ArrowRight", "d", "s", "w"]
    tab.press(*keys)
    tab.at(len(keys))
    names = {"w": "move_forward", "s": "move_backward", "a": "move_left", "d": "move_right", "q": "move_up", "e": "move_down"}
    names |= {f"Arrow{side.title()}": f"turn_{side}" for side in ("left", "right", "up", "down")}
    steps = server.steps(server.episode()["episode_id"])
    assert [step["action"] for step in steps] == ["start", *(names[key] for key in keys)]
    assert {step["input"] for step in steps[1:]} == {"key"} and steps[1]["queued_ms"] == 0
    assert any(step["queued_ms"] > 0 for step in steps[2:])
    assert all(step["painted_ms"] for step in steps[1:]) and steps[5]["painted_ms"] > steps[4]["painted_ms"]
    # a press before its picture was painted is one that waited
    assert all(step["queued_ms"] > 0 for step in steps[1:] if step["client_time_ms"] < step["painted_ms"])
    tab.page.locator(".pad button[data-action=move_forward]").click()
    tab.at(len(keys) + 1)
    assert server.steps(server.episode()["episode_id"])[-1]["input"] == "button"


def test_a_held_key_is_one_step(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("held"))
    for _ in range(6):  # the browser sends the same key again while it is held
        tab.page.keyboard.down("w")
    tab.page.keyboard.up("w")
    tab.press("d")
    tab.at(2)
    assert [s["action"] for s in server.steps(server.episode()["episode_id"])] == ["start", "move_forward", "move_right"]


def test_a_used_up_budget_leaves_only_the_answer(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("short", budget=3))
    page = tab.page
    held: list[Any] = []
    page.route("**/api/act", lambda route: route.continue_() if held else held.append(route))
    for key in "wwww":  # one on its way, and three that wait
        page.keyboard.press(key)
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    tab.at(2)
    page.get_by_role("alert").filter(has_text="All views are used. Please give your answer now.").wait_for()
    page.get_by_text("2 more presses were not used").wait_for()
    assert page.locator(".grid button:enabled").count() == 0
    tab.press("f", "1")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_role("button", name="Submit").press("Enter")
    page.get_by_role("heading", name="Your answer is saved.").wait_for()
    assert len(server.steps(server.episode()["episode_id"])) == 3


def test_untouched_confidence_is_missing_and_a_protocol_may_ask_for_it(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("sure"), protocol=kit.Protocol(confidence_required=True))
    page = tab.page
    tab.press("f", "1")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_text("Please also say how likely it is").wait_for()
    assert page.evaluate("document.activeElement.shadowRoot?.activeElement?.type") == "range"
    tab.press("Home")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_role("button", name="Submit").press("Enter")
    page.get_by_role("heading", name="Your answer is saved.").wait_for()
    answer = server.store.one("SELECT confidence FROM answers WHERE episode_id = ?", [server.episode()["episode_id"]])
    assert answer["confidence"] == 0


def test_keys_can_be_changed_conflicts_are_refused_and_keys_switched_off(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("keys"))
    page = tab.page

    def change(label: str, key: str) -> str:
        page.get_by_role("button", name=f"{label}:").press("Enter")
        page.keyboard.press(key)
        found: str = page.locator("dialog[open] [role=status]").inner_text()
        return found

    page.get_by_role("button", name="Keys").press("Enter")
    assert "cannot be used" in change("Move forward", "r")
    assert "cannot be used" in change("Move forward", "c")
    assert "already used for “Move left”" in change("Move forward", "a")
    assert "is now I" in change("Move forward", "i")
    page.keyboard.press("Escape")
    tab.press("w", "i")
    tab.at(1)
    assert page.locator("[data-action=move_forward] kbd").inner_text() == "I"
    page.reload()
    tab.ready()
    tab.press("i")
    tab.at(2)
    page.get_by_role("button", name="Keys").press("Enter")
    page.get_by_label("Use single keys for actions").press("Space")
    page.keyboard.press("Escape")
    tab.press("i", "d")
    page.get_by_role("button", name="Move right").press("Enter")
    tab.at(3)
    assert [s["action"] for s in server.steps(server.episode()["episode_id"])][1:] == ["move_forward", "move_forward", "move_right"]
    page.evaluate("localStorage.clear()")


def test_keys_typed_into_an_answer_do_not_move_the_camera(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("typing", "free_text", "a box", text="What is it?", options=()))
    tab.press("f")
    tab.page.keyboard.type("a red wardrobe")
    tab.press("Escape", "w")
    tab.at(1)
    assert tab.page.get_by_role("textbox", name="Your answer").input_value() == "a red wardrobe"
    assert len(server.steps(server.episode()["episode_id"])) == 2
