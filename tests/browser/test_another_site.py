"""A page of another site, in the browser of somebody who is signed in: it reads nothing and does nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from study import access

TRIES = """
async ([host, session]) => {
  const socket = await new Promise((told) => {
    const line = new WebSocket(`ws://${host}/_stcore/stream`, ['streamlit']);
    line.onmessage = () => told('read');
    line.onopen = () => { line.send(new Uint8Array([0x5a, 0])); setTimeout(() => told('open'), 3000); };
    line.onclose = () => told('refused');
  });
  const asked = async (path, options) => {
    try { return (await fetch(`http://${host}${path}`, { credentials: 'include', ...options })).status; } catch { return 'refused'; }
  };
  const form = new FormData();
  form.append('file', new Blob(['x']), 'x.csv');
  return {
    socket,
    upload: await asked(`/_stcore/upload_file/${session}/f`, { method: 'PUT', body: form }),
    media: await asked('/media/x.png', {}),
    metrics: await asked('/_stcore/metrics', {}),
    health: await asked('/healthz', {}),
  };
}
"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A page at another port of the same host: of the same site for cookies, of another origin for us."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>hello")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}/"
        served.shutdown()


@pytest.mark.usefixtures("trouble")
def test_a_page_at_another_port_reads_nothing_and_sends_nothing(server: Any, kit: Any, new_tab: Callable[..., Any], elsewhere: str) -> None:
    study = server.study(kit.make_task("elsewhere"), name="Elsewhere")
    cookie, _ = access.enter(server.store, access.create_invite(server.store, "researcher", study.study_id, label="R"))
    tab = new_tab()
    tab.page.context.add_cookies([
        {"name": "vantage_session", "value": cookie, "url": server.base, "httpOnly": True, "sameSite": "Lax"},
    ])  # fmt: skip
    host = server.base.removeprefix("http://")
    tab.page.goto(server.base)
    tab.page.get_by_role("heading", name="Elsewhere").first.wait_for()
    # Our own page may: the same tries show that they are real.
    ours = tab.page.evaluate(TRIES, [host, "s"])
    assert ours["socket"] in ("read", "open") and ours["health"] in (200, 503) and ours["metrics"] == ours["media"] == 404
    tab.page.goto(elsewhere)
    foreign = tab.page.evaluate(TRIES, [host, "s"])
    assert foreign == dict.fromkeys(("socket", "upload", "media", "metrics", "health"), "refused")
