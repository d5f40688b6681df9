"""A person answers questions about pictures: by keys, through reloads and kills, and the browser hears nothing it may not know."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.evaluating.evaluation import create_evaluation
from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.published.exporting import export
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from study.studies import Study
from tests.present import present

Ask = Callable[..., tuple[Study, list[Item]]]


def item_of(store: Any, subtask: str, seed: int, **changes: Any) -> Item:
    """A sound item with small pictures that are here."""

    def image(view: str, key: str) -> ViewImage:
        buffer = io.BytesIO()
        picture = Image.effect_noise((160, 120), 80).convert("RGB")
        picture.putpixel((0, 0), (*random.Random(key).randbytes(3),))
        picture.save(buffer, "PNG")
        return ViewImage(view=view, image=ImageFolder(store.home).keep(buffer.getvalue()), width=160, height=120)

    views = tuple(image(view, f"{seed}/{view}") for view in VIEWS["dual"])
    strangers = tuple(image("left-gripper", f"{seed}/{k}") for k in range(3))
    scenery = Scenery("agibot", "dual", f"episode-{seed}", f"moment-{seed}", views, strangers)
    return SUBTASKS[subtask].sample(random.Random(seed), scenery).change(**changes)


@pytest.fixture
def ask(server: Any) -> Ask:
    """A live study of accepted items."""

    def make(*subtasks: str, on: Any = None, items: list[Item] | None = None, **options: Any) -> tuple[Study, list[Item]]:
        store = (on or server).store
        project = projects.create_project(store, "Benchmark", trial_batch=0)
        made = items or [item_of(store, subtask, n) for n, subtask in enumerate(subtasks)]
        made = [item.change(item_id=f"{project.project_id.replace('_', '-')}-{n}") for n, item in enumerate(made)]
        for item in made:
            pool.admit(store, project.project_id, item, state="accepted", actor="fixture", why="fixture")
        return create_evaluation(store, project.project_id, "Questions", **options), made

    return make


WHOLE = """() => [...document.querySelectorAll('*')].flatMap((e) => [...(e.shadowRoot?.querySelectorAll('*') ?? [])]).filter((e) => {
    const box = e.getBoundingClientRect();
    if (e.matches('.port')) return box.height > innerHeight || box.height < Math.min(140, innerHeight / 2);
    return box.right > innerWidth + 1 || box.left < -1 || (e.matches('h1') && e.scrollHeight > e.clientHeight + 1);
}).map((e) => e.outerHTML.slice(0, 80))"""
"""What is cut off at a side, or is a picture that cannot be seen whole or is small though there is room; none should be."""


def at_question(tab: Any, number: int) -> None:
    tab.page.get_by_text(f"Question {number} of").first.wait_for()
    tab.ready()


def saved(tab: Any) -> None:
    tab.page.locator(".saved", has_text="Saved").wait_for()


def chosen(tab: Any) -> list[str]:
    found: list[str] = tab.page.locator(".options input").evaluate_all("all => all.filter((i) => i.checked).map((i) => i.value)")
    return found


def answers(where: Any, study: Study) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = where.store.query(
        "SELECT a.answer, a.confidence, t.subcategory FROM answers a JOIN episodes e USING (episode_id) "
        "JOIN tasks t ON t.content_hash = e.task_hash WHERE e.study_id = ? ORDER BY a.event_seq",
        [study.study_id],
    )
    return found


def test_a_whole_study_is_answered_by_keys_with_a_reload_in_the_middle(server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, _ = ask("matching", "viewpoint", "planning")
    tab = new_tab()
    kit.enter(tab, server.link(study))
    for number, (letter, moves, wanted) in enumerate((("c", 0, None), ("a", 2, 55), ("e", 1, 50)), 1):
        at_question(tab, number)
        assert chosen(tab) == [] and tab.page.locator("output").inner_text() == "–"
        tab.press("Enter")
        tab.page.get_by_text("Choose one of the options").wait_for()
        tab.press(letter, *["ArrowRight"] * moves)
        saved(tab)
        for width, height in ((390, 844), (1366, 650), (683, 325), (1280, 800)) if number == 1 else ():
            tab.page.set_viewport_size({"width": width, "height": height})
            kit.wait_until(lambda: tab.page.evaluate(WHOLE) == [])  # the page lays itself out once it is told of its size
        if number == 2:
            tab.page.reload()
            at_question(tab, 2)
            assert chosen(tab) == ["A"] and tab.page.locator("output").inner_text() == "55 %"
        assert tab.page.get_by_text("Clear cache").count() == 0  # Streamlit's own use of the key C
        tab.press("Enter")
        kit.wait_until(lambda n=number: len(answers(server, study)) == n)
        kept = answers(server, study)[-1]
        assert (json.loads(kept["answer"]), kept["confidence"]) == (letter.upper(), wanted)
    tab.page.get_by_role("heading", name="Thank you").wait_for()
    assert {row["subcategory"] for row in answers(server, study)} == {"matching", "viewpoint", "planning"}
    tab.page.get_by_role("button", name="Take my data back…").click()
    tab.page.get_by_role("button", name="Take my data back", exact=True).click()
    tab.page.get_by_role("heading", name="Your data are taken back").wait_for()


def test_a_kill_of_the_app_in_the_middle_loses_nothing(trouble: None, own_server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, _ = ask("planning", on=own_server)
    tab = new_tab()
    kit.enter(tab, own_server.link(study))
    at_question(tab, 1)
    tab.press("b", "ArrowRight")
    saved(tab)
    port = int(own_server.base.rsplit(":", 1)[1])
    own_server.process.kill()
    own_server.process.wait()
    tab.press("d", "ArrowRight")
    tab.page.get_by_text("Connection lost. Reconnecting…").wait_for()
    own_server.process, base = kit.launch(own_server.home, port=port)
    assert base == own_server.base
    saved(tab)
    tab.page.reload()
    at_question(tab, 1)
    assert chosen(tab) == ["D"] and tab.page.locator("output").inner_text() == "55 %"
    tab.press("Enter")
    tab.page.get_by_role("heading", name="Thank you").wait_for()
    assert [(json.loads(row["answer"]), row["confidence"]) for row in answers(own_server, study)] == [("D", 55)]


def test_a_second_tab_takes_the_question_over_with_what_was_chosen(server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, _ = ask("planning")
    first = new_tab()
    kit.enter(first, server.link(study))
    at_question(first, 1)
    first.press("d")
    saved(first)
    second = new_tab(like=first)
    second.page.goto(server.base)
    at_question(second, 1)
    first.page.get_by_text("continued in another tab").wait_for()
    assert chosen(second) == ["D"]
    assert first.page.locator(".reply").evaluate("e => e.inert") and not second.page.locator(".reply").evaluate("e => e.inert")
    first.press("a", "Enter")
    second.press("e", "Enter")
    second.page.get_by_role("heading", name="Thank you").wait_for()
    assert [row["answer"] for row in answers(server, study)] == ['"E"']


def test_a_picture_is_enlarged_zoomed_and_closed_by_keys(server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, _ = ask("viewpoint")
    tab = new_tab()
    kit.enter(tab, server.link(study))
    at_question(tab, 1)
    kit.wait_until(lambda: tab.page.locator(".asked img").evaluate_all("all => all.every((i) => i.naturalWidth === 160)"))
    assert tab.page.locator(".asked img").count() == 6
    tab.press("f", "f", "f")
    large = tab.page.locator(".lightbox[open]")
    large.wait_for()
    assert large.get_by_text("Image B").is_visible()
    before = large.locator(".percent").inner_text()
    tab.press("+")
    kit.wait_until(lambda: large.locator(".percent").inner_text() != before)
    tab.press("b", "Escape")
    large.wait_for(state="hidden")
    assert chosen(tab) == ["B"]
    tab.press("3")  # a digit is an option's place, never a picture
    saved(tab)
    assert chosen(tab) == ["C"] and not large.is_visible()
    tab.page.locator(".choice[data-letter=D] .port").click()
    saved(tab)
    assert chosen(tab) == ["D"]


def test_when_the_time_is_up_the_last_choice_counts_and_the_next_question_comes(server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, _ = ask("planning", "step", time_limit_s=4)
    tab = new_tab()
    kit.enter(tab, server.link(study))
    at_question(tab, 1)
    tab.press("b")
    tab.page.get_by_role("heading", name="The time for this question is up.").wait_for()
    tab.page.get_by_role("button", name="Next question").press("Enter")
    at_question(tab, 2)
    tab.press("c", "Enter")
    tab.page.get_by_role("heading", name="Thank you").wait_for()
    kept = server.store.query(
        "SELECT answer, stopped_by FROM answers JOIN episodes USING (episode_id) WHERE study_id = ?", [study.study_id]
    )
    assert sorted((row["answer"], row["stopped_by"]) for row in kept) == [('"B"', "time_limit"), ('"C"', "answer")]


# what the browser hears


def listen(tab: Any) -> list[bytes]:
    """Everything that reaches this page from now on: replies and Streamlit's stream."""
    heard: list[bytes] = []

    def note(response: Any) -> None:
        if "/assets/" not in response.url and "/static/" not in response.url:
            heard.append(json.dumps([re.sub(r"^http://[^/]+", "", response.url), response.headers]).encode())
            if response.status == 200 and ("/api/" in response.url):
                heard.append(response.body())

    tab.page.on("response", note)
    tab.page.on("websocket", lambda s: s.on("framereceived", lambda f: heard.append(f if isinstance(f, bytes) else f.encode())))
    return heard


def test_two_items_that_differ_in_what_is_right_sound_the_same(server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    said, shapes = [], []
    base = item_of(server.store, "planning", 3)
    other = "ABCDE"[("ABCDE".index(base.gold or "A") + 1) % 5]
    for item in (base, base.change(gold=other, hard=(), provenance={}, slots={})):
        study, (asked,) = ask(items=[item])
        tab = new_tab()
        heard = listen(tab)
        kit.enter(tab, server.link(study))
        at_question(tab, 1)
        tab.press("a")
        saved(tab)
        tab.press("Enter")
        tab.page.get_by_role("heading", name="Thank you").wait_for()
        replies = [json.loads(part) for part in heard if part.startswith(b"{")]
        shapes.append([sorted(reply) for reply in replies])
        (opened,) = (reply for reply in replies if "question" in reply)
        said.append({k: v for k, v in opened.items() if k not in ("episode", "saved_at", "views")})
        everything = b"".join(heard)
        assert b"Question 1 of" in everything and asked.question[:30].encode() in everything
        for secret in (asked.item_id, asked.content_hash, "gold", "provenance", "agibot", "episode-3", "moment-3"):
            assert secret.encode() not in everything, secret
        for view in asked.views:
            assert view.image.encode() not in everything
        assert not re.search(rb"correct|right_answer|transform|variant", b"".join(part for part in heard if part.startswith(b"{")))
    assert said[0] == said[1] and shapes[0] == shapes[1]


def test_pictures_belong_to_the_current_question_of_the_person_asked(trouble: None, server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, _ = ask("planning", "matching")
    mine, other = new_tab(), new_tab()
    for tab in (mine, other):
        kit.enter(tab, server.link(study))
        at_question(tab, 1)
    script = kit.js("ask")
    episodes = [
        row["episode_id"]
        for row in server.store.query("SELECT episode_id FROM episodes WHERE study_id = ? ORDER BY created_at", [study.study_id])
    ]
    own, foreign = episodes
    fetch: Callable[..., Any] = lambda path, body=None, tab=mine: tab.page.evaluate(script, [path, body])[0]  # noqa: E731
    assert fetch(f"/api/qa/play/{own}/head") == 200
    assert fetch(f"/api/qa/play/{own}/A") == 403
    assert fetch(f"/api/qa/play/{own}/..%2f..%2fhead") in (400, 403, 404)
    assert fetch(f"/api/qa/play/{foreign}/head") == 403
    assert fetch("/api/qa/play/open", {"episode": foreign}) == 403
    assert fetch("/api/belief", {"episode": foreign, "epoch": 1, "n": 1, "answer": "A"}) == 403
    assert fetch("/api/answer", {"episode": foreign, "epoch": 1, "answer": "A"}) == 403
    assert fetch("/api/open", {"episode": own}) == 400
    assert fetch("/api/skip", {"episode": own}) == 409
    nobody = new_tab()
    nobody.page.goto(server.base)
    assert fetch(f"/api/qa/play/{own}/head", tab=nobody) == 403
    mine.press("a", "Enter")
    at_question(mine, 2)
    assert fetch(f"/api/qa/play/{own}/head") == 403
    assert fetch("/api/answer", {"episode": own, "epoch": 1, "answer": "B"}) == 409
    reply = mine.page.context.request.post(
        f"{server.base}/api/qa/play/open", data={"episode": own}, headers={"origin": "http://evil.example"}
    )
    assert reply.status == 403


def test_people_are_shown_the_very_picture_that_models_get(server: Any, new_tab: Any, kit: Any, ask: Ask, tmp_path: Path) -> None:
    study, (item,) = ask("trajectory")
    out = tmp_path / "out"
    export(server.store, present(study.qa_project), out, ImageFolder(server.store.home))
    (qa,) = (json.loads(path.read_text()) for path in out.rglob("QA.json"))
    tab = new_tab()
    kit.enter(tab, server.link(study))
    at_question(tab, 1)
    episode = server.store.one("SELECT episode_id FROM episodes WHERE study_id = ?", [study.study_id])["episode_id"]
    assert qa["drawn_images"] and set(qa["drawn_images"]) == {mark.view for mark in item.marks}
    for view, given in zip(item.views, (picture["path"] for picture in qa["images"]), strict=True):
        shown = tab.page.context.request.get(f"{server.base}/api/qa/play/{episode}/{view.view}").body()
        assert shown == next(out.rglob(given)).read_bytes()
    assert tab.page.locator(".asked .mark").count() == 0  # nothing is drawn over them again
    described = tab.page.locator(".asked .port").evaluate_all("all => all.map((p) => p.getAttribute('aria-label')).join('; ')")
    assert all(f"{mark.colour} track" in described for mark in item.marks)


def test_a_researcher_looks_at_a_question_after_it_was_answered(trouble: None, server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, items = ask("matching")
    tab, staff = new_tab(), new_tab()
    kit.enter(tab, server.link(study))
    at_question(tab, 1)
    tab.press("b", "Enter")
    kit.wait_until(lambda: len(answers(server, study)) == 1)
    episode = server.store.one("SELECT episode_id FROM episodes WHERE study_id = ?", [study.study_id])["episode_id"]
    kit.accept(staff, server.link(study, "researcher"))
    kit.choose_page(staff, "Study", "Episode")
    staff.page.get_by_text("answer B").wait_for()
    staff.page.locator("canvas, img").first.wait_for()
    staff.drawn()
    assert staff.page.get_by_text("not been opened yet").count() == 0
    script = kit.js("ask")
    for view in items[0].views:
        assert staff.page.evaluate(script, [f"/api/staff/question/{episode}/{view.view}", None])[0] == 200
    assert tab.page.evaluate(script, [f"/api/staff/question/{episode}/head", None])[0] == 403


def test_who_reviewed_an_item_in_the_same_browser_is_turned_away(trouble: None, server: Any, new_tab: Any, kit: Any, ask: Ask) -> None:
    study, (item,) = ask("planning")
    tab = new_tab()
    kit.accept(tab, server.link(study, "researcher"))
    tab.page.get_by_text("Let people in").wait_for()
    kit.enter(tab, server.link(study))
    at_question(tab, 1)
    episode = server.store.one("SELECT episode_id FROM episodes WHERE study_id = ?", [study.study_id])["episode_id"]
    staff = server.store.one("SELECT staff_id FROM roles WHERE study_id = ?", [study.study_id])["staff_id"]
    stored = pool.move(server.store, item.item_id, "reopen", staff, "a doubt")
    pool.save(server.store, item.item_id, stored.item.change(episode="another"), stored.version, staff)
    tab.page.reload()
    tab.page.get_by_role("heading", name="You cannot take part").wait_for()
    tab.page.get_by_text("made, changed or reviewed questions").wait_for()
    for path, body in ((f"/api/qa/play/{episode}/head", None), ("/api/qa/play/open", {"episode": episode})):
        status, text = tab.page.evaluate(kit.js("ask"), [path, body])
        assert (status, json.loads(text)["error"]) == (403, "not_allowed")
