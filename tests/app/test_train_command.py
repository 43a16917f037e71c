"""`epicene train`, and what uses the tagger it writes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from app.conftest import Epicene
from epicene.models.tagger.network import NetworkShape
from epicene.models.tagger.storage import load, save
from epicene.models.tagger.training import TrainingConfig, train
from models.tiny_tagging_data import tagging_data
from suites.apgc.corpus_folder import write_tokens_folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write_tokens_folder(folder, "train")
    return write_tokens_folder(folder, "dev")


def say(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """What the command reads."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))


def test_from_a_corpus_to_judged_answers(epicene: Epicene, corpus: Path, tmp_path: Path) -> None:
    done = epicene("train", "apgc", "--data", corpus, "--out", "model", "--epochs", "2", "--small")
    assert done.code == 0, done.err
    assert "Epoch 2 of 2: loss" in done.err
    assert done.out == "tagger:model\n"
    again = epicene("train", "apgc", "--data", corpus, "--out", "same", "--epochs", "2", "--small")
    assert again.code == 0
    other = epicene(
        "train",
        "apgc",
        "--data",
        corpus,
        "--out",
        "other",
        "--epochs",
        "2",
        "--small",
        "--seed",
        "5",
    )
    assert other.code == 0
    prints = [load(tmp_path / name).fingerprint for name in ("model", "same", "other")]
    assert prints[0] == prints[1] != prints[2]

    tasks = ("--task", "rewriting", "--task", "identification")
    ran = epicene(
        "run", "apgc", "-m", "tagger:model", "--data", corpus, "--split", "dev", *tasks, "--json"
    )
    assert ran.code == 0, ran.err
    metrics = ran.json["metrics"]
    # Two groups of two sentences with 4 edits each, one of four with 4 for each sentence.
    assert metrics["gold"]["value"] == 4 + 4 + 16
    assert metrics["identification_undetected"]["value"] == 0


def test_lines_are_rewritten_by_a_tagger(
    epicene: Epicene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = NetworkShape(word=32, letter=16, context=16)
    recipe = TrainingConfig(
        epochs=40,
        batch=256,
        rate=1e-2,
        first_steps=10,
        dropout=0.1,
        averaging=0.9,
        pretraining_epochs=1,
        frequencies=False,
    )
    save(train(tagging_data(), recipe=recipe, shape=shape), tmp_path / "model")
    arabic = ("--language", "ar", "--model", "tagger:model")
    say(monkeypatch, "أنا متعب اليوم\nهل تسمع ذلك؟\n")
    done = epicene("rewrite", *arabic, "--speaker", "f", "--listener", "f")
    assert done.code == 0, done.err
    assert done.out == "أنا متعبة اليوم\nهل تسمعين ذلك؟\n"
    say(monkeypatch, "أنا متعب اليوم\n")
    record = json.loads(epicene("rewrite", *arabic, "--speaker", "f", "--json").out)
    assert [change["rule"] for change in record["changes"]] == ["shows a masculine speaker"]

    others = epicene("rewrite", *arabic, "--others", "f")
    assert others.code == 2
    assert "--speaker, --listener" in others.err
    french = epicene("rewrite", "--language", "fr", "--model", "tagger:model", "--speaker", "f")
    assert french.code == 2
    assert "use --language ar" in french.err


def test_mistakes_are_named(epicene: Epicene, corpus: Path, tmp_path: Path) -> None:
    full = epicene("train", "apgc", "--data", corpus, "--out", corpus)
    assert full.code == 2
    assert "not empty" in full.err
    none = epicene("train", "reflexives", "--out", "model")
    assert none.code == 2
    assert "no data to train" in none.err
    split = epicene("train", "apgc", "--data", corpus, "--split", "tset", "--out", "model")
    assert split.code == 2
    assert "no split 'tset'" in split.err
    spec = epicene("rewrite", "--language", "ar", "--speaker", "f", "--model", "copy")
    assert spec.code == 2
    assert "tagger:FOLDER" in spec.err
    folder = epicene("rewrite", "--language", "ar", "--speaker", "f", "--model", "tagger:corpus")
    assert folder.code == 2
    assert "`epicene train` writes one" in folder.err
    assert not (tmp_path / "model").exists()
