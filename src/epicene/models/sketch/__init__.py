"""The model kinds `sketch` (draws faces with a planted effect of grammar) and `sketch-judge`.

Neither needs a download or weights: faces are vector drawings, and the judge looks at their pixels.
The planted effect is known exactly, so they show whether a pipeline recovers it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.core.records import Choice, Draw, Expected, Identity, Image, Images, Look
from epicene.models import UnanswerableError, images, model_kind
from epicene.models.rates import read_rate, read_seed, uniform_numbers
from epicene.models.simple_model import SimpleModel
from epicene.models.sketch.drawing import MIN_SIDE, Shown, recognise, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.models import ImageStore, Model, ModelOptions

# Raised when the same request would be drawn or judged otherwise.
_VERSION = "1"


# --- drawing ---------------------------------------------------------------------------------


@model_kind(
    about="drawn faces with a planted effect of grammar",
    usage="sketch[:SEED]",
    options=("label", "effect", "base", "neither"),
)
def open_sketch(name: str, options: ModelOptions) -> Model:
    """Open `sketch` or `sketch:SEED`."""
    seed = read_seed("sketch", name)
    base = read_rate("sketch", options, "base", 0.5)
    room = min(base, 1 - base)
    effect = read_rate("sketch", options, "effect", 0.0, -room, room)
    neither = read_rate("sketch", options, "neither", 0.0)
    rates = {"effect": effect, "base": base, "neither": neither}
    identity = Identity(
        kind="sketch",
        label=options.label or f"{_named('sketch', seed)} {effect:g}",
        key={name: repr(rate) for name, rate in rates.items()}
        | {"seed": str(seed), "version": _VERSION},
        about={**rates},
    )

    def draw(request: Draw, files: ImageStore) -> Images:
        if min(request.width, request.height) < MIN_SIDE:
            raise UnanswerableError(f"a face needs at least {MIN_SIDE} pixels per side")
        men = base + effect * _direction(request)
        return Images(
            images=tuple(
                _draw_one(request, files, men, neither, uniform_numbers(seed, request, index))
                for index in range(request.shots)
            )
        )

    return SimpleModel(identity, {}, draw=draw)


def _direction(request: Draw) -> int:
    """1 where the prompt has a masculine noun, -1 where it has a feminine one, else 0."""
    expected = request.expected
    if not isinstance(expected, Expected):
        return 0
    forms = "|".join(map(re.escape, expected.words))
    if not re.search(rf"(?<!\w)(?:{forms})(?!\w)", request.prompt, re.IGNORECASE):
        return 0
    return 1 if expected.right == "male" else -1


def _draw_one(
    request: Draw, files: ImageStore, men: float, neither: float, uniform: Callable[[], float]
) -> Image:
    person: Shown = "male" if uniform() < men else "female"
    shown: Shown = "neither" if uniform() < neither else person
    return Image(
        sha256=files.put(render(shown, uniform, request.width, request.height)),
        media_type="image/png",
        width=request.width,
        height=request.height,
    )


# --- judging ---------------------------------------------------------------------------------


@model_kind(
    about="recognises what `sketch` drew, with a given error rate",
    usage="sketch-judge[:SEED]",
    options=("label", "error", "undecided"),
    packages=("PIL",),
)
def open_sketch_judge(name: str, options: ModelOptions) -> Model:
    """Open `sketch-judge` or `sketch-judge:SEED`; judges of different seeds err independently."""
    seed = read_seed("sketch-judge", name)
    error = read_rate("sketch-judge", options, "error", 0.0)
    undecided = read_rate("sketch-judge", options, "undecided", 0.0)
    rates = {"error": error, "undecided": undecided}
    identity = Identity(
        kind="sketch-judge",
        label=options.label or _named("sketch-judge", seed),
        key={name: repr(rate) for name, rate in rates.items()}
        | {"seed": str(seed), "version": _VERSION},
        about={**rates},
    )

    def look(request: Look, files: ImageStore) -> Choice:
        if not {"male", "female", "neither"} <= set(request.choices):
            raise UnanswerableError("sketch-judge chooses between male, female and neither")
        try:
            data, _ = images.read_stored_image(files, request.image)
            seen = recognise(data)
        except images.ImageError as problem:
            raise UnanswerableError(str(problem)) from None
        said = _said(seen, error, undecided, uniform_numbers(seed, request))
        return Choice(choice=said, text=said)

    return SimpleModel(identity, {}, look=look)


def _said(seen: Shown, error: float, undecided: float, uniform: Callable[[], float]) -> Shown:
    """What a judge says: neither where it is undecided, else what it sees or, in error, not that.

    For a man or a woman the error is the other one, for neither it is one of the two.
    """
    if uniform() < undecided:
        return "neither"
    if uniform() >= error:
        return seen
    if seen == "neither":
        return "male" if uniform() < 0.5 else "female"
    return "female" if seen == "male" else "male"


def _named(kind: str, seed: int) -> str:
    return f"{kind}:{seed}" if seed else kind
