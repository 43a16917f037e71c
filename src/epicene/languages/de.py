"""German."""

from epicene.languages import Language, double_forms

language = Language(
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
)
