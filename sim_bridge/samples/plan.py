"""What each sample episode is about: the skill, the scene, the seed of everything else. No simulator here."""

from __future__ import annotations

from dataclasses import dataclass

SKILLS = ("place", "pick", "pour", "open")
ARMS = ("dual", "single")
FPS = {"dual": 5, "single": 5}


@dataclass(frozen=True)
class Plan:
    """One episode before anything is placed."""

    arm: str
    number: int
    """1 …, in the sample."""
    skill: str
    scene: int
    """Which of the arm's scenes it plays in."""
    seed: tuple[int, ...]

    @property
    def task(self) -> int:
        """Number of the task's family, from 1."""
        return list(dict.fromkeys(SKILLS)).index(self.skill) + 1

    @property
    def name(self) -> str:
        return f"{self.arm} {self.number}"


def plans(arm: str, episodes: int, seed: int) -> list[Plan]:
    """The episodes of one arm. The first k of a longer sample are the sample of k."""
    return [Plan(arm, k + 1, SKILLS[k % len(SKILLS)], (k + k // 4) % 4, (seed, ARMS.index(arm), k)) for k in range(episodes)]
