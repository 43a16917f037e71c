"""Select the items to export, with their origin and licence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import sha256_of
from epicene.export.folders import code_span
from epicene.export.public_names import public_protocol
from epicene.runs.items import filter_languages, limit_items
from epicene.show.table_formats import escape_markdown
from epicene.suites.data_origin import card_for, data_origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Item
    from epicene.suites import DataSource, Protocol, Stratum, Suite, SuiteCard

# All files that come with Epicene are below this folder.
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Selection:
    """Items of a suite under a protocol. `own` says whether they come with Epicene; `licence` is
    the user's statement about other items.
    """

    suite: Suite[Any, Any]
    protocol: Protocol
    data: str
    files: Sequence[Path]
    items: Sequence[Item]
    own: bool
    licence: str = ""

    @cached_property
    def card(self) -> SuiteCard:
        """What is true of these items: Epicene's, published ones, or the user's own."""
        files = ((path.name, sha256_of(path)) for path in self.files)
        origin = "starter" if self.own else data_origin(self.suite, "", files)
        return card_for(self.suite, origin)

    @property
    def languages(self) -> list[str]:
        """The languages of the items, in the order of the items."""
        return list(dict.fromkeys(item.language for item in self.items if item.language))

    @property
    def warning(self) -> str:
        """What to consider before publishing the folder; "" if nothing."""
        if self.own or self.licence:
            return ""
        said = self.card.data_licence
        said = f"The card of {self.suite.name} says about the published data: {said} " * bool(said)
        return (
            f"These items come from files that are not Epicene's ({self.data}), and this folder "
            f"contains them: share it only if their licence allows it. {said}If the data are "
            "yours, state their licence with --licence."
        )

    def licence_fields(self) -> dict[str, str]:
        """The licence in a card's front matter."""
        if self.own or self.licence:
            return {"license": "apache-2.0" if self.own else self.licence.lower()}
        return {"license": "other", "license_name": "see-the-card", "license_link": "README.md"}

    def provenance_lines(self) -> Iterator[str]:
        """The sections of a card on the licence and on where the items come from."""
        yield from ("## Licence", "")
        if self.own:
            yield "These items were written for Epicene and are under Apache-2.0."
        elif self.licence:
            licence = escape_markdown(self.licence)
            yield f"The exporter states that the licence of these items is {licence}."
        else:
            yield f"**{escape_markdown(self.warning)}**"
        yield from ("", "## Where the items come from", "")
        source = self.card.source or "The items were read from these files."
        data = escape_markdown(self.data)
        yield f"Suite `{self.suite.name}` {self.suite.version}, data {data}. {source}"
        if not self.own and self.card.published_data:
            yield from ("", f"Where to get the published files: {self.card.published_data}")
        yield ""
        for path in self.files:
            yield f"- {code_span(path.name)}, sha256 `{sha256_of(path)}`"
        yield ""


def select(
    suite: Suite[Any, Any],
    protocol: Protocol,
    source: DataSource,
    *,
    languages: tuple[str, ...] = (),
    limit: int | None = None,
    licence: str = "",
) -> Selection:
    """The items that a run with the same settings would use."""
    dataset = suite.read(source, protocol)
    items = filter_languages(dataset.items, languages, dataset.name)

    def stratum(item: Any) -> Stratum:
        """The stratum for `limit`; items that already have their outcome share one."""
        judged = suite.holds_outcome is not None and suite.holds_outcome(item)
        return ("", "") if judged else suite.stratum(item)

    return Selection(
        suite=suite,
        protocol=public_protocol(protocol, [path.name for path in dataset.files]),
        data=dataset.name if source.path is None else source.path.resolve().name,
        files=dataset.files,
        items=list(limit_items(items, stratum, limit, protocol.seed, suite.drawn_by)),
        own=bool(dataset.files)
        and all(path.resolve().is_relative_to(_PACKAGE) for path in dataset.files),
        licence=licence,
    )
