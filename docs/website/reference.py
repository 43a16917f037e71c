"""The reference, generated from the code: commands, Python, suites, TOML files, JSON schemas."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import epicene
from epicene.app.commands import command_line
from epicene.runs.sweep_plan import (
    ModelEntry,
    SkipRule,
    SuiteEntry,
    SweepPlan,
    example_plan,
)
from website.record_reference import record_section

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
SUITES = ("misgendering", "genform", "apgc", "translation", "alternations", "gramvis")

# The pages about Python: the title, an introduction, and the modules whose public names it has.
PYTHON = {
    "runs": (
        "Runs and results",
        "Run a suite, open stored runs, and get tables, figures and comparisons.",
        "run results score compare report plan sweep check demo suites",
    ),
    "models": (
        "Models",
        "Open a model, use one that you have in memory, or write your own.",
        "models opening open_model train functions",
    ),
    "own_suites": (
        "Your own suite",
        "What a suite in one file consists of: see [the guide](../../guides/own_suite.md).",
        "definition definition_items records",
    ),
    "data": ("Data and exports", "Read, build and export items; export results.", "data export"),
    "studies": (
        "Human studies",
        "Draw a study, collect answers, and tabulate them.",
        "app studies study_results",
    ),
    "text": (
        "Text and translations",
        "Rewrite text and translation files, add selectors, and audit translations.",
        "rewrite rewrite_files select select_files selector_checks audit texts",
    ),
    "errors": ("Errors", "What Epicene raises and warns with.", "errors"),
}


def write_reference(staged: Path) -> None:
    """Write all generated pages of the reference."""
    pages = {
        "reference/cli.md": cli_markdown(),
        "reference/plan_toml.md": plan_markdown(),
        "reference/suites.md": suites_markdown(),
        **dict(_python_pages()),
    }
    for schema in sorted(staged.glob("reference/*.schema.json")):
        pages[f"reference/{schema.name.split('.')[0]}_json.md"] = schema_markdown(schema)
    for place, text in pages.items():
        (staged / place).parent.mkdir(parents=True, exist_ok=True)
        (staged / place).write_text(text, "utf-8")


# --- the command line --------------------------------------------------------------------------


def cli_markdown() -> str:
    """Every command with its arguments and options."""
    return command_line().generate_docs(output_format="markdown") + "\n"


def _text(text: str) -> str:
    """Help text as Markdown in one line; what is no code must not be read as mark-up."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    parts[::2] = [re.sub(r"([\\<*_\[\]])", r"\\\1", prose) for prose in parts[::2]]
    return _cell("".join(parts))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# --- Python ------------------------------------------------------------------------------------


def _python_pages() -> Iterator[tuple[str, str]]:
    """A page per group of modules; every public name is on one."""
    names: dict[str, list[str]] = {}
    for name, home in epicene._HOMES.items():
        inner = [f".{each}" for each in epicene.annotate.__all__] if name == "annotate" else [""]
        paths = names.setdefault(home.rpartition(".")[2], [])
        paths += [f"{home}.{name}{each}" for each in inner]
    for page, (title, introduction, modules) in PYTHON.items():
        lines = [f"# {title}", "", introduction, ""]
        for module in modules.split():
            for path in sorted(names.pop(module, ()), key=lambda path: path.rpartition(".")[2]):
                lines += [f"::: {path}", ""]
        yield f"reference/python/{page}.md", "\n".join(lines)
    if names:
        raise SystemExit(f"PYTHON in {__file__} lacks {', '.join(names)}.")


# --- suites ------------------------------------------------------------------------------------


def suites_markdown() -> str:
    """What `epicene suites SUITE` says of settings, data and tables."""
    lines = ["# Settings, data and tables of the suites", ""]
    lines += ["As `epicene suites SUITE` prints them; each suite's page explains its numbers.", ""]
    for name in SUITES:
        about = epicene.suites(name)
        lines += [f"## {name}", "", _text(about["about"]), ""]
        lines += [f"- **{each}**: {_text(text)}" for each, text in about["protocols"].items()]
        lines += ["", "| setting | values | default | meaning |", "|---|---|---|---|"]
        for setting, field in about["settings"].items():
            cells = (field["type"], _defaults(field["default"]), field["about"])
            lines.append(f"| `{setting}` | {' | '.join(map(_text, cells))} |")
        for layout in about["layouts"]:
            lines += ["", f"**{_text(layout['name'])}**: {_text(layout['about'])}", ""]
            for column, text in layout["columns"].items():
                needed = " (required)" if column in layout["required"] else ""
                lines.append(f"- `{column}`{needed}: {_text(text)}")
        lines += ["", f"Tables: {', '.join(about['tables'])}.", ""]
        if about["figures"]:
            lines += [f"Figures: {', '.join(about['figures'])}.", ""]
    return "\n".join(lines)


def _defaults(by_protocol: dict[str, object]) -> str:
    """The default value, or one per protocol where they differ."""
    shown = {name: _value(value) for name, value in by_protocol.items()}
    if len(set(shown.values())) == 1:
        return next(iter(shown.values()))
    return ", ".join(f"{value} ({name})" for name, value in shown.items())


def _value(value: object) -> str:
    if value in (None, "", (), []):
        return "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- TOML files --------------------------------------------------------------------------------


def _meanings() -> dict[str, Any]:
    return tomllib.loads((HERE / "toml_fields.toml").read_text("utf-8"))


def plan_markdown() -> str:
    """The reference of the plan of a sweep."""
    meanings = _meanings()
    meanings["ModelEntry"] |= meanings["ModelOptions"]
    sections = (
        (SweepPlan, "The plan"),
        (ModelEntry, "`[[models]]`"),
        (SuiteEntry, "`[[suites]]`"),
        (SkipRule, "`[[skip]]`"),
    )
    lines = [line for part in sections for line in record_section(part[0], part[1], meanings)]
    example = ["## Example", "", "```toml", example_plan().rstrip(), "```", ""]
    return "\n".join([meanings["plan"], *lines, *example])


# --- JSON schemas ------------------------------------------------------------------------------


def schema_markdown(path: Path) -> str:
    """A JSON schema as tables, one for each object."""
    schema = json.loads(path.read_text("utf-8"))
    lines = [f"# {schema['title']}", "", f"The schema itself: [`{path.name}`]({path.name})", ""]
    if "description" in schema:
        lines += [_text(schema["description"]), ""]
    lines += _object(schema, "The document")
    for name, each in schema.get("$defs", {}).items():
        lines += _object(each, name)
    return "\n".join(lines)


def _object(schema: dict[str, Any], heading: str) -> list[str]:
    """The heading, and the table of an object's fields, those of objects inside it included."""
    lines = [f"## {heading}", ""]
    if heading != "The document" and "description" in schema:
        lines += [_text(schema["description"]), ""]
    rows = list(_fields(schema, ""))
    if not rows:
        return [*lines, f"{_kind(schema)}", ""]
    return [*lines, "| field | type | required | meaning |", "|---|---|---|---|", *rows, ""]


def _fields(schema: dict[str, Any], prefix: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        needed = "yes" if name in required else "no"
        meaning = _text(each.get("description", ""))
        yield f"| `{prefix}{name}` | {_kind(each)} | {needed} | {meaning} |"
        yield from _inside(each, f"{prefix}{name}")
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        meaning = _text(more.get("description", "any name"))
        yield f"| `{prefix}*` | {_kind(more)} | no | {meaning} |"
        yield from _inside(more, f"{prefix}*")


def _inside(schema: dict[str, Any], name: str) -> Iterator[str]:
    for each in (schema, *schema.get("oneOf", ()), *schema.get("anyOf", ())):
        yield from _fields(each, f"{name}.")
        if isinstance(each.get("items"), dict):
            yield from _inside(each["items"], f"{name}[]")


def _kind(schema: dict[str, Any]) -> str:
    """The type of a value in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(map(_kind, schema[choice])))
    kinds = schema.get("type", "any")
    if kinds == "array" and isinstance(schema.get("items"), dict):
        return f"list of {_kind(schema['items'])}"
    return kinds if isinstance(kinds, str) else " or ".join(kinds)
