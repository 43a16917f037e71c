"""English."""

from epicene.languages import Language, double_forms

language = Language(
    code="en",
    name="English",
    own_name="English",
    direction="ltr",
    scripts=("Latn",),
    # "(s)he" and "s/he" must not count as "he", nor "'em" (them) as the pronoun "em".
    whole=r"\(s\)he|s/he|['’](?:em|tis|twas)(?!['’/])|['’]n['’]",
    joins=double_forms("/", "s"),
    rewriter="epicene.languages.rewriting.english:rewriter",
)
