"""``vantage verify prepare``: make what verifiers are shown, once, by a simulator; as a job where a page starts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import click

from app.commands.common import ACTOR, db_option, json_option, print_json, say, time_left
from app.commands.workers import TOKEN_VARIABLE, chosen, remote_options
from data import jobs
from data.home import Home
from data.plurals import number_of
from data.store import Store
from sim_bridge.remote import Remote

KIND = "evidence"
"""Kind of the job."""
NAMED = 5
"""Tasks that are named for a reason; further ones are counted."""


def start(store: Store, verification_id: str, *, owner: str = "", backend: str = "mujoco", remotes: Sequence[Remote] = ()) -> str:
    """Have what a verification lacks made beside the app; a job that was stopped is started again in the same way.

    Args:
        store: the database.
        verification_id: the verification.
        owner: who has it made.
        backend: simulator of local workers.
        remotes: workers that run elsewhere, instead; their tokens are handed over beside the command line, which is kept.

    Returns:
        The job's id.
    """
    argv = jobs.command("verify", "prepare", verification_id, "--db", str(store.home.db), "--backend", backend)
    argv += [part for remote in remotes for part in ("--worker-address", remote.address)]
    job_id = jobs.create(store, KIND, argv, owner=owner)
    jobs.start(store, job_id, env={TOKEN_VARIABLE: " ".join(one.token for one in remotes)} if remotes else None)
    return job_id


@click.command("prepare")
@click.argument("verification_id", metavar="VERIFICATION")
@click.option("--check", is_flag=True, help="Only say how much is missing; exits 1 where something is.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator that plays the tasks.")
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="How many simulators work at a time.")
@remote_options
@db_option
@json_option
def prepare(
    verification_id: str, check: bool, backend: str, workers: int, addresses: tuple[str, ...], tokens: tuple[str, ...],
    db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Make the evidence of a verification's tasks: every step of the verified trajectory, with picture, states and relations.

    Each task is given to people when its own evidence is kept, so a run that was stopped goes on. Exits 3 where a task cannot be played
    here: people judge it without, and are told why.
    """
    from annotation.verifying import preparing, verifications
    from data.abilities import abilities_of
    from data.playable import judge
    from study.runtime import running

    home = Home.from_env(db)
    store = Store.open(home)
    verifications.get(store, verification_id)
    wanted = preparing.missing(store, verification_id)
    unmade: list[preparing.Unmade] = []
    if not check:
        job, kept, able, begun = jobs.current(), store, abilities_of(backend), monotonic()
        judged = judge(store, able.catalogue, able.capabilities)

        def progress(done: int, total: int) -> None:
            jobs.report(kept, job, done, total)
            say(f"{done} of {number_of(total, 'task')}{time_left(monotonic() - begun, done, total - done) if done < total else ''}")

        jobs.report(store, job, 0, len(wanted))
        with running(
            home, backend=backend, workers=0 if addresses else workers, addresses=chosen(addresses, tokens), wait_s=600.0
        ) as runtime:
            unmade = preparing.prepare(
                runtime.store, runtime.frames, runtime.pool, verification_id, at_once=len(addresses) or workers, wait_s=600.0,
                unplayable=lambda task: judged(task).missing, actor=ACTOR, progress=progress,
            )  # fmt: skip
    left = preparing.missing(store, verification_id)
    if as_json:
        print_json(
            {"verification_id": verification_id, "wanted": len(wanted), "missing": len(left)}
            | {"unmade": [{"task_id": store.task_ids([one.task_hash])[0], "why": one.why} for one in unmade]}
        )
    say(
        f"{len(wanted) - len(left)} of {number_of(len(wanted), 'task is', 'tasks are')} ready, {number_of(len(left), 'is', 'are')} missing."
    )
    for why, many in Counter(one.why for one in unmade).most_common():
        names = store.task_ids([one.task_hash for one in unmade if one.why == why])
        say(f"{many} without: {why} ({', '.join(names[:NAMED])}{', …' if many > NAMED else ''})")
    store.close()
    if unmade:
        raise SystemExit(jobs.WITH_PROBLEMS)
    if check and left:
        raise SystemExit(1)


COMMANDS: tuple[click.Command, ...] = (prepare,)
"""The commands of this module."""
