"""What the app touches of Streamlit's insides: in one folder, and as the installed release has it."""

from __future__ import annotations

import ast
import logging
import re
from pathlib import Path

import pytest
import streamlit as st

import app
from app.streamlit_seam import files, host, messages, server, shell
from tests import streamlit_ground
from tests.sources import nodes

ROOT = Path(app.__file__).parent
ROOMS = ("app", "annotation", "study", "data", "sim_bridge")
SEAM = ROOT / "streamlit_seam"
PUBLIC = {"streamlit", "streamlit.testing.v1"}
PRIVATE = ("streamlit_console_handler", "data-testid", "streamlit.__file__", "_external_ip", "_pb2")
"""Words that only private ground has."""


def imported(path: Path) -> set[str]:
    """Modules of Streamlit's that a file imports; of ``from streamlit import x`` also ``x``, where that is a module."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names if node.module == "streamlit")}
    return {name for name in found if name.split(".")[0] == "streamlit"}


def test_private_ground_is_trodden_in_one_folder() -> None:
    found = []
    for room in ROOMS:
        for path in sorted((ROOT.parent / room).rglob("*.py")):
            if SEAM in path.parents:
                continue
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(ROOT.parent)} imports {name}" for name in imported(path) - PUBLIC]
            found += [f"{path.relative_to(ROOT.parent)} names {word}" for word in PRIVATE if word in text]
    assert found == []


def test_tests_tread_it_in_one_helper() -> None:
    tests = ROOT.parent / "tests"
    found = {path.relative_to(tests).as_posix() for path in tests.rglob("*.py") if imported(path) - PUBLIC}
    assert found == {"streamlit_ground.py", Path(__file__).relative_to(tests).as_posix()}


def test_a_page_drawn_for_a_test_is_what_the_browser_gets() -> None:
    def page() -> None:
        st.text(f"Hello {st.query_params['name']}")
        st.error("No.")

    told = streamlit_ground.drawn(page, "name=Ada")
    assert "Hello Ada" in told.told
    assert (told.refusals, told.error) == (["No."], None)

    def faulty() -> None:
        raise ValueError("a fault")

    assert str(streamlit_ground.drawn(faulty).error) == "a fault"


def test_the_test_can_fail(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text("import streamlit as st\nfrom streamlit import runtime\nfrom streamlit.web import bootstrap\n")
    assert imported(tmp_path / "page.py") - PUBLIC == {"streamlit.runtime", "streamlit.web"}


def test_a_message_that_names_the_script_gets_another_name() -> None:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    told = ForwardMsg()
    told.new_session.main_script_path = "/somewhere/secret/page.py"
    told.new_session.page_script_hash = "hash"
    changed = ForwardMsg.FromString(messages.with_script(told.SerializeToString(), "page.py"))
    assert changed.new_session.main_script_path == "page.py"
    assert changed.new_session.page_script_hash == "hash"
    other = ForwardMsg()
    other.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    assert messages.with_script(other.SerializeToString(), "page.py") == other.SerializeToString()


def test_orders_are_told_by_name() -> None:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    rerun = BackMsg()
    rerun.rerun_script.query_string = ""
    assert messages.order(rerun.SerializeToString()) == ("rerun_script", "")
    more = BackMsg()
    more.backend_operation_request.dataframe_chunk.SetInParent()
    assert messages.order(more.SerializeToString()) == ("backend_operation_request", "dataframe_chunk")
    assert messages.order(b"") == ("", "")
    assert messages.order(b"\xff\xff no message") is None


def test_options_are_set_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from streamlit import config

    before = config.get_option("server.maxUploadSize")
    monkeypatch.setenv("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "7")
    try:
        server.set_options({"server.maxUploadSize": 11})
        assert config.get_option("server.maxUploadSize") == 11
    finally:
        monkeypatch.delenv("STREAMLIT_SERVER_MAX_UPLOAD_SIZE")
        server.set_options({"server.maxUploadSize": before})


def test_streamlit_asks_nobody_outside_for_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    from streamlit import net_util
    from streamlit.web.server import server_util

    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda *_, **__: pytest.fail("an address outside was asked"))
    server.never_ask_outside()
    assert net_util.get_external_ip() == "external-address.invalid"
    assert not server_util.is_url_from_allowed_origins("http://evil.example")


def test_loggers_that_write_to_the_terminal_are_found() -> None:
    from streamlit import logger

    made = logger.get_logger("streamlit.a_test")
    logger.setup_formatter(made)
    found = dict(server.console_handlers())
    assert isinstance(found[made], logging.Handler)
    assert found[made] in made.handlers


def test_a_file_is_kept_until_streamlit_forgets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from streamlit import runtime
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

    kept = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=kept))
    assert not files.still_kept("session", "file")
    kept.add_file("session", UploadedFileRec("file", "list.csv", "text/csv", b"a"))
    assert files.still_kept("session", "file")
    kept.remove_session_files("session")
    assert not files.still_kept("session", "file")


def test_the_page_has_the_place_the_title_and_scripts() -> None:
    page = (shell.STATIC / "index.html").read_bytes()
    assert page.count(shell.PLACE) == 1
    assert page.count(shell.TITLE) == 1
    assert all(f"<script>{script}</script>".encode() in page for script in shell.inline_scripts())
    assert page.count(b"<script>") == len(shell.inline_scripts())


def test_names_of_parts_are_those_that_streamlit_draws() -> None:
    ours = {
        name
        for suffix in ("css", "js")
        for path in ROOT.rglob(f"*.{suffix}")
        for name in re.findall(r"data-testid=[\"']?([A-Za-z-]+)", path.read_text(encoding="utf-8"))
    }
    assert ours == set(shell.TEST_IDS)
    bundle = "".join(path.read_text(encoding="utf-8", errors="replace") for path in (shell.STATIC / "static" / "js").glob("*.js"))
    made = {"stBaseButton-primary": "stBaseButton"}
    assert [name for name in shell.TEST_IDS if made.get(name, name) not in bundle] == []


def test_what_keeps_its_dialogs_away_and_tells_of_the_connection_has_the_names_that_streamlit_uses() -> None:
    from streamlit.web.server.starlette.starlette_routes import ROUTE_HOST_CONFIG, create_host_config_routes

    assert f"/{ROUTE_HOST_CONFIG}" == host.ADDRESS and len(create_host_config_routes(None)) == 1
    bundle = "".join(path.read_text(encoding="utf-8", errors="replace") for path in (shell.STATIC / "static" / "js").glob("*.js"))
    assert re.search(rf"{{{host.NO_DIALOGS}:(\w+)}}=this\.state\.appConfig;\1!==!0&&this\.openDialog", bundle)
    assert f'"{host.STATE}":' in bundle and f"=`{host.AWAY}`" in bundle
    style = (ROOT / "theme" / "page.css").read_text(encoding="utf-8")
    assert f'.stApp[{host.STATE}="{host.AWAY}"]' in style
