"""A model behind Ideogram's own endpoints, as the runs know it: it draws."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from epicene.models.ideogram.endpoints import endpoint_of
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

KIND = "ideogram"
# Changed when the same model would be asked otherwise.
VERSION = "1"
PROVIDER = Provider(
    key_variable="IDEOGRAM_API_KEY",
    url_variable="IDEOGRAM_BASE_URL",
    url_option="?base_url= in the spec",
    own="Ideogram",
    own_url="https://api.ideogram.ai",
)


class IdeogramModel(RemoteModel):
    """One of Ideogram's models."""

    def __init__(self, name: str, options: ModelOptions, patience: Patience | None = None) -> None:
        self._endpoint = endpoint_of(name)
        identity = Identity(
            kind=KIND,
            label=options.label or f"ideogram-{name}",
            key={"model": name, "version": VERSION},
            about={"name": name, "family": "", "parameters": None},
        )
        super().__init__(identity, PROVIDER, options, patience)

    @property
    def verbs(self) -> frozenset[str]:
        """It draws and does nothing else."""
        return frozenset({verb(Draw)})

    def notes(self) -> Mapping[str, object]:
        """What was sent, and whether prompts were rewritten."""
        counts, endpoint = self._tally, self._endpoint
        rewriting = "off (magic prompt)" if endpoint.magic else "this endpoint has no switch for it"
        return {
            **super().notes(),
            "drawn": counts.pictures,
            "refused": counts.refused,
            "prompt_rewriting": rewriting,
            "seed": "sent" if endpoint.seeded else "not taken by this endpoint",
        }

    @asynccontextmanager
    async def _answering(self, sender: Sender, files: Files) -> AsyncIterator[Work]:
        from epicene.models.ideogram.drawing import Drawer
        from epicene.models.remote.http import Downloads, HttpClient
        from epicene.models.remote.shots import Shots

        headers = {"Api-Key": sender.address.key}
        async with (
            HttpClient(sender.address, headers) as client,
            Downloads(sender) as downloads,
        ):
            shots = Shots(sender, files, Drawer(sender, client, downloads, self._endpoint).ask)

            async def answer(request: Request) -> Answer:
                if not isinstance(request, Draw):
                    raise UnansweredError(f"Ideogram knows no verb {verb(request)}")
                return await shots.draw(request)

            yield answer
