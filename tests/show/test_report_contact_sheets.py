"""Contact sheets: which pictures a page carries, and how a person looks through them."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from epicene.core.files import ImageFolder
from epicene.core.records import ContactSheet, ImageStrip, SheetImage
from epicene.show.contact_sheets import (
    THUMBNAIL_SIDE,
    Thumbnails,
    make_thumbnails,
    pack_sheets,
    round_robin,
)
from epicene.show.page import PageSection, render_page
from show.report_samples import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request


def png(number: int, size: tuple[int, int] = (300, 200)) -> bytes:
    """A picture of one colour, each number another."""
    packed = io.BytesIO()
    colour = (number * 37 % 256, number * 91 % 256, number * 53 % 256)
    Image.new("RGB", size, colour).save(packed, "PNG")
    return packed.getvalue()


def made(folder: Path, count: int, each: int = 3) -> list[ContactSheet]:
    """Sheets of two strips, the pictures in the folder; the effects go from low to high."""
    files = ImageFolder(folder)
    sheets = []
    for number in range(count):
        strips = tuple(
            ImageStrip(
                heading=f"{condition} prompts",
                summary="1 male, 2 female",
                prompts=(f"a prompt of {number}",),
                language="en",
                images=tuple(
                    SheetImage(
                        sha256=files.put(png(1000 * number + 100 * place + shot)),
                        caption=f"{shot} male (M M F)",
                        alt=f"{condition} image {shot} of word {number}: judged male",
                    )
                    for shot in range(each)
                ),
            )
            for place, condition in enumerate(("english", "gendered"))
        )
        sheets.append(
            ContactSheet(
                name=f"word-{number:03}",
                language="de",
                about=f"meaning {number}",
                value=None if number == 0 else number / count - 0.5,
                facets={"model": "painter", "grammar": "M" if number % 2 else "F"},
                strips=strips,
            )
        )
    return sheets


# --- which pictures --------------------------------------------------------------------------


def test_every_strip_gets_its_first_picture_before_any_gets_its_second(tmp_path: Path) -> None:
    sheets = made(tmp_path, 3)
    strips = [strip for sheet in sheets for strip in sheet.strips]
    wanted = [strip.images[turn].sha256 for turn in range(3) for strip in strips]
    assert list(round_robin(sheets)) == wanted
    # The same image twice is one.
    assert list(round_robin([*sheets, *sheets])) == wanted


def test_thumbnails_are_small_and_keep_to_the_room_there_is(tmp_path: Path) -> None:
    sheets = made(tmp_path, 5)
    all_of_them = make_thumbnails(sheets, [tmp_path / "none", tmp_path])
    assert len(all_of_them.images) == 30
    for packed in all_of_them.images.values():
        with Image.open(io.BytesIO(base64.b64decode(packed))) as picture:
            assert picture.format == "WEBP"
            assert picture.size == (THUMBNAIL_SIDE, 64)
    sizes = [len(packed) for packed in all_of_them.images.values()]
    room = sum(sizes[:12]) + 5
    some = make_thumbnails(sheets, [tmp_path], room / 1e6)
    assert list(some.images) == list(all_of_them.images)[:12]
    assert make_thumbnails(sheets, [tmp_path], 0) == Thumbnails({}, {})


def test_what_is_no_picture_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    sheets = made(tmp_path, 2)
    files = ImageFolder(tmp_path)
    first, second, *others = list(round_robin(sheets))
    files.path(first).unlink()
    files.path(second).write_bytes(png(1, (64, 64)))
    third, fourth = files.put(b"no picture"), files.put(png(1, (6000, 4000)))
    strip = ImageStrip(heading="", images=(SheetImage(sha256=third), SheetImage(sha256=fourth)))
    found = make_thumbnails([*sheets, ContactSheet(name="", strips=(strip,))], [tmp_path])
    assert found.broken == {
        first: "the image is missing from the run's files",
        second: f"The image {second} is damaged: its content has a different SHA-256",
        third: "the bytes are not a PNG, JPEG or WebP image",
        fourth: "the image has 6000 × 4000 pixels, which exceeds the limit of 16 megapixels",
    }
    assert set(found.images) == set(others)


def test_a_picture_that_lets_through_is_set_on_white(tmp_path: Path) -> None:
    packed = io.BytesIO()
    Image.new("RGBA", (40, 40), (255, 0, 0, 0)).save(packed, "PNG")
    name = ImageFolder(tmp_path).put(packed.getvalue())
    sheet = ContactSheet(
        name="x", strips=(ImageStrip(heading="y", images=(SheetImage(sha256=name),)),)
    )
    small = base64.b64decode(make_thumbnails([sheet], [tmp_path]).images[name])
    with Image.open(io.BytesIO(small)) as picture:
        assert picture.convert("RGB").getpixel((20, 20)) == (255, 255, 255)


def test_a_pack_holds_texts_once_and_says_what_is_missing(tmp_path: Path) -> None:
    sheets = made(tmp_path, 2)
    small = make_thumbnails(sheets, [tmp_path], 1)
    name = next(iter(small.images))
    packed = pack_sheets(sheets, Thumbnails({name: small.images[name]}, {}))
    assert (packed.sheets, packed.images, packed.embedded) == (2, 12, 1)
    assert packed.thumbnails == small.images[name]
    document: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed.data)))
    assert document["facets"] == ["model", "grammar"]
    places = [
        picture[0]
        for sheet in document["sheets"]
        for strip in sheet["strips"]
        for picture in strip["images"]
    ]
    assert places.count(0) == 1
    assert places.count(-1) == 11
    assert pack_sheets(sheets, small) == pack_sheets(sheets, small)


# --- in a browser ----------------------------------------------------------------------------


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page with these sheets, and holds it to silence: no error, no request."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    troubles: list[str] = []

    def note_request(request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            troubles.append(request.url)

    context.on("request", note_request)

    def open_page(sheets: list[ContactSheet], megabytes: float = 12) -> Page:
        small = make_thumbnails(sheets, [tmp_path], megabytes)
        section = PageSection(heading="Pictures", sheets=tuple(sheets), thumbnails=small)
        file = tmp_path / "report.html"
        file.write_text(render_page("A run", [section]), encoding="utf-8")
        tab = context.new_page()
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: troubles.append(dialog.message))
        tab.goto(f"{file.as_uri()}#pictures")
        tab.wait_for_selector(".sheet")
        return tab

    yield open_page
    context.close()
    assert troubles == []


def names(tab: Page) -> list[str]:
    return tab.locator(".sheet h4").all_inner_texts()


def status(tab: Page) -> str:
    return tab.locator(".status").inner_text()


@pytest.mark.browser
def test_the_strongest_come_first_in_either_direction(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    tab = opened(made(tmp_path, 9))
    assert names(tab) == ["word-008", "word-007", "word-006", "word-005"]
    assert status(tab) == "1 to 4 of 9 contact sheets"
    tab.get_by_label("order").select_option(label="lowest first")
    assert names(tab) == ["word-001", "word-002", "word-003", "word-004"]
    next_page = tab.get_by_role("button", name="Next")
    next_page.press("Enter")
    next_page.press("Enter")
    assert names(tab) == ["word-000"]  # nothing is known of its effect
    assert next_page.is_disabled()
    tab.get_by_label("order").select_option(label="as listed")
    assert names(tab)[0] == "word-000"
    assert tab.get_by_role("button", name="Previous").is_disabled()


@pytest.mark.browser
def test_pictures_are_seen_with_votes_and_alternatives(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    tab = opened(made(tmp_path, 9))
    images = tab.locator(".sheet img")
    assert images.count() == 4 * 2 * 3  # only what is shown is drawn
    first = images.first
    assert first.get_attribute("alt") == "english image 0 of word 8: judged male"
    tab.wait_for_function("() => [...document.images].every((image) => image.naturalWidth > 0)")
    assert first.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [96, 64]
    sheet = tab.locator(".sheet").first
    assert sheet.locator("figcaption").first.inner_text() == "0 male (M M F)"
    assert sheet.locator("h5").all_inner_texts() == [
        "english prompts\n1 male, 2 female",
        "gendered prompts\n1 male, 2 female",
    ]
    assert sheet.locator("h4").get_attribute("lang") == "de"
    assert not sheet.locator("ol").first.is_visible()
    sheet.get_by_text("The prompts").first.click()
    assert sheet.locator("li").first.inner_text() == "a prompt of 8"


@pytest.mark.browser
def test_sheets_are_searched_and_filtered(opened: Callable[..., Page], tmp_path: Path) -> None:
    tab = opened(made(tmp_path, 9))
    tab.get_by_label("Search by name or meaning").fill("MEANING 3")
    assert names(tab) == ["word-003"]
    assert status(tab) == "1 to 1 of 1 contact sheets"
    assert not tab.get_by_role("button", name="Next").is_visible()
    tab.get_by_label("Search by name or meaning").fill("nothing of the kind")
    assert status(tab) == "no contact sheets"
    tab.get_by_label("Search by name or meaning").fill("")
    tab.get_by_label("grammar").select_option(label="M (4)")
    assert names(tab) == ["word-007", "word-005", "word-003", "word-001"]
    assert tab.locator("select[name=model]").count() == 0  # one model is no choice


@pytest.mark.browser
def test_a_box_stands_for_what_is_not_there(opened: Callable[..., Page], tmp_path: Path) -> None:
    sheets = made(tmp_path, 2, each=2)
    refused = SheetImage(caption="1.1", alt="No image of 1", missing="a safety block")
    sheets.append(
        ContactSheet(
            name=HOSTILE, value=1.0, about=HOSTILE,
            strips=(ImageStrip(heading=HOSTILE, prompts=(HOSTILE,), images=(refused,)),),
        )
    )  # fmt: skip
    tab = opened(sheets, 0.0002)
    text = tab.locator(".contact").inner_text()
    assert "1 of 8 images are in this file" in text
    box = tab.get_by_role("img", name="No image of 1 (a safety block)")
    assert box.inner_text() == "a safety block"
    assert names(tab)[0] == HOSTILE
    assert tab.locator(".sheet img").count() == 1
    assert tab.locator(".box-for").count() == 1 + 7


@pytest.mark.browser
def test_without_script_the_page_says_what_it_holds(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    sheets = tuple(made(tmp_path, 3))
    file.write_text(
        render_page("A run", [PageSection(heading="Pictures", sheets=sheets)]), encoding="utf-8"
    )
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{file.as_uri()}#pictures")
    assert "3 contact sheets" in tab.locator("body").inner_text()
    context.close()
