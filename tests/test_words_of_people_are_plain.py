"""Words of people reach no element that reads Markdown but through `plain_text`: the rule of `make check`, and that it can fail."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from app.pages.parts import plain_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tools.plain_words import faults, faults_of

HEAD = "import streamlit as st\nfrom app.pages import qa_parts\nfrom app.pages.parts import plain_text\n"


def test_no_page_gives_words_of_people_to_an_element_that_reads_markdown() -> None:
    assert faults() == []


@pytest.mark.parametrize(
    "line",
    [
        "st.title(study.name)",
        "st.subheader(task.question.text, anchor=False)",
        "column.button(f'{name}, as owner', key='a')",
        "st.error('No: ' + str(error))",
        "st.error(str(error) if error else '')",
        "st.info(message)",
        "st.metric('n', 3, delta=words)",
        "st.checkbox('Take it', help=item.note)",
        "st.radio('Which?', list(names))",
        "st.radio('Which?', ids, format_func=names.__getitem__)",
        "st.radio('Which?', ids, captions=[n.text for n in notes])",
        "st.selectbox(project.name, ids)",
        "st.tabs([f'Comments {n}', title])",
        "st.expander(label=said)",
        "st.progress(0.5, text=job.message)",
        "st.write(' · '.join(facts))",
        "st.column_config.TextColumn('x', help=note)",
        "st.column_config.NumberColumn(label)",
        "st.markdown(WORDS.get(kind, kind))",
        "with st.popover(row['name']):\n    pass",
        "for name in names:\n    st.caption(name)",
        "def f(text):\n    st.caption(text)",
        "told = text = given\nst.caption(told)",
        "told = 'ours'\ntold += given\nst.caption(told)",
        "st.link_button('Open ' + plain_text(a) + b, url)",
        "st.caption(plain_text.__doc__)",
        "st.caption(say('task.pause', name=study.name))",
    ],
)
def test_the_rule_finds_words_that_may_be_peoples(line: str) -> None:
    assert list(faults_of(HEAD + line)), line


@pytest.mark.parametrize(
    "line",
    [
        "st.title('Episodes')",
        "st.title(plain_text(study.name))",
        "st.button(plain_text(f'{name}, as {role}'), key=name)",
        "st.info(f'{len(found)} items, {share:.0%}, {n:d} more')",
        "st.info(KIND.words[state].told)",
        "st.warning(f'{plain_text(a)}: {plain_text(b)}')",
        "st.selectbox('Project', ids, format_func=names.__getitem__)",
        "st.radio('Which?', ids, format_func=lambda one: plain_text(names[one]))",
        "label = 'Begin' if first else 'Next'\nst.button(label)",
        "st.tabs(['a', f'b ({n:d})'])",
        "st.html(f'<p>{escape(said)}</p>')",
        "st.code(link, language=None)",
        "st.caption(say('task.pause'))",
        "st.caption(say('task.title', number=3, name=plain_text(name)))",
        "qa_parts.error(said)",
        "log.info(said)",
        "st.caption('\\n'.join(f'- {plain_text(f.title)}' for f in forms))",
    ],
)
def test_the_rule_lets_words_of_the_program_pass(line: str) -> None:
    assert list(faults_of(HEAD + line)) == [], line


def test_a_file_without_streamlit_is_not_asked() -> None:
    assert list(faults_of("page.title(study.name)")) == []


def test_plain_words_stay_on_one_line_and_lose_nothing_but_markup() -> None:
    text = "  Price $5–$10,\n *now* -> <b> :smile: https://a.example www.b.example  é箱\u00a0x "
    made = plain_text(text)
    shown = re.sub(r"\\(.)", r"\1", made.replace(":small[]", ""))
    assert shown == "Price $5–$10, *now* -> <b> :smile: https://a.example www.b.example é箱\u00a0x "[:-1]
    assert plain_text("Newer") == "Newer" and plain_text("") == ""
