"""How fast `epicene rewrite` is, by each route.

    python benchmarks/rewrite.py [LINES]      (default 20,000)

The lines are the tests' own pairs: half of them have a pronoun to rewrite in "all" text, every
one in "gendered" text.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import cycle, islice
from pathlib import Path

from epicene.languages.pronouns import find_pronoun_set
from epicene.rewriting.english import open_route, pipelines, rewritings

PAIRS = Path(__file__).resolve().parents[1] / "tests/suites/misgendering/cases/neutral_pairs.jsonl"


def main() -> None:
    """Rewrite and print one line of figures for each route and text."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    gendered = [each["gendered"] for each in pairs if each["kind"] != "unchanged"]
    plain = [each["gendered"] for each in pairs if each["kind"] == "unchanged"]
    texts = {
        "every line has a pronoun": list(islice(cycle(gendered), lines)),
        "one line in ten has one": list(islice(cycle(gendered[:5] + plain[:45]), lines)),
    }
    for name in ("rules", "spacy") if pipelines.installed() else ("rules",):
        route = open_route(name)
        for what, text in texts.items():
            started = time.perf_counter()
            sum(1 for _ in rewritings(text, find_pronoun_set("they"), route=route))
            took = time.perf_counter() - started
            print(f"{name}, {what}: {lines / took:,.0f} lines/s")


if __name__ == "__main__":
    main()
