"""Whether exported tables fit on the pages of a plain `article`, by a real pdfLaTeX.

    python benchmarks/latex_pages.py [RUN…]      (default: every suite, by two random models)

Every table of the export is set in one document, three times over, as longtables want. What is
counted are boxes more than 5 pt too wide, floats too large for a page and labels that are not
unique; the script fails if there is one. How wide a table was before it was shrunk is measured too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.app.progress import progress_display
from epicene.core import registry
from epicene.export.results_folder import write_results
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.suites import choose_protocol, find_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 110  # items of each block
TOO_WIDE = 5.0  # points
TEXT_WIDTH = 345.0  # points, of `article` at 10 pt

# What adjustbox would shrink is measured before it does.
HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{textcomp,booktabs,array,longtable,adjustbox}
\newsavebox\tablebox
\newenvironment{measured}[1]{\begin{lrbox}{\tablebox}}{%
  \end{lrbox}\typeout{WIDTH \the\wd\tablebox}\adjustbox{max width=\linewidth}{\usebox\tablebox}}
\begin{document}
"""


def random_runs(under: Path) -> Iterator[Path]:
    """Two runs of every suite."""
    for name in registry.names("suites"):
        suite = find_suite(name)
        for seed in (1, 2):
            order = RunConfig(
                suite=suite,
                protocol=choose_protocol(suite, "epicene", {}, None),
                models={
                    role.name: [parse_spec(f"random:{seed}?label=model-{seed}")]
                    for role in suite.roles
                },
                limit=LIMIT,
                under=under,
            )
            yield run(order, progress_display())[0]


def compiled(tables: list[Path], folder: Path) -> str:
    """What pdfLaTeX says of a document of all tables."""
    texts = [path.read_text(encoding="utf-8") for path in tables]
    body = "\n\\clearpage\n".join(texts)
    for what in ("begin", "end"):
        body = body.replace(rf"\{what}{{adjustbox}}", rf"\{what}{{measured}}")
    (folder / "tables.tex").write_text(f"{HEAD}{body}\n\\end{{document}}\n", encoding="utf-8")
    for _ in range(3):
        subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "tables.tex"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=False,
        )
    return (folder / "tables.log").read_text(encoding="utf-8", errors="replace")


def main() -> None:
    if shutil.which("pdflatex") is None:
        print("There is no pdflatex here: apt-get install texlive-latex-extra")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [Path(each) for each in sys.argv[1:]] or list(random_runs(folder / "runs"))
        write_results([read_run(each) for each in runs], folder / "out")
        written = sorted((folder / "out").rglob("*.tex"))
        # They say themselves what pdfLaTeX cannot print.
        tables = [each for each in written if "LuaLaTeX" not in each.read_text(encoding="utf-8")]
        log = compiled(tables, folder)
    errors = re.findall(r"^! .*", log, re.MULTILINE)
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    natural = [float(points) for points in re.findall(r"WIDTH ([\d.]+)pt", log)]
    found = {
        "errors": len(errors),
        f"boxes more than {TOO_WIDE:.0f} pt too wide": sum(each > TOO_WIDE for each in wide),
        "floats too large": log.count("Float too large"),
        "labels defined twice": len(re.findall(r"Label `[^']*' multiply defined", log)),
    }
    pages = re.findall(r"\((\d+) pages?,", log)
    print(f"{len(tables)} tables on {pages[-1] if pages else 'no'} pages")
    print(f"left out, as they want LuaLaTeX: {len(written) - len(tables)}")
    for error in dict.fromkeys(errors):
        print(error)
    for what, number in found.items():
        print(f"{what}: {number}")
    print(f"smallest: {min(1.0, TEXT_WIDTH / max(natural, default=TEXT_WIDTH)):.2f} of its size")
    sys.exit(any(found.values()))


if __name__ == "__main__":
    main()
