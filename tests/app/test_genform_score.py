"""`epicene score genform` and `epicene data genform`, from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

from app.conftest import Epicene
from app.test_commands import SCHEMA

PAIRS = [
    {
        "id": "market",
        "language": "fr",
        "rule": "Active",
        "english": "I went to the market.",
        "masculine": "Je suis allé au marché.",
        "feminine": "Je suis allée au marché.",
    },
    {
        "id": "singer",
        "language": "fr",
        "rule": "Occupations",
        "english": "I am a great French singer.",
        "masculine": "Je suis un grand chanteur français.",
        "feminine": "Je suis une grande chanteuse française.",
    },
    {
        "id": "apple",
        "language": "fr",
        "rule": "Gender Neutral Actions",
        "english": "I ate an apple.",
        "masculine": "J'ai mangé une pomme.",
        "feminine": "J'ai mangé une pomme.",
    },
]
# Right, terms and union: 0/1/1 (copied), 1/1/1, 3/4/4, 4/4/5; one of two neutral ones left alone.
ANSWERS = [
    ("market", "feminine", "Je suis allé au marché."),
    ("market", "masculine", "« Je suis allé au marché. »"),
    ("singer", "feminine", "Je suis une grande chanteur française."),
    ("singer", "masculine", "Je suis un très grand chanteur français."),
    ("apple", "feminine", "J'ai mangé une pomme."),
    ("apple", "masculine", "J'ai mangée une pomme."),
]
# By hand: SGA (0 + 1 + ¾ + 1) / 4, GIoU (0 + 1 + ¾ + ⅘) / 4, CGA (0 + 1 + 3 + 4) / (1 + 1 + 4 + 4).
METRICS = {
    "SGA": 0.6875,
    "SGA_masculine": 1.0,
    "SGA_feminine": 0.375,
    "GIoU": 0.6375,
    "GIoU_masculine": 0.9,
    "GIoU_feminine": 0.375,
    "CGA": 0.8,
    "CGA_masculine": 1.0,
    "CGA_feminine": 0.6,
    "delta_SGA": 0.625,
    "interference": 0.05,
    "others_changed": 1 / 6,  # mangée
    "left_alone": 0.5,
    "exact": 0.25,
    "cleaned": 1 / 6,
}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def answers(path: Path, given: list[tuple[str, str, str]]) -> Path:
    return write(path, [{"id": i, "target": t, "text": x} for i, t, x in given])


@pytest.mark.parametrize("protocol", ["paper", "epicene", "english"])
def test_the_metrics_are_those_worked_out_by_hand(epicene: Epicene, protocol: str) -> None:
    data, given = write(Path("pairs.jsonl"), PAIRS), answers(Path("given.jsonl"), ANSWERS)
    done = epicene("score", "genform", "-d", data, "-a", given, "-p", protocol, "--json")
    assert done.code == 0
    jsonschema.validate(done.json, SCHEMA)
    found = done.json["metrics"]
    # No word is spelt differently, so that both ways of counting it give the same.
    other = "spelling_ignored" if protocol == "paper" else "as_written"
    same = {f"{name}_{other}": METRICS[name] for name in ("GIoU", "others_changed")}
    expected = {**METRICS, "spelling_variants": 0.0, **same}
    assert {name: found[name]["value"] for name in found} == pytest.approx(expected)
    for name, metric in found.items():
        assert metric["low"] <= metric["value"] <= metric["high"], name
    assert done.json["undetected"]["value"] == 0
    table = done.json["tables"]["9"]
    assert table["given"]["CGA"]["value"] == pytest.approx(0.8)
    assert table["LLAMA-3.3-70B"]["CGA"] == pytest.approx(
        {"value": 0.7608, "low": None, "high": None, "n": 0, "origin": "published"}
    )
    by_terms = done.json["tables"]["terms"]["given"]["fr"]
    assert by_terms["4"]["SGA"]["value"] == pytest.approx(0.875)
    assert by_terms["0"]["left alone"]["value"] == 0.5
    rules = done.json["tables"]["rules"]["given"]["fr"]
    assert rules["Occupations"]["GIoU"]["value"] == pytest.approx(0.775)
    assert "8" not in done.json["tables"]


@pytest.mark.parametrize(
    ("kept", "said", "answered", "judged"),
    [
        (ANSWERS, [], 6, 3),
        (ANSWERS[:4], ["1 items have no answer in given.jsonl and are left out."], 4, 2),
        (
            ANSWERS[::2],
            ["3 of the 3 answered items have no answer for 'generation masculine'."],
            3,
            3,
        ),
        (
            ANSWERS[:3],
            [
                "1 items have no answer in given.jsonl and are left out.",
                "1 of the 2 answered items have no answer for 'generation masculine'.",
            ],
            3,
            2,
        ),
    ],
)
def test_what_has_no_answer_is_said(
    epicene: Epicene, kept: list[tuple[str, str, str]], said: list[str], answered: int, judged: int
) -> None:
    data, given = write(Path("pairs.jsonl"), PAIRS), answers(Path("given.jsonl"), kept)
    done = epicene("score", "genform", "-d", data, "-a", given, "--json")
    assert done.code == 0
    assert done.err.splitlines() == said
    jsonschema.validate(done.json, SCHEMA)
    (run,) = done.json["runs"]
    assert run["coverage"] == {
        "items": 3,
        "judged": judged,
        "requests": 6,
        "answered": answered,
        "failed": 0,
        "not_begun": 0,
        "damaged": 0,
    }


def test_items_carry_their_scores_by_both_words(epicene: Epicene) -> None:
    data, given = write(Path("pairs.jsonl"), PAIRS), answers(Path("given.jsonl"), ANSWERS)
    done = epicene("score", "genform", "-d", data, "-a", given, "--json", "--items")
    last = next(i for i in done.json["items"] if i["name"] == "generation masculine")
    assert last["scores"]["epicene"] == {
        "right": 1,
        "terms": 1,
        "union": 1,
        "SGA": 1.0,
        "GIoU": 1.0,
    }
    assert last["evidence"]["answer as it came"] == "« Je suis allé au marché. »"


def test_foreign_columns_csv_and_parquet_give_the_same(epicene: Epicene) -> None:
    renamed = [
        {"nr": p["id"], "m": p["masculine"], "f": p["feminine"], "rule": p["rule"]} for p in PAIRS
    ]
    frame = pl.DataFrame(renamed)
    frame.write_csv("pairs.csv")
    frame.write_parquet("pairs.parquet")
    given = answers(Path("given.jsonl"), ANSWERS)
    for name in ("pairs.csv", "pairs.parquet"):
        done = epicene(
            "score", "genform", "-d", name, "-a", given, "--json", "--set", "language=fr",
            "--column", "id=nr", "--column", "masculine=m", "--column", "feminine=f",
        )  # fmt: skip
        assert done.code == 0, done.err
        assert done.json["metrics"]["SGA"]["value"] == pytest.approx(0.6875)


def test_a_file_without_ids_is_numbered_and_a_language_may_have_its_name(epicene: Epicene) -> None:
    rows = [{**pair, "language": "French"} for pair in PAIRS]
    for row in rows:
        del row["id"]
    data = write(Path("pairs.jsonl"), rows)
    given = answers(Path("given.jsonl"), [("pairs-1", "feminine", "Je suis allée au marché.")])
    done = epicene("score", "genform", "-d", data, "-a", given, "--json")
    assert done.json["metrics"]["SGA"]["value"] == 1
    assert "delta_SGA" in done.json["metrics"]
    assert done.json["metrics"]["delta_SGA"]["value"] is None
    assert "2 items have no answer" in done.err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "nobody", "target": "feminine", "text": ""}, "'nobody'"),
        ({"id": "market", "target": "female", "text": ""}, "did you mean 'feminine'"),
        ({"id": "market", "target": "feminine"}, "lacks the field 'text'"),
        ({"id": "market", "target": "feminine", "text": None}, "not a string"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    epicene: Epicene, row: dict[str, Any], said: str
) -> None:
    data, given = write(Path("pairs.jsonl"), PAIRS), write(Path("given.jsonl"), [row])
    done = epicene("score", "genform", "-d", data, "-a", given)
    assert done.code == 2
    assert said in done.err
    assert "given.jsonl, line 1" in done.err


def test_the_same_answer_twice_is_refused(epicene: Epicene) -> None:
    data = write(Path("pairs.jsonl"), PAIRS)
    given = answers(Path("given.jsonl"), [("market", "feminine", "a"), ("market", "feminine", "b")])
    done = epicene("score", "genform", "-d", data, "-a", given)
    assert done.code == 2
    assert "a second time" in done.err


def test_only_neutral_sentences_have_no_scores_but_are_left_alone(epicene: Epicene) -> None:
    data = write(Path("pairs.jsonl"), PAIRS[2:])
    done = epicene(
        "score", "genform", "-d", data, "-a", answers(Path("given.jsonl"), ANSWERS[4:]), "--json"
    )
    assert done.code == 0, done.err
    assert done.json["metrics"]["left_alone"]["value"] == 0.5
    assert done.json["metrics"]["SGA"]["value"] is None
    assert "gendered term" in done.json["metrics"]["SGA"]["why"]


def test_statistics_count_what_the_paper_counts(epicene: Epicene) -> None:
    data = write(Path("pairs.jsonl"), PAIRS)
    tables = epicene("data", "stats", "genform", "-d", data, "--json").json["tables"]
    mine = {name: cell["value"] for name, cell in tables["1"]["fr"]["these sentences"].items()}
    assert mine == pytest.approx(
        {
            "sentences": 3,
            "rules": 3,
            "gendered terms (mean)": 5 / 3,
            "gendered terms (most)": 4,
            "words (mean)": (5 + 6 + 4) / 3,
            "words (most)": 6,
        }
    )
    assert tables["1"]["fr"]["MORPHOGEN"]["sentences"]["value"] == 9999
    apart = tables["1 (Epicene's words)"]["fr"]["these sentences"]
    assert apart["words (mean)"]["value"] == pytest.approx((5 + 6 + 5) / 3)
    counts = {number: cell["value"] for number, cell in tables["Figure 4"]["fr"].items()}
    assert counts == {"0": 1, "1": 1, "4": 1}
    neutral = tables["Figure 3"]["fr"]["Verbs and tenses"]["Gender Neutral Actions"]
    assert neutral["without a gendered term"]["value"] == 1


BROKEN = [
    ("empty", "", "Je suis prête.", "error", "empty"),
    ("more", "Je suis un vieux loup.", "Je suis une vieille amie.", "warning", "loup / amie"),
    ("longer", "Je suis parti.", "Je suis partie tôt.", "warning", "only the feminine form"),
    ("mixed", "Je suis allé аu marché.", "Je suis allée аu marché.", "error", "mixes two scripts"),
    ("foreign", "Je suis né à Москва.", "Je suis née à Москва.", "warning", "another script"),
    ("spelt", "Je suis prêt !", "Je suis prêt.", "warning", "punctuation"),
]  # fmt: skip


def test_check_finds_what_is_wrong(epicene: Epicene) -> None:
    rows = [
        {**PAIRS[0], "id": name, "masculine": man, "feminine": woman}
        for name, man, woman, _, _ in BROKEN
    ]
    rows += [PAIRS[1], {**PAIRS[1], "id": "again"}]
    nearly = {"masculine": "Je suis un grand danseur français."}
    rows += [
        {**PAIRS[1], **nearly, "feminine": "Je suis une grande danseuse française.", "id": "near"}
    ]
    rows += [{**PAIRS[2], "id": "odd", "rule": "Nationality"}]
    data = write(Path("pairs.jsonl"), rows)
    done = epicene("data", "check", "genform", "-d", data, "--json")
    assert done.code == 2
    found: dict[str, list[tuple[str, str]]] = {}
    for each in done.json["findings"]:
        found.setdefault(each["place"], []).append((each["severity"], each["message"]))
    for name, _, _, severity, said in BROKEN:
        assert any(how == severity and said in message for how, message in found[name]), name
    assert any("repeats singer." in message for _, message in found["again"])
    assert any("but for one word" in message for _, message in found["near"])
    assert any("Nationalities" in message for _, message in found["odd"])
    assert "singer" not in found


def test_check_says_once_that_a_file_has_no_rules(epicene: Epicene) -> None:
    bare = [{name: value for name, value in pair.items() if name != "rule"} for pair in PAIRS]
    for rows, said in (
        (bare, {"market": "neither this pair nor any other has a rule"}),
        ([bare[0], *PAIRS[1:]], {"market": "it has no rule"}),
        (PAIRS, {}),
    ):
        data = write(Path("pairs.jsonl"), rows)
        done = epicene("data", "check", "genform", "-d", data, "--json")
        found = {f["place"]: f["message"] for f in done.json["findings"] if "rule" in f["message"]}
        assert done.code == 0
        assert found.keys() == said.keys()
        assert all(found[place].startswith(message) for place, message in said.items())


def test_the_starter_set_has_no_error(epicene: Epicene) -> None:
    done = epicene("data", "check", "genform", "--json")
    assert done.code == 0
    assert done.json["items"] > 1000
    unlike = [f for f in done.json["findings"] if "look like" in f["message"]]
    assert not unlike
