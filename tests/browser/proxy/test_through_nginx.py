"""A real nginx before a real app: from the consent to a task's answer and its export, by the configuration that the how-to page prints."""

from __future__ import annotations

import io
import zipfile
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
        assert (cookie["path"], cookie["secure"]) == (path or "/", tls), cookie["name"]

    staff = new_tab(width=1400, ignore_https_errors=True)
    staff.page.goto(app.link(study, "researcher"))
    staff.page.get_by_role("link", name="Episode", exact=True).click()
    staff.page.locator(".viewer canvas").wait_for()
    staff.page.get_by_role("link", name="Export").click()
    staff.page.get_by_role("button", name="Make an export").press("Enter")
    with staff.page.expect_download() as download:
        staff.page.get_by_role("link", name="Download the archive").click()
    names = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())).namelist()
    assert any(name.endswith("_answer.json") for name in names)
    # The pages' own menu and a reload stay below the address, too.
    staff.page.reload()
    staff.page.get_by_role("link", name="Download the archive").wait_for()
    assert staff.page.url.startswith(f"{app.base}/")
