"""A model with a broken weight cannot win: its requests fail and the run ends with 1."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path

import pytest

from app.conftest import Epicene
from app.test_alternations_command import write
from models.hf.tiny_causal import gpt2_like, llama, save

BROKEN = " they"
PAIRS = [
    ("the nurse said that she was late", f"the nurse said that{BROKEN} was late"),
    ("the doctor said that he was tired", f"the doctor said that{BROKEN} was tired"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama with one embedding of NaN."""
    (number,) = gpt2_like()(BROKEN, add_special_tokens=False)["input_ids"]
    broken = copy.deepcopy(llama())
    broken.get_input_embeddings().weight.data[number] = math.nan
    return save(tmp_path_factory.mktemp("tiny") / "broken", broken, gpt2_like())


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_broken_text_neither_wins_nor_loses(
    epicene: Epicene, model: Path, tmp_path: Path, mirrored: bool
) -> None:
    """The accuracy was 0 on the one file and 1 on its mirror, complete and with exit code 0."""
    rows = [
        dict(zip(("good", "bad"), pair[:: -1 if mirrored else 1], strict=True)) for pair in PAIRS
    ]
    rows.append({"good": "she was tired", "bad": "he was tired"})
    data = write(tmp_path / "pairs.jsonl", rows)
    done = epicene(
        "run", "alternations", "-m", f"hf:{model}", "-d", data, "--set=language=en", "--out=run",
        "--threads=1",
    )  # fmt: skip
    assert done.code == 1, done.err
    assert "came out as nan in float32; the model's weights are broken" in done.err
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_bytes())
    assert manifest["sessions"][-1]["state"] == "incomplete"
    assert (manifest["counts"][0]["answered"], manifest["counts"][0]["failed"]) == (1, 2)
    tables = epicene("tables", "run", "--json")
    (accuracy,) = tables.json["tables"]["phenomena"].values()
    assert accuracy["all"]["pairs"]["value"] == 1


def test_numbers_of_dollars_and_settings_are_numbers(epicene: Epicene) -> None:
    refused = epicene("run", "alternations", "-m", "random", "--max-cost=nan")
    assert refused.code == 2
    assert "--max-cost" in refused.err
    refused = epicene("run", "misgendering", "-m", "random", "--set=top_p=nan")
    assert refused.code == 2
    assert "The setting top_p of the protocol epicene cannot be nan." in refused.err
