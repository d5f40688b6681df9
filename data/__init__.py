"""Tasks, and everything that is kept."""

import sys

# sqlite-utils brings pandas along where it is installed, for columns of its types: that took a third of the start of every command, and
# nothing of it is stored here.
_hidden = "pandas" not in sys.modules
if _hidden:
    sys.modules["pandas"] = None  # type: ignore[assignment]
try:
    import sqlite_utils  # noqa: F401
finally:
    if _hidden:
        del sys.modules["pandas"]
