"""Figures as SVG and PNG."""

from __future__ import annotations

import re
import struct
from typing import Any

import msgspec
import pytest

from epicene.core.records import Figure
from epicene.show import charts
from epicene.show.figures import THEME, inline_svg, png, script_fonts, svg


def figure(word: str = "word", **spec: Any) -> Figure:
    made = charts.bars("3", "A title", [{"word": word, "times": 4.0}], x="times", y="word")
    return msgspec.structs.replace(made, spec={**made.spec, **spec})


def test_svg_is_the_same_twice_and_carries_its_title() -> None:
    assert svg(figure()) == svg(figure())
    assert ">Figure 3: A title<" in svg(figure())
    assert ">Figure 3: A title<" not in svg(figure(), titled=False)
    noted = msgspec.structs.replace(figure(), notes=("Left out: ann.",))
    assert ">Left out: ann.<" in svg(noted)
    assert "Left out" not in svg(noted, titled=False)  # a page says it below
    assert 'aria-label="Figure 3: A title"' in svg(figure(), titled=False)


def test_inside_a_page_the_fonts_are_said_once() -> None:
    drawn = inline_svg(figure("جاتي"), "a-")
    alone = svg(figure("جاتي"), prefix="a-", titled=False)
    assert drawn.count("font-family") == 1
    assert re.match(r'<svg font-family="[^"]*Noto Sans Arabic', drawn)
    assert re.sub(r' font-family="[^"]*"', "", drawn) == re.sub(r' font-family="[^"]*"', "", alone)


def test_the_house_theme_is_applied() -> None:
    text = svg(figure())
    assert THEME["range"]["category"][0] in text
    assert "Noto Sans Devanagari" in text
    assert "Noto Sans Arabic" in text


def test_hostile_words_stay_text() -> None:
    text = svg(figure('</svg><script>alert(1)</script> id="clip0"'))
    assert "<script" not in text
    assert text.count("</svg>") == 1


def test_several_figures_share_a_page_without_sharing_ids() -> None:
    layers = figure('id="clip1" clip-path="url(#clip1)"').spec["layer"]
    clipped = {**layers[0], "mark": {"type": "bar", "clip": True}}
    made = figure('id="clip1"', layer=[clipped])
    text = svg(made, prefix="first-")
    ids = re.findall(r'<\w+ id="([^"]*)"', text)
    assert ids
    assert all(name.startswith("first-") for name in ids)
    assert set(re.findall(r'clip-path="url\(#([^)]*)\)', text)) <= set(ids)
    assert '>id="clip1"<' in text  # a label is left alone


@pytest.mark.parametrize(
    "spec",
    [
        {"data": {"url": "https://example.org/data.csv"}},
        {"data": {"url": "file:///etc/passwd"}},
        {"layer": [{"mark": {"type": "bar", "href": "https://example.org"}, "encoding": {}}]},
    ],
)
def test_a_figure_that_reaches_outside_is_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must contain its own data"):
        svg(figure(**spec))


def test_data_may_have_a_column_of_links() -> None:
    rows = [{"x": 1.0, "y": "a", "url": "https://example.org"}]
    assert svg(figure(data={"values": rows}))


def test_a_broken_specification_is_named() -> None:
    with pytest.raises(ValueError, match="Figure '3' cannot be drawn"):
        svg(figure(layer=[{"mark": "nonsense", "encoding": {}}]))


def test_png_has_the_size_of_the_svg_times_the_scale() -> None:
    text = svg(figure())
    size = re.search(r'width="(\d+)" height="(\d+)"', text)
    assert size is not None
    image = png(svg(figure()), scale=3)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", image[16:24]) == (3 * int(size[1]), 3 * int(size[2]))
    assert png(svg(figure("word"))) != png(svg(figure("other")))


def test_lines_of_notes_get_their_fonts_too() -> None:
    drawn = script_fonts(svg(msgspec.structs.replace(figure(), notes=("one", "लड़की", "a أنا"))))
    assert re.search(r'font-family="Noto Sans Devanagari[^"]*">लड़की<', drawn)
    assert re.search(r'font-family="Noto Sans Arabic[^"]*">أنا<', drawn)


def test_each_script_gets_its_font_in_a_png() -> None:
    def text(content: str) -> str:
        return script_fonts(f'<text font-family="Noto Sans">{content}</text>')

    assert re.fullmatch(
        r'<text font-family="Noto Sans Devanagari,[^"]*">जाती हूँ</text>', text("जाती हूँ")
    )
    assert re.fullmatch(r'<text font-family="Noto Sans Arabic,[^"]*">كاتبةٌ</text>', text("كاتبةٌ"))
    assert text("plain &lt;b&gt;") == '<text font-family="Noto Sans">plain &lt;b&gt;</text>'
    mixed = text("she: जाती हूँ (f)")
    assert re.fullmatch(
        r'<text font-family="Noto Sans">she: '
        r'<tspan font-family="Noto Sans Devanagari,[^"]*">जाती हूँ</tspan> \(f\)</text>',
        mixed,
    )


def test_every_symbol_has_a_name_for_screen_readers() -> None:
    spec = {
        "data": {"values": [{"x": "a", "y": 1}]},
        "layer": [
            {
                "mark": "bar",
                "encoding": {"x": {"field": "x"}, "y": {"field": "y", "type": "quantitative"}},
            },
            {"mark": "rule", "encoding": {"y": {"datum": 0.5}}},
        ],
    }
    drawn = svg(Figure(name="1", title="Lines", spec=spec))
    symbols = re.findall(r'<[^>]*role="graphics-symbol"[^>]*>', drawn)
    assert symbols
    assert all("aria-label=" in each for each in symbols)
