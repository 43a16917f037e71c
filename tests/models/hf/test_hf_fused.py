"""Layers with fewer kernels, and attention by kernels, run on the CPU by Triton's interpreter."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
import torch
import transformers

from epicene.core.records import Identity
from epicene.models import ModelOptions
from epicene.models.hf import fused
from epicene.models.hf.generation import slots
from epicene.models.hf.generation.kv_cache import CacheRows, check_continuous_batching
from epicene.models.hf.generation.slots import SlotStepper
from epicene.models.hf.loading import LoadedModel
from epicene.models.hf.scoring import forward, prefix_routes
from epicene.models.hf.scoring.logprobs import ModelRunner
from epicene.models.hf.scoring.prefix_routes import PackedTreeRoute, mask_layout
from epicene.models.hf.scoring.routes import PaddedRoute, PassLimits
from models.hf.causal_families import OLD, family

pytest.importorskip("triton", reason="Triton is not installed")

TOKENS = torch.tensor([[5, 17, 300, 4, 4, 90], [8, 2, 1, 0, 33, 7]])


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    from epicene.models.hf import kernels

    monkeypatch.setattr(fused, "kernels_for", lambda _: kernels)
    for module in (slots, prefix_routes):
        monkeypatch.setattr(module, "can_attend", lambda *_: True)


def logits(model: Any) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = model(input_ids=TOKENS, use_cache=False).logits
    return found


def loaded(name: str) -> LoadedModel:
    identity = Identity(kind="hf", label=name, key={})
    return LoadedModel(family(name), None, torch.device("cpu"), identity, ModelOptions())


@pytest.mark.parametrize(
    ("name", "norms", "gates", "turns"),
    [
        ("llama", 5, 2, 1),
        ("qwen3", 9, 2, 1),  # norms of queries and keys
        ("gemma", 5, 0, 1),  # weights from 1, gated by GELU
        ("phi3", 5, 0, 1),  # one matrix for queries, keys and values
        ("gpt2", 0, 0, 0),
        ("opt", 0, 0, 0),
    ],
)
def test_layers_are_replaced_where_nothing_changes(
    name: str, norms: int, gates: int, turns: int
) -> None:
    model = family(name)
    before = logits(model)
    found = list(fused._replacements(model))
    kinds = [type(module).__name__ for module in model.modules()]
    assert sum(kind.endswith("RMSNorm") for kind in kinds) == norms
    assert len(found) == norms + gates + turns
    with fused._put_in(found):
        inside = logits(model)
    torch.testing.assert_close(inside, before)
    assert torch.equal(logits(model), before)
    assert not any("forward" in vars(module) for module in model.modules())


def test_a_norm_of_another_kind_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    model = family("llama")
    norm = type(model.model.norm)
    own = norm.forward
    monkeypatch.setattr(norm, "forward", lambda self, states: own(self, states) + 0.1)
    found = list(fused._replacements(model))
    assert [each.name for each in found] == ["forward"] * 2 + ["apply_rotary_pos_emb"]


def test_a_norm_without_weights_stays() -> None:
    model = deepcopy(family("llama"))
    bare = model.model.norm
    bare.weight = None
    own = type(bare).forward
    with mock.patch.object(
        type(bare), "forward", lambda self, x: x if self.weight is None else own(self, x)
    ):
        found = list(fused._replacements(model))
        assert len(found) == 7  # all but the bare one
        assert fused._predict_alike(model, found)


def test_a_model_that_cannot_be_tried_stays() -> None:
    model = deepcopy(family("llama"))
    model.forward = mock.Mock(side_effect=TypeError("use_cache"))
    assert not fused._predict_alike(model, [])


def test_a_module_that_somebody_replaced_stays() -> None:
    model = family("llama")
    layer = model.model.layers[0].mlp
    layer.forward = lambda states: states
    try:
        assert len(list(fused._replacements(model))) == 7
    finally:
        del layer.forward


@pytest.mark.parametrize("name", ["llama", "qwen3"])
@pytest.mark.parametrize("nodes", [0, 256])
def test_packed_trees_by_the_kernel_score_as_rows_alone(name: str, nodes: int) -> None:
    runner = ModelRunner(loaded(name), {})
    limits = PassLimits(runner, None)
    rows = forward._probe_rows(runner)
    layout = mask_layout(runner.model.config)
    assert rows is not None
    assert layout is not None
    alone = [
        value
        for row in rows
        for value in forward._route_scores(runner, PaddedRoute(runner, limits), [row])
    ]
    route = PackedTreeRoute(runner, limits, layout, nodes, kernel=True)
    packed = forward._route_scores(runner, route, rows)
    assert packed == pytest.approx(alone, abs=1e-4)
    assert bool(route._kept) == (nodes == 0)  # a prefix of its own, or none


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma"])
def test_slots_by_the_kernel_pass_the_self_test(name: str) -> None:
    model = loaded(name)
    stepper = SlotStepper(model)
    assert check_continuous_batching(model, stepper).obstacle == ""


def test_a_number_left_in_a_slot_reaches_no_later_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "can_attend", lambda *_: False)  # under a mask
    stepper = SlotStepper(loaded("llama"))
    with torch.inference_mode():
        cache, _ = stepper.read([(5, 6, 7)])
        stepper.rows([CacheRows(cache, [0], spent=False)], [3], [20])
        assert stepper._slots is not None
        for layer in stepper._slots.cache.layers:
            layer.values[:] = math.nan
        rows = stepper.rows([CacheRows(cache, [0])], [3], [20])
        assert stepper.step(rows, torch.tensor([8])).isfinite().all()


def test_slots_end_where_the_positions_do() -> None:
    """Rows that are finished are read on, up to the last column."""
    config = transformers.AutoConfig.for_model("gpt2", **OLD, n_positions=40)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    stepper = SlotStepper(replace(loaded("gpt2"), model=model))
    with torch.inference_mode():
        cache, _ = stepper.read([(5, 6, 7)])
        rows = stepper.rows([CacheRows(cache, [0])], [3], [30])  # 33 columns, 64 if rounded
        for _ in range(50):
            stepper.step(rows, torch.tensor([8]))


@pytest.mark.parametrize(
    ("count", "rows"), [(1, 1), (2, 2), (3, 4), (100, 128), (129, 256), (300, 384)]
)
def test_few_rows_have_a_small_cache(count: int, rows: int) -> None:
    assert slots.graph_rows(count) == rows
