"""Load a GPU's libraries and kernels while the weights are read.

The first use of Triton and cuBLAS, and of every kernel, costs a process about a second, which the
first batch would have to wait for.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

from epicene.models.hf.fused import can_fuse
from epicene.models.hf.generation.decoding import SamplingParams, sample_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

_VOCABULARY = 32_768


def start_warm_up(device: Any, dtype: Any) -> Callable[[], None]:
    """Start it in a thread; the returned function waits for its end.

    Wait before a model runs: while CUDA graphs are recorded, no other thread may use the GPU.
    """
    thread = Thread(target=_warm_up, args=(device, dtype), name="warm-up", daemon=True)
    thread.start()
    return thread.join


def _warm_up(device: Any, dtype: Any) -> None:
    import torch

    # Whatever goes wrong here is reported where it is needed.
    with suppress(Exception), torch.inference_mode():
        if can_fuse(device, dtype):
            states = torch.zeros(1, 1, 16, 64, dtype=dtype, device=device)
            torch.nn.functional.scaled_dot_product_attention(states, states, states)
            exact = states[0].float()  # as in rotary embeddings and norms
            (exact @ exact.mT).pow(2).mean(-1).rsqrt()
            logits = states[0, 0] @ torch.zeros(64, _VOCABULARY, dtype=dtype, device=device)
            rows = [SamplingParams(b"", 0, 0, temperature=1.0, top_k=50, top_p=0.95)] * len(logits)
            sample_tokens(logits, rows, 0)
            torch.cuda.synchronize(device)
