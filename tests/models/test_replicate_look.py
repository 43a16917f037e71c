"""Judges on Replicate: what they are sent, and what becomes of their words and of their price."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from epicene.core.files import ImageFolder
from epicene.core.records import Answer, Choice, Draw, Failed, Look
from epicene.models import ModelOptions
from epicene.models.pricing import Price, as_paid
from epicene.models.replicate import ReplicateModel
from models.http.image_servers import VERSION, schema
from models.http.local_server import FAST_RETRIES, Asked, Reply, Server
from models.model_answers import answers
from models.sample_images import picture

QUESTION = "Who is it? Male/female/neither"
BLIP = schema(image="string", question="string", caption="boolean", temperature="number")
LLAVA = schema(image="string", prompt="string", temperature="number", top_p="number")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLICATE_API_TOKEN", "r8_secret")


def judge(published: dict[str, Any], output: object) -> Callable[[Asked], Reply]:
    """A server with one model, which says the same of every image."""

    def script(asked: Asked) -> Reply:
        if asked.path == "/v1/files":
            return Reply({"id": "f", "urls": {"get": "https://files.example/f"}}, 201)
        if asked.method == "GET":
            return Reply({"latest_version": {"id": VERSION, "openapi_schema": published}})
        done = {"id": "p", "status": "succeeded", "output": output, "version": VERSION}
        return Reply(done, 201)

    return script


def ask(
    script: Callable[[Asked], Reply], folder: Path, data: bytes, **fields: Any
) -> tuple[Answer, list[Asked], ReplicateModel]:
    files = ImageFolder(folder)
    request = Look(
        item="i", image=files.put(data), question=QUESTION, choices=("male", "female", "neither"),
        **fields,
    )  # fmt: skip
    with Server(script) as server:
        model = ReplicateModel(
            "owner/judge", ModelOptions(base_url=server.url, price="0.01"), FAST_RETRIES
        )
        (answer,) = answers(model, request, files=files)
    return answer, [each for each in server.asked if each.method == "POST"], model


@pytest.mark.parametrize(("published", "name"), [(BLIP, "question"), (LLAVA, "prompt")])
def test_a_small_image_goes_with_the_question(
    published: dict[str, Any], name: str, tmp_path: Path
) -> None:
    data = picture()
    answer, (asked,), model = ask(judge(published, "Female"), tmp_path, data, temperature=0.7)
    assert asked.path == "/v1/models/owner/judge/predictions"
    assert asked.body["input"] == {
        "image": "data:image/png;base64," + base64.b64encode(data).decode(),
        name: QUESTION,
        "temperature": 0.7,
    }
    assert answer == Choice(choice="female", text="Female")
    assert model.spent == pytest.approx(0.01)
    assert model.notes()["temperature"] == "sent"


def test_a_large_image_is_uploaded_first(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((800, 600), 120).save(buffer, "PNG")
    data = buffer.getvalue()
    assert len(data) > 256 * 1024
    _, (uploaded, asked), _ = ask(judge(LLAVA, ["fe", "male"]), tmp_path, data)
    assert (uploaded.path, uploaded.body["content"]) == ("/v1/files", data)
    assert asked.body["input"]["image"] == "https://files.example/f"
    assert asked.body["input"]["temperature"] == 0.0


def test_words_come_in_parts_and_are_kept(tmp_path: Path) -> None:
    answer, _, _ = ask(judge(LLAVA, ["I see ", "a man", "."]), tmp_path, picture())
    assert answer == Choice(choice=None, text="I see a man.")


def test_a_temperature_below_the_least_is_the_models_own(tmp_path: Path) -> None:
    published = schema(image="string", question="string", temperature="number")
    published["components"]["schemas"]["Input"]["properties"]["temperature"]["minimum"] = 0.5
    _, (asked,), model = ask(judge(published, "male"), tmp_path, picture())
    assert "temperature" not in asked.body["input"]
    assert model.notes()["temperature"] == "sent, below 0.5 its own"


def test_a_model_that_only_draws_cannot_look(tmp_path: Path) -> None:
    answer, asked, _ = ask(judge(schema(prompt="string"), "male"), tmp_path, picture())
    assert isinstance(answer, Failed)
    assert "takes no image with a question" in answer.reason
    assert not asked


def test_the_price_of_an_image_is_that_of_a_look() -> None:
    model = ReplicateModel("owner/judge", ModelOptions(price="0.01"))
    paid = as_paid(model)
    assert paid is not None
    assert paid.price.covers("look")
    assert not Price(image=0.01).covers("look")
    request = Look(item="i", image="x", question=QUESTION, choices=("male",))
    assert (model.cost_of(request), model.cost_of(Draw(prompt="x", shots=2))) == (0.01, 0.02)
