"""``python -m sim_bridge robot-sample``: robot episodes of our own making in two well-known layouts, with the truth."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.errors import BridgeError
from sim_bridge.samples import agibot, bridge, truth
from sim_bridge.samples.plan import ARMS, FPS, Plan, plans

ROOTS = {"dual": "agibot", "single": "bridge"}
"""Folder of each arm's tree under --out."""
LICENCE = "CC0-1.0: rendered by this project; nobody's data."


class OutNotEmpty(BridgeError):
    """The folder given by --out holds something that is no robot sample; give another folder."""

    code = "out_not_empty"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of ``robot-sample``."""
    parser.add_argument("--out", type=Path, required=True, help="folder for agibot/ and bridge/; a former sample there is replaced")
    parser.add_argument("--episodes", type=int, default=12, help="episodes of each arm (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="decides everything (default: %(default)s)")
    parser.add_argument("--only", choices=ARMS, help="one arm alone")
    parser.add_argument("--json", action="store_true", help="print the report as JSON alone")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Write the sample and say what was written."""
    report = write(chosen.out, episodes=chosen.episodes, seed=chosen.seed, only=chosen.only)
    if chosen.json:
        print(json.dumps(report))
        return 0
    for arm in report["arms"]:
        print(f"{arm['arm']}: {arm['episodes']} episodes, {arm['frames']} frames of {arm['views']} views in {arm['root']}")
    print(f"{report['seconds']:.0f} s, {report['megabytes']:.1f} MB")
    return 0


def write(out: Path, *, episodes: int = 12, seed: int = 0, only: str | None = None, processes: int = 2) -> dict[str, Any]:
    """Render the sample into `out`; returns the report.

    Raises:
        BridgeError: no renderer, no encoder, or `out` holds other things.
    """
    if episodes < 1:
        raise BridgeError(f"--episodes: expected 1 or more, got {episodes}")
    gl.check()
    arms = [only] if only else list(ARMS)
    _clear(out, arms)
    began = time.perf_counter()
    work = sorted((p for arm in arms for p in plans(arm, episodes, seed)), key=lambda p: (p.number, p.arm))
    if processes > 1:
        with ProcessPoolExecutor(min(processes, len(work)), mp_context=get_context("spawn"), initializer=_one_thread) as pool:
            entries = list(pool.map(_episode, work, [out] * len(work)))
    else:
        entries = [_episode(p, out) for p in work]
    report: dict[str, Any] = {"seed": seed, "arms": []}
    for arm in arms:
        mine = [e for p, e in zip(work, entries, strict=True) if p.arm == arm]
        root = out / ROOTS[arm]
        if arm == "dual":
            _task_info(root, mine)
        report["arms"].append(
            {
                "arm": arm,
                "root": str(root),
                "episodes": len(mine),
                "frames": sum(e["frames"] for e in mine),
                "views": 3 if arm == "dual" else 4,
            }
        )
    about = {"schema": 1, "complete": True, "seed": seed, "episodes": episodes, "arms": arms, "licence": LICENCE}
    truth.write_json(out / "sample.json", about)
    report["seconds"] = round(time.perf_counter() - began, 1)
    report["cpu_seconds"] = round(sum(e["cpu_seconds"] for e in entries), 1)
    report["megabytes"] = round(sum(f.stat().st_size for f in out.rglob("*") if f.is_file()) / 1e6, 1)
    return report


def _clear(out: Path, arms: list[str]) -> None:
    """Make room: a former sample goes, anything else stays and stops us."""
    if out.exists() and any(out.iterdir()) and not (out / "sample.json").is_file():
        raise OutNotEmpty(f"--out {out}: the folder holds something that is no robot sample; give another folder")
    out.mkdir(parents=True, exist_ok=True)
    for arm in arms:
        shutil.rmtree(out / ROOTS[arm], ignore_errors=True)
    truth.write_json(out / "sample.json", {"schema": 1, "complete": False})


def _one_thread() -> None:
    """Each process draws with one thread: two processes fill two cores without waiting for each other."""
    os.environ["LP_NUM_THREADS"] = "1"


def _episode(plan: Plan, out: Path) -> dict[str, Any]:
    """One episode, in a process of its own kind."""
    from sim_bridge.backends.mujoco.tabletop.show import stage

    began = time.process_time()
    staged = stage(plan.arm, plan.skill, plan.scene, plan.seed, FPS[plan.arm])
    root = out / ROOTS[plan.arm]
    if plan.arm == "dual":
        task = agibot.TASK + plan.task
        entry = {"task": task, "info": agibot.write_episode(staged, root, task, 9000 + plan.number)}
    else:
        entry = bridge.write_episode(staged, root, plan.number)
    return entry | {"frames": staged.track.frames, "cpu_seconds": time.process_time() - began}


def _task_info(root: Path, entries: list[dict[str, Any]]) -> None:
    by_task: dict[int, list[Any]] = defaultdict(list)
    for entry in entries:
        by_task[entry["task"]].append(entry["info"])
    for task, infos in by_task.items():
        truth.write_json(root / "task_info" / f"task_{task}.json", infos)
