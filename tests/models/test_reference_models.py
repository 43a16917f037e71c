"""`copy` returns its input; `random` lands at chance whatever the texts look like."""

from __future__ import annotations

import io
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from PIL import Image as Pillow

from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.records import (
    Answer,
    Choice,
    Completions,
    Decoding,
    Draw,
    Failed,
    Fill,
    Generate,
    Image,
    Images,
    Look,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
)
from epicene.languages.tokenisation import words
from epicene.models import Model, ModelOptions
from epicene.models.reference import open_copy, open_random
from models.model_answers import answers

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.core.records import Request

OPTIONS = ModelOptions()
SHORT = "He left."
LONG = "She said that, after a very long day at the hospital, the surgeon had gone home at last."


def ask(model: Model, request: Request) -> Answer:
    return answers(model, request)[0]


def scored(model: Model, *texts: str, item: str = "i") -> tuple[TextScore, ...]:
    answer = ask(model, Score(item=item, texts=texts, language="en"))
    assert isinstance(answer, Scores)
    return answer.texts


def texts_of(model: Model, request: Request) -> list[str]:
    answer = ask(model, request)
    assert isinstance(answer, Texts)
    return [text.text for text in answer.texts]


def measures(text: TextScore) -> tuple[float, float, float, float]:
    return (
        text.sum,
        text.sum / text.tokens,
        text.sum / (text.words or 1),
        text.sum / text.characters,
    )


def within_chance(hits: int, n: int, share: float) -> bool:
    """Five standard errors: one failure in two million for a fair model."""
    return abs(hits - n * share) < 5 * math.sqrt(n * share * (1 - share))


# --- copy ----------------------------------------------------------------------------------


def test_copy_returns_the_source_once_per_sample_and_never_the_prompt() -> None:
    request = Generate(item="i", prompt="Rewrite it!", source="Je suis  prêt.\n", samples=3)
    answer = ask(open_copy("", OPTIONS), request)
    assert answer == Texts(texts=(Text(text="Je suis  prêt.\n"),) * 3)


def test_copy_returns_the_text_to_translate() -> None:
    request = Translate(item="i", text="أنا طبيب", language="ar", into="en")
    assert texts_of(open_copy("", OPTIONS), request) == ["أنا طبيب"]


@pytest.mark.parametrize(
    "request_", [Generate(item="i", prompt="Write!"), Translate(item="i", text="", into="fr")]
)
def test_copy_of_nothing_is_a_failure_and_not_an_empty_answer(request_: Request) -> None:
    answer = ask(open_copy("", OPTIONS), request_)
    assert isinstance(answer, Failed)
    assert "nothing to copy" in answer.reason


def test_copy_takes_a_label_and_no_name() -> None:
    assert open_copy("", ModelOptions(label="mine")).identity.label == "mine"
    with pytest.raises(InputError, match="copy:x"):
        open_copy("x", OPTIONS)


# --- random: score -------------------------------------------------------------------------


def test_each_of_two_texts_wins_half_the_time_by_every_measure() -> None:
    model = open_random("", OPTIONS)
    wins: Counter[int] = Counter()
    n = 2000
    for number in range(n):
        short, long = scored(model, SHORT, LONG, item=str(number))
        for which, (a, b) in enumerate(zip(measures(short), measures(long), strict=True)):
            assert a != b
            wins[which] += a > b
    assert all(within_chance(wins[which], n, 1 / 2) for which in range(4)), wins


def test_every_order_of_three_texts_is_as_likely() -> None:
    model = open_random("", OPTIONS)
    texts = (LONG, SHORT, "The nurse left early.")
    orders: Counter[tuple[int, ...]] = Counter()
    n = 3000
    for number in range(n):
        sums = [text.sum for text in scored(model, *texts, item=str(number))]
        orders[tuple(sorted(range(3), key=sums.__getitem__))] += 1
    assert len(orders) == 6
    assert all(within_chance(count, n, 1 / 6) for count in orders.values()), orders


@given(
    st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=6),
    st.integers(0, 2**31),
)
def test_the_order_is_the_same_by_every_measure_and_equal_texts_tie(
    texts: list[str], seed: int
) -> None:
    found = scored(open_random(str(seed), OPTIONS), *texts, texts[0])
    assert found[-1] == found[0]
    distinct = list(dict(zip(texts, found, strict=False)).values())
    orders = [
        sorted(range(len(distinct)), key=[measures(text)[which] for text in distinct].__getitem__)
        for which in range(4)
    ]
    assert all(order == orders[0] for order in orders)
    for text, score in zip(texts, found, strict=False):
        assert score.starts == (0, *score.ends[:-1])
        assert score.ends[-1] == score.characters == len(text)
        assert all(p is not None and p <= 0 for p in score.logprobs)


def test_across_requests_of_one_text_the_sum_does_not_know_the_length() -> None:
    model = open_random("", OPTIONS)
    n = 2000
    higher = sum(
        scored(model, SHORT, item=f"a{i}")[0].sum > scored(model, LONG, item=f"b{i}")[0].sum
        for i in range(n)
    )
    assert within_chance(higher, n, 1 / 2)


def test_a_token_is_a_word_of_the_segmenter() -> None:
    (text,) = scored(open_random("", OPTIONS), "She left, again.")
    assert text.ends == (3, 8, 16)
    assert text.words == text.tokens == 3


def test_empty_texts_and_hopeless_lengths_fail_with_a_reason() -> None:
    model = open_random("", OPTIONS)
    empty = ask(model, Score(item="i", texts=("a", " ")))
    assert isinstance(empty, Failed)
    assert "empty" in empty.reason
    lengths = ["a" * (1 if i % 2 else 10_000) + str(i) for i in range(400)]
    hopeless = ask(model, Score(item="i", texts=tuple(lengths)))
    assert isinstance(hopeless, Failed)
    assert "lengths" in hopeless.reason


def test_random_draws_a_text_as_likely_as_it_scores_it() -> None:
    model = open_random("", OPTIONS)
    request = Score(item="i", texts=(SHORT, LONG), language="en", decoding=Decoding(top_k=50))
    answer = ask(model, request)
    assert isinstance(answer, Scores)
    assert all(text.drawn == text.logprobs for text in answer.texts)
    assert all(text.drawn is UNSET for text in scored(model, SHORT, LONG))


# --- random: the other verbs ---------------------------------------------------------------


def test_a_filled_gap_has_a_fair_winner_and_a_mean_probability_of_one_in_k() -> None:
    model = open_random("", OPTIONS)
    choices = ("he", "she", "the extraordinarily long one")
    n = 3000
    wins: Counter[str] = Counter()
    probability = dict.fromkeys(choices, 0.0)
    for number in range(n):
        answer = ask(model, Fill(item=str(number), before="Then ", choices=choices))
        assert isinstance(answer, Completions)
        found = [(c.logprob, c.text) for c in answer.completions]
        assert found == sorted(found, reverse=True)
        assert math.fsum(math.exp(p) for p, _ in found) == pytest.approx(1, abs=1e-4)
        wins[answer.completions[0].text] += 1
        for logprob, text in found:
            probability[text] += math.exp(logprob)
    assert all(within_chance(wins[choice], n, 1 / 3) for choice in choices)
    # A share drawn evenly from the triangle has variance 1/18.
    slack = 5 * math.sqrt(1 / 18 / n)
    assert all(abs(probability[choice] / n - 1 / 3) < slack for choice in choices)


def test_generation_draws_evenly_from_the_choices_and_anew_for_each_sample() -> None:
    model = open_random("", OPTIONS)
    request = Generate(item="i", prompt="", choices=("m", "f", "n"), samples=3000, source="x")
    drawn = Counter(texts_of(model, request))
    assert set(drawn) == {"m", "f", "n"}
    assert all(within_chance(count, 3000, 1 / 3) for count in drawn.values())


@given(st.text(), st.integers(0, 99))
def test_without_choices_the_words_are_permuted_and_nothing_else_moves(
    source: str, seed: int
) -> None:
    request = Generate(item="i", prompt="", source=source, language="fr")
    if not source:
        assert isinstance(ask(open_random(str(seed), OPTIONS), request), Failed)
        return
    (made,) = texts_of(open_random(str(seed), OPTIONS), request)
    assert Counter(made) == Counter(source)


def test_every_permutation_of_the_words_is_as_likely() -> None:
    model = open_random("", OPTIONS)
    request = Generate(item="i", prompt="", source="un, deux: trois!", samples=3000, language="fr")
    made = Counter(texts_of(model, request))
    assert len(made) == 6
    assert "trois, un: deux!" in made
    assert all(within_chance(count, 3000, 1 / 6) for count in made.values())


def test_translation_permutes_the_text() -> None:
    text = "eins zwei drei vier fünf sechs sieben acht neun zehn"
    made = texts_of(
        open_random("", OPTIONS), Translate(item="i", text=text, language="de", into="en")
    )[0]
    spans = words(made, "de")
    assert sorted(made[s.start : s.end] for s in spans) == sorted(text.split())
    assert made != text


def test_looking_draws_evenly() -> None:
    model = open_random("", OPTIONS)
    n = 2000
    drawn: Counter[str | None] = Counter()
    for number in range(n):
        request = Look(item=str(number), image="0" * 64, question="Who?", choices=("man", "woman"))
        answer = ask(model, request)
        assert isinstance(answer, Choice)
        drawn[answer.choice] += 1
    assert within_chance(drawn["man"], n, 1 / 2)
    assert drawn["man"] + drawn["woman"] == n


def test_an_open_gap_is_filled_with_a_word_of_the_text() -> None:
    request = Fill(item="i", before="a b", after=" c.", top=2)
    answer = ask(open_random("", OPTIONS), request)
    assert isinstance(answer, Completions)
    assert len(answer.completions) == 2
    assert {each.text for each in answer.completions} < {" a", " b", " c"}


def test_guesses_without_anything_to_guess_from_fail_with_a_reason() -> None:
    model = open_random("", OPTIONS)
    for request in (
        Fill(item="i", before=""),
        Look(item="i", image="", question="", choices=()),
        Generate(item="i", prompt="Write!"),
    ):
        assert isinstance(ask(model, request), Failed)


@pytest.mark.parametrize(
    "request_",
    [
        Score(item="i", texts=()),
        Fill(item="i", before="a", choices=("b",), top=0),
        Generate(item="i", prompt="a", source="b", samples=0),
        Draw(item="i", prompt="a", shots=0),
        Draw(item="i", prompt="a", width=0),
    ],
)
def test_a_request_for_nothing_fails_with_a_reason(request_: Request) -> None:
    assert isinstance(ask(open_random("", OPTIONS), request_), Failed)


def test_a_seed_is_another_model_and_the_same_seed_the_same_one() -> None:
    again = [scored(open_random("5", OPTIONS), SHORT, LONG) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != scored(open_random("6", OPTIONS), SHORT, LONG)
    assert open_random("5", OPTIONS).identity.digest != open_random("6", OPTIONS).identity.digest
    assert open_random("", OPTIONS).identity == open_random("0", OPTIONS).identity
    with pytest.raises(InputError, match="random:five"):
        open_random("five", OPTIONS)


def test_guesses_are_the_same_on_every_machine() -> None:
    """Drawn once and written down: a change here changes every stored answer."""
    (text,) = scored(open_random("", OPTIONS), "She left")
    assert text.logprobs == (-0.30549, -0.91719)


# --- drawing ---------------------------------------------------------------------------------


def drawn(folder: Path, request: Draw, seed: str = "") -> tuple[Image, ...]:
    (answer,) = answers(open_random(seed, ModelOptions()), request, files=ImageFolder(folder))
    assert isinstance(answer, Images)
    return answer.images


def test_each_image_is_another_png(tmp_path: Path) -> None:
    images = drawn(tmp_path, Draw(item="i", prompt="a nurse", shots=4, width=20, height=6))
    assert len({image.sha256 for image in images}) == 4
    for image in images:
        data = ImageFolder(tmp_path).path(image.sha256).read_bytes()
        with Pillow.open(io.BytesIO(data)) as picture:
            picture.load()
            assert (picture.format, picture.mode) == ("PNG", "RGB")
            assert picture.size == (image.width, image.height) == (8, 6)
        assert image.media_type == "image/png"
        assert not image.refused


def test_noise_is_uniform(tmp_path: Path) -> None:
    pixels = []
    for image in drawn(tmp_path, Draw(item="i", prompt="a nurse", shots=20)):
        with Pillow.open(ImageFolder(tmp_path).path(image.sha256)) as picture:
            pixels.append(np.asarray(picture, dtype=float).ravel())
    values = np.concatenate(pixels)
    # Even on 0..255: mean 127.5, variance (256² - 1) / 12, whose square root is 73.9.
    assert abs(values.mean() - 127.5) < 5 * 73.9 / np.sqrt(values.size)
    assert abs(values.std() - 73.9) < 1.0


def test_images_depend_on_seed_request_and_image_alone(tmp_path: Path) -> None:
    request = Draw(item="i", prompt="a nurse", shots=2)
    first = drawn(tmp_path / "a", request)
    assert first == drawn(tmp_path / "b", request)
    others = [
        drawn(tmp_path, Draw(item="i", prompt="a doctor", shots=2)),
        drawn(tmp_path, Draw(item="i", prompt="a nurse", shots=2, seed=1)),
        drawn(tmp_path, request, seed="9"),
    ]
    assert len({image.sha256 for images in (first, *others) for image in images}) == 8


def test_images_are_the_same_on_every_machine(tmp_path: Path) -> None:
    """Drawn once and written down: a change here changes every stored picture."""
    (image,) = drawn(tmp_path, Draw(item="i", prompt="a nurse", width=2, height=2))
    assert image.sha256 == "4c44b0fa52ecbe5d40b66e4163c50cbb090972cc6abb313804b9aa1702ab66d9"
