"""Published sets of minimal pairs: every file is read as it is, counted and scored as it should."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import epicene
from epicene.suites import DataSource
from epicene.suites.alternations.data import read
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from models.hf.tiny_causal import gpt2_like, llama

pytestmark = pytest.mark.published(
    "parts of seven sets of minimal pairs in minimal-pairs/",
    "the repositories of BLiMP, RuBLiMP, TurBLiMP, CLAMS, SyntaxGym and MultiBLiMP",
)


@pytest.fixture(scope="module")
def folder(published_data: Path) -> Path:
    return published_data / "minimal-pairs"


@pytest.fixture(scope="module")
def pairs(folder: Path) -> list[Pair]:
    return list(read(DataSource(path=folder), PROTOCOLS["epicene"]).items)


# --- counts ----------------------------------------------------------------------------------


def delimited(path: Path, delimiter: str, good: str, bad: str) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=delimiter):
            yield row[good], row[bad]


def plain_pairs(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Every pair of every file, read without Epicene: the file, and its two sentences."""
    readers = {
        "rublimp/*.csv": (",", "source_sentence", "target_sentence"),
        "turblimp/*.csv": (";", "good_sentence", "bad_sentence"),
        "multiblimp/*.tsv": ("\t", "sen", "wrong_sen"),
    }
    for pattern, (delimiter, good, bad) in readers.items():
        for path in folder.glob(pattern):
            for pair in delimited(path, delimiter, good, bad):
                yield path.stem, *pair
    for path in folder.glob("blimp/*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield path.stem, row["sentence_good"], row["sentence_bad"]
    for path in folder.glob("clams/*/*.txt"):
        lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
        for (yes, good), (no, bad) in zip(lines[::2], lines[1::2], strict=True):
            assert (yes, no) == ("True", "False")
            yield f"{path.parent.name}/{path.stem}", good, bad
    for path in folder.glob("bhs/*.json"):
        for item in json.loads(path.read_text("utf-8")):
            versions = [" ".join(texts) for texts in zip(*item, strict=True)]
            yield path.stem, versions[0], versions[1]


def test_every_pair_that_an_independent_reader_finds(folder: Path, pairs: list[Pair]) -> None:
    expected = Counter((good, bad) for _, good, bad in plain_pairs(folder) if good != bad)
    found = Counter((pair.good, pair.bad) for pair in pairs if pair.good)
    assert found == expected
    suites = [json.loads(path.read_text("utf-8")) for path in folder.glob("syntaxgym/*.json")]
    predictions = sum(len(each["items"]) * len(each["predictions"]) for each in suites)
    assert predictions
    assert len(pairs) == expected.total() + predictions


def test_identical_pairs_are_counted(folder: Path) -> None:
    same = Counter(name for name, good, bad in plain_pairs(folder) if good == bad)
    assert same
    found = read(DataSource(path=folder), PROTOCOLS["epicene"])
    notes = {f"turblimp/{name}.csv: {count} pairs" for name, count in same.items()}
    assert {note.partition(" have")[0] for note in found.notes} == notes


@pytest.mark.parametrize(
    ("path", "items", "languages", "layout"),
    [
        ("blimp", 400, {""}, "BLiMP"),
        ("rublimp", 600, {"ru"}, "RuBLiMP"),
        ("turblimp", 1297, {"tr"}, "TurBLiMP"),
        ("clams", 620, {"fr", "he"}, "CLAMS"),
        ("syntaxgym", 19, {""}, "SyntaxGym"),
        ("bhs", 1000, {"hi"}, "pairs of regions"),
        ("multiblimp", 318, {"en", "ell"}, "MultiBLiMP"),
    ],
)
def test_each_set_alone(
    folder: Path, path: str, items: int, languages: set[str], layout: str
) -> None:
    data = epicene.read_data("alternations", folder / path)
    assert len(data) == items
    assert {item.language for item in data.items()} == languages
    layouts = [
        each for each in data.remarks if "(it has" in each or "(its" in each or "(each" in each
    ]
    assert layouts
    assert all(f": {layout} (" in each for each in layouts)
    # What is found is true of the set: pairs that come twice.
    errors = data.check().filter(pl.col("severity") == "error")["message"].to_list()
    assert all(message.startswith("it repeats ") for message in errors)


# --- scores ----------------------------------------------------------------------------------


class PlainScorer:
    """A tiny model in plain transformers: the log-probability of each token after a beginning."""

    def __init__(self) -> None:
        self.model = deepcopy(llama())
        self.model.config.max_position_embeddings = 4096  # published sentences are long in bytes
        self.tokenizer = gpt2_like()

    def tokens(self, text: str) -> list[tuple[int, int, float]]:
        """Where each token begins and ends, and its log-probability."""
        import torch

        coded = self.tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = torch.tensor([[self.tokenizer.bos_token_id, *coded["input_ids"]]])
        with torch.no_grad():
            logits = self.model(ids).logits[0, :-1].double()
        logprobs = logits.log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0].tolist()
        return [
            (*span, value) for span, value in zip(coded["offset_mapping"], logprobs, strict=True)
        ]

    def sum(self, text: str) -> float:
        return math.fsum(value for _, _, value in self.tokens(text))


@pytest.fixture(scope="module")
def scorer() -> PlainScorer:
    return PlainScorer()


@pytest.fixture(scope="module")
def run(folder: Path, scorer: PlainScorer, tmp_path_factory: pytest.TempPathFactory) -> Any:
    model = epicene.open_model(scorer.model, tokenizer=scorer.tokenizer, label="tiny")
    return epicene.run(
        "alternations",
        model,
        data=folder,
        limit=20,
        out=tmp_path_factory.mktemp("runs") / "tiny",
        progress=False,
    )


@pytest.mark.filterwarnings("ignore::epicene.core.errors.EpiceneWarning")
def test_scores_equal_plain_transformers_item_by_item(
    run: Any, pairs: list[Pair], scorer: PlainScorer
) -> None:
    by_id = {pair.id: pair for pair in pairs if pair.good}
    scores: dict[str, dict[str, float]] = {}
    for row in run.scores().to_dicts():
        if row["candidate"] in ("good", "bad"):
            scores.setdefault(row["item"], {})[row["candidate"]] = row["logprob"]
    outcomes = {
        row["item"]: row["outcome"]
        for row in run.items().to_dicts()
        if row["name"] == "acceptability"
    }
    assert {name.split("/")[0] for name in scores} == {
        "blimp", "rublimp", "turblimp", "clams", "bhs", "multiblimp",
    }  # fmt: skip
    assert len(scores) > 120
    for item, found in scores.items():
        good, bad = scorer.sum(by_id[item].good), scorer.sum(by_id[item].bad)
        assert found == pytest.approx({"good": good, "bad": bad}, rel=1e-5, abs=2e-3), item
        if abs(good - bad) > 5e-3:
            assert outcomes[item] == ("right" if good > bad else "wrong"), item


@pytest.mark.filterwarnings("ignore::epicene.core.errors.EpiceneWarning")
def test_five_predictions_of_syntaxgym_by_hand(
    folder: Path, scorer: PlainScorer, tmp_path: Path
) -> None:
    """`reflexive_src_fem` predicts that the reflexive is less surprising where it matches, in the
    singular and in the plural."""
    path = folder / "syntaxgym" / "reflexive_src_fem.json"
    model = epicene.open_model(scorer.model, tokenizer=scorer.tokenizer, label="tiny")
    run = epicene.run("alternations", model, data=path, out=tmp_path / "run", progress=False)
    outcomes = {row["item"]: row["outcome"] for row in run.items().to_dicts()}
    texts = {(row["item"], row["candidate"]): row["logprob"] for row in run.scores().to_dicts()}
    seen = set()
    for item in json.loads(path.read_text("utf-8"))["items"]:
        name = str(item["item_number"])
        bits = {}
        for condition in item["conditions"]:
            words = [region["content"] for region in condition["regions"] if region["content"]]
            before = len(" ".join(words[:-1]))
            bits[condition["condition_name"]] = -math.fsum(
                value for start, _, value in scorer.tokens(" ".join(words)) if start >= before
            ) / math.log(2)
        for condition_name, value in bits.items():
            stored = -texts[name, f"{condition_name}/8"] / math.log(2)
            assert stored == pytest.approx(value, rel=1e-5, abs=1e-3)
        holds = (
            bits["match_sing"] < bits["mismatch_sing"]
            and bits["match_plural"] < bits["mismatch_plural"]
        )
        assert outcomes[name] == ("right" if holds else "wrong"), name
        seen.add(holds)
    assert len(outcomes) == 19
    assert seen == {True, False}  # a judge that always says the same would not pass
