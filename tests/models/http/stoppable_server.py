"""Servers that can stop and come back and list their models, and a model on several of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from epicene.core.records import Answer, Generate, Message, Texts
from epicene.models import ModelOptions
from epicene.models.http.retry import RetryPolicy
from epicene.models.openai.model import OpenAIModel
from models.http.local_server import Reply, Script, Server, _Http

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

FREQUENT_CHECKS = RetryPolicy(first_wait=0.01, max_wait=0.05, check_interval=0.05, max_outage=60.0)
ONE_CHECK = RetryPolicy(first_wait=0.01, max_wait=0.05, check_interval=600.0)


def question(text: object, **fields: Any) -> Generate:
    """A chat of one turn."""
    return Generate(item=str(text), prompt=(Message(role="user", content=str(text)),), **fields)


def texts(given: list[Answer]) -> list[str]:
    """The text of each answer; all must be texts."""
    assert all(isinstance(answer, Texts) for answer in given), given
    return [answer.only for answer in given if isinstance(answer, Texts)]


def balanced_model(
    *servers: str | Server, retry_policy: RetryPolicy = ONE_CHECK, **options: Any
) -> OpenAIModel:
    """The model `toy` on several servers."""
    urls = " ".join(each if isinstance(each, str) else each.url for each in servers)
    return OpenAIModel("toy", ModelOptions(base_url=urls, **options), retry_policy)


def per_server(served: OpenAIModel, key: str = "answered") -> list[Any]:
    """A note of each server."""
    servers = served.notes()["servers"]
    assert isinstance(servers, list)
    return [each.get(key) for each in servers]


class StoppableServer(Server):
    """A server that breaks every connection while it is stopped; it lists its models."""

    def __init__(self, script: Script, *models: str, listing: int = 200) -> None:
        super().__init__(script, models or ("toy",), listing=listing)
        self.broken_checks = 0  # how many of the next ones end in a broken connection
        self._stopped = threading.Event()

    def _list_models(self) -> Reply:
        if self.broken_checks:
            self.broken_checks -= 1
            return Reply(close=True)
        return super()._list_models()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        if self._stopped.is_set():
            handler.close_connection = True
            return
        super()._serve(handler)

    def stop(self) -> None:
        """Break off all requests; may be called within a reply."""
        self._stopped.set()
        threading.Thread(target=self._http.shutdown, daemon=True).start()
        self._http.server_close()

    def restart(self) -> None:
        """Serve again, at the same address."""
        self._http = _Http(self._http.server_address[:2], self._http.RequestHandlerClass)
        self._stopped.clear()
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        if not self._stopped.is_set():
            self._http.shutdown()
            self._http.server_close()
