"""Russian."""

from epicene.languages import Language, double_forms

_ENDINGS = "а|ла|на|ась|лась|ая|ка|ки|ница|ницы"

language = Language(
    code="ru",
    name="Russian",
    own_name="русский",
    direction="ltr",
    scripts=("Cyrl",),
    # сделал(а), студент*ка, студент/ка; in "в/на" the second is a word.
    joins=double_forms("*", _ENDINGS) + r"|(?<=\p{L}{3})(?:" + double_forms("/", _ENDINGS) + ")",
)
