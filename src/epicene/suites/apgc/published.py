"""Published BLEU of one translation service in 2021, before and after post-editing.

The paper prints Tables 5 and 6 for all splits. The post-editing of dev is as the authors of the
rewriter logged it, with all its components.
"""

from __future__ import annotations

from epicene.core.records import Estimate, Row

_SERVICE = "Google Translate 2021"

# Table 5: sentences, BLEU against MM, FM, MF, FF and all of them.
_TABLE_5: dict[str, tuple[float, ...]] = {
    "ALL": (80326, 13.5, 13.1, 11.4, 11.0, 13.6),
    "BB": (36980, 14.0, 14.0, 14.0, 14.0, 14.0),
    "ALL-BB": (43346, 13.1, 12.4, 9.3, 8.6, 13.4),
    "BM BF": (34748, 13.1, 13.1, 8.6, 8.6, 13.3),
    "MB FB": (6126, 12.9, 9.6, 12.9, 9.6, 13.6),
    "MM FM MF FF": (2472, 12.9, 9.5, 9.5, 6.7, 13.5),
}

# Table 6: BLEU as in Table 5 for gendered sentences, by the gender of English nouns.
_TABLE_6: dict[str, tuple[float, ...]] = {
    "ALL": (43346, 13.1, 12.4, 9.3, 8.6, 13.4),
    "B": (39484, 13.1, 12.4, 9.2, 8.5, 13.3),
    "M": (2606, 14.1, 13.0, 9.6, 8.5, 14.2),
    "F": (1256, 10.8, 11.1, 10.0, 10.4, 13.2),
}

# Before and after the rewriting, dev.
_POST_EDITING: dict[str, tuple[float, ...]] = {
    "MM": (13.75, 13.84),
    "FM": (13.30, 13.78),
    "MF": (11.67, 13.41),
    "FF": (11.26, 13.37),
}


def published_table_5() -> tuple[Row, ...]:
    """The paper's rows of Table 5."""
    return _published_rows(_SERVICE, _TABLE_5, missing=2)


def published_table_6() -> tuple[Row, ...]:
    """The paper's rows of Table 6."""
    return _published_rows(_SERVICE, _TABLE_6, missing=2)


def published_post_editing() -> tuple[Row, ...]:
    """The rewriter's rows of post-editing."""
    return _published_rows(f"{_SERVICE}, dev", _POST_EDITING, missing=3)


def _published_rows(
    service: str, printed: dict[str, tuple[float, ...]], missing: int
) -> tuple[Row, ...]:
    """A row for each group, without numbers in the last `missing` columns."""
    none = Estimate(value=None, why="no number was published")
    return tuple(
        Row(
            keys=(service, group),
            cells=(*(Estimate(value=number) for number in numbers), *[none] * missing),
            origin="published",
        )
        for group, numbers in printed.items()
    )
