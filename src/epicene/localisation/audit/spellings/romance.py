"""Spanish, Portuguese and Italian: amig@s, pronto(a), tutt*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.audit.spellings.patterns import (
    LETTERS,
    Ending,
    Forms,
    Pattern,
    both_words,
    compile_word,
    feminine_of,
    pairs_by_endings,
    whole_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import regex

_IBERIAN = (
    Ending("o", "a", ("a",)),
    Ending("os", "as", ("as",)),
    Ending("ores", "oras", ("as", "oras")),
    Ending("ón", "ona", ("a", "ona")),
    Ending("és", "esa", ("a", "esa")),
    Ending("ês", "esa", ("a", "esa")),
    Ending("ín", "ina", ("a", "ina")),
    Ending("án", "ana", ("a", "ana")),
    Ending("ão", "ã", ("ã",)),
    Ending("es", "as", ("as",)),
    Ending("", "a", ("a",)),
)
_IBERIAN_PAIRS = (("o", "a"), ("os", "as"), ("or", "ora"), ("ores", "oras"), ("e", "a"),
                  ("es", "as"), ("és", "esa"), ("ês", "esa"), ("ão", "ã"))  # fmt: skip
_SPANISH_WHOLE = {
    f"{stem}e{ends}": (f"{base}o{ends}", f"{base}a{ends}")
    for stem, base, ends in (
        ("tod", "tod", "s"), ("bienvenid", "bienvenid", "s"), ("bienvenid", "bienvenid", ""),
        ("amigu", "amig", "s"), ("amigu", "amig", ""), ("chiqu", "chic", "s"), ("niñ", "niñ", "s"),
        ("compañer", "compañer", "s"), ("nosotr", "nosotr", "s"), ("vosotr", "vosotr", "s"),
    )
}  # fmt: skip
_PORTUGUESE_WHOLE = {
    "todes": ("todos", "todas"),
    "amigues": ("amigos", "amigas"),
    "amigue": ("amigo", "amiga"),
    "bem-vindes": ("bem-vindos", "bem-vindas"),
    "bem-vinde": ("bem-vindo", "bem-vinda"),
    "elu": ("ele", "ela"),
    "elus": ("eles", "elas"),
}


def _iberian(
    language: str, pairs: str, joiners: str, whole: dict[str, tuple[str, str]], one_gender: str
) -> Iterator[Pattern]:
    """Spanish and Portuguese; `one_gender` are stems of words with one gender for everybody."""
    alone = set(one_gender.split())
    yield from both_words(pairs, joiners, pairs_by_endings(_IBERIAN_PAIRS, language))
    yield whole_words(whole)
    stem = rf"(?P<stem>(?:{LETTERS}+-)?{LETTERS}{{2,}}?)"

    def read(match: regex.Match[str]) -> Forms:
        base = match["stem"]
        ends = match.groupdict().get("many") or ""
        if base.lower() in alone:
            return Forms(f"{base}a{ends}", f"{base}a{ends}", wrong=True)
        return Forms(f"{base}o{ends}", f"{base}a{ends}")

    consonant = r"(?<=[bcdfgjlmnñprstvz])"
    yield Pattern("at", compile_word(rf"{stem}@(?P<many>s?)"), read)
    # "Bronx" and "Sphinx" are words.
    yield Pattern("x", compile_word(rf"{stem}{consonant}(?:x(?P<many>s)|(?<!n)x)"), read)
    yield Pattern("star", compile_word(rf"{stem}{consonant}\*(?P<many>s?)"), read)

    def read_ending(match: regex.Match[str]) -> Forms:
        base, tail = match["stem"], match["tail"].lower()
        ends = match.groupdict().get("many") or ""
        if not ends:
            return Forms(base, feminine_of(base, tail, _IBERIAN))
        plural = f"{base}s" if base.lower().endswith(("o", "a", "e")) else f"{base}es"
        return Forms(plural, feminine_of(plural, f"{tail}s", _IBERIAN))

    tails = "as|oras|ona|esa|ina|ana|a|ã"
    slashed = rf"(?P<stem>(?:{LETTERS}+-)?{LETTERS}{{3,}}|une?|uno|um)"
    yield Pattern("slash", compile_word(rf"{slashed}/-?(?P<tail>{tails})"), read_ending)
    yield Pattern(
        "brackets", compile_word(rf"{slashed}\((?P<tail>{tails})\)(?P<many>s?)"), read_ending
    )


def spanish() -> Iterator[Pattern]:
    pairs = (
        "él/ella ellos/ellas el/la los/las un/una uno/una del/de_la al/a_la este/esta "
        "nosotros/nosotras señor/señora señores/señoras sr./sra. hombre/mujer hombres/mujeres"
    )
    yield from _iberian("es", pairs, "y|o|u|e", _SPANISH_WHOLE, "person víctim")


def portuguese() -> Iterator[Pattern]:
    pairs = (
        "ele/ela eles/elas o/a os/as um/uma do/da dos/das ao/à no/na pelo/pela este/esta "
        "dele/dela senhor/senhora senhores/senhoras sr./sra. homem/mulher homens/mulheres"
    )
    yield from _iberian("pt", pairs, "e|ou", _PORTUGUESE_WHOLE, "pesso vítim")


_ITALIAN = (
    Ending("tore", "trice", ("trice", "rice")),
    Ending("tori", "trici", ("trici", "rici")),
    Ending("ente", "entessa", ("ssa", "essa")),
    Ending("enti", "entesse", ("esse",)),
    Ending("ore", "oressa", ("ssa", "essa")),
    Ending("o", "a", ("a",)),
    Ending("e", "a", ("a",)),
    Ending("i", "e", ("e",)),
    Ending("", "a", ("a",)),
)


def italian() -> Iterator[Pattern]:
    pairs = (
        "lui/lei egli/ella il/la lo/la i/le gli/le un/una uno/una del/della dello/della al/alla "
        "dal/dalla signore/signora signori/signore sig./sig.ra uomo/donna uomini/donne"
    )
    endings = (("o", "a"), ("i", "e"), ("e", "a"), ("tore", "trice"), ("tori", "trici"),
               ("e", "essa"), ("chi", "che"), ("ci", "che"))  # fmt: skip
    yield from both_words(pairs, "e|o|ed|od", pairs_by_endings(endings, "it"))
    alone = {"person", "vittim"}

    def read_mark(match: regex.Match[str]) -> Forms:
        return Forms(wrong=match["stem"].lower() in alone)

    stem = rf"(?P<stem>{LETTERS}+(?<=[bcdfglmnprstvz]))"
    yield Pattern("star", compile_word(rf"{stem}\*"), read_mark)
    yield Pattern("at", compile_word(rf"{stem}@"), read_mark)
    yield Pattern("schwa", compile_word(rf"{stem}[əɜ]"), read_mark)

    def read_ending(match: regex.Match[str]) -> Forms:
        base, tail = match["stem"], match["tail"].lower()
        return Forms(base, feminine_of(base, tail, _ITALIAN))

    tails = "trice|trici|rice|rici|essa|esse|ssa|a|e"
    slashed = rf"(?P<stem>{LETTERS}{{3,}}|un)"
    yield Pattern("slash", compile_word(rf"{slashed}/-?(?P<tail>{tails})"), read_ending)
    yield Pattern("brackets", compile_word(rf"{slashed}\((?P<tail>{tails})\)"), read_ending)
