"""Chinese. Each Han character is a word: there is no dictionary here to find longer ones."""

from epicene.languages import Language

language = Language(
    code="zh",
    name="Chinese",
    own_name="中文",
    direction="ltr",
    scripts=("Hans", "Hant"),
)
