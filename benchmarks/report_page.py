"""How large a report of twenty runs of twenty thousand items is, and how it behaves in a browser.

    python benchmarks/report_page.py [RUNS] [FOLDER]      (default 20, and a folder of the moment)

The runs are those of `benchmarks/genform.py`: made-up sentences in French, Arabic and Hindi, models
that spoil the answer more or less often, all kept in real run folders. `epicene report` writes the
page in a process of its own; Chromium opens it, types into the search field letter by letter,
chooses from menus and scrolls through all items.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import genform as sentences
from epicene.app.progress import progress_display
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.suites import DataSource, choose_protocol, find_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

# Typed letter by letter and taken back, a word of each script and one that nothing holds.
WORDS = ("prudente", "نوس", "सक", "zzzz")
MENUS = ("show", "language", "model", "rule", "target")
FRAMES = 240

# From what a person does to the next frame in which its result is drawn, in milliseconds.
UNTIL_DRAWN = """
async ([selector, value, kind]) => {
  const root = document.querySelector(".item-viewer");
  const status = root.querySelector(".status");
  const input = root.querySelector(selector);
  const changed = new Promise((go) => new MutationObserver((_, self) => {
    self.disconnect();
    requestAnimationFrame(() => setTimeout(go));
  }).observe(status, { childList: true }));
  input.value = value;
  const start = performance.now();
  input.dispatchEvent(new Event(kind, { bubbles: true }));
  await changed;
  return performance.now() - start;
}
"""

# Milliseconds between frames while the list moves by so many pixels in each; by none, what the
# machine can do at this moment.
SCROLLING = """
([frames, step, wheel]) => new Promise((done) => {
  const list = document.querySelector(".item-viewer .list");
  list.scrollTop = 0;
  const took = [];
  let last = null;
  function frame(now) {
    if (last !== null) took.push(now - last);
    last = now;
    if (took.length === frames) return done(took);
    if (wheel) {
      const turned = new WheelEvent("wheel", { deltaY: step, bubbles: true, cancelable: true });
      if (list.dispatchEvent(turned)) list.scrollTop += step;
    } else list.scrollTop += step;
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);
})
"""
STEPS = {
    "standing still": (0, False),
    "by a wheel": (120, True),
    "by the bar, to the end": (33_000, False),
}

# The longest that the page stood still while something was done.
LONG_TASKS = """
() => {
  globalThis.tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: "longtask" });
}
"""


def main() -> None:
    """Make runs where there are none, write the report, open it."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as moment:
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else moment).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        runs = make_runs(number)
        took = sentences.timed("report", *runs, "-o", "report.html")
        size = Path("report.html").stat().st_size / 1e6
        print(f"{number} runs: written in {took}, {size:.1f} MB")
        measure(Path("report.html").absolute())


def make_runs(number: int) -> list[str]:
    """The names of the run folders."""
    sentences.register()
    data = Path("pairs.jsonl")
    if not data.exists():
        sentences.write_pairs(data)
    suite = find_suite("genform")
    names = [f"run-{level}" for level in range(number)]
    for level, name in enumerate(names):
        order = RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", {}, None),
            models={"model": [parse_spec(f"noisy:{level}")]},
            source=DataSource(path=data),
            out=Path(name),
        )
        run(order, progress_display())
    return names


def measure(page: Path) -> None:
    """Open the page in Chromium and say how it behaves."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("EPICENE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1200, "height": 900})
        tab.set_default_timeout(120_000)
        tab.add_init_script(f"({LONG_TASKS})()")
        tab.goto(page.as_uri(), wait_until="load")
        timing = tab.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
        first = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"first screen after {first:.0f} ms, loaded after {timing['loadEventEnd']:.0f} ms")
        still(tab)
        ready = tab.evaluate(
            """async () => {
              const root = document.querySelector(".item-viewer");
              const start = performance.now();
              location.hash = `#${root.id}`;
              while (!root.querySelector(".row")) await new Promise((go) => setTimeout(go, 5));
              return performance.now() - start;
            }"""
        )
        count = tab.locator(".item-viewer .status").first.inner_text()
        heap = tab.evaluate("performance.memory.usedJSHeapSize / 1e6")
        print(f"{count}: first rows drawn {ready:.0f} ms after they come near, {still(tab)}")
        first = tab.evaluate(UNTIL_DRAWN, [".search input", "p", "input"])
        print(f"first letter ever typed: {first:.0f} ms, {still(tab)}")
        print(f"a letter typed: {spread(typing(tab))}, {still(tab)}")
        print(f"a menu: {spread(choosing(tab))}, {still(tab)}")
        tab.evaluate(UNTIL_DRAWN, [".search input", "", "input"])
        for way, step in STEPS.items():
            took = tab.evaluate(SCROLLING, [FRAMES, *step])
            print(f"a frame, {way}: {spread(took)}, {still(tab)}")
        print(f"JavaScript heap: {heap:.0f} MB before searching, {memory(tab):.0f} MB after")
        browser.close()


def typing(tab: Page) -> list[float]:
    """Milliseconds for each letter."""
    return [
        tab.evaluate(UNTIL_DRAWN, [".search input", word[:end], "input"])
        for word in WORDS
        for end in (*range(1, len(word) + 1), *range(len(word) - 1, 0, -1))
    ]


def choosing(tab: Page) -> list[float]:
    """Milliseconds for each choice from a menu, with a search in force."""
    took: list[float] = []
    for name in MENUS:
        menu = f'select[name="{name}"]'
        options = tab.locator(f".item-viewer {menu} option")
        values = options.evaluate_all("options => options.map((option) => option.value)")
        chosen = (*values[1:4], "")
        took += [tab.evaluate(UNTIL_DRAWN, [menu, value, "change"]) for value in chosen]
    return took


def memory(tab: Page) -> float:
    """Megabytes of script objects."""
    return float(tab.evaluate("performance.memory.usedJSHeapSize / 1e6"))


def still(tab: Page) -> str:
    """The longest stretch in which nothing could be drawn, since this was last asked."""
    tasks: list[Any] = tab.evaluate("tasks.splice(0)")
    return f"the page never stood still longer than {max(tasks, default=50):.0f} ms"


def spread(took: Sequence[float]) -> str:
    """Median, 95th percentile and the longest."""
    last = statistics.quantiles(took, n=20)[-1]
    return f"median {statistics.median(took):.0f} ms, p95 {last:.0f} ms, longest {max(took):.0f} ms"


if __name__ == "__main__":
    main()
