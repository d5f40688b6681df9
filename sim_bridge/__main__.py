"""``python -m sim_bridge`` with ``worker``, ``describe``, ``preflight``, ``conformance``, ``gallery``, ``objects``, ``norming`` or
``robot-sample``."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from sim_bridge.errors import BridgeError
from sim_bridge.protocol import MAX_SESSIONS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="sim_bridge", description="A simulator behind a small typed door.")
    commands = parser.add_subparsers(dest="command", required=True)
    add_worker(commands.add_parser("worker", help="serve a simulator until SIGTERM"))
    add_describe(commands.add_parser("describe", help="what a simulator can do, as one line of JSON"))
    add_preflight(commands.add_parser("preflight", help="whether the buildings and models that tasks need are installed here"))
    add_conformance(commands.add_parser("conformance", help="check that a simulator keeps the protocol's promises"))
    add_gallery(commands.add_parser("gallery", help="pictures of everything a simulator shows and does"))
    add_objects(commands.add_parser("objects", help="pictures and properties of every object of the embedded simulator"))
    add_norming(commands.add_parser("norming", help="pictures for the task 'name this object', and their key"))
    add_robot_sample(
        commands.add_parser("robot-sample", help="robot episodes of our own making, in the layouts of AgiBot World and BridgeData V2")
    )
    chosen = parser.parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except BridgeError as problem:
        print(f"sim_bridge: {problem}", file=sys.stderr)
        return 2


def add_worker(parser: argparse.ArgumentParser) -> None:
    """Options of ``worker``."""
    parser.add_argument("--backend", default="mujoco", help="toy, mujoco, recorded, omnigibson, or module:callable (default: %(default)s)")
    parser.add_argument("--address", default="127.0.0.1", help="address to bind (default: %(default)s, this machine only)")
    parser.add_argument("--port", type=int, default=0, help="port to bind; 0 picks a free one and prints it (default: 0)")
    parser.add_argument("--token", help="bearer token; prefer --token-file or SIM_BRIDGE_TOKEN, which the process list does not show")
    parser.add_argument("--token-file", help="file with the bearer token")
    parser.add_argument("--max-sessions", type=int, default=MAX_SESSIONS, help="sessions kept at once (default: %(default)s)")
    parser.add_argument(
        "--recycle", type=int, metavar="N", help="end after N episodes, to be started afresh (SIM_BRIDGE_RECYCLE); 0: never"
    )
    parser.add_argument("--keep", action="store_true", help="supervise: start the worker again when it ends, end it when it hangs")
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    parser.set_defaults(run=_worker)


def add_describe(parser: argparse.ArgumentParser) -> None:
    """Options of ``describe``."""
    parser.add_argument("--backend", default="mujoco", help="toy, mujoco, recorded, omnigibson, or module:callable (default: %(default)s)")
    parser.add_argument("--fingerprint", action="store_true", help="also what decides its pixels here; this loads the renderer")
    parser.set_defaults(run=_describe)


def add_preflight(parser: argparse.ArgumentParser) -> None:
    """Options of ``preflight``."""
    parser.add_argument("needs", type=Path, help="JSON lines, as `vantage tasks list --needs` prints them")
    parser.add_argument("--backend", default="omnigibson", help="omnigibson, or module:callable (default: %(default)s)")
    parser.set_defaults(run=_preflight)


def add_conformance(parser: argparse.ArgumentParser) -> None:
    """Options of ``conformance``."""
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--address", help="a running worker, ws://host:port")
    target.add_argument("--backend", help="start a worker with this backend: toy, mujoco, recorded, omnigibson, or module:callable")
    parser.add_argument("--token", help="bearer token of --address; prefer --token-file or SIM_BRIDGE_TOKEN")
    parser.add_argument("--token-file", help="file with the bearer token")
    parser.add_argument("--category", nargs=2, metavar=("LARGE", "SMALL"), help="two categories the backend has objects of")
    parser.add_argument("--json", action="store_true", help="print the report as JSON alone")
    parser.set_defaults(run=_conformance)


def add_gallery(parser: argparse.ArgumentParser) -> None:
    """Options of ``gallery``."""
    from sim_bridge.gallery import add_options

    add_options(parser)


def add_objects(parser: argparse.ArgumentParser) -> None:
    """Options of ``objects``."""
    parser.add_argument("--out", type=Path, required=True, help="folder for objects.md")
    parser.add_argument("--images", type=Path, help="folder for its pictures (default: that of --out)")
    parser.set_defaults(run=_objects)


def add_norming(parser: argparse.ArgumentParser) -> None:
    """Options of ``norming``."""
    parser.add_argument("--out", type=Path, required=True, help="folder for items.json and its pictures, to be shown to people")
    parser.add_argument("--key", type=Path, required=True, help="file for the accepted names, to be kept from them")
    parser.add_argument("--seed", type=int, default=0, help="decides the order, the file names and what is drawn (default: %(default)s)")
    parser.add_argument("--used", type=Path, help="only what the categories of a report of `vantage tasks coverage --json` are shown as")
    parser.add_argument("--sample", type=int, metavar="N", help="draw N of them (default: all)")
    parser.set_defaults(run=_norming)


def add_robot_sample(parser: argparse.ArgumentParser) -> None:
    """Options of ``robot-sample``."""
    from sim_bridge.samples.robot import add_options

    add_options(parser)


def _worker(chosen: argparse.Namespace) -> int:
    from sim_bridge.worker import read_token, run_worker

    token = read_token(chosen.token_file) if chosen.token_file else chosen.token
    if chosen.keep:
        from sim_bridge.keeper import keep

        options = {
            "--backend": chosen.backend,
            "--address": chosen.address,
            "--max-sessions": chosen.max_sessions,
            "--recycle": chosen.recycle,
        }
        return keep(options, chosen.address, chosen.port, token)
    return run_worker(
        chosen.backend,
        address=chosen.address,
        port=chosen.port,
        token=token,
        max_sessions=chosen.max_sessions,
        recycle=chosen.recycle,
        parent=chosen.parent,
    )


def _describe(chosen: argparse.Namespace) -> int:
    """Print name, capabilities, and the module of the catalogue: ``catalogue`` in the backend's package, null where there is none."""
    from sim_bridge.host import create_backend

    backend = create_backend(chosen.backend)
    package = type(backend).__module__.rpartition(".")[0]
    module = f"{package}.catalogue"
    there = bool(package) and importlib.util.find_spec(module) is not None
    told = {"name": backend.name, "deterministic": backend.deterministic, "capabilities": list(backend.capabilities)}
    told |= {"fingerprint": backend.fingerprint()} if chosen.fingerprint else {}
    print(json.dumps(told | {"catalogue": module if there else None}))
    return 0


def _preflight(chosen: argparse.Namespace) -> int:
    from sim_bridge.preflight import run

    return run(chosen.backend, chosen.needs)


def _conformance(chosen: argparse.Namespace) -> int:
    from sim_bridge.conformance import CATEGORIES, run_conformance
    from sim_bridge.worker import read_token

    token = read_token(chosen.token_file) if chosen.token_file else chosen.token
    categories = tuple(chosen.category) if chosen.category else CATEGORIES
    return run_conformance(address=chosen.address, backend=chosen.backend, token=token, as_json=chosen.json, categories=categories)


def _objects(chosen: argparse.Namespace) -> int:
    from sim_bridge.backends.mujoco.tools import object_pages

    object_pages.write(chosen.out, chosen.images or chosen.out)
    return 0


def _norming(chosen: argparse.Namespace) -> int:
    from sim_bridge.backends.mujoco.tools import norming
    from sim_bridge.backends.mujoco.tools.contact_sheet import categories_of

    used = categories_of(chosen.used) if chosen.used else ()
    norming.write(chosen.out, chosen.key, seed=chosen.seed, used=used, sample=chosen.sample)
    return 0


if __name__ == "__main__":
    sys.exit(main())
