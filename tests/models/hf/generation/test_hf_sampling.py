"""The distribution of sampled tokens, against closed forms."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from epicene.models.hf.generation import decoding
from epicene.models.hf.generation.decoding import NoiseSource, SamplingParams, sample_tokens

LOGITS = torch.tensor([0.5, 2.0, -1.0, 1.0, -math.inf, 0.0])
MANY = 4000


def choosing(sample: int = 0, **settings: float | int | None) -> SamplingParams:
    return SamplingParams(
        key=b"request",
        seed=0,
        sample=sample,
        **{"temperature": 1.0, **settings},  # type: ignore[arg-type]
    )


def uniform_noise(params: SamplingParams, step: int) -> float:
    return float(NoiseSource([params]).at([step])[0])


def counts(**settings: float | int | None) -> Counter[int]:
    rows = [choosing(sample, **settings) for sample in range(MANY)]
    return Counter(sample_tokens(LOGITS.expand(MANY, -1), rows, step=0).tolist())


def probabilities(temperature: float, kept: list[int]) -> dict[int, float]:
    """The softmax over the kept tokens, by hand."""
    weights = {token: math.exp(float(LOGITS[token]) / temperature) for token in kept}
    return {token: weight / sum(weights.values()) for token, weight in weights.items()}


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, [0, 1, 2, 3, 5]),
        ({"temperature": 0.5}, [0, 1, 2, 3, 5]),
        ({"temperature": 2.0}, [0, 1, 2, 3, 5]),
        ({"top_k": 2}, [1, 3]),
        ({"top_k": 100}, [0, 1, 2, 3, 5]),
        # softmax: .55 .20 .12 .07 .03; .55 + .20 < .8 <= .55 + .20 + .12
        ({"top_p": 0.8}, [0, 1, 3]),
        ({"top_p": 0.5}, [1]),
        ({"top_p": 1.0}, [0, 1, 2, 3, 5]),
        # after top-k of 2: .73 .27
        ({"top_k": 2, "top_p": 0.7}, [1]),
        ({"top_k": 3, "top_p": 0.8}, [1, 3]),
    ],
)
def test_sampled_tokens_follow_the_softmax(settings: dict[str, float], kept: list[int]) -> None:
    drawn = counts(**settings)
    expected = probabilities(settings.get("temperature", 1.0), kept)
    assert set(drawn) <= set(expected)
    if len(kept) > 1:
        observed = [drawn[token] for token in kept]
        assert stats.chisquare(observed, [expected[t] * MANY for t in kept]).pvalue > 0.001
    else:
        assert drawn[kept[0]] == MANY


def test_a_temperature_of_nought_takes_the_likeliest() -> None:
    assert counts(temperature=0.0) == {1: MANY}


def test_each_row_has_its_own_settings() -> None:
    rows = [choosing(s, temperature=t) for s in range(50) for t in (0.0, 1.0, 5.0)]
    together = sample_tokens(LOGITS.expand(len(rows), -1).clone(), rows, step=3).tolist()
    alone = [int(sample_tokens(LOGITS[None].clone(), [row], step=3)) for row in rows]
    assert together == alone
    assert set(together[::3]) == {1}


def test_each_row_may_be_at_its_own_step() -> None:
    rows = [choosing(sample) for sample in range(40)]
    steps = [sample % 7 for sample in range(40)]
    together = sample_tokens(LOGITS.expand(40, -1).clone(), rows, steps).tolist()
    alone = [
        int(sample_tokens(LOGITS[None].clone(), [row], step))
        for row, step in zip(rows, steps, strict=True)
    ]
    assert together == alone


def test_drawing_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [choosing(sample, top_k=sample % 3 or None) for sample in range(40)]
    whole = sample_tokens(LOGITS.expand(40, -1).clone(), rows, 2).tolist()
    monkeypatch.setattr(decoding, "_MAX_LOGITS", 3 * len(LOGITS))
    assert sample_tokens(LOGITS.expand(40, -1).clone(), rows, 2).tolist() == whole


def reference(logits: torch.Tensor, row: SamplingParams, step: int) -> int:
    """The whole vocabulary put in order, of equals the first, and cut by hand."""
    scaled = (logits / row.temperature).tolist()
    order = sorted(range(len(scaled)), key=lambda token: (-scaled[token], token))
    kept = order[: row.top_k or None]
    weights = [math.exp(scaled[token]) for token in kept]
    if row.top_p is not None and row.top_p < 1:
        before = np.cumsum([0.0, *weights[:-1]]) / sum(weights)
        kept = [t for t, mass in zip(kept, before, strict=True) if mass == 0 or mass < row.top_p]
    weigh = {token: math.exp(scaled[token]) for token in kept}
    drawn, summed = uniform_noise(row, step) * sum(weigh.values()), 0.0
    for token in sorted(weigh):
        summed += weigh[token]
        if summed > drawn:
            return token
    raise AssertionError


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, 1, 3, 8, 500]),
            st.sampled_from([None, 0.35, 0.9, 1.0]),
            st.sampled_from([0.5, 1.0, 2.0]),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 99),
)
def test_the_tokens_that_a_row_may_draw_are_cut_as_by_hand(
    settings: list[tuple[int | None, float | None, float]], seed: int
) -> None:
    """With many equal logits, and a top k for some rows only."""
    torch.manual_seed(seed)
    logits = torch.randint(-6, 3, (len(settings), 60)) / 2
    logits[:, ::7] = -math.inf
    rows = [
        choosing(sample, top_k=top_k, top_p=top_p, temperature=temperature)
        for sample, (top_k, top_p, temperature) in enumerate(settings)
    ]
    expected = [reference(line, row, 5) for line, row in zip(logits, rows, strict=True)]
    assert sample_tokens(logits.clone(), rows, 5).tolist() == expected


def test_noise_is_even_and_independent_over_steps_samples_and_seeds() -> None:
    base = choosing()
    over_steps = [uniform_noise(base, step) for step in range(MANY)]
    over_samples = [uniform_noise(choosing(sample), 0) for sample in range(MANY)]
    for drawn in (over_steps, over_samples):
        assert stats.kstest(drawn, "uniform").pvalue > 0.001
        assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.06
    assert uniform_noise(base, 1) != uniform_noise(base, 2)


def test_noise_is_the_same_for_ever() -> None:
    """A resumed run must draw what the interrupted one would have drawn."""
    assert (
        uniform_noise(SamplingParams(b"request", seed=1, sample=2, temperature=1.0), 3)
        == 0.5974602828500792
    )


@given(st.binary(max_size=16), st.integers(-5, 5), st.integers(0, 9), st.integers(0, 999))
def test_noise_lies_between_nought_and_one(key: bytes, seed: int, sample: int, step: int) -> None:
    assert 0 < uniform_noise(SamplingParams(key, seed, sample, 1.0), step) < 1
