"""The word lists of French (the TOML files in this folder) and the table of verb forms."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from epicene.rewriting.french import conjugation
from epicene.rewriting.french.conjugation import FiniteForm, VerbModel
from epicene.rewriting.word_lists import WordSet, read_toml, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def read_lists(name: str) -> dict[str, Any]:
    """The content of one of the TOML files in this folder."""
    return read_toml("epicene.rewriting.french", name)


def word_list(name: str, title: str) -> WordSet:
    """The words of one list of a file."""
    return word_set(read_lists(name)[title])


# Imperatives that no other tense has.
_POLITE_IMPERATIVES = {"veuillez": "vouloir", "sachez": "savoir"}


class VerbTable:
    """Finite forms, infinitives, participles and classes of verbs."""

    def __init__(self) -> None:
        lists = dict(read_lists("verbs"))
        models = [VerbModel(**each) for each in lists.pop("model")]
        self._first = word_set(lists.pop("first_group"))
        second = lists.pop("second_group").split()
        self.kinds: Mapping[str, WordSet] = {name: word_set(text) for name, text in lists.items()}
        self.participles: dict[str, list[str]] = {}
        for infinitive, participle in self._all_participles(models, second):
            self.participles.setdefault(participle, []).append(infinitive)
        self.infinitives = frozenset(
            infinitive for found in self.participles.values() for infinitive in found
        )
        self.gerunds = {"ayant": "avoir", "sachant": "savoir"}
        self._forms: dict[str, list[FiniteForm]] = {}
        for model in models:
            self._learn(model.forms())
            self.gerunds |= {form: infinitive for infinitive, form in model.gerunds()}
        for form, infinitive in _POLITE_IMPERATIVES.items():
            self._learn([(form, FiniteForm(infinitive, "2p"))])
        for infinitive in self._first:
            self.gerunds[conjugation.soft_stem(infinitive) + "ant"] = infinitive
        for infinitive in second:
            self._learn(conjugation.second_group_forms(infinitive))
            self.gerunds[infinitive.removesuffix("r") + "ssant"] = infinitive

    def _all_participles(
        self, models: Iterable[VerbModel], second: Iterable[str]
    ) -> Iterator[tuple[str, str]]:
        for model in models:
            yield from model.participles()
        for infinitive in self._first:
            yield infinitive, infinitive.removesuffix("er") + "é"
        for infinitive in second:
            yield infinitive, infinitive.removesuffix("r")

    def _learn(self, forms: Iterable[tuple[str, FiniteForm]]) -> None:
        for word, form in forms:
            known = self._forms.setdefault(word, [])
            if form not in known:
                known.append(form)

    @lru_cache(maxsize=20_000)  # noqa: B019 - there is one Verbs
    def forms(self, word: str) -> tuple[FiniteForm, ...]:
        """The finite forms that the word may be; none if it is not a verb."""
        return (*self._forms.get(word, ()), *conjugation.first_group_forms(word, self._first))

    def infinitive_of(self, word: str) -> str:
        """The infinitive of an infinitive or a present participle, "" for other words."""
        return word if word in self.infinitives else self.gerunds.get(word, "")

    def is_kind(self, kind: str, infinitives: Iterable[str]) -> bool:
        """Whether one of the infinitives is in the list of that title."""
        return not self.kinds[kind].isdisjoint(infinitives)


@cache
def verb_table() -> VerbTable:
    """The verbs, read once."""
    return VerbTable()
