"""The outcome of a gate as tables, Markdown for a pull request, JUnit XML and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.control_characters import escape_controls
from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.gate.decision import points
from epicene.show.table_formats import estimate_json, tables_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.gate.decision import HeadlineVerdict
    from epicene.runs.gate.gate import GateCheck, GateResult


def gate_sentence(result: GateResult) -> str:
    """The outcome in one sentence, with the reason."""
    by_reason: dict[str, list[str]] = {}
    for verdict in result.verdicts:
        if verdict.outcome == result.outcome:
            by_reason.setdefault(verdict.why, []).append(f"“{verdict.evidence.headline}”")
    for check in result.checks:
        if check.outcome == result.outcome:
            by_reason.setdefault(check.why, []).append(check.name)
    reasons = [f"{', '.join(names)}: {why}" for why, names in by_reason.items()]
    told = f"{result.outcome.upper()}: {result.new} against {result.baseline} on {result.suite}"
    if result.outcome == "pass":
        return f"{told}: no headline is worse by more than its margin."
    return f"{told}: {'; '.join(reasons)}."


def needed_sentences(result: GateResult) -> Iterator[str]:
    """How much data would settle what is undecided."""
    power = f"{100 * result.policy.power:.0f} %"
    for each in result.verdicts:
        if each.expected is None:
            continue
        name = f"“{each.evidence.headline}”"
        if each.times_needed is None:
            yield (
                f"{name}: the change is so close to the margin that more data would not decide it."
            )
            continue
        assumed = (
            f"the true change is {points(each.expected)}, as measured here"
            if each.expected
            else "the two are truly equal"
        )
        data = (
            f"about {each.times_needed:.1f} times as many judgements"
            if each.groups is None
            else f"about {each.groups_needed:,} groups of items (there are {each.groups:,})"
        )
        yield f"{name}: if {assumed}, {data} would decide it with a probability of {power}."


def gate_tables(result: GateResult) -> tuple[Table, ...]:
    """The headlines, and the limits if any."""
    checks = (_checks_table(result),) if result.checks else ()
    return (_headlines_table(result), *checks)


def _headlines_table(result: GateResult) -> Table:
    paired = any(each.groups is not None for each in result.verdicts)
    needed = any(each.groups_needed is not None for each in result.verdicts)
    return Table(
        name="gate",
        title=f"{result.new} against {result.baseline}",
        levels=("headline",),
        columns=(
            Column(name="outcome", unit="text"),
            Column(name="baseline"),
            Column(name="new"),
            Column(name="change"),
            Column(name="margin"),
            Column(name="rule", unit="text"),
            *((Column(name="groups", unit="count"),) if paired else ()),
            *((Column(name="groups needed", unit="count"),) if needed else ()),
        ),
        rows=tuple(
            Row(
                keys=(each.evidence.headline,),
                cells=(
                    each.outcome,
                    each.evidence.baseline,
                    each.evidence.new,
                    each.change,
                    Estimate(value=each.evidence.margin),
                    each.evidence.rule,
                    *((_count(each.groups, "it is not paired"),) if paired else ()),
                    *((_count(each.groups_needed, each.why),) if needed else ()),
                ),
            )
            for each in result.verdicts
        ),
        notes=tuple(_gate_notes(result)),
    )


def _count(number: int | None, why: str) -> Estimate:
    return Estimate(value=number, why=why if number is None else "")


def _gate_notes(result: GateResult) -> Iterator[str]:
    level = 100 * (1 - result.policy.alpha / 2)
    corrected = {"holm": "Holm", "bonferroni": "Bonferroni", "none": "no correction"}
    kinds = {each.evidence.paired for each in result.verdicts}
    how = {
        frozenset({True}): "paired by item, clustered by group",
        frozenset({False}): "computed from independent runs",
    }.get(frozenset(kinds), "paired by item in rows with a number of groups")
    yield (
        "Change is the new value minus the baseline's, with the sign set so that higher is "
        f"better; {how}. Its lower bound, which decides whether it passes, has a level of "
        f"{level:.4g} % for each headline, as all must pass; its upper bound, which decides "
        f"whether it fails, has a level of {100 * (1 - result.alpha / 2):.6g} % for all of "
        f"them together ({corrected[result.policy.correction]})."
    )
    if result.night is not None:
        yield (
            f"Night {result.night} of {result.policy.nightly.nights}: each night may use "
            f"{100 * result.alpha:.3g} %, so that the chance of a false alarm over all nights "
            f"stays below {100 * result.policy.alpha:.3g} %."
        )


def _checks_table(result: GateResult) -> Table:
    return Table(
        name="checks",
        title="Limits",
        levels=("check",),
        columns=(
            Column(name="outcome", unit="text"),
            Column(name="value"),
            Column(name="limit"),
        ),
        rows=tuple(
            Row(
                keys=(each.name,),
                cells=(each.outcome, Estimate(value=each.value), Estimate(value=each.limit)),
            )
            for each in result.checks
        ),
    )


def gate_markdown(result: GateResult) -> str:
    """Markdown for a comment on a pull request: the outcome first."""
    lines = [f"**{gate_sentence(result)}**", "", tables_markdown(gate_tables(result)).rstrip()]
    more = (*needed_sentences(result), *result.notes)
    if more:
        lines += ["", *(f"- {escape_controls(sentence)}" for sentence in more)]
    return "\n".join(lines) + "\n"


def gate_junit(result: GateResult) -> bytes:
    """JUnit XML: one test case per headline and limit; undecided ones are errors."""
    from xml.etree import ElementTree as ET

    cases: list[HeadlineVerdict | GateCheck] = [*result.verdicts, *result.checks]
    outcomes = [each.outcome for each in cases]
    suites = ET.Element("testsuites", name="epicene gate")
    suite = ET.SubElement(
        suites,
        "testsuite",
        name=f"{result.suite} ({result.protocol})",
        tests=str(len(cases)),
        failures=str(outcomes.count("fail")),
        errors=str(outcomes.count("undecided")),
    )
    for each, (name, text) in zip(cases, map(_case, cases), strict=True):
        case = ET.SubElement(
            suite, "testcase", name=escape_controls(name), classname=f"epicene.{result.suite}"
        )
        if each.outcome == "pass":
            continue
        kind = "failure" if each.outcome == "fail" else "error"
        problem = ET.SubElement(case, kind, message=escape_controls(each.why), type=each.outcome)
        problem.text = escape_controls(text)
    ET.indent(suites)
    made: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _case(each: HeadlineVerdict | GateCheck) -> tuple[str, str]:
    """The name of a test case, and its numbers."""
    from epicene.runs.gate.gate import GateCheck

    if isinstance(each, GateCheck):
        return each.name, f"{each.value:.4f}, limit {each.limit:.4f}"
    change = each.change
    if change.value is None or change.low is None or change.high is None:
        return each.evidence.headline, change.why
    return each.evidence.headline, (
        f"change {change.value:+.4f} [{change.low:+.4f}, {change.high:+.4f}], margin "
        f"{points(each.evidence.margin)}, {each.evidence.rule}"
        + (f", based on only {change.groups:.1f} effective groups" if change.few_groups else "")
    )


def gate_document(result: GateResult) -> dict[str, Any]:
    """The outcome as docs/reference/gate.schema.json describes it."""
    return {
        "outcome": result.outcome,
        "sentence": gate_sentence(result),
        "suite": result.suite,
        "protocol": result.protocol,
        "new": result.new,
        "baseline": result.baseline,
        "alpha": result.policy.alpha,
        "correction": result.policy.correction,
        "night": None
        if result.night is None
        else {
            "number": result.night,
            "nights": result.policy.nightly.nights,
            "alpha": result.alpha,
        },
        "headlines": {each.evidence.headline: _verdict_json(each) for each in result.verdicts},
        "checks": {
            each.name: {
                "outcome": each.outcome,
                "value": each.value,
                "limit": each.limit,
                "why": each.why,
            }
            for each in result.checks
        },
        "notes": [*needed_sentences(result), *result.notes],
    }


def _verdict_json(verdict: HeadlineVerdict) -> dict[str, Any]:
    evidence = verdict.evidence
    return {
        "outcome": verdict.outcome,
        "why": verdict.why,
        "rule": evidence.rule,
        "margin": evidence.margin,
        "baseline": estimate_json(evidence.baseline),
        "new": estimate_json(evidence.new),
        "change": estimate_json(verdict.change),
        "paired": evidence.paired,
        "judgements": evidence.judgements,
        "groups": verdict.groups,
        "groups_needed": verdict.groups_needed,
        "times_needed": verdict.times_needed,
    }
