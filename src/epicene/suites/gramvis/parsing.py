"""What a judge said, as male, female or neither; None where the words say none of the three.

The strict way reads clause by clause. A gender that is named and not denied is said; a clause
that declines to answer or only asks (whether, if) says nothing. Both genders denied is neither;
both said, or one said beside "neither", is no choice.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from epicene.suites.gramvis.names import LABELS, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from epicene.suites.gramvis.protocol import Parsing

Kind: TypeAlias = Literal["male", "female", "not", "but", "neither", "unanswered", "idle"]

_HAN = "\u4e00-\u9fff"
_STOPS = r"[.,;:!?()\n—–。，；：！？、]"
_CASES = (("’", "'"), ("‘", "'"))


@lru_cache(maxsize=4096)  # judges say the same few things of many images
def parse(text: str, how: Parsing) -> Label | None:
    """The label that these words say."""
    return _WAYS[how](text)


def parse_substring(text: str) -> Label | None:
    """The authors' rule. "Neither male nor female" is female, and "man" is nothing."""
    words = text.lower().strip()
    if "female" in words:
        return "female"
    if "male" in words:
        return "male"
    return "neither" if "neither" in words else None


def parse_strict(text: str) -> Label | None:
    """Only what was said, and said of what is seen."""
    words = unicodedata.normalize("NFC", text).casefold()
    for odd, plain in _CASES:
        words = words.replace(odd, plain)
    bare = words.strip(" \t\r\n.,;:!?\"'`*()[]{}<>«»“”„。！")
    if bare in LABELS:
        return bare
    said = _Said(set(), set(), set())
    for clause in _clauses(words):
        _read(clause, said)
    return said.label


_WAYS: Mapping[Parsing, Callable[[str], Label | None]] = {
    "substring": parse_substring,
    "strict": parse_strict,
}


class _Said(NamedTuple):
    """Which genders were said and denied, and whether neither was said, over all clauses."""

    genders: set[str]
    denied: set[str]
    neither: set[str]

    @property
    def label(self) -> Label | None:
        if self.genders:
            (one, *more) = self.genders
            return None if more or self.neither else cast("Label", one)
        return "neither" if self.neither or len(self.denied) == 2 else None


def _clauses(words: str) -> Iterator[list[Kind]]:
    """The kinds of words in each clause, those that matter."""
    clause: list[Kind] = []
    for match in _pattern().finditer(words):
        found = match.group()
        kind = None if match["stop"] else _kinds().get(" ".join(found.split()))
        if match["stop"] or kind == "but":
            yield clause
            clause = []
        elif kind is not None:
            clause.append(kind)
    yield clause


def _read(clause: list[Kind], said: _Said) -> None:
    if "unanswered" in clause:
        return
    denying = False
    for place, kind in enumerate(clause):
        if kind == "not":
            denying = True
        elif kind in ("male", "female"):
            (said.denied if denying else said.genders).add(kind)
        elif kind == "neither":
            # "Neither male nor female" denies both; alone it is a choice.
            denying = True
            if not {"male", "female"} & set(clause[place:]):
                said.neither.add(kind)


@cache
def _kinds() -> dict[str, Kind]:
    text = (Path(__file__).parent / "answer_words.toml").read_text(encoding="utf-8")
    # What comes later in the file is the more particular.
    return {
        word: cast("Kind", kind) for kind, words in tomllib.loads(text).items() for word in words
    }


@cache
def _pattern() -> re.Pattern[str]:
    """Known words and phrases, the longest first, and stops; other words are passed over whole."""
    known = sorted(_kinds(), key=len, reverse=True)
    han = [word for word in known if re.search(f"[{_HAN}]", word)]
    spaced = [re.escape(word).replace(r"\ ", r"\s+") for word in known if word not in han]
    # A hyphen may join what belongs apart (non-male), never a gender word to another one.
    return re.compile(
        f"(?P<han>{'|'.join(han)})|(?<![^\\W_{_HAN}])(?P<word>{'|'.join(spaced)})"
        f"(?![^\\W_{_HAN}]|'[^\\W_])|(?P<stop>{_STOPS})"
    )
