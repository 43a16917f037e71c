"""What all models share: seeds of samples, and requests that ask for nothing."""

from __future__ import annotations

import pytest

from epicene.core.records import Decoding, Draw, Fill, Generate, Request, Score, Translate, digest
from epicene.models import UnanswerableError, check_not_empty, sample_seed

NO_TOKENS = Decoding(max_new_tokens=0)


def test_seeds_differ_and_have_31_bits() -> None:
    seeds = {sample_seed(key, seed, i) for key in "ab" for seed in range(5) for i in range(50)}
    assert len(seeds) == 500
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_seeds_stay_the_same() -> None:
    """Written down: another seed is another answer."""
    assert [sample_seed(0, 0), sample_seed(3, 1)] == [2000842904, 1843231181]
    assert sample_seed(digest("a"), 1, 2) == 175659418


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Score(item="1", texts=()), "no text to score"),
        (Generate(item="1", prompt="a", samples=0), "one sample of at least one token"),
        (Generate(item="1", prompt="a", decoding=NO_TOKENS), "one sample of at least one token"),
        (Translate(item="1", text="a", into="fr", decoding=NO_TOKENS), "at least one token"),
        (Fill(item="1", before="a", top=0), "one completion of one token"),
        (Fill(item="1", before="a", max_tokens=0), "one completion of one token"),
        (Draw(item="1", prompt="a", shots=0), "one image of one pixel"),
        (Draw(item="1", prompt="a", width=0), "one image of one pixel"),
    ],
)
def test_a_request_for_nothing_is_refused(request_: Request, reason: str) -> None:
    with pytest.raises(UnanswerableError, match=reason):
        check_not_empty(request_)
