"""Files that are wrong, or that must not be written: one sentence, and nothing is written."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import epicene
from epicene.core.errors import InputError

BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {one} "{f"&{other};" * 10}">' for other, one in pairwise("abcdefghi"))
    + ']><resources><string name="x">&i;</string></resources>'
)
HOSTILE: dict[str, tuple[str, bytes]] = {
    "entities that expand": ("a.xml", BOMB.encode()),
    "an entity of another file": (
        "a.xml",
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><resources><string name="a">&x;'
        b"</string></resources>",
    ),
    "broken XML": ("a.xlf", b"<xliff><file></xliff>"),
    "XML of another kind": ("a.xml", b"<html><body>x</body></html>"),
    "deep XML": ("a.xml", b"<resources>" + b"<a>" * 100_000),
    "deep JSON": ("a.json", b"[" * 100_000),
    "deep YAML": ("a.yml", b"- " * 1_000 + b"x"),
    "deep Fluent": ("a.ftl", b"a = " + b"{" * 10_000),
    "a key twice in JSON": ("a.json", b'{"a": "b",\n "a": "c"}'),
    "a key twice in YAML": ("a.yml", b"a: b\na: c\n"),
    "a key twice in PO": ("a.po", b'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n'),
    "a key twice in Android": (
        "a.xml",
        b'<resources><string name="a">b</string><string name="a">c</string></resources>',
    ),
    "a key twice in Fluent": ("a.ftl", b"a = b\na = c\n"),
    "a key twice in .strings": ("a.strings", b'"a" = "b";\n"a" = "c";\n'),
    "invalid ICU": ("a.arb", b'{"a": "{count, plural, one {x}"}'),
    "invalid Fluent": ("a.ftl", b"a = { $x ->\n"),
    "a table that loses a quotation mark": ("a.csv", b'key,text\na,"b\n'),
    "Latin-1": ("a.json", '{"a": "prêt"}'.encode("latin-1")),
    "another encoding than it names": (
        "a.xml",
        '<?xml version="1.0" encoding="ascii"?><resources>é</resources>'.encode(),
    ),
    "an unknown encoding": (
        "a.po",
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=EPICENE-1\\n"\n',
    ),
    "an encoding that is no text's": (
        "a.po",
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=base64\\n"\n',
    ),
    "NULs": ("a.txt", b"Je suis\0 pret"),
    "half a character": ("a.json", b'{"a": "\\ud83d"}'),
    "not valid times of a cue": ("a.srt", b"1\n00:00:01 -> 00:00:02\nx\n"),
    "more than the limit": ("a.txt", b"Je suis content.\n" * 2_500_000),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_file_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Also when it is the last of several: nothing is written for the others."""
    monkeypatch.chdir(tmp_path)
    path, content = HOSTILE[name]
    Path(path).write_bytes(content)
    Path("good.json").write_text('{"a": "Je suis prêt."}')
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError) as caught:
        epicene.rewrite([Path("good.json"), Path(path)], "fr", speaker="f", out="out")
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    path, out = tmp_path / "fr.json", tmp_path / "out"
    path.write_text('{"a": "Je suis prêt."}')
    (tmp_path / "outside.json").write_text("mine")
    out.mkdir()
    (out / "fr.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(InputError, match="is a link that points out of"):
        epicene.rewrite(path, speaker="f", out=out)
    assert (tmp_path / "outside.json").read_text() == "mine"
    (tmp_path / "fr.link.json").symlink_to(path)
    with pytest.raises(InputError, match="is a link"):
        epicene.rewrite(tmp_path / "fr.link.json", speaker="f", in_place=True)
