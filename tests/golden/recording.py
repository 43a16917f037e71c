"""The numbers of every suite and protocol, as they were recorded: `tables.json.gz`.

`python tests/golden/recording.py` records them again, those of published data too if
EPICENE_PUBLISHED_DATA names it. Say in `changes.md` which numbers changed, and why.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import epicene
from epicene.core.records import Estimate, Table

FILE = Path(__file__).parent / "tables.json.gz"
Numbers = dict[str, Any]  # by "metric NAME", or "table NAME" and the keys of a row


@dataclass(frozen=True)
class Case:
    """One run, or one call of `score`."""

    suite: str
    protocol: str
    roles: Mapping[str, str]
    limit: int
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The case in the recorded file."""
        return f"{self.suite} {self.protocol} {' '.join(self.roles.values())}"

    def numbers(self, folder: Path) -> Numbers:
        """The numbers of a run in this folder."""
        done = epicene.run(
            self.suite,
            protocol=self.protocol,
            model={role: specs.split(",") for role, specs in self.roles.items()},
            limit=self.limit,
            settings=self.settings,
            out=folder,
            progress=False,
        )
        return dict(_numbers(done))


@dataclass(frozen=True)
class ScoreCase:
    """Published outputs, scored."""

    suite: str
    data: str
    answers: str = ""
    protocol: str = "paper"
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The case in the recorded file."""
        return f"{self.suite} {self.protocol} {self.answers or self.data}"

    def numbers(self, published: Path) -> Numbers:
        """The numbers of the published outputs in this folder."""
        scored = epicene.score(
            self.suite,
            published / self.answers if self.answers else None,
            data=published / self.data,
            protocol=self.protocol,
            settings=self.settings,
        )
        return dict(_numbers(scored))


def _cases() -> Iterator[Case]:
    models = {
        "misgendering": (("random", "ngram", "planted?rate=0.8"), 2, {"samples": "2"}),
        "alternations": (("random", "ngram", "planted?rate=0.8"), 12, {}),
        "genform": (("copy", "rules", "planted?rate=0.8"), 3, {"wording": "epicene"}),
        "apgc": (("copy", "rules", "planted?rate=0.8"), 6, {}),
        "translation": (("copy", "planted?rate=0.8"), 12, {}),
    }
    for suite, (specs, limit, settings) in models.items():
        for protocol in ("paper", "epicene"):
            for spec in specs:
                roles = {"model": spec}
                if suite == "apgc":
                    roles["translator"] = "copy"
                yield Case(suite, protocol, roles, limit, settings)
    for protocol in ("paper", "epicene"):
        yield Case(
            "gramvis",
            protocol,
            {
                "drawer": "sketch?effect=0.3&neither=0.05",
                "judges": "sketch-judge:1?error=0.05,sketch-judge:2?error=0.05",
            },
            24,
            {"shots": "2", "size": "64", "wording": "epicene"},
        )


CASES = tuple(_cases())
SCORES = (
    ScoreCase("gramvis", "gramvis/ClassifiedData_rows.csv"),
    ScoreCase("gramvis", "gramvis/ClassifiedData_rows.csv", protocol="epicene"),
    ScoreCase(
        "apgc", "apgc/v2.1", "apgc/outputs/joint/dev.joint+morph.beam",
        settings={"tasks": "rewriting"},
    ),
    ScoreCase(
        "apgc", "apgc/v2.1", "apgc/v2.1/google_MT/dev.google.ar.tokens",
        settings={"tasks": "translation"},
    ),
    ScoreCase("translation", "mt-gender/winomt", "mt-gender/winomt/translations/google"),
)  # fmt: skip


def _numbers(results: Any) -> Iterator[tuple[str, Any]]:
    for name, estimate in results.summary.metrics.items():
        yield f"metric {name}", _cell(estimate)
    for table in results.summary.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[tuple[str, Any]]:
    """One entry per row: its cells by column."""
    names = [column.name for column in table.columns]
    seen: dict[str, int] = {}
    for row in table.rows:
        key = f"table {table.name} | {' | '.join(row.keys)} | {row.origin}"
        seen[key] = seen.get(key, 0) + 1
        cells = dict(zip(names, map(_cell, row.cells), strict=True))
        yield (key if seen[key] == 1 else f"{key} {seen[key]}"), cells


def _cell(cell: Estimate | str) -> Any:
    return cell if isinstance(cell, str) else [cell.value, cell.low, cell.high, cell.n]


def same(now: Any, then: Any) -> bool:
    """Whether two values are the same, up to the last digits of a sum."""
    if isinstance(now, dict) and isinstance(then, dict):
        return now.keys() == then.keys() and all(same(now[key], then[key]) for key in now)
    if isinstance(now, list) and isinstance(then, list):
        return len(now) == len(then) and all(map(same, now, then))
    if isinstance(now, float) and isinstance(then, int | float):
        return math.isclose(now, then, rel_tol=1e-7, abs_tol=1e-9)
    return bool(now == then)


def differences(now: Numbers, then: Numbers) -> list[str]:
    """What is not as it was recorded, one line per number or row."""
    names = dict.fromkeys([*then, *now])
    return [
        f"{name}: recorded {then.get(name)}, now {now.get(name)}"
        for name in names
        if not same(now.get(name), then.get(name))
    ]


def recorded() -> dict[str, Numbers]:
    """The recorded numbers by the names of the cases."""
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        found: dict[str, Numbers] = json.load(file)
    return found


def record() -> None:
    """Record the numbers of all cases; those of published data stay if the data are not here."""
    found = recorded() if FILE.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        published = os.environ.pop("EPICENE_PUBLISHED_DATA", "")  # with the papers' own prompts
        for case in CASES:
            found[case.name] = case.numbers(Path(folder, case.name.replace(" ", "-")))
    if published:
        for score in SCORES:
            found[score.name] = score.numbers(Path(published))
    names = [*(case.name for case in CASES), *(score.name for score in SCORES)]
    text = json.dumps({name: found[name] for name in names if name in found}, ensure_ascii=False)
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    record()
