"""What is scored: the requests that the suites ask, in the order of a run."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from epicene.core.records import Record, Score
from epicene.languages import pronouns
from epicene.suites import Answers, DataSource, choose_protocol, find_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Item
    from epicene.suites import Protocol, Suite
    from epicene.suites.misgendering.items import Instance

Kind: TypeAlias = Literal["causal", "masked"]

# A context and a text that is scored after it.
Pair: TypeAlias = tuple[str, str]

FILE = "texts.json"
CANDIDATES = (1, 2, 4, 8, 16)
_CURVED = 250


class Texts(Record, frozen=True, kw_only=True):
    """All texts of the comparison, as requests in the order a run would ask them.

    `curve` holds items of sixteen candidates.
    """

    misgendered: list[Score]
    hindi: list[Score]
    genform: list[Score]
    curve: list[Score]


def gather(published: Path | None) -> Texts:
    """From the published data, or where there is none from the starter sets alone."""
    suite = find_suite("misgendering")
    settings = {"datasets": "misgendered"} if published else {}
    protocol = choose_protocol(suite, "epicene", settings, None)
    source = DataSource(path=published / "misgendering" if published else None)
    items = list(suite.read(source, protocol).items)
    return Texts(
        misgendered=list(_scores(suite, items, protocol, "ask", "probability")),
        hindi=_hindi(),
        genform=_genform(),
        curve=[_widened(item) for item in items if item.is_template][:_CURVED],
    )


def read(path: Path) -> Texts:
    """What `write` wrote."""
    return msgspec.json.decode(path.read_bytes(), type=Texts)


def write(texts: Texts, path: Path) -> None:
    """Keep the texts for a machine that has no data."""
    path.write_bytes(msgspec.json.encode(texts))


def first(requests: Sequence[Score], sequences: int) -> list[Score]:
    """The first requests that together have so many texts, one request at least."""
    taken: list[Score] = []
    for request in requests:
        if taken and sum(len(each.texts) for each in taken) + len(request.texts) > sequences:
            break
        taken.append(request)
    return taken


def with_candidates(requests: Sequence[Score], candidates: int) -> list[Score]:
    """The same items with fewer texts each."""
    return [msgspec.structs.replace(each, texts=each.texts[:candidates]) for each in requests]


def _scores(
    suite: Suite[Any, Any], items: Sequence[Item], protocol: Protocol, stage: str, name: str
) -> Iterator[Score]:
    """The score requests of a stage whose name begins so."""
    (asking,) = (each for each in suite.stages if each.name == stage)
    for item in items:
        for request in asking.ask(item, Answers(), protocol):
            if isinstance(request, Score) and request.name.startswith(name):
                yield request


def _hindi() -> list[Score]:
    """Hindi minimal pairs. Words are the tokenizer's, as with every peer."""
    suite = find_suite("alternations")
    protocol = choose_protocol(suite, "epicene", {"boundaries": "tokenizer"}, None)
    pairs = [pair for pair in suite.read(DataSource(), protocol).items if pair.language == "hi"]
    return list(_scores(suite, pairs, protocol, "acceptability", "acceptability"))


def _genform() -> list[Score]:
    """Both forms of each sentence after the instruction, the languages in turn."""
    suite = find_suite("genform")
    protocol = choose_protocol(suite, "epicene", {"formats": "probability"}, None)
    by_language: dict[str, list[Score]] = {}
    items = list(suite.read(DataSource(), protocol).items)
    for request in _scores(suite, items, protocol, "probability", "probability"):
        by_language.setdefault(request.language, []).append(request)
    turns = zip_longest(*by_language.values())
    return [request for turn in turns for request in turn if request is not None]


def _widened(item: Instance) -> Score:
    """An item with sixteen candidates for its gap: pronouns in all cases."""
    sets = pronouns.shipped_pronoun_sets().values()
    words = list(dict.fromkeys(form for each in sets for form in sorted(each.forms)))
    return Score(
        item=item.id,
        name="curve",
        group=item.cluster,
        language=item.language,
        texts=tuple(f"{item.before}{word}{item.after}" for word in words[: CANDIDATES[-1]]),
    )
