"""Write the reference pages that follow from the code, or check that they are current.

Usage: ``python tools/docs.py [--check]``. Each page is a pure function from the code to text;
``--check`` exits 1 when a file on disk differs.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from data.subcategories import Reading

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
HEAD = "<!-- Written by tools/docs.py from the code; change the code, then run `python tools/docs.py`. -->\n\n"


RULES = ROOT / "docs" / "explanation" / "measurement.md"


def linked(text: str) -> str:
    """`text` with every citation of a rule of measurement as a link to it."""
    rules = re.findall(r"^### ((\d+)\. .+)$", RULES.read_text(encoding="utf-8"), flags=re.M)
    anchors = {n: re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading, n in rules}
    return re.sub(r"\bmeasurement (\d+)\b", lambda found: f"[{found[0]}](../explanation/measurement.md#{anchors[found[1]]})", text)


def cli_page() -> str:
    """Every command with its help text and options."""
    from app.cli import main

    parts = ["# The `vantage` command\n"]

    def describe(command: click.Command, path: list[str]) -> None:
        context = click.Context(
            command, info_name=" ".join(path), max_content_width=110, terminal_width=110, help_option_names=["-h", "--help"]
        )
        parts.append(f"{'#' * min(len(path) + 1, 4)} {' '.join(path)}\n\n```\n{command.get_help(context)}\n```\n")
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None, f"{' '.join(path)} lists {name} but has no such command"
                describe(child, [*path, name])

    describe(main, ["vantage"])
    return "\n".join(parts)


def fields_of(node: ast.ClassDef) -> list[tuple[str, str, str]]:
    """(name, type, documentation) of each annotated field; the documentation is the string literal that follows it."""
    found = []
    for position, item in enumerate(node.body):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            following = node.body[position + 1] if position + 1 < len(node.body) else None
            doc = ""
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant) and isinstance(following.value.value, str):
                doc = " ".join(following.value.value.split())
            found.append((item.target.id, ast.unparse(item.annotation), doc))
    return found


def cell(text: str) -> str:
    """Text for one table cell."""
    return text.replace("|", "\\|")


def classes_page(title: str, intro: str, files: list[str]) -> str:
    """Tables of every public class with fields in `files`."""
    parts = [f"# {title}\n", intro + "\n"]
    for file in files:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        module_doc = ast.get_docstring(tree) or ""
        parts.append(f"## `{file}`\n\n{module_doc}\n")
        for node in tree.body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            tag = next((str(k.value.value) for k in node.keywords if k.arg == "tag" and isinstance(k.value, ast.Constant)), None)
            rows = fields_of(node)
            doc = " ".join((ast.get_docstring(node) or "").split())
            parts.append(f"### {node.name}" + (f" (`type: {tag}`)" if tag else "") + "\n\n" + (doc + "\n" if doc else ""))
            if rows:
                table = ["| field | type | meaning |", "|---|---|---|"]
                table += [f"| `{name}` | `{cell(kind)}` | {cell(text)} |" for name, kind, text in rows]
                parts.append("\n".join(table) + "\n")
    return "\n".join(parts)


def protocol_page() -> str:
    return classes_page(
        "Bridge protocol, version 1",
        "MessagePack maps over a WebSocket; `type` tells them apart. Metres, z up, quaternions xyzw; a camera looks along −z.",
        ["sim_bridge/protocol.py", "sim_bridge/spec.py", "sim_bridge/errors.py"],
    )


def _reading(reading: Reading) -> str:
    """What the released scorer takes, in words."""
    said = [
        "the exact option text alone" if reading.exact else "",
        "option letters" if reading.letters else "",
        f"yes: {', '.join(reading.yes_words)}; no: {', '.join(reading.no_words)}" if reading.yes_words or reading.no_words else "",
        *(f"“{word}” as “{other}”" for word, other in reading.same_words.items()),
        f"{', '.join(reading.sides)} for the options in their order" if reading.sides else "",
        f"the bare word “{reading.gold_word[0]}” for the gold" if reading.gold_word else "",
    ]
    return "; ".join(filter(None, said)) or "every form that holds for all"


def taxonomy_page() -> str:
    """The subcategories by category, in tables."""
    from data.subcategories import FEATURES, SUBCATEGORIES

    parts = [
        "# Categories and subcategories\n",
        "Names, runner modules and answer forms are those of the released ESI-Bench. Definitions are in our own words; abilities, core\n"
        "knowledge, faculties, needs and chance rules are our reading of the paper. A name is unique only together with its category.\n",
    ]
    for category in dict.fromkeys(kind.category for kind in SUBCATEGORIES):
        parts.append(f"## {category}\n")
        for kind in (k for k in SUBCATEGORIES if k.category == category):
            needs = ", ".join(f"`{n}`" + (f" ({FEATURES[n]})" if n in FEATURES else "") for n in kind.needs) or "camera actions only"
            parts.append(
                f"### {kind.name}\n\n{kind.definition}\n\n"
                f"* abilities: {', '.join(kind.abilities)}; core knowledge: {kind.knowledge}; faculties: {', '.join(kind.faculties)}\n"
                f"* answer: `{kind.form}`; chance: {kind.chance}\n* needs: {needs}\n* read as: {_reading(kind.reading)}\n"
                f"* released runner module: {f'`{kind.runner}`' if kind.runner else 'none'}"
                + (f"; its question gets the note “{kind.note}”" if kind.note else "")
                + ("; released rows are offered one by one, where doing it here gives the recorded answer" if kind.tried else "")
                + "\n"
            )
    return "\n".join(parts)


def actions_page() -> str:
    """Every action as it is declared."""
    from sim_bridge.actions import KINDS, RELATIONS, said, written

    def words(form: tuple[str, ...]) -> list[str]:
        rest = iter(("A", "B", "C"))
        return [next(rest) if kind == "obj" else RELATIONS[0] if kind == "rel" else kind for kind in form]

    parts = [
        "# Actions\n",
        "Each is declared once, in a module of `sim_bridge/actions/`: see [how to extend](../how-to/extend.md#an-action).\n"
        "A, B and C stand for objects: handles in the text of an action, the objects' words in sentences. Keys are the\n"
        "defaults, by the letter that a key writes. A task names those it offers; a simulator says which it has.\n",
        "| action | button | key | the hand | when done | inverse | published |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        objects = words(kind.form)
        text = written(kind.name, *(w for w, k in zip(objects, kind.form, strict=True) if k == "obj"))
        published = said(kind.published, *objects) or "as it is"
        published += "".join(f"; {runner}: {said(other, *objects)}" for runner, other in kind.published_by.items())
        cells = [f"`{text}`", kind.label, kind.key.removeprefix("Key").replace("Arrow", "arrow ").lower(), kind.hand and f"{kind.hand} it"]
        cells += [said(kind.done, *objects), kind.inverse and f"`{kind.inverse}`", published]
        parts.append("| " + " | ".join(cells) + " |")
    return "\n".join(parts)


def own_tasks_page() -> str:
    """Generators with what they ask, and the fields of a task document."""
    from data.generators.registry import GENERATORS

    parts = [
        "# Own tasks\n",
        "What `vantage tasks generate` makes. Each generator words what it asks (`question.ask.what`), and a judge derives the answer\n"
        "again from the simulator's states; how to add one is in [how to extend](../how-to/extend.md#a-generator-of-own-tasks).\n",
        "| name | subcategory | asks | the answer |",
        "|---|---|---|---|",
        *(
            f"| `{g.slug}` | {g.category} / {g.subcategory} | {', '.join(f'`{what}`' for what in g.asks)} | {cell(g.rule)} |"
            for g in GENERATORS
        ),
        "\n## The task document\n",
        "Version 2. One JSON object per task: UTF-8, keys sorted, no blanks; its SHA-256 is the task's content hash. What stands at its\n"
        "default is not written, `schema_version` and `actions` aside. Documents of version 1 are read too and keep their hash;\n"
        "`vantage tasks convert` writes them as version 2. Scenes are described in [the bridge protocol](bridge-protocol.md).\n",
    ]
    tree = ast.parse((ROOT / "data" / "task.py").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name in ("Task", "Question", "Ask", "Gold", "Evidence", "View", "Provenance"):
        parts += [f"### {name}\n", f"{ast.get_docstring(classes[name])}\n", "| field | type | meaning |", "|---|---|---|"]
        parts += [f"| `{field}` | `{cell(kind)}` | {cell(doc)} |" for field, kind, doc in fields_of(classes[name])]
        parts.append("")
    return "\n".join(parts)


def paradigms_page() -> str:
    """Every paradigm as it is declared."""
    from study.paradigms import PARADIGMS

    def yes(value: bool) -> str:
        return "yes" if value else "no"

    parts = [
        "# Paradigms\n",
        "A paradigm is how a task is met. Each is declared once, in a module of `study/paradigms/`: see\n"
        "[how to extend](../how-to/extend.md#a-paradigm). The first is the default. A study may have several; no person meets\n"
        "a task in two.\n",
        "| name | how a task is met | opens with | actions | page | order of groups | export columns of its own | released results |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for way in PARADIGMS:
        opens = {
            "start_view": "the start view, simulated",
            "grid": "a frozen set of views, all at once",
            "frames": "pictures that exist, one after the other",
            "words": "words alone",
            "pictures": "pictures that exist",
        }[way.opens]
        turn = f"blocks with each {way.grouping} once, drawn" if way.drawn_blocks else f"{way.grouping} counterbalanced between people"
        own = ", ".join(f"`{column.name}`" for column in way.columns) or "none"
        cells = (f"`{way.name}`", way.meaning, opens, yes(way.acts), f"`{way.component}`", turn, own, yes(way.released_results))
        parts.append(f"| {' | '.join(cells)} |")
    return "\n".join(parts)


def sources_page() -> str:
    """The importers of data sets and the kinds of robot sources."""
    from data.importers.registry import importers
    from data.robot.sources import SOURCES

    parts = [
        "# Data sets and robot sources\n",
        "What `vantage tasks import` reads; how to add one is in [how to extend](../how-to/extend.md#an-importer-of-a-data-set).\n",
        "| `--format` | reads | data set of its tasks |",
        "|---|---|---|",
        *(f"| `{importer.name}` | {importer.label} | `{importer.dataset}` |" for importer in importers().values()),
        "\nWhat `vantage qa import` reads, in the order in which a folder is asked; how to add one is in\n"
        "[how to extend](../how-to/extend.md#a-robot-source), the layouts are in\n"
        "[how to import robot episodes](../how-to/import-robot-episodes.md).\n",
        "| `--kind` | what | told by the top of the folder | camera matrices |",
        "|---|---|---|---|",
        *(
            f"| `{s.kind}` | {s.label} | {'yes' if s.marked else 'no'} | {s.calibration.name if s.calibration else 'none'} |"
            for s in SOURCES.values()
        ),
    ]
    return "\n".join(parts)


def reviewed_page() -> str:
    """Every kind of reviewed thing as it is declared."""
    from annotation.reviewing.kinds import KINDS

    parts = [
        "# Reviewed things\n",
        "Each kind is declared once, in a module of `annotation/reviewing/kinds/`: see\n"
        "[how to extend](../how-to/extend.md#a-kind-of-reviewed-thing). Reviews of all kinds are rows of `reviews`; what is said in "
        "their\n"
        "stages are rows of `review_votes`.\n",
    ]
    for kind in KINDS.values():
        parts += [f"## `{kind.name}`\n", f"{kind.about} {kind.rule_words}\n", "| state | called | events |", "|---|---|---|"]
        for state, events in kind.states.items():
            leads = ", ".join(f"`{event}` → `{to}`" for event, to in events.items()) or "none"
            gives = " (reviews are given out)" if state == kind.waiting else ""
            parts.append(f"| `{state}`{gives} | {kind.words[state].label} | {leads} |")
        parts += ["\n| a review that is | may become |", "|---|---|"]
        parts += [
            f"| `{state}` | {', '.join(f'`{to}`' + f' by `{event}`' * (event != to) for event, to in events.items()) or 'nothing else'} |"
            for state, events in kind.review.items()
        ]
        parts += ["\n| stage | axis | votes | reasons |", "|---|---|---|---|"]
        for stage in kind.stages:
            for axis in stage.axes:
                votes = ", ".join(f"`{choice.vote}`" for choice in axis.choices) + (", with a confidence" if axis.confidence else "")
                reasons = " ".join(f"`{reason}`: {sentence}" for reason, sentence in axis.reasons.items())
                parts.append(f"| `{stage.name}` | `{axis.name}` | {votes} | {reasons} |")
        parts.append("")
    return "\n".join(parts)


def questions_page() -> str:
    """The subtasks of robot questions as they are declared."""
    from annotation.qa.subtasks import SUBTASKS
    from annotation.qa.subtasks.base import Subtask

    options = {
        "colour": "colours of what is drawn",
        "images": "images",
        "triplets": "sets of grid triplets",
        "directions": "sequences of directions",
        "text": "texts",
    }

    def lines(one: Subtask) -> list[str]:
        seen = "the reference view alone" if one.only_reference else "all views"
        drawn = f"{' or '.join(one.marks.kinds)} in {', '.join(one.marks.colours)}" if one.draws else "nothing"
        drawn += ", or says that a view does not show what a colour marks" if one.marks.absent else ""
        poses = "a moment with known poses" if one.needs_poses else "any moment"
        sets = ["upside down"] + ["single view"] * one.single_view + ["rejection"] * one.rejection
        return [
            f"* a triage model is asked whether a moment serves it with: “{one.asked}”",
            f"* slug `{one.slug}`; domain: {one.domain}; arms: {', '.join(one.arms)}; options: {options[one.option_kind]}",
            f"* the author draws {drawn}{' and places cubes in the grid' if one.uses_cubes else ''}; who answers sees {seen}",
            *(
                f"* slot `{slot.name}`: {slot.label}"
                + (f" ({' or '.join(slot.choices)})" if slot.choices else "")
                + ("" if slot.required else "; may be empty")
                for slot in one.slots
            ),
            *(f"* distractor `{kind}`: {words}" for kind, words in one.distractors.items()),
            "* generated: " + (f"from {poses}, at most {one.per_moment} from each" if one.make is not None else "no, people make its "
            "items")
            + f"; right answers are held to known poses: {'yes' if one.truth is not None else 'no'}",
            f"* derived sets: {', '.join(sets)}"
            + ("; items whose right option is None are a cell of their own in the quota" if one.none_cell is not None else ""),
            f"* advice: {one.advice}" + (" The question ends with the definition of the frame." if one.frame else ""),
        ]  # fmt: skip

    parts = [
        "# Robot questions\n",
        "The subtasks, each declared once in a module of `annotation/qa/subtasks/`: see\n"
        "[how to extend](../how-to/extend.md#a-subtask-of-robot-questions).\n",
        "*Held to known poses*: where a source has poses, the program knows whether the marked option is right. The item's page of a lead\n"
        "says so, and `vantage qa truth` holds all items to the poses at once; a generator keeps nothing that contradicts them.\n"
        "Authors and reviewers are not told: they judge by the pictures, and “All rules are kept” says nothing of it.\n",
    ]
    parts += [f"## {one.name}\n\n" + "\n".join(lines(one)) + "\n" for one in SUBTASKS.values()]
    return "\n".join(parts)


def dictionary_page() -> str:
    """Every column of the exported tables."""
    from annotation.qa.exports import FORMATS
    from study.export_columns import TABLES
    from study.exports.trajectories import TrajectoryRow
    from study.tabular import dictionary_markdown

    items = {name: model for form in FORMATS for name, model in form.tables.items()}
    return dictionary_markdown({**TABLES, "trajectories": TrajectoryRow, **items})


def exports_page() -> str:
    """Every form of an export, of what happened and of robot questions."""
    from annotation.qa.exports import FORMATS as OF_ITEMS
    from study.exports import FORMATS

    def table(forms: Sequence[Any]) -> list[str]:
        rows = [f"| `{form.name}` | {form.title} | {cell(form.text)} | {', '.join(f'`{c}`' for c in form.counts)} |" for form in forms]
        return ["| name | form | what it holds | counts in the report |", "|---|---|---|---|", *rows, ""]

    usual = " and ".join(f"`{form.name}`" for form in FORMATS if form.by_default)
    lines = ["# Export formats\n", f"`vantage export --format NAME` writes one of them, or several; without it {usual}.\n"]
    lines += [*table(FORMATS), "## Robot questions\n"]
    lines += ["The same with `vantage qa export` and `vantage qa derive`. Pictures lie once, beside each item.\n", *table(OF_ITEMS)]
    return "\n".join(lines)


def pages_page() -> str:
    """The pages of the app, from their registry."""
    from app.pages.registry import PAGES as REGISTERED

    parts = ["# Pages of the app\n", "In the order of the menu; a role's link lands on its first page.\n"]
    table = ["| page | address | roles | components | asks |", "|---|---|---|---|---|"]
    for page in REGISTERED:
        asks = ", ".join(dict.fromkeys(f"`{route.path}`" for route in page.routes)) or "–"
        components = ", ".join(f"`{component.name}`" for component in page.components) or "–"
        table.append(f"| {page.title} | `/{page.path}` | {', '.join(page.roles)} | {components} | {asks} |")
    return "\n".join([*parts, *table]) + "\n"


def forms_page() -> str:
    """Questionnaires: when they are asked, how, and the ready ones."""
    from study.checks.settings import Checks
    from study.forms.form import MOMENTS
    from study.forms.kinds import KINDS
    from study.forms.ready import READY

    parts = [
        "# Questionnaires and checks\n",
        "A study's `forms` are whole forms, or names of ready ones, which stand for their whole text.\n",
    ]
    parts += ["## When a form is asked\n", "| `when` | meaning |", "|---|---|"]
    parts += [f"| `{moment.name}` | {cell(moment.meaning)} |" for moment in MOMENTS]
    parts += [
        "\n## Kinds of items\n",
        "| `kind` | meaning |",
        "|---|---|",
        *(f"| `{kind.name}` | {cell(kind.meaning)} |" for kind in KINDS),
    ]
    for title, path, name in (
        ("A form", "study/forms/form.py", "Form"),
        ("An item", "study/forms/form.py", "Item"),
        ("Checks of screen and eyes", "study/checks/settings.py", "Checks"),
        ("Worked examples", "study/tutorial/settings.py", "Tutorial"),
        ("Breaks", "study/breaks.py", "Breaks"),
    ):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        node = next(one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name)
        parts += [f"\n## {title}\n", "| field | type | meaning |", "|---|---|---|"]
        parts += [f"| `{field}` | `{cell(kind)}` | {cell(doc)} |" for field, kind, doc in fields_of(node) if doc]
    parts += ["\n## Ready forms\n", "| name | when | items | terms |", "|---|---|---|---|"]
    checks = Checks(contrast="always", colours="always").forms
    parts += [
        f"| `{form.name}` | {form.when} | {len(form.items)}: {cell(form.title)} | {cell(form.licence)} |" for form in (*READY, *checks)
    ]
    return "\n".join(parts)


def audit_page() -> str:
    """Every check of the audit as it is declared; those of installed packages are not ours to describe."""
    from importlib import import_module

    from annotation.auditing.registry import MODULES

    needs = {"rows": "rows alone", "render": "a simulator or meshes (`--render`)", "endpoint": "a model's endpoint"}
    parts = [
        "# The checks of the audit\n",
        "`vantage audit PATH`, `--study`, `--project` or `--dataset` lets every check look through a whole set; `--json` prints\n"
        "`{rows, checks: [{id, severity, rows, examples, fix}]}`, `--out` writes a line `{row_id, file, check_id, evidence}` for every\n"
        "finding.\n"
        "An **error** means that an item's score says nothing, or something else than it claims; a **warning**, that it can be gained "
        "by a\n"
        "shortcut or measures less; a **note** is worth knowing when figures are read. Each check is declared once, in a module of\n"
        "`annotation/auditing/checks/`: see [how to extend](../how-to/extend.md#a-check-of-the-audit).\n",
        "Beside the checks, `balance` has the set's answer balance and object diversity by category (ESI-Bench, Table 6):\n"
        "normalised entropies, a category as the mean of its subcategories and pooled.\n",
        "With `--endpoint URL --model NAME --replies FILE` a language model answers every question without a picture, alone and with\n"
        "the kinds of things that it speaks of in no order (Table 5): `baselines` has its accuracy by category with a 95 % interval over\n"
        "clusters of tasks that say the same, the majority rate, chance, and what the cross-validated text models guess. The endpoint\n"
        "is any OpenAI-compatible API; its key comes from the environment variable `VANTAGE_ENDPOINT_KEY` (`--key-variable`) and is kept\n"
        "nowhere. Every reply is a line of FILE: a run that is cut goes on from it, and nothing is asked twice.\n",
    ]
    for name in MODULES:
        module = import_module(f"annotation.auditing.checks.{name}")
        parts.append(f"## {(module.__doc__ or '').strip().splitlines()[0]}\n")
        parts += ["| check | severity | what it looks for | mended by | costs |", "|---|---|---|---|---|"]
        for check in module.CHECKS:
            source = f" ({check.source})" if check.source else ""
            parts.append(f"| `{check.id}` | {check.severity} | {cell(check.about)}{source} | {cell(check.fix)} | {needs[check.needs]} |")
        parts.append("")
    return "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "pages.md": pages_page,
    "cli.md": cli_page,
    "bridge-protocol.md": protocol_page,
    "taxonomy.md": taxonomy_page,
    "actions.md": actions_page,
    "own-tasks.md": own_tasks_page,
    "paradigms.md": paradigms_page,
    "forms.md": forms_page,
    "audit.md": audit_page,
    "sources.md": sources_page,
    "reviewed-things.md": reviewed_page,
    "robot-questions.md": questions_page,
    "data-dictionary.md": dictionary_page,
    "exports.md": exports_page,
}


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = 0
    for name, page in PAGES.items():
        path, text = REFERENCE / name, HEAD + linked(page().rstrip()) + "\n"
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        if current == text:
            continue
        if check:
            stale += 1
            print(f"docs/reference/{name} is not current; run `python tools/docs.py`:")
            changes = difflib.unified_diff(current.splitlines(True), text.splitlines(True), "on disk", "from the code", n=0)
            print("".join(list(changes)[:20]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/reference/{name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
