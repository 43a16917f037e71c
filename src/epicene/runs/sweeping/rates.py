"""How long runs took, measured in earlier ones: never guessed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epicene.errors import EpiceneError
from epicene.records import digest
from epicene.runs.settings import fixed_models, read_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from epicene.records import Identity
    from epicene.runs.settings import Manifest, Settings, Timing
    from epicene.runs.sweeping.tally import Part

# So many seconds must have been seen, the start apart: what took less tells nothing of what a
# hundred times as much would take.
_SHORTEST = 2.0
# So large a part of the answers must have come after the first, or those count too, with all that
# it took to start.
_LATER = 0.25
# And so large a part of an estimate must be of what was seen to go on.
_SURE = 0.5


@dataclass
class _Measured:
    """What one verb of one stage took in earlier runs, in seconds."""

    answered: int = 0
    seen: float = 0.0  # planning, and after the first answers
    steady: float = 0.0  # what all answers would have taken, planned and at that pace
    doubtful: float = 0.0  # what those took of which too few came after the first

    def add(self, timing: Timing) -> None:
        """One more measurement."""
        later = timing.answered - timing.first
        self.answered += timing.answered
        if later < _LATER * timing.answered:
            self.doubtful += timing.planning + timing.starting + timing.going_on
        else:
            self.seen += timing.planning + timing.going_on
            self.steady += timing.planning + timing.going_on * timing.answered / later


class Rates:
    """Seconds a request, by suite, protocol with its settings, models, stage and verb."""

    def __init__(self, runs: Path) -> None:
        """Read the manifests of all runs in a folder."""
        self._measured: dict[bytes, dict[Part, _Measured]] = {}
        for path in sorted(runs.glob("*/manifest.json")):
            try:
                manifest = read_manifest(path.parent)
            except EpiceneError:  # of another version, or damaged: whoever uses the run is told
                continue
            self._learn(manifest)

    def seconds(
        self,
        settings: Settings,
        models: dict[str, tuple[Identity, ...]],
        requests: Mapping[Part, int],
    ) -> float | None:
        """About how long so many requests take once the models are loaded.

        None where nobody knows: nothing was measured, or too little to tell.
        """
        if not requests:
            return 0.0
        known = self._measured.get(_key(settings, models), {})
        if sum(each.seen for each in known.values()) < _SHORTEST or requests.keys() - known.keys():
            return None
        whole = sure = 0.0
        for part, count in requests.items():
            measured = known[part]
            each = count / measured.answered
            sure += each * measured.steady
            whole += each * (measured.steady + measured.doubtful)
        return whole if sure >= _SURE * whole else None

    def _learn(self, manifest: Manifest) -> None:
        parts = self._measured.setdefault(
            _key(manifest.settings, manifest.models), defaultdict(_Measured)
        )
        for session in manifest.sessions:
            for timing in session.timings:
                parts[timing.stage, timing.verb].add(timing)


def _key(settings: Settings, models: dict[str, tuple[Identity, ...]]) -> bytes:
    return digest(settings.suite, settings.protocol, fixed_models(models, set()))
