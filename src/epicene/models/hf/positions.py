"""How far a model can read."""

from __future__ import annotations

from typing import Any


def position_limit(model: Any) -> int | None:
    """How many tokens the model has positions for; None if it sets no limit."""
    config = model.config.get_text_config()
    limits = [getattr(config, name, None) for name in ("max_position_embeddings", "max_seq_len")]
    for name, module in model.named_modules():
        # RoBERTa and its kin count positions from behind the padding's number.
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            limits.append(module.num_embeddings - padding - 1)
    return min((limit for limit in limits if limit is not None), default=None)
