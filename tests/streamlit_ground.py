"""What tests touch of Streamlit's insides, in one place: messages of a socket, a page drawn in this process, the addresses it serves.

`app/streamlit_seam` is the same for the app; its own tests look at that ground directly.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from starlette.routing import BaseRoute
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException, StopException
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, add_script_run_ctx
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes

__all__ = ["BackMsg", "Drawn", "ForwardMsg", "drawn", "order_to_run", "packages_scanned_once", "routes_of_streamlit"]


def order_to_run() -> bytes:
    """The message by which a browser asks for the page."""
    order = BackMsg()
    order.rerun_script.query_string = ""
    return bytes(order.SerializeToString())


def routes_of_streamlit(script: Path, switches: Sequence[str]) -> list[BaseRoute]:
    """The routes that Streamlit makes for a page's script with these options switched on."""

    class Stub:
        """A runtime of which the routes only need the parts."""

        _main_script_path = str(script)
        _storage = None

        def __getattr__(self, name: str) -> Any:
            assert name in dir(Runtime), name
            return Stub()

    for name in switches:
        config.set_option(name, True)
    try:
        return list(create_streamlit_routes(Stub()))  # type: ignore[arg-type]
    finally:
        for name in switches:
            config.set_option(name, False)


@contextlib.contextmanager
def packages_scanned_once() -> Iterator[None]:
    """Streamlit looks for components in every installed package whenever a page is drawn by `AppTest`; while tests run none comes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", functools.cache(manifest_scanner.scan_component_manifests))
        yield


@dataclass
class Drawn:
    """What a page sent to the browser, and the error with which it ended."""

    messages: list[ForwardMsg] = field(default_factory=list)
    error: Exception | None = None

    @property
    def told(self) -> str:
        """All of it as text."""
        return "\n".join(str(message) for message in self.messages)

    @property
    def refusals(self) -> list[str]:
        """Red boxes."""
        alerts = [m.delta.new_element.alert for m in self.messages if m.delta.new_element.WhichOneof("type") == "alert"]
        return [alert.body for alert in alerts if alert.format == alert.ERROR]


def drawn(draw: Callable[[], None], address: str = "") -> Drawn:
    """Run a page once as Streamlit's script runner does, in a session of its own. Nobody asks for another run: it goes on after `st.stop`
    and `st.rerun`.

    Args:
        draw: draws it.
        address: the query of its address, ``name=value&…``.
    """
    result = Drawn()
    context = ScriptRunContext(
        session_id="test",
        _enqueue=result.messages.append,
        query_string=address,
        session_state=SafeSessionState(SessionState(), lambda: None),
        uploaded_file_mgr=MemoryUploadedFileManager("/upload"),
        main_script_path=__file__,
        user_info={},
        fragment_storage=MemoryFragmentStorage(),
        pages_manager=PagesManager(__file__),
    )
    with _attached(context):
        context.reset(query_string=address)
        context.on_script_start()
        try:
            draw()
        except (RerunException, StopException):
            pass
        except Exception as error:
            result.error = error
    return result


@contextlib.contextmanager
def _attached(context: ScriptRunContext) -> Iterator[None]:
    thread = threading.current_thread()
    add_script_run_ctx(thread, context)
    # Components and tables ask the runtime for their registries, and nothing else.
    runtime = MagicMock(spec=Runtime)
    runtime.bidi_component_registry = _registry()
    Runtime._instance = runtime
    try:
        yield
    finally:
        Runtime._instance = None
        add_script_run_ctx(thread, None)


@lru_cache(maxsize=1)
def _registry() -> BidiComponentManager:
    return BidiComponentManager()
