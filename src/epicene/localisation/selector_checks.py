"""Check that the branches of selectors agree: placeholders, tags, a default, and their words."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from epicene.core.records import Record
from epicene.localisation.selectors import icu_quotations, rewritings_by_key
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.rewriting.persons import PERSONS
from epicene.rewriting.protected import protected_spans
from epicene.rewriting.protected.messages import find_choice, read_braces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.rewriting.persons import Person
    from epicene.rewriting.protected.messages import Braces, Branch, Choice

# unsure: the branches differ in words that the rewriter does not know how to change.
SelectorProblemKind: TypeAlias = Literal[
    "broken", "no other", "placeholders", "tags", "form", "unsure"
]
_HEAD = regex.compile(r"\{\s*[\w.\-]+\s*,\s*(?:plural|select|selectordinal)\s*,|\{[^{}\n]*->")
_ELISION = regex.compile(r"(?<=\p{L})'(?=\{\s*[\w$])")
_KEYS = {"masculine": "male", "feminine": "female"}


class SelectorProblem(Record, frozen=True, kw_only=True):
    """What is wrong with a selector, at characters [start, end) of the string."""

    kind: SelectorProblemKind
    message: str
    start: int
    end: int


def check_selectors(
    text: str, language: str = "", persons: Sequence[Person] = PERSONS
) -> list[SelectorProblem]:
    """What is wrong with the selectors of a string, in text order.

    With a `language` that can be rewritten, the feminine branch has to be what the rewriter makes
    of the masculine one, or the other way round, for one of the `persons` or all of them.
    """
    braces = read_braces(text)
    found: list[SelectorProblem] = []
    choices: list[Choice] = []
    for head in _HEAD.finditer(text, overlapped=True):
        choice = find_choice(text, head.start(), braces)
        if choice is None:
            message = "a selector is not whole: check its braces and its branches"
            found.append(_problem("broken", message, head.start(), head.end()))
        else:
            choices.append(choice)
            found += _check_branches(text, choice)
    if not any(each.kind == "broken" for each in found):
        found += _check_braces(text, choices)
    if language in rewritable_languages() and not any(each.kind == "broken" for each in found):
        found += _check_forms(text, choices, language, persons)
    return sorted(found, key=lambda problem: (problem.start, problem.end))


def _problem(kind: SelectorProblemKind, message: str, start: int, end: int) -> SelectorProblem:
    return SelectorProblem(kind=kind, message=message, start=start, end=end)


def _check_braces(text: str, choices: Sequence[Choice]) -> Iterator[SelectorProblem]:
    """The first brace without another, as ICU or Fluent reads them."""
    read = text
    if not any(choice.syntax == "fluent" for choice in choices):
        # l'{x} is meant as a placeholder, though ICU reads a quotation.
        read = _ELISION.sub("’", text)
        for start, end in icu_quotations(read):
            read = read[:start] + " " * (end - start) + read[end:]
    closing = read_braces(read)[-1]
    matched = {*closing, *closing.values()}
    for at, character in enumerate(read):
        if character in "{}" and at not in matched:
            message = "a brace has no other: check the braces and the apostrophes before them"
            yield _problem("broken", message, at, at + 1)
            return


# --- each branch against the default one ------------------------------------------------------


def _check_branches(text: str, choice: Choice) -> Iterator[SelectorProblem]:
    if not any(branch.default for branch in choice.branches):
        name = "default branch, marked with *" if choice.syntax == "fluent" else "branch other"
        message = f"the selector of {choice.argument} has no {name}"
        yield _problem("no other", message, choice.start, choice.end)
    default = choice.default()
    expected = _protected(text, choice, default)
    for branch in choice.branches:
        here = _protected(text, choice, branch)
        for kind in ("placeholders", "tags"):
            missing, extra = expected[kind] - here[kind], here[kind] - expected[kind]
            if missing or extra:
                difference = [f"has no {each}" for each in missing]
                difference += [f"has {each}" for each in extra]
                yield _problem(
                    "tags" if kind == "tags" else "placeholders",
                    f"the branch {branch.key} {', '.join(difference)}, unlike {default.key}",
                    branch.start,
                    branch.end,
                )


def _protected(text: str, choice: Choice, branch: Branch) -> Mapping[str, Counter[str]]:
    """The placeholders and the tags of a branch; in a plural, not those of its number."""
    found = {"placeholders": Counter[str](), "tags": Counter[str]()}
    of_number = choice.kind in {"plural", "selectordinal"} or not choice.kind
    number = regex.compile(rf"(?<![\w.]){regex.escape(choice.argument.strip('$ '))}(?![\w.])")
    content = text[branch.start : branch.end]
    for start, end in protected_spans(content):
        head = _HEAD.match(content, start)
        written = regex.sub(r"\s+", "", head[0] if head else content[start:end])
        if written.startswith(("<", "&lt;")):
            found["tags"][content[start:end]] += 1
        elif written[:1] in "{%$" and not (of_number and number.search(written)):
            found["placeholders"][written] += 1
    return found


# --- the words of the branches ----------------------------------------------------------------


def _check_forms(
    text: str, choices: Sequence[Choice], language: str, persons: Sequence[Person]
) -> Iterator[SelectorProblem]:
    by_gender = [choice for choice in choices if choice.by_gender()]
    for argument in dict.fromkeys(choice.argument for choice in by_gender):
        first = next(choice for choice in by_gender if choice.argument == argument)
        braces = read_braces(text)
        forms = {key: _with_gender(text, argument, key, braces) for key in _KEYS}
        problem = _compare(forms["masculine"], forms["feminine"], language, persons)
        if problem is not None:
            kind, message = problem
            yield _problem(kind, f"{argument}: {message}", first.start, first.end)


def _with_gender(text: str, argument: str, gender: str, braces: Sequence[Braces]) -> str:
    """The text with that branch of each selector of the argument; others have their default."""
    pieces, at = [], 0
    for start in sorted(braces[-1]):
        choice = find_choice(text, start, braces) if start >= at else None
        if choice is None or not choice.by_gender():
            continue
        wanted = choice.by_gender().get(gender) if choice.argument == argument else None
        branch = wanted or choice.default()
        inside = text[branch.start : branch.end]
        pieces += [text[at:start], _with_gender(inside, argument, gender, read_braces(inside))]
        at = choice.end
    return "".join([*pieces, text[at:]])


def _compare(
    masculine: str, feminine: str, language: str, persons: Sequence[Person]
) -> tuple[SelectorProblemKind, str] | None:
    """What is wrong, unless one text is what the rewriter makes of the other."""
    made: list[str] = []
    for group in [*((person,) for person in persons), tuple(persons)]:
        to_feminine = _rewritten(masculine, language, group, "female")
        to_masculine = _rewritten(feminine, language, group, "male")
        if to_feminine != masculine and to_feminine == feminine:
            return None
        all_feminine = _rewritten(feminine, language, group, "female") == feminine
        if all_feminine and to_masculine != feminine and to_masculine == masculine:
            return None
        if to_feminine is not None and to_feminine != masculine:
            made.append(to_feminine)
    if made:
        nearest = max(made, key=lambda text: SequenceMatcher(None, text, feminine).ratio())
        return "form", f"the feminine is {feminine!r}, and the rewriter has {nearest!r}"
    if masculine == feminine:
        return None
    return "unsure", f"the rewriter cannot tell whether {feminine!r} belongs to {masculine!r}"


def _rewritten(text: str, language: str, persons: Sequence[Person], key: str) -> str | None:
    """The text with those people in that gender; None where the language does not show it."""
    if not set(PERSONS) <= set(find_rewriter(language).takes):  # English
        persons = [person for person in persons if person == "others"]
    for person in persons:
        rewrite = rewritings_by_key(language, person)[key]
        assert rewrite is not None
        text = next(rewrite([text])).text
    return text if persons else None
