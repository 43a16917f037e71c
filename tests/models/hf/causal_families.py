"""Tiny random models of every family whose attention, positions or state is its own."""

from __future__ import annotations

from functools import cache
from typing import Any

COMMON: dict[str, Any] = {
    "vocab_size": 360,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "initializer_range": 0.25,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
GROUPED = {**COMMON, "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 8}
OLD = {
    "vocab_size": 360,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "initializer_range": 0.25,
    "bos_token_id": None,
    "eos_token_id": None,
}
WINDOW = {**GROUPED, "sliding_window": 4}

# By name: the family and its settings.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", GROUPED),
    "qwen2": ("qwen2", GROUPED),
    "qwen3": ("qwen3", GROUPED),
    "mistral without a window": ("mistral", {**GROUPED, "sliding_window": None}),
    "gemma": ("gemma", GROUPED),
    "olmo2": ("olmo2", GROUPED),
    "mixtral": ("mixtral", {**GROUPED, "num_local_experts": 4}),
    "smollm3": ("smollm3", GROUPED),
    "stablelm": ("stablelm", GROUPED),
    "gpt2": ("gpt2", OLD),
    "gpt_neox": ("gpt_neox", {**COMMON, "intermediate_size": 48}),
    "opt": (
        "opt",
        {
            **COMMON,
            "ffn_dim": 48,
            "word_embed_proj_dim": 32,
            "max_position_embeddings": 128,
            "pad_token_id": 1,
        },
    ),
    "falcon": ("falcon", COMMON),
    "deepseek_v3": (
        "deepseek_v3",
        {
            **COMMON,
            "intermediate_size": 48,
            "num_key_value_heads": 4,
            "q_lora_rank": 16,
            "kv_lora_rank": 8,
            "qk_rope_head_dim": 4,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 16,
            "n_group": 1,
            "topk_group": 1,
            "first_k_dense_replace": 1,
        },
    ),
    "gptj": ("gptj", {**OLD, "rotary_dim": 8}),
    "xglm": (
        "xglm",
        {
            "vocab_size": 360,
            "d_model": 32,
            "num_layers": 2,
            "attention_heads": 4,
            "ffn_dim": 48,
            "init_std": 0.25,
        },
    ),
    "mistral": ("mistral", WINDOW),
    "phi3": ("phi3", WINDOW),
    "starcoder2": ("starcoder2", WINDOW),
    "qwen2 with a window": (
        "qwen2",
        {**WINDOW, "use_sliding_window": True, "max_window_layers": 1},
    ),
    "gemma2": ("gemma2", {**WINDOW, "query_pre_attn_scalar": 8}),
    "gemma3_text": (
        "gemma3_text",
        {**WINDOW, "query_pre_attn_scalar": 8, "num_hidden_layers": 6},
    ),
    "cohere2": ("cohere2", WINDOW),
    "gpt_oss": ("gpt_oss", {**WINDOW, "num_local_experts": 4, "num_experts_per_tok": 2}),
    "falcon with ALiBi": ("falcon", {**COMMON, "alibi": True}),
    "bloom": ("bloom", COMMON),
    "mpt": (
        "mpt",
        {"vocab_size": 360, "d_model": 32, "n_layers": 2, "n_heads": 4, "initializer_range": 0.25},
    ),
    "gpt_neo": (
        "gpt_neo",
        {
            **COMMON,
            "window_size": 4,
            "attention_types": [[["global", "local"], 1]],
            "num_layers": 2,
            "num_heads": 4,
        },
    ),
    "mamba": ("mamba", {**COMMON, "state_size": 4}),
    "lfm2": ("lfm2", {**GROUPED, "layer_types": ["conv", "full_attention"]}),
    "qwen3_next": (
        "qwen3_next",
        {
            **GROUPED,
            "num_hidden_layers": 4,
            "linear_num_value_heads": 4,
            "linear_num_key_heads": 2,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 16,
            "shared_expert_intermediate_size": 16,
        },
    ),
}


@cache
def family(name: str) -> Any:
    """A model of the family, its weights drawn wide so that a wrong position or mask shows."""
    import torch
    import transformers

    transformers.utils.logging.set_verbosity_error()
    torch.manual_seed(0)
    kind, settings = FAMILIES[name]
    config = transformers.AutoConfig.for_model(kind, **settings)
    return transformers.AutoModelForCausalLM.from_config(config).eval()
