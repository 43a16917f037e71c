"""`epicene` on minimal pairs: BLiMP's format as it is, columns, comparison, agreement, studies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from app.conftest import Epicene, refused
from app.test_commands import SCHEMA
from epicene.studies.collection.folder import open_study_folder

NOUNS = ("cat", "teacher", "river", "car", "song", "lamp")


def blimp(uid: str, count: int) -> list[dict[str, Any]]:
    """Pairs of our own with BLiMP's fields."""
    return [
        {
            "sentence_good": f"The {NOUNS[n % 6]}s near house {n} are old.",
            "sentence_bad": f"The {NOUNS[n % 6]}s near house {n} is old.",
            "field": "morphology" if n % 2 else "syntax",
            "linguistics_term": "agreement",
            "UID": uid,
            "simple_LM_method": n % 3 == 0,
            "pairID": str(n),
        }
        for n in range(count)
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def tables(epicene: Epicene, *arguments: str | Path) -> Any:
    done = epicene("tables", *arguments, "--json")
    assert done.code == 0, done.err
    jsonschema.validate(done.json, SCHEMA)
    return done.json["tables"]


def test_blimp_runs_as_it_is(epicene: Epicene, tmp_path: Path) -> None:
    folder = tmp_path / "blimp"
    folder.mkdir()
    for uid in ("near_agreement", "far_agreement"):
        write(folder / f"{uid}.jsonl", blimp(uid, 12))
    done = epicene(
        "run", "alternations", "-m", "ngram", "-d", folder, "--set=language=en", "--out=run"
    )
    assert done.code == 0, done.err
    made = tables(epicene, "run")
    assert set(made["phenomena"]["ngram"]) == {"all", "near_agreement", "far_agreement"}
    assert made["phenomena"]["ngram"]["all"]["pairs"]["value"] == 24
    found = made["columns"]
    assert set(found) == {"field", "linguistics_term", "simple_LM_method"}
    assert found["field"]["ngram"]["syntax"]["pairs"]["value"] == 12
    assert set(found["simple_LM_method"]["ngram"]) == {"true", "false"}
    measures = made["measures"]["ngram"]
    (method,) = measures
    assert set(measures[method]) == {"all", "near_agreement", "far_agreement"}
    assert {"sum", "per token", "per word", "per character"} <= set(measures[method]["all"])
    # There is no gap in these, so no table of gaps.
    assert "cloze" not in made


def test_a_csv_with_columns_of_its_own(epicene: Epicene, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "ok,ko,topic,model\nShe sings,She sing,verb,old\nHe runs,He run,verb,new\n", "utf-8"
    )
    done = epicene("run", "alternations", "-m", "random", "-d", path)
    refused(done, 2, "not in a known layout", "'ok', 'ko', 'topic', 'model'", "--column good=NAME")
    done = epicene(
        "run", "alternations", "-m", "random", "-d", path, "--out=run",
        "--column=good=ok", "--column=bad=ko", "--column=phenomenon=topic",
    )  # fmt: skip
    assert done.code == 0, done.err
    made = tables(epicene, "run")
    assert set(made["phenomena"]["random"]) == {"all", "verb"}
    assert set(made["columns"]["model (of the file)"]["random"]) == {"old", "new"}


def test_phenomena_can_be_chosen(epicene: Epicene, tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.jsonl",
        [*blimp("a", 3), *({**row, "pairID": f"b{n}"} for n, row in enumerate(blimp("b", 4)))],
    )
    done = epicene(
        "run", "alternations", "-m", "random", "-d", path, "--set=phenomena=b", "--out=run"
    )
    assert done.code == 0, done.err
    assert tables(epicene, "run")["phenomena"]["random"]["all"]["pairs"]["value"] == 4
    done = epicene("run", "alternations", "-m", "random", "-d", path, "--set=phenomena=c")
    refused(done, 2, "There is no phenomenon 'c'")


@pytest.fixture
def runs(epicene: Epicene, tmp_path: Path) -> tuple[str, str]:
    """Two guesses at a part of the starter set."""
    for name in ("one", "two"):
        seed = 1 if name == "one" else 2
        done = epicene(
            "run", "alternations", f"--model=random:{seed}", "--limit=16", f"--out={name}"
        )
        assert done.code == 0, done.err
    return "one", "two"


def test_two_models_are_compared_pair_by_pair(epicene: Epicene, runs: tuple[str, str]) -> None:
    done = epicene("compare", *runs, "--json", "--items")
    assert done.code == 0, done.err
    jsonschema.validate(done.json, SCHEMA)
    row = done.json["tables"]["difference"]["acceptability"]
    each = [
        tables(epicene, run)["phenomena"][model]["all"]["accuracy"]["value"]
        for run, model in zip(runs, ("random:1", "random:2"), strict=True)
    ]
    assert row["first: random:1"]["value"] == pytest.approx(each[0])
    assert row["second: random:2"]["value"] == pytest.approx(each[1])
    difference = row["difference"]
    assert difference["value"] == pytest.approx(each[1] - each[0])
    assert difference["low"] < difference["value"] < difference["high"]
    assert 0 < row["p"]["value"] <= 1
    changed = [item for item in done.json["items"] if item["name"] == "acceptability"]
    assert changed


def test_the_two_formats_of_one_run_are_set_against_each_other(
    epicene: Epicene, runs: tuple[str, str]
) -> None:
    done = epicene(
        "compare", runs[0], runs[0], "--agreement", "--names=acceptability,cloze (by the verb)",
        "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert set(done.json["tables"]["agreement"]) == {"acceptability / cloze (by the verb)"}
    same = epicene("compare", *runs, "--agreement", "--json").json["tables"]["agreement"]
    assert {"acceptability", "acceptability (per word, within-word)", "cloze"} <= set(same)
    assert same["acceptability"]["agreement"]["n"] > 16
    unknown = epicene("compare", *runs, "--agreement", "--names=acceptability,clozes")
    refused(unknown, 2, "There is no judgement 'clozes'; did you mean 'cloze'?")


def test_ties_count_half_in_a_comparison(epicene: Epicene, tmp_path: Path) -> None:
    # Words that a model of words has never seen are all alike to it: every pair is a tie.
    rows = [{"good": f"a b x{n}", "bad": f"a b y{n}", "phenomenon": "unseen"} for n in range(6)]
    path = write(tmp_path / "unseen.jsonl", rows)
    text = tmp_path / "corpus.txt"
    text.write_text("a b c d\n" * 5, "utf-8")
    for name, model in (("tied", f"ngram:{text}"), ("random", "random:3")):
        done = epicene("run", "alternations", "-m", model, "-d", path, f"--out={name}")
        assert done.code == 0, done.err
    made = epicene("tables", "tied", "--json").json["metrics"]
    assert (made["ties"]["value"], made["accuracy"]["value"]) == (1, 0.5)
    row = epicene("compare", "random", "tied", "--json").json["tables"]["difference"]
    second = next(cell for name, cell in row["acceptability"].items() if name.startswith("second"))
    assert second["value"] == 0.5


def test_another_seed_builds_another_valid_set(epicene: Epicene) -> None:
    texts = []
    for seed in (3, 4):
        done = epicene("data", "build", "alternations", f"--out=set-{seed}", f"--seed={seed}")
        assert done.code == 0, done.err
        data = Path(f"set-{seed}") / "pairs.jsonl"
        done = epicene("data", "check", "alternations", "-d", data)
        layout = "pairs.jsonl: pairs (it has the columns good and bad).\n"
        assert (done.code, done.err) == (0, f"{layout}224 items, 0 findings.\n")
        texts.append(data.read_text("utf-8"))
    assert texts[0] != texts[1]
    done = epicene("data", "check", "alternations", "--seed=3")
    refused(done, 2, "Unknown option: --seed")


# --- people -----------------------------------------------------------------------------------


def test_a_choice_study_from_data_to_tables_beside_a_run(epicene: Epicene) -> None:
    run = epicene(
        "run", "alternations", "--model=random:1", "--set=formats=acceptability", "--out=run"
    )
    assert run.code == 0, run.err
    drawing = ("--suite=alternations", "--study=choice", "--per-cell=3", "--out=study")
    done = epicene("annotate", "sample", *drawing)
    assert done.code == 0, done.err
    assert done.err.startswith("12 items, 240 judgements needed.")  # 3 verbs in 4 variants, for 20
    study = open_study_folder(Path("study")).study
    sheet = ["participant,item,better"]
    for item in study.items:
        sheet += [f"{person},{item.id},{item.fields['good']}" for person in ("p1", "p2", "p3")]
    Path("sheet.csv").write_text("\n".join(sheet) + "\n", "utf-8")
    assert epicene("annotate", "import", "study", "sheet.csv").code == 0
    shown = epicene("annotate", "tables", "study", "--run=run", "--json")
    assert shown.code == 0, shown.err
    jsonschema.validate(shown.json, SCHEMA)
    models = shown.json["tables"]["models"]
    assert models["people"]["SV"]["value"] == 1
    assert models["random:1"]["all"]["n"] == 12
    # People always chose the good sentence, so choosing as they do is being right.
    assert models["random:1"]["as people"]["value"] == models["random:1"]["all"]["value"]
    assert models["HindBERT"]["No Case(I)"]["value"] == pytest.approx(0.911)
    Path("mine.csv").write_text("good,bad\na b,a c\n", "utf-8")
    other = epicene("run", "alternations", "--model=random", "-d", "mine.csv", "--out=mine")
    assert other.code == 0, other.err
    refused(
        epicene("annotate", "tables", "study", "--run=mine"), 2, "scored none of the study's pairs"
    )
    other = epicene("run", "misgendering", "--model=random", "--limit=1", "--out=other")
    assert other.code == 0, other.err
    refused(
        epicene("annotate", "tables", "study", "--run=other"),
        2,
        "other is a run of misgendering, but the study belongs to alternations.",
    )


def test_an_ngram_model_of_one_language_fills_gaps_with_its_words(epicene: Epicene) -> None:
    done = epicene("run", "alternations", "-m", "ngram", "-l", "hi", "--limit=8", "--out=run")
    assert done.code == 0, done.err
    items = epicene("tables", "run", "--json", "--items").json["items"]
    filled = [each["evidence"]["completions"] for each in items if each["name"] == "cloze"]
    assert filled
    letters = {letter for text in filled for letter in text if letter.isalpha()}
    assert letters
    assert all("\u0900" <= letter <= "\u097f" for letter in letters)
