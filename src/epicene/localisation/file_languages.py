"""The language of a file: as the file itself says, as its path says, and as the rewriters name
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.core import registry

if TYPE_CHECKING:
    from pathlib import Path

_CODE = regex.compile(r"(?P<base>[a-z]{2,3})(?:[-_][a-z0-9]{2,8})*", regex.IGNORECASE)
# values-fr, values-b+fr+CA, values-fr-rCA; also with other qualifiers: values-fr-night
_ANDROID_FOLDER = regex.compile(r"values-(?:b\+)?(?P<base>[a-z]{2,3})(?:[-+].*)?", regex.IGNORECASE)
# Codes of ISO 639-1, without `in`, which names folders of input, and longer ones in common use.
_CODES = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik io is it iu iw ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li
    ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa
    pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg
    th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    ast ceb ckb dsb fil gsw haw hsb kab kok yue
    """.split()
)


def base_language(code: str) -> str:
    """A language code without its region or script, in small letters: fr for fr-CA and fr_CA."""
    found = _CODE.fullmatch(code.strip())
    return found["base"].lower() if found else ""


def language_of_path(path: Path) -> str:
    """The language that a path names, "" if it names none.

    It is a part of the file's name (fr.json, app_fr.arb, messages.fr.xlf) or the name of its folder
    (values-fr, fr.lproj, locales/fr), and a language that Epicene knows, so that `it` in a folder
    of tests or a file `ui.json` is not mistaken for a language.
    """
    for candidate in _candidates(path):
        if candidate in registry.names("languages"):
            return candidate
    return ""


def foreign_language_of_path(path: Path) -> str:
    """The language that a path names, even if Epicene does not know it: nl for locales/nl.

    Such a code may be something else, so it is only used to leave out a file and to say so.
    """
    return next((each for each in _candidates(path) if each in _CODES), "")


def _candidates(path: Path) -> list[str]:
    stem = path.name.partition(".")[0]
    inner = path.name.split(".")[1:-1]  # messages.fr.xlf
    names = [*reversed(inner), stem]
    # app_fr, app_pt_BR, app-fr: what follows the first separator, or the last.
    for separator in "_-":
        names += [stem.partition(separator)[2], stem.rpartition(separator)[2]]
    folders = path.absolute().parts[-2:-4:-1]
    for folder in folders:
        android = _ANDROID_FOLDER.fullmatch(folder)
        names.append(android["base"] if android else folder.removesuffix(".lproj"))
    return [base_language(name) for name in names]
