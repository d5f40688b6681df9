"""After the tasks: how people went about them, in their own words, and whether anything went wrong."""

from __future__ import annotations

from study.forms.form import Form, Item

FORM = Form(
    name="strategy",
    when="after",
    title="How it went",
    items=(
        Item(name="how", text="How did you decide when you had seen enough?", kind="text", lines=4, required=False),
        Item(name="hard", text="How hard were the tasks for you?", kind="scale", low="very easy", high="very hard", may_decline=True),
        Item(
            name="serious",
            text="Should we use your answers?",
            note="Your payment does not depend on it.",
            kind="choice",
            options=("Yes, I took part seriously", "No, I only clicked through"),
            may_decline=True,
        ),
        Item(name="trouble", text="Did anything not work, or was anything unclear?", kind="text", lines=4, required=False),
    ),
)
