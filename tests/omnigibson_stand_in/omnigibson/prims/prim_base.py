from __future__ import annotations

from .._noted import noted


@noted
class BasePrim:
    def __init__(self, name: str) -> None:
        self._name, self.shown = name, True

    @property
    def name(self) -> str:
        return self._name

    @property
    def visible(self) -> bool:
        return self.shown

    @visible.setter
    def visible(self, visible: bool) -> None:
        self.shown = visible
