"""Suites defined in files and sessions: find them by path, and again for a stored run.

A run folder never makes Epicene execute code. The file that it names is loaded only if it is in the
user's own list of suite files, to which a file is added when one of its suites is run.
"""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from epicene.core import registry
from epicene.core.errors import EpiceneError, InputError, unknown
from epicene.suites import Suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.suites.definition import SuiteDefinition

PROBE_SUFFIX = ".toml"  # of a probe, which is data
SUITE_FILES = "EPICENE_SUITE_FILES"  # files whose suites are known by name
_NAMED = regex.compile(r"(?P<path>.+\.(?:py|toml))(?::(?P<name>[^:/\\]+))?")
_HOW_TO_NAME = (
    "give the file that defines it, `epicene --suite FILE.py …`, or the suite itself, "
    "`epicene.load(RUN, suite=…)`"
)

_used: dict[str, Suite[Any, Any]] = {}  # the suites of files and sessions, by name


class SuitePath(NamedTuple):
    """A file, and the name of a suite in it; "" if it has only one."""

    path: Path
    name: str


def parse_suite_path(text: str) -> SuitePath | None:
    """The parts of `PATH.py[:NAME]`; None if it is the name of a suite."""
    found = _NAMED.fullmatch(text)
    return SuitePath(Path(found["path"]), found["name"] or "") if found else None


def relative_to(folder: Path, text: str) -> str:
    """A suite as a file in `folder` names it: a path is relative to the folder."""
    found = parse_suite_path(text)
    if found is None:
        return text
    return str(folder / found.path) + f":{found.name}" * bool(found.name)


# --- looking up ----------------------------------------------------------------------------


def named_suite(name: str) -> Suite[Any, Any]:
    """The suite of that name: from a given file, from this session, or installed."""
    _load_environment()
    if registry.is_added("suites", name) or name not in _used:
        found = _as_suite(registry.find("suites", name))
        # An installed suite is found by its name.
        return found if registry.is_added("suites", name) else replace(found, file=None)
    return _used[name]


def stored_suite(name: str, file: str) -> Suite[Any, Any]:
    """The suite of a stored run, by its name and the file that its manifest names, if any."""
    _load_environment()
    if not registry.is_added("suites", name):
        loaded = Path(file) in _modules
        if file and not loaded and name in _used and str(_used[name].file) == file:
            return _used[name]  # of a module that was imported, or of the program itself
        if file and (loaded or _is_listed(file)) and Path(file).exists():
            return _suite_in(Path(file), name)
        if name not in _used and name not in registry.names("suites"):
            raise InputError(_not_found(name, file))
    return named_suite(name)


def _not_found(name: str, file: str) -> str:
    if not file:
        return (
            f"{unknown('suite', name, registry.names('suites'))} If it is your own, {_HOW_TO_NAME}."
        )
    why = (
        "which is not in the list of files whose suites you ran"
        if Path(file).exists()
        else "which does not exist"
    )
    return f"The suite {name!r} was defined in {file}, {why}; {_HOW_TO_NAME}."


def defined_suite(definition: SuiteDefinition) -> Suite[Any, Any]:
    """The suite of a definition, for use."""
    if _loading:
        raise InputError(
            "a file that defines a suite is also loaded to read results; use the suite under "
            '`if __name__ == "__main__":`.'
        )
    name = definition.name
    if name in registry.names("suites") and registry.find("suites", name) is definition:
        return named_suite(name)
    return _remember(definition.suite)


def _remember(suite: Suite[Any, Any]) -> Suite[Any, Any]:
    """Make the runs of this suite readable in this process; raises if its name is taken."""
    if suite.name in registry.names("suites"):
        known = _as_suite(registry.find("suites", suite.name))
        if known is not suite and (known.file is None or known.file != suite.file):
            raise InputError(
                f"There is already a suite named {suite.name!r}; give yours another name."
            )
    _used[suite.name] = suite
    return suite


def _as_suite(found: Suite[Any, Any] | SuiteDefinition) -> Suite[Any, Any]:
    return found if isinstance(found, Suite) else found.suite


def add_suite_files(paths: Iterable[Path]) -> None:
    """Make all suites of these files available by name; they take precedence over those that a run
    names."""
    for path in paths:
        for suite in suites_in(path).values():
            registry.add("suites", _remember(suite).name, suite)


def _load_environment() -> None:
    """Load the files that EPICENE_SUITE_FILES names, each once."""
    for path in os.environ.get(SUITE_FILES, "").split(os.pathsep):
        if path and (path.endswith(PROBE_SUFFIX) or Path(path).resolve() not in _modules):
            add_suite_files([Path(path)])


# --- files ---------------------------------------------------------------------------------

_modules: dict[Path, tuple[bytes, ModuleType]] = {}  # what was loaded, with a hash of its text
_loading: list[Path] = []


def load_suite_file(text: str) -> Suite[Any, Any]:
    """The suite that `PATH.py[:NAME]` names."""
    found = parse_suite_path(text)
    assert found is not None
    return _remember(_suite_in(found.path, found.name))


def _suite_in(path: Path, name: str) -> Suite[Any, Any]:
    """The suite with that name or in the variable with that name; if none is given, the only
    one."""
    found = suites_in(path)
    names = {suite.name: suite for suite in found.values()}
    if not name and len(names) > 1:
        first = next(iter(names))
        raise InputError(
            f"{path} defines the suites {', '.join(names)}; choose one, as in {path}:{first}."
        )
    if name and name not in names and name not in found:
        raise unknown(f"suite in {path} called", name, names)
    return names.get(name) or found.get(name) or next(iter(names.values()))


def suites_in(path: Path) -> dict[str, Suite[Any, Any]]:
    """The suites that a file defines, by their variables."""
    from epicene.suites.definition import SuiteDefinition

    path = path.expanduser().resolve()
    if path.suffix == PROBE_SUFFIX:
        from epicene.suites.probes import load_probe

        probe = load_probe(path)
        return {probe.name: probe}
    values = vars(_load(path)).items()
    found = {name: value for name, value in values if isinstance(value, SuiteDefinition)}
    if not found:
        raise InputError(f"{path} defines no suite; `NAME = epicene.suite(…)` defines one.")
    with _explained(path):
        return {name: value.suite for name, value in found.items()}


def _load(path: Path) -> ModuleType:
    """Execute a file, or return the earlier result if the file has not changed."""
    if path.suffix != ".py":
        raise InputError(f"{path} is neither a Python file nor a probe (.toml).")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error
    mark = hashlib.sha256(text).digest()
    if path in _modules and _modules[path][0] == mark:
        return _modules[path][1]
    name = f"_epicene_suite_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    with _explained(path):
        code = compile(text, str(path), "exec")
        sys.modules[name] = module
        exec(code, module.__dict__)  # noqa: S102 - the user's own file
    _modules[path] = mark, module
    return module


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Let the file import modules next to it; an error is one sentence with file and line."""
    sys.path.append(str(path.parent))
    _loading.append(path)
    try:
        yield
    except SyntaxError as error:
        raise InputError(f"{error.filename}, line {error.lineno}: {error.msg}.") from error
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(path)
        ]
        what = (
            str(error) if isinstance(error, EpiceneError) else f"{type(error).__name__}: {error}."
        )
        line = f", line {lines[-1]}" if lines else ""
        raise InputError(f"{path}{line}: {what}") from error
    finally:
        _loading.pop()
        with suppress(ValueError):
            sys.path.remove(str(path.parent))


# --- the user's list -----------------------------------------------------------------------


def list_path() -> Path:
    """The user's list of suite files, in the user's data folder."""
    shared = os.environ.get("XDG_DATA_HOME")
    folder = Path(shared) if shared else Path.home() / ".local" / "share"
    return folder / "epicene" / "suite_files.txt"


def trust(file: Path) -> None:
    """Add a file to the list; if the data folder is not writable, there is no list."""
    if _is_listed(str(file)) or "\n" in str(file):
        return
    with suppress(OSError):
        list_path().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with list_path().open("a", encoding="utf-8") as lines:
            lines.write(f"{file}\n")


def _is_listed(file: str) -> bool:
    try:
        return file in list_path().read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return False
