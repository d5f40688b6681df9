"""Streamlit's server: its options, set by code; its loggers; and the one question that it would ask outside."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any


def set_options(options: Mapping[str, Any]) -> None:
    """Set options over files and environment."""
    from streamlit.web import bootstrap

    bootstrap.load_config_options(dict(options))


def never_ask_outside() -> None:
    """Streamlit asks a service of Amazon's for this machine's address, in the event loop, where it cannot place a WebSocket's origin.

    Nothing that reaches it needs that any more (`app.front` decides first); if something does, an answer that is nobody's stands here.
    """
    from streamlit import net_util

    net_util._external_ip = "external-address.invalid"


def console_handlers() -> Iterator[tuple[logging.Logger, logging.Handler]]:
    """Loggers that Streamlit has made write to the terminal, each with the handler that does it."""
    for logger in list(logging.root.manager.loggerDict.values()):
        handler = getattr(logger, "streamlit_console_handler", None)
        if isinstance(logger, logging.Logger) and handler is not None:
            yield logger, handler
