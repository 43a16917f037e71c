"""Checks, seeds and thumbnails of images, shared by all models that draw or look."""

from __future__ import annotations

import hashlib
import io
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError
from epicene.core.records import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import ImageStore

MAX_BYTES = 32 * 1024 * 1024
MAX_PIXELS = 16_000_000
# Formats that image models send; the library reads many more, some with a long record of holes.
_FORMATS = ("PNG", "JPEG", "WEBP")
_THUMBNAIL_QUALITY = 60


class ImageError(Exception):
    """Bytes that are no picture we keep; the message says why."""


class BrokenImageError(ImageError):
    """Not a picture, or not all of one: another attempt may bring a sound one."""


class OversizedImageError(ImageError):
    """A picture that is too large, or that would be if it were unpacked."""


class ImageInfo(NamedTuple):
    """What a picture's bytes say of it."""

    media_type: str
    width: int
    height: int


def image_seed(seed: int, shot: int) -> int:
    """The seed of one shot, of the request's seed and the shot's number alone."""
    return int.from_bytes(digest(seed, shot)[:4]) >> 1  # 31 bits, which every model takes


def read_stored_image(files: ImageStore, sha256: str) -> tuple[bytes, ImageInfo]:
    """One of the run's images, to be shown to a model; raises a PictureError if it cannot be."""
    try:
        data = files.path(sha256).read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise BrokenImageError("the file is not the one that was drawn; put that back")
        return data, inspect_image(data)
    except InputError as error:
        raise ImageError(str(error).rstrip(".")) from None
    except OSError as error:
        raise ImageError(
            f"the image {sha256} is not among the run's files ({error.strerror})"
        ) from None
    except ImageError as error:
        raise ImageError(f"the image {sha256} cannot be shown: {error}") from None


def to_rgb(data: bytes, longest_side: int) -> Any:
    """A sound picture as a Pillow one: upright, in RGB on white, and no larger than asked."""
    with _open_image(data) as image:
        from PIL import Image

        upright = _upright(image).convert("RGBA")
    upright.thumbnail((longest_side, longest_side), Image.Resampling.BICUBIC)
    return _on_white(upright)


def make_thumbnail(data: bytes, longest_side: int) -> bytes:
    """A small copy as WebP, for people; quicker than `unpacked`, and of bytes not yet inspected."""
    check_byte_size(len(data))
    packed = io.BytesIO()
    with _open_image(data) as image:
        image.thumbnail((longest_side, longest_side), reducing_gap=2.0)
        small = _on_white(_upright(image).convert("RGBA"))
        small.save(packed, "WEBP", quality=_THUMBNAIL_QUALITY)
    return packed.getvalue()


def _upright(image: Any) -> Any:
    """As its camera was held, if the picture says that and can be believed."""
    from PIL import ImageOps

    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # damaged notes of a camera raise whatever the first bad byte leads to
        return image


def _on_white(image: Any) -> Any:
    from PIL import Image

    ground = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(ground, image).convert("RGB")


def inspect_image(data: bytes) -> ImageInfo:
    """Unpack a picture to see that all of it is there, unless it is too large to be unpacked."""
    check_byte_size(len(data))
    with _open_image(data) as image:
        image.load()
        return ImageInfo(image.get_format_mimetype(), *image.size)


@contextmanager
def _open_image(data: bytes) -> Iterator[Any]:
    """A picture, not unpacked yet; what is wrong with it then or later is a PictureError."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError as error:
        raise InputError("Pictures need the package pillow: pip install pillow.") from error
    try:
        with warnings.catch_warnings():
            # Sizes are judged below, by a stricter limit than the library's.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
        with image:
            _check_pixels(*image.size)
            yield image
    except Image.DecompressionBombError:
        raise OversizedImageError("the picture would unpack to far too many pixels") from None
    except UnidentifiedImageError:
        raise BrokenImageError("the bytes are no PNG, JPEG or WebP picture") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        # What the library raises depends on where in the file it stumbles.
        raise BrokenImageError(f"the picture is broken ({error})") from None


def check_byte_size(size: int) -> None:
    """Raise for more bytes than are taken; asked while they come, the rest need not come."""
    if size > MAX_BYTES:
        raise OversizedImageError(
            f"the picture has {size / 2**20:.0f} MB, above the {MAX_BYTES >> 20} MB taken"
        )


def _check_pixels(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise OversizedImageError(
            f"the picture has {width} × {height} pixels, above the "
            f"{MAX_PIXELS // 1_000_000} megapixels taken"
        )
