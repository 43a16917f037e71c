"""A model that answers from logs, so that an evaluation by another tool becomes a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError
from epicene.core.records import Failed, Identity
from epicene.models import UnanswerableError
from epicene.models.simple_model import SimpleModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Answer, Request
    from epicene.suites import Answers


def log_model(
    answered: Mapping[str, Sequence[tuple[Any, Answers]]], files: Sequence[Path]
) -> SimpleModel:
    """The single model of the logs, with the matched answers; all other requests fail."""
    if len(answered) != 1:
        raise InputError(
            f"The logs are from {len(answered)} models ({', '.join(answered)}), but a run has "
            "one; pass the logs of each model separately."
        )
    ((label, items),) = answered.items()
    known: dict[tuple[str, str], Answer] = {
        (item.id, each.name): each.answer for item, given in items for each in given
    }

    def answer(request: Request) -> Answer:
        found = known.get((request.item, request.name))
        if found is None or isinstance(found, Failed):
            raise UnanswerableError(found.reason if found is not None else "not in the log")
        return found

    key = {file.name: sha256_of(file) for file in files}
    identity = Identity(kind="log", label=label, key=key, about={"name": label})
    return SimpleModel(identity, dict.fromkeys(("score", "generate"), answer))
