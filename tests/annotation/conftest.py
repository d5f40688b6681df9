"""What all of annotation's tests have: an empty database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.store import Store
from tests.homes import fresh_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = fresh_store(tmp_path)
    yield store
    store.close()
