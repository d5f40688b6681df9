"""The report's figures as SVG and PNG, drawn by a browser of this machine without a window."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import tempfile
from html import unescape
from pathlib import Path
from urllib.parse import unquote_to_bytes

BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge")
"""Programs that are looked for, the first that is there is used."""
PATIENCE_S = 180
BUDGET_MS = 120_000
"""Of the page's own clock, which runs as fast as it can while nothing is under way."""
HOW = "Open report.html in any browser: the two buttons below each figure save it as PNG and as SVG."
_FOUND = re.compile(r'<pre id="pictures">(.*?)</pre>', re.DOTALL)


def browser() -> str | None:
    """A browser of this machine that can draw without a window; None: none is found."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def save_pictures(report: Path, into: Path, program: str | None) -> tuple[int, str]:
    """Draw every figure of a report into files.

    Args:
        report: the page.
        into: the folder, which is there.
        program: the browser; None: there is none.

    Returns:
        How many files were made, and why there are none or how to make them: empty where all is well.
    """
    if program is None:
        return 0, f"No picture was made, since no browser is installed here (looked for: {', '.join(BROWSERS[:3])}, …). {HOW}"
    with tempfile.TemporaryDirectory(prefix="vantage-report-") as profile:
        command = [program, "--headless", "--disable-gpu", f"--user-data-dir={profile}", f"--virtual-time-budget={BUDGET_MS}", "--dump-dom"]
        # a browser's sandbox cannot be made by root; the page is this program's own
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        try:
            done = subprocess.run(
                [*command, f"{report.absolute().as_uri()}#pictures"], capture_output=True, timeout=PATIENCE_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return (
                0,
                f"No picture was made: the browser {Path(program).name} did not start, or drew for more than {PATIENCE_S} seconds. {HOW}",
            )
    found = _FOUND.search(done.stdout.decode("utf-8", "replace"))
    if found is None:
        return 0, f"No picture was made: the browser {Path(program).name} drew none. {HOW}"
    made = 0
    for line in unescape(found[1]).splitlines():
        name, form, address = line.split(" ", 2)
        (into / f"{name}.{form}").write_bytes(_bytes(address))
        made += 1
    return made, ""


def _bytes(address: str) -> bytes:
    """What a data address holds."""
    kind, _, text = address.partition(",")
    return base64.b64decode(text) if kind.endswith(";base64") else unquote_to_bytes(text)
