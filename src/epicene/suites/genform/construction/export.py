"""The last steps: check the pairs, write those that pass, and the card that goes with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from epicene.suites.construction import kept
from epicene.suites.genform.checks import check
from epicene.suites.genform.construction.writing import repeats
from epicene.suites.genform.pairs import Pair
from epicene.suites.genform.protocol import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.suites.construction import Made, Row
    from epicene.suites.genform.construction.writing import GenformBuild

PAIRS, CARD = "pairs.jsonl", "card.md"
_FIELDS = ("id", "language", "rule", "english", "masculine", "feminine")


def checked(made: Made, settings: GenformBuild) -> Iterator[Row]:
    """Each pair with what the suite's check says of it.

    A pair with an error and a pair that repeats another are dropped; warnings are for people to
    read.
    """
    rows = made["settle-forms"]
    dropped = repeats(rows, settings.language, "masculine")
    pairs = [pair_of(row) for row in rows if row["id"] not in dropped]
    warnings: dict[str, list[str]] = {}
    for finding in check(pairs, PROTOCOLS["epicene"]):
        if finding.severity == "error":
            dropped.setdefault(finding.place, finding.message)
        else:
            warnings.setdefault(finding.place, []).append(finding.message)
    for row in rows:
        name = row["id"]
        yield {**row, "warnings": warnings.get(name, []), "dropped": dropped.get(name, "")}


def pair_of(row: Mapping[str, str]) -> Pair:
    """The pair that a row became."""
    return Pair(**{name: row[name] for name in _FIELDS})


def export(made: Made, settings: GenformBuild, folder: Path) -> Sequence[Path]:
    """The pairs in the suite's own format, and the card."""
    from epicene.suites.genform.construction.card import card

    rows = kept(made["check"])
    data, about = folder / PAIRS, folder / CARD
    lines = (json.dumps({name: row[name] for name in _FIELDS}, ensure_ascii=False) for row in rows)
    data.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    about.write_text(card(made, settings, [pair_of(row) for row in rows]), encoding="utf-8")
    return data, about
