"""Exclude participants from a study's results, by name or for failing the attention checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.studies.analysis.quality import participant_quality

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from epicene.studies.design.schema import Response, Study

_MAX_NAMES = 10  # that a note lists; of more it gives the number


class Exclusions(NamedTuple):
    """Participants whom the owner names, who failed the attention checks, or who are excluded.

    `stored` has the reasons of those whom the study's rule or its owner excluded permanently.
    """

    named: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    stored: Mapping[str, str] = {}

    @property
    def participants(self) -> frozenset[str]:
        """All excluded participants."""
        return frozenset((*self.named, *self.failed, *self.stored))

    @property
    def note(self) -> str:
        """The note under tables and figures; empty if nobody is excluded."""
        return self._sentence("Left out")

    @property
    def marked_note(self) -> str:
        """The note on an export that has their answers; empty if nobody is excluded."""
        return self._sentence("Do not count these people (see the column `excluded`)")

    def _sentence(self, outcome: str) -> str:
        why: dict[str, list[str]] = {}
        for name, reason in self.stored.items():
            # Of reasons that differ only in their numbers
            why.setdefault(f"excluded: {reason.partition(' (')[0]}", []).append(name)
        why["named"] = [*self.named]
        why["failed the attention checks"] = [*self.failed]
        parts = [f"{_listed(names)} ({reason})" for reason, names in why.items() if names]
        return f"{outcome}: {'; '.join(parts)}." if parts else ""


def exclude_participants(
    study: Study,
    responses: Sequence[Response],
    names: Collection[str],
    *,
    failed: bool,
    stored: Mapping[str, str] | None = None,
) -> Exclusions:
    """Exclude participants by name and, if `failed`, all who failed the attention checks.

    The `responses` are without those of participants who are excluded permanently (`stored`).

    A participant who saw no attention check has not failed.
    """
    known = {response.participant for response in responses}
    for name in names:
        if known and name not in known and name not in (stored or {}):
            raise unknown("person with answers", name, known)
    found = participant_quality(study, responses) if failed else ()
    exclusions = Exclusions(
        tuple(sorted(set(names) - set(stored or {}))),
        tuple(
            each.participant
            for each in found
            if each.passed is False and each.participant not in names
        ),
        stored or {},
    )
    if known and exclusions.participants >= known:
        raise InputError(f"No answers remain. {exclusions.note}")
    return exclusions


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} people"
