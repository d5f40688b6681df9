"""The address people use, and what a proxy says of them: both count only as the operator said."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import app
from app.address import AddressError, AtPublicAddress, PublicAddress, invitation_link
from app.cli import main
from app.forwarded import Forwarded, network
from app.origin import judged
from data.home import Home
from data.store import Store
from study.studies import create_study

ROOT = Path(app.__file__).parent


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://lab.example", "https://lab.example"),
        (" https://Lab.Example:443/ ", "https://lab.example"),
        ("http://lab.example:80", "http://lab.example"),
        ("https://lab.example:80", "https://lab.example:80"),
        ("HTTP://lab.example:8080/Vantage/", "http://lab.example:8080/Vantage"),
        ("https://lab.example/a/b-c_d.e~f/", "https://lab.example/a/b-c_d.e~f"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("http://[::1]:8600/v", "http://[::1]:8600/v"),
        ("http://127.0.0.1:8600", "http://127.0.0.1:8600"),
    ],
)
def test_a_public_address_is_read_as_a_browser_would_send_it(written: str, read: str) -> None:
    assert str(PublicAddress.parse(written)) == read


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("lab.example", "does not begin with http"),
        ("lab.example:8600", "does not begin with http"),
        ("//lab.example", "does not begin with http"),
        ("ftp://lab.example", "does not begin with http"),
        ("", "does not begin with http"),
        ("https://", "names no host"),
        ("https:///vantage", "names no host"),
        ("https://me:secret@lab.example", "user name or password"),
        ("https://lab.example:port", "Port"),
        ("https://lab.example:99999", "Port"),
        ("https://[::1", "Invalid IPv6"),
        ("https://lab.example/?as=1", "nothing may follow"),
        ("https://lab.example/v?", "nothing may follow"),
        ("https://lab.example/#x", "nothing may follow"),
        ("https://lab.example/a//b", "single slashes"),
        ("https://lab.example/../b", "single slashes"),
        ("https://lab.example/a b", "single slashes"),
        ("https://lab.example/a%2fb", "single slashes"),
        ("https://lab.example/ü", "single slashes"),
        ("https://lab;example", "no name of a host"),
        ("https://a..b", "no name of a host"),
        ("https://lab example", "no name of a host"),
    ],
)
def test_what_can_be_no_public_address_is_refused_with_a_reason(written: str, why: str) -> None:
    with pytest.raises(AddressError, match=why) as caught:
        PublicAddress.parse(written)
    assert "https://lab.example/vantage" in str(caught.value)


def test_a_link_has_one_slash() -> None:
    assert invitation_link("http://a/v/", "t") == invitation_link(PublicAddress.parse("http://a/v"), "t") == "http://a/v/enter?invite=t"


def through(layer: Any, scope: dict[str, Any], answer: list[tuple[bytes, bytes]] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an application behind a layer is told of a request, and what goes out of its answer with these headers."""
    seen: list[dict[str, Any]] = []
    sent: list[dict[str, Any]] = []

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        seen.append(scope)
        kind = "websocket.accept" if scope["type"] == "websocket" else "http.response.start"
        await send({"type": kind, "status": 200, "headers": answer or []})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(layer(inner)(scope, None, send))
    return (seen[0] if seen else {}), sent[0]


def scope_of(path: str = "/", *, kind: str = "http", client: str = "203.0.113.9", **headers: str) -> dict[str, Any]:
    """A request as the server hands it on; header names with ``_`` for ``-``, several lines of one header parted by newlines."""
    lines = [(name.replace("_", "-").encode(), line.encode()) for name, value in headers.items() for line in value.split("\n")]
    return {
        "type": kind, "path": path, "raw_path": path.encode(), "query_string": b"as=1", "scheme": "http" if kind == "http" else "ws",
        "client": (client, 1), "headers": [(b"host", b"127.0.0.1:8600"), *lines],
    }  # fmt: skip


def host_of(scope: dict[str, Any]) -> str:
    hosts = [value.decode() for name, value in scope["headers"] if name == b"host"]
    assert len(hosts) == 1
    found: str = hosts[0]
    return found


PUBLIC = PublicAddress.parse("https://lab.example/vantage")


def at_public(inner: Any) -> Any:
    return AtPublicAddress(inner, PUBLIC)


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("/vantage/", "/"),
        ("/vantage/enter", "/enter"),
        ("/vantage/vantage/x", "/vantage/x"),
        # A proxy that cuts the path off.
        ("/", "/"),
        ("/api/open", "/api/open"),
        # Another name that begins alike.
        ("/vantages/x", "/vantages/x"),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_request_stands_at_the_root_of_the_public_address(asked: str, served: str, kind: str) -> None:
    told, _ = through(at_public, scope_of(asked, kind=kind))
    assert (told["path"], told["raw_path"].decode(), host_of(told)) == (served, served, "lab.example")
    assert told["scheme"] == ("https" if kind == "http" else "wss")


@pytest.mark.parametrize(
    ("origin", "verdict"),
    [
        ("https://lab.example", "ours"),
        ("https://lab.example:443", "ours"),
        # The plain page of the host, the host the server listens on, another port, another name.
        ("http://lab.example", "foreign"),
        ("http://127.0.0.1:8600", "foreign"),
        ("https://lab.example:8443", "foreign"),
        ("https://evil.example", "foreign"),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_page_is_ours_by_the_public_address_whatever_host_the_proxy_passes_on(origin: str, verdict: str, kind: str) -> None:
    told, _ = through(at_public, scope_of("/vantage/x", kind=kind, origin=origin))
    assert judged(told) == verdict


def test_the_sub_path_without_its_slash_leads_to_the_one_with_it() -> None:
    told, out = through(at_public, scope_of("/vantage"))
    assert told == {} and out["status"] == 307
    assert dict(out["headers"])[b"location"] == b"/vantage/?as=1"


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ((b"location", b"/questions"), (b"location", b"/vantage/questions")),
        ((b"Location", b"/?a=/b"), (b"Location", b"/vantage/?a=/b")),
        ((b"location", b"./?as=1"), (b"location", b"./?as=1")),
        ((b"location", b"https://elsewhere.example/"), (b"location", b"https://elsewhere.example/")),
        ((b"location", b"//elsewhere.example/"), (b"location", b"//elsewhere.example/")),
        ((b"set-cookie", b"a=/b; path=/; HttpOnly"), (b"set-cookie", b"a=/b; Path=/vantage; HttpOnly")),
        ((b"Set-Cookie", b"a=1; Secure; Path=/"), (b"Set-Cookie", b"a=1; Secure; Path=/vantage")),
        ((b"set-cookie", b"a=1; Path=/enter/x; Max-Age=5"), (b"set-cookie", b"a=1; Path=/vantage/enter/x; Max-Age=5")),
    ],
)
def test_redirects_and_cookies_go_out_with_the_sub_path(inside: tuple[bytes, bytes], outside: tuple[bytes, bytes]) -> None:
    assert through(at_public, scope_of("/vantage/"), [inside])[1]["headers"] == [outside]
    at_root = through(lambda inner: AtPublicAddress(inner, PublicAddress.parse("https://lab.example")), scope_of("/"), [inside])
    assert at_root[1]["headers"] == [inside]


SPOOFED = {"x_forwarded_for": "198.51.100.7", "x_forwarded_proto": "https", "x_forwarded_host": "evil.example"}


def told_by(trusted: list[str], client: str, **headers: str) -> dict[str, Any]:
    return through(lambda inner: Forwarded(inner, [network(text) for text in trusted]), scope_of(client=client, **headers))[0]


@pytest.mark.parametrize(
    ("trusted", "client"),
    [([], "127.0.0.1"), ([], "203.0.113.9"), (["127.0.0.1"], "203.0.113.9"), (["10.0.0.0/8"], "11.0.0.1"), (["127.0.0.1"], "testclient")],
)
def test_what_strangers_say_of_themselves_changes_nothing(trusted: list[str], client: str) -> None:
    told = told_by(trusted, client, **SPOOFED)
    assert (told["client"][0], told["scheme"], host_of(told)) == (client, "http", "127.0.0.1:8600")


def test_a_trusted_proxy_is_believed() -> None:
    told = told_by(["127.0.0.1"], "127.0.0.1", x_forwarded_for="198.51.100.7", x_forwarded_proto="https", x_forwarded_host="lab.example")
    assert (told["client"][0], told["scheme"], host_of(told)) == ("198.51.100.7", "https", "lab.example")


@pytest.mark.parametrize(
    ("chain", "came"),
    [
        ("198.51.100.7", "198.51.100.7"),
        # The client wrote the first itself.
        ("1.2.3.4, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1, 198.51.100.7", "198.51.100.7"),
        ("1.2.3.4\n198.51.100.7", "198.51.100.7"),
        # Two proxies of ours.
        ("1.2.3.4, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.9, 10.0.0.2", "10.0.0.9"),
        ("198.51.100.7:4711", "198.51.100.7"),
        ('"[2001:db8::7]:4711"', "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("unknown", "10.0.0.1"),
        ("198.51.100.7, unknown, 10.0.0.2", "10.0.0.2"),
        ("", "10.0.0.1"),
        (" , ", "10.0.0.1"),
    ],
)
def test_the_client_is_the_rightmost_address_that_is_no_trusted_proxy(chain: str, came: str) -> None:
    assert told_by(["10.0.0.0/8"], "10.0.0.1", x_forwarded_for=chain)["client"][0] == came


def test_a_mapped_address_of_a_trusted_proxy_is_its_address() -> None:
    assert told_by(["127.0.0.1"], "::ffff:127.0.0.1", x_forwarded_for="198.51.100.7")["client"][0] == "198.51.100.7"


@pytest.mark.parametrize(
    ("said", "scheme"), [("https", "https"), ("HTTPS", "https"), ("https, http", "http"), ("gopher", "http"), ("wss", "https")]
)
def test_only_known_schemes_are_taken(said: str, scheme: str) -> None:
    assert told_by(["127.0.0.1"], "127.0.0.1", x_forwarded_proto=said)["scheme"] == scheme


@pytest.mark.parametrize("text", ["*", "", "localhost", "10.0.0.1/8", "10.0.0.0/40", "1.2.3", "unix:"])
def test_a_trusted_proxy_is_an_address_or_a_range(text: str) -> None:
    with pytest.raises(ValueError, match="no address or range"):
        network(text)


def test_addresses_in_pages_and_scripts_are_relative() -> None:
    """Every address of ours that a browser is given, in any string of a script, style or page; routes and sentences of docstrings aside."""
    ours = re.compile(r"""(?<!Route\()(["'`(=])/(?:api|assets|enter|sign-in|healthz|media|_stcore|static|component|\?)[^\n]*""")
    shown = [
        path
        for pattern in (
            "components/*/*.js",
            "components/*/*.css",
            "theme/*.css",
            "pages/*.py",
            "entry/**/*",
            "entry_*.py",
            "*_api.py",
            "components/*.py",
        )
        for path in ROOT.glob(pattern)
        if path.suffix in (".js", ".css", ".py", ".html")
    ]
    assert len(shown) > 60
    found = [f"{path.name}: {hit[0]}" for path in shown for hit in ours.finditer(path.read_text(encoding="utf-8")) if "``" not in hit[0]]
    assert found == []


def test_addresses_of_forms_and_links_are_relative() -> None:
    """No ``href``, ``src`` or ``action`` begins with a slash, whatever comes after it."""
    absolute = re.compile(
        r"""(?:(?:href|src|action|formaction|srcset|poster)\s*[=:]\s*\\?["'`{]?|location\.(?:href|assign\(|replace\()\s*=?\s*["'`]|url\(["']?|\]\()/(?!/)"""
    )
    found = [
        f"{path.relative_to(ROOT)}: {hit[0]}"
        for suffix in ("py", "js", "css", "html")
        for path in ROOT.rglob(f"*.{suffix}")
        for hit in absolute.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert absolute.search('<a href="/x">') and absolute.search("[a](/x)") and absolute.search("src: `/x")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--public-url", "lab.example"), "does not begin with http"),
        (("--public-url", "https://lab.example/?a=b"), "nothing may follow the path"),
        (("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "localhost"), "'localhost' is no address or range of a proxy"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "run"])
def test_a_wrong_option_is_a_sentence_before_anything_starts(command: str, options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, [command, "--db", str(tmp_path / "vantage.db"), *options])
    assert done.exit_code == 2 and said in done.output.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


def test_links_are_printed_with_the_address_of_the_environment(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    study = create_study(Store.open(home), "Study", state="live")
    env = {"VANTAGE_PUBLIC_URL": "https://Lab.example:443/vantage/"}
    for made in (["study", "invite", study.study_id], ["staff", "invite", "Ada", "--role", "researcher", "--study", study.study_id]):
        done = CliRunner(env=env).invoke(main, [*made, "--db", str(home.db)])
        assert done.exit_code == 0, done.output
        assert "https://lab.example/vantage/enter?invite=" in done.output
