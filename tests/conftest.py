"""What some tests need of the machine: a browser, an embedded model, the papers' published data.

Where it is missing a test skips with one line that says how to get it. Under CI a missing browser
or model fails the test instead, so that nothing is left out unseen.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import HealthCheck, settings

# The GPU's kernels are interpreted, wherever the tests run; Triton reads this when it is imported.
os.environ.setdefault("TRITON_INTERPRET", "1")

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same examples each time, so that a change alone can make a test fail; `make fuzz` looks for
# new ones. A slow moment of a shared machine is no failure.
settings.register_profile(
    "epicene", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "fuzz", settings.get_profile("epicene"), derandomize=False, max_examples=5000
)
settings.load_profile("epicene")

PUBLISHED_DATA = "EPICENE_PUBLISHED_DATA"
CHROMIUM = "EPICENE_CHROMIUM"


@pytest.fixture(autouse=True, scope="session")
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test adds suite files to the list of who runs it; commands in processes inherit this."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data-home"))


def missing(reason: str) -> NoReturn:
    """Skip for want of something, or fail where nothing may be wanting."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if marker := item.get_closest_marker("published"):
        _need_published(marker)
    if item.get_closest_marker("embedded"):
        _need_embedded()
    if marker := item.get_closest_marker("faces"):
        _need_faces(*marker.args)


def _need_published(marker: pytest.Mark) -> None:
    """`@pytest.mark.published("which data", "where a person gets it")`."""
    if len(marker.args) != 2:
        pytest.fail("Mark it published(WHICH DATA, WHERE A PERSON GETS IT).", pytrace=False)
    data, source = marker.args
    if not os.environ.get(PUBLISHED_DATA):
        pytest.skip(f"needs {data} (from {source}); set {PUBLISHED_DATA} to the folder with it")


def _need_embedded() -> None:
    from epicene.models.embedded import fetched_folder

    if fetched_folder("smollm2") is None:
        missing("needs the embedded model smollm2; get it with `epicene models fetch smollm2`")


def _need_faces(*names: str) -> None:
    """`@pytest.mark.faces(MODEL, …)`, all of them if none is named.

    One whose terms a person must accept is nowhere fetched unasked, so its tests are skipped.
    """
    from epicene.models.faces import catalogue

    for package in ("openvino", "dlib"):
        if find_spec(package) is None:
            missing(f"needs the package {package}; get it with `pip install 'epicene[faces]'`")
    for name, bundle in catalogue().items():
        if bundle.fetched_folder is None and name in (names or catalogue()):
            accept = " --accept-licence" * bundle.accept
            why = f"needs the model {name}; get it with `epicene models fetch {name}{accept}`"
            pytest.skip(why) if bundle.accept else missing(why)


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder with the papers' published data; the test is marked `published`."""
    folder = os.environ.get(PUBLISHED_DATA)
    if not folder:
        pytest.fail("A test that uses published_data is marked `published`.", pytrace=False)
    if not Path(folder).is_dir():
        pytest.fail(f"{PUBLISHED_DATA} names {folder}, which is not a folder.", pytrace=False)
    return Path(folder)


# One browser per file: while it is open, Playwright's loop runs in this thread, and a test of
# another file that starts a loop of its own would fail.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A real Chromium."""
    path = os.environ.get(CHROMIUM) or shutil.which("chromium")
    if path is None:
        missing(f"needs Chromium; get it with `apt-get install chromium`, or name it in {CHROMIUM}")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("needs Playwright; get it with `pip install playwright`")
    with sync_playwright() as playwright:
        # A container's root has no sandbox to run it in.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
