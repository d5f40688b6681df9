"""What the labels say together: strategy counts (Table 8), rates of views and beliefs (Tables 10 and 11), shares of failure modes.

Every figure comes with its n, the coders and how far they agree. Where nothing is labelled, or by too few people, a figure is missing and
never 0. Automatic estimates are in no figure here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb

import msgspec

from data.store import Store
from study.analysis.paths import believed, changes, contrastive_of, labelled
from study.labels.shown import trajectories
from study.measures.agreement import krippendorff

PUBLISHED_STRATEGIES: Mapping[tuple[str, str], int] = {
    ("Perceptual Grounding", "Partial Occlusion"): 4,
    ("Perceptual Grounding", "Material Transparency"): 6,
    ("Physical Structure", "Rigid Containment"): 3,
    ("Physical Structure", "Liquid Volume"): 3,
    ("Spatial Relations", "Physical Contact"): 4,
    ("Metric Comparison", "Spatial Distance"): 3,
    ("Metric Comparison", "Dimensional Size"): 4,
}
"""(category, subcategory) → clusters in ESI-Bench, App. I, Table 8."""


class Strategies(msgspec.Struct, frozen=True):
    """Table 8, for one subcategory."""

    category: str
    subcategory: str
    trajectories: int
    """Successful active ones."""
    grouped: int
    """Of them: grouped by at least one coder."""
    clusters: dict[str, int]
    """Coder → strategies that hold at least one trajectory."""
    sizes: dict[str, list[int]]
    """Coder → trajectories in each, largest first."""
    agreement: float | None
    """Mean adjusted Rand index over the pairs of coders, on trajectories that both have grouped; None: there is no such pair."""
    published: int | None
    """In the paper; None: it has none."""


class Rates(msgspec.Struct, frozen=True):
    """Tables 10 and 11, for one agent."""

    agent: str
    trajectories: int
    """Active ones."""
    labelled: int
    """Of them: by at least two coders, every view."""
    contrastive: float | None
    """Percentage of the labelled with a contrastive view by most of their coders."""
    believed: int
    """Trajectories with at least two stated beliefs; others are missing, not “no”."""
    revised: float | None
    """Percentage of those whose stated belief changes after further observations."""
    revised_after_contrastive: float | None
    """Percentage of the labelled ones among them whose belief changes at a view that most coders call contrastive, or after it."""
    equal_pairs: float | None
    """Share of the pairs of labels of one view that are equal."""
    alpha: float | None
    """Krippendorff's alpha of the labels of views (nominal); None: no view has two, or all are equal."""


class Failures(msgspec.Struct, frozen=True):
    """Failure modes of one agent."""

    agent: str
    failed: int
    coded: int
    shares: dict[str, float]
    """Code → percentage of the coded ones that at least one coder gave it to; several may hold."""


class _Group(msgspec.Struct, frozen=True):
    category: str
    subcategory: str
    coder: str
    strategy_id: str
    episode_id: str


class _Agent(msgspec.Struct, frozen=True):
    episode_id: str
    agent: str
    last_seq: int


class _View(msgspec.Struct, frozen=True):
    episode_id: str
    coder: str
    seq: int
    label: str


class _Belief(msgspec.Struct, frozen=True):
    episode_id: str
    seq: int
    answer: str


class _Coded(msgspec.Struct, frozen=True):
    episode_id: str
    code: str


def adjusted_rand(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Adjusted Rand index of two partitions of the same things (Hubert & Arabie 1985): 1 where they are equal, about 0 by chance.

    Example:
        >>> adjusted_rand([0, 0, 1, 1], ["b", "b", "a", "a"])
        1.0
    """
    both = sum(comb(n, 2) for n in Counter(zip(one, other, strict=True)).values())
    first, second = (sum(comb(n, 2) for n in Counter(part).values()) for part in (one, other))
    pairs = comb(len(one), 2)
    expected = first * second / pairs if pairs else 0.0
    most = (first + second) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def strategies(store: Store, study_id: str) -> list[Strategies]:
    """Table 8 of a study: subcategories with a successful active trajectory."""
    rows = store.rows(
        "SELECT g.category, g.subcategory, g.coder, g.strategy_id, m.episode_id FROM strategies g JOIN strategy_members m "
        "USING (strategy_id) WHERE g.study_id = ? ORDER BY g.coder, m.episode_id",
        _Group,
        [study_id],
    )
    right = Counter((each.category, each.subcategory) for each in trajectories(store, study_id, outcome="right"))
    found = []
    for kind in sorted(right):
        by_coder: dict[str, dict[str, str]] = defaultdict(dict)
        for row in rows:
            if (row.category, row.subcategory) == kind:
                by_coder[row.coder][row.episode_id] = row.strategy_id
        sizes = {coder: sorted(Counter(part.values()).values(), reverse=True) for coder, part in by_coder.items()}
        agreed = []
        for one, other in combinations(by_coder.values(), 2):
            shared = sorted(set(one) & set(other))
            if len(shared) > 1:
                agreed.append(adjusted_rand([one[each] for each in shared], [other[each] for each in shared]))
        found.append(
            Strategies(
                *kind,
                trajectories=right[kind],
                grouped=len(set().union(*by_coder.values())),
                clusters={coder: len(many) for coder, many in sizes.items()},
                sizes=sizes,
                agreement=sum(agreed) / len(agreed) if agreed else None,
                published=PUBLISHED_STRATEGIES.get(kind),
            )
        )
    return found


def rates(store: Store, study_id: str) -> list[Rates]:
    """Tables 10 and 11 of a study, by agent."""
    agents = _agents(store, study_id, "any")
    labels: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for row in store.rows("SELECT v.* FROM view_labels v JOIN episodes e USING (episode_id) WHERE e.study_id = ?", _View, [study_id]):
        labels[row.episode_id].append((row.coder, row.seq, row.label))
    beliefs: dict[str, list[_Belief]] = defaultdict(list)
    for said in store.rows(
        "SELECT b.episode_id, b.seq, b.answer FROM beliefs b JOIN episodes e USING (episode_id) WHERE e.study_id = ? "
        "AND b.answer IS NOT NULL ORDER BY b.episode_id, b.epoch, b.n",
        _Belief,
        [study_id],
    ):
        beliefs[said.episode_id].append(said)
    by_agent: dict[str, list[_Agent]] = defaultdict(list)
    for one in agents:
        by_agent[one.agent].append(one)
    return [_rates(agent, rows, labels, beliefs) for agent, rows in sorted(by_agent.items())]


def failures(store: Store, study_id: str) -> list[Failures]:
    """Shares of failure modes of a study, by agent."""
    codes: dict[str, set[str]] = defaultdict(set)
    sql = "SELECT f.episode_id, f.code FROM failure_labels f JOIN episodes e USING (episode_id) WHERE e.study_id = ?"
    for row in store.rows(sql, _Coded, [study_id]):
        codes[row.episode_id].add(row.code)
    by_agent: dict[str, list[str]] = defaultdict(list)
    for agent in _agents(store, study_id, "wrong"):
        by_agent[agent.agent].append(agent.episode_id)
    found = []
    for name, episodes in sorted(by_agent.items()):
        coded = [codes[episode] for episode in episodes if codes[episode]]
        counts = Counter(code for each in coded for code in each)
        found.append(Failures(name, len(episodes), len(coded), {code: 100 * n / len(coded) for code, n in sorted(counts.items())}))
    return found


def _agents(store: Store, study_id: str, outcome: str) -> list[_Agent]:
    those = [each.episode_id for each in trajectories(store, study_id, outcome="wrong" if outcome == "wrong" else "any")]
    return store.rows(
        "SELECT episode_id, CASE WHEN agent_kind = 'human' THEN 'people' ELSE agent_name END AS agent, last_seq FROM episodes "
        "WHERE episode_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id",
        _Agent,
        [msgspec.json.encode(those).decode()],
    )


def _rates(
    agent: str, rows: Sequence[_Agent], labels: Mapping[str, Sequence[tuple[str, int, str]]], beliefs: Mapping[str, Sequence[_Belief]]
) -> Rates:  # fmt: skip
    contrastive, revised, after = [], [], []
    pairs: list[bool] = []
    units: list[list[str]] = []
    for row in rows:
        views = labels.get(row.episode_id, ())
        whole = labelled(views, row.last_seq)
        for seq in range(1, row.last_seq + 1) if whole else ():
            units.append([said[seq] for said in whole if seq in said])
            pairs += [a == b for a, b in combinations(units[-1], 2)]
        thoughts = believed((said.seq, said.answer, None, None) for said in beliefs.get(row.episode_id, ()))
        changed, (found, later) = changes(thoughts), contrastive_of(views, row.last_seq, thoughts)
        contrastive += [] if found is None else [found]
        revised += [] if changed is None else [bool(changed)]
        after += [] if later is None else [later]
    return Rates(
        agent=agent,
        trajectories=len(rows),
        labelled=len(contrastive),
        contrastive=_percent(contrastive),
        believed=len(revised),
        revised=_percent(revised),
        revised_after_contrastive=_percent(after),
        equal_pairs=sum(pairs) / len(pairs) if pairs else None,
        alpha=krippendorff(units),
    )


def _percent(held: Iterable[bool]) -> float | None:
    each = list(held)
    return 100 * sum(each) / len(each) if each else None
