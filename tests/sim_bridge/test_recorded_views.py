"""Recorded views keep the bridge's promises: the files' own pixels, the nearest view in the direction of an action, or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from app.cli import main
from data.home import Home
from data.recordings import NoRecordedViews, keep, on_recording
from data.store import Store
from data.task import Gold, Provenance, Question, Task, View
from sim_bridge.backends.recorded import create, nearest
from sim_bridge.backends.recorded.backend import NONE_THERE, RecordedBackend
from sim_bridge.backends.recorded.recording import digest, read, scene_of
from sim_bridge.conformance import check_backend
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.local import LocalClient
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import participants, rendering
from study.errors import SceneUnplayable
from study.protocol import Protocol
from study.rendering import pictures
from study.runtime import running
from study.studies import create_study
from study.walking import render
from tests.present import present

SIZE = (64, 48)
PLACES = {  # a room's middle, three headings, and a place half a metre ahead
    "start.png": (0.0, 0.0, 0.0),
    "left.jpg": (0.0, 0.0, 30.0),
    "right.webp": (0.0, 0.0, -30.0),
    "ahead.png": (0.0, 0.55, 4.0),
}


def pixels(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(0, 256, (SIZE[1], SIZE[0], 3), dtype=np.uint8)


def recording(folder: Path, **changes: Any) -> Path:
    """A folder with four pictures and their manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    views = []
    for number, (name, (x, y, yaw)) in enumerate(PLACES.items()):
        options: dict[str, Any] = {"lossless": True} if name.endswith("webp") else {}
        Image.fromarray(pixels(number)).save(folder / name, **options)
        pose = looking(x, y, 1.2, yaw)
        views.append({"file": name, "position_m": pose.position_m, "quaternion_xyzw": pose.quaternion_xyzw, "label": name})
    camera = {"width": SIZE[0], "height": SIZE[1], "hfov_deg": 75.0}
    manifest = {"camera": camera, "step_m": 0.5, "step_deg": 30.0, "views": views}
    (folder / "recording.json").write_text(json.dumps(manifest | changes))
    return folder


def task(**fields: Any) -> Task:
    return Task(
        task_id="room-1",
        category="Metric Comparison",
        subcategory="Dimensional Size",
        question=Question(text="Which is larger?", form="choice", options=("the one", "the other")),
        gold=Gold(accepted=("the one",), chance=0.5),
        scene=Scene(camera=Camera(*SIZE, 75.0), room=Room()),
        start=looking(0.0, 0.0, 1.2),
        provenance=Provenance(dataset="esi-bench"),
        **fields,
    )


def loaded(folder: Path) -> LocalClient:
    """A client of the backend; its session ``s`` stands at the start of the recording in `folder`."""
    kept = folder.parent / "kept" / digest(folder)
    kept.parent.mkdir(exist_ok=True)
    folder.rename(kept)
    client = LocalClient(RecordedBackend(kept.parent))
    client.load("s", scene_of(read(kept), kept.name), looking(0.0, 0.0, 1.2))
    return client


def test_it_keeps_every_promise_that_it_claims() -> None:
    report = check_backend(create())
    assert [(result.name, result.detail) for result in report.failures()] == []
    assert report.count("pass") >= 40 and "recorded" in report.capabilities


@pytest.mark.parametrize(
    ("walk", "files"),
    [
        (("turn_left", "turn_right", "turn_right"), ("left.jpg", "start.png", "right.webp")),
        (("move_forward", "move_backward"), ("ahead.png", "start.png")),
        (("turn_left", "turn_left"), ("left.jpg", None)),
        (("move_up", "move_left", "turn_down"), (None, None, None)),
    ],
)
def test_an_action_leads_to_the_nearest_view_or_says_that_there_is_none(
    tmp_path: Path, walk: tuple[Any, ...], files: tuple[Any, ...]
) -> None:
    folder = recording(tmp_path / "made")
    shown = {name: np.asarray(Image.open(folder / name).convert("RGB")) for name in PLACES}
    client = loaded(folder)
    here = "start.png"
    for seq, (action, wanted) in enumerate(zip(walk, files, strict=True), 1):
        reply = client.act("s", seq, action)
        assert (reply.ok, reply.reason) == ((True, "") if wanted else (False, NONE_THERE))
        here = wanted or here
        assert np.array_equal(decode_frame(reply.observation.frames[-1]), shown[here]), "the pixels are the file's own"


def test_going_on_later_is_exact(tmp_path: Path) -> None:
    client = loaded(recording(tmp_path / "made"))
    scene = scene_of(msgspec.structs.replace(read(next((tmp_path / "kept").iterdir()))), next((tmp_path / "kept").iterdir()).name)
    walked = [client.act("s", seq, action) for seq, action in enumerate(("turn_left", "turn_left", "turn_right", "move_forward"), 1)]
    again = client.load("r", scene, looking(0.0, 0.0, 1.2), replay=("turn_left", "turn_left", "turn_right", "move_forward"))
    by_snapshot = client.load("t", scene, looking(0.0, 0.0, 1.2), snapshot=walked[1].snapshot, replay=("turn_right", "move_forward"))
    for reply in (again, by_snapshot):
        assert reply.observation == walked[-1].observation


def test_steps_are_counted_in_the_recordings_own() -> None:
    ahead, aside = looking(0.0, 0.4, 1.2), looking(0.0, 0.0, 1.2, 20.0)
    here = looking(0.0, 0.0, 1.2)
    assert nearest.steps_between(here, ahead, 0.5, 30.0) == pytest.approx(0.8)
    assert nearest.steps_between(here, aside, 0.5, 30.0) == pytest.approx(2 / 3)
    assert nearest.nearest([ahead, aside], here, 0.5, 30.0) == 1
    assert nearest.nearest([looking(0.0, 0.5, 1.2)], here, 0.5, 30.0) is None, "a whole step away is not there"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"views": []}, "views: expected 1 to 10000, got 0"),
        ({"step_m": 0}, "step_m: expected a number above 0"),
        ({"camera": {"width": 65, "height": 48}}, r"views\[0\].file: 'start.png' has 64 × 48 pixels, the camera of the recording 65 × 48"),
        ({"views": [{"file": "no.png", "position_m": [0, 0, 1], "quaternion_xyzw": [0, 0, 0, 1]}]}, "there is no file 'no.png'"),
        ({"views": [{"file": "../x.png", "position_m": [0, 0, 1], "quaternion_xyzw": [0, 0, 0, 1]}]}, "a file within the folder"),
        ({"views": [{"file": "recording.json", "position_m": [0, 0, 1], "quaternion_xyzw": [0, 0, 0, 1]}]}, "is no PNG, JPEG or WebP"),
        ({"views": [{"file": "start.png", "position_m": [0, 0, 1], "quaternion_xyzw": [0, 0, 0, 9]}]}, "expected a unit quaternion"),
        ({"views": [{"file": "start.png", "position_m": [0, 0, 1], "quaternion_xyzw": [0, 0, 0, 1]}] * 2}, r"stands where views\[0\] does"),
        ({"colour": "blue"}, "unknown field `colour`"),
    ],
)
def test_a_recording_that_makes_no_sense_is_refused_in_words(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SceneError, match=said):
        read(recording(tmp_path / "made", **changes))
    with pytest.raises(SceneError, match=r"A recording is a folder with a recording\.json"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        (Scene(camera=Camera(*SIZE), room=Room(), source_scene="Rs_int"), "scene.source_scene: expected recording:"),
        (Scene(camera=Camera(*SIZE), room=Room(), source_scene="recording:../etc"), "scene.source_scene"),
        (Scene(camera=Camera(32, 24), room=Room(), source_scene="recording:sample"), "scene.camera: the recording was made with"),
    ],
)
def test_a_scene_that_is_no_recording_is_refused(tmp_path: Path, scene: Scene, said: str) -> None:
    with pytest.raises(SceneError, match=said):
        LocalClient(RecordedBackend(tmp_path)).load("s", scene, looking(0.0, 0.0, 1.2))


def test_a_task_on_a_recording_is_played_passively_and_actively(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    folder = recording(tmp_path / "made")
    store = Store.open(home)
    store.put_task(task())
    done = CliRunner().invoke(main, ["tasks", "recorded", str(folder), "--task", "room-1", "--db", str(home.db), "--json"])
    assert done.exit_code == 0, done.output
    made = store.find_task("room-1.recorded")
    assert made.supersedes == task().content_hash and made.required_features == ("recorded",) and made.scene.objects == ()
    with running(home, backend="recorded") as here:
        ways = ("active", "single_view")
        study = create_study(here.store, "Recorded", state="live", tasks=(made.content_hash,), paradigms=ways, trials=1)
        for way in ways:
            episode = here.engine.create(made.content_hash, protocol=study.protocol.model_copy(update={"paradigm": way}))
            view = here.engine.open(episode)
            assert np.array_equal(decode_frame(here.engine.frame(episode, 0)), pixels(0))
            if way == "active":
                step = here.engine.act(episode, view.epoch, 1, "move_forward")
                assert step.ok and np.array_equal(decode_frame(here.engine.frame(episode, 1)), pixels(3))
                step = here.engine.act(episode, view.epoch, 2, "move_up")
                assert not step.ok and NONE_THERE in step.words and step.observations_left == made.budget - 3
            assert here.engine.answer(episode, view.epoch, "the one", 80).state == "completed"
        views = render(here.pool.acquire("walk"), "walk", made)
        assert [view.pose for view in views] == [view.pose for view in made.views["random_walk"]], "multi-view shows the recorded views"
    with running(home, backend="toy") as here:
        episode = here.engine.create(made.content_hash, protocol=Protocol())
        with pytest.raises(Exception, match=r"cannot do \(recorded\)"):
            here.engine.open(episode)


def test_paradigms_that_show_pictures_run_on_recorded_views_unchanged(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    folder = recording(tmp_path / "made")
    files = {name: np.asarray(Image.open(folder / name).convert("RGB")) for name in PLACES}
    made = on_recording(task(), *keep(home, folder)).model_copy(update={"gt_trajectory": ("turn_left", "turn_right")})
    seen: dict[str, list[np.ndarray]] = {}
    with running(home, backend="recorded") as here:
        here.store.put_task(made)
        ways = ("active", "multi_view", "gt_passive", "yoked")
        study = create_study(here.store, "R", state="live", tasks=(made.content_hash,), paradigms=ways, per_task=1, trials=1)
        wanted = [(task_hash, one.frozen) for one in pictures(here.store, study) for task_hash in one.missing]
        assert len(wanted) == 2 and rendering.render(here.store, here.frames, here.pool, wanted) == []
        for _ in ways:
            person = participants.add_participant(here.store, study.study_id)
            participants.decide(here.store, person, "consent")
            episode = participants.place(here.store, here.engine, person).episode_id
            view = here.engine.open(present(episode))
            for seq in range(1, view.budget if view.step.paged else 1):
                here.engine.next_picture(present(episode), view.epoch, seq)
            way = present(here.store.one("SELECT paradigm FROM episodes WHERE episode_id = ?", [episode]))["paradigm"]
            for seq, action in enumerate(("turn_left", "move_up") if way == "active" else (), 1):
                here.engine.act(present(episode), view.epoch, seq, action)
            last = present(here.store.one("SELECT last_seq FROM episodes WHERE episode_id = ?", [episode]))["last_seq"]
            numbers = view.shown if view.opens == "grid" else range(last + 1)
            seen[way] = [decode_frame(here.engine.frame(present(episode), seq)) for seq in numbers]
            here.engine.answer(present(episode), view.epoch, "the one", 80)
    start, left = files["start.png"], files["left.jpg"]
    expected = {"active": [start, left, left], "gt_passive": [start, left, start], "yoked": [start, left, left]}
    for way, shown in expected.items():
        assert len(seen[way]) == len(shown) and all(np.array_equal(*pair) for pair in zip(seen[way], shown, strict=True)), way
    assert {one.tobytes() for one in seen["multi_view"]} == {one.tobytes() for one in files.values()}, "all of them, in no order"


def test_released_renders_are_found_by_the_names_and_labels_of_the_row(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    renders = tmp_path / "renders"
    corners, rooms = ("room/corner_00.png", "room/corner_01.png"), ("bath/view_00.png", "hall/view_00.png")
    for number, name in enumerate(("q_003.png", "q_003_map.png", *corners, *rooms)):
        (renders / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels(number)).save(renders / name)
    labels = ("corner/0", "corner/1", "corner/2", "room/bath/view_00", "orbit/0")
    views = tuple(View(label=label, pose=Pose((float(n + 1), 0.0, 1.0))) for n, label in enumerate(labels))
    row = task(source={"image_paths": ["q_003.png", "q_003_map.png"]}, views={"recorded": views})
    store = Store.open(home)
    store.put_task(row)
    done = CliRunner().invoke(main, ["tasks", "recorded", str(renders), "--task", "room-1", "--db", str(home.db), "--json"])
    assert done.exit_code == 0, done.output
    (told,) = json.loads(done.stdout)
    kept = read(home.recordings / told["recording"])
    assert [(view.file, view.label) for view in kept.views] == [
        ("q_003.png", "start"),
        ("room/corner_00.png", "corner/0"),
        ("room/corner_01.png", "corner/1"),
        ("bath/view_00.png", "room/bath/view_00"),
    ]
    store.put_task(task(source={"image_paths": ["q_9.png"]}, tags={"other": "yes"}))
    missing = CliRunner().invoke(main, ["tasks", "recorded", str(renders), "--task", "room-1", "--db", str(home.db)])
    assert missing.exit_code == 2 and "needs one picture named q_9.png" in missing.output


def test_what_is_done_with_hands_cannot_be_recorded(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    named, kept = keep(home, recording(tmp_path / "made"))
    assert keep(home, tmp_path / "made") == (named, kept), "the same pictures are kept once"
    with pytest.raises(NoRecordedViews, match="needs the action pick_up"):
        on_recording(task(required_features=("pick_up",)), named, kept)


def test_renders_that_are_missing_broken_or_of_another_size_are_named_and_the_others_kept(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    renders = tmp_path / "renders"
    renders.mkdir()
    for number, name in enumerate(("q.png", "corner_00.png", "corner_01.png")):
        Image.fromarray(pixels(number)).save(renders / name)
    Image.fromarray(pixels(1)).resize((80, 60)).save(renders / "corner_01.png")
    (renders / "corner_02.png").write_bytes(b"no picture")
    labels = ("corner/0", "corner/1", "corner/2", "corner/3")
    views = tuple(View(label=label, pose=Pose((float(n + 1), 0.0, 1.0))) for n, label in enumerate(labels))
    store = Store.open(home)
    store.put_task(task(source={"image_paths": ["q.png"]}, views={"recorded": views}))
    argv = ["tasks", "recorded", str(renders), "--task", "room-1", "--db", str(home.db)]
    done = CliRunner().invoke(main, [*argv, "--json"])
    assert done.exit_code == 0, done.output
    (told,) = json.loads(done.stdout)
    assert told["views"] == 2 and sorted(told["left_out"]) == [
        "corner/1: corner_01.png has 80 × 60 pixels, the start 64 × 48.",
        "corner/2: corner_02.png is no picture that can be read.",
        "corner/3: no picture of this view is in the folder, or there are several.",
    ]
    assert "Left out: corner/1: corner_01.png has 80 × 60 pixels" in CliRunner().invoke(main, argv).stderr
    (renders / "q.png").write_bytes(b"no picture")
    refused = CliRunner().invoke(main, argv)
    assert refused.exit_code == 2 and "q.png, the start view of room-1, is no picture that can be read." in refused.stderr


def test_a_recording_that_was_damaged_is_refused_without_a_path_and_disturbs_no_other(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    whole = on_recording(task(), *keep(home, recording(tmp_path / "whole")))
    digest_of, damaged = keep(home, recording(tmp_path / "made", step_m=0.4))
    broken = on_recording(task(), digest_of, damaged).model_copy(update={"task_id": "room-2"})
    (home.recordings / digest_of / "left.jpg").unlink()
    with running(home, backend="recorded") as here:
        for one in (whole, broken):
            here.store.put_task(one)
        with pytest.raises(SceneUnplayable, match=r"views\[1\].file: there is no file 'left.jpg'") as refused:
            here.engine.open(here.engine.create(broken.content_hash, protocol=Protocol()))
        assert str(home.root) not in refused.value.for_people and refused.value.for_people.startswith("This task cannot be played here.")
        assert here.engine.open(here.engine.create(whole.content_hash, protocol=Protocol())).step.seq == 0
