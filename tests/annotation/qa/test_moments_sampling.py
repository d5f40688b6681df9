"""Moments: sampled evenly and apart, filtered with their figures, shown, kept or dropped, counted."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from PIL import Image, ImageFilter

from annotation.qa import moments as chosen
from annotation.qa.errors import QaError, UnknownItem
from annotation.qa.moments import counts
from annotation.qa.moments.sampling import frames_for
from annotation.qa.projects import change_project, create_project
from annotation.qa.scenes.clarity import Thresholds
from annotation.qa.scenes.moment import ORDER
from annotation.qa.triage import Opinion, TriageFailed
from annotation.qa.work import pool
from data.robot import episodes
from data.robot.errors import BadImage
from data.robot.images import ImageFolder
from data.store import Store
from study.errors import BadTransition
from tests.annotation.qa.conftest import Robots
from tests.present import present


@pytest.fixture
def project(store: Store) -> str:
    return create_project(store, "P", trial_batch=0).project_id


def apart(store: Store, project: str) -> list[int]:
    frames: dict[str, list[int]] = {}
    for moment in chosen.moments(store, project):
        frames.setdefault(moment.episode_id, []).append(moment.frame_index)
    return [b - a for f in frames.values() for a, b in pairwise(sorted(f))]


@pytest.mark.parametrize("seed", range(20))
def test_frames_are_apart_spread_and_only_sound_ones(seed: int) -> None:
    rng = random.Random(seed)
    found = frames_for(100, [50], 4, 10, rng, sound=lambda frame: frame % 2 == 0)
    assert len(found) == 4 and all(f % 2 == 0 for f in found)
    assert all(b - a >= 10 for a, b in pairwise(sorted([*found, 50])))
    assert found[0] < 40 and found[-1] >= 60
    assert len(frames_for(25, [], 9, 10, rng)) <= 3, "an episode holds only so many"
    assert frames_for(15, [7], 3, 10, rng) == []


def test_sampling_again_adds_moments_that_are_apart_from_the_first_ones(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=2, episodes=2, frames=90)
    first = chosen.sample_moments(store, project, per_episode=3, seed=1)
    assert (first.added, first.sampled, first.episodes, first.incomplete) == (12, 12, 4, 0)
    before = {m.moment_id for m in chosen.moments(store, project)}
    second = chosen.sample_moments(store, project, per_episode=3, seed=2)
    assert second.added > 0 and before < {m.moment_id for m in chosen.moments(store, project)}
    assert min(apart(store, project)) >= 10
    for _ in range(4):
        chosen.sample_moments(store, project, per_episode=9, seed=3)
    assert min(apart(store, project)) >= 10 and chosen.funnel(store, project).sampled <= 4 * 9


def test_the_same_seed_draws_the_same_and_another_seed_another(store: Store, robots: Robots) -> None:
    robots.add("single", tasks=2, episodes=2)

    def drawn(seed: int) -> list[tuple[str, int]]:
        own = create_project(store, f"P {seed}").project_id
        chosen.sample_moments(store, own, per_episode=2, seed=seed)
        return [(m.episode_id, m.frame_index) for m in chosen.moments(store, own)]

    assert drawn(5) == drawn(5) != drawn(6)


def test_a_limit_is_shared_evenly_by_tasks_and_episodes(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=5)
    few = robots.add("dual", tasks=2, episodes=1)
    chosen.sample_moments(store, project, per_episode=3, seed=4, limit=6)
    tasks = Counter((m.arm, m.task) for m in chosen.moments(store, project))
    assert sorted(tasks.values()) == [2, 2, 2], "three tasks, however many episodes each has"
    chosen.sample_moments(store, project, per_episode=3, seed=5, limit=3)
    tasks = Counter((m.arm, m.task) for m in chosen.moments(store, project))
    assert sorted(tasks.values()) == [3, 3, 3], "a later sampling evens out with the earlier one"
    single = Counter(m.episode_id for m in chosen.moments(store, project, arm="single"))
    assert max(single.values()) == 1
    assert chosen.sample_moments(store, project, per_episode=1, source_ids=[few]).added == 2


def test_a_moment_keeps_its_images_with_file_frame_and_time(store: Store, robots: Robots, project: str) -> None:
    robots.add("dual", tasks=1, episodes=1)
    chosen.sample_moments(store, project, per_episode=1)
    (moment,) = chosen.moments(store, project)
    assert [v.view for v in moment.views] == ["left-gripper", "head", "right-gripper"] and moment.state == "candidate"
    view = moment.views[1]
    assert (view.file, view.frame_index) == (f"head/{moment.frame_index}.png", moment.frame_index)
    assert view.timestamp_s == moment.timestamp_s == pytest.approx(moment.frame_index / 10)
    assert ImageFolder(store.home)(view.image)[:4] == b"\x89PNG"
    assert chosen.get_moment(store, moment.moment_id) == moment
    with pytest.raises(UnknownItem):
        chosen.get_moment(store, "mo_none")


def test_spoilt_moments_are_filtered_with_reason_and_figures_and_stay(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=5, frames=12)
    keys = [row["key"] for row in store.query("SELECT key FROM robot_episodes ORDER BY key")]

    def broken(image: Any) -> None:
        raise BadImage("im_3.jpg ends early.")

    robots.spoilt[keys[0], "view2", -1] = lambda image: image.filter(ImageFilter.GaussianBlur(12))
    robots.spoilt[keys[1], "view1", -1] = lambda image: image.point(lambda v: v // 20)
    robots.spoilt[keys[2], "view4", -1] = broken
    robots.late[keys[3], "view3"] = 0.4
    found = chosen.sample_moments(store, project, per_episode=1)
    by_episode = {m.episode: m for m in chosen.moments(store, project)}
    reasons = [by_episode[key].reason for key in keys]
    assert reasons == ["blurred", "dark", "unreadable", "unsynchronised", ""]
    assert found.filtered == {"blurred": 1, "dark": 1, "unreadable": 1, "unsynchronised": 1} and found.waiting == 1
    blurred = by_episode[keys[0]]
    assert blurred.metrics["views"]["view2"]["sharpness"] < 20 < blurred.metrics["views"]["view1"]["sharpness"]
    assert "view2" in blurred.note and "at least 20" in blurred.note
    assert "im_3.jpg ends early" in by_episode[keys[2]].note and len(by_episode[keys[2]].views) == 3
    assert by_episode[keys[3]].metrics["skew_s"] == pytest.approx(0.4)
    with pytest.raises(QaError, match="no image of view4"):
        chosen.decide(store, by_episode[keys[2]].moment_id, "keep", actor="ann")


def test_two_moments_that_look_the_same_are_kept_once(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=1, frames=60)
    (key,) = [row["key"] for row in store.query("SELECT key FROM robot_episodes")]
    same = robots.still(store, episodes.episodes(store)[0], "view1", 3)
    for view in ("view1", "view2", "view3", "view4"):
        robots.spoilt[key, view, -1] = lambda image: Image.open(io.BytesIO(same.data))
    found = chosen.sample_moments(store, project, per_episode=3)
    assert (found.waiting, found.filtered) == (1, {"near_duplicate": 2})


def test_thresholds_are_the_projects_and_can_be_changed_without_sampling_again(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=3, frames=12)
    chosen.sample_moments(store, project, per_episode=1)
    kept = chosen.moments(store, project)[0]
    chosen.decide(store, kept.moment_id, "keep", "hard", "ann")
    change_project(store, project, actor="lead", why="strict", thresholds=Thresholds(sharpness=1e6))
    assert chosen.rejudge(store, project) == {"filtered": 2, "passed": 0}
    strict = chosen.funnel(store, project)
    assert strict.filtered == {"blurred": 2} and strict.kept == {"hard": 1} and strict.thresholds["sharpness"] == 1e6
    change_project(store, project, actor="lead", why="lenient", thresholds=Thresholds(sharpness=0))
    assert chosen.rejudge(store, project) == {"filtered": 0, "passed": 2}
    assert all(not m.filter for m in chosen.moments(store, project, state="candidate"))


def test_an_episode_without_all_views_is_not_sampled_and_is_counted(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=2)
    row = store.one("SELECT episode_id, document FROM robot_episodes ORDER BY key")
    record = json.loads(present(row)["document"])
    del record["views"]["view3"]
    store.db.execute("UPDATE robot_episodes SET document = ? WHERE episode_id = ?", [json.dumps(record), present(row)["episode_id"]])
    found = chosen.sample_moments(store, project, per_episode=1)
    assert (found.added, found.episodes, found.incomplete) == (1, 2, 1)
    assert found.stages[:3] == [("Episodes imported", 2), ("with all views", 1), ("Moments sampled", 1)]


def test_without_episodes_there_is_a_sentence(store: Store, robots: Robots, project: str) -> None:
    with pytest.raises(QaError, match=r"no robot episodes here.*vantage qa import"):
        chosen.sample_moments(store, project)


# decisions


def test_decisions_need_a_reason_of_the_list_and_may_be_changed(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=1, frames=12)
    chosen.sample_moments(store, project, per_episode=1)
    moment = chosen.next_moment(store, project)
    assert moment is not None
    with pytest.raises(QaError, match="Say why: nothing_to_ask"):
        chosen.decide(store, moment.moment_id, "drop", actor="ann")
    with pytest.raises(QaError, match="Say why"):
        chosen.decide(store, moment.moment_id, "drop", "because", "ann")
    with pytest.raises(QaError, match="in a few words"):
        chosen.decide(store, moment.moment_id, "drop", "other", "ann", note="  ")
    dropped = chosen.decide(store, moment.moment_id, "drop", "other", "ann", note="a hand in front")
    assert (dropped.state, dropped.reason, dropped.note, dropped.decided_by) == ("dropped", "other", "a hand in front", "ann")
    with pytest.raises(BadTransition):
        chosen.decide(store, moment.moment_id, "drop", "empty", "ann")
    assert chosen.decide(store, moment.moment_id, "keep", actor="bob").state == "kept"
    assert chosen.next_moment(store, project) is None
    kinds = [row["kind"] for row in store.query("SELECT kind FROM events WHERE kind LIKE 'moment%' ORDER BY seq")]
    assert kinds == ["moment_sampled", "moments_sampled", "moment_decided", "moment_decided"]


def test_a_filtered_moment_can_be_taken_all_the_same_and_counts_as_rescued(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=1, frames=12)
    change_project(store, project, actor="lead", why="strict", thresholds=Thresholds(sharpness=1e6))
    chosen.sample_moments(store, project, per_episode=1)
    (moment,) = chosen.moments(store, project, state="filtered")
    kept = chosen.decide(store, moment.moment_id, "keep", "rare", "ann")
    assert kept.filter["reason"] == "blurred"
    assert chosen.funnel(store, project).rescued == 1


def test_two_people_are_shown_different_moments_and_the_time_they_take_is_counted(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    robots.add("single", tasks=1, episodes=3, frames=12)
    chosen.sample_moments(store, project, per_episode=1)
    one, two = (chosen.next_moment(store, project, actor=name) for name in ("ann", "bob"))
    assert one is not None and two is not None and one.moment_id != two.moment_id
    assert chosen.next_moment(store, project, actor="ann") == one, "a reload shows the same"
    assert present(store.one("SELECT count(*) AS n FROM events WHERE kind = 'moment_shown'"))["n"] == 2
    with monkeypatch.context() as later:
        later.setattr("annotation.qa.moments.records.now", lambda: "2999-01-01T00:00:00.000Z")
        chosen.decide(store, one.moment_id, "keep", "useful", "ann")
    effort = chosen.funnel(store, project).effort["moments"]
    assert (effort.done, effort.timed) == (1, 0), "who comes back a thousand years later took a break"
    chosen.decide(store, two.moment_id, "drop", "occluded", "bob")
    effort = chosen.funnel(store, project).effort["moments"]
    assert (effort.done, effort.timed) == (2, 1) and effort.median_s is not None and effort.seconds < 60
    found = chosen.funnel(store, project)
    assert (found.kept, found.dropped, found.waiting) == ({"useful": 1}, {"occluded": 1}, 1)
    json.dumps(chosen.as_json(found))


# triage


def test_triage_is_off_until_an_endpoint_is_named_and_failures_leave_moments_untriaged(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=3, frames=12)
    chosen.sample_moments(store, project, per_episode=1)
    with pytest.raises(QaError, match="Triage is off"):
        chosen.triage_moments(store, project)
    asked = []

    def judge(stills: Any, arm: Any, task: Any) -> Opinion:
        asked.append((tuple(stills), arm, task))
        if len(asked) == 2:
            raise TriageFailed("It gave no answer.")
        return Opinion(("distance", "step"), "looker")

    report = chosen.triage_moments(store, project, judge, actor="ann")
    assert (report.asked, report.answered, len(report.failures)) == (3, 2, 1) and "It gave no answer." in report.failures[0]
    assert asked[0] == (("view1", "view2", "view3", "view4"), "single", "put block 0 into the bowl")
    found = chosen.funnel(store, project)
    assert (found.triaged, found.triage) == (2, {"distance": 2, "step": 2}) and found.waiting == 3
    assert chosen.triage_moments(store, project, judge).asked == 1, "only what has no opinion yet"
    assert pool.items(store, project) == []


def test_an_endpoint_that_is_down_is_given_up_soon(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=9, frames=12)
    chosen.sample_moments(store, project, per_episode=1)

    def judge(stills: Any, arm: Any, task: Any) -> None:
        raise TriageFailed("down")

    report = chosen.triage_moments(store, project, judge)  # type: ignore[arg-type]
    assert (report.asked, report.stopped) == (5, True)


def test_the_counts_of_a_project_are_right_after_every_write_and_for_whoever_looks_first(
    store: Store, robots: Robots, project: str
) -> None:
    robots.add("single", tasks=1, episodes=2, frames=12)
    chosen.sample_moments(store, project, per_episode=3)
    first = chosen.next_moment(store, project, actor="lead")
    seen = [chosen.funnel(store, project)]
    chosen.decide(store, present(first).moment_id, "keep", "useful", "lead")
    seen.append(chosen.funnel(store, project))
    chosen.undo(store, present(first).moment_id, "lead")
    seen.append(chosen.funnel(store, project))
    with pytest.raises(ZeroDivisionError), store.atomic():
        chosen.decide(store, present(first).moment_id, "drop", "nothing_to_ask", "lead")
        assert chosen.funnel(store, project).effort["moments"].done == 2
        1 / 0  # noqa: B018
    chosen.decide(store, present(first).moment_id, "keep", "hard", "lead")
    seen.append(chosen.funnel(store, project))
    assert [found.effort["moments"].done for found in seen] == [0, 1, 1, 2]
    assert [found.kept for found in seen] == [{}, {"useful": 1}, {}, {"hard": 1}]
    # a program that has just started reads the same from the database
    assert chosen.funnel(Store.open(store.home), project) == seen[-1]


def test_the_counts_read_no_documents(store: Store) -> None:
    for sql in (counts._MOMENTS, counts._TRIAGED, counts._RESCUED):
        plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {sql}", ["qp"])]
        assert any(line.startswith("SEARCH moments USING COVERING INDEX moments_figures") for line in plan), plan
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {counts._USED}", ["qp"])]
    assert any(line.startswith("SEARCH v USING COVERING INDEX qa_versions_moment") for line in plan), plan
    assert any(line.startswith("SEARCH m USING COVERING INDEX moments_stand") for line in plan), plan
    plan = [row["detail"] for row in store.query("EXPLAIN QUERY PLAN SELECT arm, views, count(*) FROM robot_episodes GROUP BY arm, views")]
    assert plan == ["SCAN robot_episodes USING COVERING INDEX robot_episodes_views"]
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {counts._EVENTS}", {"seq": 7})]
    assert not [line for line in plan if line.startswith("SCAN") and "subquery" not in line.lower()], plan


def test_the_next_moment_is_found_in_the_order_of_an_index(store: Store) -> None:
    found = "SELECT m.moment_id FROM moments m JOIN robot_episodes e USING (episode_id) WHERE m.project_id = ? AND m.state = 'candidate'"
    sql = f"{found} {ORDER}"
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {sql}", ["qp"])]
    assert plan[0] == "SEARCH m USING INDEX moments_order (project_id=? AND state=?)" and not any("TEMP B-TREE" in line for line in plan)
