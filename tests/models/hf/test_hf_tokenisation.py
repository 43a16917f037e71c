"""How texts become tokens: the boundary, the first token, offsets, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from epicene.models import UnanswerableError
from epicene.models.hf.tokenisation import EncodedText, TextEncoder, TextInContext
from models.hf.tiny_causal import LONGEST, byte_level, gpt2_like, metaspace, smollm2_like


def encoder(tokenizer: Any, max_length: int | None = LONGEST) -> TextEncoder:
    return TextEncoder(tokenizer, vocabulary=len(tokenizer), max_length=max_length)


def pieces(tokenizer: Any, ids: tuple[int, ...]) -> list[str]:
    tokens: list[str] = tokenizer.convert_ids_to_tokens(list(ids))
    return tokens


TOKENIZERS = {
    "bytes, space outside the span": gpt2_like(trim=True),
    "bytes, space inside the span": gpt2_like(trim=False),
    "metaspace": metaspace(),
}
tokenizers = pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)

texts = st.text(st.sampled_from("ab hesaid.é😀लड़कीكتب\n"), max_size=12)


@tokenizers
def test_a_token_astride_the_boundary_is_the_texts(tokenizer: Any) -> None:
    encoded = encoder(tokenizer).encode("a ", "b", "none")
    assert pieces(tokenizer, encoded.ids[encoded.first :]) in (["Ġb"], ["▁b"])
    assert (encoded.starts, encoded.ends) == ((0,), (1,))
    assert encoded.first == 1


@tokenizers
def test_the_space_before_a_word_is_the_words(tokenizer: Any) -> None:
    encoded = encoder(tokenizer).encode("a", " b he", "none")
    assert (encoded.starts, encoded.ends) == ((0, 2), (2, 5))


def test_offsets_do_not_depend_on_where_a_tokenizer_counts_spaces() -> None:
    text = "she  was tired \n and लड़की ने"
    outside, inside = (
        encoder(gpt2_like(trim=trim)).encode("the nurse ", text, "bos") for trim in (True, False)
    )
    assert outside == inside


@tokenizers
@given(context=texts, text=texts.filter(bool))
@example(context="", text=" ")  # of which one tokenizer says that it ends where it begins
def test_every_character_of_a_text_is_some_tokens(tokenizer: Any, context: str, text: str) -> None:
    encoded = encoder(tokenizer).encode(context, text, "none")
    spans = list(zip(encoded.starts, encoded.ends, strict=True))
    assert set(range(len(text))) == {i for start, end in spans for i in range(start, end)}
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert list(encoded.starts) == sorted(encoded.starts)
    assert len(encoded.ids) - encoded.first == len(spans) > 0
    assert list(encoded.ids) == tokenizer(context + text, add_special_tokens=False)["input_ids"]


def test_bytes_of_one_character_share_its_span() -> None:
    tokenizer = metaspace()
    encoded = encoder(tokenizer).encode("a", "é", "none")
    assert pieces(tokenizer, encoded.ids[encoded.first :]) == ["<0xC3>", "<0xA9>"]
    assert (encoded.starts, encoded.ends) == ((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("tokenizer", "policy", "opening"),
    [
        (gpt2_like(), "bos", "<|endoftext|>"),
        (gpt2_like(), "tokenizer-default", ""),
        (smollm2_like(), "bos", "<|im_start|>"),
        (smollm2_like(), "tokenizer-default", ""),
        (metaspace(), "bos", "<s>"),
        (metaspace(), "tokenizer-default", "<s>"),
        (byte_level(bos=None, eos="</s>"), "bos", "</s>"),
        (byte_level(bos="<s>", eos=None, adds=True), "tokenizer-default", "<s>"),
        (metaspace(), "none", ""),
    ],
)
@pytest.mark.parametrize("context", ["", "the nurse"])
def test_first_token_policies(tokenizer: Any, policy: Any, opening: str, context: str) -> None:
    encoded = encoder(tokenizer).encode(context, " she was", policy)
    bare = encoder(tokenizer).encode(context, " she was", "none")
    assert encoded.conditioned_on == opening
    assert encoded.ids[-len(bare.ids) :] == bare.ids
    assert pieces(tokenizer, encoded.ids[: -len(bare.ids)]) == ([opening] if opening else [])
    assert encoded.unscored == (not opening and not context)


@pytest.mark.parametrize("policy", ["bos", "tokenizer-default"])
def test_never_two_beginning_tokens(policy: Any) -> None:
    tokenizer = metaspace()
    encoded = encoder(tokenizer).encode("<s>the nurse", " she", policy)
    assert pieces(tokenizer, encoded.ids).count("<s>") == 1
    assert encoded.conditioned_on == ""


def test_nothing_is_put_before_what_a_template_made() -> None:
    (encoded,) = encoder(gpt2_like()).encode_all([TextInContext("[user] a\n", "b", "bos", True)])
    assert isinstance(encoded, EncodedText)
    assert list(encoded.ids) == gpt2_like()("[user] a\nb")["input_ids"]


def test_no_beginning_token_at_all() -> None:
    with pytest.raises(UnanswerableError, match="no beginning or end token"):
        encoder(byte_level(bos=None, eos=None)).encode("", "she", "bos")


def test_a_text_that_is_too_long_is_refused_not_cut() -> None:
    # n tokens are scored by reading n - 1, and the beginning token is read too.
    fits = encoder(gpt2_like(), max_length=8)
    assert len(fits.encode("", "z" * 8, "bos").ids) == 9
    with pytest.raises(UnanswerableError, match="9 tokens exceed the 8"):
        fits.encode("", "z" * 9, "bos")


def test_a_token_the_model_does_not_know_is_refused() -> None:
    tokenizer = gpt2_like()
    with pytest.raises(UnanswerableError, match="vocabulary has only 10"):
        TextEncoder(tokenizer, vocabulary=10, max_length=None).encode("", "she", "bos")


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(UnanswerableError, match="empty"):
        encoder(gpt2_like()).encode("the nurse", "", "bos")


@tokenizers
@given(before=texts, after=texts)
def test_decoding_what_was_encoded_gives_it_back(tokenizer: Any, before: str, after: str) -> None:
    # Decoded after its first letter, a text keeps the space that may follow there.
    first, *rest = tokenizer(f"z{before} b{after}", add_special_tokens=False)["input_ids"]
    if tokenizer.convert_ids_to_tokens(first) == "▁":  # a word of its own before the z
        _, *rest = rest
    assert encoder(tokenizer).decode(rest) == f"{before} b{after}"


def test_special_tokens_are_no_text_but_thinking_marks_are_seen() -> None:
    tokenizer = smollm2_like()
    ids = tokenizer("a<|im_end|> b<|im_start|>")["input_ids"]
    assert encoder(tokenizer).decode(ids) == "a b"
    thinker = byte_level(bos="<think>", eos="</think>")
    assert encoder(thinker).decode(thinker("<think>a</think> b")["input_ids"]) == (
        "<think>a</think> b"
    )
