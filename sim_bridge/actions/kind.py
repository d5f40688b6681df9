"""What an action declares about itself: everything that any room says or asks about it stands in its declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Text = str | Callable[..., str]
"""Words with a place for each argument, in order (``"Put {0} {1} {2}."``), or a function of them where the words depend on an argument."""


def said(text: Text, *args: str) -> str:
    """`text` with the arguments' words in their places.

    Example:
        >>> said("Put {0} {1} {2}.", "the cup", "on", "the box")
        'Put the cup on the box.'
    """
    return text.format(*args) if isinstance(text, str) else text(*args)


@dataclass(frozen=True)
class ActionKind:
    """One action of the protocol."""

    name: str
    """The canonical name, as it stands in action text."""
    label: str
    """Words for a button or a list: "Pick up"."""
    done: Text
    """The sentence when it has worked, of its arguments: objects as they are called ("the cup"), other words as they are.
    It says nothing of the outcome."""
    form: tuple[str, ...] = ()
    """Kinds of its arguments in order: ``obj`` a handle, ``rel`` one of `RELATIONS`, anything else a literal word."""
    needs: tuple[str, ...] = ()
    """What each object argument must be able to, in order (`sim_bridge.spec.Ability`); ``rel``: its relation says."""
    words: str = ""
    """The sentence that a picker makes after the label, with a place for each argument that is asked for: objects by their number
    (``{0}``), a relation as ``{rel}``. Empty: all arguments in order."""
    same: tuple[tuple[int, int], ...] = ()
    """(object argument, another that it always equals): a picker does not ask for the first."""
    from_reach: bool = False
    """Whether an action that frees the hand also takes what is in reach itself."""
    asks: tuple[str, ...] = ()
    """What a picker asks for each object argument, in order; default "which object" for each."""
    camera: bool = False
    """Whether it moves the camera alone; every task allows these."""
    inverse: str = ""
    """The action that undoes it exactly; empty: none."""
    hand: Literal["", "takes", "frees"] = ""
    """What happens to the hand when it works: it then holds the first object, or is free."""
    rests: str = ""
    """Where the action itself brings what it lets go to rest: ``always``, or with that relation. Empty: physics decides where it ends, and
    only the picture tells."""
    likely_held: tuple[int, ...] = ()
    """Which of its object arguments (0 = first) are likely the thing in the hand: a picker fills them in where nothing is chosen.
    The first object of an action that frees the hand always is."""
    pad: tuple[str, int] | None = None
    """Group of buttons ("Move") and cell in it: 0 to 5, two rows of three. None: no button on the pad."""
    practised: str = ""
    """Which thing to do of a worked example it belongs to: one of the actions with the same word is enough. Empty: it is one by itself."""
    short: str = ""
    """Word on its button on the pad; empty: the label."""
    key: str = ""
    """Default key as `KeyboardEvent.code`, a letter (``KeyW``) or an arrow (``ArrowLeft``). Empty: none. R, C and digits are the page's."""
    published: Text = ""
    """How the released runners write it, of the objects' names and other words; empty: canonical text, as they do for the camera."""
    published_by: Mapping[str, Text] = field(default_factory=dict, hash=False)
    """Released runner → its own text, where it differs."""

    @property
    def takes_objects(self) -> bool:
        """Whether any argument is an object."""
        return "obj" in self.form

    def sentence(self) -> str:
        """`words`, or what follows from the form.

        Example:
            >>> ActionKind("fill", label="Fill", done="Filled {0} with water.", form=("obj", "with_water")).sentence()
            '{0} with water'
        """
        if self.words:
            return self.words
        objects = iter(range(len(self.form)))
        parts = (f"{{{next(objects)}}}" if kind == "obj" else "{rel}" if kind == "rel" else kind.replace("_", " ") for kind in self.form)
        return " ".join(parts)

    def ask(self, index: int) -> str:
        """What a picker asks for object argument `index` (0 = first)."""
        return self.asks[index] if index < len(self.asks) else "which object"
