"""Exported tasks in lm-evaluation-harness itself, where it is: it chooses what Epicene chooses.

The whole check, with a real model, greedy texts and drawn ones, is benchmarks/harness.py.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import harness
from export.other_interpreter import WANTED, interpreter
from harness import Case, Compared
from models.hf import tiny_causal

pytestmark = pytest.mark.skipif(not interpreter("lm_eval"), reason=f"lm_eval: {WANTED}")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama with random weights, long enough for prompts spelt in bytes."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = tiny_causal.smollm2_like()
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.25,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    model: Any = LlamaForCausalLM(config)
    return tiny_causal.save(tmp_path_factory.mktemp("tiny"), model.eval(), tokenizer)


CHOICES = (
    Case("alternations", {"formats": "acceptability", "measure": "per word"}),
    Case("misgendering"),
    Case("genform", {"formats": "probability"}),
)
WRITING = Case("alternations", {"formats": "prompt", "new_tokens": "4"}, writing=True)


@pytest.fixture(scope="module")
def compared(tiny: Path) -> list[Compared]:
    """All in one process, which takes the harness half a minute to start."""
    return list(harness.compare([*CHOICES, WRITING], tiny, interpreter("lm_eval"), 12))


@pytest.mark.parametrize("case", CHOICES, ids=lambda case: case.suite)
def test_the_harness_chooses_what_epicene_chooses(compared: list[Compared], case: Case) -> None:
    verdicts = [verdict for each in compared if each.case == case for verdict in each.verdicts]
    assert len(verdicts) >= 20
    assert [verdict for verdict in verdicts if not verdict.same] == []
    assert max(verdict.apart for verdict in verdicts if verdict.apart is not None) < 1e-3
    # Or the same verdict would say little.
    assert {verdict.ours for verdict in verdicts} >= {"right", "wrong"}


def test_texts_are_judged_there_or_the_harness_says_what_is_missing(
    compared: list[Compared],
) -> None:
    (found,) = (each for each in compared if each.case == WRITING)
    here = [interpreter("lm_eval"), "-c", "import epicene.export.lm_eval"]
    if subprocess.run(here, check=False, capture_output=True).returncode:
        assert "Epicene judges what a model wrote: install it" in found.refused
        return
    assert found.verdicts
    assert all(verdict.same and verdict.same_text for verdict in found.verdicts)
    assert sum(found.shares.values()) == pytest.approx(1)
