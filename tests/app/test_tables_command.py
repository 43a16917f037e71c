"""`epicene tables`: one table of many, every scored text, captions that are true of the data."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from app.conftest import Epicene

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json").read_text("utf-8")
)
PAIRS = "good,bad\nShe sings,She sing\nThey sing,They sings\n"


@pytest.fixture
def pairs(epicene: Epicene) -> str:
    """A run on pairs of one's own."""
    Path("pairs.csv").write_text(PAIRS)
    done = epicene("run", "alternations", "-m", "random", "-d", "pairs.csv", "-o", "run")
    assert done.code == 0, done.err
    return "run"


def test_one_table_by_its_name_in_every_form(epicene: Epicene, pairs: str) -> None:
    text = epicene("tables", pairs, "--table", "phenomena").out
    assert "phenomena: Accuracy by phenomenon" in text
    assert "measures:" not in text
    assert "headlines:" not in text
    shown = epicene("tables", pairs, "--table", "phenomena", "--json").json
    assert set(shown["tables"]) == {"phenomena"}
    jsonschema.validate(shown, SCHEMA)
    rows = list(
        csv.DictReader(io.StringIO(epicene("tables", pairs, "-t", "measures", "--csv").out))
    )
    assert {row["table"] for row in rows} == {"measures"}
    assert epicene("tables", pairs, "-t", "measures", "--markdown").out.count("**measures") == 1
    assert r"\begin{tab" in epicene("tables", pairs, "-t", "measures", "--latex").out
    both = epicene("tables", pairs, "-t", "measures", "-t", "headlines").out
    assert both.index("headlines:") < both.index("measures:")


def test_a_table_that_is_not_there_is_answered_with_those_that_are(
    epicene: Epicene, pairs: str
) -> None:
    done = epicene("tables", pairs, "--table", "phenomenon")
    assert done.code == 2
    assert "no table 'phenomenon'; known: headlines, measures, phenomena." in done.err
    assert done.out == ""


def test_the_tables_can_be_listed(epicene: Epicene, pairs: str) -> None:
    assert "phenomena: Accuracy by phenomenon\n" in epicene("tables", pairs, "--list").out
    assert "measures" in epicene("tables", pairs, "--list", "--json").json["tables"]


@pytest.mark.parametrize(
    "options",
    [
        ["--list", "--csv"],
        ["--list", "--table=phenomena"],
        ["--list", "--json", "--items"],
        ["--csv", "--scores", "--table=phenomena"],
    ],
)
def test_options_that_would_be_ignored_are_refused(
    epicene: Epicene, pairs: str, options: list[str]
) -> None:
    done = epicene("tables", pairs, *options)
    assert done.code == 2
    assert "--list can be combined only with" in done.err or "remove --table" in done.err


def test_both_sentences_of_a_pair_have_their_scores(epicene: Epicene, pairs: str) -> None:
    """Version 520b741 gave the difference alone."""
    shown = epicene("tables", pairs, "--json", "--items", "--scores").json
    jsonschema.validate(shown, SCHEMA)
    margins = {
        each["item"]: each["value"] for each in shown["items"] if each["name"] == "acceptability"
    }
    assert margins
    for item, margin in margins.items():
        good, bad = (each for each in shown["scores"] if each["item"] == item)
        assert (good["candidate"], bad["candidate"]) == ("good", "bad")
        assert (good["right"], bad["right"]) == (True, False)
        assert good["logprob"] - bad["logprob"] == pytest.approx(margin)
        assert sum(good["logprobs"]) == pytest.approx(good["logprob"])
        assert good["tokens"] == len(good["logprobs"])
    assert shown["scores"][0]["text"] == "She sings"


def test_scores_as_csv(epicene: Epicene, pairs: str) -> None:
    shown = epicene("tables", pairs, "--json", "--scores").json["scores"]
    rows = list(csv.DictReader(io.StringIO(epicene("tables", pairs, "--csv", "--scores").out)))
    assert len(rows) == len(shown) == 4
    assert [float(row["logprob"]) for row in rows] == [each["logprob"] for each in shown]
    assert json.loads(rows[0]["logprobs"]) == shown[0]["logprobs"]
    assert [row["right"] for row in rows] == ["true", "false"] * 2
    assert epicene("tables", pairs, "--scores").code == 2


def test_every_pronoun_of_a_text_has_its_score(epicene: Epicene) -> None:
    """Version 520b741 gave nothing here."""
    settings = ("--set", "pronouns=he,she,xe", "--set", "samples=1", "--limit", "3")
    done = epicene("run", "misgendering", "-m", "random", *settings, "-o", "run")
    assert done.code == 0, done.err
    shown = epicene("tables", "run", "--json", "--items", "--scores").json
    chosen = {each["item"]: each for each in shown["items"] if each["name"] == "probability"}
    assert chosen
    for item, judged in chosen.items():
        mine = [
            each
            for each in shown["scores"]
            if each["item"] == item and each["request"] == "probability"
        ]
        assert [each["candidate"] for each in mine] == ["he", "she", "xe"]
        best = max(mine, key=lambda each: float(each["logprob"]))
        assert best["candidate"] == judged["label"]
        assert best["text"] == judged["evidence"]["answer"]
        assert [each["right"] for each in mine].count(True) == 1
    kinds = {each["request"].split()[0] for each in shown["scores"]}
    assert kinds == {"probability", "next", "converted"}


def test_both_forms_of_genform_have_their_scores(epicene: Epicene) -> None:
    settings = ("--set", "formats=probability", "-l", "fr", "--limit", "2")
    epicene("run", "genform", "-m", "random", *settings, "-o", "run")
    shown = epicene("tables", "run", "--json", "--scores").json["scores"]
    assert {each["candidate"] for each in shown} == {"masculine", "feminine"}
    assert sum(each["right"] for each in shown) == len(shown) / 2


def test_a_suite_that_scores_nothing_says_so(epicene: Epicene) -> None:
    models = ("-m", "writer=scripted:w", "-m", "reader=scripted:a")
    assert epicene("run", "two-stage", *models, "-o", "run").code == 0
    done = epicene("tables", "run", "--csv", "--scores")
    assert done.code == 2
    assert "two-stage scores no texts" in done.err


# --- captions that are true of the data --------------------------------------------------------


def test_own_pairs_have_no_faults_of_a_paper_and_no_footnote_without_its_column(
    epicene: Epicene, pairs: str
) -> None:
    text = epicene("tables", pairs, "--markdown").out
    assert "Known faults" not in text
    assert "SLOR" not in text, "these pairs have no language, so there is no SLOR"
    assert epicene("report", pairs, "-o", "report.html").code == 0
    page = Path("report.html").read_text("utf-8")
    assert "Known faults" not in page
    assert "causative" not in page
    epicene("run", "alternations", "-m", "random", "-l", "fr", "--limit", "2", "-o", "starter")
    assert "Known faults" in epicene("tables", "starter", "--markdown").out


def test_a_file_that_says_no_language(epicene: Epicene) -> None:
    """Version 520b741 said that the file has no items at all."""
    Path("pairs.csv").write_text(PAIRS)
    done = epicene("run", "alternations", "-m", "random", "-d", "pairs.csv", "-l", "fr")
    assert done.code == 2
    for part in ("pairs.csv does not say the language", "--column language=NAME", "language=fr"):
        assert part in done.err
    done = epicene(
        "run", "alternations", "-m", "random", "-d", "pairs.csv", "-l", "fr", "--set", "language=fr"
    )
    assert done.code == 0, done.err


def test_a_gap_that_is_not_in_its_sentence_is_refused(epicene: Epicene) -> None:
    """Version 520b741 filled another sentence than it scored."""
    head = "good,bad,prefix,gold,after\n"
    Path("gap.csv").write_text(head + "She sings well,She sing well,She,sang,well\n")
    for command in (("run", "alternations", "-m", "random"), ("data", "check", "alternations")):
        done = epicene(*command, "-d", "gap.csv")
        assert done.code == 2
        assert "gap.csv, line 2, has a gap that does not match" in done.err
    Path("gap.csv").write_text(head + "She sings well,She sing well,She,sings,well\n")
    assert epicene("run", "alternations", "-m", "random", "-d", "gap.csv").code == 0
