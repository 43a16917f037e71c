"""The example report and the example study, made from models that need no download."""

from __future__ import annotations

import csv
import io
import random
import shutil
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import epicene
from epicene.app.commands import run_command

PAGE = Path(__file__).with_name("study.md")
_NUMBERS = ("value", "low", "high")


def write_examples(staged: Path, work: Path) -> None:
    """Write the report, the study and the page about each."""
    folder = staged / "examples"
    folder.mkdir(exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", epicene.EpiceneWarning)
        runs = _runs(work)
        epicene.report(runs, out=folder / "report.html")
        page = PAGE.read_text("utf-8") + "\n" + _study(runs[0], folder, work)
        (folder / "study.md").write_text(page, "utf-8")


def _runs(work: Path) -> list[epicene.Run]:
    """Two suites on a planted model and on a guess, and drawings with a planted effect."""
    sizes = {"misgendering": 20, "genform": 12, "alternations": 10}
    runs = [
        epicene.run(
            suite,
            model,
            limit=limit,
            settings={"pronouns": "he,she,they,xe"} if suite == "misgendering" else {},
            progress=False,
            out=work / f"{suite}-{model[:4]}",
        )
        for suite, limit in sizes.items()
        for model in ("planted?rate=0.8", "random")
    ]
    judges = [f"sketch-judge:{seed}" for seed in (1, 2, 3)]
    drawn = epicene.run(
        "gramvis",
        model={"drawer": "sketch", "judges": judges},
        limit=10,
        settings={"shots": 1, "size": 128, "mixed": False},
        progress=False,
        out=work / "gramvis",
    )
    return [*runs, drawn]


def _study(run: epicene.Run, folder: Path, work: Path) -> str:
    """Draw the study, let two simulated people fill in their sheets, and return its tables."""
    study = epicene.annotate.sample(run, out=work / "study", n=100, twice=100)
    sheets = folder / "study-sheets"
    epicene.annotate.sheets(study, people=["ada", "ben"], out=sheets)
    (sheets / "instructions.md").rename(sheets / "instructions.txt")  # no page of the site
    for person in ("ada", "ben"):
        filled = work / f"{person}.csv"
        filled.write_text(_filled_in((sheets / f"{person}.csv").read_text("utf-8-sig")), "utf-8")
        epicene.annotate.import_answers(study, filled)
    shutil.make_archive(str(folder / "study"), "zip", study.path)
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()):
        run_command(["annotate", "tables", str(study.path)])
    (folder / "study-tables.txt").write_text(printed.getvalue(), "utf-8")
    lines = ["| metric | value | 95 % interval | n |", "| :-- | --: | --: | --: |"]
    for row in study.results(run).metrics().iter_rows(named=True):
        shown = [f"{row[name]:.3f}" if row[name] is not None else "–" for name in _NUMBERS]
        interval = f"[{shown[1]}, {shown[2]}]" if row["low"] is not None else "–"
        lines.append(f"| {row['metric']} | {shown[0]} | {interval} | {row['n']} |")
    return "\n".join(lines) + "\n"


def _filled_in(sheet: str) -> str:
    """The sheet with the simulated answers of its person."""
    rows = list(csv.DictReader(io.StringIO(sheet, newline="")))
    for row in rows:
        right = row["shown: text"] in row["shown: pronouns"].split(", ")
        errs = random.Random(f"{row['participant']} {row['item']}").random() < 0.1
        row["outcome"] = "correct" if right != errs else "misgendering"
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
