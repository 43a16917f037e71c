"""Several splits of the published corpus at once, beside the figures that the paper prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from epicene.core.records import Estimate
from epicene.suites import DataSource
from epicene.suites.apgc.data import read
from epicene.suites.apgc.protocol import PROTOCOLS
from epicene.suites.apgc.statistics import statistics

pytestmark = pytest.mark.published(
    "the Arabic Parallel Gender Corpus 2.1 in apgc/", "the repository on the card of the suite apgc"
)


def test_train_and_dev_together(published_data: Path) -> None:
    """Their counts add up, and no share is half a point from that of the whole corpus."""
    protocol = replace(PROTOCOLS["paper"], split="train,dev")
    items = list(read(DataSource(path=published_data / "apgc/v2.1"), protocol).items)
    made = {table.name: table for table in statistics(items, protocol)}
    originals = [row.cells[0] for row in made["3"].rows]
    assert [each.value for each in originals if isinstance(each, Estimate)] == [
        29616, 912, 1544, 4131, 9722, 55, 111, 97, 241, 46429,
    ]  # fmt: skip
    for name in ("3", "4"):
        columns = [column.name for column in made[name].columns]
        for row in made[name].rows:
            cells = dict(zip(columns, row.cells, strict=True))
            for corpus in ("original", "balanced"):
                ours, theirs = cells[f"share of {corpus}"], cells[f"share of published {corpus}"]
                assert isinstance(ours, Estimate)
                assert isinstance(theirs, Estimate)
                assert ours.value == pytest.approx(theirs.value, abs=0.005)
