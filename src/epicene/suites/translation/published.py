"""Google Translate in the logs that were published with WinoMT."""

from __future__ import annotations

from epicene.core.records import Estimate, Row

SYSTEM = "Google Translate 2019"

# By language and gender: right, wanted and found sentences, of 3,888, from the logs in the
# repository's logs/google.
_KINDS = ("masculine", "feminine", "neutral")
_COUNTS = {
    "de": ((1497, 1826, 2682), (790, 1822, 1110), (22, 240, 96)),
    "es": ((1487, 1826, 2864), (519, 1822, 776), (59, 240, 238)),
    "fr": ((1462, 1826, 2370), (957, 1822, 1199), (52, 240, 278)),
}
LOGS = {code: dict(zip(_KINDS, counts, strict=True)) for code, counts in _COUNTS.items()}
SENTENCES = 3888

_NOT_IN_LOG = Estimate(value=None, why="it is not in the logs")


def published_cells(language: str) -> dict[str, Estimate]:
    """The published numbers of a language, by column name; {} if there is no log."""
    log = LOGS.get(language)
    if log is None:
        return {}
    f1 = {name: 2 * right / (wanted + found) for name, (right, wanted, found) in log.items()}
    found = sum(each for _, _, each in log.values())
    return {
        "items": Estimate(value=SENTENCES, n=SENTENCES),
        "accuracy": Estimate(value=sum(right for right, _, _ in log.values()) / SENTENCES),
        **{name: Estimate(value=right / wanted) for name, (right, wanted, _) in log.items()},
        "ΔG": Estimate(value=f1["masculine"] - f1["feminine"]),
        "undetected": Estimate(value=(SENTENCES - found) / SENTENCES),
    }


def published_row(keys: tuple[str, ...], language: str, columns: list[str]) -> Row:
    """The published row of a language."""
    cells = published_cells(language)
    return Row(
        keys=(SYSTEM, *keys),
        cells=tuple(cells.get(name, _NOT_IN_LOG) for name in columns),
        origin="published",
    )
