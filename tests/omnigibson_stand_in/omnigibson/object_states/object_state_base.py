from __future__ import annotations

from typing import Any

from .._noted import noted


@noted
class BaseObjectState:
    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def get_value(self, *args: Any, **kwargs: Any) -> Any:
        return self._get_value(*args, **kwargs)  # type: ignore[attr-defined]

    def set_value(self, *args: Any, **kwargs: Any) -> Any:
        return self._set_value(*args, **kwargs)  # type: ignore[attr-defined]
