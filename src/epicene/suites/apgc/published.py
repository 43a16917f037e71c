"""Published numbers: the corpus by label, and BLEU of a translation service before and after
post-editing.

The paper prints Tables 3 to 8 for all splits. The post-editing of dev is as the authors of the
rewriter logged it, with all its components.
"""

from __future__ import annotations

from epicene.core.records import Estimate, Row

# Tables 7 and 8: sentences and words of the original and the balanced corpus, by label. Labels that
# are not printed have none: these add up to the totals. Without N and ! they are Tables 3 and 4.
SENTENCES_BY_LABEL = {
    "BB": (6156, 6156),
    "B!B": (601, 601),
    "BB!": (148, 148),
    "B!B!": (20, 20),
    "BN": (22379, 22379),
    "B!N": (457, 457),
    "NB": (5329, 5329),
    "NB!": (189, 189),
    "NN": (1701, 1701),
    "FB": (254, 657),
    "MB": (403, 657),
    "FB!": (2, 9),
    "MB!": (7, 9),
    "F!B": (0, 15),
    "M!B": (15, 15),
    "FN": (867, 2377),
    "MN": (1510, 2377),
    "F!N": (0, 5),
    "M!N": (5, 5),
    "BF": (2562, 7733),
    "BM": (5171, 7733),
    "B!F": (199, 632),
    "B!M": (433, 632),
    "BF!": (26, 877),
    "BM!": (851, 877),
    "B!F!": (1, 126),
    "B!M!": (125, 126),
    "NF": (2391, 7295),
    "NM": (4904, 7295),
    "NF!": (31, 711),
    "NM!": (680, 711),
    "FF": (64, 531),
    "FM": (110, 531),
    "MF": (115, 531),
    "MM": (242, 531),
    "F!F": (0, 12),
    "F!M": (0, 12),
    "M!F": (2, 12),
    "M!M": (10, 12),
    "FF!": (4, 72),
    "FM!": (25, 72),
    "MF!": (0, 72),
    "MM!": (43, 72),
    "F!F!": (0, 3),
    "F!M!": (0, 3),
    "M!F!": (0, 3),
    "M!M!": (3, 3),
}
WORDS_BY_LABEL = {
    "B": (395658, 538733),
    "1F": (1511, 4868),
    "1M": (2678, 4868),
    "1F!": (0, 55),
    "1M!": (38, 55),
    "2F": (6756, 21406),
    "2M": (14004, 21406),
    "2F!": (88, 2704),
    "2M!": (2521, 2704),
}

# Section 5.1: gendered words of the original corpus whose other gender is a form of the same word,
# and is another word, by an analyser's lemmas.
WORD_CHANGES = (26728, 868)

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
