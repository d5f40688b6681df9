"""What somebody's browser is and how large it shows things: enough to describe an apparatus, too little to know a person again by it."""

from __future__ import annotations

import re

import msgspec

BROWSERS: tuple[tuple[str, str], ...] = (
    ("Edge", r"Edg(?:e|A|iOS)?/(\d+)"),
    ("Opera", r"OPR/(\d+)"),
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium|HeadlessChrome)/(\d+)"),
    ("Safari", r"Version/(\d+)[\d.]* .*Safari/"),
)
"""Browser → how it names itself, the more particular first: most also name those that they are built on."""
SYSTEMS: tuple[tuple[str, str], ...] = (
    ("Windows", r"Windows"),
    ("ChromeOS", r"CrOS"),
    ("Android", r"Android"),
    ("iOS", r"iPhone|iPad|iPod"),
    ("macOS", r"Mac OS X|Macintosh"),
    ("Linux", r"Linux|X11"),
)
"""Operating system → how browsers name it."""
UNKNOWN = "other"


class Device(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An apparatus at one opening of a task; what is not known is empty."""

    browser: str = ""
    """Name and major version, such as ``Firefox 141``."""
    system: str = ""
    """Operating system, without a version."""
    kind: str = ""
    """``computer``, ``tablet`` or ``phone``."""
    viewport_width: int | None = None
    """Of the page, CSS pixels."""
    viewport_height: int | None = None
    """Of the page, CSS pixels."""
    screen_width: int | None = None
    """CSS pixels."""
    screen_height: int | None = None
    """CSS pixels."""
    pixel_ratio: float | None = None
    """Device pixels per CSS pixel: the screen's own ratio times the browser's zoom."""
    zoom: float | None = None
    """The browser's zoom, estimated from its window's width outside and inside."""
    colour_scheme: str = ""
    """``light`` or ``dark``, as the page was shown."""
    touch: bool | None = None
    """Whether the screen can be touched."""


def named(user_agent: str, *, touch: bool | None = None) -> Device:
    """Browser, system and kind, from what the browser calls itself.

    Args:
        user_agent: the header of that name; only what is said here is kept of it.
        touch: whether the screen can be touched; an iPad calls itself a Macintosh.
    """
    browser = next((f"{name} {found[1]}" for name, pattern in BROWSERS if (found := re.search(pattern, user_agent))), UNKNOWN)
    system = next((name for name, pattern in SYSTEMS if re.search(pattern, user_agent)), UNKNOWN)
    if system == "macOS" and touch:
        system = "iOS"
    if system in ("Android", "iOS"):
        large = "iPad" in user_agent or "Macintosh" in user_agent or "Mobi" not in user_agent
        kind = "tablet" if large else "phone"
    else:
        kind = "computer"
    return Device(browser=browser, system=system, kind=kind, touch=touch) if user_agent else Device(touch=touch)
