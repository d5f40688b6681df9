"""What must not travel does not travel: gold, other people's episodes, staff pages, names from which an answer follows."""

from __future__ import annotations

import json
import re
from typing import Any

from app.play_api import STEP_TYPE

OPAQUE = re.compile(r"(ep|gr|st|p)_[0-9a-f]{20}|\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def record(tab: Any) -> list[dict[str, Any]]:
    """Everything our own routes say to this page from now on, frames' bytes left out."""
    heard: list[dict[str, Any]] = []

    def note(response: Any) -> None:
        path = re.sub(r"^http://[^/]+", "", response.url)
        if not path.startswith("/api/") or response.status == 202:  # "not yet": how often depends on the machine's load
            return
        headers = {name: value for name, value in response.headers.items() if name not in ("date", "content-length")}
        kind, body = response.headers.get("content-type", ""), response.body()
        told = body[4 : 4 + int.from_bytes(body[:4], "big")] if kind == STEP_TYPE else body if "json" in kind else b""
        told = told.decode()
        heard.append({"path": path, "status": response.status, "headers": headers, "told": told, "sent": response.request.post_data or ""})

    tab.page.on("response", note)
    return heard


def cleaned(heard: list[dict[str, Any]]) -> list[str]:
    """Without ids, times and frame sizes, which differ for every episode."""
    text = [OPAQUE.sub("·", json.dumps(entry, sort_keys=True)) for entry in heard]
    text = [re.sub(r'\\"(sizes|timing|t|painted_ms)\\": ?(\[[^]]*\]|\{[^}]*\}|[\d.]+)', r"\1", line) for line in text]
    return sorted(text)


def test_gold_flipped_twins_give_identical_traffic(server: Any, playing: Any, kit: Any) -> None:
    """Two tasks that differ only in which box is larger, and in the gold: all that is said is the same, only pixels differ."""
    said, frames = [], []
    for name, gold, small, large in (("twin-a", "the blue one", 0.4, 0.7), ("twin-b", "the red one", 0.7, 0.4)):
        task = kit.make_task(name, gold=gold, scene=kit.room(small=small, large=large), actions=(*kit.CAMERA_ACTIONS, "pick_up", "wait"))
        tab = playing(task, protocol=kit.Protocol(confidence_required=False, shuffle_options=False))
        heard = record(tab)
        tab.page.reload()
        tab.ready()
        for number, key in enumerate(["w", "ArrowLeft", "d", "q", "x"], 1):
            tab.press(key)
            tab.at(number)
        tab.press("f", "1")
        tab.page.get_by_text("Noted").wait_for()
        frames.append(tab.canvas())
        tab.page.get_by_role("button", name="Give final answer").press("Enter")
        tab.page.get_by_role("button", name="Submit").press("Enter")
        tab.page.get_by_role("heading", name="Your answer is saved.").wait_for()
        # the page may show a reply before the recorder has its body
        for _ in range(100):
            if "completed" in json.dumps(heard):
                break
            tab.page.wait_for_timeout(50)
        said.append(cleaned(heard))
        assert len(heard) >= 8
        whole = json.dumps(heard)
        assert task.content_hash not in whole and name not in whole
    assert frames[0] != frames[1]
    assert set(said[0]) ^ set(said[1]) == set()
    assert len(said[0]) == len(said[1])


def test_replies_name_no_hashes_files_or_recruitment_ids(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.released_row())
    heard = record(tab)
    tab.page.reload()
    tab.ready()
    tab.press("w")
    tab.at(1)
    whole = json.dumps(heard)
    assert not re.search(r"[0-9a-f]{64}|size_row|9001|task_obj|test_house|snow_globe", whole)


def test_no_message_names_a_folder_of_the_server(server: Any, new_tab: Any, kit: Any) -> None:
    """Nothing the browser gets, Streamlit's own stream included, holds the path of the program or of its data."""
    study = server.study(kit.make_task("paths"))
    tab = new_tab()
    got: list[bytes] = []

    def listen(socket: Any) -> None:
        socket.on("framereceived", lambda frame: got.append(frame if isinstance(frame, bytes) else frame.encode()))

    tab.page.on("websocket", listen)
    kit.enter(tab, server.link(study))
    tab.ready()
    everything = b"".join(got)
    assert b"vantage_page.py" in everything  # the stream was heard
    for folder in (kit.ROOT, server.home.root, kit.Path.home()):
        assert str(folder).encode() + b"/" not in everything


def test_a_participant_cannot_open_staff_pages_or_others_episodes_and_frames(
    trouble: None, server: Any, playing: Any, new_tab: Any, kit: Any
) -> None:
    mine = playing(kit.make_task("mine"))
    my_episode = server.episode()["episode_id"]
    other = playing(kit.make_task("other"))
    other_episode = server.episode()["episode_id"]
    assert my_episode != other_episode

    for path in ("/episodes", "/episode", "/export"):
        mine.page.goto(server.base + path)
        mine.page.get_by_text("This page is not open to you").wait_for()
        mine.drawn()
        assert mine.page.get_by_text("Participants").count() == 0

    ask = kit.js("ask")
    tries = [
        [f"/api/frame/{other_episode}/0", None],
        ["/api/open", {"episode": other_episode, "tab": "x"}],
        ["/api/act", {"episode": other_episode, "epoch": 1, "seq": 1, "action": "move_forward"}],
        ["/api/belief", {"episode": other_episode, "epoch": 1, "n": 1, "answer": "the red one"}],
        ["/api/answer", {"episode": other_episode, "epoch": 1, "answer": "the red one"}],
        ["/api/report", {"episode": other_episode, "epoch": 1, "text": "hello"}],
        [f"/api/staff/frame/{other_episode}/0", None],
        [f"/api/staff/frame/{my_episode}/0", None],
        ["/api/staff/export/job_0", None],
        ["/api/frame/ep_00000000000000000000/0", None],
    ]
    for path, body in tries:  # type: ignore[misc]
        status, text = mine.page.evaluate(ask, [path, body])  # type: ignore[has-type]
        assert status == 403, (path, status, text)
        assert json.loads(text)["error"] == "not_allowed"
    nobody = new_tab()
    nobody.page.goto(server.base)
    assert nobody.page.evaluate(ask, [f"/api/frame/{my_episode}/0", None])[0] == 403
    assert len(server.steps(other_episode)) == 1
    assert other.page.locator(".view canvas").is_visible()


def test_a_cookie_from_another_site_is_not_enough(trouble: None, server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("forged"))
    episode = server.episode()["episode_id"]
    reply = tab.page.context.request.post(
        f"{server.base}/api/act",
        data={"episode": episode, "epoch": 1, "seq": 1, "action": "move_forward"},
        headers={"origin": "http://evil.example"},
    )
    assert (reply.status, reply.json()["error"]) == (403, "bad_origin")
    assert len(server.steps(episode)) == 1


def test_the_way_in_leaves_no_token_in_the_address_and_a_cookie_scripts_cannot_read(server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("entry"))
    link = server.link(study)
    tab = new_tab()
    kit.enter(tab, link)
    tab.ready()
    token = link.rpartition("=")[2]
    assert token not in tab.page.url
    visited = []
    while not tab.page.url.startswith("about:"):
        visited.append(tab.page.url)
        tab.page.go_back()
    tab.page.go_forward()
    assert len(visited) >= 1 and token not in " ".join(visited)
    cookie = next(c for c in tab.page.context.cookies() if c["name"] == "vantage_session")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and len(cookie["value"]) >= 32
    assert cookie["value"] not in tab.page.evaluate("document.cookie")
    everything = "\n".join(str(row) for table in ("invites", "sessions") for row in server.store.query(f"SELECT * FROM {table}"))
    assert token not in everything and cookie["value"] not in everything
    assert token not in server.log.read_text()


def test_a_used_up_link_says_so_and_a_preview_does_not_use_it_up(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("once"))
    token = kit.access.create_invite(server.store, "participant", study.study_id, uses=1)
    first, second = new_tab(), new_tab()
    assert first.page.context.request.head(f"{server.base}/enter?invite={token}").status == 204
    kit.enter(first, f"{server.base}/enter?invite={token}")
    first.ready()
    second.page.goto(f"{server.base}/enter?invite={token}")
    second.page.get_by_text("This link has been used up").wait_for()


def test_a_recruited_person_is_the_same_participant_again(server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("recruited")
    server.store.put_task(task)
    recruitment = kit.Recruitment(external_study="stud-77")
    kit.create_study(server.store, "Recruited", state="live", tasks=(task.content_hash,), trials=1, recruitment=recruitment)
    address = f"{server.base}/enter?PROLIFIC_PID=person-5&STUDY_ID=stud-77&SESSION_ID=s1"
    for n in range(2):
        tab = new_tab()
        if n:
            tab.page.goto(address)
            tab.page.get_by_role("button", name="Go on").press("Enter")
        else:
            kit.enter(tab, address)
        tab.ready()
        assert "person-5" not in tab.page.url
    assert server.store.one("SELECT count(*) AS n FROM recruitment WHERE external_id = 'person-5'")["n"] == 1
