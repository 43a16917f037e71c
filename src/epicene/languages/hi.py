"""Hindi."""

from epicene.languages import Language, double_forms

language = Language(
    code="hi",
    name="Hindi",
    own_name="हिन्दी",
    direction="ltr",
    scripts=("Deva",),
    # The abbreviation sign belongs to its word (डॉ॰, कि॰मी॰); करता/ती and गया(ई) are one word.
    joins="॰|" + double_forms("/", "ता|ती|ते|ई|यी|ए|ये|गा|गी|गे"),
    rewriter="epicene.languages.rewriting.hindi:rewriter",
)
