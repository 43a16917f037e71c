"""French: étudiant·e·s, prêt(e), iel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.audit.spellings.patterns import (
    LETTERS,
    MARKS,
    Ending,
    Forms,
    Pattern,
    both_words,
    compile_word,
    feminine_of,
    is_known,
    same_case,
    whole_words,
    written_endings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import regex

_FRENCH = (
    Ending("teur", "trice", ("trice", "rice", "ice")),
    Ending("eur", "euse", ("euse", "se")),
    Ending("eux", "euse", ("euse", "se")),
    Ending("oux", "ouse", ("se",)),
    Ending("oux", "ouce", ("ce",)),
    Ending("ier", "ière", ("ière", "ère", "e")),
    Ending("er", "ère", ("ère", "e")),
    Ending("if", "ive", ("ive", "ve")),
    Ending("f", "ve", ("ve",)),
    Ending("eau", "elle", ("elle", "le")),
    Ending("en", "enne", ("enne", "ne")),
    Ending("on", "onne", ("ne",)),
    Ending("el", "elle", ("elle", "le", "e")),
    Ending("l", "lle", ("le",)),
    Ending("c", "que", ("que",)),
    Ending("c", "che", ("che",)),
    Ending("e", "esse", ("esse", "sse")),
    Ending("t", "tte", ("te",)),
    Ending("s", "sse", ("se",)),
    Ending("", "e", ("e",)),
)
_FRENCH_PAIRS = (
    "il/elle ils/elles lui/elle eux/elles le/la un/une du/de_la au/à_la ce/cette cet/cette mon/ma "
    "ton/ta son/sa celui/celle ceux/celles tous/toutes tout/toute aucun/aucune chacun/chacune "
    "m./mme monsieur/madame messieurs/mesdames homme/femme hommes/femmes"
)
# Forms that exist only as inclusive ones.
_FRENCH_WHOLE = {"iel": ("il", "elle"), "iels": ("ils", "elles"), "celleux": ("ceux", "celles"),
                 "ceulles": ("ceux", "celles"), "toustes": ("tous", "toutes")}  # fmt: skip


def patterns() -> Iterator[Pattern]:
    tails = written_endings(_FRENCH)
    yield from both_words(_FRENCH_PAIRS, "(?:et|ou)(?: à| de)?|et/ou", _is_french_pair)
    yield whole_words(_FRENCH_WHOLE)
    yield Pattern(
        "dot",
        compile_word(r"tou(?:s[·•⋅∙.]te|[·•⋅∙.]te[·•⋅∙.]?|\(te\)|-te-?)s|tous/tes"),
        lambda match: Forms(same_case(match["all"], "tous"), same_case(match["all"], "toutes")),
    )
    for style in ("dot", "slash", "hyphen"):
        mark = MARKS[style]
        apart = "(?<!-)" if style == "hyphen" else ""
        looks = compile_word(
            rf"{apart}(?P<stem>{LETTERS}{{2,}}?)(?P<many>s?){mark}(?P<tail>{tails})"
            rf"(?P<plural>(?:{mark})?s)?"
        )
        yield Pattern(style, looks, _read_french(ambiguous=style != "slash"))
    looks = compile_word(
        rf"(?P<stem>{LETTERS}{{2,}}?)(?P<many>s?)\((?P<tail>{tails})(?P<inner>s?)\)(?P<plural>s)?"
    )
    yield Pattern("brackets", looks, _read_french(ambiguous=False))


def _is_french_pair(masculine: str, feminine: str) -> bool:
    if masculine.endswith("s") and feminine.endswith("s") and len(masculine) > 3:
        return _is_french_pair(masculine[:-1], feminine[:-1])
    return any(
        masculine.endswith(each.masculine)
        and feminine == masculine[: len(masculine) - len(each.masculine)] + each.feminine
        for each in _FRENCH
    ) and is_known(masculine, "fr")


def _read_french(*, ambiguous: bool) -> Callable[[regex.Match[str]], Forms | None]:
    """A reader; after an `ambiguous` mark the word must be known to have two genders."""

    def read(match: regex.Match[str]) -> Forms | None:
        stem, tail = match["stem"], match["tail"].lower()
        mark = match["all"][len(stem) + len(match["many"])]
        # "amazon.es" and "vas-tu-le" look alike.
        if ambiguous and mark in ".-" and not is_known(stem, "fr"):
            return None
        plural = bool(match["many"] or match["plural"] or match.groupdict().get("inner"))
        ends = "s" if plural else ""
        if tail == "e" and stem.lower().endswith("e"):
            return Forms(stem + ends, stem + ends, wrong=True)
        feminine = feminine_of(stem, tail, _FRENCH)
        masculine = stem if stem.lower().endswith(("s", "x")) else stem + ends
        return Forms(masculine, feminine and feminine + ends)

    return read
