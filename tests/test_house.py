"""The house stands in one line: app → annotation → study → data → sim_bridge; a room imports only to its right, and nothing in a circle."""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import parsed

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "annotation", "study", "data", "sim_bridge")
"""From left to right."""


def module_of(path: Path) -> str:
    """The dotted name of a file of the house."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_in(path: Path, *, typing_only: bool = True) -> Iterator[tuple[str, str]]:
    """(module, name) of everything imported in a file, at any depth, relative imports resolved; the name is empty for ``import module``.

    Args:
        typing_only: whether imports under ``if TYPE_CHECKING:`` count.
    """
    here = module_of(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    waiting: list[ast.AST] = [parsed(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((module, alias.name) for alias in node.names)
        if isinstance(node, ast.If) and not typing_only and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


@functools.cache
def imports_of(path: Path) -> set[str]:
    """Absolute names imported anywhere in a file, at any depth."""
    return {full for module, name in imports_in(path) for full in (module, f"{module}.{name}".rstrip("."))}


def files_of(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_to_its_right(room: str) -> None:
    forbidden = {*ROOMS[: ROOMS.index(room)], "bench", "tests", "tools"} - ({"bench"} if room == "app" else set())
    wrong = [f"{f.relative_to(ROOT)} imports {m}" for f in files_of(room) for m in imports_of(f) if m.split(".")[0] in forbidden]
    assert wrong == []


def test_only_the_app_imports_streamlit() -> None:
    wrong = [
        str(f.relative_to(ROOT)) for room in ROOMS[1:] for f in files_of(room) for m in imports_of(f) if m.split(".")[0] == "streamlit"
    ]
    assert wrong == []


def test_only_the_mujoco_backend_imports_mujoco() -> None:
    home = ROOT / "sim_bridge" / "backends" / "mujoco"
    wrong = [
        str(f.relative_to(ROOT))
        for room in ROOMS
        for f in files_of(room)
        for m in imports_of(f)
        if m.split(".")[0] == "mujoco" and home not in f.parents
    ]
    assert wrong == []


def import_graph(paths: list[Path]) -> dict[str, set[str]]:
    """Module → modules among `paths` that it imports when it runs: at the top, inside a function, absolute or relative.

    Imports under ``TYPE_CHECKING`` are left out: they name a type and never run, so neither module needs the other to be loaded.
    """
    by_name = {module_of(p): p for p in paths}
    graph: dict[str, set[str]] = {}
    for here, path in by_name.items():
        targets = set()
        for module, name in imports_in(path, typing_only=False):
            target = f"{module}.{name}"
            while target and target not in by_name:
                target = target.rpartition(".")[0]
            targets.add(target)
        graph[here] = targets - {"", here}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach each other (strongly connected parts, Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == order[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return found


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(import_graph([f for room in ROOMS for f in files_of(room)])) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import study.b", "from study import a"),
        ("def f():\n    from study.b import x", "from .a import y"),
        ("from . import b", "class C:\n    def f(self):\n        import study.a"),
    ],
    ids=["plain", "lazy and relative", "relative and in a method"],
)
def test_a_circle_is_found_wherever_its_imports_stand(one: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "study").mkdir()
    files = {"a": one, "b": other, "c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import study.d", "d": "import study.c"}
    for name, text in files.items():
        (tmp_path / "study" / f"{name}.py").write_text(text)
    assert circles(import_graph(files_of("study"))) == [["study.a", "study.b"]]


LOADED_BY_NAME = {
    "app/pages/registry.py": "the registry names the modules, so that another page is one line",
    "annotation/qa/subtasks/__init__.py": "the registry names the modules, so that another subtask is one line",
    "annotation/qa/exports/__init__.py": "the same for formats of exports",
    "annotation/reviewing/kinds/__init__.py": "the same for kinds of reviewed things",
    "annotation/auditing/registry.py": "the registry names the modules, so that another check is one line",
    "app/commands/screens.py": "a browser is driven only where the package for it is installed, which is for development",
    "app/cli.py": "a command's module is loaded when the command is called, so that `vantage --help` is quick",
    "app/commands/bench.py": "the same for benches, and a wheel need not hold them",
    "data/abilities.py": "a backend of somebody else brings its own catalogue",
    "data/generators/registry.py": "the registry names the modules, so that another generator of tasks is one line",
    "data/importers/registry.py": "the registry names the modules, so that another data set is one line",
    "data/robot/sources/__init__.py": "the registry names the modules, so that another kind of source is one line",
    "data/subcategories/__init__.py": "the registry names the modules, so that another subcategory is one line",
    "study/paradigms/__init__.py": "the registry names the modules, so that another paradigm is one line",
    "sim_bridge/actions/__init__.py": "the registry names the modules, so that another action is one line",
    "study/analysis/figures/__init__.py": "the registry names the modules, so that another figure is one line",
    "study/exports/__init__.py": "the registry names the modules, so that another export format is one line",
    "sim_bridge/host.py": "a backend of somebody else is named on the command line",
}
"""Files that load a module by a text, which the import graph cannot see, and why; none of them is imported by what it loads."""


def test_modules_are_loaded_by_a_text_only_where_there_is_a_reason() -> None:
    loading = {
        str(f.relative_to(ROOT))
        for room in ROOMS
        for f in files_of(room)
        if "importlib.import_module" in imports_of(f) or "import_module(" in f.read_text(encoding="utf-8")
    }
    assert loading == set(LOADED_BY_NAME)


SQL = re.compile(r"\b(SELECT\s.*\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA)\s", re.DOTALL)
OF_TABLES = {"query", "one", "rows", "row", "stream", "db", "atomic", "insert", "event"}
"""What a store has for whoever knows its tables."""


def knowing_tables(source: str) -> list[str]:
    """Where a text of Python has SQL, or asks a store by it, or opens a transaction."""
    found = []
    for node in ast.walk(ast.parse(source)):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        words = "".join(str(part.value) if isinstance(part, ast.Constant) else "?" for part in parts)
        if isinstance(node, ast.JoinedStr | ast.Constant) and SQL.search(f"{words} "):
            found.append(f"{getattr(node, 'lineno', 0)}: {words}")
        if isinstance(node, ast.Attribute) and node.attr in OF_TABLES and ast.unparse(node.value).rpartition(".")[2] in ("store", "_store"):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def test_pages_know_no_tables() -> None:
    """What a page reads and writes is a function of a room to its right, which is whole or not at all, and can be tested without a page."""
    wrong = [f"{f.relative_to(ROOT)}:{found}" for part in ("pages", "components") for f in files_of(f"app/{part}") for found in
             knowing_tables(f.read_text(encoding="utf-8"))]  # fmt: skip
    assert wrong == []


@pytest.mark.parametrize(
    "source",
    [
        "rows = find(f'SELECT {what} FROM tasks')",
        "sql = 'UPDATE tasks SET version = 2'",
        "with services.store.atomic():\n    pass",
        "store.event('opened', {})",
        "n = store.one(COUNT)['n']",
    ],
)
def test_a_page_that_knows_tables_is_found(source: str) -> None:
    assert knowing_tables(source)


@pytest.mark.parametrize("source", ["st.button('Select what is taken from the list')", "store.get_task(task)", "one.event('x')"])
def test_other_words_are_no_sql(source: str) -> None:
    assert knowing_tables(source) == []


WRITE_BY_BUTTON = {
    "audit.py", "disputes.py", "job_panel.py", "people.py", "qa_lead.py", "qa_lead_out.py", "qa_lead_results.py", "qa_moments.py",
    "researcher.py", "researcher_acting.py", "researcher_export.py", "researcher_payments.py", "researcher_person.py",
    "researcher_reconciling.py", "researcher_setup.py", "results.py", "setup/opening.py", "setup/plan.py", "setup/section.py",
    "setup/tasks.py", "setup/work.py", "trajectories.py", "verification.py",
}  # fmt: skip
"""Pages of staff on which one of Streamlit's own buttons or forms writes, by one call of a room that is whole or not at all. What is
done all day (playing, judging, drawing) goes by routes, which know a repetition when they see one; so does what is new."""


def test_other_pages_write_by_routes() -> None:
    pages = ROOT / "app" / "pages"
    writing = {
        str(f.relative_to(pages))
        for f in files_of("app/pages")
        for call in ast.walk(ast.parse(f.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and any(given.arg == "actor" for given in call.keywords)
    }
    assert writing == WRITE_BY_BUTTON


def test_nothing_pickles() -> None:
    wrong = [
        str(f.relative_to(ROOT)) for room in ROOMS for f in files_of(room) for m in imports_of(f) if m.split(".")[0] in {"pickle", "dill"}
    ]
    assert wrong == []


@pytest.mark.parametrize("room", [*ROOMS, "tests", "bench", "docs", "design"])
def test_every_room_says_what_lives_there(room: str) -> None:
    readme = ROOT / room / "README.md"
    assert readme.is_file(), f"{room}/README.md is missing: a few lines on what lives here and what may not"
    assert len(readme.read_text(encoding="utf-8").split()) >= 15


def test_every_package_is_listed_for_the_wheel() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"])
    found = {
        ".".join(f.parent.relative_to(ROOT).parts)
        for room in (*ROOMS, "bench")
        for f in (ROOT / room).rglob("*.py")
        if "tests" not in f.parts
    }
    assert found == listed
