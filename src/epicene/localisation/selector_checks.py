"""Check that the branches of selectors agree: placeholders, tags, a default, and their words."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from epicene.core.records import Record
from epicene.localisation.selectors import icu_quotations, rewritings_by_key
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.rewriting.persons import PERSONS
from epicene.rewriting.protected import protected_spans
from epicene.rewriting.protected.messages import find_choice, read_braces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.rewriting.persons import Person
    from epicene.rewriting.protected.messages import Branch, Choice

# unsure: the branches differ in words that the rewriter does not know how to change.
SelectorProblemKind: TypeAlias = Literal[
    "broken", "no other", "placeholders", "tags", "form", "unsure"
]
_HEAD = regex.compile(r"\{\s*[\w.\-]+\s*,\s*(?:plural|select|selectordinal)\s*,|\{[^{}\n]*->")
_ELISION = regex.compile(r"(?<=\p{L})'(?=\{\s*[\w$])")
_SMALL = regex.compile(r"=?\d+|zero|one|two")
_MOST_VARIANTS = 100
_KEYS = {"masculine": "male", "feminine": "female"}


class SelectorProblem(Record, frozen=True, kw_only=True):
    """What is wrong with a selector, at characters [start, end) of a string; `path` is "-" and
    `key` is "" if the string is in no file.
    """

    kind: SelectorProblemKind
    message: str
    start: int
    end: int
    path: str = "-"
    line: int = 1
    key: str = ""


def check_selectors(
    text: str, language: str = "", persons: Sequence[Person] = PERSONS
) -> list[SelectorProblem]:
    """What is wrong with the selectors of a string, in text order.

    With a `language` that can be rewritten, the feminine branch must be what the rewriter makes
    from the masculine one, or vice versa, for one of the `persons` or for all of them.
    """
    braces = read_braces(text)
    found: list[SelectorProblem] = []
    choices: list[Choice] = []
    for head in _HEAD.finditer(text, overlapped=True):
        choice = find_choice(text, head.start(), braces)
        if choice is None:
            message = "a selector is incomplete: check its braces and its branches"
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
    """The first unmatched brace, as ICU or Fluent reads them."""
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
            message = "a brace is unmatched: check the braces and the apostrophes before them"
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
            if kind == "placeholders" and _may_lack(choice, branch):
                missing.clear()
            if missing or extra:
                difference = [f"has no {each}" for each in missing]
                difference += [f"has {each}" for each in extra]
                yield _problem(
                    "tags" if kind == "tags" else "placeholders",
                    f"the branch {branch.key} {', '.join(difference)}, unlike {default.key}",
                    branch.start,
                    branch.end,
                )


def _may_lack(choice: Choice, branch: Branch) -> bool:
    """Whether a branch may lack placeholders: only that of a small number ("Nobody is here")."""
    return choice.kind != "select" and _SMALL.fullmatch(branch.key) is not None


def _protected(text: str, choice: Choice, branch: Branch) -> Mapping[str, Counter[str]]:
    """The placeholders and the tags of a branch; in a plural, not those of its number."""
    found = {"placeholders": Counter[str](), "tags": Counter[str]()}
    of_number = choice.kind in {"plural", "selectordinal"} or not choice.kind
    number = regex.compile(rf"(?<![\w.]){regex.escape(choice.argument.strip('$ '))}(?![\w.])")
    content = _with_defaults(text[branch.start : branch.end])
    for start, end in protected_spans(content):
        written = regex.sub(r"\s+", "", content[start:end])
        if written.startswith(("<", "&lt;")):
            found["tags"][content[start:end]] += 1
        elif written[:1] in "{%$" and not (of_number and number.search(written)):
            found["placeholders"][written] += 1
    return found


def _with_defaults(text: str) -> str:
    """The text with the default branch of each choice, and its argument unless that is a gender."""

    def default(choice: Choice, inside: str) -> str:
        argument = f"{{{choice.argument}}}"
        known = choice.by_gender() or argument in regex.sub(r"\s+", "", inside)
        return inside if known else argument + inside

    return _replaced(text, lambda choice: choice.default(), default)


def _replaced(
    text: str, choose: Callable[[Choice], Branch | None], write: Callable[[Choice, str], str]
) -> str:
    """The text with each choice rewritten from one of its branches; None leaves it unchanged."""
    braces = read_braces(text)
    pieces, at = [], 0
    for start in sorted(braces[-1]):
        choice = find_choice(text, start, braces) if start >= at else None
        branch = choose(choice) if choice else None
        if choice is None or branch is None:
            continue
        inside = _replaced(text[branch.start : branch.end], choose, write)
        pieces += [text[at:start], write(choice, inside)]
        at = choice.end
    return "".join([*pieces, text[at:]])


# --- the words of the branches ----------------------------------------------------------------


def _check_forms(
    text: str, choices: Sequence[Choice], language: str, persons: Sequence[Person]
) -> Iterator[SelectorProblem]:
    by_gender = [choice for choice in choices if choice.by_gender()]
    for argument in dict.fromkeys(choice.argument for choice in by_gender):
        first = next(choice for choice in by_gender if choice.argument == argument)
        problems = []
        for variant in islice(_variants(text), _MOST_VARIANTS):
            masculine, feminine = (_with_gender(variant, argument, key) for key in _KEYS)
            if _has_selector(variant, argument):
                problems.append(_compare(masculine, feminine, language, persons))
        for kind, message in sorted(filter(None, problems))[:1]:  # form before unsure
            yield _problem(kind, f"{argument}: {message}", first.start, first.end)


def _variants(text: str, at: int = 0) -> Iterator[str]:
    """The text with one branch of each choice that is not by gender, which are read apart."""
    braces = read_braces(text)
    for start in sorted(each for each in braces[-1] if each >= at):
        choice = find_choice(text, start, braces)
        if choice is None or choice.by_gender() or len(choice.branches) == 1:
            continue
        for branch in choice.branches:
            inside = text[branch.start : branch.end]
            if choice.syntax == "icu":
                alone = f"{{{choice.argument}, {choice.kind}, {branch.key} {{{inside}}}}}"
            else:
                alone = f"{{ {choice.argument} ->\n*[{branch.key}] {inside}\n}}"
            yield from _variants(text[:start] + alone + text[choice.end :], start + 1)
        return
    yield text


def _has_selector(text: str, argument: str) -> bool:
    braces = read_braces(text)
    found = (find_choice(text, start, braces) for start in braces[-1])
    return any(each and each.argument == argument and each.by_gender() for each in found)


def _with_gender(text: str, argument: str, gender: str) -> str:
    """The text with that branch of each selector of the argument; others have their default."""

    def choose(choice: Choice) -> Branch | None:
        branches = choice.by_gender()
        wanted = branches.get(gender) if choice.argument == argument else None
        return (wanted or choice.default()) if branches else None

    return _replaced(text, choose, lambda _choice, inside: inside)


def _compare(
    masculine: str, feminine: str, language: str, persons: Sequence[Person]
) -> tuple[SelectorProblemKind, str] | None:
    """What is wrong, unless one text is what the rewriter makes from the other."""
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
        return "form", f"the feminine branch is {feminine!r}, but the rewriter gives {nearest!r}"
    if masculine == feminine:
        return None
    return "unsure", f"the rewriter cannot tell whether {feminine!r} belongs to {masculine!r}"


def _rewritten(text: str, language: str, persons: Sequence[Person], key: str) -> str | None:
    """The text with those people in that gender; None if the language does not show it."""
    if not set(PERSONS) <= set(find_rewriter(language).takes):  # English
        persons = [person for person in persons if person == "others"]
    for person in persons:
        rewrite = rewritings_by_key(language, person)[key]
        assert rewrite is not None
        text = next(rewrite([text])).text
    return text if persons else None
