"""The policy of a gate, a TOML file, and errors that name the key that is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec

from epicene.core.data_files import read_toml_or_json
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Positive, Record
from epicene.stats.paired_spread import ALPHA, POWER

if TYPE_CHECKING:
    from collections.abc import Mapping

Rule: TypeAlias = Literal["non-inferiority", "no-regression"]
Correction: TypeAlias = Literal["holm", "bonferroni", "none"]
Better: TypeAlias = Literal["higher", "lower", "nearer zero"]
Margin: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1e6)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Level: TypeAlias = Annotated[float, msgspec.Meta(gt=0, lt=1)]


class HeadlinePolicy(Record, frozen=True, kw_only=True):
    """What applies to one headline; in a file, keys that are left out are as for all headlines."""

    rule: Rule = "non-inferiority"
    margin: Margin = 0.05  # the largest loss that is accepted
    better: Better | None = None
    gate: bool = True  # False: it does not decide


class NightlyPolicy(Record, frozen=True, kw_only=True):
    """Over how many nights the error rate is kept."""

    nights: Positive = 100


class GatePolicy(Record, frozen=True, kw_only=True):
    """The content of a policy file."""

    rule: Rule = "non-inferiority"
    margin: Margin = 0.05
    alpha: Level = ALPHA  # of the two-sided interval: half of it for a false alarm
    power: Level = POWER  # of the amount of further data that is named
    correction: Correction = "holm"
    min_coverage: Share = 0.95
    max_undetected: Share | None = None
    headlines: dict[str, HeadlinePolicy] = {}
    nightly: NightlyPolicy = NightlyPolicy()

    def for_headline(self, name: str) -> HeadlinePolicy:
        """What applies to a headline."""
        return self.headlines.get(name, HeadlinePolicy(rule=self.rule, margin=self.margin))


def read_policy(policy: Path | Mapping[str, Any] | None) -> GatePolicy:
    """The policy in a TOML or JSON file, or given as a mapping; None is the default policy."""
    if policy is None:
        return GatePolicy()
    if isinstance(policy, Path):
        return _parse(read_toml_or_json(policy), str(policy))
    return _parse(policy, "The policy")


def _parse(content: Mapping[str, Any], location: str) -> GatePolicy:
    known = dict(content)
    tables = {
        name: known.pop(name)
        for name in ("headlines", "nightly")
        if isinstance(known.get(name), dict)
    }
    policy = _convert(known, GatePolicy, location, "")
    for_all = {"rule": policy.rule, "margin": policy.margin}
    headlines = {
        name: _convert(
            {**for_all, **table} if isinstance(table, dict) else table,
            HeadlinePolicy,
            location,
            f'headlines."{name}"',
        )
        for name, table in tables.get("headlines", {}).items()
    }
    nightly = _convert(tables.get("nightly", {}), NightlyPolicy, location, "nightly")
    return msgspec.structs.replace(policy, headlines=headlines, nightly=nightly)


AnyRecord = TypeVar("AnyRecord", bound=Record)

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`")
_PLACE = re.compile(r"(.*) - at `\$\.(.*)`", re.DOTALL)


def _convert(content: object, kind: type[AnyRecord], location: str, table: str) -> AnyRecord:
    """The record; an error names the file, the table and the key."""
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        problem = str(error)
    inside = f", [{table}]" if table else ""
    if field := _UNKNOWN.search(problem):
        problem = unknown_name("key", field[1], kind.__struct_fields__)
    elif place := _PLACE.fullmatch(problem):
        inside, problem = f"{inside}, {place[2]}", _with_choices(place[1], place[2])
    raise InputError(f"{location}{inside}: {as_sentence(problem)}")


def _with_choices(problem: str, key: str) -> str:
    """The problem, with the allowed values of the key."""
    known = {"rule": get_args(Rule), "correction": get_args(Correction), "better": get_args(Better)}
    return f"{problem}; known: {', '.join(map(repr, known[key]))}" if key in known else problem
