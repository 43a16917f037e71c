"""The fields of records as tables, and the whole reference page of `study.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.studies.design import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

# The records with the headings of their sections, in the order of the page
SECTIONS: tuple[tuple[type[msgspec.Struct], str], ...] = (
    (schema.Study, "The study"),
    (schema.TextPanel, '`[[show]]` with `show = "text"`'),
    (schema.DiffPanel, '`[[show]]` with `show = "diff"`'),
    (schema.ImagePanel, '`[[show]]` with `show = "image"`'),
    (schema.ChoiceQuestion, '`[[questions]]` with `kind = "choice"`'),
    (schema.TagsQuestion, '`[[questions]]` with `kind = "tags"`'),
    (schema.TextQuestion, '`[[questions]]` with `kind = "text"`'),
    (schema.MarksQuestion, '`[[questions]]` with `kind = "marks"`'),
    (schema.NoteQuestion, '`[[questions]]` with `kind = "note"`'),
    (schema.Option, "Options and labels"),
    (schema.ChoiceScreener, '`[[screening]]` with `kind = "choice"`'),
    (schema.NumberScreener, '`[[screening]]` with `kind = "number"`'),
    (schema.Access, "`[access]`"),
    (schema.ExclusionRule, "`[exclude]`"),
    (schema.StudyItem, "`[[items]]`, `[[practice]]`, `[[checks]]`, `[[fillers]]`"),
    (schema.Span, "Marked words in `expected`"),
)


def reference_texts() -> dict[str, Any]:
    """The introduction of the page, and the meaning of each field by record."""
    return tomllib.loads(Path(__file__).with_name("study_fields.toml").read_text("utf-8"))


def reference_markdown() -> str:
    """The whole page."""
    texts = reference_texts()
    sections = (line for part in SECTIONS for line in record_section(*part, texts))
    return "\n".join((texts["introduction"], *sections))


def record_section(
    record: type[msgspec.Struct], heading: str, texts: dict[str, Any]
) -> Iterator[str]:
    """The table of a record's fields with their meanings in `texts`; those with "" are left out."""
    described = texts[record.__name__]
    yield from (f"## {heading}", "", "| field | type | default | meaning |", "|---|---|---|---|")
    for field in msgspec.structs.fields(record):
        if not described[field.name]:
            continue
        kind = _type_name(msgspec.inspect.type_info(field.type)).replace("|", "\\|")
        yield f"| `{field.name}` | {kind} | {_default(field)} | {described[field.name]} |"
    yield ""


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    default = field.default
    if default is msgspec.NODEFAULT:
        assert callable(field.default_factory)
        default = field.default_factory()
    if default in (None, "", (), {}) or isinstance(default, msgspec.Struct):
        return "–"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _type_name(info: Any) -> str:
    """The type in the words of TOML."""
    inspect = msgspec.inspect
    if isinstance(info, inspect.UnionType):
        kinds = (each for each in info.types if not isinstance(each, inspect.NoneType))
        return " or ".join(dict.fromkeys(map(_type_name, kinds)))
    if isinstance(info, inspect.LiteralType):
        return ", ".join(f"`{value}`" for value in info.values)
    if isinstance(info, (inspect.VarTupleType, inspect.ListType)):
        return f"list of {_type_name(info.item_type)}"
    if isinstance(info, inspect.DictType):
        return f"table of {_type_name(info.value_type)}"
    names: dict[Any, str] = {
        inspect.StrType: "text",
        inspect.BoolType: "true or false",
        inspect.IntType: "whole number",
        inspect.FloatType: "number",
        inspect.DateTimeType: "date or time",
        inspect.StructType: "table",
    }
    return names[type(info)]
