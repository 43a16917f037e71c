"""A writer, a translator and people who build a small French set, all by the book.

Run as a program, it does one `epicene` command with the two models known as `scripted-writer`
and `scripted-translator`.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from epicene.core import registry
from epicene.core.records import Generate, Request, Text, Texts, Translate
from epicene.models import Model, ModelOptions
from epicene.studies.design.schema import AnswerValue, StudyItem
from scripted_models import Noting

TEMPLATES = """
[writer]
system = "Write."
user = \"\"\"
[count] sentences.
[template]
[fillings]
About [context].\"\"\"
filling = "Sentence [number]: [words]."

[contexts]
office = "work"
journey = "travelling"

[arguments.occupation]
men = ["baker", "butcher"]
women = ["nurse", "cashier"]

[arguments.moved]
any = ["left", "arrived", "fell", "stayed"]

[arguments.acted]
any = ["sang", "slept", "ate", "read"]

[templates.fr]
"Active" = ["I <moved> …"]
"Gender Neutral Actions" = ["Yesterday I <acted> …"]
"Occupations" = ["I am a <occupation> …"]
"""

MEETING = "before the long Monday meeting", "avant la longue réunion du lundi"
PRINTER = "because the printer was broken again", "parce que l'imprimante était en panne"
HARBOUR = "near the old harbour of Nantes", "près du vieux port de Nantes"

# What the writer adds, by context and number of the sentence, and what that is in French. The last
# sentence of a rule repeats its second but for one word.
TAILS = {
    ("work", 1): MEETING,
    ("work", 2): PRINTER,
    ("travelling", 1): HARBOUR,
    ("travelling", 2): PRINTER,
}

# What fills the templates: as a man and as a woman would say it in French.
FRENCH = {
    "I left": ("Je suis parti", "Je suis partie"),
    "I arrived": ("Je suis arrivé", "Je suis arrivée"),
    "I fell": ("Je suis tombé", "Je suis tombée"),
    "I stayed": ("Je suis resté", "Je suis restée"),
    "Yesterday I sang": ("Hier j'ai chanté", "Hier j'ai chanté"),
    "Yesterday I slept": ("Hier j'ai dormi", "Hier j'ai dormi"),
    "Yesterday I ate": ("Hier j'ai mangé", "Hier j'ai mangé"),
    "Yesterday I read": ("Hier j'ai lu", "Hier j'ai lu"),
    "I am a baker": ("Je suis un boulanger", "Je suis une boulangère"),
    "I am a butcher": ("Je suis un boucher", "Je suis une bouchère"),
    "I am a nurse": ("Je suis un infirmier", "Je suis une infirmière"),
    "I am a cashier": ("Je suis un caissier", "Je suis une caissière"),
}


class Forms(NamedTuple):
    """A sentence in French."""

    masculine: str
    feminine: str


def french(english: str) -> Forms:
    """Both forms of a sentence that the writer wrote."""
    for start, forms in FRENCH.items():
        for tail, translated in TAILS.values():
            if english == f"{start} {tail}.":
                return Forms(*(f"{form} {translated}." for form in forms))
    raise AssertionError(english)


# --- models ----------------------------------------------------------------------------------


def write(request: Request) -> Texts:
    """The sentences that the prompt asks for, as chat models answer: a remark before, numbers,
    one sentence too many, and at the end one that does not keep to the template."""
    assert isinstance(request, Generate)
    asked = request.prompt[-1]
    assert not isinstance(asked, str)
    _, template, *fillings, last = asked.content.split("\n")
    context = last.removeprefix("About ").removesuffix(".")
    lines = ["Sure! Here you go:"]
    for filling in fillings:
        found = re.fullmatch(r"Sentence (\d): <(\w+)> is (.*)\.", filling)
        assert found, filling
        start = template.removesuffix(" …").replace(f"<{found[2]}>", found[3])
        lines.append(f"{found[1]}. {start} {TAILS[context, int(found[1])][0]}.")
    lines += [lines[1].removeprefix("1. "), "Nobody knows me."]
    return Texts(texts=(Text(text="\n".join(lines)),))


def translate(request: Request) -> Texts:
    """The masculine form, with a mistake in every sentence about the printer."""
    assert isinstance(request, Translate)
    assert (request.language, request.into) == ("en", "fr")
    return Texts(texts=(Text(text=mistaken(french(request.text).masculine)),))


def mistaken(text: str) -> str:
    """What the translator makes of a sentence about the printer."""
    return text.replace("l'imprimante était", "l'imprimeur étaient")


def open_writer(_name: str, _options: ModelOptions) -> Model:
    """The entry point of `scripted-writer`."""
    return Noting("write", "generate", write)


def open_translator(_name: str, _options: ModelOptions) -> Model:
    """The entry point of `scripted-translator`."""
    return Noting("translate", "translate", translate)


def register() -> None:
    """Make both models known in this process."""
    registry.add("models", "scripted-writer", open_writer)
    registry.add("models", "scripted-translator", open_translator)


# --- people ----------------------------------------------------------------------------------


def is_about(item: StudyItem, start: str, tail: tuple[str, str]) -> bool:
    """Whether the sentence begins so (the rule) and ends so."""
    english = item.fields["english"]
    active = english.startswith("I ") and not english.startswith("I am")
    return (active if start == "I moved" else english.startswith(start)) and tail[0] in english


def careful_reviewer(item: StudyItem) -> dict[str, AnswerValue]:
    """Mends what is wrong, and leaves one sentence out."""
    wanted = french(item.fields["english"]).masculine
    if is_about(item, "Yesterday", HARBOUR):
        return {"verdict": "drop"}
    if item.fields["translation"] == wanted:
        return {"verdict": "good"}
    return {"verdict": "mend", "text": wanted}


def hasty_reviewer(item: StudyItem) -> dict[str, AnswerValue]:
    """Overlooks a mistake, mends what is right, and leaves out what is good."""
    translation = item.fields["translation"]
    if is_about(item, "I am a", PRINTER):
        return {"verdict": "good"}
    if is_about(item, "I moved", HARBOUR):
        return {"verdict": "mend", "text": translation.replace("vieux port", "port vieux")}
    if is_about(item, "I moved", MEETING):
        return {"verdict": "drop"}
    return careful_reviewer(item)


def third_reviewer(item: StudyItem) -> dict[str, AnswerValue]:
    """Writes one translation anew, else takes the careful one's."""
    wanted = french(item.fields["english"]).masculine
    if is_about(item, "I moved", HARBOUR):
        return {"choice": "other", "text": f" {pretty(wanted)}\n"}
    (right,) = (name for name in ("first", "second") if item.fields[name] == wanted)
    return {"choice": right}


def pretty(text: str) -> str:
    """What the third reviewer makes of the harbour."""
    return text.replace("vieux port", "joli vieux port")


def gold(english: str) -> Forms:
    """Both forms as all of them together should find them."""
    forms = french(english)
    is_active = english.startswith("I ") and not english.startswith("I am")
    return Forms(*map(pretty, forms)) if is_active and HARBOUR[0] in english else forms


def careful_writer(item: StudyItem) -> dict[str, AnswerValue]:
    """Both forms as they should be."""
    forms = gold(item.fields["english"])
    if forms.masculine == forms.feminine:
        return {"speaker": "nothing"}
    return {"speaker": "shows", **forms._asdict()}


def hasty_writer(item: StudyItem) -> dict[str, AnswerValue]:
    """Sees nothing of the speaker in one sentence, and forgets an article in another."""
    if is_about(item, "I moved", PRINTER):
        return {"speaker": "nothing"}
    if is_about(item, "I am a", MEETING):
        forms = gold(item.fields["english"])
        feminine = forms.feminine.replace("une", "un", 1)
        return {"speaker": "shows", "masculine": forms.masculine, "feminine": feminine}
    return careful_writer(item)


def third_writer(item: StudyItem) -> dict[str, AnswerValue]:
    """Writes both forms of one sentence anew, else takes the careful one's."""
    forms = gold(item.fields["english"])
    if is_about(item, "I am a", MEETING):
        return {"choice": "other", **forms._asdict()}
    (right,) = (
        name for name in ("first", "second") if item.fields[f"{name}_feminine"] == forms.feminine
    )
    return {"choice": right}


if __name__ == "__main__":
    from epicene.app.commands import run_command, run_with_exit_code

    register()
    sys.exit(run_with_exit_code(lambda: run_command(sys.argv[1:])))
