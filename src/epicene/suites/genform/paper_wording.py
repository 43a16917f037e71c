"""The paper's own prompts: read from the user's files, found in the paper's text.

`prompt.json` is the prompt of Appendix F.2, in the layout of `--set prompt=FILE`; `generation.json`
is that of F.1, which `build` sends to the writer. The paper prints both in English.
"""

from __future__ import annotations

from typing import Any

import regex

from epicene.core.errors import InputError
from epicene.suites.genform.prompts import SENTENCE, read_prompt_templates
from epicene.suites.paper_material import MaterialFile, PaperMaterial

PROMPT_FILE = "morphogen/prompt.json"
GENERATION_FILE = "morphogen/generation.json"

# The slots of the prompt that asks for sentences, as the paper prints them.
COUNT, TEMPLATE, CONTEXTS = "<Num_Sentences>", "<Template>", "<Contexts>"

_GENERATION = regex.compile(r"F\.1\s+Sentence Generation(.*?)(?=F\.2\s)", regex.DOTALL)
_ZERO_SHOT = regex.compile(r"F\.2\s+Zero.Shot Prompts(.*)", regex.DOTALL)
_WRITER_SYSTEM = regex.compile(r"system_prompt\s*=\s*[\"“](.*?)[\"”]", regex.DOTALL)
# The numbered instructions end with a list of contexts in square brackets.
_WRITER_USER = regex.compile(r"user_prompt\s*=\s*(.*?<Context_n>\s*\]\s*\.?)", regex.DOTALL)
_LINE = regex.compile(r" (?=Instructions:|\d\. )")
_CONTEXT_LIST = regex.compile(r"<Context_1>.*?<Context_n>", regex.DOTALL)
_SYSTEM = regex.compile(r"[\"“]([^\"“”]{80,})[\"”]")
_SPEAKER = r"For {} speakers:\s*(.+?\.)[ \t]*(?:\n|$)"
_THEN = regex.compile(rf":\s*([^:.]{{3,80}}:\s*{regex.escape(SENTENCE)})")


def read_prompt_file(content: dict[str, Any], source: str) -> dict[str, Any]:
    """The content of the prompt file, once it is known to be one."""
    try:
        read_prompt_templates(content)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    return content


def extract(text: str) -> dict[str, Any]:
    """The content of both files, from the text of the paper."""
    generation, asked = _GENERATION.search(text), _ZERO_SHOT.search(text)
    if generation is None or asked is None:
        raise InputError("It has no Appendices F.1 and F.2 with the prompts.")
    user = _find(_WRITER_USER, generation[1], "user prompt of F.1")
    prompt = {
        "system": _find(_SYSTEM, asked[1], "system prompt of F.2"),
        "user": {
            gender: _find(regex.compile(_SPEAKER.format(who), regex.DOTALL), asked[1], f"{who} one")
            for gender, who in (("masculine", "male"), ("feminine", "female"))
        },
        "then": _find(_THEN, asked[1], f"line with {SENTENCE}"),
    }
    read_prompt_templates(prompt)
    writer = {
        "system": _find(_WRITER_SYSTEM, generation[1], "system prompt of F.1"),
        "user": _LINE.sub("\n", _CONTEXT_LIST.sub(CONTEXTS, user)),
    }
    check_writer(writer, "The prompt of F.1")
    return {PROMPT_FILE: prompt, GENERATION_FILE: writer}


def _find(expression: regex.Pattern[str], text: str, what: str) -> str:
    """What an expression finds, in one line: a PDF breaks lines anywhere."""
    found = expression.search(text)
    if found is None:
        raise InputError(f"The {what} was not found in Appendix F.")
    return " ".join(found[1].split())


def check_writer(content: dict[str, Any], source: str) -> None:
    """Raise if a prompt for the writer lacks a part or a slot."""
    if not all(isinstance(content.get(part), str) for part in ("system", "user")):
        raise InputError(f"{source} needs text in `system` and in `user`.")
    for slot in (COUNT, TEMPLATE, CONTEXTS):
        if slot not in content["user"]:
            raise InputError(f"{source} has no {slot} in `user`.")


MATERIAL = PaperMaterial({"prompt": MaterialFile(PROMPT_FILE, read_prompt_file)}, extract)
