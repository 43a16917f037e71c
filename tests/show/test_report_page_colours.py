"""One list of colours for the report and for the pages where people judge."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files

import pytest

from epicene.show.page import render_page
from epicene.studies.web.assets import read_asset

DEFINED = re.compile(r"(--[\w-]+)\s*:")
USED = re.compile(r"var\((--[\w-]+)\)")


def report_style() -> str:
    found = re.search(r"<style>(.*?)</style>", render_page("title", []), re.DOTALL)
    assert found
    return found[1]


def people_style() -> str:
    found = read_asset("pages.css")
    assert found
    return found[0].decode()


@pytest.mark.parametrize("style", [report_style, people_style])
def test_every_colour_is_of_the_list_by_day_and_by_night(style: Callable[[], str]) -> None:
    text = style()
    colours = (files("epicene.show") / "templates/colours.css").read_text(encoding="utf-8")
    assert text.lstrip().startswith(colours)
    light, dark = colours.split("@media")
    assert set(USED.findall(text)) <= set(DEFINED.findall(light))
    assert set(DEFINED.findall(light)) == set(DEFINED.findall(dark))
    assert not DEFINED.findall(text.replace(colours, ""))
    assert "screen" in dark  # paper stays light
