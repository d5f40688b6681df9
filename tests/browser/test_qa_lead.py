"""The lead's page: what stands where, what is done there, and what is refused."""

from __future__ import annotations

import io
import json
import random
import zipfile
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image

from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.evaluating import results
from annotation.qa.items import LETTERS, VIEWS, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from tests.present import present

AUTHOR = "author-of-the-test"


@dataclass
class Bench:
    """One project in a study of its own."""

    server: Any
    study: Any
    project: projects.Project

    def image(self, view: str, key: str) -> ViewImage:
        rng = random.Random(key)
        image = Image.new("RGB", (96, 72), f"#{rng.randrange(1 << 24):06x}")
        image.putpixel((rng.randrange(96), rng.randrange(72)), (255, 255, 255))
        kept = io.BytesIO()
        image.save(kept, "PNG")
        return ViewImage(view=view, image=ImageFolder(self.server.home).keep(kept.getvalue()), width=96, height=72)

    def item(self, slug: str, seed: int = 0) -> Item:
        views = tuple(self.image(view, f"{slug} {seed} {view}") for view in VIEWS["dual"])
        strangers = tuple(self.image("left-gripper", f"{slug} {seed} stranger {k}") for k in range(3))
        scenery = Scenery("agibot", "dual", f"episode-{seed}", f"moment-{seed}", views, strangers)
        return SUBTASKS[slug].sample(random.Random(seed), scenery).change(item_id=f"{slug}-{seed}-{self.project.project_id[-6:]}")

    def accepted(self, slug: str, seed: int = 0) -> Item:
        store = self.server.store
        return pool.admit(store, self.project.project_id, self.item(slug, seed), state="accepted", actor=AUTHOR, why="test").item


@pytest.fixture
def bench(server: Any, kit: Any) -> Bench:
    study = kit.create_study(server.store, "Robot questions", state="live")
    quotas = [quota.model_dump() for quota in projects.open_quotas(6)]
    project = projects.create_project(server.store, "Tables", study_id=study.study_id, reviewers_per_item=1, trial_batch=0, quotas=quotas)
    return Bench(server, study, project)


@pytest.fixture
def opened(server: Any, new_tab: Any, kit: Any) -> Any:
    def start(study: Any, part: str = "") -> Any:
        tab = new_tab(width=1440, height=900)
        kit.accept(tab, server.link(study, "researcher"))
        tab.page.wait_for_selector("[data-testid=stMain] h1, [data-testid=stMain] .vantage, [data-testid=stMain] .qa")
        tab.page.goto(f"{server.base}/questions" + (f"?part={part}" if part else ""))
        return tab

    return start


def test_a_first_project_is_made_with_its_settings(server: Any, opened: Any, kit: Any) -> None:
    study = kit.create_study(server.store, "Nothing yet", state="live")
    tab = opened(study)
    tab.page.get_by_text("There is no project yet.").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == []
    tab.page.get_by_role("button", name="Make the project").press("Enter")
    tab.page.get_by_text("Give the project a name.").wait_for()
    tab.page.get_by_label("Name").fill("Kitchen")
    tab.page.get_by_role("spinbutton", name="Reviewers per item").fill("3")
    wanted = tab.page.get_by_role("spinbutton", name="Affordance Recognition")
    wanted.fill("7")
    wanted.press("Tab")
    tab.page.get_by_role("button", name="Make the project").press("Enter")
    tab.page.get_by_role("heading", name="Kitchen").wait_for()
    tab.page.get_by_text("3 reviewers per item").wait_for()
    (project,) = (p for p in projects.list_projects(server.store) if p.study_id == study.study_id)
    assert (project.reviewers_per_item, project.none_share, project.trial_batch) == (3, 0.25, 2)
    assert {q.subtask: q.target for q in project.quotas} == dict.fromkeys(SUBTASKS, 100) | {"affordance": 7}


def test_the_overview_counts_and_names_items_that_nobody_can_review(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    bench.accepted("affordance")
    waiting = pool.create_item(server.store, bench.project.project_id, bench.item("trajectory"), AUTHOR, keep_id=True)
    pool.submit(server.store, waiting.item.item_id, AUTHOR, waiting.version)
    tab = opened(bench.study)
    tab.page.get_by_text("cannot get the reviews needed").wait_for()
    tab.page.get_by_text("Starved: Trajectory Selection 1").wait_for()
    cells = [row.locator("td").all_inner_texts() for row in tab.page.locator(".told tr", has_text="Affordance Recognition").all()]
    assert ["Affordance Recognition", "", "", "", "1", ""] in cells and ["Affordance Recognition", "", "1", "0", "6", "5"] in cells
    tab.page.get_by_role("button", name="Check the pool").press("Enter")
    tab.page.get_by_text("The pool is consistent").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == []


def test_items_are_found_opened_in_turn_and_discarded_together(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    items = [bench.accepted("trajectory", seed) for seed in range(3)]
    other = bench.accepted("distance", 3)
    tab = opened(bench.study, "Items&words=trajectory&sort=number")
    page = tab.page
    rows = page.locator(".itemlist .item")
    page.get_by_text("3 items", exact=True).wait_for()
    assert rows.locator(".picture svg g[data-colour]").count() > 3
    kit.wait_until(lambda: rows.first.locator("img").evaluate("(image) => image.naturalWidth") == 96)
    assert tab.page.evaluate(kit.js("audit")) == [] and tab.page.evaluate(kit.js("contrast")) == []
    rows.first.get_by_role("button", name="Open").focus()
    tab.press("ArrowDown", "Enter")
    page.get_by_text("2 of 3", exact=True).wait_for()
    page.get_by_role("button", name="Next ›").press("Enter")
    page.get_by_text("3 of 3", exact=True).wait_for()
    assert page.get_by_role("button", name="Next ›").is_disabled() and f"item={items[2].item_id}" in page.url
    page.go_back()
    page.get_by_text("2 of 3", exact=True).wait_for()
    page.get_by_role("button", name="← All items").press("Enter")
    page.get_by_text("3 items", exact=True).wait_for()
    assert page.get_by_label("Words of the question").input_value() == "trajectory", "what was looked for is kept"

    for name in ("Trajectory Selection 1", "Trajectory Selection 3"):
        page.get_by_label(f"Tick {name}").press("Space")
    page.get_by_label("Words of the question").fill("distance")
    page.get_by_text("1 item", exact=True).wait_for()
    page.wait_for_url("**words=distance**")
    page.get_by_text("2 ticked").wait_for()  # by their ids, whatever the list shows
    pool.move(server.store, items[2].item_id, "discard", AUTHOR, "somebody else was faster")
    page.get_by_label("What to do with them").select_option(label="Discard it")
    page.get_by_role("button", name="Do it").press("Enter")
    page.get_by_text("Give a reason first.").wait_for()
    page.get_by_label("Reason").fill("Two cups look alike")
    page.get_by_role("button", name="Do it").press("Enter")
    page.get_by_text("Done with 1 item.").wait_for()
    page.get_by_text("Trajectory Selection 3: It is discarded: this cannot be done with it.").wait_for()
    assert [pool.get(server.store, item.item_id).state for item in (*items, other)] == ["discarded", "accepted", "discarded", "accepted"]


def test_an_item_is_looked_at_commented_on_and_reopened_with_a_reason(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    item = bench.accepted("matching", 2)
    tab = opened(bench.study, f"Items&item={item.item_id}")
    tab.page.get_by_role("heading", name=item.question[:40]).wait_for()
    tab.page.wait_for_selector(".canvas .port svg .mark")
    tab.page.get_by_label("Say something about this item").fill("Is <b>this</b> a cup?")
    tab.page.get_by_role("button", name="Add the comment").press("Enter")
    tab.page.get_by_text("Is <b>this</b> a cup?").wait_for()
    # pinned to a mark: by keys to a place, by the mouse to the mark that lies there
    mark = item.marks[0]
    port = tab.page.locator(f".pane[data-view={mark.view}] .port")
    port.press("j")
    port.press("Enter")
    tab.page.get_by_label("About: a place").fill("Nothing is here")
    tab.press("Control+Enter")
    tab.page.locator(".pinned li").wait_for()
    corner, scale = mark.points[1], port.bounding_box()["width"] / 96
    port.click(position={"x": corner[0] * scale - 1, "y": corner[1] * scale - 1})
    tab.page.get_by_label(f"About: {mark.colour} box").fill("Two <b>pixels</b> too low")
    assert tab.page.evaluate(kit.js("audit")) == []
    tab.page.locator(".saying .primary").press("Enter")
    signs = tab.page.locator(f".pane[data-view={mark.view}] .pin text")
    signs.nth(1).wait_for()
    assert signs.all_text_contents() == ["1", "2"]
    said = {comment.text: comment for comment in pool.comments(server.store, item.item_id)}
    place, pinned = said["Nothing is here"], said["Two <b>pixels</b> too low"]
    assert len(said) == 3
    assert (place.view, place.mark, pinned.mark, pinned.x, pinned.y) == (mark.view, None, mark.id, *corner)
    tab.page.locator(".qa .muted").filter(has_text=f"{mark.colour} box, ").wait_for()
    tab.page.get_by_text("Reopen it").click()
    tab.page.get_by_role("button", name="Do it").press("Enter")
    tab.page.get_by_text("Give a reason: the others will want to know.").wait_for()
    assert pool.get(server.store, item.item_id).state == "accepted"
    tab.page.get_by_text("Reopen it").click()
    tab.page.get_by_label("Reason; its author").fill("Two cups look alike")
    tab.page.get_by_label("Reason; its author").press("Tab")
    tab.page.get_by_role("button", name="Do it").press("Enter")
    tab.page.get_by_text("sent back", exact=False).first.wait_for()
    kit.wait_until(lambda: pool.get(server.store, item.item_id).state == "flagged")
    assert tab.page.evaluate(kit.js("audit")) == []
    # whoever leads can mend what nobody else would, such as an item of the set-up
    tab.page.get_by_role("button", name="Open in the editor").press("Enter")
    tab.page.wait_for_url(f"**/editor?item={item.item_id}")
    tab.page.wait_for_selector(".canvas .port svg .mark")


def test_balancing_is_previewed_then_done_and_recorded(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    for seed in range(5):
        item = bench.item("planning", seed)
        text = item.options[present(item.gold)]
        swapped = {**item.options, "A": text, item.gold: item.options["A"]}  # type: ignore[misc]
        kind = next(iter(SUBTASKS["planning"].distractors))
        made = {letter: {"kind": kind} for letter in "BCDE"}
        item = Item.read(item.document() | {"options": swapped, "gold": "A", "hard": ["B"], "provenance": made})
        pool.admit(server.store, bench.project.project_id, item, state="accepted", actor=AUTHOR, why="test")
    tab = opened(bench.study, "Balance")
    tab.page.get_by_text("not even").wait_for()
    tab.page.get_by_role("button", name="Balance: move 5 items").press("Enter")
    tab.page.get_by_text("nothing has to move").wait_for()
    golds = [s.item.gold for s in pool.items(server.store, bench.project.project_id)]
    assert sorted(golds) == list(LETTERS)  # type: ignore[type-var]
    tab.page.get_by_role("heading", name="Balanced before").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == []


def test_an_export_of_the_items_is_made_as_a_job_and_downloaded(server: Any, bench: Bench, opened: Any, new_tab: Any, kit: Any) -> None:
    bench.accepted("viewpoint")
    tab = opened(bench.study, "Export")
    tab.page.get_by_role("button", name="Make an export").press("Enter")
    tab.page.set_default_timeout(60_000)
    with tab.page.expect_download() as download:
        tab.page.get_by_role("link", name="Download the archive").click()
    archive = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))
    (found,) = (name for name in archive.namelist() if name.endswith("QA.json"))
    assert set(json.loads(archive.read(found))) >= {"question", "options", "correct"}
    address = tab.page.get_by_role("link", name="Download the archive").get_attribute("href")
    assert new_tab().page.context.request.get(f"{server.base}/{address}").status == 403


def test_results_are_uploaded_tabled_and_coded_without_their_model(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    first, second = bench.accepted("distance"), bench.accepted("step")
    wrong = next(letter for letter in LETTERS if letter != second.gold)
    rows = [
        {"item_id": first.item_id, "model": "secret-model", "raw": f"Answer: {first.gold}"},
        {"item_id": second.item_id, "model": "secret-model", "raw": f"It is <i>near</i>.\nAnswer: {wrong}"},
        {"item_id": "nothing", "model": "secret-model", "raw": "Answer: A"},
    ]
    tab = opened(bench.study, "Results")
    tab.page.get_by_text("There are no results yet").wait_for()
    tab.page.get_by_text("Import results of a model").click()
    tab.page.locator("input[type=file]").set_input_files(
        {"name": "run-7.jsonl", "mimeType": "application/jsonl", "buffer": "\n".join(map(json.dumps, rows)).encode()}
    )
    tab.page.get_by_text("run-7.jsonl").wait_for()
    bring = tab.page.get_by_role("button", name="Import", exact=True)
    bring.click(trial=True)  # it waits for the file to be here
    bring.press("Enter")
    tab.page.get_by_text("2 answers imported").wait_for()
    tab.page.get_by_text("There is no accepted item 'nothing'").wait_for()
    still = ".stApp[data-test-script-state=notRunning]"
    tab.page.wait_for_selector(still)
    line = tab.page.locator(".told tr", has_text="secret-model").first.locator("td").all_inner_texts()
    assert (line[:4], line[5:7], line[15:]) == (["run-7", "secret-model", "full", "50.0"], ["100.0", "0.0"], ["2", ""])
    assert tab.page.locator(".told tr.foot").all_inner_texts()[0].split("\t")[0] == "People, published"
    tab.page.locator(".js-plotly-plot .scatterlayer path.point").first.wait_for()
    assert tab.page.locator(".js-plotly-plot .scatterlayer text").all_text_contents() == ["run-7"]
    tab.page.get_by_text("Code wrong answers (1 waits for you)").click()
    tab.page.get_by_text("2 answers imported").wait_for()  # what came of it stands until the next deed
    tab.page.get_by_text("It is <i>near</i>.").wait_for()
    tab.page.wait_for_selector(still)
    tab.page.get_by_text("Geometry: Depth, order").click()
    tab.page.get_by_role("button", name="Save the code").press("Enter")
    tab.page.get_by_text("1 answer coded, 0 by two or more.").wait_for()
    assert results.coded(server.store, bench.project.project_id)["runs"] == {"run-7": {"geometry": 1.0}}
    assert tab.page.evaluate(kit.js("audit")) == []


def test_a_study_in_which_people_answer_is_made_with_its_link(server: Any, bench: Bench, opened: Any, new_tab: Any, kit: Any) -> None:
    bench.accepted("distance")
    tab = opened(bench.study, "Results")
    tab.page.get_by_text("Let people answer", exact=True).click()
    tab.page.get_by_label("Name of the study").fill("People, spring")
    tab.page.get_by_label("Name of the study").press("Tab")
    tab.page.get_by_role("button", name="Make the study").press("Enter")
    link = tab.page.locator("[data-testid=stCode]").inner_text().strip()
    person = new_tab()
    person.page.goto(link)
    person.page.get_by_role("heading", name="People, spring").wait_for()
