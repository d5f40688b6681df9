"""What a backend says of itself, and what its worker refuses on the wire."""

from __future__ import annotations

import urllib.error
import urllib.request

import msgspec
from websockets.exceptions import InvalidStatus

from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS
from sim_bridge.checks.probe import FEATURES, Failed, Probe, ask, check, require
from sim_bridge.protocol import VERSION, Act, ErrorReply, Health, HealthReply, Hello, HelloReply, encode


@check("hello names the protocol version, the backend, and capabilities among which are the ten camera actions")
def hello(probe: Probe) -> None:
    said = probe.hello
    require(said.version == VERSION, f"version {said.version}, expected {VERSION}")
    require(bool(said.backend), "the backend has no name")
    unknown = sorted(set(said.capabilities) - set(ACTIONS) - set(FEATURES))
    require(not unknown, f"capabilities that the protocol does not know: {', '.join(unknown)}")
    missing = [a for a in CAMERA_ACTIONS if a not in said.capabilities]
    require(not missing, f"camera actions missing among the capabilities: {', '.join(missing)}")


@check("the fingerprint says what may change pixels (versions, renderer), as non-empty strings")
def fingerprint(probe: Probe) -> None:
    said = probe.hello.fingerprint
    require(bool(said), "the fingerprint is empty")
    empty = [k for k, v in said.items() if not v]
    require(not empty, f"empty entries: {', '.join(empty)}")


@check("a client of another protocol version is refused with unsupported_version", wire=True)
def version_refused(probe: Probe) -> None:
    with probe.connection() as wire:
        reply = ask(wire, encode(Hello(id=7, versions=(VERSION + 98, VERSION + 99))))
    good = isinstance(reply, ErrorReply) and reply.code == "unsupported_version"
    require(good, f"expected the error 'unsupported_version', got {reply}")


@check("a missing or wrong bearer token is refused with HTTP 401", wire=True)
def token_required(probe: Probe) -> None:
    for token in ("", "wrong", probe.token[:-1], probe.token + "x"):
        try:
            with probe.connection(token):
                raise Failed(f"a connection with {'no' if not token else 'a wrong'} token was accepted")
        except InvalidStatus as problem:
            status = problem.response.status_code
            require(status == 401, f"expected HTTP 401, got {status}")


@check("requests before hello are refused with bad_request", wire=True)
def hello_first(probe: Probe) -> None:
    with probe.connection() as wire:
        reply = ask(wire, encode(Act(id=3, session="s", seq=1, action="turn_left")))
    require(isinstance(reply, ErrorReply) and reply.code == "bad_request", f"expected the error 'bad_request', got {reply}")


@check("malformed messages get bad_request and the connection goes on working", wire=True)
def malformed_messages(probe: Probe) -> None:
    pack = msgspec.msgpack.encode
    broken: list[tuple[str, bytes | str]] = [
        ("no MessagePack", b"\xc1\xff\x00"),
        ("an empty message", b""),
        ("a cut-off message", encode(Act(session="s", seq=1, action="turn_left"))[:-3]),
        ("text", "hello"),
        ("a number", pack(5)),
        ("a message without type", pack({"session": "s"})),
        ("an unknown type", pack({"type": "explode"})),
        ("a missing field", pack({"type": "act", "session": "s"})),
        ("a wrong type", pack({"type": "act", "session": 5, "seq": "one", "action": []})),
    ]
    with probe.connection() as wire:
        require(isinstance(ask(wire, encode(Hello(id=1))), HelloReply), "hello was not answered")
        for what, message in broken:
            reply = ask(wire, message)
            good = isinstance(reply, ErrorReply) and reply.code == "bad_request"
            require(good, f"{what}: expected the error 'bad_request', got {reply}")
        require(isinstance(ask(wire, encode(Hello(id=2))), HelloReply), "after malformed messages, hello was not answered")


@check("fields a worker does not know are ignored, so that newer clients can add some", wire=True)
def unknown_fields_ignored(probe: Probe) -> None:
    with probe.connection() as wire:
        reply = ask(wire, msgspec.msgpack.encode({"type": "hello", "id": 9, "versions": [1, VERSION], "colour": "blue"}))
    require(isinstance(reply, HelloReply) and reply.id == 9, f"expected a hello reply with id 9, got {reply}")


@check("health is answered with memory, sessions and no overdue request, and /healthz without a token", wire=True)
def health(probe: Probe) -> None:
    probe.loaded()
    with probe.connection() as wire:
        reply = ask(wire, encode(Health(id=4)))
    require(isinstance(reply, HealthReply) and reply.id == 4, f"expected a health reply with id 4, got {reply}")
    assert isinstance(reply, HealthReply)
    require(reply.sessions >= 1 and reply.rss_mb > 0 and not reply.overdue, f"implausible health: {reply}")
    url = probe.address.replace("ws", "http", 1).rstrip("/") + "/healthz"
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=10) as answer:
            status = answer.status
    except urllib.error.HTTPError as problem:
        status = problem.code
    require(status == 200, f"GET /healthz: expected HTTP 200, got {status}")
