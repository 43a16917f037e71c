"""Exclude participants from a study's results, by name or for failing the attention checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.studies.analysis.quality import participant_quality

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from epicene.studies.design.schema import Response, Study

_MAX_NAMES = 10  # that a note lists; of more it gives the number


class Exclusions(NamedTuple):
    """Participants whom the owner names, and those who failed the attention checks."""

    named: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def participants(self) -> frozenset[str]:
        """All excluded participants."""
        return frozenset((*self.named, *self.failed))

    @property
    def note(self) -> str:
        """The note under tables and figures; empty if nobody is excluded."""
        why = {"named": self.named, "failed the attention checks": self.failed}
        parts = [f"{_listed(names)} ({reason})" for reason, names in why.items() if names]
        return f"Left out: {'; '.join(parts)}." if parts else ""


def exclude_participants(
    study: Study, responses: Sequence[Response], names: Collection[str], *, failed: bool
) -> Exclusions:
    """Exclude participants by name and, if `failed`, all who failed the attention checks.

    A participant who saw no attention check has not failed.
    """
    known = {response.participant for response in responses}
    for name in names:
        if known and name not in known:
            raise unknown("person with answers", name, known)
    found = participant_quality(study, responses) if failed else ()
    exclusions = Exclusions(
        tuple(sorted(set(names))),
        tuple(
            each.participant
            for each in found
            if each.passed is False and each.participant not in names
        ),
    )
    if known and exclusions.participants == known:
        raise InputError(f"Nobody's answers remain. {exclusions.note}")
    return exclusions


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} people"
