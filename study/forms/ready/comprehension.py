"""Whether the instructions were understood: what every study in rooms has in common. It says nothing of what makes tasks hard."""

from __future__ import annotations

from study.forms.form import Form, Item

FORM = Form(
    name="comprehension",
    when="comprehension",
    title="Is everything clear?",
    text="Three questions about how the tasks work. If an answer is not right, you read why and can answer again.",
    items=(
        Item(
            name="when_to_answer",
            text="When should you give your final answer?",
            kind="choice",
            options=(
                "As soon as possible",
                "When I have gathered as much evidence as I need",
                "Only when all views are used up",
            ),
            passes=("When I have gathered as much evidence as I need",),
            explanation="There is no hurry, and no need to use all views: answer when you have gathered as much evidence as you need.",
        ),
        Item(
            name="sure",
            text="You are asked how likely it is that your answer is right. You could only guess between two answers. What do you say?",
            kind="choice",
            options=("About 0 percent", "About 50 percent", "About 100 percent"),
            passes=("About 50 percent",),
            explanation="Of two answers one is right, so a pure guess is right in about half of the cases: 50 percent.",
        ),
        Item(
            name="changing",
            text="Can you change your final answer after you have submitted it?",
            kind="choice",
            options=("Yes, at any time", "No"),
            passes=("No",),
            explanation="Before you submit it you can change your answer as often as you like; afterwards no more.",
        ),
    ),
    wrong_allowed=0,
    attempts=3,
    follows="go_on",
)
