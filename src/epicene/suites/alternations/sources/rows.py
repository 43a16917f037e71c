"""Pairs as rows of a table: the user's own columns, and those of published sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.suites.alternations.items import VALENCY_CLASSES, VARIANTS, Pair
from epicene.suites.alternations.sources.files import LocatedPair, short_code

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.data_files import FileRow
    from epicene.suites.alternations.sources.files import PairFile

# The names of each field in a user's file and in BLiMP's; the first that a row has is taken.
FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "good": ("good", "sentence_good"),
    "bad": ("bad", "sentence_bad"),
    "phenomenon": ("phenomenon", "UID", "variant", "phenomena_type", "linguistics_term"),
    "id": ("id", "pair_id", "pairID"),
    "language": ("language", "lang"),
    "prefix": ("prefix",),
    "gold": ("gold",),
    "after": ("after",),
    "transliteration": ("transliteration",),
    "gloss": ("gloss",),
    "group": ("group",),
}

# What the paper and its files call the four variants and the valencies, in small letters.
_VARIANT_NAMES = {
    **{name.lower(): name for name in VARIANTS},
    **dict(zip(("dv", "sv", "no_er", "no_inst"), VARIANTS, strict=True)),
    **dict(
        zip(("different verb", "same verb", "no case (e)", "no case (i)"), VARIANTS, strict=True)
    ),
}
_VALENCY_NAMES = {
    **{name: name for name in VALENCY_CLASSES},
    **dict(zip(("intran", "tran", "ditran"), VALENCY_CLASSES, strict=True)),
}

# The columns of a frame of judgements; a file's column of that name is renamed.
RESERVED_COLUMNS = frozenset(
    {
        "run", "model", "protocol", "item", "group", "language", "name", "outcome", "label",
        "value", "phenomenon", "format", "measure", "method", "main", "ranking", "credit",
        "is_verb", "agrees", "gold_first", "gold_among",
    }
)  # fmt: skip


class RowLayout(NamedTuple):
    """The columns of a set: those that identify it, and our names for them."""

    name: str
    known_by: tuple[str, ...]  # a row that has all of these is in this layout
    fields: Mapping[str, tuple[str, ...]]
    language: str = ""  # if the set has one only
    left_out: frozenset[str] = frozenset()  # columns that are no breakdown
    grouped: bool = False  # pairs with one acceptable sentence count as one

    @property
    def looks_like(self) -> str:
        """The columns, in words."""
        return f"the columns {', '.join(self.known_by[:-1])} and {self.known_by[-1]}"


OWN = RowLayout("pairs", ("good", "bad"), FIELD_NAMES)

ROW_LAYOUTS = (
    OWN,
    RowLayout("BLiMP", ("sentence_good", "sentence_bad"), FIELD_NAMES),
    RowLayout(
        "MultiBLiMP",
        ("sen", "wrong_sen"),
        {
            "good": ("sen",),
            "bad": ("wrong_sen",),
            "phenomenon": ("phenomenon",),
            "language": ("lang",),
        },
        # Analyses of single words, and the beginning of the sentence, which is no gap of ours.
        left_out=frozenset(
            {
                "prefix", "metadata", "attractors", "congruent_attractors",
                "incongruent_attractors", "child_features", "head_features", "verb_idx", "cop_idx",
                "child_idx", "head_idx",
            }
        ),
        grouped=True,
    ),
    RowLayout(
        "RuBLiMP",
        ("source_sentence", "target_sentence", "source_word", "target_word"),
        {
            "good": ("source_sentence",),
            "bad": ("target_sentence",),
            "phenomenon": ("phenomenon", "PID"),
            "id": ("id",),
        },
        language="ru",
    ),
    RowLayout(
        "TurBLiMP",
        ("good_sentence", "bad_sentence", "good_cue", "bad_cue", "critical_region"),
        {
            "good": ("good_sentence",),
            "bad": ("bad_sentence",),
            "phenomenon": ("phenomenon",),
        },
        language="tr",
    ),
    RowLayout(
        "JBLiMP",
        ("good_sentence", "bad_sentence", "good_diacritic", "bad_diacritic"),
        {
            "good": ("good_sentence",),
            "bad": ("bad_sentence",),
            "phenomenon": ("phenomenon",),
            "id": ("ID",),
            "gloss": ("good_translation",),
        },
        language="ja",
        left_out=frozenset({"good_sentence_raw", "bad_sentence_raw"}),
    ),
    RowLayout(
        "LM_syneval",
        ("test case", "grammatical", "ungrammatical"),
        {"good": ("grammatical",), "bad": ("ungrammatical",), "phenomenon": ("test case",)},
        language="en",
    ),
)  # fmt: skip


def row_layout(names: Mapping[str, Any]) -> RowLayout | None:
    """The layout of a row with these columns; None if it is in none.

    One column of the user's own layout is enough: an error then names what is missing.
    """
    for layout in ROW_LAYOUTS:
        if all(name in names for name in layout.known_by):
            return layout
    ours = (*FIELD_NAMES["good"], *FIELD_NAMES["bad"])
    return OWN if any(name in names for name in ours) else None


def read_row_pairs(
    file: PairFile, layout: RowLayout, suffix: str | None = None
) -> Iterator[LocatedPair]:
    """The pairs of a file, one by one; `suffix` reads it as if it had another suffix."""
    for number, line in enumerate(read_rows(file.path, file.columns, suffix), start=1):
        yield LocatedPair(line.location, _pair(line, number, file, layout))


def _pair(line: FileRow, number: int, file: PairFile, layout: RowLayout) -> Pair:
    names = {field: _first_present(line.values, names) for field, names in layout.fields.items()}
    if file.variant:
        names["phenomenon"] = ""
    found = {field: str(line.values[name]) for field, name in names.items() if name}
    _check_sentences(line, found, layout)
    if names["phenomenon"] == "variant":
        found["phenomenon"] = _variant(line, found["phenomenon"])
    name = found.pop("id", str(number))
    if layout is not OWN and "language" in found:
        found["language"] = short_code(found["language"])
    made: dict[str, Any] = {
        "group": _group(name, found, file, layout),
        "language": file.language or layout.language,
        "phenomenon": file.variant or file.stem,
        **(_published_gap(found["good"]) if file.variant else {}),
        **found,
    }
    used = {*names.values(), *layout.left_out}
    columns = _other_columns(line.values, used)
    if made["phenomenon"] in VARIANTS and columns.get("valency"):
        columns["valency"] = _valency(line, columns["valency"])
    pair = Pair(id=f"{file.prefix}{name}", columns=columns, **made)
    _check_gap(line, pair)
    return pair


def _variant(line: FileRow, value: str) -> str:
    """The variant as named in the paper's tables; if there is a valency, it must be one of
    these."""
    known = _VARIANT_NAMES.get(value.strip().lower(), "")
    if not known and (line.values.get("valency") or line.values.get("phenomena_type")):
        raise InputError(
            f"{line.location} has the variant {value!r}; it must be {_one_of(VARIANTS)} (or "
            "dv, sv, no_er, no_inst). If it is not a variant of the paper, name the column "
            "`phenomenon`."
        )
    return known or value


def _valency(line: FileRow, value: str) -> str:
    """The class of a verb as Table 5 names it."""
    known = _VALENCY_NAMES.get(value.strip().lower())
    if known is None:
        raise InputError(
            f"{line.location} has the valency {value!r}; it must be {_one_of(VALENCY_CLASSES)} "
            "(or Intran, Tran, Ditran), or empty."
        )
    return known


def _one_of(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _group(name: str, found: Mapping[str, str], file: PairFile, layout: RowLayout) -> str:
    if layout.grouped:
        return digest(found["good"]).hex()[:16]
    return name if file.variant and file.prefix else ""


def _first_present(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first name that a row has a value for, "" if it has none."""
    for name in names:  # called ten times per row of millions, so no generator
        if values.get(name) not in (None, ""):
            return name
    return ""


def _check_sentences(line: FileRow, found: Mapping[str, str], layout: RowLayout) -> None:
    for field, what in (("good", "acceptable"), ("bad", "other")):
        if not found.get(field, "").strip():
            raise InputError(
                f"{line.location} has no {what} sentence; it is expected in "
                f"{' or '.join(layout.fields[field])}, or name the column with --column "
                f"{field}=NAME."
            )


def _check_gap(line: FileRow, pair: Pair) -> None:
    """Raise if the parts around the gap do not make up the acceptable sentence: the gap would not
    be that of the sentence."""
    if pair.prefix and pair.gold and pair.filled(pair.gold) != pair.good:
        raise InputError(
            f"{line.location} has a gap that does not match: prefix, gold and after, joined by "
            f"spaces, give {pair.filled(pair.gold)!r}, which is not its acceptable sentence; "
            "correct them, or leave them out to have no gap."
        )


def _published_gap(sentence: str) -> dict[str, str]:
    """In the published Hindi sentences, the verb is the second-to-last word."""
    parts = sentence.rsplit(" ", 2)
    return dict(zip(("prefix", "gold", "after"), parts, strict=True)) if len(parts) == 3 else {}


def _other_columns(values: Mapping[str, Any], used: set[str]) -> dict[str, str]:
    """The other columns as text, except lists and records, which cannot be used for breakdowns."""
    return {
        f"{name} (of the file)" if name in RESERVED_COLUMNS else name: _as_text(value)
        for name, value in values.items()
        if name not in used and value is not None and not isinstance(value, list | dict)
    }


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
