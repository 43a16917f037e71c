"""Records that several tests of the report share."""

from __future__ import annotations

from collections.abc import Iterable
from html.parser import HTMLParser

from epicene.core.records import Column, Estimate, Judgement, Row, Table
from epicene.show.contrasts import Agreement, Contrast, Gap
from epicene.show.item_viewer import ItemPacker, PackedItems
from epicene.show.model_profiles import HeadlineResult
from epicene.show.page_figures import (
    PageFigure,
    agreement_figure,
    contrast_figure,
    headline_figure,
    styles_of,
)
from epicene.suites.headline_metrics import accuracy_metric, all_judgements

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--]]>"

# Elements that have no end tag in HTML.
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


def pack_items(judgements: Iterable[Judgement]) -> PackedItems:
    """Judgements of one run as the page's script reads them."""
    packer = ItemPacker()
    for judgement in judgements:
        packer.add_judgement("", judgement)
    return packer.packed()


def estimate(value: float, reach: float = 0.03, n: int = 100) -> Estimate:
    return Estimate(value=value, low=value - reach, high=value + reach, n=n)


def sample_table() -> Table:
    """Two levels, every unit, a dash with and without a reason, a published row."""
    columns = (
        Column(name="all"),
        Column(name="gap", unit="number", decimals=2),
        Column(name="p", unit="p"),
        Column(name="times", unit="count"),
        Column(name="word", unit="text"),
    )
    first = Estimate(value=0.8123, low=0.78, high=0.841, n=120, mark="*")
    return Table(
        name="2",
        title="Accuracy by model",
        levels=("language", "model"),
        columns=columns,
        rows=(
            Row(
                keys=("Hindi", "small"),
                cells=(
                    first,
                    estimate(-0.12, 0.1),
                    Estimate(value=0.0004),
                    Estimate(value=12345),
                    "जाती हूँ",
                ),
            ),
            Row(
                keys=("Hindi", "large"),
                cells=(
                    Estimate(value=None, why="fewer than two groups"),
                    estimate(0.5, 0.1),
                    Estimate(value=0.043),
                    Estimate(value=3),
                    "كاتبةٌ",
                ),
            ),
            Row(
                keys=("Arabic", "large"),
                origin="published",
                cells=(
                    Estimate(value=0.7),
                    Estimate(value=None, why="fewer than two groups"),
                    Estimate(value=None),
                    Estimate(value=0),
                    "a | b",
                ),
            ),
        ),
        notes=("Protocol epicene.",),
    )


def text_table(text: str) -> Table:
    """One cell of text, with the same text as its key, title, column and note."""
    return Table(
        name="t",
        title=text,
        levels=("key",),
        columns=(Column(name=f"column {text}", unit="text"),),
        rows=(Row(keys=(text,), cells=(text,)),),
        notes=(text,),
    )


class Tags(HTMLParser):
    """Reads HTML, refuses tags that do not balance, and keeps what it saw."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []  # the element a text stands in, and the text
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag} repeats an attribute"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def text_of(self, tag: str) -> list[str]:
        return [text for inside, text in self.texts if inside == tag and text.strip()]


def headline_of(estimates: dict[str, Estimate], name: str = "right") -> HeadlineResult:
    """A headline with these figures, by model."""
    rates = dict.fromkeys(estimates, Estimate(value=0.0, n=10))
    return HeadlineResult(name, accuracy_metric(name, all_judgements), "", estimates, rates)


def contrast_of(
    cells: dict[tuple[str, str], Estimate], p: float = 0.01, facet: str = "gender"
) -> Contrast:
    """A contrast with these cells, by model and value; the first and last value differ."""
    models = list(dict.fromkeys(model for model, _ in cells))
    values = tuple(dict.fromkeys(value for _, value in cells))
    gaps = {model: Gap(values[0], values[-1], p) for model in models}
    entry = headline_of(dict.fromkeys(models, estimate(0.5)))
    return Contrast(entry, facet, values, cells, gaps, len(models))


def own_figures(text: str, models: int = 2, page: str = "page") -> tuple[PageFigure, ...]:
    """Every kind of figure that the page draws itself, with this text wherever there is one."""
    names = [f"{text} {place}" for place in range(models)]
    styles = styles_of((name, text, place % 2 == 1) for place, name in enumerate(names))
    known = {name: estimate(0.9 * place / models) for place, name in enumerate(names)}
    unknown = Estimate(value=None, why=text)
    two = {(name, f"{v} {text}"): estimate(0.2 + v / 2) for name in names for v in range(2)}
    four = {
        (name, f"{v} {text}"): unknown if v == 3 else estimate(v / 3)
        for name in names
        for v in range(4)
    }
    agreement = Agreement(
        text, "b", "t", dict.fromkeys(names, (5, 2, 1, 0)), dict.fromkeys(names, estimate(0.3))
    )
    letters = dict.fromkeys(names, "a")
    return (
        headline_figure(headline_of(known), styles, page, 0.25, letters),
        headline_figure(headline_of({**known, names[0]: unknown}, text), styles, page),
        contrast_figure(contrast_of(two), page, text),
        contrast_figure(contrast_of(four, facet=f"by {text}"), page, text),
        agreement_figure(agreement, text),
    )
