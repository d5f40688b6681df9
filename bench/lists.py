"""``vantage bench lists``: what the pages of robot questions cost the server where there are many moments and items.

The project is invented (`bench.synthetic`); pages, routes and queries are the program's own. A page is its whole script under Streamlit's
AppTest, a list is the route that its browser side asks, from the request to the reply. Each figure is the slowest of its repeats in seconds
of this machine's clock, the first one, when nothing is cached yet, apart; ``cpu`` is the processor's time of the same repeats. Thumbnails,
which are files, are not in it.

author        page *Make questions*: one's own items, what is needed, where to begin
moments       a page of the kept moments; ``search``: with words that few, and that none of them have; ``last``: its last page
own items     a page of the author's items
lead …        page *Questions*, part by part
items         a page of all items; ``items search``: with words
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import click
from starlette.requests import Request
from starlette.responses import Response

from app.commands.common import say
from bench import synthetic
from bench.synthetic import Sizes
from data.home import Home
from data.store import Store
from study import access
from study.access import Grant

AIM_S = 1.0
"""Seconds that a page, and a list on it, may take at most."""
PARTS = ("Overview", "Items", "People", "Balance", "Export", "Results")
SEARCHED = ("cups", "stack 17", "no such words")


@dataclass(frozen=True)
class Many(Sizes):
    """A project with many moments, all kept, beside a small study."""

    questions: int
    kept: int

    @property
    def items(self) -> int:
        """Robot questions."""
        return self.questions

    @property
    def moments(self) -> int:
        return self.kept


@dataclass(frozen=True)
class Person:
    """Somebody who looks at the pages."""

    cookie: str
    grant: Grant


def made(store: Store, questions: int, kept: int) -> tuple[str, Person, Person]:
    """Fill an empty database; the project, an author who has made a ninth of the items, and the lead."""
    filled = synthetic.make(store, Many(600, 60, 60, questions, kept))

    def enter(role: str) -> Person:
        return Person(*access.enter(store, access.create_invite(store, role, filled.study_id)))

    author, lead = enter("author"), enter("researcher")
    with store.atomic() as db:
        db.execute("UPDATE moments SET state = 'kept', reason = '', document = json_remove(document, '$.filter')")
        db.execute("UPDATE qa_items SET author = ? WHERE author = 'au_1'", [author.grant.staff_id])
    return filled.project_id, author, lead


def _home(grant: object) -> None:
    """The script of the author's page, for AppTest: it runs as a file of its own."""
    from app.pages import qa_author

    qa_author.home(grant)  # type: ignore[arg-type]


def _questions(grant: object) -> None:
    """The same of the lead's."""
    from app.pages import qa_lead

    qa_lead.page(grant)  # type: ignore[arg-type]


@contextmanager
def _served(store: Store) -> Iterator[Callable[[Person], None]]:
    """The services that pages and routes ask for; who looks is chosen by calling what is given."""
    from app import identity, services

    before = identity.page_cookie
    logging.getLogger("streamlit").setLevel(logging.ERROR)  # it misses a browser
    with ThreadPoolExecutor(2) as reading:
        services.install(SimpleNamespace(store=store, home=store.home, reading=reading))  # type: ignore[arg-type]
        try:
            yield lambda person: setattr(identity, "page_cookie", lambda: person.cookie)
        finally:
            services.install(None)
            identity.page_cookie = before


def _page(script: Callable[[object], None], person: Person, **asked: str) -> Callable[[], None]:
    """Draws a page from the beginning."""
    from streamlit.testing.v1 import AppTest

    def draw() -> None:
        test = AppTest.from_function(script, kwargs={"grant": person.grant}, default_timeout=600)
        for name, value in asked.items():
            test.query_params[name] = value
        if (test := test.run()).exception:
            raise click.ClickException(f"The page failed: {test.exception[0].message}")

    return draw


def _list(route: Callable[[Request], Any], person: Person, project: str, **asked: str) -> Callable[[], None]:
    """Asks a route as a browser does."""
    from app.identity import COOKIE

    scope = {
        "type": "http", "method": "GET", "path": f"/api/{project}", "path_params": {"project": project},
        "query_string": urlencode(asked).encode(), "headers": [(b"cookie", f"{COOKIE}={person.cookie}".encode())],
    }  # fmt: skip

    def ask() -> None:
        reply: Response = asyncio.run(route(Request(scope)))
        if reply.status_code != 200:
            raise click.ClickException(f"The list failed: {bytes(reply.body).decode()[:200]}")

    return ask


def measured(store: Store, project: str, author: Person, lead: Person, repeats: int) -> dict[str, dict[str, float]]:
    """Page or list → ``first``, ``again`` and ``cpu``, seconds."""
    from annotation.qa.moments.finding import PAGE
    from annotation.qa.subtasks import SUBTASKS
    from app import qa_list_api, qa_moments_api

    subtask = next(iter(SUBTASKS))
    moments: dict[str, dict[str, str]] = {"moments": {}, **{f"search “{words}”": {"words": words} for words in SEARCHED}}
    kept = store.query("SELECT count(*) AS n FROM moments WHERE project_id = ? AND state = 'kept'", [project])[0]["n"]
    moments["last"] = {"offset": str((kept - 1) // PAGE * PAGE)}
    shown: dict[str, tuple[Person, Callable[[], None]]] = {"author": (author, _page(_home, author))}
    shown |= {name: (author, _list(qa_moments_api.find, author, project, subtask=subtask, **asked)) for name, asked in moments.items()}
    shown["own items"] = (author, _list(qa_list_api.find, author, project, whose="mine"))
    shown |= {f"lead {part}": (lead, _page(_questions, lead, part=part)) for part in PARTS}
    shown["items"] = (lead, _list(qa_list_api.find, lead, project))
    shown["items search"] = (lead, _list(qa_list_api.find, lead, project, words="gripper 17"))
    found = {}
    with _served(store) as looks:
        for name, (person, show) in shown.items():
            looks(person)
            took = []
            for _ in range(1 + repeats):
                began, used = time.perf_counter(), time.process_time()
                show()
                took.append((time.perf_counter() - began, time.process_time() - used))
            (first, _), *rest = took
            found[name] = {"first": round(first, 3), "again": round(max(s for s, _ in rest), 3), "cpu": round(max(c for _, c in rest), 3)}
    return found


@click.command("lists")
@click.option("--items", type=click.IntRange(40), default=5_000, show_default=True, help="Items of the project, in every state.")
@click.option("--moments", type=click.IntRange(80), default=10_000, show_default=True, help="Kept moments; at least two for each item.")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Repeats of each page after the first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(items: int, moments: int, repeats: int, as_json: bool) -> None:
    """Pages of authors and leads with many moments and items. Ends with status 1 where one takes longer than a second, and says which."""
    if moments < 2 * items:
        raise click.UsageError("There are at least two moments for each item: raise --moments, or lower --items.")
    with tempfile.TemporaryDirectory(prefix="vantage-bench-") as place:
        store = Store.open(Home.from_env(Path(place) / "vantage.db").prepare())
        say(f"Writing {items:,} items and {moments:,} kept moments …")
        figures = measured(store, *made(store, items, moments), repeats)
        store.close()
    load = round(os.getloadavg()[0], 2)
    missed = [name for name, figure in figures.items() if figure["again"] > AIM_S]
    if as_json:
        told = {"items": items, "moments": moments, "load_average": load, "seconds": figures, "aim": AIM_S, "missed": missed}
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        click.echo(f"{items:,} items, {moments:,} kept moments, load {load}")
        click.echo(f"Seconds (aim {AIM_S:g}): the first time, later at most, of the processor")
        for name, figure in figures.items():
            click.echo(f"  {name:<24}{figure['first']:>8.3f}{figure['again']:>8.3f}{figure['cpu']:>8.3f}")
    for name in missed:
        say(f"Missed: {name} takes {figures[name]['again']:g} s.")
    sys.exit(1 if missed else 0)
