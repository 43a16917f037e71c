"""Image providers on this machine: each speaks its own protocol and draws as a test tells it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from epicene.models import ModelOptions
from epicene.models.http.model import HostedModel
from epicene.models.http.retry import RetryPolicy
from epicene.models.ideogram import IdeogramModel
from epicene.models.openai.model import OpenAIModel
from epicene.models.replicate import ReplicateModel
from models.http.local_server import FAST_RETRIES, Asked, Reply, Script, Server
from models.sample_images import picture

FLUX = "black-forest-labs/flux-1.1-pro"
VERSION = "0123456789abcdef"


@dataclass(frozen=True)
class Drawing:
    """What becomes of a prompt: a picture (its bytes), a refusal, or a fault of the server.

    `steps` is how often a prediction is looked at before it is done.
    """

    data: bytes = field(default_factory=picture)
    refused: str = ""
    fault: Reply | None = None
    seed: int | None = None  # the seed that the provider states
    prompt: str = ""  # the prompt that the provider made of the one sent
    steps: int = 0


@dataclass(frozen=True)
class Order:
    """A picture that was asked for: how often that prompt and seed were, counted from 0."""

    prompt: str
    seed: int | None
    times: int
    asked: Asked


Artist: TypeAlias = Callable[[Order], Drawing]


class Studio:
    """Keeps what was ordered and drawn, whatever the protocol."""

    def __init__(self, artist: Artist) -> None:
        self._artist = artist
        self.orders: list[Order] = []
        self.files: dict[str, bytes] = {}

    def draw(self, asked: Asked, prompt: str, seed: object) -> Drawing:
        number = None if seed is None else int(str(seed))
        before = sum((order.prompt, order.seed) == (prompt, number) for order in self.orders)
        order = Order(prompt, number, before, asked)
        self.orders.append(order)
        return self._artist(order)

    def keep(self, data: bytes) -> str:
        """Where a picture lies from now on."""
        name = f"/files/{len(self.files)}.png"
        self.files[name] = data
        return name

    def file(self, asked: Asked) -> Reply:
        assert "authorization" not in asked.headers, "a key is for the provider alone"
        assert "api-key" not in asked.headers, "a key is for the provider alone"
        return Reply(self.files[asked.path], headers={"Content-Type": "image/png"})


# --- OpenAI ----------------------------------------------------------------------------------


def openai_script(studio: Studio) -> Script:
    """`/images/generations`."""

    def script(asked: Asked) -> Reply:
        assert asked.path == "/v1/images/generations"
        drawing = studio.draw(asked, asked.body["prompt"], asked.body.get("seed"))
        if drawing.fault:
            return drawing.fault
        if drawing.refused:
            error = {"message": drawing.refused, "code": "moderation_blocked"}
            return Reply({"error": error}, 400)
        text = base64.b64encode(drawing.data).decode()
        return Reply({"data": [{"b64_json": text, "revised_prompt": drawing.prompt or None}]})

    return script


# --- Replicate -------------------------------------------------------------------------------


def schema(**properties: Any) -> dict[str, Any]:
    """A model's schema: lists are choices, named by reference as Replicate does."""
    schemas: dict[str, Any] = {"Input": {"type": "object", "properties": {}}}
    for name, choices in properties.items():
        if isinstance(choices, list):
            schemas[name] = {"type": "string", "enum": choices}
            schemas["Input"]["properties"][name] = {
                "allOf": [{"$ref": f"#/components/schemas/{name}"}]
            }
        else:
            schemas["Input"]["properties"][name] = {"type": choices}
    return {"components": {"schemas": schemas}}


FLUX_SCHEMA = schema(
    prompt="string",
    seed="integer",
    aspect_ratio=["custom", "1:1", "16:9"],
    width="integer",
    height="integer",
    prompt_upsampling="boolean",
    safety_tolerance="integer",
    output_format=["webp", "jpg", "png"],
)
IDEOGRAM_SCHEMA = schema(
    prompt="string",
    seed="integer",
    aspect_ratio=["1:1", "16:9"],
    resolution=["None", "1024x1024", "512x1536"],
    magic_prompt_option=["Auto", "On", "Off"],
)


@dataclass
class Replicate:
    """Predictions: made, looked at, called off."""

    studio: Studio
    schema: dict[str, Any] | None = field(default_factory=lambda: FLUX_SCHEMA)
    official: bool = True  # whether it is run by its name alone
    account: Reply = field(default_factory=lambda: Reply({"type": "user", "username": "toy"}))
    looks: dict[str, int] = field(default_factory=dict)
    made: dict[str, Drawing] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path.startswith("/files/"):
            return self.studio.file(asked)
        path = asked.path.removeprefix("/v1/").split("/")
        match asked.method, path:
            case "GET", ["account"]:
                return self.account
            case "GET", ["models", _, _]:
                return self._described()
            case "GET", ["models", _, _, "versions", version]:
                return Reply({"id": version, "openapi_schema": self.schema})
            case "POST", ["models", _, _, "predictions"] if self.official:
                return self._create(asked)
            case "POST", ["predictions"] if asked.body.get("version"):
                return self._create(asked)
            case "GET", ["predictions", name]:
                self.looks[name] += 1
                return self._shown(name)
            case "POST", ["predictions", name, "cancel"]:
                self.cancelled.append(name)
                return Reply({"id": name, "status": "canceled"})
        return Reply({"detail": "The requested resource could not be found."}, 404)

    def _described(self) -> Reply:
        if self.schema is None:
            return Reply({"detail": "Not found."}, 404)
        return Reply({"latest_version": {"id": VERSION, "openapi_schema": self.schema}})

    def _create(self, asked: Asked) -> Reply:
        values = asked.body["input"]
        drawing = self.studio.draw(asked, values["prompt"], values.get("seed"))
        if drawing.fault:
            return drawing.fault
        name = f"p{len(self.made)}"
        self.made[name], self.looks[name] = drawing, 0
        return self._shown(name, 201)

    def _shown(self, name: str, status: int = 200) -> Reply:
        drawing = self.made[name]
        prediction: dict[str, Any] = {"id": name, "version": VERSION, "error": None}
        if self.looks[name] < drawing.steps:
            return Reply({**prediction, "status": "processing"}, status)
        if drawing.refused:
            return Reply({**prediction, "status": "failed", "error": drawing.refused}, status)
        # Where its files lie only the handler that was asked knows; a relative one would not do.
        address = f"{self.root}{self.studio.keep(drawing.data)}"
        return Reply({**prediction, "status": "succeeded", "output": address}, status)

    root: str = ""


# --- Ideogram --------------------------------------------------------------------------------


@dataclass
class Ideogram:
    """The endpoints of its generations."""

    studio: Studio
    root: str = ""

    def __call__(self, asked: Asked) -> Reply:
        if asked.path.startswith("/files/"):
            return self.studio.file(asked)
        body = asked.body
        if asked.path == "/generate":
            body = body["image_request"]
        else:
            assert asked.path.startswith("/v1/ideogram-v")
        prompt = body.get("prompt") or body["text_prompt"]
        drawing = self.studio.draw(asked, prompt, body.get("seed"))
        if drawing.fault:
            return drawing.fault
        if drawing.refused:
            return Reply({"error": drawing.refused}, 422)
        drawn = {
            "url": f"{self.root}{self.studio.keep(drawing.data)}" if drawing.data else None,
            "is_image_safe": bool(drawing.data),
            "prompt": drawing.prompt or prompt,
            "seed": drawing.seed or int(body.get("seed", 17)),
            "resolution": "1024x1024",
        }
        return Reply({"created": "now", "data": [drawn]})


# --- all of them -----------------------------------------------------------------------------


@dataclass
class Gallery:
    """A provider that is being served, and a model of it."""

    server: Server
    studio: Studio
    script: Script
    spec: str
    open: Callable[..., HostedModel]

    def model(self, retry_policy: RetryPolicy = FAST_RETRIES, **options: Any) -> HostedModel:
        """The model, impatient."""
        return self.open(retry_policy, **options)


PROVIDERS = ("openai", "replicate", "ideogram")


def gallery(provider: str, artist: Artist, **settings: Any) -> Gallery:
    """A provider whose server is to be entered: `with gallery(…).server:`."""
    studio = Studio(artist)
    script: Any
    if provider == "openai":
        script = openai_script(studio)
    elif provider == "replicate":
        script = Replicate(studio, **settings)
    else:
        script = Ideogram(studio, **settings)
    server = Server(script)
    if provider != "openai":
        script.root = server.root

    def open_(retry_policy: RetryPolicy, **options: Any) -> HostedModel:
        if provider == "openai":
            return OpenAIModel("toy", ModelOptions(base_url=server.url, **options), retry_policy)
        if provider == "replicate":
            name = options.pop("name", FLUX)
            return ReplicateModel(name, ModelOptions(base_url=server.url, **options), retry_policy)
        name = options.pop("name", "V_3")
        return IdeogramModel(name, ModelOptions(base_url=server.root, **options), retry_policy)

    spec = {
        "openai": f"openai:toy?base_url={server.url}",
        "replicate": f"replicate:{FLUX}?base_url={server.url}",
        "ideogram": f"ideogram:V_3?base_url={server.root}",
    }[provider]
    return Gallery(server, studio, script, spec, open_)
