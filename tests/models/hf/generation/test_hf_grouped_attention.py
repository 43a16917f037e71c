"""Attention of heads that share keys and values, against the library's copies of them."""

from __future__ import annotations

from copy import deepcopy
from types import SimpleNamespace

import pytest
import torch
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from epicene.models.hf import attention
from models.hf.causal_families import family


@pytest.mark.parametrize("queries", [1, 3])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("masked", [True, False])
def test_it_attends_as_the_library_does(queries: int, groups: int, masked: bool) -> None:
    torch.manual_seed(0)
    module = SimpleNamespace(num_key_value_groups=groups, is_causal=True)
    query = torch.randn(3, 2 * groups, queries, 8)
    key, value = torch.randn(3, 2, 7, 8), torch.randn(3, 2, 7, 8)
    mask = torch.rand(3, 1, queries, 7) < 0.6 if masked else None
    if mask is not None:
        mask[..., -1] = True
    found, _ = attention._grouped_forward(module, query, key, value, mask, scaling=0.3)
    expected, _ = sdpa_attention_forward(module, query, key, value, mask, scaling=0.3)
    torch.testing.assert_close(found, expected)


def test_what_a_model_asks_besides_is_the_librarys_affair() -> None:
    module = SimpleNamespace(num_key_value_groups=2, is_causal=True)
    query, key = torch.randn(1, 4, 1, 8), torch.randn(1, 2, 5, 8)
    bias = torch.randn(1, 4, 1, 5)
    found, _ = attention._grouped_forward(module, query, key, key, None, position_bias=bias)
    expected, _ = sdpa_attention_forward(module, query, key, key, None, position_bias=bias)
    torch.testing.assert_close(found, expected)
    plain, _ = attention._grouped_forward(module, query, key, key, None)
    assert not torch.allclose(found, plain)


def test_which_models_it_is_for() -> None:
    assert attention.has_grouped_heads(family("llama"))
    assert not attention.has_grouped_heads(family("gpt2"))  # no heads share
    eager = deepcopy(family("llama"))
    eager.set_attn_implementation("eager")
    assert not attention.has_grouped_heads(eager)  # no kernel


def test_the_model_is_left_as_it_was() -> None:
    config = family("llama").config

    def fail() -> None:
        with attention.attention_function(family("llama"), attention.grouped_heads()):
            assert config._attn_implementation != "sdpa"
            raise ValueError("while attending")

    with pytest.raises(ValueError, match="while attending"):
        fail()
    assert config._attn_implementation == "sdpa"
