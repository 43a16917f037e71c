"""The languages that come with Epicene: names, script, and rules for word boundaries.

In Arabic, proclitics (و، ف، ب، ل، ال) and suffixed pronouns stay with their word. In Chinese each
Han character is a word, as there is no dictionary here to find longer ones.
"""

from epicene.languages import Language, double_forms

arabic = Language(
    code="ar",
    name="Arabic",
    own_name="العربية",
    direction="rtl",
    scripts=("Arab",),
    rewriter="epicene.rewriting.arabic:rewriter",
    # طالب/ة، عزيزي/تي، كتابه/ها
    joins=double_forms("/", "ة|ات|ين?|تي?|ن|ون|ها|هن"),
)

german = Language(
    code="de",
    name="German",
    own_name="Deutsch",
    direction="ltr",
    scripts=("Latn",),
    joins="|".join(
        (
            r"\*(?=\p{L})",  # Student*innen
            double_forms(":", r"innen\p{L}*|in|inn|r|n|m|s|e|en|em|er"),  # Student:in, jede:r
            r"/(?=[rnmse](?![\p{L}\p{M}]))",  # jede/r
            # Lehrer/in, Lehrer/-innen; in "auf/in" the second is a word.
            r"(?=/)(?<=(?-i:\p{Lu})[\p{L}\p{M}]+)/-?(?=in(?:nen)?(?![\p{L}\p{M}]))",
        )
    ),
    rewriter="epicene.rewriting.german:rewriter",
)

english = Language(
    code="en",
    name="English",
    own_name="English",
    direction="ltr",
    scripts=("Latn",),
    # "(s)he" and "s/he" must not count as "he", nor "'em" (them) as the pronoun "em".
    whole=r"\(s\)he|s/he|['’](?:em|tis|twas)(?!['’/])|['’]n['’]",
    joins=double_forms("/", "s"),
    rewriter="epicene.rewriting.english:rewriter",
)

spanish = Language(
    code="es",
    name="Spanish",
    own_name="español",
    direction="ltr",
    scripts=("Latn",),
    rewriter="epicene.rewriting.spanish:rewriter",
    joins="|".join(
        (
            # amigo/a, un/a, profesor(a); but "y/o" and "de/a" are two words.
            double_forms("/", "as?|os?|es?", after=r"[\p{L}\p{M}]{3}|\bun"),
            r"@(?=s?(?!\p{L}))",  # amig@s, tod@
            r"\*(?=s(?!\p{L}))",  # amig*s
        )
    ),
)

_FRENCH_PRONOUNS = (
    "je|tu|ils?|elles?|iels?|aels?|on|nous|vous|ce|moi|toi|lui|leur|les?|la|y|en|[mtl]['’ʼ](?:en|y)"
)
_FRENCH_LONG_ENDINGS = "euses?|t?rices?|ères?|nes?"

french = Language(
    code="fr",
    name="French",
    own_name="français",
    direction="ltr",
    scripts=("Latn",),
    # Other apostrophes join (aujourd'hui, prud'homme, entr'ouvrir, presqu'île, quelqu'un), and so
    # do other hyphens (arc-en-ciel, elle-même), so that only these few need naming.
    whole=(
        "c['’ʼ]est-à-dire|(?:celui|celles?|ceux)-(?:ci|là)|jusque-là"
        "|rendez-vous|garde-à-vous|qu['’ʼ]en-dira-t-on"
    ),
    elision=(
        r"(?:[ldjmtsnc]|ç|qu|jusqu|lorsqu|puisqu|quoiqu)['’ʼ]"
        r"(?=(?:«[ \u00a0\u202f]?|[“\"(*_])*[\p{L}\p{N}])"
    ),
    enclitics=f"{_FRENCH_PRONOUNS}|ci|là",
    # The t of "a-t-il" is a sound, not a word.
    link="-t-|-",
    # étudiant.e.s, acteur/rice; the middle dot joins in every language.
    rewriter="epicene.rewriting.french:rewriter",
    joins=(
        double_forms(".•⋅∙", f"s|es?|les?|tes?|ses?|ves?|fes?|sses?|{_FRENCH_LONG_ENDINGS}")
        + f"|/(?=(?:s|es?|{_FRENCH_LONG_ENDINGS})(?![\\p{{L}}\\p{{M}}]))"
    ),
)

hindi = Language(
    code="hi",
    name="Hindi",
    own_name="हिन्दी",
    direction="ltr",
    scripts=("Deva",),
    # The abbreviation sign belongs to its word (डॉ॰, कि॰मी॰); करता/ती and गया(ई) are one word.
    joins="॰|" + double_forms("/", "ता|ती|ते|ई|यी|ए|ये|गा|गी|गे"),
    rewriter="epicene.rewriting.hindi:rewriter",
)

italian = Language(
    code="it",
    name="Italian",
    own_name="italiano",
    direction="ltr",
    scripts=("Latn",),
    rewriter="epicene.rewriting.italian:rewriter",
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

portuguese = Language(
    code="pt",
    name="Portuguese",
    own_name="português",
    direction="ltr",
    scripts=("Latn",),
    rewriter="epicene.rewriting.portuguese:rewriter",
    joins="|".join(
        (
            # amigo/a, um/a, professor(a); but "e/ou" and "do/a" are two words.
            double_forms("/", "as?|os?|es?", after=r"[\p{L}\p{M}]{3}|\bum"),
            r"@(?=s?(?!\p{L}))",  # amig@s, tod@
        )
    ),
)

_RUSSIAN_ENDINGS = "а|ла|на|ась|лась|ая|ка|ки|ница|ницы"

russian = Language(
    code="ru",
    name="Russian",
    own_name="русский",
    direction="ltr",
    scripts=("Cyrl",),
    rewriter="epicene.rewriting.russian:rewriter",
    joins="|".join(
        (
            double_forms("*", _RUSSIAN_ENDINGS),  # сделал(а), студент*ка
            # студент/ка; but "в/на" are two words.
            double_forms("/", _RUSSIAN_ENDINGS, after=r"[\p{L}\p{M}]{3}"),
        )
    ),
)

chinese = Language(
    code="zh",
    name="Chinese",
    own_name="中文",
    direction="ltr",
    scripts=("Hans", "Hant"),
)
