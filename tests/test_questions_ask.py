"""What a question asks is a field: text and `ask` agree everywhere, judges read `ask` alone, and nothing executes a tag."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from data.generators.framework import generate
from data.generators.registry import GENERATORS, benchmark
from data.task import Task
from tests.sources import nodes, parsed

ROOT = Path(__file__).parent.parent
ROOMS = ("app", "annotation", "study", "data", "sim_bridge", "bench", "tools")
SLUGS = {g.slug: g for g in GENERATORS}
QUICK = ("size", "distance", "line", "triangle", "contact", "mirror", "counting", "divided", "change", "order", "looks")
"""Kinds drafted in no time and without a simulator."""


def worded(task: Task) -> set[str]:
    """The sentences that ask what the task asks."""
    ask = task.question.ask
    assert ask is not None, task.task_id
    slug = task.provenance.generator.split(" ")[0]
    return {way(ask, task.names, task.question.options) for way in SLUGS[slug].wordings(ask.what)}


def test_text_and_ask_agree_in_every_bundled_task() -> None:
    tasks = benchmark()
    assert {t.task_id: t.question.text for t in tasks if t.question.text not in worded(t)} == {}
    assert len(tasks) >= 584


@pytest.mark.parametrize("slug", QUICK)
def test_text_and_ask_agree_in_new_tasks(slug: str) -> None:
    tasks = generate(SLUGS[slug], seed=9, pairs=6).tasks
    assert tasks and all(t.question.text in worded(t) for t in tasks)
    asked = {t.question.ask.what for t in tasks if t.question.ask}
    assert asked == set(SLUGS[slug].asks)


def test_every_kind_of_question_is_asked_by_a_bundled_task() -> None:
    asked = {(t.provenance.generator.partition(" ")[0], t.question.ask.what) for t in benchmark() if t.question.ask}
    assert asked == {(g.slug, what) for g in GENERATORS for what in g.asks}


def sources() -> dict[str, Path]:
    return {p.relative_to(ROOT).as_posix(): p for room in ROOMS for p in (ROOT / room).rglob("*.py")}


def test_no_judge_reads_the_wording() -> None:
    readers = [
        f"{name}:{node.lineno}"
        for name, path in sources().items()
        if name.startswith("data/generators/")
        # which measure what the words give away, and how many texts two sets share
        and name not in ("data/generators/balance.py", "data/generators/novelty.py")
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr in ("text", "note")
        and isinstance(node.ctx, ast.Load)
        # A pair's note goes into the document as it is.
        and not (node.attr == "note" and isinstance(node.value, ast.Name) and node.value.id == "pair")
        # The text of a file is no wording of a question.
        and not (isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "text_file")
    ]
    assert readers == []


def test_what_is_asked_is_read_where_tasks_are_made_and_judged_alone() -> None:
    readers = {
        name
        for name, path in sources().items()
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "ask" and isinstance(node.value, (ast.Attribute, ast.Name))
        if ast.unparse(node.value).rpartition(".")[2] in ("question", "task", "asked", "playing", "pair")
    }
    # What may be offered depends on what is counted and compared; a verifier's checklist says of what is asked about what the state tells;
    # a blind explorer looks for what is asked about.
    judged = {"study/objects.py", "annotation/verifying/checklist.py", "bench/peering.py"}
    assert readers and {r for r in readers if not r.startswith("data/generators/")} == {"data/task.py", *judged}


def reads_tags(tree: ast.AST) -> list[int]:
    """Lines that look into tags: a key, a membership, a loop, a method. Copying them whole into other tags is none."""
    return [
        parent.lineno  # type: ignore[union-attr]
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if isinstance(child, ast.Attribute) and child.attr == "tags" and isinstance(child.ctx, ast.Load)
        if isinstance(parent, (ast.Subscript, ast.Attribute, ast.Compare, ast.For, ast.comprehension, ast.Call))
    ]


ANALYSIS = {"data/fidelity.py", "data/generators/balance.py", "tools/galleries.py", "study/exports/results.py"}
"""What says how faithful an imported scene is, counts looks, prints margins and writes the released kind of a task into its result file."""


def test_nothing_executes_a_tag() -> None:
    readers = {f"{name}:{line}" for name, path in sources().items() if name not in ANALYSIS for line in reads_tags(parsed(path))}
    # The converter of version 1 leaves out those that have become fields.
    assert {r.rpartition(":")[0] for r in readers} <= {"data/task.py"} and len(readers) <= 1, readers


@pytest.mark.parametrize("code", ["t.tags['a']", "t.tags.get('a')", "'a' in t.tags", "for k in t.tags: pass", "dict(t.tags)"])
def test_a_reader_of_tags_is_found(code: str) -> None:
    assert reads_tags(ast.parse(code))


def test_copying_tags_is_no_reading() -> None:
    assert not reads_tags(ast.parse("Task(tags=draft.tags)\n{**t.tags, 'b': 1}"))
