"""Words of people never reach an element of Streamlit that reads Markdown, but through `app.pages.parts.plain_text`.

Streamlit reads Markdown, formulas, emoji and icons in titles, captions, boxes, and in the labels of nearly everything. What such an element
gets is built of literals, of constants of the program (names in capitals), of numbers, and of `plain_text`. Anything else is a fault here:

    st.title(study.name)                    # a study called "$5 or $10" becomes a formula
    st.title(plain_text(study.name))        # as written
    st.info(KIND.words[state].told)         # a constant of ours

    python tools/plain_words.py             # prints the faults, exits 1 where there are any
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READ: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("title", "header", "subheader", "markdown", "caption", "write", "latex"), ("body",)),
    **dict.fromkeys(("info", "error", "success", "warning", "toast"), ("body",)),
    **dict.fromkeys(("button", "download_button", "link_button", "form_submit_button", "page_link"), ("label",)),
    **dict.fromkeys(("checkbox", "toggle", "selectbox", "multiselect", "slider", "select_slider"), ("label",)),
    **dict.fromkeys(("number_input", "text_input", "text_area", "date_input", "time_input", "datetime_input"), ("label",)),
    **dict.fromkeys(("file_uploader", "color_picker", "camera_input", "audio_input"), ("label",)),
    **dict.fromkeys(("expander", "popover", "status", "spinner", "dialog", "metric", "menu_button"), ("label",)),
    **dict.fromkeys(("radio", "pills", "segmented_control"), ("label", "options")),
    **dict.fromkeys(("Column", "TextColumn", "NumberColumn", "DatetimeColumn", "DateColumn", "CheckboxColumn", "LinkColumn"), ("label",)),
    "tabs": ("tabs",),
    "progress": ("value", "text"),
}
"""Element → its first parameters, all of which are read as Markdown (of ``progress``, the second)."""
NAMED = ("body", "label", "text", "help", "options", "captions", "format_func", "delta", "tabs", "title", "description", "confirm")
"""Parameters that are read as Markdown wherever they are named."""
PLAIN_OPTIONS = ("selectbox", "multiselect", "select_slider", "slider", "number_input", "text_input", "text_area")
"""Elements whose options Streamlit shows as they are."""
NUMBERS = ("len", "int", "float", "round", "sum", "min", "max", "abs")
"""Functions that give numbers."""
OURS = ("plain_text", "when", "percent", "subtask_name", "number_of")
"""Functions whose words are the program's own, or made plain by it."""


def faults_of(code: str) -> Iterator[tuple[int, str]]:
    """Uses of words that may be people's, with their lines."""
    tree = ast.parse(code)
    if not any(
        isinstance(node, ast.Import | ast.ImportFrom) and any("streamlit" in alias.name for alias in node.names) for node in ast.walk(tree)
    ):
        return
    others = _modules(tree)
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Module):
            known = _assigned(scope)
            for call in _calls(scope, others):
                for given in _read(call):
                    if not _is_ours(given, known):
                        yield call.lineno, f"{ast.unparse(call.func)}: {ast.unparse(given)[:90]}"


def _calls(scope: ast.FunctionDef | ast.Module, others: set[str]) -> Iterator[ast.Call]:
    """Calls of elements in a scope, without those of functions inside it (which are scopes of their own)."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            waiting += node.decorator_list
            continue
        waiting += ast.iter_child_nodes(node)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READ):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id in others):
            yield node


def _modules(tree: ast.Module) -> set[str]:
    """What a file imports besides Streamlit, and its logs: their functions draw nothing."""
    found = {"log", "logger"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names if alias.name != "streamlit"}
    return found


def _read(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments that the element reads as Markdown."""
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    formatted = any(keyword.arg == "format_func" for keyword in call.keywords)
    for given, parameter in zip(call.args, READ[name], strict=False):
        if parameter != "value" and not (parameter == "options" and formatted):
            yield given
    for keyword in call.keywords:
        if keyword.arg in NAMED and not (name in PLAIN_OPTIONS and keyword.arg in ("options", "format_func")):
            yield keyword.value


def _assigned(scope: ast.FunctionDef | ast.Module) -> dict[str, list[ast.expr]]:
    """Local names of a scope and everything that is assigned to them; what a loop or a parameter gives is not ours."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def _is_ours(value: ast.expr, known: dict[str, list[ast.expr]], seen: tuple[str, ...] = ()) -> bool:
    """Whether an expression is made of the program's own words, numbers and plain text alone."""

    def ours(part: ast.expr) -> bool:
        return _is_ours(part, known, seen)

    match value:
        case ast.Constant():
            return True
        case ast.JoinedStr():
            return all(_is_number(part) or ours(part.value) for part in value.values if isinstance(part, ast.FormattedValue))
        case ast.BinOp():
            return ours(value.left) and ours(value.right)
        case ast.IfExp():
            return ours(value.body) and ours(value.orelse)
        case ast.BoolOp():
            return all(ours(part) for part in value.values)
        case ast.List() | ast.Tuple():
            return all(ours(part) for part in value.elts)
        case ast.GeneratorExp() | ast.ListComp():
            return ours(value.elt)
        case ast.Starred():
            return ours(value.value)
        case ast.Lambda():
            return ours(value.body)
        case ast.Name():
            if value.id.isupper() or value.id == "plain_text":
                return True
            given = known.get(value.id, [])
            return bool(given) and value.id not in seen and all(_is_ours(one, known, (*seen, value.id)) for one in given)
        case ast.Attribute() | ast.Subscript():
            return _is_constant(value)
        case ast.Call():
            return _is_own_call(value, ours)
    return False


def _is_number(part: ast.FormattedValue) -> bool:
    """A format of numbers in an f-string: ``{n:d}``, ``{share:.0%}``."""
    return part.format_spec is not None and ast.unparse(part.format_spec).strip("f'\"").rstrip("'\"")[-1:] in "dfeg%"


def _is_constant(value: ast.expr) -> bool:
    """A member of a constant: ``STATES[name].words``; its name is in capitals."""
    while isinstance(value, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(value, ast.Attribute) and value.attr.isupper():
            return True
        value = value.func if isinstance(value, ast.Call) else value.value
    return isinstance(value, ast.Name) and value.id.isupper()


def _is_own_call(call: ast.Call, ours: Callable[[ast.expr], bool]) -> bool:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
    if called in (*OURS, *NUMBERS):
        return True
    if called == "say":  # of the catalogue of a participant's words; what is put into its places counts by itself
        return all(ours(given.value) for given in call.keywords)
    if called in ("list", "tuple", "str", "sorted"):
        return all(ours(given) for given in call.args)
    if called == "join" and isinstance(call.func, ast.Attribute):
        return all(ours(given) for given in (call.func.value, *call.args))
    if called in ("lower", "upper", "capitalize", "strip", "rstrip") and isinstance(call.func, ast.Attribute):
        return ours(call.func.value)
    # STATES.get(name, name) may give back what it was asked for
    return _is_constant(call.func) and (called != "get" or all(ours(given) for given in call.args[1:]))


def faults(root: Path = ROOT / "app") -> list[str]:
    """Every fault of the app, by file and line."""
    return [
        f"{path.relative_to(root.parent)}:{line} {what}"
        for path in sorted(root.rglob("*.py"))
        for line, what in sorted(faults_of(path.read_text(encoding="utf-8")))
    ]


if __name__ == "__main__":
    found = faults()
    print("\n".join(found) or "No words of people are read as Markdown.")
    sys.exit(1 if found else 0)
