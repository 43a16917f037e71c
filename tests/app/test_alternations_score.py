"""`epicene score alternations`: the kind of answers decides which stage they belong to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.conftest import Epicene, refused
from epicene import open_model, run
from epicene.core.records import Fill

PREFIX = "राजा ने सेवक से रस्सी से लकड़ी"
PAIRS = [
    {
        "id": f"sv-{n}",
        "language": "hi",
        "phenomenon": "SV",
        "good": f"{PREFIX} {gold} थी",
        "bad": f"{PREFIX} {bad} थी",
        "prefix": PREFIX,
        "gold": gold,
        "after": "थी",
    }
    for n, (gold, bad) in enumerate((("कटवाई", "कटी"), ("बनवाई", "बनी"), ("उठवाई", "उठी")))
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write(tmp_path / "pairs.jsonl", PAIRS)


SETTINGS = (
    (),
    ("--set=formats=cloze",),
    ("--set=formats=prompt",),
    ("--set=formats=acceptability",),
    ("-p", "paper"),
)


@pytest.mark.parametrize("settings", SETTINGS)
def test_scores_of_the_two_sentences(
    epicene: Epicene, pairs: Path, tmp_path: Path, settings: tuple[str, ...]
) -> None:
    given = [{"id": f"sv-{n}", "good": good, "bad": -2} for n, good in enumerate((-1.5, -2, "-3"))]
    answers = write(tmp_path / "mine.jsonl", given)
    done = epicene("score", "alternations", "-d", pairs, "-a", answers, "--json", *settings)
    assert done.code == 0, done.err
    half = 0.0 if "paper" in settings else 0.5
    assert done.json["metrics"]["accuracy"]["value"] == pytest.approx((1 + half) / 3)
    assert done.json["tables"]["measures"]["mine"]["as given"]["SV"].keys() == {"as given"}
    margin = done.json["tables"]["phenomena"]["mine"]["SV"]["margin"]["value"]
    assert margin == pytest.approx((0.5 + 0 - 1) / 3)


@pytest.mark.parametrize("settings", SETTINGS)
def test_completions(
    epicene: Epicene, pairs: Path, tmp_path: Path, settings: tuple[str, ...]
) -> None:
    given: list[dict[str, Any]] = [
        {"id": "sv-0", "completions": ["कटवाई", "काटी"]},
        {"id": "sv-1", "completion": "खरीदी"},
        {"id": "sv-2", "completions": ["घर", "उठवाई"]},
    ]
    answers = write(tmp_path / "mine.jsonl", given)
    done = epicene("score", "alternations", "-d", pairs, "-a", answers, "--json", *settings)
    assert done.code == 0, done.err
    found = done.json["tables"]["cloze"]["cloze"]["mine"]["by the verb"]["SV"]
    assert found["indirect causative"]["value"] == pytest.approx(1 / 3)
    assert found["gold among"]["value"] == pytest.approx(2 / 3)
    assert "accuracy" not in done.json["metrics"]


def test_words_of_a_chat_model_under_any_formats(
    epicene: Epicene, pairs: Path, tmp_path: Path
) -> None:
    answers = write(tmp_path / "mine.jsonl", [{"id": "sv-0", "text": "कटवाई"}])
    for settings in ((), ("--set=formats=prompt",), ("--set=formats=cloze",)):
        done = epicene("score", "alternations", "-d", pairs, "-a", answers, "--json", *settings)
        assert done.code == 0, done.err
        assert done.json["tables"]["cloze"]["prompt"]["mine"]["prompt"]["SV"]["gaps"]["value"] == 1


def test_completions_become_runs_and_a_study(epicene: Epicene, pairs: Path, tmp_path: Path) -> None:
    """As docs/suites/alternations.md says: existing completions of two models, unchanged."""

    def made(label: str, completions: list[str]) -> None:
        given = {f"sv-{n}": [text] for n, text in enumerate(completions)}

        def fill(_gaps: list[tuple[str, str]], requests: list[Fill]) -> list[dict[str, float]]:
            return [{text: -rank for rank, text in enumerate(given[r.item])} for r in requests]

        model = open_model(fill=fill, label=label, version=label)
        run("alternations", model, data=pairs, settings={"formats": "cloze"}, out=tmp_path / label)

    made("a", ["खरीदी", "निकाली", "उठवाई"])
    made("b", ["कटवाई", "बेची", "काटी"])
    study = ("--study", "cloze-choice", "-o", "study")
    done = epicene("annotate", "sample", tmp_path / "a", tmp_path / "b", *study)
    assert done.code == 0, done.err
    assert "1 item," in done.err, "where neither model wrote the expected verb"
    done = epicene("tables", tmp_path / "a", tmp_path / "b", "--table=3", "--json")
    assert done.json["tables"]["3"][f"{PREFIX} … थी"]["कटवाई"] == {
        "a": {"value": "खरीदी (transitive)"},
        "b": {"value": "कटवाई (indirect causative)"},
    }


def test_choices(epicene: Epicene, pairs: Path, tmp_path: Path) -> None:
    given: list[dict[str, Any]] = [
        {"id": "sv-0", "choice": "good"},
        {"id": "sv-1", "choice": PAIRS[1]["bad"]},
        {"id": "sv-2", "choice": None},
    ]
    answers = write(tmp_path / "mine.jsonl", given)
    done = epicene("score", "alternations", "-d", pairs, "-a", answers, "--json")
    assert done.code == 0, done.err
    assert done.json["metrics"]["accuracy"]["value"] == pytest.approx(1 / 3)
    ties = done.json["metrics"]["ties"]  # no choice is not a tie, which would count half
    assert (ties["value"], ties["why"]) == (None, "choices were given, not scores")
    assert "pairs" in done.json["tables"]["phenomena"]["mine"]["SV"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"choice": "the first"}, "line 1, the choice 'the first' of the pair 'sv-0' must be"),
        ({"good": "high", "bad": 1}, "line 1, the score 'high' of the pair 'sv-0' is not a number"),
        ({"good": -1.5}, "has only one of the two scores `good` and `bad`"),
        ({"text": None}, "no `text`, `texts`, `completion`, `completions`"),
        ({"completion": None}, "no `text`, `texts`, `completion`, `completions`"),
        ({"good": float("nan"), "bad": 1}, "not finite"),
        ({"verb": "कटवाई"}, "no `text`, `texts`, `completion`, `completions`"),
        ({"name": "close", "text": "a"}, "did you mean 'cloze'"),
        ({"name": "cloze", "text": "a"}, r"has texts, which do not answer any request"),
    ],
)
def test_what_is_refused(
    epicene: Epicene, pairs: Path, tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    answers = write(tmp_path / "mine.jsonl", [{"id": "sv-0", **row}])
    done = epicene("score", "alternations", "-d", pairs, "-a", answers)
    refused(done, 2, message)


def test_an_unknown_id_is_set_beside_a_known_one(epicene: Epicene, tmp_path: Path) -> None:
    """The starter set is several files, so its ids begin with the file's name."""
    answers = write(tmp_path / "mine.jsonl", [{"id": "sv-kat", "good": -1, "bad": -2}])
    done = epicene("score", "alternations", "-a", answers)
    refused(done, 2, "'sv-kat', which is not in the data; an id there is 'hindi-sv-kat'")


def test_a_file_without_rows_names_the_page_with_the_layout(
    epicene: Epicene, pairs: Path, tmp_path: Path
) -> None:
    answers = write(tmp_path / "mine.jsonl", [])
    done = epicene("score", "alternations", "-d", pairs, "-a", answers)
    refused(
        done,
        2,
        "No item has answers to all of its requests",
        "mine.jsonl",
        "the page of alternations",
    )


def test_nothing_judged_is_an_error(epicene: Epicene, pairs: Path, tmp_path: Path) -> None:
    """A pair without a gap is not asked in this format, so that there is no result."""
    bare = write(tmp_path / "bare.jsonl", [{"id": "a", "good": "x y", "bad": "x z"}])
    done = epicene(
        "run", "alternations", "-d", bare, "-m", "random", "--set=formats=cloze", "--out=run"
    )
    assert (done.code, "There are no results" in done.err) == (1, True)
    for form in ((), ("--json",), ("--csv",), ("--markdown",)):
        refused(epicene("tables", "run", *form), 1, "There are no results")
