"""A real nginx before a real app: from the consent to a task's answer and its export, by the configuration that the how-to page prints."""

from __future__ import annotations

import io
import runpy
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("path", ["", "/vantage"], ids=["root", "sub-path"])
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_from_consent_to_export(path: str, tls: bool, behind: Any, new_tab: Any, kit: Any) -> None:
    app = behind(path, tls=tls).app
    study = app.study(
        kit.make_task("through", "yes_no", "no", text="Is the red box larger?", options=("yes", "no")), name="Through a proxy"
    )
    tab = new_tab(ignore_https_errors=True)
    kit.enter(tab, app.link(study))
    tab.ready()
    assert tab.page.url.startswith(f"{app.base}/")
    tab.press("w")
    tab.at(1)
    tab.press("f", "1")
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    tab.page.get_by_role("button", name="Submit").press("Enter")
    tab.page.get_by_role("heading", name="Your answer is saved.").wait_for()
    for cookie in tab.page.context.cookies():
        # The cookie of a link's page is kept to that page.
        below = f"{path}/enter/" if cookie["name"] == "vantage_link" else path or "/"
        assert cookie["path"].startswith(below) and (cookie["path"] == below or cookie["name"] == "vantage_link"), cookie["name"]
        assert cookie["secure"] is tls, cookie["name"]

    staff = new_tab(width=1400, ignore_https_errors=True)
    kit.accept(staff, app.link(study, "researcher"))
    kit.choose_page(staff, "Study", "Episode")
    staff.page.locator(".viewer canvas").wait_for()
    kit.choose_page(staff, "Study", "Study export")
    staff.page.get_by_role("button", name="Make an export").press("Enter")
    with staff.page.expect_download() as download:
        staff.page.get_by_role("link", name="Download the archive").click()
    names = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())).namelist()
    assert any(name.endswith("_answer.json") for name in names)
    # The pages' own menu and a reload stay below the address, too.
    staff.page.reload()
    staff.page.get_by_role("link", name="Download the archive").wait_for()
    assert staff.page.url.startswith(f"{app.base}/")


HOST_LOST = {
    # The page's lines without the one that passes the host on: nginx then sends the name of the upstream.
    "no-host": ("Host $http_host", "another host name"),
    # Without its port, as many pages advise; nginx stands at another port than the usual ones here.
    "host-without-port": ("Host $http_host", "another host name"),
    # A block with nothing in it but proxy_pass.
    "bare": ("", "another host name"),
    "http-1.0": ("proxy_http_version", "WebSockets"),
}


def lacking(case: str, block: Callable[[str], str]) -> str:
    """What the how-to page passes on, with a fault in it."""
    lines = block("nginx snippet").splitlines()
    if case == "bare":
        return lines[0]
    if case == "host-without-port":
        return "\n".join(line.replace("proxy_set_header Host $http_host", "proxy_set_header Host $host") for line in lines)
    fault = HOST_LOST[case][0]
    return "\n".join(line for line in lines if fault not in line)


@pytest.mark.parametrize("case", HOST_LOST)
def test_what_would_refuse_the_form_is_said_before_the_consent(
    trouble: None, case: str, behind: Any, new_tab: Any, kit: Any, nginx_kit: Any
) -> None:
    app = behind(snippet=lacking(case, nginx_kit.block), told=False).app
    study = app.study(kit.make_task("unreachable"), name="Never asked")
    tab = new_tab()
    tab.page.goto(app.link(study))
    tab.page.get_by_role("heading", name="This study cannot be reached properly here").wait_for()
    assert tab.page.get_by_text("Please tell the person who invited you").is_visible()
    words = tab.page.get_by_text("For whoever runs this server").all_inner_texts()
    assert any(HOST_LOST[case][1] in text for text in words)
    assert tab.page.get_by_role("button").count() == tab.page.get_by_role("checkbox").count() == 0
    assert tab.page.get_by_text("Never asked").count() == 0 or not tab.page.get_by_role("heading", name="Never asked").is_visible()
    # A form that is sent all the same (a browser without styles) is refused with the same words.
    if case != "http-1.0":
        sent = tab.page.evaluate(
            "async () => { const r = await fetch(location.href, {method: 'POST', body: new URLSearchParams({a: '1'})});"
            " return [r.status, await r.text()]; }"
        )
        assert sent[0] == 403 and "Please tell the person who invited you" in sent[1]
    tab.page.reload()
    tab.page.get_by_role("heading", name="This study cannot be reached properly here").wait_for()
    assert app.store.query("SELECT * FROM participants") == []
    said = [line for line in app.log.read_text(encoding="utf-8").splitlines() if "proxy_" in line]
    assert len(said) == 1, "the log says it once"


def test_the_page_of_a_link_has_its_form_when_nothing_stands_in_the_way(behind: Any, new_tab: Any, kit: Any, nginx_kit: Any) -> None:
    """The app knows its address, so that whatever host the proxy passes on does not matter."""
    app = behind(snippet=lacking("no-host", nginx_kit.block), told=True).app
    tab = new_tab()
    kit.enter(tab, app.link(app.study(kit.make_task("reachable"))))
    tab.ready()


def test_questions_are_drawn_and_their_pictures_seen_under_a_sub_path(behind: Any, new_tab: Any, kit: Any) -> None:
    """The author's page: its images, its fields and its marks, each with an address of its own."""
    authoring = runpy.run_path(str(Path(__file__).parents[1] / "test_qa_authoring.py"))
    app = behind("/vantage").app
    study = app.study(kit.make_task("drawn"), name="Drawn")
    project = authoring["seeded"](app.store, study.study_id, reviewers_per_item=1, trial_batch=0)
    tab = new_tab(width=1440, height=900)
    kit.accept(tab, app.link(study, "annotator"))
    tab.page.locator(".starter").wait_for()
    desk = authoring["Desk"](tab, app.store, project).begin("Cross-View Matching")
    desk.boxes("head", "1")
    tab.page.locator(".canvas[data-kept=saved]").wait_for()
    kit.wait_until(lambda: len(desk.stored().item.marks) == 1)
    assert tab.page.locator(".port img").evaluate_all("all => all.length > 1 && all.every((i) => i.complete && i.naturalWidth > 0)")
    tab.page.reload()
    desk.opened()
    assert tab.page.url.startswith(f"{app.base}/editor?")
