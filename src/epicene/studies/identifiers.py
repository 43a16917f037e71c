"""The ids of items, which stand beside each item in a sheet and must tell a person nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.records import digest
from epicene.studies.files import read_study

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.studies import Study


def item_id(*parts: object) -> str:
    """An id that says nothing of what it is made from, and is always the same for it.

    The letter in front is no digit of the rest: a spreadsheet takes 732334654098 and 12e4 for
    numbers, and feb2026 for a date.
    """
    return f"i{digest(*parts).hex()[:12]}"


def read_definition(path: Path) -> Study:
    """A suite's own study, without items, from its file.

    What the file calls its practice, attention checks and fillers is for who reads the file; in
    the study their ids look like those of items.
    """
    study = read_study(path)
    opaque = {
        part: tuple(
            msgspec.structs.replace(item, id=item_id(study.name, item.id))
            for item in getattr(study, part)
        )
        for part in ("practice", "checks", "fillers")
    }
    return msgspec.structs.replace(study, **opaque)
