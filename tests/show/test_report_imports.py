"""Nothing heavy is imported before a page or a figure is made."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("altair", "jinja2", "numpy", "polars", "resvg_py", "rich", "vl_convert")


def test_the_report_starts_light() -> None:
    code = (
        "import sys, epicene.show.charts, epicene.show.page, epicene.show.table_formats\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
