"""Two proposers, three sorters and five people who build a small list of words, by the book.

Run as a program, it does one `epicene` command with these models.
"""

from __future__ import annotations

import json
import re
import sys

from epicene.core import registry
from epicene.core.records import Generate, Request, Text, Texts
from epicene.models import Model, ModelOptions
from epicene.studies.design.schema import AnswerValue, StudyItem
from scripted_models import Noting

PROPOSERS = ("scripted-one", "scripted-two")
SORTERS = ("scripted-first", "scripted-second", "scripted-third")


def entry(word: str, code: str, *genders: str, partner: str = "", form_of: str = "") -> str:
    """A line of a dictionary as kaikki.org has them."""
    sense: dict[str, object] = {"glosses": ["…"], "tags": list(genders)}
    if form_of:
        sense |= {"tags": [*genders, "form-of"], "form_of": [{"word": form_of}]}
    other = "feminine" if genders[0] == "masculine" else "masculine"
    forms = [{"form": f"{word}s", "tags": ["plural"]}]
    forms += [{"form": partner, "tags": [other]}] if partner else []
    line = {"word": word, "lang_code": code, "pos": "noun", "senses": [sense], "forms": forms}
    return json.dumps(line, ensure_ascii=False)


M, F, N = "masculine", "feminine", "neuter"
DICTIONARY = "\n".join(
    [
        entry("sentinelle", "fr", F),
        entry("vigie", "fr", F),
        entry("garde", "fr", F, M),
        entry("boxeuse", "fr", F, form_of="boxeur"),
        entry("coiffeuse", "fr", F),
        entry("coiffeur", "fr", M, partner="coiffeuse"),
        entry("couture", "fr", F),
        entry("charme", "fr", M),
        entry("courage", "fr", M),
        entry("chaise", "fr", F),
        entry("cravate", "fr", F),
        '{"word": "charmer", "lang_code": "fr", "pos": "verb"}',
        '{"word": "charm", "lang_code": "en", "pos": "noun"}',
        entry("Wache", "de", F),
        entry("Klatsch", "de", M),
        entry("Luder", "de", N),
        entry("Mut", "de", M),
        entry("Anmut", "de", F),
        entry("Lehrer", "de", M, partner="Lehrerin"),
    ]
)

# What the two proposers know: by prompt, words with their glosses and, in German, genitives.
KNOWN: dict[str, dict[str, list[tuple[str, ...]]]] = {
    "fr-feminine-male": {
        "scripted-one": [
            ("la sentinelle", "a sentry", "哨兵"),
            ("une garde", "a guard", "警卫"),
            ("boxeuse", "a boxer", "拳击手"),
            ("l'homme de main", "a henchman", "打手"),
        ],
        "scripted-two": [
            ("sentinelle", "a sentinel", "哨兵"),
            ("vigie", "a lookout", "瞭望员"),
            ("vigilance-mot", "a word", "词"),
            ("cravate", "a tie", ""),
        ],
    },
    "fr-feminine-female": {
        "scripted-one": [("couture", "sewing", "缝纫"), ("chaise", "a chair", "椅子")],
        "scripted-two": [("coiffeuse", "a hairdresser", "理发师"), ("couture", "sewing", "裁缝")],
    },
    "fr-masculine-female": {
        "scripted-one": [("charme", "charm", "魅力")],
        "scripted-two": [("le charme", "charm", "魅力"), ("cravate", "a tie", "领带")],
    },
    "fr-masculine-male": {
        "scripted-one": [("courage", "courage", "勇气")],
        "scripted-two": [("courage", "Courage", "勇气")],
    },
    "de-feminine-male": {
        "scripted-one": [("die Wache", "a sentry", "哨兵", "der Wache")],
        "scripted-two": [("Wache", "a sentry", "哨兵", "der Wache")],
    },
    "de-feminine-female": {
        "scripted-one": [("Anmut", "grace", "优雅", "der Anmuten")],
        "scripted-two": [],
    },
    "de-masculine-female": {
        "scripted-one": [("Klatsch", "gossip", "闲话", "des Klatsches")],
        "scripted-two": [
            ("Luder", "a minx", "轻佻女子", "des Luders"),
            ("Lehrer", "a teacher", "教师", "des Lehrers"),
        ],
    },
    "de-masculine-male": {
        "scripted-one": [("Mut", "courage", "勇气", "des Mutes")],
        "scripted-two": [],
    },
}


def propose(name: str, request: Request) -> Texts:
    """One proposer talks around its lines, the other puts them in a list and breaks one."""
    assert isinstance(request, Generate)
    keys = ("word", "english", "chinese", "genitive")
    words = [dict(zip(keys, row, strict=False)) for row in KNOWN[request.item][name]]
    lines = [json.dumps(word, ensure_ascii=False) for word in words]
    if name == PROPOSERS[0]:
        return said("\n".join(["Sure! Here they are:", "```json", *lines, "```", "Enjoy."]))
    return said(f'[{", ".join(lines)}, {{"word": "half')


CATEGORIES = {
    "a sentry": "occupation",
    "a lookout": "occupation",
    "sewing": "occupation",
    "charm": "personal_traits",
    "courage": "personal_traits",
    "gossip": "personal_traits",
}


def sort(name: str, request: Request) -> Texts:
    """All agree but on gossip, of which each says something else, and on charm, where two do."""
    assert isinstance(request, Generate)
    asked = request.prompt[-1]
    assert not isinstance(asked, str)
    found = re.search(r"“(.+)”", asked.content)
    assert found
    place = SORTERS.index(name)
    if found[1] == "gossip":
        return said(("occupation", "relationship descriptors", "Social status.")[place])
    if found[1] == "charm" and place == 1:
        return said("power_dynamic or social_status")
    return said(f"**{CATEGORIES[found[1].lower()]}**")


def said(text: str) -> Texts:
    return Texts(texts=(Text(text=text),))


# --- people ----------------------------------------------------------------------------------

# What the five say of each meaning, one letter each.
VOTES = {
    "a sentry": "mmmmm",
    "a lookout": "mmmnn",
    "sewing": "fffff",
    "charm": "nfffn",
    "courage": "mnmmf",
    "gossip": "ffffm",
    "a chair": "nnnnm",
    "a tie": "mmffn",
}
PEOPLE = ("ann", "bob", "cleo", "dora", "eve")
_LABELS = {"m": "male", "f": "female", "n": "neither"}


def suggests(place: int, item: StudyItem) -> dict[str, AnswerValue]:
    """What one of the five answers."""
    return {"suggests": _LABELS[VOTES[item.fields["meaning"].lower()][place]]}


# --- as a program ----------------------------------------------------------------------------


def register() -> None:
    """Make the models known in this process."""
    for names, answer in ((PROPOSERS, propose), (SORTERS, sort)):
        for name in names:

            def open_model(
                _name: str, _options: ModelOptions, name: str = name, answer: object = answer
            ) -> Model:
                assert callable(answer)
                return Noting(name, "generate", lambda request: answer(name, request), version=name)

            registry.add("models", name, open_model)


if __name__ == "__main__":
    from epicene.app.commands import run_command, run_with_exit_code

    register()
    sys.exit(run_with_exit_code(lambda: run_command(sys.argv[1:])))
