"""The worker process: a WebSocket server on a daemon thread, the simulator on the main thread, one queue between them.

The network thread answers `health` and the handshake by itself, so that a busy or hung simulator can be told from a dead one.
"""

from __future__ import annotations

import contextlib
import ctypes
import hmac
import http
import json
import logging
import os
import queue
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response as HttpResponse
from websockets.sync.server import Server, ServerConnection, serve

from sim_bridge.backend import Backend
from sim_bridge.errors import BadRequest, BridgeError, Busy, WorkerLost
from sim_bridge.host import Host, create_backend, error_reply
from sim_bridge.protocol import MAX_MESSAGE_BYTES, MAX_SESSIONS, VERSION, Health, HealthReply, Hello, Reply, Request, decode_request, encode

log = logging.getLogger("sim_bridge.worker")

TOKEN_VARIABLE = "SIM_BRIDGE_TOKEN"
"""Environment variable with the token, so that it stays out of the process list."""
CLOSE_TIMEOUT_S = 1.0
"""A frozen peer holds a connection for this much longer than its ping timeout."""
MAX_CONNECTIONS = 256
"""One thread each."""
MEMORY_VARIABLE = "SIM_BRIDGE_MEMORY_MB"
"""Environment variable with the address space a worker may use, in MB; the embedded simulator needs about 4000. Default: no limit."""
RECYCLE_VARIABLE = "SIM_BRIDGE_RECYCLE"
"""Environment variable with the number of episodes after which a worker ends, for simulators that do not stay well; default: never."""
STOP_S = 20.0
"""How long a simulator may take to end before its process is ended."""
END_VARIABLE = "SIM_BRIDGE_END_S"
"""Environment variable with other seconds for that."""
SENT_S = 2.0
"""How long replies may take to leave before a worker ends."""
OUT_OF_MEMORY_STATUS = 12
"""Exit status of a worker that ran out of memory (the number of ENOMEM)."""


class _Job:
    """A request on its way to the simulator and its reply on the way back."""

    __slots__ = ("done", "queued_at", "reply", "request")

    def __init__(self, request: Request) -> None:
        self.request, self.queued_at = request, time.perf_counter()
        self.done = threading.Event()
        self.reply: bytes = b""


class Worker:
    """Serves one backend on one port.

    Args:
        backend: used only from the thread that calls `run` (the main thread in a worker process).
        token: bearer token every connection must show.
        address: host name or IP to bind.
        port: 0 picks a free one.
        max_sessions: see `Host`.
        recycle: `run` returns after this many episodes, as soon as no session is held, or at twice as many; 0: never.
    """

    def __init__(
        self,
        backend: Backend,
        token: str,
        *,
        address: str = "127.0.0.1",
        port: int = 0,
        max_sessions: int = MAX_SESSIONS,
        recycle: int = 0,
    ) -> None:
        if not token:
            raise BadRequest("token: expected a non-empty secret")
        self._host, self._recycle = Host(backend, max_sessions), recycle
        self._expected = f"Bearer {token}".encode()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._current: tuple[float, float] | None = None
        """(start, deadline in seconds) of the request in the simulator."""
        self._stopped = False
        self._unsent, self._all_sent = 0, threading.Condition()
        # Rendering libraries may change answers over time; the fingerprint is taken once, on the simulator's thread.
        self._hello = self._host.hello(Hello())
        self._connections = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._server: Server = serve(
            self._serve,
            address,
            port,
            compression=None,
            max_size=MAX_MESSAGE_BYTES,
            close_timeout=CLOSE_TIMEOUT_S,
            process_request=self._gate,
            server_header="sim-bridge",
        )
        self.address = f"ws://{bracketed(address)}:{self._server.socket.getsockname()[1]}"
        self.port: int = self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, name="bridge-server", daemon=True).start()

    def run(self) -> None:
        """Execute requests until `stop`; call it on the thread that owns the simulator."""
        while (job := self._jobs.get()) is not None:
            self._execute(job)
            if self._worn_out():
                log.info("the worker ends after %d episodes, to be started afresh", self._host.episodes)
                break
        self._stopped = True
        with contextlib.suppress(queue.Empty):
            while True:
                left = self._jobs.get_nowait()
                if left is not None:
                    self._refuse(left)
        self._host.close()
        # Shutting down closes connections at once.
        with self._all_sent:
            self._all_sent.wait_for(lambda: self._unsent == 0, SENT_S)
        self._server.shutdown()

    def _worn_out(self) -> bool:
        """Enough episodes have been played here. Sessions that are left go on elsewhere from their snapshots."""
        done, most = self._host.episodes, self._recycle
        return most > 0 and (done >= 2 * most or (done >= most and self._host.session_count == 0))

    def stop(self) -> None:
        """Make `run` return after the current request; from any thread."""
        self._jobs.put(None)

    def _refuse(self, job: _Job) -> None:
        job.reply = encode(error_reply(job.request.id, WorkerLost("The worker is shutting down; resume the session on another.")))
        job.done.set()

    def _execute(self, job: _Job) -> None:
        """Answer one job. Without memory the process ends: its supervisor replaces it, and its sessions resume elsewhere."""
        try:
            self._answer_job(job)
        except MemoryError:
            os.write(2, b"sim_bridge.worker: out of memory; the worker ends\n")
            os._exit(OUT_OF_MEMORY_STATUS)

    def _answer_job(self, job: _Job) -> None:
        waited_s = time.perf_counter() - job.queued_at
        if waited_s > job.request.deadline_s:
            # The client has given up; executing it now could only surprise its next try.
            late = Busy(f"The request waited {waited_s:.1f} s, past its deadline, and was not executed.")
            reply: Reply = error_reply(job.request.id, late)
        else:
            self._current = (time.monotonic(), job.request.deadline_s)
            try:
                reply = self._host.handle(job.request, waited_s * 1e3)
            finally:
                self._current = None
        job.reply = _encoded(reply)
        job.done.set()

    def _gate(self, connection: ServerConnection, request: HttpRequest) -> HttpResponse | None:
        """Health for load balancers without a token; everything else only with it."""
        if request.path == "/healthz":
            health = self._health(Health())
            status = http.HTTPStatus.SERVICE_UNAVAILABLE if health.overdue else http.HTTPStatus.OK
            return connection.respond(status, "overdue\n" if health.overdue else "ok\n")
        given = request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._expected):
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, "wrong or missing bearer token\n")
        return None

    def _serve(self, connection: ServerConnection) -> None:
        """One connection, on its own thread."""
        if not self._connections.acquire(blocking=False):
            connection.close(1013, "too many connections")
            return
        try:
            greeted = False
            for message in connection:
                with self._sending():
                    reply, greeted = self._answer(message, greeted)
                    connection.send(reply)
        except ConnectionClosed:
            # The client left; requests it sent are idempotent and may be repeated on another connection.
            log.debug("connection closed")
        finally:
            self._connections.release()

    @contextlib.contextmanager
    def _sending(self) -> Iterator[None]:
        """While a reply is on its way, `run` does not return."""
        with self._all_sent:
            self._unsent += 1
        try:
            yield
        finally:
            with self._all_sent:
                self._unsent -= 1
                self._all_sent.notify_all()

    def _answer(self, message: bytes | str, greeted: bool) -> tuple[bytes, bool]:
        """The encoded reply to one message, and whether the client has said hello."""
        try:
            request = _decoded(message)
            if isinstance(request, Health):
                return encode(self._health(request)), greeted
            if isinstance(request, Hello):
                self._host.hello(request)
                return encode(msgspec.structs.replace(self._hello, id=request.id)), True
            if not greeted:
                raise BadRequest("expected hello as the first request")
        except BridgeError as problem:
            return encode(error_reply(_id_of(message), problem)), greeted
        job = _Job(request)
        self._jobs.put(job)
        if self._stopped:
            # Put after the queue was emptied for the last time.
            self._refuse(job)
        job.done.wait()
        return job.reply, greeted

    def _health(self, request: Health) -> HealthReply:
        current = self._current
        busy_s = time.monotonic() - current[0] if current else 0.0
        overdue = current is not None and busy_s > current[1]
        return HealthReply(id=request.id, sessions=self._host.session_count, busy_s=busy_s, overdue=overdue, rss_mb=_rss_mb())


def run_worker(
    backend: str = "mujoco",
    *,
    address: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    max_sessions: int = MAX_SESSIONS,
    recycle: int | None = None,
    parent: int | None = None,
) -> int:
    """Run a worker process until SIGTERM or SIGINT; returns the exit status.

    One JSON line on stdout says where it listens (or why it cannot start): ``{"address", "port", "pid", "backend", "version"}``, with
    ``"token"`` where none was given and one had to be made up. After that line stdout is closed: what a simulator prints goes to stderr.

    Args:
        backend: see `sim_bridge.host.create_backend`.
        address, port: where it listens; port 0: one that is free.
        token: default: the environment's ``SIM_BRIDGE_TOKEN``, else a new random one.
        max_sessions: so many are kept; a new one takes the place of the one that was used longest ago.
        recycle: see `Worker`; default: the environment's ``SIM_BRIDGE_RECYCLE``, else never.
        parent: process id of the supervisor; the worker dies with it. None: it lives on its own.
    """
    say = _claim_stdout()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for talkative in ("websockets", "OpenGL"):
        logging.getLogger(talkative).setLevel(logging.WARNING)
    # websockets reports every refused or broken handshake as an error with a traceback: port scanners are no news.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    if parent is not None:
        _die_with(parent)
    try:
        _limit_memory(os.environ.get(MEMORY_VARIABLE))
    except BadRequest as problem:
        say({"error": str(problem)})
        return 2
    given = token or os.environ.get(TOKEN_VARIABLE) or ""
    made = "" if given else secrets.token_urlsafe(24)
    try:
        most, within_s = _recycling(recycle), end_s()
        simulator = create_backend(backend)
        getattr(simulator, "start", _nothing)()
        worker = Worker(simulator, given or made, address=address, port=port, max_sessions=max_sessions, recycle=most)
    except BridgeError as problem:
        say({"error": str(problem)})
        log.error("%s", problem)
        return 2
    except OSError as problem:
        say({"error": f"cannot listen on {address}:{port}: {problem.strerror or problem}"})
        log.error("cannot listen on %s:%s: %s", address, port, problem)
        return 2
    _stop_on_signals(worker)
    line = {"address": worker.address, "port": worker.port, "pid": os.getpid(), "backend": backend, "version": VERSION}
    say({**line, "token": made} if made else line)
    worker.run()
    _end(simulator, within_s)
    logging.shutdown()
    # Graphics libraries raise from destructors at interpreter exit; everything of value is flushed.
    sys.stderr.flush()
    os._exit(0)


def _nothing() -> None:
    """What a backend does to start or stop that needs neither."""


def _end(simulator: Backend, within_s: float) -> None:
    """Let the simulator end, but not for ever: some hang then, and everything of value has been sent."""
    threading.Thread(target=_end_after, args=(within_s,), name="bridge-end", daemon=True).start()
    try:
        getattr(simulator, "stop", _nothing)()
    except (Exception, SystemExit):
        log.exception("the simulator did not end well")


def end_s() -> float:
    """Seconds that a simulator may take to end.

    Raises:
        BadRequest: the environment's is no number from 0 up.
    """
    said = os.environ.get(END_VARIABLE) or f"{STOP_S:.0f}"
    if not (said.isascii() and said.isdecimal()):
        raise BadRequest(f"{END_VARIABLE}: expected whole seconds, 0 or more, got {said!r}")
    return float(said)


def _end_after(seconds: float) -> None:
    time.sleep(seconds)
    os.write(2, b"sim_bridge.worker: the simulator did not end by itself\n")
    os._exit(0)


def _recycling(given: int | None) -> int:
    """Episodes after which the worker ends; 0: never.

    Raises:
        BadRequest: it is no number from 0 up.
    """
    said = os.environ.get(RECYCLE_VARIABLE, "0") if given is None else str(given)
    if not said.isdecimal():
        raise BadRequest(f"{RECYCLE_VARIABLE}: expected a number of episodes, 0 for never, got {said!r}")
    return int(said)


def read_token(path: str | Path) -> str:
    """The token in a file, without blanks around it.

    Raises:
        BadRequest: the file cannot be read or is empty.
    """
    try:
        token = Path(path).read_text(encoding="utf-8").strip()
    except OSError as problem:
        raise BadRequest(f"token file: cannot read {str(path)!r} ({problem.strerror})") from None
    if not token:
        raise BadRequest(f"token file: {str(path)!r} is empty")
    return token


def _limit_memory(megabytes: str | None) -> None:
    """Let allocations beyond a limit fail, so that a worker ends instead of the whole machine slowing down.

    Raises:
        BadRequest: the limit is no number, or this system has no such limit.
    """
    if not megabytes:
        return
    if not megabytes.isdecimal() or int(megabytes) < 100:
        raise BadRequest(f"{MEMORY_VARIABLE}: expected megabytes, 100 or more, got {megabytes!r}")
    try:
        import resource
    except ImportError:
        raise BadRequest(f"{MEMORY_VARIABLE}: this system cannot limit a process's memory, got {megabytes!r}") from None
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = int(megabytes) * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _claim_stdout() -> Callable[[dict[str, object]], None]:
    """Keep stdout for one JSON line and send all other output, native libraries' too, to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)

    def say(line: dict[str, object]) -> None:
        with os.fdopen(kept, "w", encoding="utf-8") as out, contextlib.suppress(BrokenPipeError):
            out.write(json.dumps(line) + "\n")

    return say


def _stop_on_signals(worker: Worker) -> None:
    """SIGTERM and SIGINT stop the worker.

    Python runs signal handlers on the main thread, which may not wake from waiting on its queue (measured: one stop in six hung). The
    interpreter's wake-up pipe is written at once, so a thread listens there.
    """
    listen, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    stops = (signal.SIGTERM, signal.SIGINT)
    for number in stops:
        signal.signal(number, _ignore)

    def watch() -> None:
        while os.read(listen, 1)[0] not in stops:
            pass
        worker.stop()

    threading.Thread(target=watch, name="bridge-signals", daemon=True).start()


def _ignore(signum: int, frame: FrameType | None) -> None:
    """A handler must exist for the wake-up pipe to be written."""


def _die_with(parent: int) -> None:
    """End this process when the supervisor's thread that started it ends (Linux), or when its parent changes (elsewhere)."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
    else:
        threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        # It died before the request above took effect.
        os._exit(1)


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _decoded(message: bytes | str) -> Request:
    if isinstance(message, str):
        raise BadRequest("expected a binary MessagePack message, got text")
    try:
        request: Request = decode_request(message)
    except msgspec.ValidationError as problem:
        raise BadRequest(f"message does not fit the protocol: {problem}") from None
    except msgspec.DecodeError as problem:
        raise BadRequest(f"message is no MessagePack: {problem}") from None
    except (RecursionError, UnicodeDecodeError, OverflowError) as problem:
        raise BadRequest(f"message cannot be decoded: {problem}") from None
    return request


class _Head(msgspec.Struct):
    id: int = 0


def _id_of(message: bytes | str) -> int:
    """The id of a message that could not be decoded as a request, 0 where it has none."""
    try:
        return msgspec.msgpack.decode(message, type=_Head).id if isinstance(message, bytes) else 0
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, OverflowError):
        return 0


def _encoded(reply: Reply) -> bytes:
    data = encode(reply)
    if len(data) > MAX_MESSAGE_BYTES - 64:
        problem = BadRequest(f"the reply would have {len(data)} bytes, at most {MAX_MESSAGE_BYTES} may be sent: ask for less at a time")
        return encode(error_reply(reply.id, problem))
    return data


def _rss_mb() -> float:
    """Resident memory of this process in MB (peak where the current value is not known)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def bracketed(address: str) -> str:
    """A host as it stands in an address."""
    return f"[{address}]" if ":" in address else address
