"""A participant's words stand in one catalogue: what is said is in it, what is in it is said, and other languages say the same."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from app.pages import participant_end
from study.action_results import way_in_words
from study.studies import Study
from study.wording import NoWords, UnknownLanguage, say, speaking, spoken, wording, words_for
from study.wordings import CATALOGUES, english
from study.wordings.actions import ACTION
from study.wordings.pseudo import pseudo

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


COMPONENTS = {path.name: path for path in (ROOT / "app" / "components").rglob("*.js")}
"""A script is imported by its name, whichever folder it lies in."""
FIRST = ("play.js", "question.js", "questionnaire.js", "leaving.js", "todo.js")
"""What the pages of participants draw; the browser's walk in the pseudo-language does not come to each paradigm, this does."""
NO_WORDS = {"Delete", "Backspace", "Enter", "Esc", "Escape", "Dead", "Unidentified", "No words for ${key}."}
"""Names of keys, and an error of the program."""
REPLACED = {"pane.js"}
"""A component of staff whose words `question.js` replaces by those of the catalogue."""
LITERAL = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")


def modules_of(first: tuple[str, ...]) -> set[str]:
    """The scripts that these ones bring in, themselves included."""
    found, todo = set(), list(first)
    while todo:
        name = todo.pop()
        if name not in found and name in COMPONENTS:
            found.add(name)
            todo += re.findall(r"from '\./([\w.]+\.js)'", COMPONENTS[name].read_text(encoding="utf-8"))
    return found


def own_words(script: str) -> list[str]:
    """Texts in a script, comments aside, that begin as a sentence or a label does."""
    code = re.sub(r"(?m)(^|\s)//.*$|^\s*/?\*.*$", "", script)
    texts = ["".join(parts) for parts in LITERAL.findall(code)]
    return [text for text in texts if text not in NO_WORDS and re.match(r"[A-Z][a-z]+[.…:,!?]?( |$)", re.sub(r"\$\{[^}]*\}", "", text))]


def test_no_component_of_participants_has_words_of_its_own() -> None:
    names = modules_of(FIRST)
    assert {"pictures.js", "view.js", "pace.js", "timeleft.js", "forms.js"} <= names
    found = {name: own_words(COMPONENTS[name].read_text(encoding="utf-8")) for name in names - REPLACED}
    assert {name: words for name, words in found.items() if words} == {}


def test_words_in_a_script_are_found() -> None:
    script = (
        "h('p', {}, 'Next picture'); say('play.left'); // Say it\n key === 'Escape'; `Picture ${n} of 4`; f(\"Saved.\");\n * Doc 'Text'"
    )
    assert own_words(script) == ["Next picture", "Picture ${n} of 4", "Saved."]


@pytest.mark.parametrize("path", [*(ROOT / "app" / "pages").glob("participant*.py"), *(ROOT / "study" / "stations").glob("*.py")])
def test_no_page_of_participants_has_words_of_its_own(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told]
    assert [text for text in texts if isinstance(text, str) and re.search("[A-Z][a-z]+ [a-z]+", text)] == []
