"""Gaps filled by masked models, against every text of one token, and each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from epicene.core.records import Completions, Failed, Fill, Score
from epicene.models.hf import masked
from epicene.models.hf.masked import HfMasked
from models.hf.scoring.test_hf_masked_score import scores, slow_logprobs
from models.hf.tiny_masked import loaded, model_and_tokenizer
from models.model_answers import batch_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("bert", "xlm-roberta", "roberta")


def completions(family: str, request: Fill, **options: Any) -> Completions:
    (answer,) = batch_answers(HfMasked(loaded(family, **options)), request)
    assert isinstance(answer, Completions), answer
    return answer


def slow_row(family: str, row: Sequence[int], position: int) -> Any:
    model, _ = model_and_tokenizer(family)
    with torch.no_grad():
        return model(input_ids=torch.tensor([row])).logits[0, position].double().log_softmax(-1)


def every_text_of_one_token(family: str, head: str, before: str, after: str) -> dict[str, float]:
    """All texts that are one token between the two, with its log-probability there.

    `head` is the text whose tokens stand before the gap.
    """
    _, tokenizer = model_and_tokenizer(family)
    first = len(tokenizer(head)["input_ids"]) - 1
    surfaces = {
        tokenizer.convert_tokens_to_string([piece]).removeprefix("##").strip()
        for piece in tokenizer.get_vocab()
        if piece not in tokenizer.all_special_tokens
    }
    found: dict[int, str] = {}
    spread = None
    for text in sorted(surface for surface in surfaces if surface):
        for spelling in (text, f" {text}"):
            ids = tokenizer(before + spelling + after)["input_ids"]
            tail = tokenizer("q" + after)["input_ids"][len(tokenizer("q")["input_ids"]) - 1 :]
            if ids == [*tokenizer(head)["input_ids"][:-1], ids[first], *tail]:
                found.setdefault(ids[first], spelling)
                spread = slow_row(
                    family, [*ids[:first], tokenizer.mask_token_id, *ids[first + 1 :]], first
                )
    assert spread is not None
    found.pop(tokenizer.unk_token_id, None)
    return {text: float(spread[token]) for token, text in found.items()}


@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize(
    ("head", "before", "after"),
    [
        ("का", "का ", " है।"),  # a word between spaces
        ("का", "का ", "।"),  # before punctuation
        ("का", "का", " है।"),  # an ending, or a word with its space
        ("", "", " है।"),  # at the beginning
        ("he (", "he (", ") is"),  # between brackets
    ],
)
def test_one_token_is_the_best_of_all_texts_of_one_token(
    family: str, head: str, before: str, after: str
) -> None:
    answer = completions(family, Fill(item="1", before=before, after=after, top=7))
    every = every_text_of_one_token(family, head, before, after)
    best = sorted(every.items(), key=lambda pair: -pair[1])[:7]
    assert [completion.text for completion in answer.completions] == [text for text, _ in best]
    assert [completion.logprob for completion in answer.completions] == pytest.approx(
        [logprob for _, logprob in best], abs=1e-4
    )
    assert all(completion.tokens == 1 for completion in answer.completions)
    assert all(completion.with_after is None for completion in answer.completions)
    assert len(best) >= 2
    if before.endswith(" "):
        assert not any(completion.text.startswith(" ") for completion in answer.completions)


@pytest.mark.parametrize("family", KINDS)
def test_lengths_are_ranked_apart(family: str) -> None:
    request = Fill(item="1", before="का ", after=" है।", max_tokens=4, top=5)
    found = completions(family, request).completions
    lengths = [completion.tokens for completion in found]
    assert lengths == sorted(lengths)
    assert max(lengths) > 1
    for length in set(lengths):
        ranked = [completion.logprob for completion in found if completion.tokens == length]
        assert len(ranked) <= 5
        assert ranked == sorted(ranked, reverse=True)
    assert len({completion.text for completion in found}) == len(found)


@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize("before", ["का ", "का", ""])
def test_a_completion_scores_what_it_scores_as_a_choice(family: str, before: str) -> None:
    found = completions(family, Fill(item="1", before=before, after=" है।", max_tokens=3, top=4))
    choices = tuple(completion.text for completion in found.completions)
    chosen = completions(family, Fill(item="1", before=before, after=" है।", choices=choices))
    as_choice = {completion.text: completion for completion in chosen.completions}
    for completion in found.completions:
        assert as_choice[completion.text].tokens == completion.tokens
        assert as_choice[completion.text].logprob == pytest.approx(completion.logprob, abs=3e-5)


def test_a_wide_beam_finds_the_best_pair_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked, "BEAM_WIDTH", 1000)
    _, tokenizer = model_and_tokenizer("bert")
    head, tail = tokenizer("he")["input_ids"][:-1], tokenizer("is")["input_ids"][1:]
    mask = tokenizer.mask_token_id
    first = slow_row("bert", [*head, mask, mask, *tail], 2)
    best: tuple[float, str] = (-1e9, "")
    for one in range(len(tokenizer)):
        if float(first[one]) < best[0] or one in tokenizer.all_special_ids:
            continue
        second = slow_row("bert", [*head, one, mask, *tail], 3)
        for other in range(len(tokenizer)):
            text = tokenizer.decode([one, other])
            ids = tokenizer(f"he {text} is")["input_ids"]
            if ids == [*head, one, other, *tail]:
                best = max(best, (float(first[one] + second[other]), text))
    request = Fill(item="1", before="he ", after=" is", max_tokens=2, top=1)
    (_, pair) = completions("bert", request).completions
    assert pair.text == best[1]
    assert pair.logprob == pytest.approx(best[0], abs=1e-4)


@pytest.mark.parametrize("family", KINDS)
def test_choices_are_scored_left_to_right_in_place(family: str) -> None:
    _, tokenizer = model_and_tokenizer(family)
    answer = completions(family, Fill(item="1", before="का ", after="।", choices=("लड़की", "है")))
    by_text = {completion.text: completion for completion in answer.completions}
    for choice in ("लड़की", "है"):
        text = f"का {choice}।"
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        before = len(tokenizer("का", add_special_tokens=False)["input_ids"])
        after = len(tokenizer("है।", add_special_tokens=False)["input_ids"]) - len(
            tokenizer("है", add_special_tokens=False)["input_ids"]
        )
        words = [-1 - i for i in range(len(tokens))]
        words[before : len(tokens) - after] = [0] * (len(tokens) - after - before)
        expected = slow_logprobs(family, text, words, "within-word")[before : len(tokens) - after]
        assert by_text[choice].logprob == pytest.approx(sum(expected), abs=1e-4)
        assert by_text[choice].tokens == len(expected)
    assert [c.tokens for c in answer.completions] == sorted(c.tokens for c in answer.completions)


def test_a_one_word_choice_is_the_within_word_score() -> None:
    fill = Fill(item="1", before="the ", after=" is", choices=("teacher",))
    (choice,) = completions("bert", fill).completions
    scored = scores(HfMasked(loaded("bert")), Score(item="1", texts=("the teacher is",)))
    assert choice.logprob == pytest.approx(sum(p or 0 for p in scored.texts[0].logprobs[1:3]))


def test_an_empty_choice_is_certain() -> None:
    fill = Fill(item="1", before="the ", after="he is", choices=("he", ""))
    empty, he = completions("bert", fill).completions
    assert (empty.text, empty.logprob, empty.tokens) == ("", 0.0, 0)
    assert he.tokens == 1


@pytest.mark.parametrize("size", ["auto", 1, 5])
def test_neighbours_do_not_matter(size: Any) -> None:
    requests = [
        Fill(item="1", before="का ", after=" है।", max_tokens=2, top=3),
        Fill(item="2", before="he ", after=" is happy", top=5),
        Fill(item="3", before="she ", choices=("is", "teaches")),
    ]
    together = batch_answers(HfMasked(loaded("xlm-roberta", batch_size=size)), *requests)
    for request, answer in zip(requests, together, strict=True):
        alone = completions("xlm-roberta", request)
        assert isinstance(answer, Completions)
        assert [c.text for c in answer.completions] == [c.text for c in alone.completions]
        assert [c.logprob for c in answer.completions] == pytest.approx(
            [c.logprob for c in alone.completions], abs=3e-5
        )


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Fill(item="1", before="he ", max_tokens=0), "at least one"),
        (Fill(item="1", before="he ", top=0), "at least one"),
        (Fill(item="1", before="he " * 90), "positions for only 80"),
        (Fill(item="1", before="he " * 90, choices=("is",)), "positions for only 80"),
        (Fill(item="1", before="he", choices=(" ",)), "no token"),
    ],
)
def test_what_cannot_be_filled_fails_with_its_reason(request_: Fill, reason: str) -> None:
    (failed,) = batch_answers(HfMasked(loaded("bert")), request_)
    assert isinstance(failed, Failed)
    assert reason in failed.reason
