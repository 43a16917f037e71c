"""Drawn portraits as vector graphics, and what their pixels show.

Positions are in hundredths of the picture's shorter side. A woman has hair or a scarf beside the
jaw, or a knot of hair above the head; a man has neither, and where he has no hair he has a beard.
A picture of `neither` shows no single face: somebody from behind, two people, a landscape.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

from epicene.models.images import UnusableImageError, to_rgb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Shown: TypeAlias = Literal["male", "female", "neither"]
T = TypeVar("T")

MIN_SIDE = 64

_BACKGROUNDS = ("#dfe8ef", "#efe6da", "#e2ecdf", "#ece2ee", "#f2ebc9", "#d9eceb")
_SKINS = ("#f3d3bd", "#e8b793", "#d29b6f", "#b07a4f", "#8a5a38", "#684128")
_DARK_HAIRS = ("#1d1a1b", "#2f221d", "#3b2b26", "#241c1c", "#33261f", "#777777")
_HAIRS = (*_DARK_HAIRS, "#6a4a2e", "#8c4a2b", "#c79a4b", "#b9b4ad")
_SCARVES = ("#2f5d8a", "#7a3b5d", "#3f7a6b", "#a5533f")
_CLOTHES = ("#34495e", "#5b7f5a", "#8e3b46", "#4f6d8f", "#7d6b9a", "#b5803c", "#556b6b", "#2f3640")
_HOODS = ("#6f8fb0", "#8aa88c", "#9a8bb5", "#7f9a9a")
_IRISES = ("#4a3222", "#2e5b57", "#3f5f86", "#6b5328")

_CHEEK = (41, 55)
_CORNER = (2, 2)
_BESIDE_JAW_AND_ABOVE = ((29, 62), (71, 62), (50, 10))
_TOLERANCE = 20  # of 255, in each colour: scaling and packing blur


class _Look(NamedTuple):
    """The colours of a person."""

    skin: str
    hair: str
    clothes: str
    iris: str


def render(shown: Shown, uniform: Callable[[], float], width: int, height: int) -> bytes:
    """A PNG that shows a man, a woman or neither; `uniform` decides all else."""
    import resvg_py

    ground = _one(_BACKGROUNDS, uniform)
    parts = [_path(ground, "M-900 -900H1900V1900H-900Z"), *_PAINTERS[shown](uniform)]
    size = f'width="{width}" height="{height}" viewBox="0 0 100 100"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def recognise(data: bytes) -> Shown:
    """What a drawing shows, from its pixels."""
    picture = to_rgb(data, 512)
    width, height = picture.size
    side = min(width, height)

    def matches(point: tuple[float, float], colours: Sequence[str]) -> bool:
        place = [
            min(int(((whole - side) / 2) + at / 100 * side), whole - 1)
            for at, whole in zip(point, (width, height), strict=True)
        ]
        pixel = picture.getpixel(tuple(place))
        return any(
            all(abs(one - two) <= _TOLERANCE for one, two in zip(pixel, _rgb(each), strict=True))
            for each in colours
        )

    if not matches(_CORNER, _BACKGROUNDS):
        raise UnusableImageError("the image was not drawn by sketch")
    if not matches(_CHEEK, _SKINS):
        return "neither"
    covered = any(matches(point, (*_HAIRS, *_SCARVES)) for point in _BESIDE_JAW_AND_ABOVE)
    return "female" if covered else "male"


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def _one(several: Sequence[T], uniform: Callable[[], float]) -> T:
    return several[int(uniform() * len(several))]


def _path(colour: str, line: str) -> str:
    return f'<path fill="{colour}" d="{line}"/>'


@cache
def _shapes() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("shapes.toml").read_text(encoding="utf-8"))


def _shape(colour: str, name: str) -> str:
    return _path(colour, _shapes()[name])


def _line(colour: str, width: float, line: str) -> str:
    ends = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path {ends} stroke="{colour}" stroke-width="{width}" d="{line}"/>'


def _oval(colour: str, x: float, y: float, rx: float, ry: float | None = None) -> str:
    return f'<ellipse fill="{colour}" cx="{x}" cy="{y}" rx="{rx}" ry="{ry or rx}"/>'


def _mix(one: str, two: str, share: float) -> str:
    mixed = (round(a + (b - a) * share) for a, b in zip(_rgb(one), _rgb(two), strict=True))
    return "#" + bytes(mixed).hex()


def _darker(colour: str, share: float = 0.18) -> str:
    return _mix(colour, "#20140f", share)


# --- people ----------------------------------------------------------------------------------


def _person(uniform: Callable[[], float]) -> _Look:
    skin = _one(_SKINS, uniform)
    hairs = _HAIRS if skin in _SKINS[:3] else _DARK_HAIRS
    return _Look(skin, _one(hairs, uniform), _one(_CLOTHES, uniform), _one(_IRISES, uniform))


def _shoulders(look: _Look, uniform: Callable[[], float]) -> list[str]:
    light = _mix(look.clothes, "#ffffff", 0.8)
    collar = [
        [_path(light, "M41 74L50 88L59 74L62 78L52 92L48 92L38 78Z")],
        [_line(_darker(look.clothes), 2, "M41 76C44 84 56 84 59 76")],
        [_path(look.skin, "M43 74L50 86L57 74Z")],
        [
            _path(light, "M43 74L50 84L57 74L60 77L50 100L40 77Z"),
            _path(_darker(look.clothes, 0.3), "M40 76L50 100L34 100Z"),
            _path(_darker(look.clothes, 0.3), "M60 76L50 100L66 100Z"),
        ],
    ]
    return [
        _shape(look.clothes, "shoulders"),
        _shape(_darker(look.skin, 0.1), "neck"),
        *_one(collar, uniform),
    ]


def _features(look: _Look, brow: float, lips: str, uniform: Callable[[], float]) -> list[str]:
    """Brows, eyes, nose, mouth and perhaps glasses."""
    dark = _darker(look.skin, 0.45)
    smile = 62.5 + 2.5 * uniform()
    parts = []
    for x in (42.0, 58.0):
        parts += [
            _oval("#fbfaf7", x, 47, 3.4, 2.2),
            _oval(look.iris, x, 47, 2.0),
            _oval("#141110", x, 47, 1.0),
            _line(dark, 0.8, f"M{x - 3.6} 46.4Q{x} 43.6 {x + 3.6} 46.4"),
            _line(_darker(look.hair), brow, f"M{x - 4} 41.5Q{x} 39.3 {x + 4} 41.3"),
        ]
    parts += [
        _line(dark, 0.9, "M50 47L48.6 54.5Q50 55.8 51.8 54.6"),
        _line(lips, 1.6, f"M44.5 60.5Q50 {smile} 55.5 60.5"),
    ]
    if uniform() < 0.22:
        frame = "#2b2b2f"
        parts += [
            _line(frame, 0.9, f"M{x - 5.4} 47a5.4 4.6 0 1 0 10.8 0a5.4 4.6 0 1 0 -10.8 0")
            for x in (42, 58)
        ]
        parts.append(_line(frame, 0.9, "M47.4 46.4Q50 45 52.6 46.4"))
    return parts


def _head(look: _Look, jaw: str) -> list[str]:
    ears = [_oval(_darker(look.skin, 0.06), x, 49, 2.6, 3.8) for x in (33.2, 66.8)]
    return [*ears, _shape(look.skin, jaw)]


_CURLS = ((36, 31), (40, 25), (46, 22), (53, 21.5), (60, 25), (64, 31), (34.5, 37), (65.5, 37))


def _man(uniform: Callable[[], float]) -> list[str]:
    look = _person(uniform)
    parts = [*_shoulders(look, uniform), *_head(look, "square_jaw")]
    cut = _one(("short", "short", "short", "curly", "none"), uniform)
    if cut == "short":
        parts.append(
            _shape(look.hair, _one(("short_even", "short_parted", "short_cropped"), uniform))
        )
    elif cut == "curly":
        parts += [_oval(look.hair, x, y, 5.2) for x, y in _CURLS]
    beard = uniform()
    if cut == "none" or beard < 0.3:
        parts += [_shape(look.hair, "full_beard"), _oval(look.skin, 50, 61.5, 6.2, 2.2)]
    elif beard < 0.45:
        parts.append(_shape(look.hair, "moustache"))
    return [*parts, *_features(look, 1.7, _mix(look.skin, "#8c3f3a", 0.6), uniform)]


_WAVES = ((27, 40), (25, 50), (26, 60), (28, 70), (31, 78), (31, 30), (39, 22), (50, 19.5))


def _woman(uniform: Callable[[], float]) -> list[str]:
    look = _person(uniform)
    style = _one(("long", "long", "waves", "bob", "knot", "scarf"), uniform)
    clothes, lips = _shoulders(look, uniform), _mix(look.skin, "#a33b45", 0.7)
    face = _features(look, 1.1, lips, uniform)
    if style == "scarf":
        scarf = _one(_SCARVES, uniform)
        fold = _line(_darker(scarf), 0.9, "M40 72Q52 78 66 73")
        return [*clothes, _shape(scarf, "scarf"), _shape(look.skin, "scarf_opening"), fold, *face]
    front = _shape(look.hair, _one(("parting", "fringe", "swept"), uniform))
    behind = {
        "long": [_shape(look.hair, "long")],
        "bob": [_shape(look.hair, "bob")],
        "waves": [
            _shape(look.hair, "bob"),
            *(_oval(look.hair, at, y, 6.5) for x, y in _WAVES for at in (x, 100 - x)),
        ],
        "knot": [_oval(look.hair, 50, 14, 7.5, 7)],
    }[style]
    earrings = [_oval("#d9b44a", x, 54.2, 1.3) for x in (32.8, 67.2)] if style == "knot" else []
    return [*behind, *clothes, *_head(look, "round_jaw"), front, *earrings, *face]


# --- neither ---------------------------------------------------------------------------------


def _from_behind(uniform: Callable[[], float]) -> list[str]:
    cloth = _one(_HOODS, uniform)
    return [
        _shape(_darker(cloth), "shoulders"),
        _shape(cloth, "hood"),
        _line(_darker(cloth), 0.9, "M50 20Q48 48 50 75"),
        _line(_darker(cloth, 0.3), 1.2, "M38 76Q50 80 62 76"),
    ]


def _two_people(uniform: Callable[[], float]) -> list[str]:
    parts = []
    for x in (24, 76):
        look = _person(uniform)
        parts += [
            _path(
                look.clothes,
                f"M{x - 19} 100C{x - 18} 78 {x - 8} 76 {x} 76C{x + 8} 76 {x + 18} 78 {x + 19} 100Z",
            ),
            _path(look.skin, f"M{x - 3.5} 64L{x - 3.5} 78L{x + 3.5} 78L{x + 3.5} 64Z"),
            _oval(look.hair, x, 53, 11.5, 13.5),
            _oval(look.skin, x, 57, 9.5, 12),
            *(_oval("#1d1a1b", eye, 56, 1.0) for eye in (x - 3.6, x + 3.6)),
            _line(_darker(look.skin, 0.5), 0.9, f"M{x - 3} 62Q{x} 64.5 {x + 3} 62"),
        ]
    return parts


def _landscape(uniform: Callable[[], float]) -> list[str]:
    hills = _one((("#6f9a7a", "#4f7d63"), ("#7f9fb8", "#58809c"), ("#8ea37a", "#66804f")), uniform)
    sun = 24 + 50 * uniform()
    return [
        _oval("#f2c75c", sun, 26, 8),
        _path(hills[0], "M-900 100L-900 70L0 66L22 40L40 60L62 34L100 68L1000 74L1000 100Z"),
        _path(hills[1], "M-900 100L-900 82C0 74 30 70 52 78C74 86 90 78 1000 74L1000 100Z"),
    ]


def _neither(uniform: Callable[[], float]) -> list[str]:
    return _one((_from_behind, _two_people, _landscape), uniform)(uniform)


_PAINTERS = {"male": _man, "female": _woman, "neither": _neither}
