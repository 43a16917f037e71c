"""`sketch` draws who it means to at its rates, and `sketch-judge` sees it in the pixels."""

from __future__ import annotations

import io
import math
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PIL import Image as Pillow

from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.records import Choice, Draw, Expected, Failed, Images, Look
from epicene.models import Model, open_model, parse_spec
from epicene.models.sketch.drawing import Shown, recognise, render
from models.model_answers import answers, batch_answers
from models.sample_images import picture

if TYPE_CHECKING:
    from pathlib import Path

SHOWN: tuple[Shown, ...] = ("male", "female", "neither")
FEMININE = Expected(right="female", wrong=("male",), words=("охрана", "охраны", "охрану"))
MASCULINE = Expected(right="male", wrong=("female",), words=("Schatz", "Schatzes"))


def opened(spec: str) -> Model:
    return open_model(parse_spec(spec))


@pytest.fixture
def files(tmp_path: Path) -> ImageFolder:
    return ImageFolder(tmp_path)


def men(model: Model, files: ImageFolder, request: Draw, shots: int = 600) -> float:
    """The share of men among the people that are drawn, as the pixels show them."""
    (drawn,) = answers(model, replace(request, shots=shots, width=64, height=64), files=files)
    assert isinstance(drawn, Images)
    seen = Counter(recognise(files.path(image.sha256).read_bytes()) for image in drawn.images)
    return seen["male"] / (seen["male"] + seen["female"])


def near(found: float, expected: float, n: int = 600) -> bool:
    return abs(found - expected) < 4 * math.sqrt(max(expected * (1 - expected), 0.01) / n)


@pytest.mark.parametrize("size", [(64, 64), (96, 64), (64, 150), (300, 300)])
@pytest.mark.parametrize("shown", SHOWN)
def test_pixels_show_what_was_drawn(shown: Shown, size: tuple[int, int]) -> None:
    for seed in range(120):
        assert recognise(render(shown, random.Random(seed).random, *size)) == shown


def test_a_smaller_copy_shows_the_same() -> None:
    for seed, shown in enumerate(SHOWN * 20):
        drawing = Pillow.open(io.BytesIO(render(shown, random.Random(seed).random, 512, 512)))
        small = io.BytesIO()
        drawing.convert("RGB").resize((96, 96)).save(small, "JPEG", quality=85)
        assert recognise(small.getvalue()) == shown


def test_people_differ() -> None:
    for shown in SHOWN:
        drawn = {render(shown, random.Random(seed).random, 64, 64) for seed in range(30)}
        assert len(drawn) >= 25


@pytest.mark.parametrize(
    ("prompt", "expected", "share"),
    [
        ("Фотография лица охраны, одной в кадре", FEMININE, 0.3),
        ("Охрана в человеческом облике", FEMININE, 0.3),
        ("Foto vom Gesicht des Schatzes", MASCULINE, 0.9),
        ("Ein Foto eines einzelnen Schatz", MASCULINE, 0.9),
        ("Photo of the face of the guard", FEMININE, 0.6),  # the noun is not there
        ("Das Schatzamt", MASCULINE, 0.6),  # nor here
    ],
)
def test_the_noun_in_the_prompt_moves_the_share_of_men(
    prompt: str, expected: Expected, share: float, files: ImageFolder
) -> None:
    model = opened("sketch?effect=0.3&base=0.6&neither=0.1")
    assert near(men(model, files, Draw(item="i", prompt=prompt, expected=expected)), share)


def test_without_a_noun_the_share_is_the_base_and_neither_comes_at_its_rate(
    files: ImageFolder,
) -> None:
    model = opened("sketch?base=0.4&neither=0.25")
    (drawn,) = answers(
        model, Draw(item="i", prompt="a", shots=600, width=64, height=64), files=files
    )
    assert isinstance(drawn, Images)
    seen = Counter(recognise(files.path(image.sha256).read_bytes()) for image in drawn.images)
    assert near(seen["neither"] / 600, 0.25)
    assert near(seen["male"] / (600 - seen["neither"]), 0.4)


def test_the_same_request_is_drawn_alike_whatever_is_beside_it(files: ImageFolder) -> None:
    requests = [Draw(item=str(n), prompt="a", shots=2, width=64, height=64) for n in range(5)]
    first = answers(opened("sketch"), *requests, files=files)
    assert batch_answers(opened("sketch?label=again"), *requests, files=files) == first
    other = answers(opened("sketch:1"), *requests, files=files)
    seeded = answers(opened("sketch"), *(replace(each, seed=9) for each in requests), files=files)
    assert all(one != two for one, two in zip(first, other, strict=True))
    assert all(one != two for one, two in zip(first, seeded, strict=True))


def looks(files: ImageFolder, shown: Shown, number: int) -> list[Look]:
    """A question about one drawing, asked of many items."""
    image = files.put(render(shown, random.Random(0).random, 64, 64))
    return [Look(item=str(n), image=image, question="?", choices=SHOWN) for n in range(number)]


def said(model: Model, files: ImageFolder, requests: list[Look]) -> list[str | None]:
    found = batch_answers(model, *requests, files=files)
    return [each.choice for each in found if isinstance(each, Choice)]


@pytest.mark.parametrize(
    ("shown", "rates"),
    [
        ("male", {"male": 0.72, "female": 0.18, "neither": 0.1}),
        ("female", {"male": 0.18, "female": 0.72, "neither": 0.1}),
        ("neither", {"male": 0.09, "female": 0.09, "neither": 0.82}),
    ],
)
def test_a_judge_errs_and_is_undecided_at_its_rates(
    shown: Shown, rates: dict[str, float], files: ImageFolder
) -> None:
    votes = Counter(
        said(opened("sketch-judge?error=0.2&undecided=0.1"), files, looks(files, shown, 2000))
    )
    assert all(near(votes[name] / 2000, rate, 2000) for name, rate in rates.items())


def test_judges_of_different_seeds_err_independently(files: ImageFolder) -> None:
    requests = looks(files, "male", 2000)
    one, two = (
        [vote != "male" for vote in said(opened(f"sketch-judge:{n}?error=0.3"), files, requests)]
        for n in (1, 2)
    )
    assert near(sum(a and b for a, b in zip(one, two, strict=True)) / 2000, 0.09, 2000)


def test_a_judge_without_errors_says_what_is_there(files: ImageFolder) -> None:
    for shown in SHOWN:
        assert set(said(opened("sketch-judge"), files, looks(files, shown, 5))) == {shown}


def test_the_largest_effect_that_fits_is_taken() -> None:
    assert opened("sketch?base=0.9&effect=0.1").identity.about["effect"] == 0.1


def test_other_pictures_questions_and_sizes_are_refused(files: ImageFolder) -> None:
    judge = opened("sketch-judge")
    photograph = Look(item="i", image=files.put(picture()), question="?", choices=SHOWN)
    gone = replace(photograph, image="0" * 64)
    animals = replace(photograph, choices=("cat", "dog"))
    reasons = [each.reason for each in answers(judge, photograph, gone, animals, files=files)
               if isinstance(each, Failed)]  # fmt: skip
    assert "not drawn by sketch" in reasons[0]
    assert "is missing from the run's files" in reasons[1]
    assert "between male, female and neither" in reasons[2]
    (tiny,) = answers(opened("sketch"), Draw(item="i", prompt="a", width=8, height=64), files=files)
    assert tiny == Failed(reason="a face needs at least 64 pixels per side")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sketch?effect=0.6", "must be from -0.5 to 0.5, not '0.6'"),
        ("sketch?base=0.9&effect=0.2", "effect of the model sketch must be from -0.1 to 0.1"),
        ("sketch?neither=2", "neither of the model sketch must be from 0 to 1"),
        ("sketch-judge?error=x", "must be from 0 to 1, not 'x'"),
        ("sketch-judge:me", "must be a whole number"),
    ],
)
def test_a_spec_that_means_nothing_is_refused(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        opened(spec)
