"""The renderer's fingerprint follows what decides pixels and physics, and nothing else."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sim_bridge.backends.mujoco import deciding
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.deciding import DECIDING, NOT_DECIDING, ROOT, canonical, hash_of, source_path
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.gallery_scenes import exhibits

SOURCES = {name: source_path(name).read_text(encoding="utf-8") for name in DECIDING}


@pytest.fixture(autouse=True, scope="module")
def _read_once() -> Iterator[None]:
    """One text has one canonical form: to make it takes a while, and it is asked for a thousand times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deciding, "canonical", functools.cache(deciding.canonical))
        yield


def changed(name: str, old: str, new: str) -> bool:
    """Whether the hash changes when `old` becomes `new` in a deciding module."""
    assert old in SOURCES[name], f"{name} holds no {old!r}"
    return hash_of(SOURCES) != hash_of(SOURCES | {name: SOURCES[name].replace(old, new, 1)})


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("backends.mujoco.engine.session", "TIMESTEP_S = 0.004", "TIMESTEP_S = 0.005"),
        ("backends.mujoco.engine.building", "FRICTION = 0.7", "FRICTION = 0.71"),
        ("backends.mujoco.engine.world", "SHADOW_MAP = 2048", "SHADOW_MAP = 1024"),
        ("backends.mujoco.rooms.lights", "SHADOW_DEG = 66.0", "SHADOW_DEG = 67.0"),
        ("backends.mujoco.meshes.contact", "MAX_PIECES = 48", "MAX_PIECES = 47"),
        ("backends.mujoco.models.lamps", "GLOWS_FROM = 0.99", "GLOWS_FROM = 0.98"),
        ("backends.mujoco.rooms.furnishing", "math.sin(a), -math.cos(a)", "math.sin(a), math.cos(a)"),
        ("houses.outline", "WALL_M = ", "WALL_M = 2 * "),
        ("kinematics", "ANGLE_DECIMALS = 9", "ANGLE_DECIMALS = 8"),
        ("actions.steps", "MOVE_STEP_M = 0.25", "MOVE_STEP_M = 0.26"),
    ],
)
def test_a_changed_constant_or_formula_of_the_engine_changes_it(name: str, old: str, new: str) -> None:
    assert changed(name, old, new)


def test_every_deciding_module_counts() -> None:
    whole = hash_of(SOURCES)
    assert len({hash_of(SOURCES | {name: text + "\nADDED = 1\n"}) for name, text in SOURCES.items()} | {whole}) == len(SOURCES) + 1


def test_comments_docstrings_and_layout_do_not_change_it() -> None:
    session = SOURCES["backends.mujoco.engine.session"]
    assert not changed("backends.mujoco.engine.session", "TIMESTEP_S = 0.004\n", "# how long\nTIMESTEP_S = (\n    0.004  # seconds\n)\n")
    assert not changed("backends.mujoco.engine.session", '"""One physics step."""', '"""What one step of physics takes."""')
    assert not changed("backends.mujoco.engine.session", '"""One physics step."""\n', "")
    assert session.startswith('"""')
    assert not changed("backends.mujoco.engine.session", '"""', '"""Said otherwise. ')
    assert hash_of(SOURCES) == hash_of(dict(reversed(SOURCES.items())))


@pytest.mark.parametrize(
    "tool",
    [
        "catalogue/names",
        "tools/norming",
        "tools/object_pages",
        "tools/contact_sheet",
        "tools/build_assets",
        "tools/agreement",
        "tabletop/film",
    ],
)
def test_tools_and_films_do_not_change_it(tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole package is copied, so that a hash over more than the list would be noticed."""
    for path in ROOT.rglob("*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(deciding, "ROOT", tmp_path)
    before = deciding.source_hash.__wrapped__()
    path = tmp_path / "backends" / "mujoco" / f"{tool}.py"
    path.write_text(path.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    assert deciding.source_hash.__wrapped__() == before
    engine = tmp_path / "backends" / "mujoco" / "engine" / "session.py"
    engine.write_text(engine.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    assert deciding.source_hash.__wrapped__() != before


SAMPLE = '''"""A module."""
from __future__ import annotations
import math as m
from . import sibling
A: int = -1
"""Below a constant."""
class B(dict, metaclass=type):
    """Doc."""
    x: list[str] = [*"ab", f"{A}" "c" f"{A!r:>{A}}" f"{A=}"]
    @property
    def f(self, a, /, b=1, *c, d: int = 2, **e) -> None:
        """Doc."""
        with open(a) as g, open(b):
            return (y := {**e, 1: 2.5e-3, "\\u1fae": b"\\x00"})
async def h(q):
    async for i in q:
        yield i if 0 < i <= 1 else lambda *v: v[1:, ::2]
    try:
        raise ValueError("no") from None
    except (TypeError, KeyError) as error:
        del error
match A:
    case {"k": [1, None, *rest]} | B(x=True) if rest:
        pass
    case _:
        global C
'''


def test_the_hash_is_the_same_on_every_version_of_python() -> None:
    """Pinned: a version whose parser or printing differed would give another hash here."""
    assert hash_of({"sample": SAMPLE}) == "69b703003d308d4e941d826559161a09b166147df32b812ddb1d30e2bf193aed"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('x = f"a{y}b"', 'x = f"a" f"{y}" "b"', True),
        ('x = "ab"', 'x = "a" "b"', True),
        ("x = 1", "x = 1.0", False),
        ("x = 1", "x = True", False),
        ('x = "1"', "x = 1", False),
        ('x = "a"', 'x = b"a"', False),
        ("def f(): return None", "def f(): return", False),
        ("x = -1", "x = 1", False),
        ("x = [1, 2]", "x = [2, 1]", False),
        ("x = {**a, 1: b}", "x = {1: b, **a}", False),
        ("def f(a=1): pass", "def f(*, a=1): pass", False),
        ("def f(a, /): pass", "def f(a): pass", False),
        ("from .a import b", "from ..a import b", False),
        ('def f():\n    "doc"\n    return 1', "def f():\n    return 1", True),
        ('x = f("a")', 'x = f("b")', False),
    ],
)
def test_what_is_written_down_tells_programs_apart(one: str, other: str, same: bool) -> None:
    assert (canonical(one) == canonical(other)) is same


def test_the_list_names_modules_that_exist_each_once() -> None:
    assert len(set(DECIDING)) == len(DECIDING)
    assert not set(DECIDING) & set(NOT_DECIDING)
    assert [name for name in (*DECIDING, *NOT_DECIDING) if not source_path(name).is_file()] == []


RUN = """
import sys, msgspec
from sim_bridge import worker
from sim_bridge.actions import parse_action
from sim_bridge.backends.mujoco import create
from sim_bridge.spec import Pose, Scene

backend = create()
for scene, start, actions in msgspec.json.decode(sys.stdin.buffer.read(), type=list[tuple[Scene, Pose, list[str]]]):
    backend.load("s", scene, start, 0)
    for action in actions:
        backend.act("s", parse_action(action))
    backend.state("s")
    backend.audit("s")
    backend.views("s", [start])
    backend.restore("s", backend.snapshot("s"))
    backend.close("s")
print(*sorted(name for name in sys.modules if name.split(".")[0] == "sim_bridge"))
"""
EXHIBITS = (
    "pick-up",
    "open-drawer",
    "pour-held",
    "glass-vessels",
    "cloth-bear",
    "slope-rolls",
    "mirror",
    "robot",
    "lamp-dim-on",
    "house-3-1",
)


@pytest.mark.skipif(not gl.available(), reason="libOSMesa is not installed (apt-get install libosmesa6)")
def test_every_module_of_a_running_session_is_listed_or_said_not_to_decide() -> None:
    small = [e for e in exhibits() if e.name in EXHIBITS]
    assert len(small) == len(EXHIBITS)
    plays = [
        (
            msgspec.structs.replace(e.scene, camera=msgspec.structs.replace(e.scene.camera, width=48, height=36)),
            e.start,
            [d.action for d in e.deeds],
        )
        for e in small
    ]
    done = subprocess.run([sys.executable, "-P", "-c", RUN], input=msgspec.json.encode(plays), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    loaded = {name.removeprefix("sim_bridge").removeprefix(".") for name in done.stdout.decode().split()}
    assert loaded - set(DECIDING) - set(NOT_DECIDING) == set(), "say in `deciding` whether these decide what is seen"
    assert set(DECIDING) - loaded == set(), "these are listed and no session loads them"


def test_the_catalogue_says_the_hash_in_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Catalogue(None).hash
    monkeypatch.setattr(deciding, "source_hash", lambda: "another program")
    assert Catalogue(None).hash != before
