"""The verb forms that a word may be."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.hindi.lexicon import verb_stems

if TYPE_CHECKING:
    from epicene.rewriting.hindi.inflection import Cell

VerbFormType: TypeAlias = Literal[
    "stem", "infinitive", "imperfective", "perfective", "future", "copula", "subjunctive",
    "imperative", "conjunctive", "agentive", "ought",
]  # fmt: skip
# first: मैं; second: तुम; third: वह, तू; plural: वे, आप, हम.
FinitePerson: TypeAlias = Literal["first", "second", "third", "plural"]


class VerbForm(NamedTuple):
    """A verb form: its stem, its type, and its agreement features."""

    stem: str
    shape: VerbFormType
    cell: Cell | None = None
    person: FinitePerson | None = None

    @property
    def participle(self) -> bool:
        """Whether the form is an imperfective or perfective participle: करता, किया."""
        return self.shape in {"imperfective", "perfective"}


_CELLS: tuple[Cell, ...] = ("ms", "mp", "fs", "fp")


def _agreeing_endings(
    shape: VerbFormType, *endings: str
) -> dict[str, tuple[VerbFormType, Cell | None, FinitePerson | None]]:
    return {ending: (shape, cell, None) for ending, cell in zip(endings, _CELLS, strict=False)}


_AFTER_ANY: dict[str, tuple[VerbFormType, Cell | None, FinitePerson | None]] = {
    **_agreeing_endings("imperfective", "ता", "ते", "ती", "तीं"),
    **_agreeing_endings("infinitive", "ना", "ने", "नी"),
    **_agreeing_endings("agentive", "नेवाला", "नेवाले", "नेवाली"),
    "कर": ("conjunctive", None, None),
    "के": ("conjunctive", None, None),
}
_AFTER_CONSONANT: dict[str, tuple[VerbFormType, Cell | None, FinitePerson | None]] = {
    **_agreeing_endings("perfective", "ा", "े", "ी", "ीं"),
    "ूंगा": ("future", "ms", "first"),
    "ूंगी": ("future", "fs", "first"),
    "ेगा": ("future", "ms", "third"),
    "ेगी": ("future", "fs", "third"),
    "ेंगे": ("future", "mp", "plural"),
    "ेंगी": ("future", "fs", "plural"),
    "ोगे": ("future", "mp", "second"),
    "ोगी": ("future", "fs", "second"),
    "ूं": ("subjunctive", None, "first"),
    "ें": ("subjunctive", None, "plural"),
    "ो": ("imperative", None, "second"),
    "िए": ("imperative", None, "plural"),
    "िएगा": ("imperative", None, "plural"),
}
_INDEPENDENT_VOWELS = {"ू": "ऊ", "े": "ए", "ो": "ओ", "ि": "इ"}
_AFTER_VOWEL = _agreeing_endings("perfective", "या", "ए", "ई", "ईं") | {
    _INDEPENDENT_VOWELS[ending[0]] + ending[1:]: form
    for ending, form in _AFTER_CONSONANT.items()
    if form[0] != "perfective"
}
_VOWELS = "ािीुूेैोौअआइईउऊएऐओऔ"


def _forms(stem: str, shape: VerbFormType, *words: str) -> dict[str, VerbForm]:
    return {
        word: VerbForm(stem, shape, cell) for word, cell in zip(words, _CELLS, strict=False) if word
    }


_IRREGULAR: dict[str, VerbForm] = {
    "हूं": VerbForm("हो", "copula", None, "first"),
    "है": VerbForm("हो", "copula", None, "third"),
    "हैं": VerbForm("हो", "copula", None, "plural"),
    **_forms("हो", "copula", "था", "थे", "थी", "थीं"),
    "चाहिए": VerbForm("चाहिए", "ought"),
    "चाहिएं": VerbForm("चाहिए", "ought"),
    **_forms("जा", "perfective", "गया", "गए", "गई", "गईं"),
    **_forms("हो", "perfective", "हुआ", "हुए", "हुई", "हुईं"),
    **_forms("कर", "perfective", "किया", "किए", "की", "कीं"),
    **_forms("दे", "perfective", "दिया", "दिए", "दी", "दीं"),
    **_forms("ले", "perfective", "लिया", "लिए", "ली", "लीं"),
    **_forms("पी", "perfective", "पिया", "पिए", "पी", "पीं"),
    **_forms("जी", "perfective", "जिया", "जिए", "", ""),
    **_forms("सी", "perfective", "सिया", "सिए", "", ""),
    **_forms("छू", "perfective", "छुआ", "छुए", "छुई", "छुईं"),
    **_forms("वाला", "agentive", "वाला", "वाले", "वाली"),
    "होगा": VerbForm("हो", "future", "ms", "third"),
    "होगी": VerbForm("हो", "future", "fs", "third"),
    "होंगे": VerbForm("हो", "future", "mp", "plural"),
    "होंगी": VerbForm("हो", "future", "fs", "plural"),
    "होगे": VerbForm("हो", "future", "mp", "second"),
    "हूंगा": VerbForm("हो", "future", "ms", "first"),
    "हूंगी": VerbForm("हो", "future", "fs", "first"),
    "होऊंगा": VerbForm("हो", "future", "ms", "first"),
    "होऊंगी": VerbForm("हो", "future", "fs", "first"),
    "हो": VerbForm("हो", "stem", None, "second"),
    "करे": VerbForm("कर", "subjunctive", None, "third"),
    "जाए": VerbForm("जा", "subjunctive", None, "third"),
    "जाय": VerbForm("जा", "subjunctive", None, "third"),
    "हों": VerbForm("हो", "subjunctive", None, "plural"),
    "दूं": VerbForm("दे", "subjunctive", None, "first"),
    "लूं": VerbForm("ले", "subjunctive", None, "first"),
    "दें": VerbForm("दे", "subjunctive", None, "plural"),
    "लें": VerbForm("ले", "subjunctive", None, "plural"),
    "दो": VerbForm("दे", "imperative", None, "second"),
    "लो": VerbForm("ले", "imperative", None, "second"),
    "दीजिए": VerbForm("दे", "imperative", None, "plural"),
    "लीजिए": VerbForm("ले", "imperative", None, "plural"),
    "कीजिए": VerbForm("कर", "imperative", None, "plural"),
}
# देना and लेना lose their vowel before these endings, पीना, जीना and सीना shorten it: दूँगा, पिऊँगा.
for _stem, _short, _endings in (
    ("दे", "द", _AFTER_CONSONANT),
    ("ले", "ल", _AFTER_CONSONANT),
    ("पी", "पि", _AFTER_VOWEL),
    ("जी", "जि", _AFTER_VOWEL),
    ("सी", "सि", _AFTER_VOWEL),
):
    for _ending, (_shape, _cell, _person) in _endings.items():
        if _shape == "future" or (_shape == "subjunctive" and _endings is _AFTER_VOWEL):
            _IRREGULAR[_short + _ending] = VerbForm(_stem, _shape, _cell, _person)

# Forms that are far more often something else; only the context can make verbs of them.
RARELY_VERBS = frozenset("की के पी जी सी दी ली दो लो लिए पर भर मन बस कर ना".split())


@lru_cache(maxsize=65536)
def analyse_verb(word: str) -> tuple[VerbForm, ...]:
    """The forms that a key may be; none if it belongs to no known verb."""
    if "-" in word:
        return _analyse_pair(word)
    found = [_IRREGULAR[word]] if word in _IRREGULAR else []
    known = verb_stems()
    if known.has(word) and word != "हो":
        found.append(VerbForm(word, "stem"))
    for cut in range(max(1, len(word) - 6), len(word)):
        stem, ending = word[:cut], word[cut:]
        if not known.has(stem) or (word in _IRREGULAR and ending in _AFTER_CONSONANT):
            continue
        vowel = stem[-1] in _VOWELS
        entry = _AFTER_ANY.get(ending) or (_AFTER_VOWEL if vowel else _AFTER_CONSONANT).get(ending)
        if entry and (stem, ending) not in _UNUSED_REGULAR_FORMS:
            found.append(VerbForm(stem, *entry))
    return tuple(found)


def _analyse_pair(word: str) -> tuple[VerbForm, ...]:
    """The forms of two hyphenated verbs with the same inflection: पला-बढ़ा."""
    first, _, last = word.rpartition("-")
    if first == last:  # बैठे-बैठे says how, not what
        return ()
    shapes = {(form.shape, form.cell) for form in analyse_verb(first) if form.cell}
    return tuple(
        form
        for form in analyse_verb(last)
        if (form.shape, "fs" if form.cell == "fp" else form.cell) in shapes
        or (form.shape, form.cell) in shapes
    )


# करा, जाए: regular forms that are not the verb's own, or another's. जाया is, in जाया करता.
_UNUSED_REGULAR_FORMS = frozenset(
    (stem, ending)
    for stem in ("जा", "दे", "ले", "कर", "पी")
    for ending in ("या", "ए", "ई", "ईं", "ा", "े", "ी", "ीं")
) - {("जा", "या")}


_CLEAR_FUTURES = {
    ending: (cell, person)
    for ending, (shape, cell, person) in {**_AFTER_CONSONANT, **_AFTER_VOWEL}.items()
    if shape == "future" and ("ंग" in ending or ending.startswith(("ए", "ओ")))
}


@lru_cache(maxsize=65536)
def guess_future(word: str) -> VerbForm | None:
    """The future of an unknown verb, by its ending, where that is unambiguous."""
    for ending, (cell, person) in _CLEAR_FUTURES.items():
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return VerbForm(word.removesuffix(ending), "future", cell, person)
    return None
