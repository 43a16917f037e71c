"""`make docs`: stage pages, generate the reference and the examples, build the site, check it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from website.checks import nav_problems, site_problems
from website.examples import write_examples
from website.llms import llms_text
from website.reference import write_reference
from website.staging import stage_pages

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Build the site, or say what is wrong and exit with 1."""
    project = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    staged, site = ROOT / project["docs_dir"], ROOT / project["site_dir"]
    for folder in (staged, site):
        shutil.rmtree(folder, ignore_errors=True)
    stage_pages(ROOT, staged)
    shutil.copy(Path(__file__).with_name("site.css"), staged)
    write_reference(staged)
    with TemporaryDirectory() as work:
        write_examples(staged, Path(work))
    _stop_at(nav_problems(project["nav"], staged))
    (staged / "llms.txt").write_text(llms_text(project, staged), "utf-8")
    build = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(build, cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    _stop_at(site_problems(site))
    pages = len(list(site.rglob("*.html")))
    print(f"{pages} pages; open {(site / 'index.html').relative_to(ROOT)}.")


def _stop_at(problems: list[str]) -> None:
    if problems:
        raise SystemExit("\n".join(problems))


main()
