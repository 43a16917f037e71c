"""RUFF in full, from tables of its shape that were written here."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.suites import Dataset, choose_protocol
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.items import PUBLISHED_SETS
from epicene.suites.misgendering.protocol import MisgenderingProtocol
from epicene.suites.misgendering.sources.ruff import distractor_files, distractor_instances
from runs.conftest import Silent
from suites.misgendering import ruff_tables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """180 tasks and 30 contexts."""
    root = tmp_path_factory.mktemp("full")
    ruff_tables.write_tables(root)
    return root


def test_the_counts_are_the_published_ones(folder: Path) -> None:
    counts = Counter(
        each.distractors for each in distractor_instances(distractor_files(folder), (0, 1, 2))
    )
    assert counts == {0: 7200, 1: 86_400, 2: 345_600}
    # One task after one introduction has all the rest: a 7,200th of the published totals.
    one = list(
        islice(
            (
                each.distractors
                for each in distractor_instances(distractor_files(folder), (3, 4, 5))
            ),
            720,
        )
    )
    assert Counter(one) == {3: 144, 4: 288, 5: 288}
    assert (144 * 7200, 288 * 7200) == (1_036_800, 2_073_600)


def test_memory_is_bounded_while_they_stream(folder: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in islice(distractor_instances(distractor_files(folder), (5,)), 200_000):
        pass
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024


def test_two_people_have_two_pronouns_and_two_moods(folder: Path) -> None:
    for each in islice(distractor_instances(distractor_files(folder), (3,)), 0, 20_000, 97):
        sentences = each.before.split(". ")
        assert len(sentences) == 5  # introduction, three distractors, the task
        assert each.occupation in sentences[0]
        assert "guest" in sentences[1]
        forms = {each.gold.form}
        others = {candidate.form for candidate in each.candidates} - forms
        assert forms & set(sentences[0].replace(".", "").split())
        for sentence in sentences[1:4]:
            assert others & set(sentence.replace(".", "").split()), sentence
    assert (
        len(
            {
                each.id
                for each in islice(distractor_instances(distractor_files(folder), (1, 2)), 5000)
            }
        )
        == 5000
    )


def test_only_without_distractors_can_a_first_pronoun_be_judged(folder: Path) -> None:
    alone = next(distractor_instances(distractor_files(folder), (0,)))
    assert alone.sets == PUBLISHED_SETS["ruff"]
    assert not next(distractor_instances(distractor_files(folder), (1,))).sets


def test_only_zero_to_five(folder: Path) -> None:
    with pytest.raises(InputError, match="0 to 5 distractors"):
        next(distractor_instances(distractor_files(folder), (6,)))


def test_a_task_without_contexts_is_refused(tmp_path: Path) -> None:
    ruff_tables.write_tables(tmp_path)
    contexts = tmp_path / "ruff" / "context.tsv"
    lines = contexts.read_text("utf-8").splitlines(keepends=True)
    contexts.write_text("".join(line for line in lines if not line.startswith("$POSS")), "utf-8")
    with pytest.raises(InputError, match=r"task.tsv, line 4, .*\$POSS_PRONOUN.* no context"):
        list(distractor_instances(distractor_files(tmp_path), (0,)))


def test_a_context_with_an_unknown_pronoun_type_is_refused(tmp_path: Path) -> None:
    ruff_tables.write_tables(tmp_path)
    contexts = tmp_path / "ruff" / "context.tsv"
    contexts.write_text(contexts.read_text("utf-8") + "$POS\tpositive\ta.\tb.\n", "utf-8")
    with pytest.raises(InputError, match=r"context.tsv, line 32, .*'\$POS'.* must be one of"):
        next(distractor_instances(distractor_files(tmp_path), (0,)))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="wants Linux's own figure")
def test_planning_a_run_holds_no_items(folder: Path, tmp_path: Path) -> None:
    """What a run does before it asks: twelve times the items, stored and walked, in no more memory.

    benchmarks/ruff_distractors.py does the same with all 5.6 million.
    """
    counts, peaks = [], []
    for number in ("0", "1"):
        where = tmp_path / number
        where.mkdir()
        (where / "data").symlink_to(folder)
        program = [sys.executable, "-m", "suites.misgendering.ruff_tables", "plan", number]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        printed = subprocess.run(
            program, cwd=where, env=environment, capture_output=True, text=True, check=True
        )
        count, peak = map(int, printed.stdout.split())
        counts.append(count)
        peaks.append(peak)
    assert counts == [5 * 7200, 86_400]  # without distractors texts and next words are asked too
    assert (where / "planned" / "answers.sqlite").stat().st_size > 40 * 2**20
    assert peaks[1] - peaks[0] < 12 * 1024


def test_a_run_gives_the_curve(folder: Path, tmp_path: Path) -> None:
    settings = {"distractors": "0,1,2,3,4,5", "datasets": "ruff"}
    protocol = choose_protocol(suite, "epicene", settings, None)
    assert isinstance(protocol, MisgenderingProtocol)
    # Some of each number, so that the test does not read all 5.6 million.
    some = [
        each
        for number in protocol.distractors
        for each in islice(
            distractor_instances(distractor_files(folder), (number,)),
            0,
            36_000,
            600 if number else 120,
        )
    ]
    few = replace(
        suite, read=lambda _source, _protocol: Dataset("ruff", distractor_files(folder), some)
    )
    order = RunConfig(
        suite=few,
        protocol=protocol,
        models={"model": [parse_spec("random")]},
        under=tmp_path,
    )
    where, manifest = run(order, Silent())
    assert manifest.state == "complete"
    summary = summarise([read_run(where)])
    table = next(table for table in summary.tables if table.name == "distractors")
    assert [column.name for column in table.columns] == ["0", "1", "2", "3", "4", "5"]
    for cell in table.rows[0].cells:
        assert isinstance(cell, Estimate)
        assert cell.n == 60
        assert cell.low is not None
    curve = next(figure for figure in summary.figures if figure.name == "distractors")
    points = [row["x"] for row in curve.spec["data"]["values"]]
    assert points == [0, 1, 2, 3, 4, 5]
