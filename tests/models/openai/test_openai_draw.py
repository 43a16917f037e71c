"""Drawing by a server: what is sent, what is kept, and how every trouble ends recorded."""

from __future__ import annotations

import base64
import hashlib
import time
from pathlib import Path
from typing import Any

import pytest

from epicene.core.files import ImageFolder
from epicene.core.records import Answer, Draw, Failed, Image
from epicene.models import sample_seed
from epicene.models.http.retry import RetryPolicy
from models.http.local_server import Asked, Reply, Script, Server, first_then
from models.model_answers import answers, drawn
from models.openai.openai_server import error, model
from models.sample_images import picture

FAST_RETRIES = RetryPolicy(first_wait=0.001, max_wait=0.01)
MIB = 1 << 20


def sent(data: bytes, **fields: Any) -> Reply:
    """A reply with one image."""
    return Reply({"created": 1, "data": [{"b64_json": base64.b64encode(data).decode(), **fields}]})


def refusal(code: str, status: int = 400) -> Reply:
    return Reply({"error": {"message": "Blocked by our safety system.", "code": code}}, status)


def draw(prompt: str = "a nurse", **fields: Any) -> Draw:
    return Draw(item=prompt, prompt=prompt, **fields)


def ask(
    script: Script, folder: Path, *requests: Draw, **options: Any
) -> tuple[list[Answer], list[Asked]]:
    with Server(script) as server:
        served = model(server, FAST_RETRIES, **options)
        return answers(served, *requests, files=ImageFolder(folder)), server.asked


# --- what is sent and kept -------------------------------------------------------------------


def test_an_image_is_one_request_and_its_image_is_kept_by_its_hash(tmp_path: Path) -> None:
    data = picture(8, 6, "WEBP")
    script = lambda _: sent(data, revised_prompt="A nurse in a ward.")  # noqa: E731
    (answer,), (asked,) = ask(script, tmp_path, draw(width=512, height=256, seed=3))
    assert asked.path == "/v1/images/generations"
    assert asked.body == {
        "model": "toy",
        "prompt": "a nurse",
        "n": 1,
        "size": "512x256",
        "response_format": "b64_json",
        "seed": sample_seed(3, 0),
    }
    assert drawn(answer) == (
        Image(
            sha256=hashlib.sha256(data).hexdigest(),
            media_type="image/webp",
            width=8,
            height=6,
            seed=sample_seed(3, 0),
            revised_prompt="A nurse in a ward.",
        ),
    )
    assert ImageFolder(tmp_path).path(drawn(answer)[0].sha256).read_bytes() == data


@pytest.mark.parametrize("setting", ["seed", "response_format"])
def test_a_setting_the_server_does_not_know_is_left_out_from_then_on(
    setting: str, tmp_path: Path
) -> None:
    def script(asked: Asked) -> Reply:
        known = setting not in asked.body
        return sent(picture()) if known else error(400, f"Unknown parameter: '{setting}'.")

    given, asked = ask(script, tmp_path, draw("a"), draw("b"), concurrency=1)
    assert [setting in each.body for each in asked] == [True, False, False]
    seeds = [image.seed for answer in given for image in drawn(answer)]
    assert seeds == ([None] * 2 if setting == "seed" else [sample_seed(0, 0)] * 2)


def test_a_data_url_is_read_as_the_image_in_it(tmp_path: Path) -> None:
    url = "data:image/png;base64," + base64.b64encode(picture()).decode()
    (answer,), _ = ask(lambda _: Reply({"data": [{"b64_json": url}]}), tmp_path, draw())
    assert drawn(answer)[0].sha256 == hashlib.sha256(picture()).hexdigest()


def test_tokens_of_images_are_counted_under_their_own_names(tmp_path: Path) -> None:
    body = {
        "data": [{"b64_json": base64.b64encode(picture()).decode()}],
        "usage": {"input_tokens": 11, "output_tokens": 272},
    }
    with Server(lambda _: Reply(body)) as server:
        served = model(server)
        answers(served, draw(shots=2), files=ImageFolder(tmp_path))
        notes = served.notes()
    assert (notes["prompt_tokens"], notes["completion_tokens"]) == (22, 544)


# --- troubles --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code", ["moderation_blocked", "content_policy_violation", "content_filter", "contentFilter"]
)
def test_a_refusal_is_recorded_and_not_asked_again(code: str, tmp_path: Path) -> None:
    script = lambda a: refusal(code) if "nurse" in a.prompt else sent(picture())  # noqa: E731
    (blocked, fine), asked = ask(script, tmp_path, draw(), draw("a doctor"))
    (image,) = drawn(blocked)
    assert image.refused == "Blocked by our safety system."
    assert not image.sha256
    assert drawn(fine)[0].sha256
    assert len(asked) == 2


def test_one_refused_image_leaves_the_others(tmp_path: Path) -> None:
    bad = sample_seed(0, 1)

    def script(asked: Asked) -> Reply:
        return refusal("moderation_blocked") if asked.body["seed"] == bad else sent(picture())

    (answer,), _ = ask(script, tmp_path, draw(shots=3))
    assert [bool(image.refused) for image in drawn(answer)] == [False, True, False]
    assert [bool(image.sha256) for image in drawn(answer)] == [True, False, True]


@pytest.mark.parametrize(
    ("fault", "timeout"),
    [
        (error(429, "slow down", {"retry-after": "0.05"}), 60.0),
        (error(503, "later"), 60.0),
        (Reply({}, delay=30.0), 2.0),
        (Reply(close=True), 60.0),
        (Reply({"data": []}), 60.0),
        (sent(picture(64, 64)[:60]), 60.0),
        (sent(b"<html>not an image</html>"), 60.0),
        (Reply({"data": [{"b64_json": "no base64!"}]}), 60.0),
    ],
    ids=["throttle", "503", "hang", "closed", "empty", "cut image", "no image", "no base64"],
)
def test_a_passing_fault_is_mended(fault: Reply, timeout: float, tmp_path: Path) -> None:
    with Server(first_then(fault, rest=lambda _: sent(picture()))) as server:
        served = model(server, timeout=timeout)
        (answer,) = answers(served, draw(), files=ImageFolder(tmp_path))
        assert drawn(answer)[0].sha256
        assert len(server.asked) == 2
        assert served.notes()["retries"] == 1


def test_a_reply_that_is_too_large_leaves_the_other_images(tmp_path: Path) -> None:
    """The whole request failed, although its other images had come."""
    bad = sample_seed(0, 1)
    large = Reply(b" " * (50 * MIB))

    def script(asked: Asked) -> Reply:
        return large if asked.body["seed"] == bad else sent(picture())

    (answer,), asked = ask(script, tmp_path, draw(shots=3))
    assert [bool(image.sha256) for image in drawn(answer)] == [True, False, True]
    assert "larger than" in drawn(answer)[1].refused
    assert len(asked) == 3


def test_a_long_revised_prompt_is_cut(tmp_path: Path) -> None:
    """It made the request fail, although its image had come."""
    (answer,), _ = ask(lambda _: sent(picture(), revised_prompt="a" * MIB), tmp_path, draw())
    (image,) = drawn(answer)
    assert image.sha256
    assert image.revised_prompt == "a" * 99_999 + "…"


# --- many large replies at once ----------------------------------------------------------------

PADDING = "x" * MIB


def test_an_attempt_that_failed_keeps_no_other_from_reading(tmp_path: Path) -> None:
    """Each waited for the other's slot until --timeout, and the images were paid for again."""
    empty = Reply({"data": [], "padding": PADDING})
    script = first_then(*[empty] * 4, rest=lambda _: sent(picture(), padding=PADDING))
    requests = [draw(f"nurse {number}") for number in range(12)]
    given, asked = ask(script, tmp_path, *requests, concurrency=4, timeout=30.0)
    assert all(drawn(answer)[0].sha256 for answer in given)
    assert len(asked) == 16


def test_a_large_reply_with_an_address_keeps_no_other_from_reading(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        if asked.method == "GET":
            return Reply(picture())
        return Reply({"data": [{"url": f"http://{asked.headers['host']}/x"}], "padding": PADDING})

    requests = [draw(f"nurse {number}") for number in range(12)]
    given, asked = ask(script, tmp_path, *requests, concurrency=4, timeout=30.0)
    assert all(drawn(answer)[0].sha256 for answer in given)
    assert len(asked) == 24


def test_images_that_wait_for_memory_do_not_time_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = ImageFolder.put

    def put_slowly(self: ImageFolder, data: bytes) -> str:
        time.sleep(0.6)
        return put(self, data)

    monkeypatch.setattr(ImageFolder, "put", put_slowly)
    requests = [draw(f"nurse {number}") for number in range(14)]
    script = lambda _: sent(picture(), padding=PADDING)  # noqa: E731
    given, asked = ask(script, tmp_path, *requests, concurrency=14, timeout=2.0)
    assert all(drawn(answer)[0].sha256 for answer in given)
    assert len(asked) == 14


# --- lasting faults ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "words", "attempts"),
    [
        (error(429, "slow down"), "HTTP 429: slow down (12 attempts)", 12),
        (Reply({}, delay=30.0), "no reply within 2 s (3 attempts)", 3),
        (Reply({"data": []}), "the reply contains no image (3 attempts)", 3),
        (error(404, "Not Found"), "no images endpoint", 1),
        (error(400, "Invalid size"), "does not draw 1024x1024", 1),
    ],
    ids=["throttle", "hang", "empty", "no endpoint", "size"],
)
def test_a_lasting_fault_fails_its_request_and_the_run_goes_on(
    fault: Reply, words: str, attempts: int, tmp_path: Path
) -> None:
    script = lambda a: fault if "nurse" in a.prompt else sent(picture())  # noqa: E731
    timeout = 2.0 if fault.delay else 60.0
    (bad, good), asked = ask(script, tmp_path, draw(), draw("a doctor"), timeout=timeout)
    assert isinstance(bad, Failed)
    assert words in bad.reason
    assert drawn(good)[0].sha256
    assert len(asked) == attempts + 1


@pytest.mark.parametrize("request_", [draw(""), draw(shots=0), draw(width=0)])
def test_a_request_for_nothing_fails_unasked(request_: Draw, tmp_path: Path) -> None:
    (answer,), asked = ask(lambda _: sent(picture()), tmp_path, request_)
    assert isinstance(answer, Failed)
    assert not asked
