"""Words out of context: the protocol of a language's morphology, and tables of inflected forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from epicene.rewriting.persons import Gender

_Reading = TypeVar("_Reading")
_Entry = TypeVar("_Entry")
_Form = TypeVar("_Form")


class Morphology(Protocol[_Reading]):
    """Analyses and inflects the words of a language out of context."""

    def analyse(self, word: str) -> Sequence[_Reading]:
        """All readings of a word as it is written, the most likely first."""

    def inflect(self, reading: _Reading, gender: Gender) -> str | None:
        """The form of a reading in that gender; None if it does not change."""


class FormTable(Generic[_Entry, _Form]):
    """All forms of many entries by their spelling, expanded only as far as words are looked up.

    `bucket` maps a spelling to what most forms of an entry share (its consonants, say). An entry is
    expanded when a word of one of its buckets is first looked up, and `bases` must name a spelling
    from each bucket that its `forms` fall into. A spelling's forms come in the order of their
    entries.
    """

    def __init__(
        self,
        entries: Iterable[_Entry],
        *,
        bucket: Callable[[str], str],
        bases: Callable[[_Entry], Iterable[str]],
        forms: Callable[[_Entry], Iterable[tuple[str, _Form]]],
    ) -> None:
        self._bucket = bucket
        self._forms = forms
        self._entries: dict[str, list[_Entry]] = {}
        for entry in entries:
            for name in set(map(bucket, bases(entry))):
                self._entries.setdefault(name, []).append(entry)
        self._expanded: dict[str, dict[str, list[_Form]]] = {}

    def get(self, spelling: str) -> Sequence[_Form]:
        """The forms with that spelling."""
        name = self._bucket(spelling)
        if name not in self._entries:
            return ()
        forms = self._expanded.get(name)
        if forms is None:
            forms = self._expanded[name] = self._expand(name)
        return forms.get(spelling, ())

    def _expand(self, name: str) -> dict[str, list[_Form]]:
        found: dict[str, list[_Form]] = {}
        for entry in self._entries[name]:
            for spelling, form in self._forms(entry):
                if self._bucket(spelling) == name:
                    found.setdefault(spelling, []).append(form)
        return found
