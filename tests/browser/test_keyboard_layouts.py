"""Keys act by where they lie on layouts without Latin letters, can be bound there, and do nothing while an input method composes."""

from __future__ import annotations

from typing import Any

import pytest

from app.components import assets_version

TABLE = [
    # key, code, Shift → meant
    ("w", "KeyW", False, "w"),
    ("W", "KeyW", True, "w"),
    ("z", "KeyW", False, "z"),  # French: the letter that is printed there
    ("ц", "KeyW", False, "w"),
    ("Ц", "KeyW", True, "w"),
    ("ς", "KeyW", False, "w"),
    ("ص", "KeyW", False, "w"),
    ("لا", "KeyB", False, "b"),  # Arabic: one key, two letters
    ("ו", "KeyU", False, "u"),
    ("ı", "KeyI", False, "i"),  # Turkish
    ("ä", "Quote", False, "'"),
    ("٣", "Digit3", False, "3"),
    ("&", "Digit1", False, "1"),  # French
    ("1", "Digit1", True, "1"),
    ("!", "Digit1", True, "!"),
    ("ě", "Digit2", False, "2"),  # Czech
    ("+", "Equal", True, "+"),
    ("-", "Slash", False, "-"),  # German
    ("Dead", "KeyE", False, "e"),
    ("б", "Comma", False, ","),
    ("\u00a0", "Space", False, " "),
    ("Enter", "Enter", False, "Enter"),
    ("Enter", "NumpadEnter", False, "Enter"),
    ("ArrowLeft", "ArrowLeft", False, "ArrowLeft"),
    ("F5", "F5", False, "F5"),
    ("5", "Numpad5", False, "5"),
    ("Unidentified", "", False, ""),
]


def hit(tab: Any, key: str, code: str) -> None:
    """A press as the browser gets it from another layout."""
    devtools = tab.page.context.new_cdp_session(tab.page)
    number = ord(code[-1]) if code.startswith(("Key", "Digit")) else 0
    for kind in ("keyDown", "keyUp"):
        devtools.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number})
    devtools.detach()


def test_what_a_press_means_on_other_layouts(server: Any, new_tab: Any) -> None:
    page = new_tab().page
    page.goto(f"{server.base}/sign-in")
    script = (
        "async ([address, rows]) => { const { pressed } = await import(address);"
        " return rows.map(([key, code, shiftKey]) => pressed(new KeyboardEvent('keydown', { key, code, shiftKey }))); }"
    )
    address = f"{server.base}/assets/{assets_version()}/pressed.js"
    assert page.evaluate(script, [address, [list(row[:3]) for row in TABLE]]) == [row[3] for row in TABLE]


@pytest.mark.parametrize("layout", [{"KeyW": "ц", "KeyD": "в", "KeyF": "а", "KeyI": "ш", "Digit1": "1"}], ids=["Russian"])
def test_a_task_is_played_and_its_keys_are_changed_on_a_layout_without_latin_letters(
    server: Any, playing: Any, kit: Any, layout: dict[str, str]
) -> None:
    tab = playing(kit.make_task("layout"))
    for seq, code in enumerate(("KeyW", "KeyD"), 1):
        hit(tab, layout[code], code)
        tab.at(seq)
    tab.page.get_by_role("button", name="Keys").press("Enter")
    tab.page.get_by_role("button", name="Move forward: W").press("Enter")
    hit(tab, layout["KeyI"], "KeyI")
    tab.page.get_by_text("Move forward is now I").wait_for()
    tab.page.get_by_role("button", name="Done").press("Enter")
    hit(tab, layout["KeyI"], "KeyI")
    tab.at(3)
    hit(tab, layout["KeyF"], "KeyF")
    hit(tab, layout["Digit1"], "Digit1")
    tab.page.get_by_text("Noted").wait_for()
    steps = server.steps(server.episode()["episode_id"])
    assert [step["action"] for step in steps] == ["start", "move_forward", "move_right", "move_forward"]


def test_a_letter_means_one_thing_on_all_pages_of_robot_questions(server: Any, new_tab: Any) -> None:
    page = new_tab().page
    page.goto(f"{server.base}/sign-in")
    meanings = page.evaluate("async (address) => (await import(address)).MEANINGS", f"{server.base}/assets/{assets_version()}/shortcuts.js")
    # whoever verifies tasks has no drawing before them; beside their own keys, those of judging mean the same
    verifying = {key for keys, _ in meanings.pop("verifying") for key in keys.split(" ") if key.isalpha() and len(key) == 1}
    assert not verifying & ({key for keys, _ in meanings["judging"] + meanings["everywhere"] for key in keys.split(" ")} | {"R", "C"})
    # an adjudicator's page has nothing of the others on it
    adjudicating = {key for keys, _ in meanings.pop("adjudicating") for key in keys.split(" ")}
    assert not adjudicating & {"R", "C"}
    said: dict[str, list[tuple[str, str]]] = {}
    for part, rows in meanings.items():
        for keys, words in rows:
            for key in keys.split(" "):
                said.setdefault(key, []).append((part, words))
    twice = {key: [part for part, _ in rows] for key, rows in said.items() if len(rows) > 1 and key.isalpha() and len(key) == 1}
    # A to E name options where one answers; X is no wherever it is.
    assert twice == {"B": ["answering", "drawing"], "E": ["answering", "drawing"], "X": ["judging", "drawing"]}
    assert all(words.startswith("no: ") for _, words in said["X"])
    assert not {"R", "C"} & (set(said) - {"C"}), "Streamlit's own keys; C is an option's letter alone"
    assert [part for part, _ in said["C"]] == ["answering"]
