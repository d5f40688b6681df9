"""A model that sees nothing answers a set over HTTP: what it is told, how it is scored, and how a cut run goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from annotation.auditing.baselines import ARMS, Asking, BaselinesCut, Kept, ask, askings, table
from annotation.auditing.check import Row
from annotation.endpoint import EndpointSettings
from app.cli import main
from data.store import StoreError
from data.task import Task
from study.measures.intervals import clustered
from tests.annotation.auditing.made import audited, made
from tests.model_stand_in import StandIn, completion

THINGS = ("apple", "book", "cup", "drum", "egg", "fork", "globe", "hat", "iron", "jar", "kite", "lamp", "mug", "nail", "oar", "pot")


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    yield server
    server.close()


def larger(n: int = 16, first: int = 12) -> list[Task]:
    """Which of two is larger: the gold is what is named first in `first` of `n` questions."""
    tasks = []
    for i in range(n):
        pair = (THINGS[i % 16], f"{THINGS[(i + 5) % 16]} {i}")
        tasks.append(made(i, f"Which is larger, the {pair[0]} or the {pair[1]}?", pair, pair[i >= first], names={}))
    return tasks


def says_the_first(body: dict[str, Any]) -> bytes:
    """The thing that the question names first."""
    found = re.search(r"the (.*?) or the", body["messages"][0]["content"])
    assert found
    return completion(json.dumps({"answer": found[1], "confidence": 0.6}))


def settings(stand_in: StandIn) -> EndpointSettings:
    return EndpointSettings(url=stand_in.url, model="blind")


def test_the_words_hold_the_question_and_its_options_and_nothing_of_the_scene() -> None:
    task = larger()[0]
    alone, more = (Asking(Row(task.task_id, "", task), task, arm, "blind") for arm in ARMS)
    words = alone.words
    assert task.question.text in words and all(option in words for option in task.question.options)
    assert "You answer a question about a scene that you do not see." in words and '"answer"' in words
    assert "Things in the scene" not in words and "action" not in words
    orders = {Asking(Row(t.task_id, "", t), t, "question", "blind").shown.index(t.question.options[0]) for t in larger()}
    assert orders == {0, 1}, "options are shuffled"
    twin = task.model_copy(update={"gold": task.gold.model_copy(update={"accepted": (task.question.options[1],)})})
    assert alone.key != more.key
    assert Asking(alone.row, twin, "question", "blind").words.splitlines()[1] == words.splitlines()[1]


def test_with_kinds_of_things_is_asked_where_a_question_speaks_of_some() -> None:
    silent = larger(2)
    named = [task.model_copy(update={"names": {task.scene.objects[0].handle: "the thing"}}) for task in silent]
    assert [one.arm for one in askings(audited(silent), "blind")] == ["question", "question"]
    found = askings(audited(named), "blind")
    assert [one.arm for one in found] == ["question", "question", "metadata", "metadata"]
    kind = named[0].scene.objects[0].category.replace("_", " ")
    assert f"Things in the scene: {kind}" in found[2].words and kind not in found[0].words.splitlines()[-3]


def test_a_blind_model_is_scored_beside_majority_and_chance(stand_in: StandIn, tmp_path: Path) -> None:
    """It is right in 12 of 16: 75 %; cluster-robust over 16 single tasks: 0.75 ± t(15) · √(0.75 · 0.25 / 15)."""
    stand_in.answer = says_the_first
    given = audited(larger())
    answered = ask(given, settings(stand_in), Kept.open(tmp_path / "replies.jsonl"))
    assert len(stand_in.asked) == len(answered) == 16
    (line,) = table(given, answered)
    assert (line.n, line.chance, line.majority) == (16, 0.5, 1 / 16)
    figure = line.arms["question"]
    assert (figure.share.value, figure.lenient, figure.unanswered, figure.missing) == (0.75, 0.75, 0, 0)
    assert figure.share.interval == pytest.approx((0.75 - 2.1314 * 0.1118, 0.75 + 2.1314 * 0.1118), abs=1e-3)
    none = line.arms["metadata"]
    assert (none.share.value, none.missing, none.unfit) == (None, 0, 16)


def test_the_interval_over_clusters_is_that_of_cochrans_example() -> None:
    """30 households of 104 people, of whom 30 saw a doctor: p = 0.288, v(p) = 0.00520, where taking people for independent gives 0.00197.

    Cochran (1977), Sampling Techniques, 3.12; Σa² = 86, Σam = 113 and Σm² = 404. The households here have these totals.
    """
    sizes = [5, 6, 3, 3, 2, 3, 3, 3, 4, 4, 3, 2, 7, 4, 3, 5, 4, 4, 3, 3, 4, 3, 3, 1, 2, 4, 3, 4, 2, 4]
    seen = [0, 5, 0, 2, 1, 0, 3, 1, 0, 0, 3, 0, 1, 0, 0, 0, 2, 4, 0, 2, 0, 3, 1, 1, 0, 0, 0, 0, 0, 1]
    totals = [sum(a * b for a, b in zip(x, y, strict=True)) for x, y in ((seen, seen), (seen, sizes), (sizes, sizes))]
    assert (sum(sizes), sum(seen), totals) == (104, 30, [86, 113, 404])
    right = [float(i < a) for a, m in zip(seen, sizes, strict=True) for i in range(m)]
    found = clustered(right, [h for h, m in enumerate(sizes) for _ in range(m)])
    assert found.value == pytest.approx(0.288, abs=5e-4) and found.interval is not None
    variance = ((found.interval[1] - found.interval[0]) / 2 / 2.04523) ** 2  # t of 29 degrees of freedom
    assert variance == pytest.approx(0.00520, abs=1e-5)
    assert clustered([1.0, 0.0], ["a", "a"]).reason == "an interval needs two clusters of tasks"


def test_a_cut_run_goes_on_and_asks_nothing_twice(stand_in: StandIn, tmp_path: Path) -> None:
    kept, given = tmp_path / "replies.jsonl", audited(larger())

    def then_it_fails(body: dict[str, Any]) -> bytes:
        stand_in.status = 200 if len(stand_in.asked) <= 6 else 401
        return says_the_first(body)

    stand_in.answer = then_it_fails
    with pytest.raises(BaselinesCut, match=r"wants another key.* 6 of 16 replies are kept in .*replies\.jsonl: run it again to go on"):
        ask(given, settings(stand_in), Kept.open(kept))
    assert len(stand_in.asked) == 11, "five in a row, and none of them twice: a wrong key does not pass"
    with kept.open("a", encoding="utf-8") as file:
        file.write('{"key": "cut o')
    stand_in.asked.clear()
    stand_in.answer, stand_in.status = says_the_first, 200
    heard: list[str] = []
    given.progress = lambda done, total, what: heard.append(f"{done} of {total} {what}")
    answered = ask(given, settings(stand_in), Kept.open(kept), time_left=lambda spent_s, done, left: f" ({left} to come)")
    assert len(answered) == 16 and len(stand_in.asked) == 10
    assert heard[0] == "6 of 16 questions to blind (10 to come)"
    assert {json.loads(line)["row_id"] for line in kept.read_text().splitlines()} == {task.task_id for task in larger()}
    ask(given, EndpointSettings(url=stand_in.url, model="another"), Kept.open(kept))
    assert len(stand_in.asked) == 26, "another model is asked anew"


def test_a_busy_endpoint_is_asked_again_and_a_reply_without_an_answer_is_wrong(stand_in: StandIn, tmp_path: Path) -> None:
    waits: list[float] = []

    def busy_once(body: dict[str, Any]) -> bytes:
        stand_in.status = 429 if len(stand_in.asked) == 1 else 200
        return completion("I cannot say.")

    stand_in.answer = busy_once
    given = audited(larger(2))
    answered = ask(given, settings(stand_in), Kept.open(tmp_path / "replies.jsonl"), wait=waits.append)
    assert waits == [1.0] and len(stand_in.asked) == 3
    figure = table(given, answered)[0].arms["question"]
    assert (figure.share.value, figure.unanswered, figure.share.reason) == (
        0.0, 2, "all answers are alike, so nothing tells how they would vary",
    )  # fmt: skip


def test_a_task_that_a_set_has_twice_is_asked_once_and_counts_twice(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.answer = says_the_first
    tasks = larger(3)
    answered = ask(audited([*tasks, tasks[0]]), settings(stand_in), Kept.open(tmp_path / "replies.jsonl"))
    assert len(stand_in.asked) == 3 and len(answered) == 4


def test_a_model_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    gone, waits = StandIn(), list[float]()
    gone.close()
    with pytest.raises(BaselinesCut, match=r"gave no answer .*: is it running, .* 0 of 2 replies are kept in .*: run it again to go on"):
        ask(audited(larger(2)), settings(gone), Kept.open(tmp_path / "replies.jsonl"), wait=waits.append)
    assert waits == [1.0, 2.0, 1.0, 2.0]


def test_a_file_that_holds_no_replies_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("my notes\n", encoding="utf-8")
    with pytest.raises(StoreError, match=r"Line 1 of .* is no reply"):
        Kept.open(tmp_path / "notes.txt")
    (tmp_path / "notes.txt").write_text("my notes", encoding="utf-8")
    with pytest.raises(StoreError, match=r"The end of .* is no reply"):
        Kept.open(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "my notes"
    with pytest.raises(StoreError, match="cannot be kept in"):
        Kept.open(tmp_path / "no" / "such" / "folder")
    with pytest.raises(StoreError, match="cannot be read"):
        Kept.open(tmp_path)


def run(tmp_path: Path, *more: str) -> Result:
    folder = tmp_path / "set"
    folder.mkdir(exist_ok=True)
    for task in larger():
        (folder / f"{task.task_id}.json").write_text(task.canonical_json(), encoding="utf-8")
    return CliRunner().invoke(main, ["audit", str(folder), "--check", "duplicate-id", *more])


def test_the_command_prints_table_5(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.answer = says_the_first
    options = ["--endpoint", stand_in.url, "--model", "blind", "--replies", str(tmp_path / "replies.jsonl")]
    done = run(tmp_path, *options)
    assert done.exit_code == 0, done.output
    assert "blind without pictures (ESI-Bench, Table 5)" in done.stdout and "75.0 [51.2, 98.8]" in done.stdout
    found = json.loads(run(tmp_path, *options, "--json").stdout)["baselines"]
    assert found["model"] == "blind" and found["categories"][0]["arms"]["question"]["accuracy"] == 0.75
    assert len(stand_in.asked) == 16, "the second run asked nothing"


def test_options_that_do_not_fit_are_sentences(tmp_path: Path) -> None:
    for options, sentence in (
        (("--endpoint", "http://x/v1", "--model", "m", "--replies", "r", "--key-variable", "no key"), "a variable such as"),
        (("--model", "m"), "Name the address of the model with --endpoint."),
        (("--endpoint", "http://127.0.0.1:1/v1"), "Beside --endpoint name the --model"),
        (("--endpoint", "ftp://x", "--model", "m", "--replies", "r"), "Name an address such as"),
    ):
        told = run(tmp_path, *options)
        assert told.exit_code == 2 and sentence in told.output
