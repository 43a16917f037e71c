"""A hosted model, a person with a browser and published data. Nothing of Epicene."""

from __future__ import annotations

import http.client
import http.cookies
import json
import re
import threading
import urllib.parse
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self


def write_material(files: Mapping[str, object]) -> str:
    """Write files of published data below the current folder; their folder."""
    folder = Path("published-data")
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), "utf-8")
    return str(folder)


class Chat:
    """An OpenAI-compatible server that repeats the last line it is sent."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                prompt = str(body["messages"][-1]["content"])
                outer.asked.append(prompt)
                reply = json.dumps(_reply(prompt.strip().splitlines()[-1])).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """What `--base-url` takes."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _reply(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "parrot",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200},
    }


class Visitor:
    """Somebody who follows a personal link to the pages of a study, and answers there."""

    def __init__(self, link: str, port: int | None = None) -> None:
        address = urllib.parse.urlsplit(link)
        self._connection = http.client.HTTPConnection("127.0.0.1", port or address.port, timeout=30)
        self._cookies: dict[str, str] = {}
        status, page = self.send("GET", address.path)
        assert status == 200, page
        page = self.page()
        if 'action="/begin"' in page:
            status, page = self.send("POST", "/begin", form={"csrf": csrf_of(page)})
            assert status in (200, 303), page
        self._csrf = csrf_of(self.page())

    def page(self) -> str:
        """The page as it is now."""
        status, page = self.send("GET", "/")
        assert status == 200, page
        return page

    def work(self) -> Any:
        """What is before the person."""
        status, body = self.send("GET", "/api/work")
        assert status == 200, body
        return json.loads(body)

    def answer(self, work: Any, **answers: str) -> Any:
        """Answer it; what is next."""
        body = {
            "number": work["number"],
            "revision": work["revision"],
            "answers": {name: [value] for name, value in answers.items()},
            "seconds": 2.5,
        }
        return self.act("answer", body)

    def act(self, address: str, body: object) -> Any:
        """Send something; what is next."""
        status, reply = self.send("POST", f"/api/{address}", body=body)
        assert status == 200, reply
        return json.loads(reply)["work"]

    def send(
        self, method: str, path: str, form: dict[str, str] | None = None, body: object = None
    ) -> tuple[int, str]:
        """A request with the person's cookies: its status and text."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        data = None
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            data = urllib.parse.urlencode(form)
        elif body is not None:
            headers |= {"Content-Type": "application/json", "X-CSRF-Token": self._csrf}
            data = json.dumps(body)
        self._connection.request(method, path, data, headers)
        reply = self._connection.getresponse()
        for line in reply.headers.get_all("Set-Cookie") or ():
            for name, morsel in http.cookies.SimpleCookie(line).items():
                self._cookies[name] = morsel.value
        return reply.status, reply.read().decode()


def csrf_of(page: str) -> str:
    """The token of the page's forms."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found, page
    return found.group(1)


def kept(work: Mapping[str, Any]) -> dict[str, Any]:
    """What must be before the person once the study is served again."""
    picture = re.search(r'<img[^>]* src="([^"]+)"', work["page"])
    return {
        **{name: work[name] for name in ("stage", "number", "revision", "answered")},
        "picture": picture.group(1) if picture else "",
    }
