"""Every change is explained: which word, whose gender it shows, by which rule, how surely."""

from __future__ import annotations

from typing import Any

import pytest

from epicene.rewriting import Rewriting, find_rewriter, rewritable_languages
from epicene.rewriting.explain import explain, to_record
from rewriting.person_cases import read_cases


def _rewriting(language: str, row: dict[str, Any]) -> Rewriting:
    options = {"route": "rules"} if language == "en" else {}
    (done,) = find_rewriter(language).open({**options, **row["options"]})([row["text"]])
    return done


CASES = pytest.mark.parametrize(
    ("language", "row"),
    [
        pytest.param(language, row, id=f"{language}: {row['text']}")
        for language in rewritable_languages()
        for row in read_cases(language)["explained"]
    ],
)


@CASES
def test_lines_for_people(language: str, row: dict[str, Any]) -> None:
    assert list(explain(_rewriting(language, row))) == row["explained"]


@CASES
def test_records_for_programs(language: str, row: dict[str, Any]) -> None:
    done = _rewriting(language, row)
    record = to_record(done)
    assert [change["whose"] for change in record["changes"]] == [
        each.whose for each in done.changes
    ]
    assert all(each.whose for each in done.changes)
