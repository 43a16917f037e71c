"""`random` draws pictures of noise, and the same ones whoever asks."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as Pillow

from epicene.core.files import ImageFolder
from epicene.core.records import Draw, Image, Images
from epicene.models import ModelOptions
from epicene.models.reference import open_random

if TYPE_CHECKING:
    from pathlib import Path


def drawn(folder: Path, request: Draw, seed: str = "") -> tuple[Image, ...]:
    ((answered,),) = open_random(seed, ModelOptions()).answer(
        iter([[(3, request)]]), ImageFolder(folder)
    )
    place, answer = answered
    assert place == 3
    assert isinstance(answer, Images)
    return answer.images


def test_each_shot_is_a_picture_of_its_own_that_a_reader_accepts(tmp_path: Path) -> None:
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


def test_noise_is_even(tmp_path: Path) -> None:
    pixels = []
    for image in drawn(tmp_path, Draw(item="i", prompt="a nurse", shots=20)):
        with Pillow.open(ImageFolder(tmp_path).path(image.sha256)) as picture:
            pixels.append(np.asarray(picture, dtype=float).ravel())
    values = np.concatenate(pixels)
    # Even on 0..255: mean 127.5, variance (256² - 1) / 12, whose square root is 73.9.
    assert abs(values.mean() - 127.5) < 5 * 73.9 / np.sqrt(values.size)
    assert abs(values.std() - 73.9) < 1.0


def test_pictures_depend_on_seed_request_and_shot_alone(tmp_path: Path) -> None:
    request = Draw(item="i", prompt="a nurse", shots=2)
    first = drawn(tmp_path / "a", request)
    assert first == drawn(tmp_path / "b", request)
    others = [
        drawn(tmp_path, Draw(item="i", prompt="a doctor", shots=2)),
        drawn(tmp_path, Draw(item="i", prompt="a nurse", shots=2, seed=1)),
        drawn(tmp_path, request, seed="9"),
    ]
    assert len({image.sha256 for images in (first, *others) for image in images}) == 8


def test_pictures_are_the_same_on_every_machine(tmp_path: Path) -> None:
    """Drawn once and written down: a change here changes every stored picture."""
    (image,) = drawn(tmp_path, Draw(item="i", prompt="a nurse", width=2, height=2))
    assert image.sha256 == "4c44b0fa52ecbe5d40b66e4163c50cbb090972cc6abb313804b9aa1702ab66d9"
