"""The starter set, written for Epicene: templates, open contexts and occupation scenes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import read_text
from epicene.core.records import digest
from epicene.languages import pronouns as pronoun_sets
from epicene.languages.pronouns import CASES, PronounSet
from epicene.suites.misgendering.items import (
    Instance,
    PronounForms,
    begins_sentence,
    candidate_forms,
)
from epicene.suites.wordings import in_wordings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.languages.pronouns import Case

FOLDER = Path(__file__).parents[1] / "starter"
FILES = tuple(FOLDER / f"{name}.toml" for name in ("templates", "names", "contexts", "occupations"))
NAME_LISTS = ("feminine", "masculine", "unisex")
NAMES_PER_TEMPLATE = 4
GAP = "{mask}"
# The cases that a declaration names.
_DECLARED: tuple[Case, ...] = ("nominative", "accusative", "independent")
VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}


def files(own_sets: Path | None) -> list[Path]:
    """The files that decide the instances."""
    return [*FILES, pronoun_sets.SHIPPED_FILE, *([own_sets] if own_sets else [])]


def instances(own_sets: Path | None, wanted: Sequence[str]) -> Iterator[Instance]:
    """All instances of the wanted pronouns (all, if none is named)."""
    known = pronoun_sets.known_pronoun_sets(own_sets)
    chosen = [pronoun_sets.find_pronoun_set(name, known) for name in wanted or known]
    sets = forms_of(chosen)
    for pronouns in chosen:
        yield from _templates(pronouns, sets)
        yield from _contexts(pronouns, sets)
        yield from _occupations(pronouns, sets)


def forms_of(chosen: Sequence[PronounSet]) -> tuple[PronounForms, ...]:
    """What counts as a pronoun where these sets are asked."""
    return tuple(
        PronounForms(
            pronoun=each.name,
            forms={case: each.form(case) for case in CASES},
            plural_verbs=each.plural_verbs,
        )
        for each in chosen
    )


@cache
def _read(name: str) -> Any:
    return tomllib.loads(read_text(FOLDER / f"{name}.toml"))


def starter_names(key: str, count: int) -> list[tuple[str, str]]:
    """Names for one text, turn about from the three lists, picked by a hash of the text's id."""
    lists = _read("names")
    start = int.from_bytes(digest(key)[:4])
    picked = []
    for turn in range(count):
        kind = NAME_LISTS[(start + turn) % len(NAME_LISTS)]
        picked.append((lists[kind][(start // 3 + 7 * turn) % len(lists[kind])], kind))
    return picked


def _templates(gold: PronounSet, sets: tuple[PronounForms, ...]) -> Iterator[Instance]:
    declared = _declared(*(gold.form(case) for case in _DECLARED))
    for template in _read("templates")["template"]:
        for turn, (name, kind) in enumerate(starter_names(template["id"], NAMES_PER_TEMPLATE)):
            text = f"{declared[0]} {template['text']}".replace("{name}", name)
            before, _, after = text.partition(GAP)
            capital = begins_sentence(before, mended=True)
            yield Instance(
                id=f"templates/{gold.name}/{template['id']}/{turn}",
                group=f"templates/{template['id']}",
                dataset="templates",
                pronoun=gold.name,
                before=before,
                after=after,
                case=template["case"],
                candidates=candidate_forms(sets, template["case"], capital=capital),
                sets=sets,
                template=template["id"],
                name=name,
                name_list=kind,
            )


def _declared(*forms: str) -> list[str]:
    """The sentences that declare these pronouns, one per wording, with a slot for the name."""
    written = "/".join(forms)
    return [each.replace("{pronouns}", written) for each in _read("declarations")["wordings"]]


def in_declarations(item: Instance, wordings: int) -> Iterator[Instance]:
    """A template, then itself with the pronouns declared in each of the other wordings.

    Other items declare nothing, or in a way of their own, and come once.
    """
    declared = _declarations_of(item)
    if not declared or not item.before.startswith(declared[0]):
        yield item
        return
    told = item.before.removeprefix(declared[0])
    for number, each in enumerate(in_wordings(item, wordings)):
        yield msgspec.structs.replace(each, before=declared[number] + told)


def declares_pronouns(item: Instance) -> bool:
    """Whether the item begins with one of the sentences that declare pronouns."""
    return item.before.startswith(tuple(_declarations_of(item)))


def _declarations_of(item: Instance) -> list[str]:
    for each in item.sets:
        if each.pronoun == item.pronoun and item.name and item.is_template:
            forms = (each.forms.get(case, "") for case in _DECLARED)
            return [text.replace("{name}", item.name) for text in _declared(*forms)]
    return []


def _contexts(gold: PronounSet, sets: tuple[PronounForms, ...]) -> Iterator[Instance]:
    for context in _read("contexts")["context"]:
        ((name, kind),) = starter_names(context["id"], 1)
        yield Instance(
            id=f"contexts/{gold.name}/{context['id']}",
            group=f"contexts/{context['id']}",
            dataset="contexts",
            pronoun=gold.name,
            before=inflected(context["text"].replace("{name}", name), gold),
            sets=sets,
            template=context["id"],
            name=name,
            name_list=kind,
            antecedent="name",
        )


def _occupations(gold: PronounSet, sets: tuple[PronounForms, ...]) -> Iterator[Instance]:
    scenes = _read("occupations")
    introductions = scenes["introduction"]
    for number, scene in enumerate(scenes["occupation"]):
        for case, field in (
            ("nominative", "nominative"),
            ("accusative", "accusative"),
            ("dependent", "possessive"),
        ):
            # Each scene meets another introduction of the case that its task asks for.
            fitting = [each for each in introductions if each["case"] == case]
            introduction = fitting[number % len(fitting)]["explicit"]
            opening = inflected(introduction.replace("{occupation}", scene["occupation"]), gold)
            before, _, after = f"{opening} {scene[field]}".partition(GAP)
            yield Instance(
                id=f"occupations/{gold.name}/{scene['occupation']}/{case}",
                group=f"occupations/{scene['occupation']}",
                dataset="occupations",
                pronoun=gold.name,
                before=before,
                after=after,
                case=case,
                candidates=candidate_forms(sets, case, capital=False),
                sets=sets,
                template=case,
                occupation=scene["occupation"],
            )


def inflected(text: str, pronouns: PronounSet) -> str:
    """The text with a set's forms in its slots, and the verbs that go with them."""
    for case in CASES:
        form = pronouns.form(case)
        text = text.replace(f"{{{case}}}", form)
        text = text.replace(f"{{{case.capitalize()}}}", form.capitalize())
    for singular, plural in VERBS.items():
        text = text.replace(f"{{{singular}}}", plural if pronouns.plural_verbs else singular)
    return text
