"""What comes out of the stand-in where OmniGibson gives a tensor: an array that has to be fetched, so that nobody takes it for one."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tensor:
    def __init__(self, values: Any, dtype: Any = np.float32) -> None:
        self.values = np.array(values, dtype=dtype)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self.values

    def new_tensor(self, values: Any) -> Tensor:
        return Tensor(values, self.values.dtype)

    def __getitem__(self, key: Any) -> Tensor:
        return Tensor(self.values[key], self.values.dtype)

    def __len__(self) -> int:
        return len(self.values)


def array(values: Any) -> np.ndarray:
    return np.array(values.values if isinstance(values, Tensor) else values, dtype=np.float64)


def tensor_only(values: Any) -> np.ndarray:
    """Where OmniGibson takes nothing but a tensor."""
    assert isinstance(values, Tensor), f"a tensor is needed, got {type(values).__name__}"
    return array(values)
