"""Italian."""

from epicene.languages import Language, double_forms

language = Language(
    code="it",
    name="Italian",
    own_name="italiano",
    direction="ltr",
    scripts=("Latn",),
    whole=r"(?:po|mo|be)['’](?!\p{L})",
    # Any word may lose its vowel before another (un'amica, trent'anni, l'8 marzo); O'Brien did not.
    elision=r"(?!o['’])\p{L}+['’ʼ](?=[«“\"(*_]*(?:[aeiouh0-9]|à|è|é|ì|ò|ù))",
    joins="|".join(
        (
            # amico/a, un/a, studente(ssa); but "e/o" and "da/a" are two words.
            r"(?<=\p{L}{3}|\bun)(?:" + double_forms("/", "[aeio]|ssa|esse|trice|trici") + ")",
            # tutt*, car@: no vowel before the mark, and no opening mark before the word.
            r"(?<=[bcdfglmnprstvz])(?<![*@_]\p{L}+)[*@_](?![*@_]|\p{L})",
        )
    ),
)
