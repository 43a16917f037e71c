"""Of an answer that is judged in several ways, one judgement counts as undetected or not."""

from __future__ import annotations

import polars as pl
import pytest

import two_stage
from epicene.core.records import Judgement
from epicene.results.summary import primary_judgements, summarise_external_answers
from epicene.runs.frames import judgement_frame
from runs.frames import INFO


def names_kept(*names: str) -> list[str]:
    frame = judgement_frame(
        [Judgement(item="a", name=name, outcome="right") for name in names], INFO
    )
    return primary_judgements(frame)["name"].to_list()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (("probability (sum)", "probability", "pre 1"), ["probability", "pre 1"]),
        (("cloze", "cloze (by the verb)", "cloze (with what follows)"), ["cloze"]),
        # Two ways and no bare name: neither is the protocol's own.
        (("δ pre (full)", "δ pre (drawn)"), ["δ pre (full)", "δ pre (drawn)"]),
        (("", "probability(x)"), ["", "probability(x)"]),
        # A line feed is part of a name.
        (("pre", "pre (sum)", "pre\n", "pre (sum)\n"), ["pre", "pre\n", "pre (sum)\n"]),
    ],
)
def test_the_bare_name_is_the_answer_s(given: tuple[str, ...], kept: list[str]) -> None:
    assert names_kept(*given) == kept


def test_the_bare_name_is_looked_for_in_the_same_item() -> None:
    judgements = [
        Judgement(item="a", name="probability", outcome="right"),
        Judgement(item="b", name="probability (sum)", outcome="right"),
    ]
    assert len(primary_judgements(judgement_frame(judgements, INFO))) == 2


def test_thousands_of_names_are_looked_up_together(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"word {n}{way}" for n in range(2000) for way in ("", " (sum)")]
    frame = judgement_frame(
        [Judgement(item="a", name=name, outcome="right") for name in names], INFO
    )
    looked = []
    look = pl.DataFrame.filter

    def counted(self: pl.DataFrame, *given: pl.Expr) -> pl.DataFrame:
        looked.append(given)
        return look(self, *given)

    monkeypatch.setattr(pl.DataFrame, "filter", counted)
    assert primary_judgements(frame)["name"].to_list() == names[::2]
    assert len(looked) < 10  # one look per name takes minutes


def test_runs_with_and_without_a_second_way_are_put_together() -> None:
    def one(*names: str) -> pl.DataFrame:
        return judgement_frame(
            [Judgement(item="a", name=name, outcome="right") for name in names], INFO
        )

    frames = [one("probability", "probability (sum)"), one("generation"), one()]
    kept = pl.concat([primary_judgements(frame) for frame in frames], how="diagonal")
    assert kept["name"].to_list() == ["probability", "generation"]


def test_a_summary_counts_so() -> None:
    ways = ("", " (per token)", " (per word)", " (per character)")
    judgements = [
        Judgement(item=f"{n}", name=f"probability{way}", outcome="right")
        for n in range(3)
        for way in ways
    ]
    judgements.append(Judgement(item="0", name="pre 1", outcome="undetected"))
    suite, protocol = two_stage.suite, two_stage.suite.protocols["epicene"]
    summary = summarise_external_answers(suite, protocol, {"m": judgements}, data="d")
    assert summary.undetected == summary.runs[0].undetected
    assert (summary.undetected.n, summary.undetected.value) == (4, 1 / 4)
    assert len(summary.results.frame) == 13
