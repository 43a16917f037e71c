"""Spanish."""

from epicene.languages import Language, double_forms

language = Language(
    code="es",
    name="Spanish",
    own_name="español",
    direction="ltr",
    scripts=("Latn",),
    joins="|".join(
        (
            # amigo/a, un/a, profesor(a); but "y/o" and "de/a" are two words.
            double_forms("/", "as?|os?|es?", after=r"[\p{L}\p{M}]{3}|\bun"),
            r"@(?=s?(?!\p{L}))",  # amig@s, tod@
            r"\*(?=s(?!\p{L}))",  # amig*s
        )
    ),
)
