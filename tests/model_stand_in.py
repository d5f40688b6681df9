"""A model's HTTP endpoint that answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def completion(content: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()


class StandIn:
    """A server that answers as told and remembers what it was asked."""

    def __init__(self) -> None:
        self.status, self.body, self.headers = 200, completion('{"subtasks": []}'), {}  # type: ignore[var-annotated]
        self.answer: Callable[[dict[str, Any]], bytes] | None = None
        self.delay = threading.Event()
        self.slow = False
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                outer.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(data)))
                if outer.answer is not None:
                    outer.body = outer.answer(outer.asked[-1][2])
                if outer.slow:
                    outer.delay.wait(10)
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *arguments: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.delay.set()
        self.server.shutdown()
        self.server.server_close()
