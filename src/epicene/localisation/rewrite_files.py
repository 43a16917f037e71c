"""Rewrite the strings of files, and write the files with only those words changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from epicene.core.errors import InputError
from epicene.core.files import refuse_inputs, write_atomically
from epicene.core.records import Record
from epicene.rewriting import Change, Rewrite, find_rewriter
from epicene.rewriting.persons import GENDERS, PERSONS, apply_changes
from epicene.rewriting.protected import SYNTAXES

if TYPE_CHECKING:
    from epicene.localisation.people import PeopleRules
    from epicene.localisation.strings import LocalisedFile, LocalisedString


class RewrittenString(Record, frozen=True, kw_only=True):
    """A string: its old text, its new text, and each change, with offsets in `text`; the changes
    in `left_out` were too uncertain to make, or have no neutral form.
    """

    index: int
    key: str
    line: int
    text: str
    new_text: str
    changes: tuple[Change, ...]
    left_out: tuple[Change, ...] = ()


class RewrittenFile(Record, frozen=True, kw_only=True):
    """A file whose strings were rewritten: how many it has, and those that changed.

    `out` is the file that was written, "" for none; `left` counts the changes that its format could
    not contain, such as one inside an inline code of XLIFF. `doubtful` are the strings with changes
    that were too uncertain to make, or with words that have no neutral form.
    """

    path: str
    out: str
    format: str
    language: str
    strings: int
    changed: tuple[RewrittenString, ...]
    left: int = 0
    doubtful: tuple[RewrittenString, ...] = ()


# Opens the rewriter of a language with its options.
OpenRewriter: TypeAlias = Callable[[str, Mapping[str, str]], Rewrite]


def rewrite_strings(
    file: LocalisedFile,
    open_rewriter: OpenRewriter,
    options: Mapping[str, str],
    people: PeopleRules,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[bytes, RewrittenFile]:
    """The new content of a file, and what changed in it.

    `options` are those of the rewriter, and `user`; `advance` is called with the number of strings
    done.
    """
    changes: dict[int, Sequence[Change]] = {}
    left_out: dict[int, tuple[Change, ...]] = {}
    left = 0
    for wanted, strings in _grouped(file, options, people).items():
        if not wanted:
            advance(len(strings))
            continue
        rewrite = open_rewriter(file.language, dict(wanted))
        rewritings = rewrite(string.text for string in strings)
        for string, rewriting in zip(strings, rewritings, strict=True):
            advance(1)
            if rewriting.left_out:
                left_out[string.index] = rewriting.left_out
            if rewriting.changes:
                possible = file.possible_changes(string.index, rewriting.changes)
                left += len(rewriting.changes) - len(possible)
                if possible:
                    changes[string.index] = possible

    def rewritten(at: int) -> RewrittenString:
        string, made = file.strings[at], tuple(changes.get(at, ()))
        return RewrittenString(
            index=at,
            key=string.key,
            line=string.line,
            text=string.text,
            new_text=apply_changes(string.text, made).text,
            changes=made,
            left_out=left_out.get(at, ()),
        )

    return file.replace(changes), RewrittenFile(
        path=str(file.path),
        out="",
        format=file.format,
        language=file.language,
        strings=len(file.strings),
        changed=tuple(map(rewritten, sorted(changes))),
        left=left,
        doubtful=tuple(map(rewritten, sorted(left_out))),
    )


def _grouped(
    file: LocalisedFile, options: Mapping[str, str], people: PeopleRules
) -> dict[tuple[tuple[str, str], ...], list[LocalisedString]]:
    """The strings by the options that they are rewritten with; none for those that do not
    change.
    """
    file.check_language()
    takes = find_rewriter(file.language).takes
    by_person = set(PERSONS) <= set(takes)
    allowed = (*takes, "user") if by_person else takes
    for name in options:
        if name not in allowed:
            known = ", ".join(f"--{each}" for each in allowed)
            raise InputError(
                f"The language {file.language!r} does not support --{name}; it takes {known}."
            )
    groups: dict[tuple[tuple[str, str], ...], list[LocalisedString]] = {}
    for string in file.strings:
        who = people.of_string(string, file.path)
        wanted = {name: value for name, value in options.items() if name not in (*PERSONS, "user")}
        genders = who.genders(options)
        if by_person:
            wanted = wanted | genders if genders else {}
        elif who.others == "keep":
            wanted = {}
        if wanted and string.syntax in SYNTAXES and string.syntax:
            wanted["syntax"] = string.syntax
        groups.setdefault(tuple(wanted.items()), []).append(string)
    if by_person and not {*options} & {*PERSONS, "user"} and set(groups) <= {()}:
        raise InputError(
            "Name a person whose gender should change: use --user, --speaker, --listener or "
            "--others with m or f (in some languages also n)."
        )
    return groups


def check_user(user: str) -> None:
    """Raise unless this is a gender."""
    if user not in ("m", "f", "n", *GENDERS, "neutral"):
        raise InputError(f"--user must be m, f or n, not {user!r}.")


def without_effect(persons: set[str], file: LocalisedFile, people: PeopleRules) -> set[str]:
    """The persons whose own option changes nothing in a file when --user is given: in every
    string they are the user, or their gender is given.
    """
    everybody = [people.of_string(string, file.path) for string in file.strings]
    return {
        person
        for person in persons
        if not any(getattr(each, person) in ("", "other") for each in everybody)
    }


def output_paths(paths: Sequence[Path], out: Path) -> list[Path]:
    """Where each file is written: a single file as `out` or in the folder `out`; several files in
    the folder, where they keep their relative positions.

    A new `out` without an extension is a folder, if the file has an extension.
    """
    if len(paths) == 1 and not out.is_dir() and (out.suffix or not paths[0].suffix):
        outs = [out]
    else:
        if out.is_file():
            raise InputError(f"{out} is a file, but a folder is needed here; name another.")
        # Without "..", which would lead out of the folder.
        places = [Path(os.path.normpath(path.absolute())) for path in paths]
        top = Path(os.path.commonpath([place.parent for place in places]))
        outs = [out / place.relative_to(top) for place in places]
        inside = out.resolve()
        for each in outs:
            if not each.resolve().is_relative_to(inside):
                raise InputError(
                    f"{each} is a link that points out of {out} and will not be overwritten."
                )
    for each in outs:
        refuse_inputs(each, paths)
    if len(set(outs)) < len(outs):
        raise InputError("A file is named twice; name each file once.")
    return outs


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write each file as a whole; links are not followed."""
    for path in contents:
        if path.is_symlink():
            raise InputError(f"{path} is a link and will not be overwritten; name the file itself.")
    for path, data in contents.items():
        write_atomically(path, data)
