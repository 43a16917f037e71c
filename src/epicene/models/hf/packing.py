"""Which families may be packed as trees, and under which masks.

A packed row holds many texts; each token sees its ancestors alone, through a mask of four
dimensions, and its position is its depth. Some families take such a mask and look elsewhere all
the same (a local window counted along the row, positions added to the scores), without an error
and wrong by nats. So only families that were measured are packed, windows are taken from the
configuration, and every model is tried against its plain path before it is trusted (trial.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epicene.models.hf.network import Network

# One mask for all layers, windowed by depth where the configuration has a window.
_ONE_MASK = frozenset(
    "deepseek_v3 falcon gemma gpt2 gpt_neox gptj llama mistral mixtral olmo2 opt phi3 qwen2 qwen3"
    " smollm3 stablelm starcoder2 xglm".split()
)
# A mask for each type of layer, given as a dictionary, where some layers have a window.
_BY_LAYER = frozenset("cohere2 gemma2 gemma3_text gpt_oss qwen2 qwen3 smollm3".split())
_LAYERS = frozenset({"full_attention", "sliding_attention"})


@dataclass(frozen=True)
class Layout:
    """How a family's masks are made."""

    window: int | None = None
    by_layer: bool = False

    def masks(self, network: Network, depths: Any, ends: Any, shared: int) -> Any:
        """What to give for the attention mask: additive, (packs, 1, nodes, shared + nodes)."""
        import torch

        places = torch.arange(depths.shape[1], device=depths.device)
        seen = (places[:, None] >= places) & (places[:, None] < ends[:, None, :])
        if shared:
            first = seen.new_ones(*seen.shape[:2], shared)
            seen = torch.cat([first, seen], dim=-1)
        full = _additive(seen, network.model.dtype)
        if self.window is None:
            return full
        before = torch.arange(shared, device=depths.device).expand(len(depths), -1)
        distances = depths[:, :, None] - torch.cat([before, depths], dim=1)[:, None, :]
        local = _additive(seen & (distances < self.window), network.model.dtype)
        if not self.by_layer:
            return local
        return {"full_attention": full, "sliding_attention": local}


def _additive(seen: Any, dtype: Any) -> Any:
    import torch

    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]


def layout(config: Any) -> Layout | None:
    """The masks a model wants when it is packed; None where it is not known to bear it."""
    config = config.get_text_config()
    family = config.model_type
    if getattr(config, "alibi", False):
        return None
    layers = set(getattr(config, "layer_types", None) or ())
    window = _window(config)
    if window is None:
        known = family in _ONE_MASK | _BY_LAYER and layers <= _LAYERS
        return Layout() if known else None
    if layers:
        known = family in _BY_LAYER and layers <= _LAYERS
        return Layout(window, by_layer=True) if known else None
    return Layout(window) if family in _ONE_MASK else None


def _window(config: Any) -> int | None:
    """How far local layers look back, unless that is as far as the model reads at all."""
    window = getattr(config, "sliding_window", None)
    layers = getattr(config, "layer_types", None)
    if not window or (layers and "sliding_attention" not in layers):
        return None
    reads = getattr(config, "max_position_embeddings", None)
    return None if reads is not None and window >= reads else int(window)
