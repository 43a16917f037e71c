"""Audits of files: counts, comparison with an earlier audit, and the rules of --fail-on."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.localisation.audit.comparison import Baseline, read_baseline
from epicene.localisation.audit.files import FileAudit
from epicene.localisation.audit.summary import key_prefixes
from localisation.audit_samples import STRINGS, run, write_strings, written
from localisation.localised_samples import write


@pytest.fixture
def french(tmp_path: Path) -> Path:
    return write_strings(tmp_path / "fr.json", STRINGS)


def test_the_counts_of_a_file_and_of_its_keys(french: Path) -> None:
    audit = FileAudit([french])
    assert [each.finding.key for each in run(audit)] == [
        "account.ready",
        "account.welcome",
        "mail.mixed",
        "team.admins",
    ]
    total = audit.summary.total
    assert (total.strings, total.gendered, total.undecided) == (5, 3, 1)
    assert (total.masculine, total.feminine, total.both) == (2, 1, 1)
    assert total.people == {
        "listener": {"masculine": 1, "both": 1},
        "speaker": {"mixed": 1},
    }
    assert (total.problems, total.spellings) == ({"mixed": 1}, {"brackets": 1})
    assert audit.summary.headline() == "1 of 5 strings address a man, 0 a woman."
    (file,) = audit.summary.files
    assert {prefix: counts.strings for prefix, counts in file.prefixes.items()} == {
        "account": 3,
        "mail": 1,
        "team": 1,
    }
    assert file.prefixes["account"].gendered == 2


def test_without_anybody_addressed_those_mentioned_are_the_news(tmp_path: Path) -> None:
    path = write_strings(tmp_path / "en.json", {"a.b": "He left.", "a.c": "Hello"})
    audit = FileAudit([path])
    run(audit)
    assert audit.summary.headline() == "1 of 2 strings mention a man, 0 a woman."


@pytest.mark.parametrize(
    ("keys", "prefixes"),
    [
        (["account.title", "account.text", "mail.title"], ["account", "account", "mail"]),
        # A part that all keys share says nothing.
        (["app.account.title", "app.mail.title"], ["app.account", "app.mail"]),
        (["account|Are you sure?", "Are you sure? Yes."], ["account", ""]),
        (["1", "2"], ["", ""]),
        ([], []),
    ],
)
def test_prefixes_of_keys(keys: list[str], prefixes: list[str]) -> None:
    assert key_prefixes(keys) == prefixes


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    path = write_strings(tmp_path / "strings.json", STRINGS)
    with pytest.raises(InputError, match=r"line 2.*name it with --language"):
        run(FileAudit([path]))
    with pytest.raises(InputError, match="no rewriter for the language 'tlh'"):
        FileAudit([path], language="tlh")


def test_strings_in_other_languages_are_counted_not_read(tmp_path: Path, french: Path) -> None:
    chinese = write_strings(tmp_path / "zh.json", {"a": "你好", "b": "再见"})
    audit = FileAudit([french, chinese])
    run(audit)
    assert audit.summary.not_read == {"zh": 2}
    assert audit.notes() == ["2 strings in zh could not be audited."]
    with pytest.raises(InputError, match="only in zh"):
        run(FileAudit([chinese]))


@pytest.mark.parametrize(
    "name", ["locales/nl/app.json", "nl.json", "app_nl.arb", "values-nl/strings.xml"]
)
def test_a_path_may_name_a_language_that_is_not_known(
    tmp_path: Path, french: Path, name: str
) -> None:
    content = '{"a": "Je bent klaar."}'
    if name.endswith("xml"):
        content = '<resources><string name="a">Je bent klaar.</string></resources>'
    audit = FileAudit([french, write(tmp_path, name, content)])
    run(audit)
    assert audit.summary.not_read == {"nl": 1}
    with pytest.raises(InputError, match="name it with --language"):
        run(FileAudit([french, write(tmp_path, "ui.json", '{"a": "Je bent klaar."}')]))


def compared(tmp_path: Path, before: dict[str, str], after: dict[str, str]) -> FileAudit:
    path = write_strings(tmp_path / "fr.json", before)
    earlier = tmp_path / "earlier.json"
    earlier.write_text(written(FileAudit([path]), "json"), encoding="utf-8")
    write_strings(path, after)
    return FileAudit(
        [path], baseline=read_baseline(earlier), fail_on=["new", "changed+listener=feminine"]
    )


def test_an_earlier_audit_says_what_is_new_changed_and_gone(tmp_path: Path) -> None:
    after = {
        "account.ready": "Vous êtes prête.",  # was masculine
        "account.welcome": "Vous êtes inscrit(e).",
        "account.saved": "Vous êtes connecté.",  # showed nothing
        "team.admins": "Rôle : administrateur",
    }
    audit = compared(tmp_path, STRINGS, after)
    found = {each.finding.key: (each.status, each.failed) for each in run(audit)}
    assert found == {
        "account.ready": ("changed", ("changed+listener=feminine",)),
        "account.welcome": ("", ()),
        "account.saved": ("new", ("new",)),
        "team.admins": ("", ()),
    }
    assert [each.key for each in audit.gone] == ["mail.mixed"]
    assert "Since the earlier audit: 1 new, 1 changed, 1 gone." in audit.notes()


def test_the_same_strings_compare_equal(tmp_path: Path) -> None:
    audit = compared(tmp_path, STRINGS, STRINGS)
    assert {each.status for each in run(audit)} == {""}
    assert audit.gone == []
    assert audit.failures() == []


def test_it_does_not_matter_how_a_path_is_written(
    tmp_path: Path, french: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = [each.finding for each in run(FileAudit([Path("fr.json")]))]
    write_strings(french, STRINGS | {"mail.mixed": "Merci"})
    for path in (french, tmp_path / "link" / "fr.json", Path("..", tmp_path.name, "fr.json")):
        audit = FileAudit([path], baseline=Baseline(found))
        assert {each.status for each in run(audit)} == {""}
        assert [each.key for each in audit.gone] == ["mail.mixed"]
        assert audit.notes() == ["Since the earlier audit: 0 new, 0 changed, 1 gone."]


def test_an_audit_of_other_files_is_noted(tmp_path: Path, french: Path) -> None:
    """Such as one of another checkout, by absolute paths: every string is new."""
    other = write_strings(tmp_path / "other_fr.json", STRINGS)
    found = [each.finding for each in run(FileAudit([other]))]
    audit = FileAudit([french], baseline=Baseline(found))
    run(audit)
    assert audit.notes()[0].startswith("The earlier audit has no findings in these files")


def test_a_file_that_is_not_audited_is_not_gone(tmp_path: Path, french: Path) -> None:
    other = write_strings(tmp_path / "mail_fr.json", {"a": "Je suis prêt."})
    found = [each.finding for each in run(FileAudit([french, other]))]
    audit = FileAudit([french], baseline=Baseline(found))
    run(audit)
    assert audit.gone == []


def test_two_strings_with_one_key_are_told_apart(tmp_path: Path) -> None:
    """Keys of plain text are lines, but those of other formats may repeat."""
    lines = tmp_path / "fr.txt"
    lines.write_text("Je suis prêt.\nJe suis prêt.\n", encoding="utf-8")
    found = [each.finding for each in run(FileAudit([lines]))]
    again = Baseline([found[0], found[0]])
    assert [again.compare(each) for each in (found[0], found[0], found[0])] == ["", "", "new"]


@pytest.mark.parametrize("text", ["[]", '{"schema": "epicene-audit/9"}', "{}"])
def test_a_file_that_is_no_audit_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="was not written by the audit of this version"):
        read_baseline(path)


def test_a_damaged_audit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "earlier.json"
    path.write_text('{"schema": "epicene-audit/1", "findings": [{"file": 1}]}', encoding="utf-8")
    with pytest.raises(InputError, match="is not an audit: "):
        read_baseline(path)


@pytest.mark.parametrize(
    ("rule", "keys"),
    [
        ("any", ["account.ready", "account.welcome", "mail.mixed"]),
        ("masculine", ["account.ready", "mail.mixed"]),
        ("feminine", ["mail.mixed"]),
        ("both", ["account.welcome"]),
        ("listener", ["account.ready", "account.welcome"]),
        ("listener=masculine", ["account.ready"]),
        ("speaker=mixed", ["mail.mixed"]),
        ("user=masculine", ["account.ready"]),
        ("user=both", ["account.welcome"]),
        ("problem", ["mail.mixed"]),
        ("mixed", ["mail.mixed"]),
        ("disagreement", []),
        ("spelling=brackets", ["account.welcome"]),
        ("undecided", ["team.admins"]),
        ("certain", ["account.ready", "account.welcome", "mail.mixed"]),
        ("masculine+listener", ["account.ready"]),
    ],
)
def test_rules_match_strings(french: Path, rule: str, keys: list[str]) -> None:
    audit = FileAudit([french], fail_on=[rule])
    assert [each.finding.key for each in run(audit) if each.failed] == keys
    assert bool(audit.failures()) == bool(keys)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("masculin", "no rule for --fail-on 'masculin'"),
        (
            "listener=man",
            "--fail-on listener=… must be one of masculine, feminine, both, mixed, not 'man'",
        ),
        ("spelling=foo", "no spelling for --fail-on 'foo'; known: at, both words, brackets"),
        ("everybody=masculine", "no rule for --fail-on 'everybody=masculine'"),
        ("new", "--fail-on new needs an earlier audit"),
        ("", "no rule for --fail-on ''"),
    ],
)
def test_wrong_rules_are_refused_before_anything_is_read(rule: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        FileAudit([Path("missing.json")], fail_on=[rule])
