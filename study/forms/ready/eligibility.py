"""Who may take part in a study of looking around: age, eyesight, and whether the tasks are new to them (ESI-Bench App. E)."""

from __future__ import annotations

from study.forms.form import Form, Item

FORM = Form(
    name="eligibility",
    when="eligibility",
    title="Before you begin",
    text="This study is not for everybody. These questions find out whether it is for you.",
    items=(
        Item(name="age", text="How old are you?", kind="number", unit="years", least=10, most=110, passes_from=18),
        Item(
            name="eyesight",
            text="How well do you see on this screen?",
            note="Count glasses or contact lenses as you wear them now.",
            kind="choice",
            options=(
                "Well, without glasses or lenses",
                "Well, with glasses or lenses",
                "Not well",
            ),
            passes=("Well, without glasses or lenses", "Well, with glasses or lenses"),
        ),
        Item(
            name="tasks_before",
            text="Have you taken part before in a study in which you moved a camera through rooms on a screen and answered questions?",
            kind="choice",
            options=("No", "Yes", "I am not sure"),
            passes=("No", "I am not sure"),
        ),
    ),
)
