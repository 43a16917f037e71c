"""Which tokens a choice is after a prompt, and how few rows score them all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from epicene.models import UnanswerableError
from epicene.models.hf.vision.model import ChoiceTokens, choices_after_prompt, choices_as_answers
from models.hf.tiny_vision import WORDS, tokenizer


@pytest.mark.parametrize(
    ("prompt", "space"),
    [("Answer:", " "), ("Answer: ", ""), ("assistant\n", ""), ("Answer:</s>", "")],
)
def test_a_space_stands_before_the_choice_where_the_prompt_ends_in_a_letter(
    prompt: str, space: str
) -> None:
    found = choices_after_prompt(tokenizer(), prompt, WORDS)
    words = tokenizer()
    whole = [
        words(f"{prompt}{space}{word}", add_special_tokens=False)["input_ids"] for word in WORDS
    ]
    read = words(prompt, add_special_tokens=False)["input_ids"]
    kept = read[: len(read) - found.dropped]
    assert [[*kept, *ids] for ids in found.ids] == whole


def test_a_token_across_the_boundary_belongs_to_the_choice() -> None:
    """With a token for ":m" the prompt's last token is taken back."""
    vocabulary = {"a": 0, ":": 1, "m": 2, "f": 3, ":m": 4, "\n": 5}
    model = Tokenizer(models.BPE(vocab=vocabulary, merges=[(":", "m")]))
    model.pre_tokenizer = pre_tokenizers.Split("\n", "isolated")
    words = PreTrainedTokenizerFast(tokenizer_object=model)
    assert choices_after_prompt(words, "a:\n", ("m", "f")) == ChoiceTokens(0, ((2,), (3,)))
    # Without a space in its vocabulary the tokenizer drops the one before the choice.
    assert choices_after_prompt(words, "a:", ("m", "f")) == ChoiceTokens(1, ((4,), (1, 3)))


def test_a_decoder_writes_a_choice_from_its_start() -> None:
    words = tokenizer()
    found = choices_as_answers(words, WORDS)
    assert found.dropped == 0
    assert [words.decode(list(ids)) for ids in found.ids] == list(WORDS)
    with pytest.raises(UnanswerableError, match="no token"):
        choices_as_answers(words, ("male", ""))


ids = st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple)


@given(st.lists(ids, min_size=1, max_size=5))
def test_every_choice_is_scored_by_a_row_and_no_row_is_the_beginning_of_another(
    choices: list[tuple[int, ...]],
) -> None:
    reads = ChoiceTokens(0, tuple(choices)).reads
    for choice in choices:
        assert any(read[: len(choice) - 1] == choice[:-1] for read in reads)
    for read in reads:
        assert any(choice[:-1] == read for choice in choices)
        assert not any(other != read and other[: len(read)] == read for other in reads)
    assert len(set(reads)) == len(reads)
