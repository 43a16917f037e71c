"""Exclude participants from a study's results, by name or for failing the attention checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.studies.analysis.quality import participant_quality

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from epicene.studies.design.schema import Response, Study

_MAX_NAMES = 10  # people whom a note names; of more it says how many


class Exclusions(NamedTuple):
    """Those whom the owner named, and those who did not pass the attention checks."""

    named: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def people(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.named, *self.failed))

    @property
    def note(self) -> str:
        """A sentence to stand under whatever they are left out of."""
        why = {"named": self.named, "failed the attention checks": self.failed}
        parts = [f"{_listed(names)} ({reason})" for reason, names in why.items() if names]
        return f"Left out: {'; '.join(parts)}." if parts else ""


def exclude_participants(
    study: Study, responses: Sequence[Response], names: Collection[str], *, failed: bool
) -> Exclusions:
    """Leave out some people by name, and all who failed the attention checks if so wanted.

    Who saw no attention check has not failed.
    """
    known = {response.participant for response in responses}
    for name in names:
        if known and name not in known:
            raise unknown("person with answers", name, known)
    found = participant_quality(study, responses) if failed else ()
    gone = Exclusions(
        tuple(sorted(set(names))),
        tuple(
            each.participant
            for each in found
            if each.passed is False and each.participant not in names
        ),
    )
    if known and gone.people == known:
        raise InputError(f"Nobody's answers remain. {gone.note}")
    return gone


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} people"
