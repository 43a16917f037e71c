"""Exclude people from a study, or delete who withdraws."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from epicene.app.arguments import StudyLike
from epicene.app.output import note
from epicene.app.session import session
from epicene.app.studies import open_study
from epicene.core.errors import InputError, RunError, pluralise

if TYPE_CHECKING:
    from epicene.app.output import Output


class Excluded(dict[str, str]):
    """The people who are excluded, with the reasons."""

    def _print_(self, _output: Output) -> None:
        for name, why in self.items():
            note(f"Excluded: {name} ({why}).")
        note(f"Total excluded: {len(self)}.")


def exclude(
    study: StudyLike,
    *people: Annotated[str, Parameter(name="PERSON")],
    reason: str = "",
    rule: bool = False,
    readmit: bool = False,
) -> Excluded:
    """Exclude people: their answers are kept but do not count, and their items go to others.

    Returns everyone who is excluded, with the reasons.

    Args:
        study: The study's folder.
        people: The people to exclude.
        reason: The reason, which is shown in tables and exports.
        rule: Instead of naming people, apply the rule in study.toml to everyone, including people
            who left early and imported answers.
        readmit: Instead of excluding these people, count their answers again; from then on, the
            rule does not apply to them.
    """
    from epicene.studies.collection.activity import OWNER
    from epicene.studies.collection.exclusion import (
        apply_rule,
        exclude_participant,
        readmit_participant,
    )

    opened = open_study(study)
    if rule == bool(people) or (readmit and not people):
        raise InputError("Name people, or use --rule, but not both; --readmit requires names.")
    if rule:
        apply_rule(opened.folder)
    for person in people:
        if readmit:
            readmit_participant(opened.folder, person)
        else:
            exclude_participant(opened.folder, person, reason, OWNER)
    return Excluded(opened.excluded)


def forget(study: StudyLike, person: Annotated[str, Parameter(name="PERSON")]) -> None:
    """Permanently delete a person who withdrew, with all their answers.

    Files exported earlier are unchanged.

    Args:
        study: The study's folder.
        person: The person who withdrew.
    """
    from epicene.studies.collection.folder import RESPONSES_FILE
    from epicene.studies.collection.participants import delete_participant

    folder = open_study(study).folder
    if not session.get().yes:
        count = sum(response.participant == person for response in folder.responses())
        _confirm(f"{person}, with {pluralise(count, 'answer')}")
    deleted = delete_participant(folder.path / RESPONSES_FILE, person)
    note(
        f"Deleted {person}, with {pluralise(deleted, 'answer')}. Files exported earlier are "
        "unchanged."
    )


def _confirm(what: str) -> None:
    """Ask at the terminal for confirmation; raise without it."""
    if not sys.stdin.isatty():
        raise InputError(
            f"This would delete {what}, and there is no terminal to ask for confirmation; use "
            "--yes."
        )
    sys.stderr.write(f"Permanently delete {what}? [y/N]: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RunError("Nothing was deleted.")
