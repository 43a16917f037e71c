"""What `epicene rewrite` makes of our sentences for neutral forms, and how readers judged it.

    python benchmarks/rewriting_neutral.py [--show] [LANGUAGE …]

benchmarks/rewriting_neutral/ holds 100 sentences per language, written before the rules, each with
a person and a style. LANGUAGE.judged.jsonl has the judgements of three readers for each output that
changed when they read it: acceptable, unnatural or wrong; the third read after the first fixes.
Counted per reader are the sentences that change now; an output that the reader has not seen is
counted as not judged. `--show` prints every output.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from epicene import rewrite

FOLDER = Path(__file__).with_name("rewriting_neutral")


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file, none if there is no such file."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return [msgspec.json.decode(line, type=dict[str, str]) for line in lines]


def rewritten(row: dict[str, str], language: str) -> str:
    """The sentence without gender."""
    if language == "en":
        return rewrite(row["text"], "en", pronouns=row["style"], route="rules")
    wanted: dict[str, Any] = {row["person"]: "n", "style": row["style"]}
    return str(rewrite(row["text"], language, **wanted))


def main() -> None:
    """Print a line of figures for each language."""
    shown = "--show" in sys.argv
    named = [argument for argument in sys.argv[1:] if argument != "--show"]
    for language in named or ["de", "en", "es", "fr", "it"]:
        judgements = read(FOLDER / f"{language}.judged.jsonl")
        judged = {(row["reader"], row["id"], row["output"]): row["judgement"] for row in judgements}
        readers = list(dict.fromkeys(row["reader"] for row in judgements))
        counts: dict[str, Counter[str]] = {reader: Counter() for reader in readers}
        rows = read(FOLDER / f"{language}.jsonl")
        changed = 0
        for row in rows:
            output = rewritten(row, language)
            if output != row["text"]:
                changed += 1
                for reader, counted in counts.items():
                    counted[judged.get((reader, row["id"], output), "not judged")] += 1
            if shown:
                mark = "  " if output != row["text"] else "= "
                print(f"{mark}{row['id']} {row['person']:8} {row['style']:6} {output}")
        print(f"{language}: {len(rows)} sentences, {changed} changed")
        for reader, counted in counts.items():
            print(f"    {reader}: {dict(sorted(counted.items()))}")


if __name__ == "__main__":
    main()
