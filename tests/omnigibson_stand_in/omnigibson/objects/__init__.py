from __future__ import annotations

from .dataset_object import DatasetObject
from .primitive_object import PrimitiveObject

__all__ = ["DatasetObject", "PrimitiveObject"]
