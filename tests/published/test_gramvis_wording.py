"""The paper's templates and question, found in its text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epicene

pytestmark = pytest.mark.published(
    "gramvis/templates_appendix.json, and the paper as papers/gramvis.txt beside the folder",
    "Appendix A.6 of the GRAMVIS paper",
)


def test_the_templates_of_the_appendix_are_found(published_data: Path, tmp_path: Path) -> None:
    paper = published_data.parent / "papers/gramvis.txt"
    if not paper.is_file():
        pytest.skip(f"needs the text of the paper as {paper}")
    epicene.extract_wording("gramvis", paper, out=tmp_path)
    found, known = (
        json.loads((folder / "gramvis/templates_appendix.json").read_bytes())
        for folder in (tmp_path, published_data)
    )
    assert found == known
    question = json.loads((tmp_path / "gramvis/question.json").read_bytes())["question"]
    assert question.casefold().endswith("male/female/neither")
