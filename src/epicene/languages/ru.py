"""Russian."""

from epicene.languages import Language, double_forms

_ENDINGS = "а|ла|на|ась|лась|ая|ка|ки|ница|ницы"

language = Language(
    code="ru",
    name="Russian",
    own_name="русский",
    direction="ltr",
    scripts=("Cyrl",),
    joins="|".join(
        (
            double_forms("*", _ENDINGS),  # сделал(а), студент*ка
            # студент/ка; but "в/на" are two words.
            double_forms("/", _ENDINGS, after=r"[\p{L}\p{M}]{3}"),
        )
    ),
)
