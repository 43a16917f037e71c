"""A model whose layers are on several devices, as `--device auto` spreads a large one.

Where there are no GPUs, the devices are the CPU's memory and the disk: accelerate moves the inputs
of each layer to where its weights are, in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from epicene.core.records import Decoding, Generate, Request, Score, Scores, Texts
from epicene.models import ModelOptions, open_model, parse_spec
from epicene.models.hf import loading
from models.hf import tiny_causal, tiny_masked
from models.model_answers import batch_answers

SENTENCES = (
    "The doctor lost her keys.",
    "The doctor lost his keys.",
    "The nurse called a friend, and they came home late.",
)
Checkpoint: TypeAlias = tuple[Path, str, list[Sequence[Request]]]
SCORE = [
    Score(item=str(number), name="score", texts=SENTENCES, context=context)
    for number, context in enumerate(("", "Every day the same. "))
]
GENERATE = [
    Generate(
        item=text,
        name="generate",
        prompt=text,
        samples=2,
        decoding=Decoding(max_new_tokens=6, temperature=1.0, top_k=20, seed=3),
    )
    for text in SENTENCES
]


def layers_of(folder: Path, loader: str) -> dict[str, Any]:
    """The parts of a model by name: what cannot be divided, and each layer."""
    import transformers

    model = getattr(transformers, loader).from_pretrained(folder)
    blocks = set(model._no_split_modules)
    found = [name for name, part in model.named_modules() if type(part).__name__ in blocks]
    held = {
        name.rpartition(".")[0]
        for name, _ in model.named_parameters(remove_duplicate=False)
        if not name.startswith(tuple(found))
    }
    return {**dict.fromkeys(sorted(held), "cpu"), **dict.fromkeys(found, "cpu")}


@pytest.fixture(params=["llama", "gpt2", "masked"])
def checkpoint(request: pytest.FixtureRequest, tmp_path: Path) -> Checkpoint:
    folder = tmp_path / request.param
    if request.param == "masked":
        model, tokenizer = tiny_masked.model_and_tokenizer("bert")
        return tiny_causal.save(folder, model, tokenizer), "AutoModelForMaskedLM", [SCORE[:1]]
    made = {"llama": tiny_causal.llama, "gpt2": tiny_causal.gpt2}[request.param]
    tiny_causal.save(folder, made(), tiny_causal.gpt2_like())
    return folder, "AutoModelForCausalLM", [SCORE, GENERATE]


def test_a_sharded_model_answers_as_a_whole_one(
    checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, loader, batches = checkpoint
    whole = open_model(parse_spec(f"hf:{folder}", ModelOptions(device="cpu", dtype="float32")))
    expected = [each for batch in batches for each in batch_answers(whole, *batch)]
    places = layers_of(folder, loader)
    last = list(places)[-1]
    places[last] = "disk"
    asked = loading._dtype_and_device
    sharding = {"device_map": places, "offload_folder": str(tmp_path / "offloaded")}
    monkeypatch.setattr(
        loading, "_dtype_and_device", lambda options: {**asked(options), **sharding}
    )
    made: list[Any] = []
    load = loading._load_weights

    def loaded(*args: Any) -> Any:
        made.append(load(*args))
        return made[-1]

    monkeypatch.setattr(loading, "_load_weights", loaded)
    sharded = open_model(parse_spec(f"hf:{folder}", ModelOptions(device="cpu", dtype="float32")))
    found = [each for batch in batches for each in batch_answers(sharded, *batch)]
    assert sharded.identity == whole.identity
    for one, two in zip(found, expected, strict=True):
        if isinstance(two, Texts):
            assert one == two
        else:
            assert isinstance(one, Scores)
            assert isinstance(two, Scores)
            for mine, theirs in zip(one.texts, two.texts, strict=True):
                assert mine.logprobs == pytest.approx(theirs.logprobs, abs=1e-4)
    assert {each.device.type for each in made[-1].get_submodule(last).parameters()} == {"meta"}
