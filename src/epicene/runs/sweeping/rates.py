"""How long runs took, measured in earlier ones: never guessed."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING

from epicene.errors import EpiceneError
from epicene.records import digest
from epicene.runs.settings import fixed_models, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from epicene.records import Identity
    from epicene.runs.settings import Manifest, Session, Settings

# Times are kept to the second, so that a session lasted up to this much longer than they say.
_COARSE = 1.0


class Rates:
    """Requests a second, by suite, protocol with its settings, and models."""

    def __init__(self, runs: Path) -> None:
        """Read the manifests of all runs in a folder."""
        self._answered: dict[bytes, int] = defaultdict(int)
        self._seconds: dict[bytes, float] = defaultdict(float)
        for path in sorted(runs.glob("*/manifest.json")):
            try:
                manifest = read_manifest(path.parent)
            except EpiceneError:  # of another version, or damaged: whoever uses the run is told
                continue
            self._learn(manifest)

    def seconds(
        self, settings: Settings, models: dict[str, tuple[Identity, ...]], requests: int
    ) -> float | None:
        """About how long so many requests take once the models are loaded; None: nobody knows."""
        if not requests:
            return 0.0
        key = _key(settings, models)
        if not self._answered.get(key):
            return None
        return requests * self._seconds[key] / self._answered[key]

    def _learn(self, manifest: Manifest) -> None:
        answered = sum(count.answered for count in manifest.counts)
        # A session that was killed has no end, and nobody knows what it answered of the whole.
        if answered and all(session.ended for session in manifest.sessions):
            key = _key(manifest.settings, manifest.models)
            self._answered[key] += answered
            self._seconds[key] += _total(manifest.sessions)


def _key(settings: Settings, models: dict[str, tuple[Identity, ...]]) -> bytes:
    return digest(settings.suite, settings.protocol, fixed_models(models, set()))


def _total(sessions: Iterable[Session]) -> float:
    return sum(
        (_time(session.ended) - _time(session.started)).total_seconds() + _COARSE
        for session in sessions
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
