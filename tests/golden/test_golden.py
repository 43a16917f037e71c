"""No number of any suite changes unless `changes.md` says why."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from golden.recording import CASES, SCORES, Case, Numbers, ScoreCase, differences, recorded


@cache
def then() -> dict[str, Numbers]:
    return recorded()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_run_gives_the_recorded_numbers(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EPICENE_PUBLISHED_DATA", raising=False)  # with the papers' own prompts
    assert differences(case.numbers(tmp_path / "run"), then()[case.name]) == []


@pytest.mark.published("published outputs", "the repositories on the cards of the suites")
@pytest.mark.filterwarnings("ignore:.*left out, a copy of")
@pytest.mark.parametrize("case", SCORES, ids=lambda case: case.name)
def test_published_outputs_give_the_recorded_numbers(case: ScoreCase, published_data: Path) -> None:
    assert differences(case.numbers(published_data), then()[case.name]) == []
