"""Words of people appear as they were written, whatever Markdown would make of them: in every kind of element, and on our pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.qa import projects
from sim_bridge.pool import Pool
from study import access
from study.episode import EpisodeEngine

PAGE = Path(__file__).parent / "fixtures" / "words" / "words_page.py"
ELEMENTS = {
    "title": "h1",
    "subheader": "h3",
    "caption": "[data-testid=stCaptionContainer]",
    "box": "[data-testid=stAlert]",
    "button": "[data-testid=stButton] button",
    "checkbox": "[data-testid=stCheckbox] label",
    "radio label": "[data-testid=stRadio] > label",
    "radio option": "[data-testid=stRadio] [role=radiogroup] label",
    "select label": "[data-testid=stSelectbox] label",
    "expander": "[data-testid=stExpander] summary [data-testid=stMarkdownContainer]",
    "tab": "[role=tab]",
    "metric": "[data-testid=stMetricLabel]",
    "progress": "[data-testid=stProgress] [data-testid=stMarkdownContainer]",
}
MARKUP = "strong,em,a,code,ul,ol,del,img,blockquote,hr,.katex,[role=img]"
LOOK = """([box, elements, markup]) => {
  const found = document.querySelector(`.st-key-${box}`);
  return {
    words: Object.fromEntries(Object.entries(elements).map(([name, css]) => [name, found.querySelector(css)?.innerText ?? null])),
    markup: [...found.querySelectorAll(markup)].map((e) => e.outerHTML.slice(0, 80)),
  };
}"""


def one_line(text: str | None) -> str:
    return re.sub(r"[ \t\r\n]+", " ", text or "").strip(" ")


@pytest.fixture(scope="module")
def words_server(tmp_path_factory: pytest.TempPathFactory, kit: Any) -> Iterator[Any]:
    running = kit.serve(tmp_path_factory.mktemp("words"), entry=PAGE)
    yield running
    kit.stop(running.process)


def test_no_element_makes_anything_of_them(words_server: Any, new_tab: Any) -> None:
    words = re.search(r"^WORDS = \(.*?^\)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert words is not None
    given: dict[str, Any] = {}
    exec(words[0], given)  # the page's own list
    page = new_tab().page
    page.goto(words_server.base)
    for css in ELEMENTS.values():  # parts of Streamlit that come when they are needed
        page.wait_for_selector(f".st-key-words-{len(given['WORDS']) - 1} {css}")
    for number, word in enumerate(given["WORDS"]):
        seen = page.evaluate(LOOK, [f"words-{number}", ELEMENTS, MARKUP])
        assert {name: one_line(text) for name, text in seen["words"].items()} == dict.fromkeys(ELEMENTS, one_line(word))
        assert seen["markup"] == []
    page.wait_for_selector(".st-key-raw h1")
    raw = page.evaluate(LOOK, ["raw", {"title": "h1"}, MARKUP])
    assert "→" in raw["words"]["title"] and len(raw["markup"]) >= 3, "without the helper they are read"


NAME = "a -> *b* -- $5 or $10 :smile: [x](http://y.z) __init__ <b>"


def test_names_of_studies_and_projects_and_questions_are_shown_as_written(server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("words", text=f"Which? {NAME}")
    study = server.study(task, name=NAME)
    projects.create_project(server.store, NAME, study_id=study.study_id, trial_batch=0)
    tab = new_tab()
    cookie, _ = access.enter(server.store, access.create_invite(server.store, "participant", study.study_id))
    for role in ("owner", "author"):
        cookie, _ = access.enter(server.store, access.create_invite(server.store, role, study.study_id), cookie)
    tab.page.context.add_cookies([{"name": "vantage_session", "value": cookie, "url": server.base, "httpOnly": True, "sameSite": "Lax"}])

    def headed(role: str, path: str = "", name: str = NAME) -> None:
        mine = next(one for one in access.grants(server.store, cookie) if one.role == role)
        tab.page.goto(f"{server.base}/{path}?as={mine.grant_id}")
        tab.page.get_by_role("heading", name=name, exact=True).first.wait_for()

    tab.page.goto(server.base)
    tab.page.get_by_role("button", name=f"{NAME}, as author", exact=True).wait_for()
    headed("participant")
    headed("owner")
    headed("owner", "questions")
    headed("author")
    engine = EpisodeEngine(server.store, None, Pool(workers=0))  # type: ignore[arg-type]
    engine.create(task.content_hash, study_id=study.study_id, agent_kind="model", agent_name=NAME)
    headed("owner", "episode", f"Which? {NAME}")
