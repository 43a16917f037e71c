"""Ideogram's endpoints: each generation of models has its own, with other names for the same."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError
from epicene.models.pictures import shot_seed

if TYPE_CHECKING:
    from epicene.records import Draw

# V_1, V_2 and V_2A are models of one endpoint; 3 and 4 have one each and differ in speed.
_OLD = re.compile(r"V_(1|2|2A)(_TURBO)?")
_NEW = re.compile(r"V_([34])(?:_(FLASH|TURBO|QUALITY))?")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is asked, and how."""

    path: str
    prompt: str  # the field of the prompt
    magic: str = ""  # the field that leaves prompts alone, where there is one
    seeded: bool = True
    speed: str = ""  # of the endpoints that take a form
    model: str = ""  # of the one that takes JSON
    scale: int = 1  # how many times larger the smallest picture is than the one asked for

    def content(self, request: Draw, shot: int) -> dict[str, Any]:
        """What is sent for one shot, as the HTTP library takes it."""
        fields: dict[str, Any] = {self.prompt: request.prompt}
        if self.magic:
            fields[self.magic] = "OFF"
        if self.seeded:
            fields["seed"] = shot_seed(request.seed, shot)
        if self.model:
            common = math.gcd(request.width, request.height)
            shape = f"ASPECT_{request.width // common}_{request.height // common}"
            return {
                "json": {"image_request": {"model": self.model, "aspect_ratio": shape, **fields}}
            }
        fields["resolution"] = f"{self.scale * request.width}x{self.scale * request.height}"
        fields["rendering_speed"] = self.speed
        # A name without a file name: that is how the library writes a field of a form.
        return {"files": {name: (None, str(value)) for name, value in fields.items()}}

    def seed(self, request: Draw, shot: int) -> int | None:
        """The seed that is sent."""
        return shot_seed(request.seed, shot) if self.seeded else None


def endpoint_of(model: str) -> Endpoint:
    """The endpoint of a model by the name that Ideogram gives it."""
    if _OLD.fullmatch(model):
        return Endpoint(path="generate", prompt="prompt", magic="magic_prompt_option", model=model)
    new = _NEW.fullmatch(model)
    speed = new[2] or "DEFAULT" if new else ""
    if new and new[1] == "3":
        path = "v1/ideogram-v3/generate"
        return Endpoint(path=path, prompt="prompt", magic="magic_prompt", speed=speed)
    if new and speed != "FLASH":
        # It rewrites every prompt that is a text, is told no seed, and draws nothing small.
        path = "v1/ideogram-v4/generate"
        return Endpoint(path=path, prompt="text_prompt", seeded=False, speed=speed, scale=2)
    raise InputError(
        f"Ideogram has no model {model!r}; write ideogram:V_3, or V_4, V_2, V_2A or V_1, with "
        "_TURBO, _QUALITY or _FLASH after it where Ideogram has that."
    )
