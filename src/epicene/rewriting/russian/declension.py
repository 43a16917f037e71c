"""The cases of Russian nouns of people and of adjectives, in both genders."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.persons import other_gender
from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.line import key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender

CASES = ("nominative", "genitive", "dative", "accusative", "instrumental", "prepositional")
MARK = "°"  # ends the key of an adjective that names a person (substantives.py)
_HUSHING = "жшчщ"
_VELAR = "гкх"
_KEPT_E = frozenset(
    "жрец мудрец наглец подлец льстец чтец скупец гордец кузнец глупец близнец беглец лжец "
    "храбрец".split()
)
# The ending of the instrumental is stressed: отцом, королём.
_INDECLINABLE = frozenset("леди миссис бизнес-леди махарани мачо г-н г-жа".split())


class NounReading(NamedTuple):
    """A form of a noun of people: its pair, and what the form is."""

    masculine: str
    feminine: str
    gender: Gender | None  # None: коллега
    plural: bool
    cases: frozenset[str]
    kind: str  # gendered, roles, epicene or common


def noun_forms(word: str) -> tuple[list[str], list[str]]:
    """The six cases of the singular and of the plural, with ё."""
    if word in _INDECLINABLE:
        return [word] * 6, [word] * 6
    singular, plural = _second(word) if word[-1] in "ая" else _first(word)
    if given := lexicon.odd_forms("singular").get(word):
        singular = given.split()
    if stem := lexicon.odd_forms("plural_stem").get(word):
        plural = _animate(stem + "и", stem + "ей", stem + "ям", stem + "ями", stem + "ях")
    if given := lexicon.odd_forms("irregular").get(word):
        plural = _animate(*given.split())
    return singular, plural


def _animate(nominative: str, genitive: str, dative: str, with_: str, about: str) -> list[str]:
    return [nominative, genitive, dative, genitive, with_, about]


def _oblique_stem(word: str) -> str:
    """The stem before endings: отц-, корейц-, владельц-, сынк-."""
    if word.endswith("ец") and word not in _KEPT_E:
        before = word[:-2]
        if before[-1] in "аеиоу":
            return before + "йц"
        return before + ("ьц" if before[-1] == "л" else "ц")
    if word.endswith("ок") and word not in {"знаток", "пророк", "игрок", "ездок", "стрелок"}:
        return word[:-2] + "к"
    if word.endswith("ёк"):
        return word[:-2] + "ьк"
    if word == "свёкор":
        return "свёкр"
    if word == "парень":
        return "парн"
    return word[:-1] if word[-1] in "ьй" else word


def _first(word: str) -> tuple[list[str], list[str]]:
    """Masculine nouns without an ending, and feminine ones in -ь."""
    stem, last = _oblique_stem(word), word[-1]
    stressed = word in lexicon.keys_of("people", "stressed")
    if last in "ьй":
        with_ = stem + ("ём" if stressed else "ем")
        singular = [word, stem + "я", stem + "ю", stem + "я", with_, stem + "е"]
        genitive = stem + ("ев" if last == "й" else "ей")
        return singular, _animate(stem + "и", genitive, stem + "ям", stem + "ями", stem + "ях")
    soft_o = stem[-1] in _HUSHING + "ц"
    with_ = stem + ("ем" if soft_o and not stressed else "ом")
    singular = [word, stem + "а", stem + "у", stem + "а", with_, stem + "е"]
    if word.endswith(("анин", "янин")):
        root = word[:-2]
        return singular, _animate(root + "е", root, root + "ам", root + "ами", root + "ах")
    nominative = stem + ("и" if stem[-1] in _HUSHING + _VELAR else "ы")
    if stem[-1] in _HUSHING:
        genitive = stem + "ей"
    else:
        genitive = stem + ("ев" if stem[-1] == "ц" and not stressed else "ов")
    return singular, _animate(nominative, genitive, stem + "ам", stem + "ами", stem + "ах")


def _second(word: str) -> tuple[list[str], list[str]]:
    """Nouns in -а and -я, of either gender."""
    stem, hard = word[:-1], word[-1] == "а"
    i = "ы" if hard and stem[-1] not in _HUSHING + _VELAR else "и"
    e = "и" if word.endswith("ия") else "е"
    soft_o = not hard or stem[-1] in _HUSHING + "ц"
    with_ = stem + ("ей" if soft_o and word not in lexicon.keys_of("people", "stressed") else "ой")
    if word == "судья":
        with_ = stem + "ёй"
    accusative = stem + ("у" if hard else "ю")
    singular = [word, stem + i, stem + e, accusative, with_, stem + e]
    a = "а" if hard else "я"
    plurals = (stem + a + "м", stem + a + "ми", stem + a + "х")
    return singular, _animate(stem + i, _bare_plural(word), *plurals)


def _bare_plural(word: str) -> str:
    """The genitive plural without an ending: студенток, девочек, монахинь."""
    stem = word[:-1]
    if word.endswith("ка") and stem[-2] not in "аеиоуыэюя":
        if stem[-2] in "ьй":
            return stem[:-2] + "ек"
        return stem[:-1] + ("ек" if stem[-2] in _HUSHING else "ок")
    if word.endswith(("ья", "ия")):
        return stem[:-1] + "ий"
    return stem + "ь" if word.endswith("я") else stem


@cache
def _noun_table() -> dict[str, list[NounReading]]:
    table: dict[str, list[NounReading]] = {}
    stay = lexicon.keys_of("people", "stay")
    for kind in ("gendered", "roles"):
        for masculine, feminine in dict.fromkeys(lexicon.pairs(lexicon.listed("people", kind))):
            if masculine == feminine:
                continue
            # A role that stays: its feminine becomes masculine, its masculine only agrees.
            own = "epicene" if key(masculine) in stay else kind
            _enter(table, masculine, (masculine, feminine, "masculine"), own)
            _enter(table, feminine, (masculine, feminine, "feminine"), kind)
    for word in lexicon.listed("people", "common").split():
        _enter(table, word, (word, word, None), "common")
    for word in lexicon.keys_of("people", "substantives") | lexicon.keys_of("people", "own"):
        _enter_substantive(table, word)
    for word in lexicon.listed("people", "epicene").split():
        if not word.endswith(("ый", "ий", "ой")):
            _enter(table, word, (word, word, "masculine"), "epicene")
    return table


def _enter_substantive(table: dict[str, list[NounReading]], word: str) -> None:
    """больной, which is declined as an adjective, under marked keys."""
    forms = adjective_readings(word, strict=False)[0].table
    pair = (forms[0][0] + MARK, forms[1][0] + MARK)
    genders: tuple[Gender, Gender] = ("masculine", "feminine")
    for gender, own in zip(genders, forms, strict=True):
        for form in dict.fromkeys(map(key, own)):
            reading = NounReading(
                *pair, gender, plural=False, cases=_cases_of(form, own), kind="roles"
            )
            table.setdefault(form + MARK, []).append(reading)


def _enter(
    table: dict[str, list[NounReading]],
    word: str,
    pair: tuple[str, str, Gender | None],
    kind: str,
) -> None:
    if word.endswith(("ый", "ий", "ой", "ая")) and word not in {"герой", "чародей"}:
        return  # adjectives, which are declined as such
    for plural, forms in enumerate(noun_forms(word)):
        for form in dict.fromkeys(map(key, forms)):
            cases = frozenset(
                case for case, each in zip(CASES, forms, strict=True) if key(each) == form
            )
            reading = NounReading(*pair, bool(plural), cases, kind)
            readings = table.setdefault(form, [])
            if not any(
                (known.gender, known.plural, known.cases) == reading[2:5] for known in readings
            ):
                readings.append(reading)


def noun_readings(word: str) -> list[NounReading]:
    """The readings of a key as a noun of people; мужчины-полицейские by its first part."""
    found = _noun_table().get(word) or _noun_table().get(word[len(_prefix(word)) :])
    if found is None and "-" in word:
        found = _noun_table().get(word.partition("-")[0])
    return found or []


@lru_cache(maxsize=2**14)
def _prefix(word: str) -> str:
    """The beginning of a compound whose rest is a noun of people: фото in фотохудожник."""
    if word in _noun_table():
        return ""
    prefixes = lexicon.keys_of("people", "prefixes")
    fits = (p for p in prefixes if word.startswith(p) and word[len(p) :] in _noun_table())
    return max(fits, key=len, default="")


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[list[str], list[str]]:
    return noun_forms(word)


def inflect_noun(word: str, reading: NounReading, gender: Gender, case: str) -> str:
    """The noun of the other gender in that case and the number of the reading, with ё."""
    if reading.gender in {gender, None} or reading.kind in {"epicene", "common"}:
        return word
    lemma = reading.masculine if gender == "masculine" else reading.feminine
    if lemma.endswith(MARK):
        forms = adjective_readings(key(lemma.removesuffix(MARK)), strict=False)[0]
        return forms.form(gender, case)
    form = _forms(lemma)[reading.plural][CASES.index(case)]
    if prefix := _prefix(word):
        return prefix + form
    if "-" in word and "-" not in (reading.masculine, reading.feminine)[gender == "masculine"]:
        return form + word[word.index("-") :]
    return form


# --- surnames --------------------------------------------------------------------------------

_IN_OV = {  # Иванов, Иванова; the -ом of foreign ones (Дарвином) is not read
    "masculine": ("", "а", "у", "а", "ым", "е"),
    "feminine": ("а", "ой", "ой", "у", "ой", "ой"),
}


def surname_form(word: str, gender: Gender, case: str) -> str | None:
    """The key of a Russian surname of the other gender in that case, as it is for `gender`."""
    before, after = _IN_OV[other_gender(gender)], _IN_OV[gender]
    at = CASES.index(case)
    stem = word.removesuffix(before[at]) if before[at] else word
    if len(stem) > 4 and stem.endswith(("ов", "ев", "ин", "ын")) and word == stem + before[at]:
        return stem + after[at]
    if word.endswith(("ский", "ская", "ского", "ской", "скому", "скую", "ским", "ском")):
        reading = agreeing(adjective_readings(word, strict=False), gender)
        if reading is not None and case in reading.cases:
            return reading.form(gender, case)
    return None


# --- adjectives -----------------------------------------------------------------------------------

_HARD: dict[str, tuple[str, ...]] = {
    "masculine": ("ый", "ого", "ому", "ого", "ым", "ом"),
    "feminine": ("ая", "ой", "ой", "ую", "ой", "ой"),
}
_SOFT: dict[str, tuple[str, ...]] = {
    "masculine": ("ий", "его", "ему", "его", "им", "ем"),
    "feminine": ("яя", "ей", "ей", "юю", "ей", "ей"),
}
_HUSHED: dict[str, tuple[str, ...]] = {  # хороший, уставший
    "masculine": ("ий", "его", "ему", "его", "им", "ем"),
    "feminine": ("ая", "ей", "ей", "ую", "ей", "ей"),
}
# сам, этот …: the nominative and the other cases, in both genders.
_PRONOMINAL: dict[str, tuple[str, ...]] = {
    "сам": ("сам самого самому самого самим самом", "сама самой самой саму самой самой"),
    "один": ("один одного одному одного одним одном", "одна одной одной одну одной одной"),
    "этот": ("этот этого этому этого этим этом", "эта этой этой эту этой этой"),
    "тот": ("тот того тому того тем том", "та той той ту той той"),
    "весь": ("весь всего всему всего всем всём", "вся всей всей всю всей всей"),
    "мой": ("мой моего моему моего моим моём", "моя моей моей мою моей моей"),
    "твой": ("твой твоего твоему твоего твоим твоём", "твоя твоей твоей твою твоей твоей"),
    "свой": ("свой своего своему своего своим своём", "своя своей своей свою своей своей"),
    "наш": ("наш нашего нашему нашего нашим нашем", "наша нашей нашей нашу нашей нашей"),
    "ваш": ("ваш вашего вашему вашего вашим вашем", "ваша вашей вашей вашу вашей вашей"),
    "чей": ("чей чьего чьему чьего чьим чьём", "чья чьей чьей чью чьей чьей"),
    "третий": ("третий третьего третьему третьего третьим третьем",
               "третья третьей третьей третью третьей третьей"),
    "ничей": ("ничей ничьего ничьему ничьего ничьим ничьём",
              "ничья ничьей ничьей ничью ничьей ничьей"),
}  # fmt: skip


def _stressed_stems() -> frozenset[str]:
    return lexicon.keys_of("adjectives", "stressed_stems")


class AdjectiveReading(NamedTuple):
    """A form of an adjective in the singular: the forms of its stem, and which it is."""

    gender: Gender
    cases: frozenset[str]
    table: tuple[tuple[str, ...], tuple[str, ...]]  # masculine and feminine

    def form(self, gender: Gender, case: str) -> str:
        """The adjective in that gender and case, with ё."""
        return self.table[gender == "feminine"][CASES.index(case)]


@cache
def _pronominal_table() -> dict[str, list[AdjectiveReading]]:
    table: dict[str, list[AdjectiveReading]] = {}
    for masculine, feminine in _PRONOMINAL.values():
        both = (tuple(masculine.split()), tuple(feminine.split()))
        for reading in _readings_of(both):
            for form in {key(each) for each in both[reading.gender == "feminine"]}:
                if _cases_of(form, both[reading.gender == "feminine"]) == reading.cases:
                    table.setdefault(form, []).append(reading)
    return table


def _cases_of(form: str, forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(case for case, each in zip(CASES, forms, strict=True) if key(each) == form)


def _readings_of(table: tuple[tuple[str, ...], tuple[str, ...]]) -> Iterator[AdjectiveReading]:
    genders: tuple[Gender, Gender] = ("masculine", "feminine")
    for gender, forms in zip(genders, table, strict=True):
        for cases in dict.fromkeys(_cases_of(key(form), forms) for form in forms):
            yield AdjectiveReading(gender, cases, table)


@lru_cache(maxsize=2**14)
def adjective_readings(word: str, *, strict: bool = True) -> tuple[AdjectiveReading, ...]:
    """The readings of a key as an adjective, participle or adjectival pronoun in the singular.

    Not `strict`: where the context says that it is an adjective, its stem need not.
    """
    if known := _pronominal_table().get(word):
        return tuple(known)
    if strict and word in lexicon.keys_of("adjectives", "people"):
        return ()
    body, reflexive = (word[:-2], "ся") if word.endswith(("щийся", "шийся", "щаяся", "шаяся",
        "щегося", "шегося", "щемуся", "шемуся", "щимся", "шимся", "щемся", "шемся", "щейся",
        "шейся", "щуюся", "шуюся")) else (word, "")  # fmt: skip
    found = []
    for endings in (_HARD, _SOFT, _HUSHED):
        for stem in _stems(body, endings, strict=strict):
            table = _table(stem, endings, reflexive, "" if strict else body)
            found += [
                reading
                for reading in _readings_of(table)
                if any(key(reading.form(reading.gender, case)) == word for case in reading.cases)
            ]
        if found:
            return tuple(dict.fromkeys(found))
    return ()


def _stems(body: str, endings: dict[str, tuple[str, ...]], *, strict: bool) -> set[str]:
    stems = set()
    for forms in endings.values():
        for ending in {*forms, *(("ой", "ий", "им") if endings is _HARD else ())}:
            stem = body.removesuffix(ending)
            if stem == body or len(stem) < 2 or not _fits(stem, endings):
                continue
            if endings is _HARD and ending in {"ий", "им"} and stem[-1] not in _VELAR + _HUSHING:
                continue
            if not strict or ending not in _SHARED_ENDINGS or _is_adjectival(stem):
                stems.add(stem)
    return stems


# Nouns and verbs end so too: тишиной, столом, читая, рисую.
_SHARED_ENDINGS = frozenset("ой ей ом ем ая ую".split())
_SUFFIXES = tuple(
    "енн анн янн ованн онн ск лив чив тельн альн ивн озн вш ущ ющ ащ ящ айш ейш ичн ист аст оват "
    "еват кратн летн мерн тивн еск нут ерт явш ивш сш кш гш зш хш рш бш пш оньк еньк "
    "овит енит".split()
)


@cache
def _adjective_stems() -> frozenset[str]:
    return (
        frozenset(word[:-2] for word in lexicon.keys_of("adjectives", "hard")) | _stressed_stems()
    )


@cache
def _soft_stems() -> frozenset[str]:
    return frozenset(word[:-2] for word in lexicon.keys_of("adjectives", "soft"))


@cache
def _noun_stems() -> frozenset[str]:
    return frozenset(word[:-1] for word in lexicon.keys_of("adjectives", "nouns"))


def _is_adjectival(stem: str) -> bool:
    """Whether a stem is an adjective's, where the ending could be a noun's."""
    if stem in _noun_stems():
        return False
    if stem in _adjective_stems() or stem in _soft_stems():
        return True
    if stem.endswith(_SUFFIXES) and len(stem) > 3:
        return True
    return stem[-1] == "н" and len(stem) > 3 and stem[-2] not in "аеиоуыэюя"


def _fits(stem: str, endings: dict[str, tuple[str, ...]]) -> bool:
    last = stem[-1]
    if endings is _HUSHED:
        return last in _HUSHING and stem not in _stressed_stems()
    if endings is _SOFT:
        return stem in _soft_stems() or stem.endswith("летн")
    if stem in _soft_stems():
        return False
    return last in "бвгдзклмнпрстфхц" or stem in _stressed_stems()


def _table(
    stem: str, endings: dict[str, tuple[str, ...]], reflexive: str, body: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    masculine = list(endings["masculine"])
    if endings is _HARD:
        if stem in _stressed_stems() or body == stem + "ой":
            masculine[0] = "ой"
        elif stem[-1] in _VELAR:
            masculine[0] = "ий"
        if stem[-1] in _VELAR + _HUSHING:
            masculine[4] = "им"
    feminine = endings["feminine"]
    return (
        tuple(stem + ending + reflexive for ending in masculine),
        tuple(stem + ending + reflexive for ending in feminine),
    )


def agreeing(readings: tuple[AdjectiveReading, ...], gender: Gender) -> AdjectiveReading | None:
    """The first reading that does not have that gender yet."""
    return next((each for each in readings if each.gender == other_gender(gender)), None)
