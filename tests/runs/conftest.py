"""Runs of the two-stage suite on scripted models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import reflexives
import two_stage
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.estimate import RunEstimate
from epicene.runs.manifest import Manifest
from epicene.runs.run import run
from epicene.runs.stored_run import StoredRun, read_run
from epicene.suites import choose_protocol, find_suite

Runner = Callable[..., tuple[Path, Manifest]]


class Silent:
    """Nobody is told."""

    def show_message(self, sentence: str) -> None:
        """Something a person should know."""

    def start(self, title: str, total: int, done: int) -> None:
        """A section begins."""

    def expect(self, total: int) -> None:
        """There may be another number of requests."""

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""

    def finish(self) -> None:
        """The section ended."""


@pytest.fixture(autouse=True)
def _registered() -> None:
    two_stage.register()
    reflexives.register()


def run_suite(
    suite: str,
    out: Path,
    model: str = "random",
    protocol: str = "epicene",
    settings: dict[str, str] | None = None,
    **config: object,
) -> StoredRun:
    """A run of a suite by one model in every role that the settings ask."""
    found = find_suite(suite)
    chosen = choose_protocol(found, protocol, settings or {}, None)
    roles = found.for_protocol(chosen, [role.name for role in found.roles]).roles
    folder, _ = run(
        RunConfig(
            suite=found,
            protocol=chosen,
            models={role.name: [parse_spec(model)] for role in roles},
            out=out,
            **config,  # type: ignore[arg-type]
        ),
        Silent(),
    )
    return read_run(folder)


def computed(log: Path) -> list[str]:
    """What the scripted models noted."""
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where scripted models note what they compute."""
    path = tmp_path / "computed.log"
    monkeypatch.setenv("SCRIPTED_LOG", str(path))
    return path


@pytest.fixture
def do_run(tmp_path: Path) -> Runner:
    """Run the two-stage suite: writer, readers, and whatever else a `RunConfig` holds."""

    def doing(
        writer: str = "scripted:w",
        readers: tuple[str, ...] = ("scripted:a", "scripted:b"),
        settings: dict[str, str] | None = None,
        seed: int | None = None,
        protocol: str = "epicene",
        approve: Callable[[RunEstimate], None] | None = None,
        **config: object,
    ) -> tuple[Path, Manifest]:
        suite = two_stage.suite
        return run(
            RunConfig(
                suite=suite,
                protocol=choose_protocol(suite, protocol, settings or {}, seed),
                models={
                    "writer": [parse_spec(writer)],
                    "reader": [parse_spec(reader) for reader in readers],
                },
                under=tmp_path / "runs",
                **config,  # type: ignore[arg-type]
            ),
            Silent(),
            approve=approve,
        )

    return doing
