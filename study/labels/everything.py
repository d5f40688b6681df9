"""All that coders said of one trajectory, in one form: for exports."""

from __future__ import annotations

import msgspec

from data.store import Store


class Label(msgspec.Struct, frozen=True):
    """One thing that one coder said, as it stands."""

    episode_id: str
    coder: str
    kind: str
    """``strategy``, ``view`` or ``failure``."""
    seq: int | None
    """Step of the view; None: the trajectory as a whole."""
    label: str
    belief: str
    note: str
    at: str


def labels_of(store: Store, episode_id: str) -> list[Label]:
    """What stands of a trajectory, by kind, coder and step."""
    return store.rows(
        "SELECT m.episode_id, m.coder, 'strategy' AS kind, NULL AS seq, g.name AS label, '' AS belief, g.about AS note, m.at "
        "FROM strategy_members m JOIN strategies g USING (strategy_id) WHERE m.episode_id = :episode "
        "UNION ALL SELECT episode_id, coder, 'view', seq, label, belief, '', at FROM view_labels WHERE episode_id = :episode "
        "UNION ALL SELECT episode_id, coder, 'failure', NULL, code, '', note, at FROM failure_labels WHERE episode_id = :episode "
        "ORDER BY 3, 2, 4, 5",
        Label,
        {"episode": episode_id},
    )
