"""Words that do not agree with the noun for a person after them: "Chère client", "ein Nutzerin"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.tokenisation import tokens
from epicene.localisation.audit.findings import Problem
from epicene.localisation.audit.word_genders import noun_gender

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender

# Forms that have one gender wherever they stand before a noun in the singular. Words that are
# plurals or other cases, too, are left out ("liebe Kunden", "der Nutzerin"), and so are feminines
# that are used before a masculine title ("дорогая коллега").
_FORMS: dict[str, dict[Gender, str]] = {
    "ar": {"masculine": "عزيزي", "feminine": "عزيزتي"},
    "de": {"masculine": "lieber geehrter ein kein mein dein einen", "feminine": "eine keine"},
    "es": {
        "masculine": "querido estimado un nuestro",
        "feminine": "querida estimada una nuestra",
    },
    "fr": {"masculine": "cher un", "feminine": "chère une"},
    "hi": {"masculine": "मेरा आपका तुम्हारा", "feminine": "मेरी आपकी तुम्हारी"},
    "it": {"masculine": "caro gentilissimo", "feminine": "cara gentilissima"},
    "pt": {"masculine": "caro prezado querido um", "feminine": "cara prezada querida uma"},
    "ru": {"masculine": "дорогой уважаемый милый", "feminine": ""},
}


def find_disagreements(text: str, language: str) -> Iterator[Problem]:
    """Each word of the lists whose gender differs from that of the noun right after it."""
    forms = _FORMS_BY_WORD.get(language)
    if forms is None:
        return
    before: Gender | None = None
    start = 0
    for token in tokens(text, language):
        word = text[token.start : token.end]
        if token.kind != "word":
            before = None
            continue
        noun = noun_gender(word, language) if before else None
        if noun and noun != before:
            yield Problem(
                start=start, end=token.end, kind="disagreement", text=text[start : token.end]
            )
        before, start = forms.get(word.lower()), token.start


_FORMS_BY_WORD = {
    language: {word: gender for gender, words in each.items() for word in words.split()}
    for language, each in _FORMS.items()
}
