"""SRT and VTT: a sentence that runs over lines or cues is one string."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import Coding, FoundString, FoundStrings
from epicene.localisation.xml_texts import TAG
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText, ReadOptions

_TIME = r"(?:(\d+):)?(\d\d):(\d\d)[.,](\d{1,3})"
_TIMING = regex.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?:[ \t][^\r\n]*)?")
_LANGUAGE = regex.compile(r"\ufeff?WEBVTT[^\n]*+\n(?:[^\n]+\n)*?Language:[ \t]*([\w-]+)")
_BLOCK = regex.compile(r"[^\S\r\n]*\S[^\r\n]*+(?:(?:\r\n|\r|\n)[^\S\r\n]*\S[^\r\n]*+)*+")
_LINE = regex.compile(r"[^\r\n]++")
_FINAL = regex.compile(r"""(?<!\.\.)[.!?:;؟۔।॥。！？♪\])][\p{Pe}\p{Pf}"'♪]*$""")
_MARKUP = regex.compile(TAG.pattern + r"|\{[^{}]*\}")
_DASH = regex.compile(r"[-–—‐]")
_CONTINUES = regex.compile(r"""[\p{Pi}\p{Ps}"'…. ]*[\p{Ll}\p{Lo}\p{N},]""")
_MOST_CUES = 4  # that one sentence is taken to run over
_LONGEST_PAUSE = 1_000  # milliseconds between two cues of one sentence


# <v Anne>, <c.loud>, <lang fr>, <00:00:01.000>: who speaks, how it looks, and when.
_CUE_TAG = regex.compile(r"</?(?:v|c|lang|ruby|rt)\b[^<>\r\n]*+>|<[\d:.]++>")


def _decode(text: str, start: int, end: int) -> Iterator[Piece]:
    """The tags of cues are left out."""
    for tag in _CUE_TAG.finditer(text, start, end):
        yield Piece(*tag.span())


CODING = Coding(_decode, gap=" ")  # the spans of a sentence are its lines


class _Line(NamedTuple):
    """A line of a cue: its span and text, and the cue's name and times in milliseconds."""

    start: int
    end: int
    said: str
    cue: str
    begins: int
    ends: int


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The sentences; the key is the name or number of the cue where one begins."""
    header = _LANGUAGE.match(file.text)
    sentences: list[list[_Line]] = []
    for line in _lines(file):
        if sentences and _continues(sentences[-1], line):
            sentences[-1].append(line)
        else:
            sentences.append([line])
    return FoundStrings(
        [
            FoundString(lines[0].cue, tuple((each.start, each.end) for each in lines), CODING)
            for lines in sentences
        ],
        base_language(header[1]) if header else "",
    )


def _continues(sentence: list[_Line], line: _Line) -> bool:
    """Whether a line continues a sentence: within a cue, until another speaker's dash; across
    cues without a pause, if nothing ended the sentence and the next line does not start with a
    capital letter.
    """
    last = sentence[-1]
    if _DASH.match(line.said):
        return False
    if last.begins == line.begins and last.cue == line.cue:
        return True
    return (
        line.begins - last.ends <= _LONGEST_PAUSE
        and len({each.begins for each in sentence}) < _MOST_CUES
        and not _FINAL.search(last.said)
        and _CONTINUES.match(line.said) is not None
    )


def _lines(file: FileText) -> Iterator[_Line]:
    """The lines of text in all cues; raises if a block is not a cue."""
    is_vtt = file.text.removeprefix("\ufeff").startswith("WEBVTT")
    for block in _BLOCK.finditer(file.text, 1 if file.text.startswith("\ufeff") else 0):
        lines = list(_LINE.finditer(file.text, *block.span()))
        timing = next((at for at, line in enumerate(lines[:2]) if "-->" in line[0]), None)
        if timing is None:
            if is_vtt:
                continue  # the header, a note, a style
            raise file.error(block.start(), "a cue with its times (00:00:01,000 --> …) is expected")
        times = _TIMING.fullmatch(lines[timing][0].strip())
        if times is None:
            raise file.error(lines[timing].start(), "these are not valid times of a cue")
        begins, ends = _milliseconds(*times.groups()[:4]), _milliseconds(*times.groups()[4:])
        cue = lines[0][0].strip() if timing else str(file.line(block.start()))
        for line in lines[timing + 1 :]:
            said = _MARKUP.sub("", line[0]).strip()
            if said:
                start = line.start() + len(line[0]) - len(line[0].lstrip())
                end = line.start() + len(line[0].rstrip())
                yield _Line(start, end, said, cue, begins, ends)


def _milliseconds(hours: str | None, minutes: str, seconds: str, rest: str) -> int:
    return ((int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(
        rest.ljust(3, "0")
    )
