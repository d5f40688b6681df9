"""What lies on the tables: kinds of household things that a two-finger gripper can take, and what they are put into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """One kind of thing."""

    noun: str
    category: str
    """In the catalogue's vocabulary."""
    colours: tuple[str, ...] = ()
    """Names of the colours it comes in; empty: its own."""
    word: str = ""
    """Colour word of a thing that has a colour of its own, for its name."""
    width_m: float = 0.0
    """Between the fingers; 0: no gripper takes it."""
    across: str = "y"
    """Own axis along which the fingers close; ``any`` for round things."""
    height: float = 0.55
    """Where the finger tips meet, as a share of its height."""
    round_: bool = False
    size_m: tuple[float, float, float] | None = None
    params: tuple[tuple[str, Any], ...] = ()


def _of(*kinds: Kind) -> dict[str, Kind]:
    return {k.noun: k for k in kinds}


KINDS = _of(
    Kind("mug", "mug", ("red", "blue", "green", "yellow", "white"), width_m=0.083, height=0.60),
    Kind("soda can", "can_of_soda", word="orange", width_m=0.067, across="any", height=0.65),
    Kind("tin of corn", "can_of_corn", word="yellow", width_m=0.077, across="any", height=0.6),
    Kind("apple", "apple", word="red", width_m=0.078, across="any", height=0.5),
    Kind("orange", "orange", width_m=0.077, across="any", height=0.5),
    Kind("lemon", "lemon", word="yellow", width_m=0.057, height=0.5, size_m=(0.090, 0.058, 0.058)),
    Kind("pear", "pear", word="green", width_m=0.080, across="any", height=0.35),
    Kind("tomato", "tomato", word="red", width_m=0.079, across="any", height=0.5),
    Kind("banana", "banana", word="yellow", width_m=0.034, height=0.5, size_m=(0.180, 0.036, 0.060)),
    Kind("eggplant", "eggplant", word="purple", width_m=0.062, height=0.5, size_m=(0.165, 0.064, 0.064)),
    Kind("tennis ball", "tennis_ball", word="yellow", width_m=0.067, across="any", height=0.5),
    Kind("sponge", "sponge", ("yellow", "green", "pink"), width_m=0.070, height=0.6),
    Kind("toy car", "toy_car", ("red", "blue", "green"), width_m=0.057, height=0.55),
    Kind("cracker box", "box_of_crackers", ("red", "blue", "orange"), width_m=0.050, height=0.75, size_m=(0.100, 0.050, 0.150)),
    Kind("juice carton", "carton_of_juice", width_m=0.070, height=0.70, size_m=(0.070, 0.070, 0.200)),
    Kind("ketchup bottle", "bottle_of_ketchup", word="red", width_m=0.060, across="any", height=0.55, size_m=(0.060, 0.060, 0.180)),
    Kind("candle", "candle", ("purple", "orange", "white"), width_m=0.062, across="any", height=0.5, size_m=(0.062, 0.062, 0.110)),
    Kind("toilet roll", "toilet_paper", word="white", width_m=0.100, across="any", height=0.6, size_m=(0.100, 0.100, 0.095)),
    Kind("rubber duck", "duck", word="yellow", width_m=0.066, height=0.45, size_m=(0.115, 0.068, 0.085)),
    Kind("bowl", "bowl", ("blue", "white", "green", "pink", "orange"), round_=True, size_m=(0.180, 0.180, 0.068)),
    Kind("plate", "plate", ("white", "blue", "pink", "yellow"), round_=True, size_m=(0.220, 0.220, 0.022)),
    Kind("book", "book", size_m=(0.150, 0.210, 0.030)),
    Kind("succulent", "succulent", size_m=(0.115, 0.110, 0.100)),
    Kind("sauce pan", "saucepan", round_=True),
)

TAKEN = tuple(k for k, v in KINDS.items() if v.width_m > 0)
INTO = ("bowl", "plate")


def name_of(noun: str, colour: str) -> str:
    """What a person calls the thing: ``red mug``, ``apple``."""
    shown = colour or KINDS[noun].word
    # A lemon is yellow to everybody; the word would only be noise where the noun says it.
    return f"{shown} {noun}" if shown and noun not in ("lemon", "orange", "banana", "apple", "tomato", "pear", "eggplant") else noun
