"""A declared attention check: whoever reads it gives the right answer, however fast, and however well they do the tasks."""

from __future__ import annotations

from study.forms.form import Form, Item

FORM = Form(
    name="attention",
    when="attention",
    title="A short question",
    items=(
        Item(
            name="read",
            text="This question shows us whether the texts are read. Please choose “blue”, whatever your favourite colour is.",
            kind="choice",
            options=("red", "green", "blue", "yellow"),
            passes=("blue",),
        ),
    ),
    every=5,
)
