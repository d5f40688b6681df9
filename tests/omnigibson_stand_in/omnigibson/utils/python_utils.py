from __future__ import annotations

from typing import Any

from .._noted import noted


@noted
class Serializable:
    def _dump_state(self) -> Any:
        raise NotImplementedError

    def dump_state(self, serialized: bool = False) -> Any:
        assert serialized, "the stand-in has the flat form alone"
        return self._dump_state()
