"""Looking by a server: the picture goes with the question, and the words come back whole."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from epicene.core.files import ImageFolder
from epicene.core.records import Answer, Choice, Failed, Look
from epicene.models.http.retry import RetryPolicy
from models.http.local_server import Asked, Reply, Script, Server, first_then
from models.model_answers import answers
from models.openai.openai_server import chat, error
from models.openai.openai_server import model as served_by
from models.sample_images import claiming, picture

QUESTION = "Is the person male, female or neither?"
CHOICES = ("male", "female", "neither")


def look(image: str, **fields: Any) -> Look:
    return Look(item="i", image=image, **{"question": QUESTION, "choices": CHOICES, **fields})


def ask(script: Script, folder: Path, data: bytes, **fields: Any) -> tuple[Answer, list[Asked]]:
    files = ImageFolder(folder)
    request = look(files.put(data), **fields)
    with Server(script) as server:
        served = served_by(server, RetryPolicy(first_wait=0.001, max_wait=0.01))
        (answer,) = answers(served, request, files=files)
    return answer, server.asked


def test_the_image_goes_as_a_data_url_beside_the_question(tmp_path: Path) -> None:
    data = picture(form="JPEG")
    answer, (asked,) = ask(lambda _: chat("Female."), tmp_path, data)
    assert asked.path == "/v1/chat/completions"
    (turn,) = asked.body["messages"]
    url = "data:image/jpeg;base64," + base64.b64encode(data).decode()
    assert turn == {
        "role": "user",
        "content": [
            {"type": "text", "text": QUESTION},
            {"type": "image_url", "image_url": {"url": url}},
        ],
    }
    assert asked.body["temperature"] == 0.0
    assert answer == Choice(choice="female", text="Female.")


def test_a_temperature_is_sent(tmp_path: Path) -> None:
    _, (asked,) = ask(lambda _: chat("male"), tmp_path, picture(), temperature=0.7)
    assert asked.body["temperature"] == 0.7


def test_words_that_are_no_choice_are_kept(tmp_path: Path) -> None:
    said = "I think this is a man, not female."
    answer, _ = ask(lambda _: chat(said), tmp_path, picture())
    assert answer == Choice(choice=None, text=said)


def test_choices_that_the_question_does_not_name_are_named_after_it(tmp_path: Path) -> None:
    _, (asked,) = ask(lambda _: chat("male"), tmp_path, picture(), question="Who is it?")
    text = asked.body["messages"][0]["content"][0]["text"]
    assert text == "Who is it?\nAnswer with one of these only: male, female, neither."


def test_thinking_is_no_part_of_the_answer(tmp_path: Path) -> None:
    script = lambda _: chat("<think>male or female?</think>male")  # noqa: E731
    assert ask(script, tmp_path, picture())[0] == Choice(choice="male", text="male")


def test_a_refusal_chooses_nothing(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": None, "refusal": "male"}
    script = lambda _: Reply({"choices": [{"message": message}]})  # noqa: E731
    assert ask(script, tmp_path, picture())[0] == Choice(choice=None, text="male")
    filtered = Reply({"error": {"message": "no", "code": "content_filter"}}, 400)
    answer, asked = ask(lambda _: filtered, tmp_path, picture())
    assert answer == Choice(choice=None)
    assert len(asked) == 1


def test_a_server_with_a_temperature_of_its_own_is_asked_without(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        taken = "temperature" not in asked.body
        return chat("male") if taken else error(400, "Unsupported value: 'temperature'")

    answer, asked = ask(script, tmp_path, picture())
    assert answer == Choice(choice="male", text="male")
    assert len(asked) == 2


@pytest.mark.parametrize("fault", [error(429), error(500), Reply(close=True), chat(None)])
def test_a_passing_fault_is_mended(fault: Reply, tmp_path: Path) -> None:
    script = first_then(fault, rest=lambda _: chat("male"))
    assert ask(script, tmp_path, picture())[0] == Choice(choice="male", text="male")


def test_a_model_that_sees_nothing_fails_with_the_servers_words(tmp_path: Path) -> None:
    script = lambda _: error(400, "image input is not supported")  # noqa: E731
    answer, asked = ask(script, tmp_path, picture())
    assert answer == Failed(reason="HTTP 400: image input is not supported")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#!/bin/sh", "not a PNG, JPEG or WebP image"),
        (claiming(60_000, 60_000), "far too many pixels"),
        (picture(5000, 4000), "16 megapixels"),
    ],
)
def test_a_file_that_is_no_image_is_not_sent(data: bytes, words: str, tmp_path: Path) -> None:
    answer, asked = ask(lambda _: chat("male"), tmp_path, data)
    assert isinstance(answer, Failed)
    assert words in answer.reason
    assert not asked


def test_a_changed_image_is_not_sent(tmp_path: Path) -> None:
    files = ImageFolder(tmp_path)
    name = files.put(picture())
    files.path(name).write_bytes(picture(shade=9))
    with Server(lambda _: chat("male")) as server:
        (answer,) = answers(served_by(server), look(name), files=files)
        assert not server.asked
    assert isinstance(answer, Failed)
    assert answer.reason == (
        f"the image {name} cannot be used: the file is not the one that was drawn; "
        "restore the original"
    )


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (look("0" * 64), "is missing from the run's files"),
        (look("../../etc/passwd"), "not a SHA-256"),
        (look("0" * 64, choices=()), "no choices"),
    ],
)
def test_a_request_without_image_or_choices_fails_unasked(
    request_: Look, words: str, tmp_path: Path
) -> None:
    with Server(lambda _: chat("male")) as server:
        (answer,) = answers(served_by(server), request_, files=ImageFolder(tmp_path))
    assert isinstance(answer, Failed)
    assert words in answer.reason
    assert not server.asked
