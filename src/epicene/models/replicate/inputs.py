"""Which inputs a model takes, read from the schema it publishes, and what they are set to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from epicene.models.pictures import shot_seed
from epicene.models.remote.faults import UnansweredError

if TYPE_CHECKING:
    from epicene.records import Draw

# What providers call the rewriting of prompts, and how each is switched off.
_REWRITING: dict[str, object] = {
    "prompt_upsampling": False,
    "magic_prompt_option": "Off",
    "prompt_optimizer": False,
    "enhance_prompt": False,
}
# Where a model publishes no schema its name has to do.
_FAMILIES = {
    "flux": ("prompt", "seed", "aspect_ratio", "prompt_upsampling"),
    "ideogram": ("prompt", "seed", "aspect_ratio", "magic_prompt_option"),
    "": ("prompt", "seed", "aspect_ratio"),
}


@dataclass
class Inputs:
    """What is known of a model's inputs: of each its choices, or nothing where any value will do.

    It holds for the model's life.
    """

    choices: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    latest: str = ""  # the version whose schema it is
    needs_version: bool = False  # Replicate runs only its own choice of models by name alone
    guessed: bool = False

    def learn(self, version: str, schema: object) -> None:
        """Read a version's schema."""
        self.latest = version
        schemas = _inside(schema, "components", "schemas")
        properties = _inside(schemas, "Input", "properties")
        self.choices = {name: _choices(each, schemas) for name, each in properties.items()}

    def guess(self, name: str) -> None:
        """Go by the model's name: it publishes no schema."""
        self.guessed = True
        family = next(family for family in _FAMILIES if family in name)
        self.choices = dict.fromkeys(_FAMILIES[family], ())

    def of(self, request: Draw, shot: int) -> dict[str, Any]:
        """What is sent for one shot."""
        if "prompt" not in self.choices:
            raise UnansweredError("the model takes no prompt, so it draws nothing from a text")
        values: dict[str, Any] = {"prompt": request.prompt, **self._size(request)}
        wishes = {
            "seed": shot_seed(request.seed, shot),
            "num_outputs": 1,
            "output_format": "png",
            **_REWRITING,
        }
        for name, wish in wishes.items():
            if (value := self._allowed(name, wish)) is not None:
                values[name] = value
        return values

    def notes(self) -> dict[str, object]:
        """For the manifest: what was set, and what the model has no input for."""
        if not self.choices:
            return {}
        switches = [name for name in _REWRITING if name in self.choices]
        notes: dict[str, object] = {
            "seed": "sent" if "seed" in self.choices else "not taken by the model",
            "prompt_rewriting": (
                f"off ({', '.join(switches)})" if switches else "the model has no switch for it"
            ),
        }
        if self.guessed:
            notes["inputs"] = "by the model's name: it publishes no schema"
        return notes

    def _allowed(self, name: str, wish: object) -> object:
        """The wish as the model spells it; None where it takes no such input or value."""
        if name not in self.choices:
            return None
        spelt = {str(choice).casefold(): choice for choice in self.choices[name]}
        return spelt.get(str(wish).casefold()) if spelt else wish

    def _size(self, request: Draw) -> dict[str, Any]:
        """The size by the most exact input there is for it."""
        exact = {"width": request.width, "height": request.height}
        if exact.keys() <= self.choices.keys():
            if "aspect_ratio" not in self.choices:
                return exact
            if (custom := self._allowed("aspect_ratio", "custom")) and self.choices["aspect_ratio"]:
                return {"aspect_ratio": custom, **exact}
        for name in ("resolution", "size"):
            listed = self._allowed(name, f"{request.width}x{request.height}")
            if listed and self.choices[name]:
                return {name: listed}
        common = math.gcd(request.width, request.height)
        ratio = f"{request.width // common}:{request.height // common}"
        if (shape := self._allowed("aspect_ratio", ratio)) is not None:
            return {"aspect_ratio": shape}
        if "aspect_ratio" in self.choices:
            raise UnansweredError(f"the model does not draw {ratio}; ask another size")
        return {}


def _choices(property_: object, schemas: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values that an input may have, where it names them here or by reference."""
    parts = [property_, *_listed(property_, "allOf"), *_listed(property_, "anyOf")]
    for part in parts:
        found = _listed(part, "enum")
        reference = part.get("$ref", "") if isinstance(part, Mapping) else ""
        found = found or _listed(schemas.get(str(reference).rpartition("/")[2]), "enum")
        if found:
            return tuple(found)
    return ()


def _listed(thing: object, name: str) -> list[Any]:
    found = thing.get(name) if isinstance(thing, Mapping) else None
    return found if isinstance(found, list) else []


def _inside(thing: object, *names: str) -> Mapping[str, Any]:
    for name in names:
        thing = thing.get(name) if isinstance(thing, Mapping) else None
    return thing if isinstance(thing, Mapping) else {}
