"""The owner's page of agreement: how it grew, drawn to scale, and why a number is missing."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from epicene.core.records import Estimate
from epicene.studies.analysis.quality import GrowthPoint, QuestionGrowth
from epicene.studies.analysis.quality_tables import growth_chart
from studies.web.page_visitors import served
from study_examples import misgendering


def growth(*points: tuple[int, float | None, float | None, float | None]) -> QuestionGrowth:
    return QuestionGrowth(
        question="label",
        measure="krippendorff",
        points=tuple(
            GrowthPoint(
                responses=responses,
                at=None,
                agreement=Estimate(value=value, low=low, high=high, why="" if value else "why"),
            )
            for responses, value, low, high in points
        ),
    )


def test_agreement_is_drawn_between_nothing_and_all() -> None:
    chart = growth_chart(growth((10, 0.5, 0.25, 0.75), (20, 1.0, 1.0, 1.0)))
    assert chart is not None
    (zero, one) = chart.levels
    assert [(level.text, level.is_zero) for level in chart.levels] == [("0", True), ("1", False)]
    height = zero.y - one.y
    half, whole = chart.spots
    assert (whole.x, whole.y) == (chart.right, one.y)
    assert half.x == pytest.approx((chart.left + chart.right) / 2, abs=0.1)
    assert half.low is not None
    assert half.high is not None
    drawn = [(zero.y - y) / height for y in (half.y, half.low, half.high)]
    assert drawn == pytest.approx([0.5, 0.25, 0.75], abs=0.01)
    assert chart.answers == 20


@pytest.mark.parametrize(
    ("lowest", "bottom"), [(-0.01, "−0.5"), (-0.5, "−0.5"), (-0.6, "−1"), (-1.2, "−1.5")]
)
def test_agreement_below_chance_is_drawn_below_zero(lowest: float, bottom: str) -> None:
    chart = growth_chart(growth((2, None, None, None), (4, 0.2, lowest, 0.4), (6, 0.1, None, None)))
    assert chart is not None
    assert [level.text for level in chart.levels] == [bottom, "0", "1"]
    low, zero, one = (level.y for level in chart.levels)
    first, second = chart.spots
    assert first.low is not None
    assert zero < first.low <= low
    share = (first.low - one) / (zero - one)
    assert share == pytest.approx(1 - lowest, abs=0.03)
    assert (second.low, second.high) == (None, None)


def test_nothing_defined_is_nothing_drawn() -> None:
    assert growth_chart(growth()) is None
    assert growth_chart(growth((2, None, None, None))) is None


def test_the_page_has_a_scale_intervals_and_reasons(tmp_path: Path) -> None:
    study = misgendering()
    items = tuple(
        msgspec.structs.replace(study.items[0], id=f"g{n}", group=f"g{n}") for n in range(6)
    )
    study = msgspec.structs.replace(study, items=items)
    rows = [
        f"{who},g{n},{label},2026-01-01T00:{n:02}:{second}Z"
        for n in range(6)
        for who, second, label in (
            ("ann", "00", "correct"),
            ("bob", "30", "misgendering" if n % 3 else "correct"),
        )
    ]
    with served(study, tmp_path / "s") as site:
        sheet = tmp_path / "sheet.csv"
        sheet.write_text("participant,item,label,at\n" + "\n".join(rows) + "\n", "utf-8")
        site.folder.import_file(sheet)
        page = site.owner()[0].get("/owner/agreement")
    of_label = page.text[page.text.index('data-question="label"') :].partition("</tr>")[0]
    levels = re.findall(r'text-anchor="end">([^<]+)</text>', of_label)
    assert levels == ["−1", "0", "1", "12 answers"]
    assert 'class="zero"' in of_label
    assert 'class="interval"' in of_label
    dashes = re.findall(r'<span title="([^"]*)">–</span><sup>(\w)</sup>', page.text)
    assert dashes
    assert all(why for why, _ in dashes)
    notes = page.text[page.text.index('id="reasons"') :]
    for why, letter in dashes:
        assert f"<sup>{letter}</sup> {why}" in notes
    assert not re.search(r">–</td>", page.text)
