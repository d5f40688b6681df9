"""What tests of several rooms share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from data.generators.lab import Lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """The embedded simulator in this process, for generators and checks; one for a file."""
    from sim_bridge.backends.mujoco import create, gl
    from sim_bridge.local import LocalClient

    if not gl.available():
        pytest.skip("the software renderer libOSMesa is not installed")
    client = LocalClient(create())
    yield Lab(client)
    client.close()
