"""The mood that the words before a verb of the imperfect ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.lexicon import function_words, verb_list

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Mood
    from epicene.languages.rewriting.arabic.reading import Reading
    from epicene.languages.rewriting.arabic.verb_parsing import VerbParse

_STATEMENTS = frozenset("هل لماذا لم ما كيف".split())


def mood_of(reading: Reading, at: int, parse: VerbParse) -> Mood:
    """Indicative, subjunctive (cut) or jussive (short)."""
    if parse.prefix.endswith("ل"):
        return "short" if parse.prefix == "فل" else "cut"
    before = reading.function(at - 1)
    if before is None or before.suffix is not None:
        return "full"
    if before.base in {"لم", "الم"}:
        return "short"
    if before.base in function_words()["subjunctive"]:
        asks = before.base == "الا" and reading.line.begins(at - 1)  # ألا ترغب؟
        return "full" if asks else "cut"
    if before.base != "لا":
        return "full"
    if _is_that(reading, at - 2):
        return "cut"
    return "short" if _is_prohibition(reading, at, parse) else "full"


def _is_that(reading: Reading, at: int) -> bool:
    function = reading.function(at)
    return function is not None and not function.suffix and function.base in {"ان", "كي", "لكي"}


def _is_prohibition(reading: Reading, at: int, parse: VerbParse) -> bool:
    """لا تخف, but not أنت لا تخاف, هل لا تخاف, لا تعرف."""
    if parse.cell.person != 2 or parse.verb.perfect in verb_list("stative"):
        return False
    before = reading.function(at - 2)
    if before is not None and (
        before.sort in {"you", "inna", "relatives"} or before.base in _STATEMENTS
    ):
        return False
    return not reading.evidence.is_question
