"""A model on Replicate, as the runs know it: it draws."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.models.remote.address import Provider
from epicene.models.remote.faults import UnansweredError
from epicene.models.remote.model import RemoteModel
from epicene.records import Answer, Draw, Identity, Request, verb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from epicene.models import Files, ModelOptions
    from epicene.models.remote.conveyor import Work
    from epicene.models.remote.patience import Patience
    from epicene.models.remote.sender import Sender
    from epicene.models.replicate.inputs import Inputs

KIND = "replicate"
# Changed when the same model would be asked otherwise: which inputs are set, and to what.
VERSION = "1"
PROVIDER = Provider(
    key_variable="REPLICATE_API_TOKEN",
    url_variable="REPLICATE_BASE_URL",
    url_option="?base_url= in the spec",
    own="Replicate",
    own_url="https://api.replicate.com/v1",
)
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?::([0-9a-f]{8,64}))?")


class ReplicateModel(RemoteModel):
    """Any model on Replicate that makes pictures of a prompt."""

    def __init__(self, name: str, options: ModelOptions, patience: Patience | None = None) -> None:
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise InputError(
                f"The model spec replicate:{name} does not name a model; write "
                "replicate:OWNER/NAME, or replicate:OWNER/NAME:VERSION."
            )
        self._name, self._version = parts[1], parts[2] or ""
        identity = Identity(
            kind=KIND,
            label=options.label or self._name.partition("/")[2],
            key={"model": self._name, "revision": self._version, "version": VERSION},
            about={"name": self._name, "family": "", "parameters": None},
        )
        super().__init__(identity, PROVIDER, options, patience)
        self._inputs: Inputs | None = None

    @property
    def verbs(self) -> frozenset[str]:
        """It draws and does nothing else."""
        return frozenset({verb(Draw)})

    def notes(self) -> Mapping[str, object]:
        """What was sent, which versions answered, and which inputs were set."""
        counts = self._tally
        notes = {
            **super().notes(),
            "drawn": counts.pictures,
            "refused": counts.refused,
            "served_versions": self._shown(counts.models),
        }
        return {**notes, **self._inputs.notes()} if self._inputs else notes

    @asynccontextmanager
    async def _answering(self, sender: Sender, files: Files) -> AsyncIterator[Work]:
        from epicene.models.remote.http import Downloads, HttpClient
        from epicene.models.remote.shots import Shots
        from epicene.models.replicate.inputs import Inputs
        from epicene.models.replicate.predictions import Predictions

        self._inputs = self._inputs or Inputs()
        headers = {"Authorization": f"Bearer {sender.address.key}"}
        async with (
            HttpClient(sender.address, headers) as client,
            Downloads(sender) as downloads,
        ):
            predictions = Predictions(
                sender, client, downloads, self._name, self._version, self._inputs
            )
            shots = Shots(sender, files, predictions.ask)

            async def answer(request: Request) -> Answer:
                if not isinstance(request, Draw):
                    raise UnansweredError(f"a model on Replicate knows no verb {verb(request)}")
                return await shots.draw(request)

            yield answer
