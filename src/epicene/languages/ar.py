"""Arabic. Proclitics (و، ف، ب، ل، ال) and suffixed pronouns stay with their word."""

from epicene.languages import Language, double_forms

language = Language(
    code="ar",
    name="Arabic",
    own_name="العربية",
    direction="rtl",
    scripts=("Arab",),
    rewriter="epicene.languages.rewriting.arabic:rewriter",
    # طالب/ة، عزيزي/تي، كتابه/ها
    joins=double_forms("/", "ة|ات|ين?|تي?|ن|ون|ها|هن"),
)
