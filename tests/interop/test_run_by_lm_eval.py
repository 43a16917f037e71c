"""Exported tasks in lm-evaluation-harness itself: it chooses what Epicene chooses.

The whole check, with a real model, greedy texts and drawn ones, is benchmarks/harness.py.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import harness
from harness import Case, Compared
from models.hf import tiny_causal


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


CASES = (
    Case("alternations", {"formats": "acceptability"}),
    Case("misgendering"),
    Case("genform", {"formats": "probability"}),
    Case("alternations", {"formats": "prompt", "new_tokens": "4"}, writing=True),
)


@pytest.fixture(scope="module")
def compared(tiny: Path) -> list[Compared]:
    """All in one process, which takes the harness half a minute to start."""
    return list(harness.compare(CASES, tiny, sys.executable, 12))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.suite}-{case.writing}")
def test_the_harness_finds_what_epicene_finds(compared: list[Compared], case: Case) -> None:
    verdicts = [verdict for each in compared if each.case == case for verdict in each.verdicts]
    assert [verdict for verdict in verdicts if not verdict.same] == []
    if case.writing:
        assert verdicts
        assert all(verdict.same_text for verdict in verdicts)
        return
    assert len(verdicts) >= 20
    assert max(verdict.apart for verdict in verdicts if verdict.apart is not None) < 1e-3
    # Or the same verdict would say little.
    assert {verdict.ours for verdict in verdicts} >= {"right", "wrong"}
