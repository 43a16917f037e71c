"""Rules of `--fail-on`: which findings make an audit fail.

A rule is one or more conditions, joined by "+": `listener=masculine`, `mixed`,
`new+listener=masculine`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from epicene.core.errors import InputError, unknown
from epicene.localisation.audit.findings import (
    PROBLEM_KINDS,
    SHOWN_GENDERS,
    SPELLING_STYLES,
    WHOSE,
    WordGender,
)
from epicene.rewriting import Confidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.localisation.audit.comparison import Status
    from epicene.localisation.audit.findings import Finding

_WORD_GENDERS: tuple[WordGender, ...] = get_args(WordGender)
_CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
_COMPARED = ("new", "changed")
CONDITIONS = (
    "any",
    *_WORD_GENDERS,
    *WHOSE,
    "problem",
    *PROBLEM_KINDS,
    "undecided",
    *_CONFIDENCES,
    *_COMPARED,
)


class Rule(NamedTuple):
    """A rule as written, and its conditions, all of which must hold."""

    text: str
    conditions: tuple[Callable[[Finding, Status], bool], ...]
    needs_baseline: bool

    def matches(self, finding: Finding, status: Status) -> bool:
        """Whether the finding matches the rule; `status` is "new", "changed" or ""."""
        return all(condition(finding, status) for condition in self.conditions)


def parse_rule(text: str) -> Rule:
    """The rule written in a text."""
    terms = [term.strip() for term in text.split("+")]
    conditions = tuple(_condition(term) for term in terms)
    return Rule(text, conditions, needs_baseline=any(term in _COMPARED for term in terms))


def _condition(term: str) -> Callable[[Finding, Status], bool]:
    name, equals, value = term.partition("=")
    if equals:
        return _condition_with_value(name, value)
    if term == "any":
        return lambda finding, _: bool(finding.words)
    if term in _WORD_GENDERS:
        return lambda finding, _: any(word.gender == term for word in finding.words)
    if term in WHOSE:
        return lambda finding, _: term in finding.people
    if term == "problem":
        return lambda finding, _: bool(finding.problems)
    if term in PROBLEM_KINDS:
        return lambda finding, _: any(problem.kind == term for problem in finding.problems)
    if term == "undecided":
        return lambda finding, _: finding.is_undecided
    if term in _CONFIDENCES:
        enough = _CONFIDENCES[: _CONFIDENCES.index(term) + 1]
        return lambda finding, _: finding.sure in enough
    if term in _COMPARED:
        return lambda _, status: status == term
    raise unknown("rule for --fail-on", term, CONDITIONS, every=True)


def _condition_with_value(name: str, value: str) -> Callable[[Finding, Status], bool]:
    if name == "spelling":
        if value not in SPELLING_STYLES:
            raise unknown("spelling for --fail-on", value, SPELLING_STYLES, every=True)
        return lambda finding, _: any(word.spelling == value for word in finding.words)
    if name not in {"user", *WHOSE}:
        names = [f"{each}=…" for each in ("spelling", "user", *WHOSE)]
        raise unknown("rule for --fail-on", f"{name}={value}", names, every=True)
    if value not in SHOWN_GENDERS:
        known = ", ".join(SHOWN_GENDERS)
        raise InputError(f"--fail-on {name}=… must be one of {known}, not {value!r}.")

    def holds(finding: Finding, _: Status) -> bool:
        people = finding.user if name == "user" else (name,)
        if value == "mixed":
            return any(finding.people.get(whose) == "mixed" for whose in people)  # type: ignore[call-overload]
        return any(word.whose in people and word.gender == value for word in finding.words)

    return holds


def check_rules(rules: list[Rule], *, has_baseline: bool) -> None:
    """Raise if a rule needs an earlier audit but there is none."""
    for rule in rules:
        if rule.needs_baseline and not has_baseline:
            raise InputError(
                f"--fail-on {rule.text} needs an earlier audit to compare with; name one with "
                "--baseline."
            )
