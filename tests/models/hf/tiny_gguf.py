"""Writes a tiny Llama as the GGUF file that its conversion would make."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_LAYER = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
_AROUND = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}
_NORMAL, _CONTROL = 1, 3


def write_gguf(path: Path, model: Any, tokenizer: Any, *, add_bos: bool) -> Path:
    """The model and its byte-level tokenizer in one file."""
    from gguf import GGUFWriter

    config = model.config
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(config.vocab_size)
    _add_tokenizer(writer, tokenizer, add_bos)
    for name, values in model.state_dict().items():
        writer.add_tensor(_tensor_name(name), _arranged(name, values, config))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: Any, tokenizer: Any, add_bos: bool) -> None:
    state = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    tokens = sorted(state["vocab"], key=state["vocab"].__getitem__)
    special = {tokenizer.bos_token, tokenizer.eos_token}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([_CONTROL if token in special else _NORMAL for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in state["merges"]])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_add_bos_token(add_bos)


def _tensor_name(name: str) -> str:
    module = name.removesuffix(".weight")
    if module in _AROUND:
        return f"{_AROUND[module]}.weight"
    _, _, layer, part = module.split(".", 3)
    return f"blk.{layer}.{_LAYER[part]}.weight"


def _arranged(name: str, values: Any, config: Any) -> Any:
    """Rotary dimensions stand pairwise in a GGUF and half by half in transformers."""
    array = values.float().numpy()
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for part, count in heads.items():
        if part in name:
            rows = array.reshape(count, 2, array.shape[0] // count // 2, *array.shape[1:])
            return rows.swapaxes(1, 2).reshape(array.shape).copy()
    return array
