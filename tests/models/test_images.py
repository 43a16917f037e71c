"""Which bytes are taken for a picture."""

from __future__ import annotations

import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow

from epicene.models import images
from epicene.models.images import (
    BrokenImageError,
    ImageInfo,
    OversizedImageError,
    inspect_image,
    to_rgb,
)
from models.sample_images import claiming, picture


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_the_formats_of_image_models_are_read(form: str) -> None:
    assert inspect_image(picture(5, 3, form)) == ImageInfo(f"image/{form.lower()}", 5, 3)


@pytest.mark.parametrize("form", ["GIF", "BMP", "TIFF", "EPS"])
def test_other_formats_are_not(form: str) -> None:
    with pytest.raises(BrokenImageError, match="not a PNG, JPEG or WebP"):
        inspect_image(picture(form=form))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_half_an_image_is_broken(form: str) -> None:
    whole = picture(64, 64, form)
    with pytest.raises(BrokenImageError):
        inspect_image(whole[: len(whole) // 2])


def test_sixteen_megapixels_are_taken_and_not_one_more() -> None:
    assert inspect_image(picture(4000, 4000)).width == 4000
    with pytest.raises(OversizedImageError, match="4001 × 4000 pixels"):
        inspect_image(picture(4001, 4000))


@pytest.mark.parametrize("side", [10_000, 60_000])
def test_a_bomb_is_refused_by_its_header(side: int) -> None:
    with pytest.raises(OversizedImageError):
        inspect_image(claiming(side, side))


def test_a_heavy_file_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = picture()
    monkeypatch.setattr(images, "MAX_BYTES", len(sound))
    assert inspect_image(sound).width == 4
    with pytest.raises(OversizedImageError, match="MB"):
        inspect_image(sound + b"\0")


@given(st.binary(max_size=200), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"]))
def test_no_bytes_do_worse_than_be_refused(data: bytes, head: bytes) -> None:
    with pytest.raises(images.ImageError):
        inspect_image(head + data)


def rgba(width: int, height: int, colour: tuple[int, int, int, int]) -> bytes:
    made = io.BytesIO()
    Pillow.new("RGBA", (width, height), colour).save(made, "PNG")
    return made.getvalue()


def test_an_image_is_unpacked_on_white_and_no_larger_than_asked() -> None:
    clear = to_rgb(rgba(8, 4, (255, 0, 0, 0)), 100)
    assert (clear.mode, clear.size, clear.getpixel((0, 0))) == ("RGB", (8, 4), (255, 255, 255))
    solid = to_rgb(rgba(400, 100, (10, 20, 30, 255)), 40)
    assert (solid.size, solid.getpixel((5, 5))) == ((40, 10), (10, 20, 30))
    grey = to_rgb(picture(6, 3), 100)
    assert grey.getpixel((1, 1)) == (90, 90, 90)


def test_an_image_that_lies_on_its_side_is_set_upright() -> None:
    made = io.BytesIO()
    exif = Pillow.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    Pillow.new("RGB", (8, 4)).save(made, "JPEG", exif=exif)
    assert to_rgb(made.getvalue(), 100).size == (4, 8)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_damaged_notes_of_a_camera_do_not_matter(form: str) -> None:
    notes = Pillow.Exif()
    notes[0x0112] = 6  # lying on its side
    packed = io.BytesIO()
    Pillow.new("RGB", (8, 4), "red").save(packed, form, exif=notes)
    sound = packed.getvalue()
    assert to_rgb(sound, 8).size == (4, 8)
    at = max(sound.find(b"II*"), sound.find(b"MM\x00*"))
    for place in range(at, at + 16):
        damaged = bytearray(sound)
        damaged[place] ^= 0xFF
        if form == "PNG":  # which checks its parts by a sum
            start = sound.index(b"eXIf") - 4
            length = int.from_bytes(sound[start : start + 4])
            part = bytes(damaged[start + 4 : start + 8 + length])
            damaged[start + 8 + length : start + 12 + length] = zlib.crc32(part).to_bytes(4)
        assert sorted(to_rgb(bytes(damaged), 8).size) == [4, 8]
        assert images.make_thumbnail(bytes(damaged), 8)
