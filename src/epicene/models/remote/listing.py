"""Which models servers list: all must serve the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.remote.server import Server


class Listing:
    """What servers may list. Names alone tell models apart, so all must know the same ones.

    A server of one model may answer to any name: then all must list the same instead.
    """

    def __init__(self, model: str) -> None:
        self.known = False  # whether anybody lists models at all
        self._model = model
        self._same: frozenset[str] = frozenset()  # what all list, where none lists the name

    def settle(self, listed: Sequence[tuple[Server, frozenset[str]]]) -> None:
        """Take what the servers list at first; raise where one serves another model."""
        listed = [(server, models) for server, models in listed if models]
        self.known = bool(listed)
        if listed and not any(self._named_in(models) for _, models in listed):
            self._same = listed[0][1]
        for server, models in listed:
            if not self.fits(models):
                raise InputError(f"{self.wrong(server, models)}; all must serve the same model.")

    def fits(self, models: frozenset[str]) -> bool:
        """Whether a server that lists these may be the same as the others."""
        return not models or (models == self._same if self._same else self._named_in(models))

    def wrong(self, server: Server, models: frozenset[str]) -> str:
        """What to say of a server that lists others."""
        served = server.address.redact(", ".join(sorted(models)))
        return f"The server {server.address.shown} serves {served} and not {self._model}"

    def _named_in(self, models: frozenset[str]) -> bool:
        return self._model in models or f"{self._model}:latest" in models
