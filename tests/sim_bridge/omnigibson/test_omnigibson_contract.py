"""The calls that the adapter makes into OmniGibson exist in its source, and the stand-in of the tests has the same names and parameters.

Read, never run: the release on the package index (1.1.1), which set-up fetched with a pinned hash. Its simulator class stands inside a
function, so whole trees are walked.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import tarfile
from pathlib import Path

import pytest

from sim_bridge.backends.omnigibson import engine, world
from sim_bridge.backends.omnigibson.calls import CALLS, Call
from sim_bridge.backends.omnigibson.releases import PINNED, RELEASES, WrongRelease, release_of

ROOT = Path(__file__).resolve().parents[3]
STAND_IN = ROOT / "tests" / "omnigibson_stand_in" / "omnigibson"
ARCHIVE = Path(os.environ.get("VANTAGE_CACHE") or ROOT / ".cache") / "omnigibson-1.1.1.tar.gz"
SHA256 = re.search(r"sha256:(\w+)", (ROOT / "tools" / "omnigibson-source.txt").read_text(encoding="utf-8"))[1]  # type: ignore[index]
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
CHECKED = next(r for r in RELEASES if r.checked)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder, unpacked; absent, a failure where everything must be tested."""
    if not ARCHIVE.is_file():
        if os.environ.get("CI") or os.environ.get("VANTAGE_CI"):
            pytest.fail("the source of OmniGibson 1.1.1 is not there; set-up (make setup) fetches it")
        pytest.skip("the source of OmniGibson 1.1.1 is not there; make setup fetches it")
    assert hashlib.sha256(ARCHIVE.read_bytes()).hexdigest() == SHA256
    where = tmp_path_factory.mktemp("omnigibson")
    with tarfile.open(ARCHIVE) as packed:
        packed.extractall(where, filter="data")
    return where / "omnigibson-1.1.1" / "omnigibson"


def declared_in(tree: ast.AST, owner: str) -> list[ast.AST]:
    """The bodies in which a name may be declared: the module, or every class of that name at any depth."""
    if not owner:
        return [tree]
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == owner]


def parameters(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    return {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def is_property(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(d) == "property" for d in function.decorator_list)


def is_setter(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(d) == f"{function.name}.setter" for d in function.decorator_list)


def problem(folder: Path, call: Call) -> str:
    """What is wrong with a call in a source tree; empty: nothing."""
    path = folder / f"{call.module}.py"
    if not path.is_file():
        return f"{call.text}: there is no {call.module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if call.owner == "gm" or call.kind == "value":
        text = ast.unparse(tree)
        name = f"gm.{call.name}" if call.owner == "gm" else call.name
        found = re.search(
            rf"(?:^|[\s.]){re.escape(name)}(?:\s*:[^=\n]+)?\s*=|def {re.escape(call.name)}\(|['\"]{re.escape(call.name)}['\"]", text, re.M
        )
        return "" if found else f"{call.text}: nothing is assigned to it"
    functions = [
        node
        for body in declared_in(tree, call.owner)
        for node in (body.body if isinstance(body, ast.Module | ast.ClassDef) else [])
        if isinstance(node, ast.FunctionDef) and node.name == call.name
    ]
    if not functions:
        return f"{call.text}: there is no such {call.kind}"
    if call.kind == "property":
        return "" if any(is_property(f) for f in functions) else f"{call.text}: it is no property"
    if call.kind == "setter":
        return "" if any(is_setter(f) for f in functions) else f"{call.text}: it cannot be set"
    takes = set().union(*(parameters(f) for f in functions if not is_setter(f)))
    missing = [p for p in call.parameters if p not in takes]
    return f"{call.text}: it takes {sorted(takes)}, not {missing}" if missing else ""


HERE = [c for c in CALLS if not c.only or CHECKED.version in c.only]


def test_every_call_is_in_the_source_of_the_release_that_can_be_read(source: Path) -> None:
    wrong = [text for text in (problem(source, call) for call in HERE) if text]
    assert wrong == []
    print(f"\n{len(HERE)} calls checked against OmniGibson {CHECKED.version}")


def test_calls_of_later_releases_are_absent_there(source: Path) -> None:
    later = [c for c in CALLS if c.only and CHECKED.version not in c.only]
    assert later
    assert [c.text for c in later if not problem(source, c)] == [], "declare these for all releases"


def test_the_check_can_fail(source: Path) -> None:
    assert "no such function" in problem(source, Call("simulator", "Simulator", "leap"))
    assert "not ['speed']" in problem(source, Call("prims/entity_prim", "EntityPrim", "set_linear_velocity", ("speed",)))
    assert "no property" in problem(source, Call("simulator", "Simulator", "step", kind="property"))
    assert "cannot be set" in problem(source, Call("prims/prim_base", "BasePrim", "name", kind="setter"))
    assert "nothing is assigned" in problem(source, Call("macros", "gm", "ENABLE_MAGIC", kind="value"))
    assert "there is no" in problem(source, Call("magic/wand", "Wand", "wave"))


def read_when_imported(folder: Path) -> set[str]:
    """Macros that some module reads outside its functions, or in a default or decorator of one: they can no longer be set afterwards."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                arguments = node.args
                waiting += [d for d in (*arguments.defaults, *arguments.kw_defaults, *getattr(node, "decorator_list", ())) if d is not None]
                continue
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "gm" and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            waiting += ast.iter_child_nodes(node)
    return found


def test_macros_that_the_adapter_sets_are_not_read_by_the_import_before(source: Path) -> None:
    ours = {c.name for c in CALLS if c.owner == "gm"}
    assert ours & read_when_imported(source) == set()


def test_reading_a_macro_at_import_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(width=gm.WIDTH):\n    return gm.LATER\nclass C:\n    size = gm.SIZE\ngm.SET = 1\n")
    assert read_when_imported(tmp_path) == {"WIDTH", "SIZE"}


def test_the_stand_in_has_the_same_names_and_parameters() -> None:
    wrong = [text for text in (problem(STAND_IN, call) for call in HERE) if text]
    assert wrong == []


def test_parameters_of_the_stand_in_are_those_of_the_source(source: Path) -> None:
    """In the same order, so that a call by position means the same."""
    wrong = []
    for call in HERE:
        if call.kind not in ("function", "class") or (call.name.startswith("_") and call.kind == "function"):
            continue
        theirs, ours = ([a.arg for a in f.args.args] for f in (named(source, call), named(STAND_IN, call)))
        if ours != theirs[: len(ours)]:
            wrong.append(f"{call.text}: {ours} where the source has {theirs}")
    assert wrong == []


def named(folder: Path, call: Call) -> ast.FunctionDef:
    tree = ast.parse((folder / f"{call.module}.py").read_text(encoding="utf-8"))
    found = [n for body in declared_in(tree, call.owner) for n in ast.walk(body) if isinstance(n, ast.FunctionDef) and n.name == call.name]
    return found[0]


def test_only_two_modules_call_omnigibson() -> None:
    folder = ROOT / "sim_bridge" / "backends" / "omnigibson"
    calling = {
        path.name for path in folder.glob("*.py") if re.search(r"^\s*(?:import|from) omnigibson\b", path.read_text(encoding="utf-8"), re.M)
    }
    assert calling == {"engine.py", "world.py"}
    elsewhere = [
        str(p)
        for p in (ROOT / "sim_bridge").rglob("*.py")
        if folder not in p.parents and re.search(r"^\s*(?:import|from) omnigibson\b", p.read_text(encoding="utf-8"), re.M)
    ]
    assert elsewhere == []


def test_everything_imported_from_omnigibson_is_declared() -> None:
    """So that the list does not fall behind the code."""
    known = {c.owner for c in CALLS} | {c.name for c in CALLS} | {"gm", "object_states", "omnigibson"}
    for module in (engine, world):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("omnigibson"):
                assert {a.name for a in node.names} <= known, node.module


def test_each_release_says_whether_it_was_checked_and_one_is_pinned() -> None:
    assert [r.version for r in RELEASES if r.checked] == ["1.1.1"]
    assert PINNED in {r.version for r in RELEASES}
    assert {v for c in CALLS for v in c.only} <= {r.version for r in RELEASES}


@pytest.mark.parametrize(("version", "line"), [("1.1.1", "1.1.1"), ("3.7.2", "3.7.2"), ("3.7.2rc1", "3.7.2"), ("3.8.0", "3.8.0")])
def test_a_version_belongs_to_its_line(version: str, line: str) -> None:
    assert release_of(version).version == line


def test_another_release_is_refused_by_name_unless_told_otherwise() -> None:
    with pytest.raises(WrongRelease, match=r"3\.7\.2.*got '3\.9\.2'"):
        release_of("3.9.2")
    assert release_of("3.9.2", accept_any=True).version == PINNED
