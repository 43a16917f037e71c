"""Where a text names the person by a pronoun, and which cases each form may stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.pronouns import CASES, Case, PronounSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.languages.rewriting.english.tokens import Token

# What joins two sets that mean one person: he/she, him or her.
_BETWEEN = frozenset({"/", "or", "and/or"})
_BOTH = {"s/he": ("he", "she"), "(s)he": ("he", "she")}
# Said of one person too, although the set has a form of its own for that.
_SECOND_REFLEXIVES = {"themself": "themselves"}


class Mention(NamedTuple):
    """Tokens `first` to `last` name the person: one form, or two sets joined ("he or she")."""

    first: int
    last: int
    cases: tuple[Case, ...]
    sets: tuple[str, ...]
    plural_verbs: bool


class Form(NamedTuple):
    """A lower-case form: whose it is, and its cases."""

    cases: tuple[Case, ...]
    sets: tuple[str, ...]
    plural_verbs: bool


Forms = dict[str, Form]


def forms_of(sets: Iterable[PronounSet]) -> Forms:
    """The forms of some sets; one that two sets share belongs to the first."""
    found: Forms = {}
    names = set()
    for each in sets:
        names.add(each.name)
        for case in CASES:
            form = each.form(case)
            found.setdefault(form, Form(each.cases(form), (each.name,), each.plural_verbs))
        if second := _SECOND_REFLEXIVES.get(each.reflexive):
            found.setdefault(second, Form(("reflexive",), (each.name,), each.plural_verbs))
    for form, both in _BOTH.items():
        if names.intersection(both):
            found[form] = Form(("nominative",), both, plural_verbs=False)
    return found


def mentions(tokens: Sequence[Token], sought: Forms, joined: Mapping[str, Form]) -> list[Mention]:
    """The mentions of the person by a form that is sought, in order.

    `joined` are the forms that may stand beside one of them as the same person: with "he" sought
    and "they" not, "he/they" is one mention.
    """
    found: list[Mention] = []
    done = -1
    for index, token in enumerate(tokens):
        if index <= done or token.lower not in joined:
            continue
        chain = _chain(tokens, index, joined)
        done = chain.last
        if any(tokens[at].lower in sought for at in range(index, done + 1)):
            found.append(chain)
    return found


def _chain(tokens: Sequence[Token], first: int, joined: Mapping[str, Form]) -> Mention:
    """The longest run of forms from `first` on that are one person in one case."""
    form = joined[tokens[first].lower]
    cases, sets, plural_verbs, last = form.cases, form.sets, form.plural_verbs, first
    while last + 2 < len(tokens) and tokens[last + 1].lower in _BETWEEN:
        other = joined.get(tokens[last + 2].lower)
        if other is None or set(other.sets) <= set(sets):
            break
        shared = tuple(case for case in cases if case in other.cases) or _of_halves(cases, other)
        if not shared:
            break
        cases, sets, last = shared, (*sets, *other.sets), last + 2
        plural_verbs &= other.plural_verbs  # "he/they is"
    return Mention(first, last, cases, sets, plural_verbs)


def _of_halves(cases: tuple[Case, ...], other: Form) -> tuple[Case, ...]:
    """ "him/herself" is one reflexive."""
    if other.cases == ("reflexive",) and {"accusative", "dependent"} & set(cases):
        return other.cases
    return ()
