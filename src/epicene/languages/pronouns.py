"""Sets of English third-person pronouns: Epicene's own and those in your TOML file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import msgspec

from epicene.core.data_files import parse_toml, read_text
from epicene.core.errors import InputError, unknown
from epicene.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

Case: TypeAlias = Literal["nominative", "accusative", "dependent", "independent", "reflexive"]
CASES: tuple[Case, ...] = get_args(Case)

PronounKind: TypeAlias = Literal["binary", "neutral", "neo"]

SHIPPED_FILE = Path(__file__).with_name("pronouns.toml")


class PronounSet(Record, frozen=True, kw_only=True):
    """One set: its five forms in lower case, and whether its verbs are plural.

    `homographs` are forms that English also uses for something else ("em", "ne"): a set with any is
    searched for in a text only if it is named.
    """

    name: str
    nominative: str  # ___ laughed.
    accusative: str  # I saw ___.
    dependent: str  # ___ book fell.
    independent: str  # The book is ___.
    reflexive: str  # Kim hurt ___.
    plural_verbs: bool = False
    type: PronounKind = "neo"
    homographs: tuple[str, ...] = ()

    def form(self, case: Case) -> str:
        """The form in that case."""
        return str(getattr(self, case))

    def cases(self, form: str) -> tuple[Case, ...]:
        """The cases a lower-case form may have: "her" is accusative or dependent."""
        return tuple(case for case in CASES if self.form(case) == form)

    @property
    def forms(self) -> frozenset[str]:
        """All forms of the set."""
        return frozenset(self.form(case) for case in CASES)


class _File(Record, frozen=True):
    set: tuple[PronounSet, ...]


def read_pronoun_sets(path: Path) -> dict[str, PronounSet]:
    """The sets of a TOML file with a [[set]] entry for each, by name."""
    content = parse_toml(read_text(path), path)
    _check_fields(content.get("set"), path)
    try:
        sets = msgspec.convert(content, _File).set
    except msgspec.ValidationError as error:
        raise InputError(f"{path} is not a valid list of pronoun sets: {error}.") from None
    _check(sets, path)
    return {each.name: each for each in sets}


def _check_fields(entries: object, path: Path) -> None:
    """Raise if there are no sets, or if one lacks a field or has an unknown one."""
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path} has no pronoun sets; add a [[set]] entry for each.")
    for number, entry in enumerate(entries, start=1):
        fields = list(entry) if isinstance(entry, dict) else []
        place = f"{path}, set {number},"
        for name in ("name", *CASES):
            if name not in fields:
                raise InputError(f"{place} lacks {name!r}; a set has name, {', '.join(CASES)}.")
        for name in fields:
            if name not in PronounSet.__struct_fields__:
                known = ", ".join(PronounSet.__struct_fields__)
                raise InputError(f"{place} has the unknown field {name!r}; a set has {known}.")


def _check(sets: Iterable[PronounSet], path: Path) -> None:
    seen: set[str] = set()
    for each in sets:
        if each.name in seen:
            raise InputError(f"{path} has two pronoun sets named {each.name!r}.")
        seen.add(each.name)
        for case in CASES:
            form = each.form(case)
            if not form.isalpha() or form != form.lower():
                raise InputError(
                    f"{path}: the {case} {form!r} of the set {each.name!r} must be one word in "
                    "lower case."
                )


@cache
def shipped_pronoun_sets() -> dict[str, PronounSet]:
    """The sets that come with Epicene, by name."""
    return read_pronoun_sets(SHIPPED_FILE)


def known_pronoun_sets(own: Path | None = None) -> dict[str, PronounSet]:
    """The shipped sets and those of the user's file, which take precedence."""
    return shipped_pronoun_sets() | (read_pronoun_sets(own) if own else {})


def find_pronoun_set(name: str, sets: dict[str, PronounSet] | None = None) -> PronounSet:
    """The set of that name."""
    among = shipped_pronoun_sets() if sets is None else sets
    if name not in among:
        raise unknown("pronoun set", name, among)
    return among[name]
