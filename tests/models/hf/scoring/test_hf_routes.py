"""Every family by the route it bears: the same scores as one sequence alone, each token once."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from epicene.core.records import Identity
from epicene.models import ModelOptions
from epicene.models.hf.batching import batch_independent_length
from epicene.models.hf.loading import LoadedModel
from epicene.models.hf.scoring import forward, logprobs, prefix_routes, routes
from epicene.models.hf.scoring.forward import CausalForward
from epicene.models.hf.scoring.logprobs import ModelRunner
from epicene.models.hf.scoring.prefix_routes import MaskLayout
from epicene.models.hf.scoring.routes import LengthSplitRoute, PaddedRoute, PassLimits, ScoringRow
from models.hf.causal_families import FAMILIES, GROUPED, family

SHARED = "bloom", "falcon with ALiBi", "gpt_neo", "mpt"
PADDED = "lfm2", "mamba", "qwen3_next"
ROUTES = dict.fromkeys(SHARED, "shared beginnings") | dict.fromkeys(PADDED, "padded batch")


def rows() -> list[ScoringRow]:
    """Candidates behind their items, longer than the windows, and texts behind an instruction."""
    draw = np.random.default_rng(1)

    def tokens(count: int) -> tuple[int, ...]:
        return tuple(draw.integers(3, 360, count).tolist())

    found = []
    instruction = tokens(40)
    for _ in range(6):
        item = tokens(12)
        found += [ScoringRow(item + tokens(int(draw.integers(1, 6))), 1) for _ in range(4)]
        found += [ScoringRow(instruction + item + tokens(3), 44) for _ in range(2)]
    found.append(ScoringRow((*found[0].ids[:-1], 5), 3))  # differs in the last token alone
    return found


ROWS = rows()


def scores(
    model: Any, some: list[ScoringRow] = ROWS
) -> tuple[dict[ScoringRow, list[float]], dict[str, Any]]:
    notes: dict[str, Any] = {}
    identity = Identity(kind="hf", label="tiny", key={})
    loaded = LoadedModel(model, None, torch.device("cpu"), identity, ModelOptions())
    found = {}
    for part in CausalForward(loaded, notes).score(some):
        for row, result in part.items():
            assert not isinstance(result, Exception)
            found[row] = result.logprobs
    return found, notes


def alone(model: Any, row: ScoringRow) -> list[float]:
    """By one full pass over the sequence alone."""
    with torch.no_grad():
        spread = model(torch.tensor([row.ids]), use_cache=False).logits[0].float().log_softmax(-1)
    return [float(spread[i - 1, row.ids[i]]) for i in range(row.first, len(row.ids))]


@pytest.mark.parametrize("name", FAMILIES)
def test_scores_equal_one_sequence_alone_by_the_expected_route(name: str) -> None:
    model = family(name)
    found, notes = scores(model)
    assert notes["path"] == ROUTES.get(name, "packed trees"), notes["path_because"]
    for row in ROWS:
        assert found[row] == pytest.approx(alone(model, row), abs=1e-4)


def test_every_distinct_token_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        routes, "_PACK_WIDTHS", (4096,)
    )  # as one pack: packs repeat what they share
    _, notes = scores(family("llama"))
    distinct = {row.read[: n + 1] for row in ROWS for n in range(len(row.read))}
    assert notes["distinct_tokens"] == len(distinct)
    assert notes["tokens"] == sum(len(row.read) for row in ROWS)


def test_tokens_of_a_shared_beginning_are_counted_once() -> None:
    rows = [ScoringRow((*range(3, 83), 100 + n, 200 + n, n, 9), 81) for n in range(150)]
    _, notes = scores(family("llama"), rows)
    assert notes["distinct_tokens"] == 80 + 150 * 3


def test_the_softmax_may_go_a_few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = scores(family("llama"))
    monkeypatch.setattr(logprobs, "_SOFTMAX", (4 * 360 * 3, 0))
    few, _ = scores(family("llama"))
    for row in ROWS:
        assert few[row] == pytest.approx(whole[row], abs=1e-6)


@pytest.mark.parametrize("window", [0, 64, 500])
def test_the_trial_tries_a_beginning_that_is_run_apart(window: int) -> None:
    settings = {**family("mistral").config.to_dict(), "sliding_window": window or None}
    settings["max_position_embeddings"] = 2048
    model = type(family("mistral"))(type(family("mistral").config)(**settings)).eval()
    loaded = LoadedModel(
        model, None, torch.device("cpu"), Identity(kind="hf", label="t", key={}), ModelOptions()
    )
    rows = forward._probe_rows(ModelRunner(loaded, {}))
    assert rows is not None
    ordered = sorted(rows, key=lambda row: row.read)
    unwanted = np.array([row.wanted.start for row in ordered])
    table = routes.prefix_table([row.read for row in ordered])
    assert max(part.shared for part in routes.shared_prefix_groups(table, unwanted, 0)) >= 32
    assert max(len(row.ids) for row in rows) > window


def test_a_model_that_looks_at_padding_is_run_without(monkeypatch: pytest.MonkeyPatch) -> None:
    model = deepcopy(family("mamba"))
    plain = model.backbone.forward

    def looking(input_ids: Any, attention_mask: Any = None, **settings: Any) -> Any:
        out = plain(input_ids=input_ids, attention_mask=attention_mask, **settings)
        if attention_mask is not None and not attention_mask.all():
            out.last_hidden_state = out.last_hidden_state * 3 + 1
        return out

    monkeypatch.setattr(model.backbone, "forward", looking)
    found, notes = scores(model)
    assert notes["path"] == "batches of one length"
    assert found[ROWS[0]] == pytest.approx(alone(family("mamba"), ROWS[0]), abs=1e-4)


def test_the_head_sees_only_what_has_a_successor_that_is_scored() -> None:
    model = family("llama")
    seen = []
    hook = model.lm_head.register_forward_pre_hook(lambda _, given: seen.append(given[0].shape[1]))
    notes: dict[str, Any] = {}
    identity = Identity(kind="hf", label="tiny", key={})
    forward = CausalForward(
        LoadedModel(model, None, torch.device("cpu"), identity, ModelOptions()), notes
    )
    assert forward.route.name == "packed trees"
    seen.clear()
    list(forward.score(ROWS))
    hook.remove()
    assert sum(seen) == len({row.ids[: n + 1] for row in ROWS for n in row.wanted})


@pytest.mark.parametrize("name", ["mistral", "gemma3_text", "gpt_neo", "mpt", "lfm2", "qwen3_next"])
def test_a_wrong_mask_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """These take one mask without an error and come out wrong by nats."""
    monkeypatch.setattr(forward, "mask_layout", lambda _: MaskLayout())
    model = family(name)
    found, notes = scores(model)
    assert notes["path"] != "packed trees"
    assert found[ROWS[0]] == pytest.approx(alone(model, ROWS[0]), abs=1e-4)


def test_a_window_as_wide_as_the_model_reads_is_none() -> None:
    config = family("mistral").config
    assert prefix_routes.mask_layout(config) == MaskLayout(window=4)
    config = type(config)(**{**config.to_dict(), "sliding_window": 1 << 20})
    assert prefix_routes.mask_layout(config) == MaskLayout()


def test_a_family_nobody_measured_is_not_packed() -> None:
    config = family("llama").config
    unknown = type(config)(**config.to_dict())
    unknown.model_type = "unheard_of"
    assert prefix_routes.mask_layout(unknown) is None


LONG_ROPE = {
    "rope_type": "longrope",
    "rope_theta": 1e4,
    "short_factor": [1.0] * 4,
    "long_factor": [3.0] * 4,
    "original_max_position_embeddings": 20,
}


@pytest.mark.parametrize("kind", ["phi3", "llama"])
def test_positions_that_depend_on_the_batch_keep_long_rows_apart(kind: str) -> None:
    """Past 20 tokens a batch gets other positions, the shorter rows in it too."""
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        kind,
        **GROUPED,
        max_position_embeddings=128,
        original_max_position_embeddings=20,
        rope_parameters=LONG_ROPE,
    )
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    assert batch_independent_length(config) == 20
    assert {len(row.read) > 20 for row in ROWS} == {True, False}
    found, notes = scores(model)
    assert notes["path"] == "packed trees"
    for row in ROWS:
        assert found[row] == pytest.approx(alone(model, row), abs=1e-4)
    # Of any other route too: here one that pads.
    loaded = LoadedModel(
        model, None, torch.device("cpu"), Identity(kind="hf", label="t", key={}), ModelOptions()
    )
    forward = CausalForward(loaded, {})
    padded = PaddedRoute(forward._runner, forward._limits)
    vars(forward)["route"] = LengthSplitRoute(padded, forward._runner, forward._limits, 20)
    for part in forward.score(ROWS):
        for row, result in part.items():
            assert not isinstance(result, Exception)
            assert result.logprobs == pytest.approx(alone(model, row), abs=1e-4)


def test_rotary_positions_of_the_common_kinds_are_steady() -> None:
    config = family("llama").config
    assert batch_independent_length(config) is None
    dynamic = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    settings = {**config.to_dict(), "rope_parameters": dynamic, "max_position_embeddings": 64}
    assert batch_independent_length(type(config)(**settings)) == 64


def test_a_batch_size_counts_rows_whatever_holds_them() -> None:
    model = family("llama")
    loaded = LoadedModel(
        model,
        None,
        torch.device("cpu"),
        Identity(kind="hf", label="t", key={}),
        ModelOptions(batch_size=6),
    )
    forward = CausalForward(loaded, {})
    rows = [
        ScoringRow((9 * n + 3, 9 * n + 4, 9 * n + 5, k, 7), 1) for n in range(8) for k in (1, 2)
    ]
    limits = forward._limits
    cut = list(limits.cut([3, 3, 3, 7, 1, 1], lambda _: 1, lambda rows: rows))
    assert cut == [[3, 3], [3], [7], [1, 1]]
    for some in forward.route.passes(rows):
        held = [len(some.rows(unit)) for unit in some.units]
        assert sum(held) <= 6 or len(held) == 1


def test_prefixes_are_kept_up_to_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    model = family("llama")
    loaded = LoadedModel(
        model, None, torch.device("cpu"), Identity(kind="hf", label="t", key={}), ModelOptions()
    )
    network = ModelRunner(loaded, {})
    monkeypatch.setattr(prefix_routes, "_KEPT_PREFIX_BYTES", (20_000, 0))
    route = prefix_routes.PackedTreeRoute(network, PassLimits(network, None), MaskLayout())
    each = 2 * 2 * 2 * 8 * 4  # layers, keys and values, heads, their size, bytes
    with torch.inference_mode():
        for start in (3, 4, 5):
            route._kept_prefix(tuple(range(start, start + 30)))
    assert [shared[0] for shared in route._kept] == [4, 5]
    assert 60 * each <= 20_000 < 90 * each
    with torch.inference_mode():
        route._kept_prefix(tuple(range(100)))  # too large for the room, and needed all the same
    assert len(route._kept) == 1


def test_a_shared_beginning_is_run_once_for_all_batches() -> None:
    model = family("llama")
    notes: dict[str, Any] = {}
    identity = Identity(kind="hf", label="tiny", key={})
    forward = CausalForward(
        LoadedModel(model, None, torch.device("cpu"), identity, ModelOptions()), notes
    )
    assert forward.route.name == "packed trees"
    widths = []
    hook = model.model.register_forward_pre_hook(
        lambda _, __, given: widths.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    instruction = tuple(range(3, 83))
    batches = [
        [
            ScoringRow((*instruction, 100 + n, 200 + k, n, k, 9), 81)
            for n in range(10)
            for k in range(14)
        ]
        for _ in range(2)
    ]
    batches[1] = [
        ScoringRow((*row.ids[:80], *(t + 1 for t in row.ids[80:])), 81) for row in batches[1]
    ]
    found: dict[ScoringRow, Any] = {}
    for batch in batches:
        for part in forward.score(batch):
            found |= part
    hook.remove()
    assert widths.count((1, 80)) == 1
    for row in (batches[0][0], batches[1][-1]):
        assert found[row].logprobs == pytest.approx(alone(model, row), abs=1e-4)
