"""Pictures of pages, kept small."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PIL import Image
from playwright.sync_api import Page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator

IMAGES = Path(__file__).parents[1] / "images"
COLOURS = 256
LARGEST = 150_000  # bytes
EDGE = 12  # pixels between pages that stand side by side


class Camera:
    """Takes pictures in one browser: those whose names begin as wanted, or all."""

    def __init__(self, browser: Browser, wanted: Sequence[str]) -> None:
        self._browser = browser
        self._wanted = tuple(wanted)

    def wants(self, name: str) -> bool:
        """Whether a picture, or one of those whose names begin so, is to be taken."""
        return not self._wanted or any(
            name.startswith(each) or each.startswith(name) for each in self._wanted
        )

    @contextmanager
    def page(self, language: str = "en", *, width: int = 760, scale: float = 1.5) -> Iterator[Page]:
        """A window of somebody who reads the language."""
        context = self._browser.new_context(
            locale=language,
            viewport={"width": width, "height": 800},
            device_scale_factor=scale,
            reduced_motion="reduce",
        )
        yield context.new_page()
        context.close()

    def take(self, name: str, shown: Page | Locator) -> None:
        """Keep a picture of a whole page, or of a part of one."""
        if self.wants(name):
            save(name, taken(shown))

    def take_window(self, name: str, page: Page) -> None:
        """Keep a picture of as much of a page as the window shows."""
        if self.wants(name):
            save(name, _picture(page.screenshot()))


def taken(shown: Page | Locator) -> Image.Image:
    """A picture of a whole page, or of a part of one."""
    data = _whole(shown) if isinstance(shown, Page) else shown.screenshot()
    return _picture(data)


def _picture(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def _whole(page: Page) -> bytes:
    """A page, as high as what is on it."""
    size = page.viewport_size
    assert size is not None
    height: float = page.evaluate("document.body.getBoundingClientRect().bottom + scrollY")
    clip = {"x": 0.0, "y": 0.0, "width": float(size["width"]), "height": height}
    return page.screenshot(full_page=True, clip=cast("FloatRect", clip))


def save(name: str, picture: Image.Image) -> None:
    """Keep a picture in docs/images, in few colours."""
    IMAGES.mkdir(exist_ok=True)
    path = IMAGES / f"{name}.png"
    # By how far colours are apart, not by how common they are: markers of models are small.
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.name}: {picture.width} × {picture.height}, {size // 1000} kB")
    if size > LARGEST:
        raise SystemExit(f"{path} is too large for the repository.")


def side_by_side(
    pictures: Sequence[Image.Image], *, from_right: bool, across: int = 3
) -> Image.Image:
    """Pages in rows, in the order in which they are read."""
    rows = [pictures[start : start + across] for start in range(0, len(pictures), across)]
    width = pictures[0].width
    heights = [max(picture.height for picture in row) for row in rows]
    sheet = Image.new(
        "RGB", (across * (width + EDGE) + EDGE, sum(heights) + EDGE * (len(rows) + 1)), "#c8ccd2"
    )
    top = EDGE
    for row, height in zip(rows, heights, strict=True):
        for place, picture in enumerate(row):
            column = across - 1 - place if from_right else place
            framed = Image.new("RGB", (width, height), "white")
            framed.paste(picture, (0, 0))
            sheet.paste(framed, (EDGE + column * (width + EDGE), top))
        top += height + EDGE
    return sheet
