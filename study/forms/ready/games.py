"""Video games: hours a week, and games in three-dimensional worlds, which practise what the tasks ask."""

from __future__ import annotations

from study.forms.form import Form, Item

FORM = Form(
    name="video_games",
    when="before",
    title="Video games",
    items=(
        Item(
            name="hours_now",
            text="How many hours a week did you play video games in the last year?",
            note="On any device. 0 if you did not play.",
            kind="number",
            unit="hours a week",
            least=0,
            most=120,
            whole=False,
            may_decline=True,
        ),
        Item(
            name="hours_3d",
            text="How many of them in games in which you move through a three-dimensional world?",
            note="Seen through the eyes of a figure, or from behind it.",
            kind="number",
            unit="hours a week",
            least=0,
            most=120,
            whole=False,
            may_decline=True,
        ),
        Item(
            name="hours_most",
            text="And in the time of your life in which you played most?",
            kind="number",
            unit="hours a week",
            least=0,
            most=120,
            whole=False,
            may_decline=True,
        ),
        Item(
            name="controls",
            text="Moving through a three-dimensional world with a keyboard is easy for me.",
            kind="scale",
            low="not at all true",
            high="completely true",
            may_decline=True,
        ),
    ),
)
