"""Who took part: what a paper says of its participants."""

from __future__ import annotations

from study.forms.form import Form, Item

FORM = Form(
    name="background",
    when="before",
    title="About you",
    text="A few questions about you. They are used to describe everybody who took part, together.",
    items=(
        Item(name="age", text="How old are you?", kind="number", unit="years", least=1, most=120, may_decline=True),
        Item(
            name="gender",
            text="What is your gender?",
            kind="choice",
            options=("Woman", "Man", "Non-binary", "Another"),
            may_decline=True,
        ),
        Item(
            name="hand",
            text="Which hand do you write with?",
            kind="choice",
            options=("Right", "Left", "Either"),
            may_decline=True,
        ),
        Item(
            name="eyesight",
            text="Do you wear glasses or contact lenses now?",
            kind="choice",
            options=("No, I see well without", "Yes, and I see well with them", "I do not see well just now"),
            may_decline=True,
        ),
        Item(name="country", text="In which country did you live longest?", kind="text", may_decline=True),
    ),
)
