"""The paper's own templates and question: read from the user's files, found in the paper's text.

`templates_appendix.json` has the templates of Appendix A.6 by language, then m and f (or any), with
the slot [NOUN]; `question.json` has what section 3.5 asks the judges. No Chinese templates are
printed, so Epicene's are used.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import regex

from epicene.core.errors import InputError
from epicene.suites.gramvis.items import GRAMMARS, LANGUAGES
from epicene.suites.gramvis.prompts import ANY, NOUN, templates_from
from epicene.suites.paper_material import MaterialFile, PaperMaterial

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATES_FILE = "gramvis/templates_appendix.json"
QUESTION_FILE = "gramvis/question.json"

_PER_GENDER = 4  # templates that the paper prints
_CHINESE = "Chinese"
_APPENDIX_LANGUAGES = ("English", _CHINESE, *(name.capitalize() for name in LANGUAGES.values()))
_HEADING = regex.compile(rf"A\.6\.\d\s+({'|'.join(_APPENDIX_LANGUAGES)})")
_FORM = regex.compile(r"(Feminine|Masculine) form")
_QUOTED = r"“([^“”]*{}[^“”]*)”"
_TEMPLATE = regex.compile(_QUOTED.format(regex.escape(NOUN)))
_QUESTION = regex.compile(_QUOTED.format(r"\?\s*male\W+female\W+neither"), regex.IGNORECASE)
_SPLIT_WORD = regex.compile(r"\w+(?:-\s*\w+)+")


def read_templates_file(content: dict[str, Any], source: str) -> dict[str, dict[str, Any]]:
    """The templates of a file for the setting; every language of the paper must be in it."""
    sets = templates_from(content, source).sets
    for language in ("EN", *LANGUAGES):
        genders = GRAMMARS if language in LANGUAGES else (ANY,)
        if not all(sets.get(language, {}).get(gender) for gender in genders):
            raise InputError(f"{source} lacks templates for {language}; extract it again.")
    return {language: genders for language, genders in sets.items() if any(genders.values())}


def read_question_file(content: dict[str, Any], source: str) -> str:
    """The question of a file."""
    question = content.get("question")
    if not isinstance(question, str) or not question.strip():
        raise InputError(f"{source} has no text in `question`.")
    return question


def extract(text: str) -> dict[str, Any]:
    """The content of both files, from the text of the paper."""
    templates = _extract_templates(text)
    questions = {_one_line(found) for found in _QUESTION.findall(text)}
    if len(questions) != 1:
        raise InputError(
            f"It has {len(questions)} questions in quotation marks that end with the three "
            "choices; Section 3.5 has one."
        )
    return {TEMPLATES_FILE: templates, QUESTION_FILE: {"question": questions.pop()}}


def _extract_templates(text: str) -> dict[str, dict[str, list[str]]]:
    templates: dict[str, dict[str, list[str]]] = {
        language: {gender: [] for gender in _genders(language)} for language in _APPENDIX_LANGUAGES
    }
    for language, gender, template in _printed_templates(text):
        if gender not in templates[language]:
            raise InputError(f"A template of {language} is not under a heading for a gender.")
        templates[language][gender].append(template)
    for language, genders in templates.items():
        for gender, found in genders.items():
            allowed = (0, _PER_GENDER) if language == _CHINESE else (_PER_GENDER,)
            if len(found) not in allowed:
                raise InputError(
                    f"Appendix A.6 has {_PER_GENDER} templates for {language} ({gender}), and "
                    f"{len(found)} were found."
                )
    return templates


def _printed_templates(text: str) -> Iterator[tuple[str, str, str]]:
    """Each template of the appendix with the language and gender of its heading."""
    headings = list(_HEADING.finditer(text))
    joined = _joined_words(text)
    for heading, following in zip_longest(headings, headings[1:]):
        part = text[heading.end() : following.start() if following else len(text)]
        language, gender = heading[1], ANY
        for found in regex.finditer(rf"{_FORM.pattern}|{_TEMPLATE.pattern}", part):
            if found[1]:
                gender = found[1][0].lower()
            else:
                template = _SPLIT_WORD.sub(lambda word: joined(word[0]), _one_line(found[2]))
                if template.count(NOUN) != 1:
                    raise InputError(f"A template of {language} has {NOUN} more than once.")
                yield language, gender, template


def _joined_words(text: str) -> Any:
    """A function that joins a word divided at the end of a line, if the text has it undivided."""
    words = set(regex.findall(r"\w+", text))

    def join(word: str) -> str:
        whole = regex.sub(r"-\s*", "", word)
        return whole if whole in words else regex.sub(r"-\s+", "-", word)

    return join


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _genders(language: str) -> tuple[str, ...]:
    return ("m", "f") if language.lower() in LANGUAGES.values() else (ANY,)


MATERIAL = PaperMaterial(
    {
        "templates": MaterialFile(TEMPLATES_FILE, read_templates_file),
        "question": MaterialFile(QUESTION_FILE, read_question_file),
    },
    extract,
)
