"""Results of models on the items: read from result trees and tables, scored, put into the published tables, wrong ones coded.

An answer that cannot be read is "no answer". It is never a letter: counting it as A would pay a run for being unreadable wherever A is
right. The accuracy of a run counts it as wrong, and its number stands beside.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.qa import derive
from annotation.qa.errors import QaError, UnknownItem
from annotation.qa.evaluating.replies import read_answer
from annotation.qa.items import LETTERS, Item
from annotation.qa.subtasks import SUBTASKS, named
from annotation.qa.work import pool
from annotation.reviewing.agreement import percent_agreement
from data import archives
from data.foreign import Unreadable, decoded, file_bytes, json_file, json_lines, table
from data.names import printed
from data.store import Store, new_id, now
from study.measures.agreement import krippendorff

TABLES = (".csv", ".tsv", ".txt")
"""Endings of tables with a header, whatever separates their cells."""
LINES = (".jsonl", ".ndjson")
"""Endings of tables with a JSON object in each line."""
COLUMNS = ("item_id", "model", "answer", "raw", "run", "error")
"""Columns of a table of results, in any order and case; others are passed over."""
MAX_JSON_BYTES = 32 * 1024 * 1024
"""Largest ``QA.json`` of a result tree: it holds the words of every run."""

CODES: Mapping[str, str] = {
    "perception": "An object, a mark or a gripper is not seen, or taken for another.",
    "correspondence": "A thing in one view is matched to another thing in the other view.",
    "geometry": "Depth, order or direction in space is wrong although the things are the right ones.",
    "embodiment": "What a gripper can reach, hold or hit is judged wrong.",
    "task": "The goal or the order of steps is misunderstood.",
    "reasoning": "The premises are right, the conclusion does not follow.",
    "unreadable": "No answer, a refusal, or one that cannot be read.",
    "item": "The item itself is at fault.",
}
"""Why a wrong answer is wrong; one code per answer and coder."""


@dataclass(frozen=True)
class Answer:
    """One run's answer to one item, as read."""

    item_id: str
    run: str
    model: str
    answer: str | None
    raw: str
    file: str


@dataclass
class ResultsImport:
    """What an import of results did."""

    files: int = 0
    imported: int = 0
    replaced: int = 0
    no_answer: int = 0
    """Of the imported."""
    fallbacks: int = 0
    """Of those, the ones for which the file names a letter although its text has no readable answer."""
    failed: int = 0
    """Of those without an answer, calls that failed: the file has an error in place of a reply."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """(file and line, why)."""
    notes: list[str] = field(default_factory=list)
    """What had to be assumed to read a file."""


def import_results(
    store: Store, project_id: str, path: Path, *, actor: str, run: str | None = None, shown: str | None = None
) -> ResultsImport:
    """Read results and keep them.

    Args:
        store: the database.
        project_id: the project whose items were answered; items of derived sets are known by their id.
        path: a folder that mirrors the published tree (every ``QA.json`` in it carries one key per run), or a table (`TABLES`, `LINES`)
            with ``item_id``, ``model`` and ``answer`` or ``raw``, or ``error`` where the call failed; `data.foreign` says how it is read.
        actor: who imports.
        run: name of the run for tables without a column ``run``; default: the file's name.
        shown: how messages call the file; default: its name.

    Returns:
        Counts; what was refused, and why.

    Raises:
        QaError: nothing can be read there.
    """
    report = ResultsImport()
    known = _known(store, project_id)
    with store.atomic() as db:
        models = {row["run"]: row["model"] for row in store.query("SELECT run, model FROM qa_results WHERE project_id = ?", [project_id])}
        for answer, fallback in _answers(path, run, report, printed(shown or path.name)):
            item = known.get(answer.item_id)
            if item is None:
                report.refused.append((answer.file, f"There is no accepted item {answer.item_id!r} in this project."))
                continue
            called = _run_of(answer, models)
            row: dict[str, Any] = {
                "result_id": new_id("rs"),
                "project_id": project_id,
                "run": called,
                "model": answer.model,
                "item_id": item.item_id,
            }
            row |= {"content_hash": item.content_hash, "subtask": item.subtask, "variant": item.derived.kind if item.derived else ""}
            row |= {"answer": answer.answer, "gold": item.gold or "", "raw": answer.raw, "file": answer.file, "imported_at": now()}
            before: dict[str, Any] | None = store.one(
                "SELECT result_id FROM qa_results WHERE project_id = ? AND run = ? AND item_id = ?",
                [project_id, called, item.item_id],
            )
            if before is not None:
                db.execute("DELETE FROM qa_codes WHERE result_id = ?", [before["result_id"]])
                db.execute("DELETE FROM qa_results WHERE result_id = ?", [before["result_id"]])
                report.replaced += 1
            store.insert("qa_results", row)
            report.imported += 1
            report.no_answer += answer.answer is None
            report.fallbacks += fallback
        data = {"project": project_id, "path": printed(shown or path.name), "imported": report.imported, "replaced": report.replaced}
        store.event("qa_results_imported", data, actor=actor, subject=project_id)
    return report


def _run_of(answer: Answer, models: dict[str, str]) -> str:
    """The name of an answer's run. A run is one model's: the released scripts write every model under the same key, and a table may hold
    several; without a name of its own the second would take the place of the first."""
    if models.setdefault(answer.run, answer.model) == answer.model:
        return answer.run
    return f"{answer.run} ({answer.model})"


def import_upload(store: Store, project_id: str, name: str, data: bytes, *, actor: str, run: str | None = None) -> ResultsImport:
    """Read results from an uploaded file, and keep them, as `import_results`.

    Args:
        store: the database.
        project_id: the project.
        name: the file's name, whose ending says what it is: a ``.zip`` of a result tree, or a table.
        data: its bytes.
        actor: who imports.
        run: name of the run for tables that name none.

    Raises:
        QaError: nothing can be read there; nothing was kept.
        StoreError: it cannot be unpacked or written here.
    """
    with tempfile.TemporaryDirectory(prefix="vantage-results-") as held:
        folder = Path(held)
        if name.lower().endswith(".zip"):
            unpack(data, folder)
            return import_results(store, project_id, folder, actor=actor, run=run)
        ending = next((ending for ending in (*TABLES, *LINES) if name.lower().endswith(ending)), "")
        table_file = folder / f"table{ending}"
        table_file.write_bytes(data)
        called = run or printed(name[: len(name) - len(ending)])[:80]
        return import_results(store, project_id, table_file, actor=actor, run=called, shown=name)


def unpack(data: bytes, folder: Path) -> int:
    """The ``QA.json`` files of an archive, and nothing else of it, below an empty folder; returns how many.

    Raises:
        QaError: as `data.archives.unpack`.
    """
    try:
        return archives.unpack(data, folder, lambda path: path.name == "QA.json")
    except Unreadable as error:
        raise QaError(error.reason) from None


def _known(store: Store, project_id: str) -> dict[str, Item]:
    """Accepted items and what is derived from them, by id; accepted ones also by ``<subtask>/QA<nnn>``."""
    counted = [s for s in pool.items(store, project_id, state="accepted") if not s.trial]
    items = [s.item for s in counted]
    # a result tree of a published set without ids names them by folder
    known = {item.item_id: item for item in items} | {f"{s.item.subtask}/QA{s.number:03d}": s.item for s in counted}
    for kind in ("single", "flip", "reject"):
        known |= {item.item_id: item for item in derive.derive(items, kind).items}
    return known


def _answers(path: Path, run: str | None, report: ResultsImport, name: str) -> Iterator[tuple[Answer, bool]]:
    if path.is_dir():
        yield from _tree(path, report)
    elif path.suffix.lower() in (*TABLES, *LINES):
        yield from _table(path, run or printed(path.stem), report, name)
    else:
        raise QaError(f"{name}: name a folder of QA.json files, a .jsonl or a .csv table (or .ndjson, .tsv, .txt).")
    if not report.files:
        raise QaError(f"{name}: no QA.json lies below it.")


def _tree(root: Path, report: ResultsImport) -> Iterator[tuple[Answer, bool]]:
    for path in sorted(root.rglob("QA.json")):
        name = printed(path.relative_to(root).as_posix())
        report.files += 1
        try:
            content = json_file(path, MAX_JSON_BYTES, nan="null", halves="mend")
        except Unreadable as error:
            report.refused.append((name, error.reason))
            continue
        if not isinstance(content, dict):
            report.refused.append((name, f"An object is needed, got {type(content).__name__}."))
            continue
        item_id = content.get("id") or _place(path)
        runs = {key: value for key, value in content.items() if isinstance(value, dict) and "model" in value and _SAID & value.keys()}
        if not runs:
            report.refused.append((name, "No run is in it: a key with model, choice and explanation, or with model and error, is needed."))
        for key, value in runs.items():
            raw = str(value.get("explanation") or "")
            stated = str(value.get("choice") or "").strip().upper()
            answer = read_answer(raw)
            fallback = False
            if answer is None and "explanation" not in value and stated in LETTERS:
                answer = stated
            elif answer is None and stated in LETTERS:
                # the released script writes A when it cannot read the text: a letter without a readable text proves nothing
                fallback = True
            if failure := _failure(value, raw, stated):
                report.failed += 1
            yield Answer(str(item_id), key, str(value["model"]), answer, raw or stated or failure, name), fallback


_SAID = {"choice", "explanation", "error"}
"""Of these a run has one at least: what was said, or why nothing was."""


def _failure(value: Mapping[str, Any], *replies: str) -> str:
    """Why a call failed, where it did: an error stands in place of a reply."""
    return "" if any(replies) or not value.get("error") else f"The call failed: {value['error']}"


def _place(path: Path) -> str:
    """``matching/QA012`` of a path that ends so, whatever the subtask's folder is called."""
    try:
        return f"{named(path.parent.parent.name).slug}/{path.parent.name}"
    except QaError:
        return f"{path.parent.parent.name}/{path.parent.name}"


def _table(path: Path, run: str, report: ResultsImport, name: str) -> Iterator[tuple[Answer, bool]]:
    report.files += 1
    notes: list[str] = []
    try:
        data = file_bytes(path)
        if path.suffix.lower() in TABLES:
            read = table(data, wanted=COLUMNS)
            rows: Iterator[tuple[int, Any]] = read.rows
            notes = read.notes
            if missing := [column for column in ("item_id", "model") if column not in read.columns]:
                there = ", ".join(filter(None, read.columns))[:200]
                raise Unreadable(f"Has no column {' and no column '.join(missing)} in its header, which holds: {there or 'nothing'}.")
        else:
            text = decoded(data, guess=True)
            rows = json_lines(text.text, nan="null", halves="mend")
            notes = [text.note] if text.note else []
    except Unreadable as error:
        raise QaError(f"{name}: {error.reason}") from None
    for number, row in rows:
        where = f"{name}:{number}"
        if isinstance(row, Unreadable):
            report.refused.append((where, row.reason))
            continue
        if not isinstance(row, dict):
            report.refused.append((where, f"An object is needed, got {type(row).__name__}."))
            continue
        row = {key.strip().lower(): value for key, value in row.items()}
        if not row.get("item_id") or not row.get("model"):
            report.refused.append((where, "item_id and model are needed."))
            continue
        raw, stated = row.get("raw"), str(row.get("answer") or "").strip()
        answer = read_answer(str(raw)) if raw else read_answer(stated)
        if failure := _failure(row, str(raw or ""), stated):
            report.failed += 1
        said = str(raw or stated or failure)
        yield Answer(str(row["item_id"]), str(row.get("run") or run), str(row["model"]), answer, said, where), False
    report.notes += [f"{name}: {note}" for note in notes]


# tables


def tables(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The published table: one row per run, accuracy per subtask, for the spatial and robotic domains and over all.

    Args:
        rows: with ``run``, ``model``, ``variant``, ``subtask``, ``answer`` (None: no answer) and ``gold``: those of `stored`, or of people.

    Returns:
        Per run and variant: ``subtasks`` (slug → ``n``, ``correct``, ``no_answer``, ``accuracy``, ``low``, ``high``), ``spatial``,
        ``robotic`` and ``all`` alike, each over its items; ``mean_of_subtasks``. Accuracies are fractions of all items asked; the bounds
        are Wilson's 95 % interval for one run.
    """
    runs: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        runs[(row["run"], row["model"], row.get("variant") or "")].append(row)
    made = []
    for (run, model, variant), group in sorted(runs.items()):
        subtasks = {slug: _score([r for r in group if r["subtask"] == slug]) for slug in SUBTASKS}
        present = {slug: score for slug, score in subtasks.items() if score["n"]}
        entry: dict[str, Any] = {"run": run, "model": model, "variant": variant, "subtasks": present}
        for domain in ("spatial", "robotic"):
            entry[domain] = _score([r for r in group if SUBTASKS[r["subtask"]].domain == domain])
        entry["all"] = _score(group)
        entry["mean_of_subtasks"] = round(sum(s["accuracy"] for s in present.values()) / len(present), 4) if present else None
        made.append(entry)
    return made


def _score(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    n, correct = len(rows), sum(row["answer"] is not None and row["answer"] == row["gold"] for row in rows)
    if not n:
        return {"n": 0, "correct": 0, "no_answer": 0, "accuracy": None, "low": None, "high": None}
    low, high = wilson(correct, n)
    unread = sum(row["answer"] is None for row in rows)
    return {
        "n": n,
        "correct": correct,
        "no_answer": unread,
        "accuracy": round(correct / n, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def wilson(successes: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's interval for a share; `z` of the normal distribution, default 95 %."""
    share = successes / n
    centre, spread = share + z * z / (2 * n), z * ((share * (1 - share) + z * z / (4 * n)) / n) ** 0.5
    return max(0.0, (centre - spread) / (1 + z * z / n)), min(1.0, (centre + spread) / (1 + z * z / n))


def scatter(made: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Points of the spatial-against-robotic plot: runs that have both."""
    return [
        {"run": row["run"], "model": row["model"], "variant": row["variant"], "spatial": row["spatial"]["accuracy"]}
        | {"robotic": row["robotic"]["accuracy"], "n": row["all"]["n"]}
        for row in made
        if row["spatial"]["n"] and row["robotic"]["n"]
    ]


def markdown(made: Sequence[Mapping[str, Any]]) -> str:
    """The table as text: percentages, subtasks in the published order, "no answer" beside."""
    head = ["run", "model", "set", *(SUBTASKS[slug].name for slug in SUBTASKS), "Spatial", "Robotic", "All", "no answer"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]

    def percent(score: Mapping[str, Any] | None) -> str:
        return "" if not score or score["accuracy"] is None else f"{100 * score['accuracy']:.1f}"

    for row in made:
        cells = [row["run"], row["model"], row["variant"] or "full", *(percent(row["subtasks"].get(slug)) for slug in SUBTASKS)]
        cells += [percent(row[name]) for name in ("spatial", "robotic", "all")] + [str(row["all"]["no_answer"])]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def stored(store: Store, project_id: str) -> list[dict[str, Any]]:
    """The results of a project, by run and item. `stale` are those of an item that has changed since."""
    current = {item_id: item.content_hash for item_id, item in _known(store, project_id).items()}
    rows = store.query("SELECT * FROM qa_results WHERE project_id = ? ORDER BY run, item_id", [project_id])
    return [row | {"stale": current.get(row["item_id"]) != row["content_hash"]} for row in rows]


def stand(store: Store, project_id: str) -> tuple[Any, ...]:
    """Changes whenever an item, a result or an answer of people may have."""
    row = store.one("SELECT count(*) AS n, max(imported_at) AS at FROM qa_results WHERE project_id = ?", [project_id])
    return (*pool.stand(store, project_id), *(row or {}).values(), store.last_event())


# error coding


def code_error(store: Store, result_id: str, coder: str, code: str, note: str = "") -> None:
    """Say why a wrong answer is wrong; a coder's later word replaces their earlier one, both are in the events.

    Raises:
        QaError: no such code, or the answer is right.
        UnknownItem: no such result.
    """
    if code not in CODES:
        raise QaError(f"A code is one of {', '.join(CODES)}, got {code!r}.")
    with store.atomic() as db:
        row = store.one("SELECT * FROM qa_results WHERE result_id = ?", [result_id])
        if row is None:
            raise UnknownItem(f"There is no result {result_id[:60]!r} here.")
        if row["answer"] == row["gold"]:
            raise QaError("This answer is right: there is no error to code.")
        at = now()
        db.execute(
            "INSERT INTO qa_codes (result_id, coder, code, note, at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (result_id, coder) DO UPDATE SET code = excluded.code, note = excluded.note, at = excluded.at",
            [result_id, coder, code, note, at],
        )
        store.event("qa_error_coded", {"result": result_id, "code": code, "note": note}, at=at, actor=coder, subject=result_id)


def to_code(store: Store, project_id: str, coder: str) -> list[dict[str, Any]]:
    """The wrong answers that a coder has not coded, in an order of their own that does not follow runs; neither run nor model is named, nor
    what others said."""
    return store.query(
        "SELECT r.result_id, r.item_id, r.subtask, r.variant, r.answer, r.gold, r.raw FROM qa_results r WHERE r.project_id = ? "
        "AND r.answer IS NOT r.gold AND NOT EXISTS (SELECT 1 FROM qa_codes c WHERE c.result_id = r.result_id AND c.coder = ?) "
        "ORDER BY r.item_id, r.result_id",
        [project_id, coder],
    )


def coded(store: Store, project_id: str) -> dict[str, Any]:
    """What the coders said.

    Returns:
        ``runs``: run → code → answers (each coder's word a share of one answer); ``answers`` coded, ``twice`` or more; ``agreement`` (share
        of equal pairs) and ``alpha``.
    """
    rows = store.query(
        "SELECT r.run, r.result_id, c.code FROM qa_codes c JOIN qa_results r USING (result_id) WHERE r.project_id = ?", [project_id]
    )
    units: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        units[(row["run"], row["result_id"])].append(row["code"])
    runs: dict[str, Counter[str]] = defaultdict(Counter)
    for (run, _), codes in units.items():
        for code in codes:
            runs[run][code] += 1 / len(codes)  # type: ignore[assignment]
    agreement, alpha = percent_agreement(units.values()), krippendorff(units.values())
    return {
        "runs": {run: {code: round(counts[code], 4) for code in CODES if counts[code]} for run, counts in sorted(runs.items())},
        "answers": len(units),
        "twice": sum(len(codes) > 1 for codes in units.values()),
        "agreement": None if agreement is None else round(agreement, 4),
        "alpha": None if alpha is None else round(alpha, 4),
    }
