"""Multi-view: thirty pictures at once, exact, each enlargeable, looks timed. Question only and metadata only: no picture at all."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from data.frames import FrameStore, decode
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.local import LocalClient
from study import agent_keys, frozen, walking
from study.simulators import fingerprint_of
from study.studies import create_study
from tests.browser.test_axe import Checker
from tests.browser.test_secrecy import cleaned, record

PIXELS = """(found) => found.map((canvas) => {
  const of = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; let s = '';
  for (let i = 0; i < of.length; i += 4) s += String.fromCharCode(of[i], of[i + 1], of[i + 2]);
  return btoa(s); })"""


@pytest.fixture
def render(server: Any) -> Callable[[Any], dict[str, bytes]]:
    """Render a task's set in this process: the server only shows it. Returns pixel hash → pixels."""

    def make(task: Any) -> dict[str, bytes]:
        server.store.put_task(task)
        client, frames = LocalClient(ToyBackend()), FrameStore(server.home.frames)
        views = walking.render(client, "scout", task)
        client.close()
        kept = frozen.keep(server.store, frames, task.content_hash, "random_walk", views, fingerprint=fingerprint_of(client.hello))
        return {view.pixel_hash: decode(frames.kept(server.store, view.pixel_hash)).tobytes() for view in kept}

    return make


def small(kit: Any, name: str, **changes: Any) -> Any:
    """A task whose pictures are quickly rendered and compared."""
    return kit.make_task(name, scene=kit.room(160, 120, **changes.pop("boxes", {})), **changes)


def answer(tab: Any) -> None:
    tab.press("1")
    tab.page.locator(".confidence input[type=range]").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.get_by_role("button", name="Give final answer").click()
    tab.page.get_by_role("button", name="Submit").click()
    tab.page.get_by_text("Your answer is saved.").wait_for()


def test_all_pictures_are_exact_each_is_enlarged_by_keys_and_looks_are_kept(server: Any, playing: Any, kit: Any, render: Any) -> None:
    task = small(kit, "grid")
    kept = render(task)
    tab = playing(task, protocol=kit.Protocol(paradigm="multi_view", confidence_required=False), width=1366, height=650)
    page, episode = tab.page, server.episode()
    steps = server.steps(episode["episode_id"])
    assert [step["kind"] for step in steps] == ["start"] + ["view"] * 29
    shown = [base64.b64decode(data) for data in page.locator(".cell canvas").evaluate_all(PIXELS)]
    assert shown == [kept[step["pixel_hash"]] for step in steps], "every picture, in the order that is kept"
    inside = page.locator(".cell").evaluate_all("(cells) => cells.every((c) => c.getBoundingClientRect().bottom <= innerHeight)")
    assert inside and page.get_by_role("button", name="Give final answer").is_visible(), "all pictures, the question and the answer at once"
    axe = Checker()
    axe.look(tab, "all pictures")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("img", name="Picture 3 of 30", exact=True).wait_for()
    (alone,) = (base64.b64decode(data) for data in page.locator(".one canvas").evaluate_all(PIXELS))
    across = page.locator(".one canvas").evaluate("(c) => c.getBoundingClientRect().width * devicePixelRatio / c.width")
    assert alone == kept[steps[2]["pixel_hash"]] and across == round(across) >= 1, "a whole multiple of its pixels"
    axe.look(tab, "one picture")
    assert axe.faults == []
    page.keyboard.press("ArrowLeft")
    page.get_by_role("img", name="Picture 2 of 30", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    page.get_by_role("button", name="All in view").wait_for()
    assert page.locator(".cell canvas").first.evaluate("(c) => c.getBoundingClientRect().width * devicePixelRatio / c.width") >= 1
    page.keyboard.press("End")
    answer(tab)
    looks = server.store.query("SELECT * FROM looks WHERE episode_id = ? ORDER BY n", [episode["episode_id"]])
    assert [look["seq"] for look in looks if look["enlarged"]] == [2, 1]
    assert {look["seq"] for look in looks if not look["enlarged"]} == set(range(30)), "in the overview all were in view"
    assert all(look["began_ms"] <= look["ended_ms"] for look in looks) and {look["epoch"] for look in looks} == {1}
    assert min(look["scale"] for look in looks) < 1 <= max(look["scale"] for look in looks)
    final = server.store.one("SELECT seq, stopped_by FROM answers WHERE episode_id = ?", [episode["episode_id"]])
    assert final == {"seq": 29, "stopped_by": "answer"}


@pytest.mark.parametrize(("way", "told"), [("question_only", []), ("metadata_only", ["box"])])
def test_words_alone_are_answered_without_a_picture(server: Any, playing: Any, kit: Any, way: str, told: list[str]) -> None:
    names = {"object_1": "the red one", "object_2": "the blue one"}
    tab = playing(small(kit, f"words-{way}", names=names), protocol=kit.Protocol(paradigm=way, confidence_required=False))
    episode = server.episode()
    assert tab.page.get_by_role("heading", name="Which box is larger").is_visible()
    assert tab.page.locator("canvas").count() == 0 and tab.page.locator(".wordlist li").all_inner_texts() == told
    assert tab.page.get_by_role("status").filter(has_text="There is no picture in this task.").is_visible()
    axe = Checker()
    axe.look(tab, way)
    assert axe.faults == []
    answer(tab)
    kept = server.store.one("SELECT paradigm, last_seq, state FROM episodes WHERE episode_id = ?", [episode["episode_id"]])
    assert kept == {"paradigm": way, "last_seq": 0, "state": "completed"} and server.steps(episode["episode_id"]) == []


@pytest.mark.parametrize("way", ["multi_view", "metadata_only"])
def test_what_is_said_of_twins_is_equal(server: Any, playing: Any, kit: Any, render: Any, way: str) -> None:
    said = []
    for name, gold, sizes in (("a", "the blue one", {"small": 0.4, "large": 0.7}), ("b", "the red one", {"small": 0.7, "large": 0.4})):
        names = {"object_1": "red box", "object_2": "blue box"}
        task = small(kit, f"twin-{way}-{name}", gold=gold, boxes=sizes, names=names)
        if way == "multi_view":
            render(task)
        tab = playing(task, protocol=kit.Protocol(paradigm=way, confidence_required=False, shuffle_options=False))
        heard = record(tab)
        tab.page.reload()
        tab.ready()
        tab.page.wait_for_timeout(100)
        said.append([line for line in cleaned(heard) if "/api/looks" not in line])
        assert task.content_hash not in json.dumps(heard) and task.task_id not in json.dumps(heard)
    assert set(said[0]) ^ set(said[1]) == set() and len(said[0]) == len(said[1]) > (30 if way == "multi_view" else 0)


def test_a_model_gets_the_same_pictures_over_http(server: Any, kit: Any, render: Any) -> None:
    task = small(kit, "grid-for-models")
    kept = render(task)
    study = create_study(server.store, "M", state="live", tasks=(task.content_hash,), paradigms=("multi_view",))
    key = agent_keys.create(server.store, study.study_id, "m")

    def ask(path: str, body: Any = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        head = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(f"{server.base}{path}", data, head)) as reply:
            return bytes(reply.read())

    begun = json.loads(ask("/api/agent/episodes", {"task": task.task_id, "seed": 4}))
    assert (begun["opens"], begun["actions"], begun["frames"], begun["budget"]) == ("grid", [], list(range(30)), 30)
    pictures = [decode(ask(f"/api/agent/episodes/{begun['episode']}/frames/{seq}")).tobytes() for seq in begun["frames"]]
    steps = server.steps(begun["episode"])
    assert pictures == [kept[step["pixel_hash"]] for step in steps] and sorted(pictures) == sorted(kept.values())
    assert decode(base64.b64decode(begun["frame"]["data"])).tobytes() == pictures[0]
    body = {"epoch": begun["epoch"], "answer": "the blue one", "confidence": 70}
    with pytest.raises(urllib.error.HTTPError) as refused:  # a list is no model's words: the program that sent it is told
        ask(f"/api/agent/episodes/{begun['episode']}/answer", body | {"answer": ["the blue one"]})
    assert refused.value.code == 422 and b"The episode is not over" in refused.value.read()
    final = json.loads(ask(f"/api/agent/episodes/{begun['episode']}/answer", body))["final"]
    assert (final["state"], final["observations"]) == ("completed", 30)
