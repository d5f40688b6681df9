"""Replies of models: read by the published rule, the last one first; what says nothing is no answer."""

from __future__ import annotations

import re

import pytest

from annotation.qa.evaluating.replies import read_answer


def published(text: str) -> str | None:
    """The released scripts' rule, stated on its own; None where they would count A for want of anything."""
    if found := re.search(r"Answer:\s*([A-E])\b", text, re.IGNORECASE):
        return found[1].upper()
    lone = re.search(r"\b([A-E])\b(?!\.)", text)
    return lone[1] if lone else None


BY_THE_RULE = [
    ("It is near the cup.\nAnswer: B", "B"),
    ("The mug is nearest. Answer: C", "C"),
    ("Therefore, Answer: C", "C"),
    ("Answer:\nB", "B"),
    ("Final Answer:\n\nD", "D"),
    ("answer: e", "E"),
    ("ANSWER:\tA\nthank you", "A"),
    ("Answer: A because the cup stands before the plate.", "A"),
    ("Answer: A) Red", "A"),
    ("Answer: D. Grab the item in the blue box", "D"),
    ("My Answer:C", "C"),
    ("A. Red\nB. Blue\nC. Green\nSo I choose D", "D"),
    ("I think it is E", "E"),
    ("The best option is (C).", "C"),
    ("Option B seems right", "B"),
    ("C", "C"),
    ("(D)", "D"),
    ("Reasoning about A. and B. only", None),
    ("Answer: Blue", None),
    ("I cannot answer.", None),
    ("the cabinet is closed", None),
    ("a", None),
    ("", None),
    ("Answer:", None),
    ("Answer: none of them", None),
    ("Answer: X", None),
]
"""Where the released scripts and this reader say the same."""

BEYOND_THE_RULE = [
    # the last one counts
    ("Answer: A\nNo, wait.\nAnswer: B", "B"),
    ("<think>Answer: B looks right</think>\nAnswer: C", "C"),
    ("Say 'Answer: A' or so. ... Answer: E", "E"),
    ("Not B, so D", "D"),
    ("Between B and C: C", "C"),
    # dress
    ("**Answer:** c", "C"),
    ("**Answer: B**", "B"),
    ("Answer: **D**", "D"),
    ("### Answer\n\nIt is Answer:\n**E**", "E"),
    ("Final answer: (D).", "D"),
    ("So the final answer: C.", "C"),
    ("The answer is: E", "E"),
    ("the correct answer is B.", "B"),
    ("The answer should be option C.", "C"),
    ("The answer is **Option D: Red box**", "D"),
    ("Answer: Option C.", "C"),
    ("Answer - B", "B"),
    ("Answer = B", "B"),
    ("Answer：D", "D"),
    (r"Answer: $\boxed{A}$", "A"),
    (r"\boxed{B}", "B"),
    (r"The answer is \(\textbf{E}\)", "E"),
    ("<answer>B</answer>", "B"),
    ("<answer>\n D \n</answer>", "D"),
    ("Answer: <b>C</b>", "C"),
    ('{"answer": "B", "explanation": "A is far."}', "B"),
    ("`Answer: A`", "A"),
    ("B.", "B"),
    ("Option D.", "D"),
    # repeated options after it
    ("Answer: C\nA. Red\nB. Blue", "C"),
    ("Answer: None of the above (E)", "E"),
    ("Answer: C, D is too far", "C"),
    # "A" is an article, and two letters are no choice
    ("A cup stands on the left.", None),
    ("Answer: A cup", None),
    ("A robot arm holds a bowl, so B", "B"),
    ("Answer: A or B", None),
    ("Answer: B and C", None),
    ("Answer: A, B", None),
    ("Answer: C/D", None),
    ("None of A-E fits", None),
    ("The C-shaped handle is seen", None),
    ("I cannot answer. Both are hidden", None),
]


@pytest.mark.parametrize(("text", "letter"), BY_THE_RULE)
def test_as_the_released_scripts_read_it(text: str, letter: str | None) -> None:
    assert read_answer(text) == letter == published(text)


@pytest.mark.parametrize(("text", "letter"), BEYOND_THE_RULE)
def test_where_the_last_counts_and_clear_words_are_read_as_what_they_say(text: str, letter: str | None) -> None:
    assert read_answer(text) == letter


def test_a_very_long_reply_is_read() -> None:
    assert read_answer("thinking answer: " * 20_000 + "\nAnswer: D") == "D"
    assert read_answer("answer " * 20_000 + "(" * 20_000) is None
