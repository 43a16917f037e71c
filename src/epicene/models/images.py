"""Checks, seeds and thumbnails of images, shared by all models that draw or look."""

from __future__ import annotations

import base64
import hashlib
import io
import math
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import ImageStore

MAX_BYTES = 32 * 1024 * 1024
MAX_PIXELS = 16_000_000
# Formats that image models send; the library reads many more, some with a long record of holes.
_FORMATS = ("PNG", "JPEG", "WEBP")
_THUMBNAIL_QUALITY = 60


class ImageError(Exception):
    """Bytes that are not an image we accept; the message says why."""


class BrokenImageError(ImageError):
    """Not an image, or an incomplete one; another attempt may return a valid image."""


class UnusableImageError(ImageError):
    """An image that is not accepted or cannot be fetched; another attempt would fail too."""


class OversizedImageError(UnusableImageError):
    """An image that is too large, packed or unpacked."""


class ImageInfo(NamedTuple):
    """The type and size of an image."""

    media_type: str
    width: int
    height: int


def aspect_ratio(width: int, height: int) -> tuple[int, int]:
    """Width and height in lowest terms."""
    common = math.gcd(width, height)
    return width // common, height // common


def read_stored_image(files: ImageStore, sha256: str) -> tuple[bytes, ImageInfo]:
    """One of the run's images, for a model; raises `ImageError` if it is missing or broken."""
    try:
        data = files.path(sha256).read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise BrokenImageError("the file is not the one that was drawn; restore the original")
        return data, inspect_image(data)
    except InputError as error:
        raise ImageError(str(error).rstrip(".")) from None
    except OSError as error:
        raise ImageError(
            f"the image {sha256} is missing from the run's files ({error.strerror})"
        ) from None
    except ImageError as error:
        raise ImageError(f"the image {sha256} cannot be used: {error}") from None


def data_url(data: bytes, media_type: str) -> str:
    """An address that contains the image itself."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"


def to_rgb(data: bytes, longest_side: int) -> Any:
    """An image as a Pillow image: upright, in RGB on white, and no larger than requested."""
    with _open_image(data) as image:
        from PIL import Image

        upright = _upright(image).convert("RGBA")
    upright.thumbnail((longest_side, longest_side), Image.Resampling.BICUBIC)
    return _on_white(upright)


def make_thumbnail(data: bytes, longest_side: int) -> bytes:
    """A small copy as WebP, for people; faster than `to_rgb`, and for bytes not yet inspected."""
    check_byte_size(len(data))
    packed = io.BytesIO()
    with _open_image(data) as image:
        image.thumbnail((longest_side, longest_side), reducing_gap=2.0)
        small = _on_white(_upright(image).convert("RGBA"))
        small.save(packed, "WEBP", quality=_THUMBNAIL_QUALITY)
    return packed.getvalue()


def _upright(image: Any) -> Any:
    """Rotated as its EXIF data says, if these can be read."""
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
    """The type and size of an image, unpacked once to check that it is complete."""
    check_byte_size(len(data))
    with _open_image(data) as image:
        image.load()
        return ImageInfo(image.get_format_mimetype(), *image.size)


@contextmanager
def _open_image(data: bytes) -> Iterator[Any]:
    """An opened image, not yet unpacked; its flaws, now or later, are raised as `ImageError`."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError as error:
        raise InputError("Images need the package pillow; run `pip install pillow`.") from error
    try:
        with warnings.catch_warnings():
            # Sizes are judged below, by a stricter limit than the library's.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
        with image:
            _check_pixels(*image.size)
            yield image
    except Image.DecompressionBombError:
        raise OversizedImageError("the image has far too many pixels when it is unpacked") from None
    except UnidentifiedImageError:
        raise BrokenImageError("the bytes are not a PNG, JPEG or WebP image") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        # What the library raises depends on where in the file it stumbles.
        raise BrokenImageError(f"the image is broken ({error})") from None


def check_byte_size(size: int) -> None:
    """Raise for more bytes than are accepted; called during a download, to end it early."""
    if size > MAX_BYTES:
        raise OversizedImageError(
            f"the image has {size / 2**20:.0f} MB, which exceeds the limit of {MAX_BYTES >> 20} MB"
        )


def _check_pixels(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise OversizedImageError(
            f"the image has {width} × {height} pixels, which exceeds the limit of "
            f"{MAX_PIXELS // 1000000} megapixels"
        )
