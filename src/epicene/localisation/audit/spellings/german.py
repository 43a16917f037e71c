"""German: Nutzer*innen, jede:r, Kund(inn)en."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.audit.spellings.patterns import (
    LETTERS,
    Forms,
    Pattern,
    both_words,
    compile_word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# Nouns with one form for everybody, before *innen and :in.
_GERMAN_NEUTRAL = regex.compile(
    r"(?:.*-)?(?:.*mit)?(?:glied(?:er)?|mensch(?:en)?|person(?:en)?|kind(?:er)?|leute|eltern|"
    r"geschwister|opfer|.*kr(?:aft|äfte)|.*(?:ier|eit|hm|ch|ell|ag|es|uz)ende?n?)",
    regex.IGNORECASE,
)
_GERMAN_ARTICLES = "ein|kein|mein|dein|sein|ihr|unser|euer|eur"


def patterns() -> Iterator[Pattern]:
    pairs = (
        "er/sie ihn/sie ihm/ihr sein/ihr seine/ihre seinen/ihren seinem/ihrem seiner/ihrer der/die "
        "den/die dem/der des/der dieser/diese jeder/jede ein/eine einen/eine herr/frau "
        "herren/damen lieber/liebe mann/frau männer/frauen"
    )
    yield from both_words(pairs, "und|oder|bzw\\.|beziehungsweise", _is_german_pair)

    def read_noun(match: regex.Match[str]) -> Forms:
        stem, tail = match["stem"], match["tail"].lower()
        if _GERMAN_NEUTRAL.fullmatch(stem):
            return Forms(stem, stem, wrong=True)
        slashed = match["all"][len(stem)] == "/"
        if stem.endswith("e") and not slashed:  # Kunde*in, for Kund*in
            many = tail.endswith("nen")
            return Forms(stem + "n" * many, stem.removesuffix("e") + tail, wrong=True)
        if tail.endswith("nen"):
            base = regex.sub("(?:en|e)$", "", stem) if slashed else stem
            masculine = stem if slashed or stem.endswith("er") else ""
            return Forms(masculine, f"{base}innen")
        return Forms(stem, f"{stem.removesuffix('e')}in")

    noun = r"(?P<stem>\p{Lu}[\p{L}-]*\p{Ll})"
    for style, mark in (("star", r"\*"), ("colon", ":"), ("underscore", "_"), ("slash", "/-?"),
                        ("dot", "[·•]")):  # fmt: skip
        looks = compile_word(rf"{noun}{mark}(?P<tail>in(?:nen)?)", ignore_case=False)
        yield Pattern(style, looks, read_noun)
    looks = compile_word(rf"{noun}\((?P<tail>in(?:nen)?)\)", ignore_case=False)
    yield Pattern("brackets", looks, read_noun)
    looks = compile_word(rf"{noun}(?P<tail>In(?:nen)?)", ignore_case=False)
    yield Pattern("capital", looks, read_noun)

    looks = compile_word(r"(?P<stem>\p{Lu}[\p{L}-]*\p{Ll})\(inn\)en", ignore_case=False)
    yield Pattern(
        "brackets", looks, lambda match: Forms(f"{match['stem']}en", f"{match['stem']}innen")
    )

    def read_article(match: regex.Match[str]) -> Forms:
        stem, tail = match["stem"], match["tail"].lower()
        if tail == "e":
            return Forms(stem, f"{stem}e")
        return Forms(stem + tail, stem)

    for style, mark in (("star", r"\*"), ("colon", ":"), ("underscore", "_")):
        looks = compile_word(rf"(?P<stem>{LETTERS}{{2,}}e){mark}(?P<tail>[rnms])")
        yield Pattern(style, looks, read_article)
    looks = compile_word(rf"(?P<stem>jede|diese|welche|(?:{_GERMAN_ARTICLES})e)/-?(?P<tail>[rnms])")
    yield Pattern("slash", looks, read_article)
    looks = compile_word(rf"(?P<stem>{LETTERS}{{2,}}e)/-?(?P<tail>r)")
    yield Pattern("slash", looks, read_article)
    yield Pattern(
        "brackets", compile_word(rf"(?P<stem>{LETTERS}{{2,}}e)\((?P<tail>r)\)"), read_article
    )
    for style, mark in (("star", r"\*"), ("colon", ":"), ("underscore", "_"), ("slash", "/-?")):
        looks = compile_word(rf"(?P<stem>{_GERMAN_ARTICLES}){mark}(?P<tail>e)")
        yield Pattern(style, looks, read_article)
    yield Pattern(
        "brackets", compile_word(rf"(?P<stem>{_GERMAN_ARTICLES})\((?P<tail>e)\)"), read_article
    )


def _is_german_pair(masculine: str, feminine: str) -> bool:
    for ending in ("innen", "in"):
        if feminine.endswith(ending):
            stem = feminine.removesuffix(ending)
            return (
                len(stem) > 2
                and masculine.startswith(stem)
                and masculine.removeprefix(stem) in {"", "e", "en", "n", "s"}
            )
    return False
