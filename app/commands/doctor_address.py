"""``vantage doctor --address``: the way in, walked as a browser walks it; for each step what stands in the way, and which line mends it."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator

from app.address import DEFAULT_PORTS, PublicAddress
from app.commands.checks import Check
from app.commands.way import PATIENCE_S, REPLY_S, Way
from data.plurals import number_of

UPLOAD_BYTES = 20_000_000
"""Size of the largest file that a page takes."""
ELSEWHERE = "https://another-site.invalid"
DOCUMENTATION = "192.0.2.1"
"""An address that is nobody's (RFC 5737)."""
PASS_ON = "nginx: proxy_set_header Host $http_host;"


def good(name: str, found: str) -> Check:
    """A step that is as it should be."""
    return Check(name, True, True, found)


def bad(name: str, found: str, advice: str, *, required: bool = True) -> Check:
    """A step at which something stands in the way."""
    return Check(name, False, required, found, advice)


def reach(way: Way) -> Check:
    """Name, connection, certificate."""
    host, port = way.place
    try:
        line = way.connection()
        line.connect()
        line.close()
    except ssl.SSLCertVerificationError as error:
        return bad(
            "connection",
            f"the certificate is not accepted: {error.verify_message}",
            "Let the proxy serve a certificate for this name, with the whole chain.",
        )
    except ssl.SSLError as error:
        return bad(
            "connection",
            f"no TLS at {host}:{port}: {error.reason}",
            "Let the proxy speak TLS at this port (nginx: listen 443 ssl;), or name the address with http://.",
        )
    except socket.gaierror:
        return bad("connection", f"the name {host} is not known", "Enter the name in the DNS, or look for a typing error.")
    except OSError as error:
        return bad(
            "connection",
            f"nobody answers at {host}:{port}: {error.strerror or error}",
            "Start the proxy, and open the port in the firewall.",
        )
    return good("connection", f"{host}:{port}" + (", certificate accepted" if way.address.scheme == "https" else ""))


def arrives(way: Way) -> Check:
    """Whether a request reaches this program at all."""
    reply = way.ask("GET", "/api/way")
    way.seen = reply.told()
    if reply.status == 200 and way.seen.get("program") == "vantage":
        return good("server", "Vantage answers")
    if reply.status in (502, 503, 504):
        return bad(
            "server",
            f"the proxy says {reply.status}: it does not reach Vantage",
            "Start `vantage serve`, and let proxy_pass name the port it says.",
        )
    below = f" below {way.address.path}" if way.address.path else ""
    return bad(
        "server",
        f"something else answers{below} (status {reply.status})",
        f"Let the proxy pass everything{below} on to Vantage (nginx: location {way.address.path}/ {{ proxy_pass …; }}), and start it with "
        f"--public-url {way.address}.",
    )


def public(way: Way) -> Check:
    """Whether the server knows where people reach it."""
    told = way.seen.get("public")
    if told == str(way.address):
        return good("public address", told)
    needed = (
        way.address.path != "" or way.seen.get("host") != way.address.netloc or way.seen.get("https") != (way.address.scheme == "https")
    )
    found = (
        f"the server was told {told}"
        if told
        else f"the server was not told; requests arrive for {'https' if way.seen.get('https') else 'http'}://{way.seen.get('host')}"
    )
    return bad("public address", found, f"Start it with --public-url {way.address} (or VANTAGE_PUBLIC_URL).", required=needed or bool(told))


def version(way: Way) -> Check:
    """Whether the proxy speaks HTTP/1.1 to the server."""
    told = way.seen.get("version", "")
    if told == "1.0":
        return bad("http", "the proxy speaks HTTP/1.0 to Vantage, by which WebSockets do not pass", "nginx: proxy_http_version 1.1;")
    return good("http", f"HTTP/{told}")


def redirects(way: Way) -> Iterator[Check]:
    """From plain to TLS; from the sub-path without its slash to the one with it."""
    _, port = way.place
    if way.address.scheme == "http":
        yield bad(
            "tls",
            "people come by http: whoever is on the way reads cookies and answers",
            "Let the proxy hold a certificate, and redirect to https.",
            required=False,
        )
    elif port == DEFAULT_PORTS["https"]:
        plain = Way(PublicAddress("http", way.address.netloc, way.address.path))
        try:
            reply = plain.ask("GET", "/")
        except OSError:
            yield good("tls", "nobody answers by http")
        else:
            to = "".join(reply.header("location"))
            if reply.status in (301, 302, 307, 308) and to.startswith(way.address.origin):
                yield good("tls", f"http leads to {to}")
            else:
                yield bad(
                    "tls",
                    f"http is answered with status {reply.status}, not with a redirect to https",
                    "nginx, in the server that listens on 80: return 301 https://$host$request_uri;",
                )
    if way.address.path:
        reply = way.ask("GET", "")
        to = "".join(reply.header("location"))
        ends = (f"{way.address.path}/", f"{way.address}/")
        if reply.status in (301, 302, 307, 308) and to in ends:
            yield good("slash", f"{way.address.path} leads to {way.address.path}/")
        else:
            yield bad(
                "slash",
                f"{way.address.path} without a slash at its end is answered with status {reply.status} {to}".rstrip(),
                f"nginx: location = {way.address.path} {{ return 308 {way.address.path}/; }}",
            )


def page(way: Way) -> Iterator[Check]:
    """The page, its scripts, and the headers that protect it."""
    reply = way.ask("GET", "/")
    scripts = re.findall(rb'src="\./(static/[^"]+\.js)"', reply.body)
    if reply.status != 200 or not scripts:
        yield bad(
            "page", f"status {reply.status}, and no page of Vantage's", f"Let the proxy pass {way.address.path}/ on, and alter no page."
        )
        return
    yield good("page", number_of(len(reply.body), "byte"))
    for name, path in (("scripts", f"/{scripts[0].decode()}"), ("components", f"/{way.seen.get('assets', '')}")):
        got = way.ask("GET", path)
        kind = "".join(got.header("content-type"))
        if got.status == 200 and "javascript" in kind:
            yield good(name, f"{path} as {kind}")
        else:
            yield bad(
                name,
                f"{path} comes with status {got.status} as {kind or 'nothing'}",
                "Let the proxy pass on all paths, with the types the server gives (no cache, rule or file of its own for .js).",
            )
    policies = reply.header("content-security-policy")
    frames = reply.header("x-frame-options")
    if len(policies) != 1 or len(frames) != 1 or reply.header("x-content-type-options") != ["nosniff"]:
        yield bad(
            "headers",
            f"{len(policies)} Content-Security-Policy, {len(frames)} X-Frame-Options",
            "Let the proxy pass on the server's own security headers, and add none of these itself.",
        )
    elif way.address.scheme == "https" and not reply.header("strict-transport-security"):
        yield bad(
            "headers",
            "no Strict-Transport-Security: the server does not know that people come by https",
            f"Start it with --public-url {way.address}.",
        )
    else:
        yield good("headers", "as the server sent them")


def cookies(way: Way) -> Check:
    """How a browser would keep what the server sets."""
    lines = way.ask("GET", "/_stcore/health").header("set-cookie")
    if not lines:
        return bad(
            "cookies", "no cookie arrives", "Let the proxy pass on Set-Cookie (nginx: no proxy_hide_header or proxy_ignore_headers for it)."
        )
    for line in lines:
        parts = {name.strip().lower(): value.strip() for name, _, value in (part.partition("=") for part in line.split(";")[1:])}
        path = parts.get("path", "")
        if not (way.address.path + "/").startswith(path.rstrip("/") + "/"):
            return bad(
                "cookies",
                f"a cookie is kept to {path}, which is not on the way to {way.address.path}/",
                f"Start it with --public-url {way.address}, and let the proxy leave cookies alone (no proxy_cookie_path).",
            )
        if "domain" in parts:
            return bad(
                "cookies", f"a cookie is given to all of {parts['domain']}", "Let the proxy leave cookies alone (no proxy_cookie_domain)."
            )
        if way.address.scheme == "https" and "secure" not in parts:
            return bad(
                "cookies",
                "cookies may travel in plain: the server does not know that people come by https",
                f"Start it with --public-url {way.address}.",
            )
    return good("cookies", f"kept to {path}" + (", to https" if way.address.scheme == "https" else ""))


def writes(way: Way) -> Iterator[Check]:
    """A write of a page of ours gets through, and one of another site does not."""
    reply, told = way.write(way.address.origin), {}
    if reply.status == 204:
        yield good("write", "a page's own write is taken")
    else:
        told = reply.told()
        if told.get("error") == "bad_origin":
            host = way.seen.get("host") or "another host"
            found = f"a page's write is refused: it comes from {way.address.origin}, and the proxy passes it on for {host}"
            yield bad("write", found, f"Start the server with --public-url {way.address}, or let the proxy pass on the host ({PASS_ON}).")
        else:
            yield bad(
                "write",
                f"a page's write is answered with status {reply.status}",
                "Let the proxy pass on POST, and its body, to every path.",
            )
    reply = way.write(ELSEWHERE)
    if reply.status == 403:
        yield good("other sites", "a write of another site is refused")
    else:
        yield bad(
            "other sites",
            f"a write of another site is answered with status {reply.status}",
            "Let the proxy leave Origin alone: by it the server knows which site a request comes from.",
        )


def stream(way: Way) -> Iterator[Check]:
    """The WebSocket that the pages live on."""
    from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
    from websockets.sync.client import connect
    from websockets.typing import Origin, Subprotocol

    secure = way.address.scheme == "https"
    where = f"{'wss' if secure else 'ws'}://{way.address.netloc}{way.address.path}/_stcore/stream"
    lines = "nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;"
    try:
        socket = connect(
            where, origin=Origin(way.address.origin), subprotocols=[Subprotocol("streamlit")], open_timeout=REPLY_S, proxy=None,
            ssl=ssl.create_default_context() if secure else None, ping_interval=None,
        )  # fmt: skip
    except InvalidStatus as error:
        status = error.response.status_code
        if status == 403:
            yield bad(
                "websocket",
                "the handshake is refused as another site's",
                f"Start the server with --public-url {way.address}, or let the proxy pass on the host ({PASS_ON}).",
            )
        else:
            yield bad("websocket", f"the handshake is answered with status {status}", f"Let the proxy upgrade WebSockets ({lines}).")
        return
    except (OSError, WebSocketException) as error:
        yield bad("websocket", f"no handshake: {error}", f"Let the proxy upgrade WebSockets ({lines}).")
        return
    with socket:
        yield good("websocket", "opens")
        begun = time.monotonic()
        try:
            socket.recv(timeout=way.patience_s)
        except TimeoutError:
            yield good("silence", f"a silent WebSocket stays open for {way.patience_s:g} s")
        except ConnectionClosed:
            yield bad(
                "silence",
                f"a silent WebSocket is closed after {time.monotonic() - begun:.0f} s",
                "Let the proxy wait longer (nginx: proxy_read_timeout 1h;).",
            )
        else:
            yield good("silence", "the server speaks")


def sizes(way: Way) -> Check:
    """Whether the largest upload of a page would be let through. Its body is only announced, not sent."""
    line = way.connection()
    try:
        line.putrequest("PUT", f"{way.address.path}/_stcore/upload_file/doctor/doctor", skip_host=True)
        for name, value in (
            ("Host", way.address.netloc),
            ("Origin", way.address.origin),
            ("Content-Length", str(UPLOAD_BYTES)),
            ("Expect", "100-continue"),
        ):
            line.putheader(name, value)
        line.endheaders()
        assert line.sock is not None
        line.sock.settimeout(5.0)
        try:
            first = line.sock.recv(64)
        except TimeoutError:
            first = b""
    finally:
        line.close()
    if b" 413 " in first:
        return bad("uploads", f"a body of {UPLOAD_BYTES // 1_000_000} MB is refused by the proxy", "nginx: client_max_body_size 25m;")
    return good("uploads", f"a body of {UPLOAD_BYTES // 1_000_000} MB would be let through")


def buffers(way: Way) -> Check:
    """Whether replies come as the server sends them."""
    line = way.connection()
    try:
        line.request("GET", f"{way.address.path}/api/way/drip", headers={"Host": way.address.netloc})
        reply = line.getresponse()
        reply.readline()
        reply.readline()
        second = time.monotonic()
        rest = reply.read()
        gap = time.monotonic() - second
    finally:
        line.close()
    if reply.status != 200 or rest != b"three\n":
        return bad(
            "buffering",
            f"a slow reply is cut off (status {reply.status})",
            "Let the proxy wait longer for replies (nginx: proxy_read_timeout 1h;).",
        )
    if gap < 0.2:
        return bad(
            "buffering",
            "the proxy keeps replies back until they are whole; exports are written to its disk",
            "nginx: proxy_buffering off;",
            required=False,
        )
    return good("buffering", "replies come as they are sent")


def visitors(way: Way) -> Check:
    """Whether the server can tell one visitor from another, and nobody can choose whom to be."""
    spoofed = way.ask("GET", "/api/way", headers={"X-Forwarded-For": DOCUMENTATION}).told()
    # Where the proxy adds to the header, there are two; from the proxy's own machine the claimed one is then the first that is no proxy's.
    if spoofed.get("client") == DOCUMENTATION and spoofed.get("forwarded") == 1:
        return bad(
            "visitors",
            "the address that a visitor claims is believed",
            "nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
        )
    if way.seen.get("believed") and way.seen.get("forwarded"):
        return good("visitors", f"told apart: you come from {way.seen.get('client')}")
    peer = way.seen.get("client")
    if way.seen.get("forwarded"):
        return bad(
            "visitors",
            f"everybody seems to come from {peer}: what the proxy says of them is not believed",
            f"Start the server with --trusted-proxy {peer}.",
            required=False,
        )
    if way.seen.get("believed"):
        return bad(
            "visitors",
            f"everybody seems to come from {peer}: the proxy does not say who they are",
            "nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
            required=False,
        )
    return Check(
        "visitors",
        True,
        False,
        f"you come from {peer}; if that is the proxy's address, it does not say who people are, and is not believed",
    )


STEPS: tuple[Callable[[Way], Check | Iterator[Check]], ...] = (
    public,
    version,
    redirects,
    page,
    cookies,
    writes,
    stream,
    sizes,
    buffers,
    visitors,
)
"""What is looked at once requests arrive, in order."""


def walk(address: PublicAddress, patience_s: float = PATIENCE_S) -> Iterator[Check]:
    """Every step of the way in; those after one that cannot be passed are left out."""
    way = Way(address, patience_s)
    for first in (reach, arrives):
        check = _tried(first, way)
        yield from check
        if not all(one.ok for one in check):
            return
    for step in STEPS:
        yield from _tried(step, way)


def _tried(step: Callable[[Way], Check | Iterator[Check]], way: Way) -> list[Check]:
    try:
        found = step(way)
        return [found] if isinstance(found, Check) else list(found)
    except (OSError, http.client.HTTPException) as error:
        return [bad(step.__name__, f"the connection broke: {error or type(error).__name__}", "Look into the proxy's error log.")]
