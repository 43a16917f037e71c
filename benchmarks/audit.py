"""How fast `epicene audit` is, and how much memory it takes.

    python benchmarks/audit.py [--strings 10000] [LANGUAGE …]      (default: ar fr hi en)

Short strings are made from the starter sets: sentences of at most twelve words, in a tag, with a
placeholder or a number before them, so that few are the same. Each language is audited in a
process of its own, on one core, from a JSON file to a JSON document; also a tenth as many,
and three times as many, which shows whether memory grows with them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from itertools import cycle, islice, product
from pathlib import Path
from typing import TYPE_CHECKING

import epicene
from epicene.suites.genform.data import STARTER
from epicene.suites.misgendering import data as english_data

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAMES = ("{}", "<b>{}</b>", "{{name}} : {}", "{} ({{count}})", "%s – {}", "**{}**", "• {}")
LONGEST = 12  # words


def sentences(language: str) -> list[str]:
    """Short sentences of the starter set, in both genders."""
    if language == "en":
        return list(_english())
    lines = (STARTER / f"{language}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = [row[name] for row in rows for name in ("masculine", "feminine") if row.get(name)]
    return [each for each in found if len(each.split()) <= LONGEST]


def _english() -> Iterator[str]:
    content = (Path(english_data.__file__).parent / "starter" / "templates.toml").read_text("utf-8")
    cases = {"nominative": 0, "accusative": 1, "dependent": 2, "independent": 3, "reflexive": 4}
    forms = (("he", "him", "his", "his", "himself"), ("she", "her", "her", "hers", "herself"))
    for template in tomllib.loads(content)["template"]:
        for own in forms:
            form = own[cases[template["case"]]]
            for sentence in template["text"].split(". "):
                filled = sentence.format(name="Kim", mask=form)
                yield filled if filled.endswith(".") else f"{filled}."


def make_strings(language: str, count: int) -> dict[str, str]:
    """That many strings with keys."""
    pairs = product(range(count), FRAMES, sentences(language))
    made = (frame.format(text) + (f" {n}" if n else "") for n, frame, text in pairs)
    areas = cycle(("account", "mail", "team", "errors", "settings"))
    return {f"{next(areas)}.string{n}": text for n, text in enumerate(islice(made, count))}


def audit_one(path: Path, language: str) -> dict[str, float]:
    """The seconds an audit takes, its memory in MiB, and what it finds."""
    out = path.with_name("audit.json")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    found = epicene.audit(path, language, out=out).summary.total
    seconds = time.perf_counter() - start
    return {
        "seconds": round(seconds, 1),
        "of one core": round(time.process_time(), 1),
        "strings": found.strings,
        "gendered": found.gendered,
        "undecided": found.undecided,
        "MiB before": round(before),
        "MiB peak": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "MB written": round(out.stat().st_size / 1e6, 1),
    }


def main() -> None:
    """Print a line of JSON for each language and number of strings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strings", type=int, default=10_000)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("languages", nargs="*", default=["ar", "fr", "hi", "en"])
    options = parser.parse_args()
    if options.one:
        print(json.dumps(audit_one(options.one, options.languages[0])))
        return
    with tempfile.TemporaryDirectory() as folder:
        for language in options.languages:
            for count in (options.strings // 10, options.strings, options.strings * 3):
                path = Path(folder) / f"{language}.json"
                path.write_text(json.dumps(make_strings(language, count)), "utf-8")
                command = [sys.executable, __file__, "--one", str(path), language]
                done = subprocess.run(
                    command,
                    check=True,
                    capture_output=True,
                    text=True,
                    env={**os.environ, "OMP_NUM_THREADS": "1"},
                )
                print(language, done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
