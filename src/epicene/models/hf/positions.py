"""How far a model can read."""

from __future__ import annotations

from typing import Any

# Rotary embeddings that change with the longest text of a batch.
_BY_LENGTH = frozenset({"dynamic", "longrope"})


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


def steady_length(config: Any) -> int | None:
    """Up to which length positions do not depend on what else is in the batch; None: always."""
    config = config.get_text_config()
    rope = getattr(config, "rope_parameters", None) or {}
    # A family with two types of layers has one set of parameters for each.
    sets = [part for part in rope.values() if isinstance(part, dict)] or [rope]
    lengths = [
        part.get("original_max_position_embeddings") or config.max_position_embeddings
        for part in sets
        if part.get("rope_type") in _BY_LENGTH
    ]
    return min(lengths, default=None)
