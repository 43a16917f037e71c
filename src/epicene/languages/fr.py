"""French."""

from epicene.languages import Language, double_forms

_PRONOUNS = (
    "je|tu|ils?|elles?|iels?|aels?|on|nous|vous|ce|moi|toi|lui|leur|les?|la|y|en|[mtl]['’ʼ](?:en|y)"
)
_LONG_ENDINGS = "euses?|t?rices?|ères?|nes?"

language = Language(
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
    enclitics=f"{_PRONOUNS}|ci|là",
    # The t of "a-t-il" is a sound, not a word.
    link="-t-|-",
    # étudiant.e.s, acteur/rice; the middle dot joins in every language.
    rewriter="epicene.languages.rewriting.french:rewriter",
    joins=(
        double_forms(".•⋅∙", f"s|es?|les?|tes?|ses?|ves?|fes?|sses?|{_LONG_ENDINGS}")
        + f"|/(?=(?:s|es?|{_LONG_ENDINGS})(?![\\p{{L}}\\p{{M}}]))"
    ),
)
