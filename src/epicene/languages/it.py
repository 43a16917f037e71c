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
    # (Case ignored makes a class of letters slow, so it is not ignored there.)
    elision=(
        r"(?!o['’])(?-i:[[\p{L}\p{M}]--ʼ]++)['’ʼ]"
        r"(?=(?:«[ \u00a0]?|[“\"(*_])*(?:[aeiouh0-9]|à|è|é|ì|ò|ù))"
    ),
    joins="|".join(
        (
            # amico/a, un/a, studente(ssa); but "e/o" and "da/a" are two words.
            double_forms("/", "[aeio]|ssa|esse|trice|trici", after=r"[\p{L}\p{M}]{3}|\bun"),
            # tutt*, car@: no vowel before the mark, and no opening mark before the word.
            r"(?=[*@_])(?<=[bcdfglmnprstvz])(?<![*@_][\p{L}\p{M}]+)[*@_](?![*@_]|\p{L})",
        )
    ),
)
