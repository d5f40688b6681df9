"""The server: Streamlit pages and our own routes in one process, workers beside it.

`run_server` is what `vantage serve` and `vantage run` call. It binds the socket itself (the next free port when the wanted one is
busy), passes every Streamlit setting by code, and ends all child processes on shutdown.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import logging.handlers
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import click

from app import beside, services
from app.repeats import OnceInFull
from app.services import Services, Settings
from app.streamlit_seam import server as streamlit_server
from app.theme import CONFIG
from data.home import Home

log = logging.getLogger("vantage.app")

PORT_TRIES = 50
"""How many ports after the wanted one are tried."""
GRACE_S = 3
"""How long open connections may take to end on shutdown."""
MOST_FILES = 16_384
"""Open files that are asked for."""
MOST_OF_A_MESSAGE = 4 << 20
"""Largest message on a WebSocket from a browser (bytes): what it tells of a page's fields is a few thousand."""
ENTRY = Path(__file__).parent / "entry" / "vantage_page.py"
"""The Streamlit script. It has a folder of its own, because Streamlit puts a script's folder on the import path."""


def bind(host: str, port: int, tries: int = PORT_TRIES) -> socket.socket:
    """A listening socket on `port`, or on the next free one after it (0: any).

    Raises:
        click.ClickException: no port could be bound; says which and why.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last: OSError | None = None
    for candidate in range(port, min(port + tries, 65536)) if port else [0]:
        # Named as TCP, or asyncio leaves Nagle's algorithm on: then the second part of an answer waits 40 ms for the client's word.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen(256)
        except OSError as error:
            sock.close()
            last = error
            if error.errno != errno.EADDRINUSE:
                break
            continue
        sock.setblocking(False)
        return sock
    raise click.ClickException(f"Cannot listen on {host}:{port} ({last.strerror if last else 'no port'}). Choose another --host or --port.")


def open_more_files() -> None:
    """Let this process have as many open files as the system allows: each connection is one, and the usual first limit is 1024."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and (hard == resource.RLIM_INFINITY or soft < hard):
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def configure_streamlit(host: str, port: int) -> None:
    """Set every Streamlit option this program relies on, over files and environment."""
    streamlit_server.set_options({**CONFIG, "server.address": host, "server.port": port, "browser.serverAddress": host})
    streamlit_server.never_ask_outside()


class _Log(logging.handlers.RotatingFileHandler):
    """The log file. When it cannot be written (a full disk), that is said once on the terminal, not with a traceback a line."""

    said = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        error = sys.exc_info()[1]
        if not self.said:
            self.said = True
            print(f"The log {self.baseFilename} cannot be written now: {error}", file=sys.stderr)


def log_to(home: Home) -> Path:
    """Send logs to a rotating file in the home; only errors reach the terminal."""
    home.prepare()
    path = home.log / "app.log"
    handler = _Log(path, maxBytes=5_000_000, backupCount=3, encoding="utf-8")
    handler.addFilter(OnceInFull())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return path


def adopt_loggers() -> None:
    """Let Streamlit's and uvicorn's loggers, which write to the terminal by themselves, use our file instead."""
    for logger, handler in streamlit_server.console_handlers():
        logger.removeHandler(handler)
        # Access lines would put invitation tokens of addresses into the log.
        logger.propagate = logger.name != "uvicorn.access"
    # Below a warning it tells of each WebSocket, by its whole address.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)


async def _every_minute(do: Callable[[], None], what: str) -> None:
    while True:
        await asyncio.sleep(services.SWEEP_EVERY_S)
        try:
            await asyncio.to_thread(do)
        except Exception:
            # The next round tries again; one that is missed does no harm.
            log.exception("could not %s", what)


def build_app(home: Home, settings: Settings, ready: Callable[[], None] | None = None) -> Any:
    """The ASGI application. `ready` is called when workers and store are up and the (already listening) socket is about to be served."""
    import streamlit as st
    from starlette.middleware import Middleware

    from app.address import AtPublicAddress
    from app.forwarded import Forwarded
    from app.front import Front
    from app.headers import SecurityHeaders
    from app.routes import routes
    from app.stream import ClientFrames, ScriptPathHidden

    @contextlib.asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        running = await asyncio.to_thread(Services.start, home, settings)
        services.install(running)
        adopt_loggers()
        # Each by itself: a disk of backups that does not answer must not keep simulators in use.
        rounds = [
            asyncio.create_task(_every_minute(running.sweep, "look for idle simulators")),
            asyncio.create_task(_every_minute(running.carry, "tell the backups who took their data back")),
        ]
        try:
            if ready is not None:
                ready()
            yield
        finally:
            for one in rounds:
                one.cancel()
            services.install(None)
            await asyncio.to_thread(running.stop)

    def script_failed(error: Exception) -> bool:
        logging.getLogger("vantage.page").error("page failed", exc_info=error)
        st.error("This page met an error. Reload it; everything that was saved is kept.")
        return True

    script = (settings.entry or ENTRY).absolute()
    ours = routes()
    middleware = [
        Middleware(Forwarded, trusted=settings.trusted_proxies),
        *([Middleware(AtPublicAddress, public=settings.public)] if settings.public else []),
        Middleware(SecurityHeaders),
        Middleware(Front, ours=ours, settings=settings),
        Middleware(ClientFrames, limits=settings.limits),
        Middleware(ScriptPathHidden, script=script),
    ]
    return st.App(script, routes=ours, middleware=middleware, lifespan=lifespan, on_script_error=script_failed)


def run_server(
    home: Home, settings: Settings, *, host: str = "127.0.0.1", port: int = 8600, ready: Callable[[str], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        home: where data live.
        settings: backend, workers, flags.
        host: address to listen on.
        port: wanted port; the next free one is taken when it is busy.
        ready: called with the address of the app once people can use it: the public one where there is one.
    """
    import uvicorn

    from app.protocol import protocols

    open_more_files()
    sock = bind(host, port)
    actual = sock.getsockname()[1]
    if port and actual != port:
        click.echo(f"Port {port} is busy; using {actual} (--port names another).", err=True)
    log_to(home)
    configure_streamlit(host, actual)
    shown = "127.0.0.1" if host in ("0.0.0.0", "") else "[::1]" if host == "::" else f"[{host}]" if ":" in host else host
    own = f"http://{shown}:{actual}"
    base = str(settings.public or own)
    app = build_app(home, settings, (lambda: ready(base)) if ready else None)
    requests, sockets = protocols(settings.limits)
    config = uvicorn.Config(
        app,
        http=requests,
        log_config=None,
        access_log=False,
        server_header=False,
        # `Forwarded` reads what proxies tell, from those that the operator named.
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_S,
        ws=sockets,
        ws_max_size=MOST_OF_A_MESSAGE,
        lifespan="on",
        h11_max_incomplete_event_size=64 * 1024,
    )
    adopt_loggers()
    server = uvicorn.Server(config)
    with beside.registered(home, base) as others:
        if others:
            click.echo(beside.sentence(others), err=True)
        # After a clean stop uvicorn raises SIGINT again for the caller's sake; here the stop is all there was to do.
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[sock])
    if not server.started:
        raise click.ClickException(f"The server could not start; the reason is in {home.log / 'app.log'}.")
    with contextlib.suppress(OSError):
        click.echo(f"Vantage has ended. What was recorded stays in {home.root}.", err=True)


def clean_path() -> None:
    """Take the current folder off the import path: a folder with its own ``data/`` or ``app.py`` must not matter."""
    here = str(Path.cwd())
    package_root = str(Path(__file__).resolve().parent.parent)
    sys.path[:] = [entry for entry in sys.path if entry == package_root or (entry not in ("", ".") and entry != here)]
