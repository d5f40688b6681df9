"""``vantage study frames``: render what a study's paradigms show without a simulator; as a job where a page starts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import click

from app.commands.common import ACTOR, db_option, json_option, print_json, say, time_left
from app.commands.workers import TOKEN_VARIABLE, chosen, remote_options
from data import jobs
from data.abilities import EMBEDDED
from data.home import Home
from data.plurals import number_of
from data.store import Store
from sim_bridge.remote import Remote
from study import rendering
from study.studies import being_edited

KIND = "frames"
"""Kind of the job."""
NAMED = 5
"""Tasks that are named for a reason; further ones are counted."""


def start(
    store: Store,
    study_id: str,
    *,
    owner: str = "",
    backends: Sequence[str] = (EMBEDDED,),
    workers: int = 2,
    remotes: Sequence[Remote] = (),
) -> str:
    """Have what a study lacks rendered beside the app. A job that was cancelled or failed is started again in the same way, or with
    `data.jobs.start`: it goes on with what is missing.

    Args:
        store: the database.
        study_id: the study.
        owner: who has it rendered.
        backends: simulators of local workers.
        workers: local workers of each.
        remotes: workers that run elsewhere; their tokens are handed over beside the command line, which is kept.

    Returns:
        The job's id.
    """
    argv = jobs.command("study", "frames", study_id, "--db", str(store.home.db), "--json")
    argv += ["--workers", str(workers), *(part for name in backends for part in ("--backend", name))]
    argv += [part for remote in remotes for part in ("--worker-address", remote.address)]
    job_id = jobs.create(store, KIND, argv, owner=owner)
    jobs.start(store, job_id, env={TOKEN_VARIABLE: " ".join(remote.token for remote in remotes)} if remotes else None)
    return job_id


@click.command("frames")
@click.argument("study_id", metavar="STUDY")
@click.option("--paradigm", "paradigms", multiple=True, help="Only what this paradigm shows (repeatable).")
@click.option("--check", is_flag=True, help="Only say what is there and what is missing; exits 1 where something is.")
@click.option(
    "--backend",
    "backends",
    multiple=True,
    default=(EMBEDDED,),
    show_default=True,
    help="Simulator that renders; may be repeated. The first renders what the study names no other for.",
)
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    help="Local simulators of each --backend; default: 2, or none where workers elsewhere are named.",
)
@remote_options
@db_option
@json_option
def frames(
    study_id: str, paradigms: tuple[str, ...], check: bool, backends: tuple[str, ...], workers: int | None,
    addresses: tuple[str, ...], tokens: tuple[str, ...], db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Render the pictures that a study shows without a simulator, once and for everybody.

    Each set is kept when it is whole: what is there is not rendered again, so a run that was stopped goes on. Exits 3 where a task's
    pictures cannot be rendered; they are named.
    """
    from study.runtime import running

    home = Home.from_env(db)
    store = Store.open(home)
    study = being_edited(store, study_id)
    wanted = list(dict.fromkeys((task, part.frozen) for part in rendering.pictures(store, study, paradigms) for task in part.missing))
    refused: list[rendering.Refused] = []
    remotes = chosen(addresses, tokens)
    workers = (0 if remotes else 2) if workers is None else workers
    if wanted and not check:
        job, kept, begun = jobs.current(), store, monotonic()

        def progress(done: int, total: int) -> None:
            jobs.report(kept, job, done, total)
            say(f"{done} of {number_of(total, 'set')}{time_left(monotonic() - begun, done, total - done) if done < total else ''}")

        jobs.report(store, job, 0, len(wanted))
        with running(home, backend=backends[0], others=backends[1:], workers=workers, addresses=remotes, wait_s=600.0) as runtime:
            refused = rendering.render(
                runtime.store, runtime.frames, runtime.pool, wanted, backends=study.protocol.backends,
                at_once=max(1, len(remotes) + workers * len(backends)), wait_s=600.0, actor=ACTOR, progress=progress,
            )  # fmt: skip
    found = rendering.pictures(store, study, paradigms)
    if as_json:
        print_json({"study": study_id, "pictures": [part.model_dump() for part in found], "refused": [one.model_dump() for one in refused]})
    for part in found:
        say(f"{part.paradigm}: {part.ready} of {number_of(part.ready + len(part.missing), 'set')} of pictures are there.")
    if not found:
        say("Nothing to render: its paradigms show only what is simulated, or words.")
    for why, many in Counter(one.why for one in refused).most_common():
        names = store.task_ids([one.task_hash for one in refused if one.why == why])
        say(f"{many} cannot be rendered: {why} ({', '.join(names[:NAMED])}{', …' if many > NAMED else ''})")
    store.close()
    if refused:
        raise SystemExit(jobs.WITH_PROBLEMS)
    if check and any(part.missing for part in found):
        raise SystemExit(1)


COMMANDS: tuple[click.Command, ...] = (frames,)
"""The commands of this module."""
