"""Who "I" and "you" are: the notation, and what overrides what."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.localisation.people import People, PeopleRules, parse_people, read_people_rules
from epicene.localisation.strings import LocalisedString


def string(key: str = "a", comment: str = "", people: str = "") -> LocalisedString:
    return LocalisedString(index=0, key=key, text="", line=7, comment=comment, people=people)


@pytest.mark.parametrize(
    ("notation", "people"),
    [
        ("", People()),
        ("I=user, you=other", People(speaker="user", listener="other")),
        ("i = USER;you = f", People(speaker="user", listener="f")),
        ("speaker=m listener=keep", People(speaker="m", listener="keep")),
        ("listener", People(speaker="other", listener="user", others="other")),
        ("I, you", People(speaker="user", listener="user", others="other")),
        ("speaker, you=f", People(speaker="user", listener="f", others="other")),
        ("nobody", People(speaker="keep", listener="keep", others="keep")),
    ],
)
def test_notation(notation: str, people: People) -> None:
    assert parse_people(notation, "here") == people


@pytest.mark.parametrize(
    ("notation", "says"),
    [
        ("lisener", "here: there is no person 'lisener'; did you mean 'listener'?"),
        ("I=reader", "here: there is no gender or role 'reader'"),
        ("I=usr", "here: there is no gender or role 'usr'; did you mean 'user'?"),
        ("you", ""),
    ],
)
def test_wrong_notation(notation: str, says: str) -> None:
    if not says:
        parse_people(notation, "here")
        return
    with pytest.raises(InputError) as error:
        parse_people(notation, "here")
    assert str(error.value).startswith(says)
    assert "?." not in str(error.value)
    assert "?;" not in str(error.value)


@pytest.mark.parametrize(
    ("people", "options", "genders"),
    [
        (People(), {"listener": "f"}, {"listener": "f"}),
        (People(listener="user"), {"user": "f"}, {"listener": "f"}),
        (People(listener="user"), {"listener": "m"}, {"listener": "m"}),
        (People(listener="user"), {"user": "f", "listener": "m"}, {"listener": "f"}),
        (People(speaker="user", listener="other"), {"user": "f"}, {"speaker": "f"}),
        (People(listener="other"), {"user": "f", "listener": "m"}, {"listener": "m"}),
        (People(listener="keep"), {"listener": "f", "speaker": "f"}, {"speaker": "f"}),
        (People(speaker="m"), {}, {"speaker": "m"}),
    ],
)
def test_genders(people: People, options: dict[str, str], genders: dict[str, str]) -> None:
    assert people.genders(options) == genders


RULES = """
default = "listener"
[files]
"*.srt" = "nobody"
"chat/*.json" = "speaker"
[keys]
"account.*" = "I=f"
"account.name" = "I=m"
"""


@pytest.mark.parametrize(
    ("path", "given", "people"),
    [
        ("fr.json", string(), People(speaker="other", listener="user", others="other")),
        ("a/film.srt", string(), People(speaker="keep", listener="keep", others="keep")),
        ("chat/fr.json", string(), People(speaker="user", listener="other", others="other")),
        ("fr.json", string("account.x"), People(speaker="f", listener="user", others="other")),
        ("fr.json", string("account.name"), People(speaker="m", listener="user", others="other")),
        (
            "fr.json",
            string("account.x", comment="A button.\nepicene: you=keep"),
            People(speaker="f", listener="keep", others="other"),
        ),
        (
            "fr.json",
            string(comment="epicene: you=keep", people="you=m"),
            People(speaker="other", listener="m", others="other"),
        ),
    ],
)
def test_the_most_specific_rule_holds(
    path: str, given: LocalisedString, people: People, tmp_path: Path
) -> None:
    rules = tmp_path / "people.toml"
    rules.write_text(RULES)
    assert read_people_rules(rules).of_string(given, Path(path)) == people


def test_by_default_the_user_is_spoken_to() -> None:
    assert PeopleRules().of_string(string(), Path("fr.json")) == People(listener="user")


def test_a_wrong_comment_is_named_by_its_line() -> None:
    with pytest.raises(InputError, match=r"fr\.json, line 7: there is no person 'me'"):
        PeopleRules().of_string(string(comment="epicene: me"), Path("fr.json"))


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("defaults = 'you'", "there is no entry 'defaults'; did you mean 'default'?"),
        ("[keys]\na = 1", "[keys] 'a', is not a text"),
        ("keys = 'a'", "keys is not a table"),
        ("[keys]\na = 'he'", "[keys] 'a': there is no person 'he'"),
        ("[keys", "is not TOML"),
    ],
)
def test_wrong_rules(rules: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_text(rules)
    with pytest.raises(InputError) as error:
        read_people_rules(path)
    assert says in str(error.value)
    assert "?." not in str(error.value)
