"""Selectors: a string with a form for each gender, in ICU MessageFormat or Fluent.

    Tu es prêt.    Tu es {gender, select, male {prêt} female {prête} other {prêt}}.

A selector contains only the words that change, each whole and with its tags complete.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.errors import InputError, unknown
from epicene.rewriting import Change, find_rewriter
from epicene.rewriting.persons import PERSONS, apply_changes
from epicene.rewriting.protected import protected_spans
from epicene.rewriting.protected.messages import quoted_end
from epicene.rewriting.protected.patterns import TAG
from epicene.rewriting.sites import less_sure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from epicene.rewriting import Confidence, Rewrite, Rewriting
    from epicene.rewriting.persons import Person

SELECTOR_SYNTAXES = ("icu", "fluent")
# The keys of a selector, with what the words of its branch are rewritten to, "" for nothing.
_GENDERS = {"male": "m", "female": "f", "other": ""}
_PRONOUNS = {"male": "he", "female": "she", "other": "they"}
_ARGUMENT = regex.compile(r"[A-Za-z_][\w\-]*")
# An apostrophe or a hyphen is part of a word between letters.
_PART_OF_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]|['’\-]+(?=[\p{L}\p{N}])")
_BEFORE_PART = regex.compile(r"[\p{L}\p{M}\p{N}]|(?<=[\p{L}\p{M}\p{N}])['’\-]")


class TwoPeopleError(InputError):
    """The selectors of two people would be at the same position."""


def selector_changes(
    text: str,
    language: str,
    arguments: Mapping[Person, str],
    *,
    syntax: str = "icu",
    other: str | None = None,
    can_hold: Callable[[int, int], bool] = lambda _start, _end: True,
) -> list[Change]:
    """The changes that put a selector around each part of a text that shows a gender.

    `arguments` names the argument with the gender of each person. With `other`, the wording for
    everyone else, the whole text is one selector; otherwise the last branch has the words as they
    are, in English those used with "they". `can_hold` says whether a file can have a selector
    instead of characters [start, end); adjacent words are joined only if it can.
    """
    check_arguments(arguments, syntax, other)
    found: list[Change] = []
    for person, argument in arguments.items():
        forms = _forms(text, language, person)
        parts = _parts(text, forms, can_hold, syntax)
        if parts and other is not None:
            parts = [(0, len(text))]
        for start, end in parts:
            branches = {key: _part_of(form, start, end) for key, form in forms.items()}
            if other is not None:
                branches["other"] = other
            found.append(
                Change(
                    start=start,
                    end=end,
                    before=text[start:end],
                    after=_selector(argument, branches, syntax),
                    rule=f"selector for {argument}",
                    sure=_least_sure(forms.values(), start, end),
                    whose=person,
                )
            )
    found.sort(key=lambda change: change.start)
    for first, second in pairwise(found):
        if second.start < first.end:
            raise TwoPeopleError(
                f"{text[second.start : second.end]!r} shows the gender of two people; make its "
                "selector by hand, or name only one of them."
            )
    return found


def make_selectors(
    text: str,
    language: str,
    arguments: Mapping[Person, str],
    *,
    syntax: str = "icu",
    other: str | None = None,
) -> str:
    """The text with a selector around each part that shows a gender; see `selector_changes`."""
    changes = selector_changes(text, language, arguments, syntax=syntax, other=other)
    return apply_changes(text, changes).text


def check_arguments(
    arguments: Mapping[Person, str], syntax: str = "icu", other: str | None = None
) -> None:
    """Raise unless at least one argument is named, and each can be written."""
    if syntax not in SELECTOR_SYNTAXES:
        raise unknown("selector syntax", syntax, SELECTOR_SYNTAXES)
    if not arguments:
        raise InputError(
            "Name a person whose gender to select by: use --speaker, --listener or --others with "
            "the name of the argument that contains the gender."
        )
    for argument in arguments.values():
        if not _ARGUMENT.fullmatch(argument):
            raise InputError(f"{argument!r} is not a valid argument name, such as gender.")
    if other is not None and len(arguments) > 1:
        raise InputError(
            "A wording for everyone else can be given for one person only; name only one person."
        )


# --- the forms of a text, and the parts in which they differ ----------------------------------


def rewritings_by_key(language: str, person: Person) -> dict[str, Rewrite | None]:
    """The function that makes the text of each branch; None leaves it unchanged."""
    options: dict[str, dict[str, str]]
    if set(PERSONS) <= set(find_rewriter(language).takes):
        options = {key: {person: gender} if gender else {} for key, gender in _GENDERS.items()}
    elif person == "others":
        options = {key: {"pronouns": name} for key, name in _PRONOUNS.items()}
    else:
        raise InputError(
            f"The language {language!r} does not show the gender of the {person}; use --others, "
            "or name another language with --language."
        )
    return {
        key: _open(language, tuple(sorted(wanted.items()))) if wanted else None
        for key, wanted in options.items()
    }


@cache
def _open(language: str, options: tuple[tuple[str, str], ...]) -> Rewrite:
    return find_rewriter(language).open(dict(options))


class _Form(NamedTuple):
    """A text, and the changes that make one of its forms."""

    text: str
    changes: Sequence[Change]


def _forms(text: str, language: str, person: Person) -> dict[str, _Form]:
    forms = {}
    for key, rewrite in rewritings_by_key(language, person).items():
        done: Rewriting | None = next(rewrite([text])) if rewrite else None
        forms[key] = _Form(text, done.changes if done else ())
    return forms


def _part_of(form: _Form, start: int, end: int) -> str:
    """A part of the text, as the form has it."""
    pieces, reached = [], start
    for change in form.changes:
        if start <= change.start and change.end <= end:
            pieces += [form.text[reached : change.start], change.after]
            reached = change.end
    return "".join([*pieces, form.text[reached:end]])


def _least_sure(forms: Iterable[_Form], start: int, end: int) -> Confidence:
    sure: Confidence = "certain"
    for form in forms:
        for change in form.changes:
            if start <= change.start and change.end <= end:
                sure = less_sure(sure, change.sure)
    return sure


def _parts(
    text: str, forms: Mapping[str, _Form], can_hold: Callable[[int, int], bool], syntax: str
) -> list[tuple[int, int]]:
    """The spans in which the forms differ: whole words, with adjacent words joined."""
    protected = protected_spans(text)
    fixed = {at for start, end in protected for at in range(start, end)}
    spans = sorted({(each.start, each.end) for form in forms.values() for each in form.changes})
    quotations = icu_quotations(text) if syntax == "icu" else []
    parts: list[tuple[int, int]] = []
    for span in spans:
        start, end = _whole_word(text, *span, fixed)
        if syntax == "icu":
            start, end = _around_quotations(text, start, end, quotations)
        if parts and _is_joined(text, parts[-1][1], start, fixed):
            joined = min(parts[-1][0], start), max(parts[-1][1], end)
            if parts[-1][1] > start or can_hold(*joined):
                parts.pop()
                start, end = joined
        parts.append((start, end))
    if not all(
        _is_balanced(text, start, end, protected) and can_hold(start, end) for start, end in parts
    ):
        return [(0, len(text))]
    return parts


def _is_joined(text: str, end: int, start: int, fixed: set[int]) -> bool:
    """Whether only white space, if anything, is between two parts."""
    between = text[end:start]
    return end >= start or (between.isspace() and not fixed.intersection(range(end, start)))


def _whole_word(text: str, start: int, end: int, fixed: set[int]) -> tuple[int, int]:
    while start > 0 and start - 1 not in fixed and _BEFORE_PART.match(text, start - 1):
        start -= 1
    while end < len(text) and end not in fixed and _PART_OF_WORD.match(text, end):
        end += 1
    return start, end


def icu_quotations(text: str) -> list[tuple[int, int]]:
    """Where ICU reads braces as text: '{…}'; a doubled apostrophe quotes nothing."""
    found, at = [], 0
    while (at := text.find("'", at)) >= 0:
        end = None if text.startswith("''", at) else quoted_end(text, at)
        if end is not None:
            found.append((at, end))
        at = end or at + 1 + text.startswith("''", at)
    return found


def _around_quotations(
    text: str, start: int, end: int, quotations: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The part with whole quotations, and with an apostrophe that would quote its first brace."""
    for first, last in quotations:
        if first < end and start < last:
            start, end = min(first, start), max(last, end)
    before = text[:start]
    odd = (len(before) - len(before.rstrip("'"))) % 2
    if odd and not any(last == start for _, last in quotations):
        start -= 1
    return start, end


def _is_balanced(text: str, start: int, end: int, protected: Sequence[tuple[int, int]]) -> bool:
    """Whether each tag that is opened in a part is closed in it."""
    opened: list[str] = []
    marks: Counter[str] = Counter()
    for first, last in protected:
        if not (start <= first and last <= end):
            continue
        tag = TAG.fullmatch(text[first:last])
        if tag is None:
            marks[text[first:last]] += text[first] in "*_~["
        elif tag[1]:
            if not opened or opened.pop() != tag[2].lower():
                return False
        elif not tag[4] and tag[2].lower() not in {"br", "hr", "img"}:
            opened.append(tag[2].lower())
    return not opened and all(count % 2 == 0 for count in marks.values())


# --- how a selector is written ----------------------------------------------------------------


def _selector(argument: str, branches: Mapping[str, str], syntax: str) -> str:
    return "".join(_fluent(argument, branches) if syntax == "fluent" else _icu(argument, branches))


def _icu(argument: str, branches: Mapping[str, str]) -> Iterator[str]:
    yield f"{{{argument}, select,"
    for key, text in branches.items():
        # An apostrophe before a brace would quote it, unless it ends a quotation.
        reached = max((end for _, end in icu_quotations(text)), default=0)
        odd = len(text[reached:]) - len(text[reached:].rstrip("'"))
        yield f" {key} {{{text}{chr(39) * (odd % 2)}}}"
    yield "}"


def _fluent(argument: str, branches: Mapping[str, str]) -> Iterator[str]:
    yield f"{{ ${argument} ->\n"
    for key, text in branches.items():
        yield f"{'   *' if key == 'other' else '    '}[{key}] {text}\n"
    yield "}"
