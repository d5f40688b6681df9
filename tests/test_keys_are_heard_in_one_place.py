"""Every listener to keys goes through `pressed.js`: any layout, and never while an input method composes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import app

ROOT = Path(app.__file__).parent
LISTENS = re.compile(
    r"""(?:addEventListener\(\s*['"`]key(?:down|up|press)['"`]\s*,|\bonkey(?:down|up|press)\s*[:=])(?!\s*this\.onKey\b)\s*(.{0,12})"""
)
ASKS = re.compile(r"\b(?:event|e|ev|press)\.(?:key|code|keyCode|which|isComposing)\b|\[event\.key\]|\{[^}]*\bkey\b[^}]*\}\s*=\s*event\b")


def alone(code: str) -> list[str]:
    """Listeners and questions beside the shared ones."""
    found = [match[0] for match in LISTENS.finditer(code) if not match[1].startswith("keyed(")]
    found += [match[0] for match in ASKS.finditer(code)]
    return found + (["this.onKey"] if "this.onKey" in code and "this.onKey = keyed(" not in code else [])


def test_no_component_listens_to_keys_by_itself() -> None:
    scripts = sorted(path for path in ROOT.rglob("*.js") if path.name != "pressed.js")
    assert len(scripts) > 20
    assert {path.name: alone(path.read_text(encoding="utf-8")) for path in scripts if alone(path.read_text(encoding="utf-8"))} == {}


def test_no_page_of_ours_has_a_listener_in_its_markup() -> None:
    for path in (*ROOT.rglob("*.py"), *ROOT.rglob("*.html")):
        assert not re.search(r"onkey(?:down|up|press)|['\"]keydown['\"]", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "line",
    [
        "this.note.addEventListener('keydown', (event) => { act(event); });",
        "window.addEventListener( 'keyup', this.heard);",
        "h('input', { onkeydown: (event) => act(event) })",
        "dialog.onkeydown = act;",
        "if (event.key === 'Enter') act();",
        "const { target, key } = event;",
        "this.onKey = (event) => act(event);",
        "if (event.code === 'KeyW') act();",
    ],
)
def test_the_scan_can_fail(line: str) -> None:
    assert alone(line)


def test_the_scan_lets_the_shared_listener_pass() -> None:
    assert not alone("a.addEventListener('keydown', keyed((key, event) => b(key, event.ctrlKey))); h('p', { onkeydown: keyed(act) });")
