"""A participant's words stand in one catalogue: what is said is in it, what is in it is said, and other languages say the same."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from app.pages import participant_end
from study.studies import Study
from study.wording import NoWords, UnknownLanguage, say, speaking, spoken, wording, words_for
from study.wordings import CATALOGUES, english
from study.wordings.actions import ACTION
from study.wordings.pseudo import pseudo
from study.words import way_in_words

ROOT = Path(__file__).resolve().parents[2]
PLACES = tuple(path for room in ("app", "annotation", "study") for kind in ("*.py", "*.js") for path in (ROOT / room).rglob(kind))
KEY = re.compile(r"""["'`]([a-z_]+\.(?!md\b)[a-z0-9_]+)["'`]""")


def keys_in(path: Path) -> set[str]:
    """Everything in a file that says something which reads like a key of one of our groups."""
    text = path.read_text(encoding="utf-8")
    if "study.wording" not in text and "./words.js" not in text:
        return set()
    groups = {key.partition(".")[0] for key in english.TEXTS}
    return {key for key in KEY.findall(text) if key.partition(".")[0] in groups}


def test_words_are_said_with_their_values() -> None:
    assert say("task.title", number=3, total=8) == "Task 3 of 8"
    with speaking("qps-ploc") as words:
        assert spoken() == words.language == "qps-ploc"
        assert say("task.title", number=3, total=8) == pseudo("Task {number} of {total}").format(number=3, total=8)
    assert spoken() == "en"


def test_what_stands_nowhere_is_an_error() -> None:
    with pytest.raises(NoWords, match=r"No words for 'task\.unheard_of' in 'en'"):
        say("task.unheard_of")
    with pytest.raises(NoWords, match="'total' is missing"):
        say("task.title", number=3)
    with pytest.raises(UnknownLanguage, match=r"no words in the language 'tlh'\. Use one of: en, qps-ploc\."):
        wording("tlh")


def test_a_study_in_a_language_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no words in the language 'xx'"):
        Study(study_id="st", name="Rooms", language="xx")


@pytest.mark.parametrize("language", [tag for tag in CATALOGUES if tag != "en"])
def test_every_language_says_the_same_with_the_same_places(language: str) -> None:
    def places(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)

    texts = CATALOGUES[language].TEXTS
    assert set(texts) == set(english.TEXTS)
    assert [key for key, text in english.TEXTS.items() if places(text) != places(texts[key])] == []
    assert [key for key, text in english.TEXTS.items() if texts[key] == text and re.search("[a-z]", re.sub(r"\{\w+\}", "", text))] == []


def test_all_that_is_said_stands_in_the_catalogue_and_all_of_the_catalogue_is_said() -> None:
    used = {path: keys_in(path) for path in PLACES if "wordings" not in path.parts}
    unknown = {f"{path.relative_to(ROOT)}: {key}" for path, keys in used.items() for key in keys if key not in english.TEXTS}
    assert unknown == set()
    by_stage = {f"end.{stage}{told}" for stage in participant_end.STAGES for told in ("", "_told")}
    by_action = set(ACTION)  # each follows from an action's declaration
    assert set(english.TEXTS) - set().union(by_stage, by_action, *used.values()) == set()


def test_a_component_gets_its_own_groups() -> None:
    assert words_for("end") == {key: text for key, text in english.TEXTS.items() if key.startswith("end.")}
    assert words_for("nothing") == {}


def test_the_pseudo_language_keeps_places_and_is_longer() -> None:
    made = pseudo("Task {number} of {total}")
    assert made.startswith("⟦") and made.endswith("⟧") and "{number}" in made and "{total}" in made
    assert not re.search("[a-z]", re.sub(r"\{\w+\}", "", made)) and len(made) > 24


def test_a_way_is_said_in_words_and_what_is_done_again_is_counted() -> None:
    way = ["move_forward", "move_forward", "move_forward", "turn_left", "pick_up(object_2)", "put(object_2,inside,object_7)"]
    told = way_in_words(way, {"object_2": "mug"})
    assert told == "Moved forward (3 times) · Turned left · Picked up the mug · Put the mug inside object 7"
    assert way_in_words([], {}) == ""
