"""Masked models: pseudo-log-likelihoods against a slow computation of their own."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.core.records import Boundaries, Decoding, Failed, Masking, Message, Score, Scores
from epicene.models import ModelOptions, hf
from epicene.models.hf.masked import HfMasked
from models.hf.tiny_masked import (
    ARABIC,
    ARABIC_WORDS,
    ENGLISH,
    FAMILIES,
    HINDI,
    HINDI_WORDS,
    loaded,
    model_and_tokenizer,
)
from models.model_answers import batch_answers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.models import Model

MASKINGS: tuple[Masking, ...] = ("original", "within-word", "whole-word")
BOUNDARIES: tuple[Boundaries, ...] = ("epicene", "tokenizer")


def scores(model: Model, request: Score) -> Scores:
    (answer,) = batch_answers(model, request)
    assert isinstance(answer, Scores), answer
    return answer


# --- the slow computation: one row at a time, all logits, words written out by hand -----------


def slow_words(tokenizer: Any, text: str, words: Sequence[str]) -> list[int]:
    """For each token of the text, which of the words it is of; other characters are their own."""
    owner: dict[int, int] = {}
    at = 0
    for number, word in enumerate(words):
        at = text.index(word, at)
        owner |= dict.fromkeys(range(at, at + len(word)), number)
        at += len(word)
    offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans = [[c for c in range(*span) if text[c] != " "] for span in offsets["offset_mapping"]]
    found: list[int] = []
    for i in range(len(spans)):
        characters = next(span for span in spans[i:] if span)  # a lone space leads to a word
        found.append(owner.get(characters[0], -1 - characters[0]))
    return found


def slow_logprobs(family: str, text: str, words: Sequence[int], masking: Masking) -> list[float]:
    """The log-probability of each token, by definition."""
    model, tokenizer = model_and_tokenizer(family)
    ids = tokenizer(text)["input_ids"]
    first = ids.index(tokenizer(text, add_special_tokens=False)["input_ids"][0])
    found = []
    for i, word in enumerate(words):
        row = list(ids)
        for j, other in enumerate(words):
            hidden = {
                "original": i == j,
                "within-word": word == other and j >= i,
                "whole-word": word == other,
            }
            if hidden[masking]:
                row[first + j] = tokenizer.mask_token_id
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([row])).logits[0, first + i].double()
        found.append(float(logits.log_softmax(-1)[ids[first + i]]))
    return found


@pytest.mark.parametrize("masking", MASKINGS)
@pytest.mark.parametrize("family", ["bert", "xlm-roberta", "roberta"])
@pytest.mark.parametrize(
    ("text", "words", "language"),
    [(HINDI, HINDI_WORDS, "hi"), (ARABIC, ARABIC_WORDS, "ar")],
    ids=["Hindi", "vocalised Arabic"],
)
def test_scores_equal_the_slow_computation(
    family: str, text: str, words: tuple[str, ...], language: str, masking: Masking
) -> None:
    request = Score(item="1", texts=(text,), masking=masking, language=language)
    answer = scores(HfMasked(loaded(family)), request)
    of_tokens = slow_words(model_and_tokenizer(family)[1], text, words)
    expected = slow_logprobs(family, text, of_tokens, masking)
    assert list(answer.texts[0].logprobs) == pytest.approx(expected, abs=1e-4)
    assert answer.method == f"{masking} (epicene words)"
    assert answer.conditioned_on == ""
    assert answer.texts[0].words == len(words)
    assert answer.texts[0].characters == len(text)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_in_one_padded_batch(family: str) -> None:
    texts = (ENGLISH, "she is happy", "he")
    words = (ENGLISH[:-1].split(), texts[1].split(), ["he"])
    model = HfMasked(loaded(family))
    answer = scores(model, Score(item="1", texts=texts, language="en"))
    tokenizer = model_and_tokenizer(family)[1]
    for text, its, scored in zip(texts, words, answer.texts, strict=True):
        expected = slow_logprobs(family, text, slow_words(tokenizer, text, its), "within-word")
        assert list(scored.logprobs) == pytest.approx(expected, abs=1e-4)
    assert model.notes()["head"] == "wanted positions alone"
    assert model.notes()["batches"] == ("of one length" if family == "fnet" else "padded")


def test_a_head_that_looks_at_its_neighbours_is_given_all_positions() -> None:
    own, _ = model_and_tokenizer("bert")

    class Mixing(type(own)):  # type: ignore[misc]
        def forward(self, **inputs: Any) -> Any:
            output = super().forward(**inputs)
            output.logits = output.logits + output.logits.roll(1, dims=1)
            return output

    mixing = Mixing(own.config).eval()
    mixing.load_state_dict(own.state_dict())
    model = HfMasked(loaded("bert", model=mixing))
    scored = scores(model, Score(item="1", texts=("he is",), masking="original")).texts[0]
    assert model.notes()["head"] == "all positions"
    tokenizer = model_and_tokenizer("bert")[1]
    ids = tokenizer("he is")["input_ids"]
    row = [ids[0], tokenizer.mask_token_id, *ids[2:]]
    with torch.no_grad():
        logits = mixing(input_ids=torch.tensor([row])).logits[0, 1]
    assert scored.logprobs[0] == pytest.approx(float(logits.log_softmax(-1)[ids[1]]), abs=1e-4)


# --- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "language"),
    [(HINDI, HINDI_WORDS, "hi"), (ARABIC, ARABIC_WORDS, "ar")],
    ids=["Hindi", "vocalised Arabic"],
)
def test_a_tokenizer_that_cuts_at_marks_does_not_make_the_words(
    text: str, words: tuple[str, ...], language: str
) -> None:
    _, tokenizer = model_and_tokenizer("roberta")
    encoding = tokenizer(text, add_special_tokens=False)
    own = [word for word in encoding.word_ids() if word is not None]
    ours = slow_words(tokenizer, text, words)
    assert len(set(own)) > 2 * len(words)  # it does cut inside words

    model = HfMasked(loaded("roberta"))
    for boundaries, numbers in zip(BOUNDARIES, (ours, own), strict=True):
        request = Score(item="1", texts=(text,), language=language, boundaries=boundaries)
        answer = scores(model, request)
        expected = slow_logprobs("roberta", text, numbers, "within-word")
        assert list(answer.texts[0].logprobs) == pytest.approx(expected, abs=1e-4)
        assert answer.method == f"within-word ({boundaries} words)"
    by_words, by_tokenizer = (
        slow_logprobs("roberta", text, numbers, "within-word") for numbers in (ours, own)
    )
    assert abs(sum(by_words) - sum(by_tokenizer)) > 1


def test_punctuation_is_no_part_of_the_word_before_it() -> None:
    """A Metaspace tokenizer counts it as one."""
    model = HfMasked(loaded("xlm-roberta"))
    request = Score(item="1", texts=("she is.",), masking="whole-word", language="en")
    ours = scores(model, request).texts[0]
    theirs = scores(
        model,
        Score(
            item="1",
            texts=("she is.",),
            masking="whole-word",
            language="en",
            boundaries="tokenizer",
        ),
    ).texts[0]
    assert ours.ends == (3, 6, 7)
    assert ours.logprobs[0] == theirs.logprobs[0]
    assert ours.logprobs[1] != pytest.approx(theirs.logprobs[1], abs=1e-3)


def test_each_part_of_a_letter_is_scored_once() -> None:
    scored = scores(HfMasked(loaded("roberta")), Score(item="1", texts=("है",), language="hi"))
    text = scored.texts[0]
    assert (text.starts, text.ends) == ((0, 1, 1), (1, 2, 2))  # ह whole, ै in two bytes' tokens
    assert text.tokens == 3


# --- context, bounds -----------------------------------------------------------------------


@pytest.mark.parametrize("family", ["bert", "xlm-roberta", "roberta"])
def test_context_is_seen_and_not_counted(family: str) -> None:
    model = HfMasked(loaded(family))
    whole = scores(model, Score(item="1", texts=("the teacher is happy",), language="en")).texts[0]
    part = scores(
        model, Score(item="1", texts=(" is happy",), context="the teacher", language="en")
    ).texts[0]
    assert part.logprobs == pytest.approx(whole.logprobs[-part.tokens :], abs=2e-5)
    assert part.starts[0] == 0
    assert part.ends == tuple(end - len("the teacher") for end in whole.ends[-part.tokens :])
    spaced = scores(
        model, Score(item="1", texts=("is happy",), context="the teacher ", language="en")
    ).texts[0]
    assert spaced.logprobs == part.logprobs


def test_a_token_astride_the_boundary_is_the_texts() -> None:
    model = HfMasked(loaded("bert"))
    answer = scores(model, Score(item="1", texts=("cher is",), context="the tea", language="en"))
    text = answer.texts[0]  # teach|er with the boundary inside teach
    assert (text.starts, text.ends) == ((0, 2, 4), (2, 4, 7))
    whole = scores(model, Score(item="1", texts=("the teacher is",), language="en")).texts[0]
    assert text.logprobs == pytest.approx(whole.logprobs[1:], abs=2e-5)


def test_context_stays_visible_where_a_word_runs_on_from_it() -> None:
    request = Score(
        item="1", texts=("er is",), context="the teach", masking="whole-word", language="en"
    )
    scored = scores(HfMasked(loaded("bert")), request).texts[0]
    expected = slow_logprobs("bert", "the teacher is", [0, 1, 2, 3], "original")
    assert list(scored.logprobs) == pytest.approx(expected[2:], abs=1e-4)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Score(item="1", texts=("",)), "empty text"),
        (Score(item="1", texts=()), "no text"),
        (Score(item="1", texts=("he",), context=(Message(role="user", content="x"),)), "chat"),
        (
            Score(item="1", texts=("he " * 200,)),
            "202 tokens long, but the model has positions for only 80",
        ),
        (
            Score(item="1", texts=("he is",), decoding=Decoding(top_k=50)),
            "leave out the decoding",
        ),
    ],
)
def test_what_cannot_be_scored_fails_with_its_reason(request_: Score, reason: str) -> None:
    good = Score(item="2", texts=("he is",), language="en")
    failed, scored = batch_answers(HfMasked(loaded("bert")), request_, good)
    assert isinstance(failed, Failed)
    assert reason in failed.reason
    assert isinstance(scored, Scores)


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "modernbert", "deberta-v2"])
def test_as_many_tokens_as_there_are_positions(family: str) -> None:
    model = HfMasked(loaded(family))
    max_length = 78 if family == "roberta" else 80  # RoBERTa counts from behind the padding
    fits, too_long = (
        Score(item="1", texts=("he" + "." * (count - 3),), masking="whole-word")
        for count in (max_length, max_length + 1)
    )
    assert isinstance(batch_answers(model, fits)[0], Scores)
    assert isinstance(batch_answers(model, too_long)[0], Failed)


def test_what_looks_like_a_special_token_is_text_or_refused() -> None:
    scored = scores(HfMasked(loaded("bert")), Score(item="1", texts=("he [MASK] is",)))
    assert scored.texts[0].tokens == 5  # he [ MASK ] is
    model = HfMasked(loaded("xlm-roberta"))
    (failed,) = batch_answers(model, Score(item="1", texts=("he <mask>",)))
    assert isinstance(failed, Failed)
    assert "<mask>" in failed.reason


def test_a_tokenizer_without_a_mask_is_refused() -> None:
    from transformers import BertTokenizer

    one = loaded("bert")
    bare = BertTokenizer(vocab={"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3})
    bare.mask_token = None
    with pytest.raises(InputError, match="no mask token"):
        HfMasked(type(one)(one.model, bare, one.device, one.identity, one.options))


# --- batches ---------------------------------------------------------------------------------

TEXTS = (HINDI, ARABIC, ENGLISH, "he", "she is", "का है", "!?", "the teacher's é")
POOL = tuple(
    Score(item=str(i), texts=(text,), masking=masking, context=context)
    for i, (text, masking, context) in enumerate(
        (text, masking, context)
        for text in TEXTS
        for masking in MASKINGS
        for context in ("", "he is ")
    )
)
ALONE: dict[str, dict[str, Scores]] = {}


@settings(max_examples=25, deadline=None)
@given(
    family=st.sampled_from(["bert", "xlm-roberta", "roberta", "fnet"]),
    batch=st.lists(st.sampled_from(POOL), min_size=1, max_size=8),
    size=st.sampled_from(["auto", 1, 3, 7]),
)
def test_a_score_does_not_depend_on_its_neighbours(
    family: str, batch: list[Score], size: Any
) -> None:
    alone = ALONE.setdefault(family, {})
    for request in batch:
        if request.item not in alone:
            alone[request.item] = scores(HfMasked(loaded(family, batch_size=1)), request)
    for request, answer in zip(
        batch, batch_answers(HfMasked(loaded(family, batch_size=size)), *batch), strict=True
    ):
        assert isinstance(answer, Scores)
        expected = alone[request.item].texts[0]
        assert answer.texts[0].logprobs == pytest.approx(expected.logprobs, abs=2e-5)
        assert answer.texts[0].starts == expected.starts


def test_equal_rows_are_computed_once() -> None:
    model = HfMasked(loaded("bert"))
    request = Score(item="1", texts=("he is", "she is"), masking="original", language="en")
    batch_answers(model, request, request)
    # Four tokens to mask, but "[MASK] is" is the same row for both texts.
    assert model.notes()["rows"] == 3


def test_what_the_tokenizer_cannot_tell_is_noted() -> None:
    model = HfMasked(loaded("bert"))
    batch_answers(
        model, Score(item="1", texts=("he ☃ is ☃",)), Score(item="2", texts=("he", "she"))
    )
    assert model.notes()["unknown_tokens"] == 2
    assert model.notes()["requests_with_texts_alike"] == 0
    batch_answers(model, Score(item="3", texts=("he ☃", "he ☂", "she")))
    assert model.notes()["requests_with_texts_alike"] == 1


def failing(family: str, when: Any) -> Any:
    """The tiny model, out of memory when `when` says so of the input's shape."""
    own, _ = model_and_tokenizer(family)

    small = deepcopy(own)

    def check(_: Any, given: tuple[Any, ...], inputs: dict[str, Any]) -> None:
        if when(*(given[0] if given else inputs["input_ids"]).shape):
            raise torch.OutOfMemoryError("out of memory")

    small.base_model.register_forward_pre_hook(check, with_kwargs=True)
    return small


def test_batches_are_halved_where_memory_runs_out() -> None:
    request = Score(item="1", texts=(ENGLISH,), language="en")
    model = HfMasked(loaded("bert", model=failing("bert", lambda rows, _: rows > 3)))
    halved = scores(model, request).texts[0].logprobs
    assert halved == pytest.approx(scores(HfMasked(loaded("bert")), request).texts[0].logprobs)
    assert cast("int", model.notes()["halvings"]) > 0


def test_a_text_too_large_for_memory_fails_alone() -> None:
    too_large = failing("bert", lambda _, tokens: tokens > 13)
    model = HfMasked(loaded("bert", model=too_large, batch_size=2))
    large = Score(item="1", texts=(ENGLISH,), language="en")
    small = Score(item="2", texts=("she is",), language="en")
    failed, scored = batch_answers(model, large, small)
    assert isinstance(failed, Failed)
    assert "memory" in failed.reason
    assert isinstance(scored, Scores)


def test_a_saved_model_is_opened_and_answers_the_same(tmp_path: Path) -> None:
    for part in model_and_tokenizer("xlm-roberta"):
        part.save_pretrained(tmp_path)
    request = Score(item="1", texts=(HINDI,), language="hi")
    opened = hf.open(str(tmp_path), ModelOptions(device="cpu"))
    assert scores(opened, request) == scores(HfMasked(loaded("xlm-roberta")), request)


def test_a_closed_model_keeps_its_name_and_notes() -> None:
    model: Model = HfMasked(loaded("bert"))
    batch_answers(model, Score(item="1", texts=("he",)))
    model.close()
    assert model.identity.label == "bert"
    assert model.verbs == {"score", "fill"}
    assert model.notes()["rows"] == 1
