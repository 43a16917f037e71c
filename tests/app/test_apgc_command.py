"""The suite apgc from the command line: external answers, runs of all tasks, wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.conftest import Epicene
from suites.apgc.corpus_folder import sentences, write_tokens_folder

TARGETS = ("MM", "FM", "MF", "FF")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    return write_tokens_folder(folder)


def lines(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_rewritings_in_four_blocks(epicene: Epicene, corpus: Path, tmp_path: Path) -> None:
    """All forms as they should be but one, which is left as it was."""
    blocks = [each.targets[target] for target in TARGETS for each in sentences()]
    wrong = [each.text for each in sentences()].index("أنا متعبة اليوم .")
    blocks[wrong] = "أنا متعبة اليوم ."
    answers = lines(tmp_path / "system.inf", blocks)
    done = epicene(
        "score", "apgc", "--data", corpus, "--answers", answers, "--split", "dev",
        "--task", "rewriting", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    metrics = {name: each["value"] for name, each in done.json["metrics"].items()}
    assert (metrics["correct"], metrics["proposed"], metrics["gold"]) == (23, 23, 24)
    assert metrics["P"] == 1
    assert metrics["R"] == pytest.approx(23 / 24)
    assert metrics["F0.5"] == pytest.approx(1.25 * (23 / 24) / (0.25 + 23 / 24))
    assert metrics["accuracy"] == pytest.approx(1 - 1 / 4 / 36)  # one word of four
    assert 90 < metrics["BLEU"] < 100
    assert done.json["tables"]["rewriting"]["MM"]["gold"]["value"] == 6
    # Answers made elsewhere are scored as the published ones were, unless said.
    assert done.json["protocol"] == "paper"


def test_translations_by_group_and_target(epicene: Epicene, corpus: Path, tmp_path: Path) -> None:
    answers = lines(tmp_path / "mt.txt", [each.targets["MM"] for each in sentences()])
    done = epicene(
        "score", "apgc", "--data", corpus, "--answers", answers, "--task", "translation", "--json"
    )
    assert done.code == 0, done.err
    table = done.json["tables"]["5"]
    for group, size in {"ALL": 9, "BB": 1, "ALL-BB": 8, "MB FB": 2, "MM FM MF FF": 4}.items():
        assert table[group]["n"]["value"] == size
        assert table[group]["MM"]["value"] == pytest.approx(100)
        assert table[group]["multi"]["value"] == pytest.approx(100)
    assert table["MB FB"]["MF"]["value"] == pytest.approx(100)
    assert table["MB FB"]["FM"]["value"] < 100
    assert table["BM BF"]["MM"]["value"] == 0  # three words hold no four in a row
    assert done.json["tables"]["words"]["both"]["masculine"]["value"] == 1


def test_rules_do_what_they_can(epicene: Epicene, corpus: Path, tmp_path: Path) -> None:
    """They cannot label words: that is recorded, and everything else is done."""
    done = epicene("run", "apgc", "-m", "rules", "--data", corpus, "--out", "run", "--json")
    assert done.code == 1
    assert "rules failed in identification: " in done.err
    assert "--task rewriting" in done.err
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    counts = {count["stage"]: count for count in manifest["counts"]}
    assert (counts["identification"]["answered"], counts["identification"]["failed"]) == (0, 9)
    assert counts["rewriting"]["answered"] == counts["rewriting"]["total"] == 4 * 9
    assert manifest["sessions"][-1]["state"] == "incomplete"
    assert done.json["metrics"]["gold"]["value"] == 24
    assert set(done.json["tables"]) == {"rewriting", "rewriting by label"}
    assert done.json["runs"][0]["coverage"]["judged"] == 9


def test_all_tasks_in_one_run(epicene: Epicene, corpus: Path, tmp_path: Path) -> None:
    english = lines(tmp_path / "english.txt", [f"Sentence {n}." for n in range(len(sentences()))])
    done = epicene(
        "run", "apgc", "-m", "model=random", "-m", "translator=copy", "--data", corpus,
        "--english", english, "--out", "run", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert set(done.json["tables"]) == {
        "identification by word", "identification by sentence", "rewriting", "rewriting by label",
        "5", "5 as written", "6", "words", "post-editing",
    }  # fmt: skip
    report = epicene("report", "run", "--out", "report.html")
    assert report.code == 0, report.err
    assert "post-editing" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("short.inf", "نعم\n" * 35, "has 35"),
        ("odd.jsonl", '{"id": "dev-99", "target": "MM", "text": "x"}\n', "dev-99"),
        ("target.jsonl", '{"id": "dev-1", "target": "BB", "text": "x"}\n', "'BB'"),
        ("some.jsonl", '{"id": "dev-1", "target": "MM", "text": "x"}\n', "FM and MF and FF"),
    ],
)
def test_answers_that_do_not_fit(
    epicene: Epicene, corpus: Path, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = epicene(
        "score", "apgc", "--data", corpus, "--answers", name, "--task", "rewriting", "--json"
    )
    assert done.code == 2
    assert message in done.err
    assert name in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_several_splits_of_stats_run_and_score(
    epicene: Epicene, corpus: Path, tmp_path: Path
) -> None:
    write_tokens_folder(corpus, "train")
    counted = epicene("data", "stats", "apgc", "--data", corpus, "--split", "all", "--json")
    assert counted.code == 0, counted.err
    assert counted.json["data"] == "corpus (train, dev)"
    row = counted.json["tables"]["3"]["BB"]
    assert (row["balanced"]["value"], row["published balanced"]["value"]) == (2, 36980)
    ran = epicene(
        "run", "apgc", "-m", "copy", "--data", corpus, "--split", "train,dev",
        "--task", "rewriting", "--out", "run", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.json["metrics"]["gold"]["value"] == 2 * 24
    twice = [each.targets[target] for target in TARGETS for each in sentences() + sentences()]
    scored = epicene(
        "score", "apgc", "--data", corpus, "--answers", lines(tmp_path / "system.inf", twice),
        "--split", "all", "--task", "rewriting", "--json",
    )  # fmt: skip
    assert scored.code == 0, scored.err
    assert scored.json["metrics"]["correct"]["value"] == 2 * 24


def test_a_translator_alone(epicene: Epicene) -> None:
    done = epicene(
        "run", "apgc", "-m", "translator=copy", "--task", "translation", "--limit", "9",
        "--out", "run", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert set(done.json["tables"]) == {"5", "5 as written", "6", "words"}


def test_labels_of_the_english_that_come_with_the_data(
    epicene: Epicene, corpus: Path, tmp_path: Path
) -> None:
    """They decide in Table 6, whatever nouns there are."""
    number = len(sentences())
    lines(corpus / "dev.en", ["My brother is here."] * number)
    answers = lines(tmp_path / "mt.txt", [each.text for each in sentences()])
    arguments = ("score", "apgc", "--data", corpus, "--answers", answers, "--task=translation")
    table = epicene(*arguments, "--json").json["tables"]["6"]
    assert [table[gender]["n"]["value"] for gender in "BMF"] == [0, 8, 0]
    lines(corpus / "dev.en.label", ["F"] * 3 + ["B"] * (number - 3))
    table = epicene(*arguments, "--json").json["tables"]["6"]
    assert [table[gender]["n"]["value"] for gender in "BMF"] == [6, 0, 2]
