"""Records that several tests of the report share."""

from __future__ import annotations

from html.parser import HTMLParser

from epicene.core.records import Column, Estimate, Row, Table

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--]]>"

# Elements that have no end tag in HTML.
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


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
