"""The GPU is prepared while weights are read; whatever goes wrong there stops nothing."""

from __future__ import annotations

import pytest
import torch

from epicene.models.hf import warm_up


def test_kernels_are_loaded_by_sampling_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = []
    monkeypatch.setattr(warm_up, "can_fuse", lambda *_: True)
    monkeypatch.setattr(warm_up, "sample_tokens", lambda *given: sampled.append(given))
    # There is no CUDA to wait for on a CPU: that error stays in the thread.
    warm_up.start_warm_up(torch.device("cpu"), torch.bfloat16)()
    ((logits, rows, step),) = sampled
    assert (len(logits), logits.dtype, len(rows), step) == (16, torch.bfloat16, 16, 0)


def test_nothing_is_prepared_where_no_kernel_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = []
    monkeypatch.setattr(warm_up, "sample_tokens", lambda *given: sampled.append(given))
    warm_up.start_warm_up(torch.device("cpu"), torch.float32)()
    assert not sampled
