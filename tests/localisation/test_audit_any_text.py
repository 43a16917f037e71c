"""Whatever a string holds, the audit gives spans of it, and forms that differ only in its words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epicene

PIECES = {
    "ar": ["أنت", "متصل", "مدعو(ة)", "طالب/ة", "عزيزي", "العميلة", "أنا سعيدة"],
    "de": [
        "Du bist",
        "ein Nutzer",
        "Nutzer*innen",
        "Mitglieder*innen",
        "Liebe",
        "Kundin",
        "jede*r",
    ],
    "en": ["He", "told her", "his/her", "he or she", "they are", "himself"],
    "es": ["Estás", "segura", "amig@s", "un", "usuaria", "seguro/a", "todxs"],
    "fr": [
        "Vous êtes",
        "prêt",
        "prêt(e)",
        "et contente",
        "Chère",
        "client",
        "étudiant·e·s",
        "il/elle",
    ],
    "hi": ["आप", "सकते/सकती हैं", "मैं थक गया हूँ", "करती", "छात्र"],
    "it": ["Sei", "sicuro/a", "tutt*", "un amico", "Cara"],
    "pt": ["Você está", "pronta", "pront@", "um", "usuário(a)"],
    "ru": ["Ты", "готов(а)", "вошла", "Дорогой", "подруга", "он или она"],
}
MARKS = [
    "{name}",
    "<b>",
    "</b>",
    "%s",
    "&eacute;",
    "''",
    "{n, plural, one {",
    "}}",
    "…",
    "\n",
    "👩‍🔧",
    ", ",
]


@pytest.mark.parametrize("language", sorted(PIECES))
def test_spans_are_in_the_text_and_forms_keep_the_rest(language: str) -> None:
    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(st.lists(st.sampled_from([*PIECES[language], *MARKS]), max_size=8))
    def check(parts: list[str]) -> None:
        text = " ".join(parts)
        findings = epicene.audit(text, language).findings
        if not findings:
            return
        (found,) = findings
        for word in found.words:
            assert text[word.start : word.end] == word.text
        for problem in found.problems:
            assert text[problem.start : problem.end] == problem.text
        first = min((word.start for word in found.words), default=0)
        last = max((word.end for word in found.words), default=len(text))
        for form in found.forms:
            assert form.text != text
            if language != "en":  # where verbs agree with the pronoun
                assert form.text.startswith(text[:first])
                assert form.text.endswith(text[last:])

    check()
