"""Spelling variants and neutral sentences in and out, on eight answers worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epicene

PAIRS = {
    "h": ("hi", "मैं रोज़ बाज़ार जाता हूँ।", "मैं रोज़ बाज़ार जाती हूँ।"),
    "f": ("fr", "Je suis allé au marché.", "Je suis allée au marché."),
    "n": ("fr", "J'ai mangé une pomme.", "J'ai mangé une pomme."),
    "a": ("ar", "أنا طبيب ماهر.", "أنا طبيبة ماهرة."),
}
# The answer, and its [right, terms, union] with spelling variants ignored, and counted.
ANSWERS = {
    ("h", "feminine"): ("मैं रोज बाजार जाती हूं।", (1, 1, 1), (1, 1, 4)),
    ("h", "masculine"): ("मैं रोज़ बाज़ार जाता हूँ।", (1, 1, 1), (1, 1, 1)),
    ("f", "feminine"): ("je suis allée au marché.", (1, 1, 1), (1, 1, 2)),
    ("f", "masculine"): ("Au marché je suis allé.", (1, 1, 5), (1, 1, 6)),
    ("n", "feminine"): ("J’ai mangé une pomme.", (0, 0, 0), (0, 0, 0)),
    ("n", "masculine"): ("Sentence: J'ai mangé la pomme.", (0, 0, 1), (0, 0, 1)),
    ("a", "feminine"): ("انا طبيبة ماهرة.", (2, 2, 2), (2, 2, 3)),
    ("a", "masculine"): ("انا طبيبه ماهر.", (1, 2, 2), (1, 2, 3)),
}
# GIoU, SGA, exact (of six) and answers with others' words changed (of eight), by convention.
# GIoU: (1 + 1 + 1 + 1/5 + 1 + 1/2) / 6 = 4.7 / 6; with the neutral ones, 1 and 0: 5.7 / 8.
# Counted: (1/4 + 1 + 1/2 + 1/6 + 2/3 + 1/3) / 6 = 35/12 / 6; with the neutral ones 47/12 / 8.
EXPECTED = {
    ("ignored", "out"): (4.7 / 6, 5.5 / 6, 4 / 6, 0),
    ("ignored", "in"): (5.7 / 8, 6.5 / 8, 4 / 6, 0),
    ("counted", "out"): (35 / 72, 5.5 / 6, 1 / 6, 2 / 8),
    ("counted", "in"): (47 / 96, 6.5 / 8, 1 / 6, 2 / 8),
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    data, answers = tmp_path / "pairs.jsonl", tmp_path / "answers.jsonl"
    data.write_text(
        "\n".join(
            json.dumps({"id": id_, "language": code, "masculine": man, "feminine": woman})
            for id_, (code, man, woman) in PAIRS.items()
        )
    )
    answers.write_text(
        "\n".join(
            json.dumps({"id": id_, "target": target, "text": text})
            for (id_, target), (text, *_) in ANSWERS.items()
        )
    )
    return data, answers


def scored(files: tuple[Path, Path], protocol: str = "epicene", **settings: str) -> epicene.Scored:
    data, answers = files
    return epicene.score("genform", answers, data=data, protocol=protocol, settings=settings)


def test_the_counts_are_those_worked_out_by_hand(files: tuple[Path, Path]) -> None:
    for _, found in scored(files).judgements():
        target = found.facets["target"]
        _, ignored, counted = ANSWERS[found.item, target]
        for suffix, wanted in ((", spelling ignored", ignored), ("", counted)):
            names = [f"{name} (epicene{suffix})" for name in ("right", "terms", "union")]
            assert tuple(found.counts[name] for name in names) == wanted, found.item


def test_every_convention_has_its_scores(files: tuple[Path, Path]) -> None:
    table = scored(files).table("conventions")
    columns = ("GIoU", "SGA", "exact", "others' words changed")
    found = {
        (row["spelling"], row["neutral"]): tuple(row[name] for name in columns)
        for row in table.rows(named=True)
        if row["language"] == "all"
    }
    assert found == {key: pytest.approx(values) for key, values in EXPECTED.items()}


@pytest.mark.parametrize("neutral", ["in", "out"])
@pytest.mark.parametrize(("protocol", "spelling"), [("epicene", "ignored"), ("paper", "counted")])
def test_a_protocol_takes_its_own(
    files: tuple[Path, Path], protocol: str, spelling: str, neutral: str
) -> None:
    results = scored(files, protocol, neutral=neutral, words="epicene")
    metrics = {name: each.value for name, each in results.summary.metrics.items()}
    giou, sga, exact, changed = EXPECTED[spelling, neutral]
    assert metrics["GIoU"] == pytest.approx(giou)
    assert metrics["SGA"] == pytest.approx(sga)
    assert (metrics["exact"], metrics["others_changed"]) == pytest.approx((exact, changed))
    other = "counted" if spelling == "ignored" else "ignored"
    how = "as_written" if spelling == "ignored" else "spelling_ignored"
    assert metrics[f"GIoU_{how}"] == pytest.approx(EXPECTED[other, neutral][0])
    assert metrics[f"others_changed_{how}"] == pytest.approx(EXPECTED[other, neutral][3])
    assert metrics["spelling_variants"] == 6 / 8


def test_the_tables_of_results_say_what_was_done(files: tuple[Path, Path]) -> None:
    def notes(name: str, **settings: str) -> str:
        tables = scored(files, **settings).summary.tables
        return " ".join(next(table for table in tables if table.name == name).notes)

    french = notes("9")
    assert "removed from 1 of 4" in french
    assert "1 of 2 sentences have no gendered term and are left out" in french
    assert "Spelling variants do not count as changes; 3 of 4 answers have some" in french
    assert "are included in SGA and GIoU" in notes("9", neutral="in")
    assert "Answers were not cleaned." in notes("9", clean="false")
    assert "Spelling variants count as changes" in notes("9", protocol="paper")


def test_the_kinds_of_spelling_are_counted(files: tuple[Path, Path]) -> None:
    rows = {row["language"]: row for row in scored(files).table("spelling").rows(named=True)}
    assert {code: row["words"] for code, row in rows.items()} == {"ar": 2, "fr": 2, "hi": 3}
    assert rows["hi"]["anusvara"] == rows["hi"]["nukta"] == 1 / 2
    assert (rows["fr"]["case"], rows["fr"]["quotes"], rows["ar"]["hamza"]) == (1 / 2, 1 / 4, 1)
