"""What served models do with servers that mean harm: peak memory, time, and what becomes of it.

    python benchmarks/hostile_server.py [MODE …] [--requests N]      (default all, 64)

Each mode is a way in which a server misbehaves. A process of its own opens a model on it, probes it
(which asks for its list of models), sends it so many requests, 16 at once, and reports its peak
memory, the seconds it took, how many requests failed and why. No mode may end the run, take a
gigabyte, or reach the private server that stands beside the hostile one. On Linux.
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

GIB = 1 << 30
MIB = 1 << 20
LIMIT = GIB  # of memory
BLOCK = b"0" * (64 << 10)


class Reply(NamedTuple):
    """What is sent: a status, headers, and a body in blocks, which may have no end."""

    body: Iterator[bytes]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Script: TypeAlias = Callable[["Hostile"], Reply]


class Mode(NamedTuple):
    """A way to misbehave, and the request that meets it."""

    script: Script
    verb: str = "generate"
    kind: str = "openai"
    timeout: float = 30.0  # seconds for one request


# --- bodies ----------------------------------------------------------------------------------


def whole(make: Callable[[], bytes], status: int = 200, **headers: str) -> Script:
    """A body that comes at once; it is made when it is first sent, so that no client holds it."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    kept = cache(make)
    return lambda _: Reply(iter([kept()]), status, named)


def document(make: Callable[[], Any], status: int = 200) -> Script:
    """A JSON document."""
    return whole(lambda: json.dumps(make()).encode(), status)


def chat(text: str, **fields: Any) -> dict[str, Any]:
    """What an honest server says."""
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], **fields}


def endless(first: bytes, block: bytes = BLOCK, pause: float = 0.0) -> Iterator[bytes]:
    """A body without an end, fast or drop by drop."""
    yield first
    while True:
        time.sleep(pause)
        yield block


@cache
def bomb(window: int, layers: int = 1, size: int = GIB) -> bytes:
    """A gigabyte of blanks in a JSON string, packed into a megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    parts = [packer.compress(b'{"choices":[{"message":{"content":"')]
    parts += [packer.compress(b" " * MIB) for _ in range(size // MIB)]
    packed = b"".join([*parts, packer.flush()])
    for _ in range(layers - 1):
        again = zlib.compressobj(9, zlib.DEFLATED, window)
        packed = again.compress(packed) + again.flush()
    return packed


def packed(window: int, encoding: str, status: int = 200, layers: int = 1) -> Script:
    """A bomb."""
    return lambda hostile: Reply(
        iter(
            [bomb(window, layers, hostile.bomb_size)],
        ),
        status,
        (("Content-Encoding", encoding),),
    )


@cache
def large_image(side: int, mode: str = "RGB", noise: bool = False) -> bytes:
    """A PNG of many pixels, of one colour or of noise."""
    from PIL import Image

    image = (
        Image.effect_noise((side, side), 90.0).convert(mode)
        if noise
        else Image.new(mode, (side, side))
    )
    out = BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def images(data: Callable[[], bytes]) -> Script:
    """An image in base64."""
    return document(lambda: {"data": [{"b64_json": base64.b64encode(data()).decode()}]})


def linked(place: str) -> Script:
    """An image at an address; `{root}` is the hostile server, `{private}` the one beside it."""
    return lambda hostile: Reply(
        iter([json.dumps({"data": [{"url": place.format(**hostile.places)}]}).encode()])
    )


def redirect(status: int, place: str) -> Script:
    """A redirect."""
    return lambda hostile: Reply(
        iter([b"{}"]), status, (("Location", place.format(**hostile.places)),)
    )


def echo(make: Callable[[], list[str]]) -> Script:
    """A scored text of these tokens."""

    def said() -> dict[str, Any]:
        tokens = make()
        listed = {"tokens": tokens, "token_logprobs": [-1.0] * len(tokens)}
        return {"choices": [{"text": ECHO_PROBE, "logprobs": listed}]}

    return document(said)


ECHO_PROBE = (  # what a server is asked to echo before it is asked to score anything
    "The teacher said she was tired. La maîtresse était fatiguée. هي معلمة. वह थकी है।"
)
DEEP = b"[" * 100_000
GZIP, ZLIB, RAW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\x00"
RETRY = {"Retry_After": "Mon, 01 Jan 2024 00:00:00 +99999999999999"}

MODES: dict[str, Mode] = {
    # size
    "endless body": Mode(lambda _: Reply(endless(b'{"choices":[{"message":{"content":"'))),
    "endless error": Mode(lambda _: Reply(endless(b'{"error":{"message":"'), 400)),
    "endless server error": Mode(lambda _: Reply(endless(b"<html>"), 503)),
    "drop by drop": Mode(lambda _: Reply(endless(b"{", b" ", 0.05)), timeout=2.0),
    "nothing": Mode(lambda _: Reply(endless(b"", b"", 0.5)), timeout=2.0),
    "gzip bomb": Mode(packed(GZIP, "gzip")),
    "gzip bomb as an error": Mode(packed(GZIP, "gzip", 500)),
    "gzip bomb twice": Mode(packed(GZIP, "gzip, gzip", layers=2)),
    "deflate bomb": Mode(packed(ZLIB, "deflate")),
    "raw deflate bomb": Mode(packed(RAW, "deflate")),
    "brotli by name": Mode(whole(lambda: b"\x00" * MIB, Content_Encoding="br")),
    "zstd by name": Mode(whole(lambda: b"\x28\xb5\x2f\xfd" * MIB, Content_Encoding="zstd")),
    "gzip cut off": Mode(
        whole(lambda: b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", Content_Encoding="gzip")
    ),
    "gzip that is none": Mode(whole(lambda: b'{"choices":[]}', Content_Encoding="gzip")),
    "15 MiB of text": Mode(document(lambda: chat("a" * 15 * MIB))),
    "15 MiB of wide text": Mode(document(lambda: chat("😀" + "a" * 15 * MIB))),
    "50 MiB of text": Mode(document(lambda: chat("a" * 50 * MIB))),
    "15 MiB of words": Mode(document(lambda: chat("ab " * 5 * MIB))),
    "5 million choices": Mode(whole(lambda: b'{"choices":[' + b"{}," * 5_000_000 + b"{}]}")),
    "5 million lists in an error": Mode(
        whole(lambda: b'{"error":[' + b"[]," * 5_000_000 + b"[]]}")
    ),
    "700,000 keys": Mode(
        whole(lambda: json.dumps({"error": {f"k{n}": n for n in range(700_000)}}).encode())
    ),
    "3 million numbers": Mode(whole(lambda: b'{"error":[' + b"1.5," * 3_900_000 + b"1.5]}")),
    "150,000 models": Mode(
        document(lambda: {"data": [{"id": f"{n}{'m' * 60}"} for n in range(150_000)]})
    ),
    "endless header": Mode(lambda _: Reply(iter([b"{}"]), 200, (("X-Long", "a" * 200_000),))),
    "long model names": Mode(
        lambda hostile: Reply(
            iter([json.dumps(chat("x", model=f"{hostile.count}" + "m" * 10 * MIB)).encode()])
        )
    ),
    # what is in it
    "deep JSON": Mode(whole(lambda: b'{"choices":' + DEEP)),
    "deep error": Mode(whole(lambda: b'{"error":' + DEEP, 400)),
    "deep error under 200": Mode(whole(lambda: b'{"error":' + b"[" * 900 + b"]" * 900 + b"}")),
    "not UTF-8": Mode(whole(lambda: b'{"choices":[{"message":{"content":"\xff\xfe"}}]}')),
    "half a character": Mode(whole(lambda: b'{"choices":[{"message":{"content":"\\ud800"}}]}')),
    "NaN": Mode(whole(lambda: b'{"choices":[{"index":NaN}]}')),
    "Infinity": Mode(whole(lambda: b'{"usage":{"cost":Infinity}}')),
    "1e999": Mode(whole(lambda: b'{"usage":{"cost":1e999}}')),
    "digits": Mode(whole(lambda: b'{"usage":{"prompt_tokens":' + b"9" * MIB + b"}}")),
    "4,000 digits": Mode(
        whole(
            lambda: (
                json.dumps(chat("x")).encode()[:-1]
                + b',"usage":{"prompt_tokens":'
                + b"9" * 4000
                + b"}}"
            )
        )
    ),
    "negative cost": Mode(document(lambda: chat("x", usage={"cost": -1000, "prompt_tokens": -5}))),
    "wrong types": Mode(document(lambda: {"choices": {"message": 7}, "usage": [], "model": {}})),
    "empty": Mode(whole(lambda: b"")),
    "a list": Mode(whole(lambda: b"[]")),
    "control characters": Mode(document(lambda: {"error": {"message": ESCAPES}}, 400)),
    "absurd Retry-After": Mode(whole(lambda: b"{}", 429, **RETRY)),
    "absurd Retry-After, 503": Mode(whole(lambda: b"{}", 503, **RETRY)),
    "Retry-After 1e308": Mode(whole(lambda: b"{}", 503, Retry_After="1e308")),
    "status 999": Mode(whole(lambda: b"{}", 999)),
    # where it leads
    "301 elsewhere": Mode(redirect(301, "{private}/v1/chat/completions")),
    "302 elsewhere": Mode(redirect(302, "{private}/v1/chat/completions")),
    "307 elsewhere": Mode(redirect(307, "{private}/v1/chat/completions")),
    "308 elsewhere": Mode(redirect(308, "{private}/v1/chat/completions")),
    "302 here": Mode(redirect(302, "/v1/elsewhere")),
    "307 in a circle": Mode(redirect(307, "/again")),
    "307 to a file": Mode(redirect(307, "file:///etc/passwd")),
    "307 to nothing": Mode(redirect(307, "http://[")),
    # images
    "image at a private server": Mode(linked("{private}/secret"), "draw"),
    "image at localhost": Mode(linked("http://localhost:{port}/secret"), "draw"),
    "image at a number": Mode(linked("http://2130706433:{port}/secret"), "draw"),
    "image in IPv6": Mode(linked("http://[::ffff:127.0.0.1]:{port}/secret"), "draw"),
    "image at the metadata": Mode(linked("http://169.254.169.254/latest/meta-data"), "draw"),
    "image in a file": Mode(linked("file:///etc/passwd"), "draw"),
    "image redirected": Mode(linked("{root}/to-private"), "draw"),
    "image without end": Mode(linked("{root}/endless"), "draw"),
    "image bomb in gzip": Mode(linked("{root}/bomb"), "draw"),
    "image of 25 megapixels": Mode(images(lambda: large_image(5000)), "draw"),
    "image of 16 megapixels": Mode(images(lambda: large_image(3990, "RGBA")), "draw"),
    "image of 15 MiB": Mode(images(lambda: large_image(3900, "L", noise=True)), "draw"),
    "image of 100 MiB": Mode(images(lambda: b"\0" * 100 * MIB), "draw"),
    "image in half": Mode(images(lambda: large_image(1000)[:200]), "draw"),
    # scores
    "2.5 million tokens": Mode(echo(lambda: [""] * 2_500_000), "score"),
    # the other services
    "replicate: gzip bomb": Mode(packed(GZIP, "gzip"), "draw", "replicate"),
    "replicate: deep JSON": Mode(whole(lambda: b'{"output":' + DEEP), "draw", "replicate"),
    "replicate: 302 elsewhere": Mode(redirect(302, "{private}/v1"), "draw", "replicate"),
    "ideogram: endless": Mode(lambda _: Reply(endless(b'{"data":[')), "draw", "ideogram"),
    "ideogram: deep JSON": Mode(whole(lambda: b'{"data":' + DEEP), "draw", "ideogram"),
    "ideogram: huge seed": Mode(
        whole(lambda: b'{"data":[{"url":"data:,","seed":' + b"9" * 99 + b"}]}"), "draw", "ideogram"
    ),
    "signs of the unreadable": Mode(echo(lambda: ["\ufffd" * 2000] * 2000), "score"),
}


# --- the servers -----------------------------------------------------------------------------


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class Hostile:
    """The hostile server, at `/MODE/v1`, and the private one beside it that nobody may reach."""

    def __init__(self, bomb_size: int = GIB) -> None:
        self.bomb_size = bomb_size
        self.count: int = 0  # replies
        self.private_requests = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"  # a body may end with its connection

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                self._send(outer.reply(self.path))

            def do_GET(self) -> None:
                self._send(outer.reply(self.path))

            def _send(self, reply: Reply) -> None:
                try:
                    self.send_response_only(reply.status, "")
                    for name, value in reply.headers:
                        self.send_header(name, value)
                    self.end_headers()
                    for block in reply.body:
                        self.wfile.write(block)
                        self.wfile.flush()
                except OSError:
                    pass  # the client has had enough

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        class Private(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.private_requests += 1
                self.send_error(403, "hunter2")

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._servers = [_Http(("127.0.0.1", 0), each) for each in (Handler, Private)]
        self.root, self.private = (f"http://127.0.0.1:{s.server_address[1]}" for s in self._servers)

    @property
    def places(self) -> dict[str, str]:
        """What the addresses in scripts stand for."""
        return {"root": self.root, "private": self.private, "port": self.private.rpartition(":")[2]}

    def __enter__(self) -> Self:
        for each in self._servers:
            threading.Thread(target=each.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._servers:
            each.shutdown()
            each.server_close()

    def url(self, mode: str) -> str:
        """The base URL under which it misbehaves in this way."""
        return f"{self.root}/{list(MODES).index(mode)}/v1"

    def reply(self, path: str) -> Reply:
        """What is sent for a path."""
        self.count += 1
        with self._lock:  # a body is made once, not by all who come for it
            return self._made(path)

    def _made(self, path: str) -> Reply:
        match path:
            case "/to-private":
                return redirect(302, "{private}/secret")(self)
            case "/endless":
                return Reply(endless(b"\x89PNG\r\n\x1a\n"))
            case "/bomb":
                return packed(GZIP, "gzip")(self)
            case "/again":
                return redirect(307, "/again")(self)
        number = path.split("/")[1]
        if not number.isdigit():
            return Reply(iter([json.dumps(chat("astray")).encode()]))
        return list(MODES.values())[int(number)].script(self)


# --- the client ------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What became of a mode's requests; memory in MiB."""

    mode: str
    answered: int
    failed: int
    reasons: list[str]
    start: float
    peak: float
    seconds: float


def ask(url: str, mode: str, requests: int) -> Outcome:
    """Send so many requests to the hostile server, in this process."""
    from epicene.core.errors import EpiceneError
    from epicene.core.files import ImageFolder
    from epicene.core.records import Decoding, Draw, Failed, Generate, Message, Request, Score
    from epicene.models import ModelOptions, ideogram, replicate
    from epicene.models.http.retry import RetryPolicy
    from epicene.models.openai.model import OpenAIModel

    kinds = ("limit", "hang", "connect", "server", "reply", "lost", "unread")
    policy = RetryPolicy(
        first_wait=0.001,
        max_wait=0.01,
        max_attempts=dict.fromkeys(kinds, 2),  # type: ignore[arg-type]
    )
    verb = MODES[mode].verb
    made: list[Request] = []
    for number in range(requests):
        if verb == "draw":
            made.append(
                Draw(item="r", prompt=f"{number}", seed=number, shots=2, width=64, height=64)
            )
        elif verb == "score":
            made.append(Score(item="r", context="", texts=(f"The teacher said {number}",)))
        else:
            said = (Message(role="user", content=str(number)),)
            made.append(Generate(item="r", prompt=said, decoding=Decoding(max_new_tokens=64)))
    options = ModelOptions(
        base_url=url, timeout=MODES[mode].timeout, price="0.01" if verb == "draw" else "1/1"
    )
    match MODES[mode].kind:
        case "replicate":
            model: Any = replicate.ReplicateModel("me/mine", options, policy)
        case "ideogram":
            model = ideogram.IdeogramModel("V_3", options, policy)
        case _:
            model = OpenAIModel("toy", options, policy)
    start, began = _peak(), time.monotonic()
    found: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        batches = iter([(number, request)] for number, request in enumerate(made))
        try:
            if hasattr(model, "probe"):
                with suppress(EpiceneError):  # a sentence, which would end the run at once
                    model.probe(made[:1])
            for answered in model.answer(batches, ImageFolder(Path(folder))):
                found += (answer for _, answer in answered)
        except Exception as error:  # which is what no mode may lead to, but for a wrong echo
            found += [Failed(reason=f"the run ended: {type(error).__name__}: {error}")]
    failed = [answer for answer in found if isinstance(answer, Failed)]
    refused = [
        image.refused for each in found for image in getattr(each, "images", ()) if image.refused
    ]
    reasons = Counter([*(each.reason for each in failed), *refused])
    return Outcome(
        mode,
        len(found) - len(failed),
        len(failed),
        [reason for reason, _ in reasons.most_common(2)],
        start,
        _peak(),
        time.monotonic() - began,
    )


def _peak() -> float:
    """Of this process alone: `ru_maxrss` begins with what its parent had."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def ask_in_process(hostile: Hostile, modes: list[str], requests: int) -> list[Outcome]:
    """Meet these modes, one after the other, in one process of its own."""
    command = [sys.executable, __file__, "--client", hostile.root, "--requests", str(requests)]
    done = subprocess.run([*command, *modes], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{modes}: {done.returncode}: {done.stderr[-2000:]}")
    return [Outcome(*json.loads(line)) for line in done.stdout.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=list(MODES))
    parser.add_argument("--requests", type=int, default=64)
    parser.add_argument("--client", default="")
    options = parser.parse_args()
    if options.client:
        for mode in options.modes:
            url = f"{options.client}/{list(MODES).index(mode)}/v1"
            print(json.dumps(ask(url, mode, options.requests)), flush=True)
        return
    worst = 0.0
    with Hostile() as hostile:
        for mode in options.modes:
            (outcome,) = ask_in_process(hostile, [mode], options.requests)
            worst = max(worst, outcome.peak)
            print(
                f"{mode:32}{outcome.answered:4} answered {outcome.failed:4} failed "
                f"{outcome.peak:6.0f} MiB {outcome.seconds:6.1f} s  {outcome.reasons[:1]}"[:200],
                flush=True,
            )
            assert outcome.peak * MIB < LIMIT, mode
        assert hostile.private_requests == 0, "the private server was reached"
    print(
        f"{len(options.modes)} modes; {worst:.0f} MiB at most; the private server was never asked"
    )


if __name__ == "__main__":
    main()
