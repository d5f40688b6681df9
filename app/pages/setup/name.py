"""Set-up: what the study is called, and what becomes of it."""

from __future__ import annotations

from app.pages.setup.section import Asked, Section, Setup, ask, submitted

ASKED = (
    Asked("name", "Name", help="Participants read it on the first page."),
    Asked("planned_people", "People who are to take part", least=1, most=100_000, empty="not planned yet"),
    Asked("kiosk", "They come one after the other to the same computer"),
)


def draw(setup: Setup) -> None:
    """Name and planned people."""
    found = ask(setup, setup.study, ASKED, "name")
    if submitted(setup):
        setup.save(**found, then="tasks")


SECTION = Section("name", "Name", draw, asks={"": ASKED})
