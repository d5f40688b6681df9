"""How people judge their own spatial abilities. The known scales may be downloaded, and say nothing of the terms under which their words
may be passed on, so these are items of our own: ten statements, four of them turned round. They are not validated: a study that compares
people's abilities reports their reliability, or takes a published scale with its authors' leave."""

from __future__ import annotations

from study.forms.form import Form, Item

LOW, HIGH = "does not fit me at all", "fits me completely"


def _says(name: str, text: str, *, turned: bool = False) -> Item:
    return Item(name=f"{name}_turned" if turned else name, text=text, kind="scale", low=LOW, high=HIGH, may_decline=True)


FORM = Form(
    name="spatial_ability",
    when="after",
    title="Space in everyday life",
    text="How well does each statement fit you? There is no right or wrong answer.",
    items=(
        _says("way_back", "After walking through an unknown building, I find my way back to the entrance without help."),
        _says("pointing", "In a room without windows I can still point to where the street is."),
        _says("lost", "In a new part of town I soon do not know where I came from.", turned=True),
        _says("shortcut", "I notice when two paths that I know must meet, and take the shorter one."),
        _says("turning", "I can picture what a thing looks like from behind without walking round it."),
        _says("packing", "I see at a glance whether a piece of furniture fits into a gap."),
        _says("distance", "It is hard for me to tell which of two far things is nearer.", turned=True),
        _says("map", "When I read a map, I have to turn it until it points the way I walk.", turned=True),
        _says("hidden", "When a thing is half hidden, I easily imagine the rest of it."),
        _says("rearranged", "When something in my room has been moved, it takes me long to notice.", turned=True),
    ),
    licence="Words of Vantage, CC0 1.0: use and change them freely. Not validated. Names that end in _turned count the other way round.",
)
