"""Rewrite text, and the strings of files, with other pronouns or for another gender."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack, overload

import msgspec
from cyclopts import Parameter

from epicene.app.arguments import Columns
from epicene.app.output import note, print_line
from epicene.app.texts import (
    FileOption,
    Given,
    LanguageOption,
    OutOption,
    output_files,
    people_rules,
    read_lines,
    refuse_file_options,
    texts_or_files,
)
from epicene.core.errors import InputError, pluralise
from epicene.rewriting import Change

if TYPE_CHECKING:
    from epicene.app.output import Output
    from epicene.localisation.people import PeopleRules
    from epicene.localisation.rewrite_files import OpenRewriter, RewrittenFile
    from epicene.localisation.strings import LocalisedFile
    from epicene.rewriting import Rewrite, Rewriter, Rewriting


class RewrittenChange(Change, frozen=True, kw_only=True):
    """A change: characters [start, end) of the source became [new_start, new_end) of the result.

    `whose` says whose gender it shows, or which pronoun set it belonged to; `sure` is certain,
    likely or guess; `probability` is the probability that the change is right (None if unknown).
    """

    new_start: int
    new_end: int


class Rewritten(str):
    """A rewritten text, with its `changes` in order; those in `left_out` were too uncertain to
    make, or are words without a neutral form.
    """

    changes: tuple[RewrittenChange, ...] = ()
    left_out: tuple[Change, ...] = ()


class RewriteOptions(TypedDict, total=False):
    """The options of `rewrite`."""

    out: str | Path | None
    in_place: bool
    speaker: str | None
    listener: str | None
    others: str | None
    style: str | None
    pronouns: str | None
    from_: str | Iterable[str] | None
    sets: str | Path | None
    route: str | None
    user: str | None
    people: str | Path | None
    min_confidence: float | None
    model: str | None
    format: str | None
    columns: Mapping[str, str] | None
    force_language: bool


@overload
def rewrite(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too
    given: str, language: str | None = None, **options: Unpack[RewriteOptions]
) -> Rewritten: ...


@overload
def rewrite(
    given: Path | Iterable[Path], language: str | None = None, **options: Unpack[RewriteOptions]
) -> RewrittenFiles: ...


@overload
def rewrite(
    given: Iterable[str], language: str | None = None, **options: Unpack[RewriteOptions]
) -> list[Rewritten]: ...


def rewrite(
    given: Given = None,
    language: LanguageOption = None,
    *,
    out: OutOption = None,
    in_place: bool = False,
    speaker: str | None = None,
    listener: str | None = None,
    others: str | None = None,
    style: str | None = None,
    pronouns: str | None = None,
    from_: Annotated[
        str | Iterable[str] | None, Parameter(name="--from", metavar="SET,SET…")
    ] = None,
    sets: FileOption = None,
    route: str | None = None,
    user: str | None = None,
    people: FileOption = None,
    min_confidence: float | None = None,
    model: Annotated[str | None, Parameter(alias="-m", metavar="tagger:FOLDER")] = None,
    format: str | None = None,
    columns: Columns = None,
    force_language: bool = False,
) -> Rewritten | list[Rewritten] | RewrittenFiles | RewrittenLines:
    """Rewrite texts, or the translated strings of files, for another person.

    English is rewritten by pronouns, other languages by the gender of the speaker, the listener and
    others; people you do not name are left unchanged. In files, only translated text changes, and
    nothing is written if any of the files is invalid.

    Args:
        given: Files with translated strings, or folders with such files: PO, XLIFF, TMX, Android
            and Apple strings, ARB, JSON, YAML, Fluent, CSV, subtitles, Markdown, HTML, plain text.
            In Python, a `Path` is a file or folder and a `str` is a text; several of them give a
            list (default: the lines of standard input).
        language: The language of the text (default: the one that a file or its path names; `en` for
            texts). A region is dropped: fr-CA is fr.
        out: Where to write: a file, or a folder for several.
        in_place: Overwrite the files.
        speaker: The gender of the person who says "I": m, f or n (neutral: German, French, Spanish,
            Italian).
        listener: The gender of the person spoken to.
        others: The gender of everyone who is only spoken about.
        style: How neutral forms are written: reword (the default), star, colon, pair (German),
            median (French), e, pair (Spanish), schwa (Italian).
        pronouns: The pronoun set to rewrite to: they, he, she, xe …
        from_: Rewrite only the pronouns of these sets.
        sets: A TOML file with your own pronoun sets.
        route: The method: spacy (requires an installed pipeline), rules (requires none) or auto
            (the default).
        user: For files: the gender of the user, who is the person spoken to unless `--people` or a
            string says otherwise.
        people: For files: a TOML file that says who "I" and "you" are, per string key.
        min_confidence: The minimum probability that a change is right, from 0 to 1. If any change
            for a person is less likely to be right, nothing is changed for that person in that
            text.
        model: Rewrite with a tagger trained by `epicene train` instead of rules.
        format: For files: their format (default: from their names).
        columns: For CSV and TSV: the names of the columns for text, key, source, comment and
            people.
        force_language: Read the files as `--language` even if they name another language.

    Examples:
        >>> epicene.rewrite("She knows herself.", pronouns="they")
        'They know themself.'
        >>> found = epicene.rewrite("Tu es prêt ?", "fr", listener="f")
        >>> found, [(each.before, each.after, each.whose, each.sure) for each in found.changes]
        ('Tu es prête ?', [('prêt', 'prête', 'listener', 'certain')])
        >>> from pathlib import Path
        >>> _ = Path("fr.json").write_text('{"state": "Vous êtes connecté."}', encoding="utf-8")
        >>> [done] = epicene.rewrite(Path("fr.json"), listener="f", out="fr-f.json")
        >>> [each.new_text for each in done.changed]
        ['Vous êtes connectée.']
    """
    # Standard input is read line by line, however long it is.
    texts, files = ([], []) if given is None else texts_or_files(given, language)
    wanted = _as_texts(
        speaker=speaker, listener=listener, others=others, style=style,
        pronouns=pronouns, sets=sets, route=route, **{"from": from_},
    )  # fmt: skip

    def opened(code: str, options: Mapping[str, str]) -> Rewrite:
        return _open_rewriter(code, options, model, min_confidence)

    if not files:
        refuse_file_options(
            out=out, in_place=in_place, user=user, people=people, format=format, column=columns,
            force_language=force_language,
        )  # fmt: skip
        rewrite_all = opened(language or "en", wanted)
        if given is None:
            return RewrittenLines(rewrite_all)
        found = [_with_places(each) for each in rewrite_all(texts)]
        return found[0] if isinstance(given, str) else found

    from epicene.localisation.formats import check_columns, read_localised_file
    from epicene.localisation.rewrite_files import check_user

    if in_place and out is not None:
        raise InputError("Use either --out or --in-place, not both.")
    check_columns(files, format, columns)
    if user is not None:
        check_user(user)
        wanted["user"] = user
    outs = files if in_place else output_files(files, out)
    rules = people_rules(people, outs)

    def read(path: Path) -> LocalisedFile:
        return read_localised_file(
            path, format=format, language=language, columns=columns, force_language=force_language
        )

    return _rewrite_files(map(read, files), opened, wanted, rules, outs)


def _rewrite_files(
    files: Iterable[LocalisedFile],
    opened: OpenRewriter,
    wanted: Mapping[str, str],
    people: PeopleRules,
    outs: Sequence[Path],
) -> RewrittenFiles:
    """Rewrite the files, and write them to `outs`, if there are any, once all are rewritten."""
    from epicene.localisation.rewrite_files import rewrite_strings, without_effect, write_files
    from epicene.rewriting.persons import PERSONS

    user = wanted.get("user", "")
    unlike_user: set[str] = {
        name for name in PERSONS if user and wanted.get(name, user)[:1] != user[:1]
    }
    contents: dict[Path, bytes] = {}
    done = RewrittenFiles()
    for number, file in enumerate(files):
        if unlike_user:
            unlike_user = without_effect(unlike_user, file, people)
        with _file_progress(file.path.name, len(file.strings)) as advance:
            data, rewritten = rewrite_strings(file, opened, wanted, people, advance)
        if outs:
            if rewritten.changed or outs[number] != file.path:
                contents[outs[number]] = data
            rewritten = msgspec.structs.replace(rewritten, out=str(outs[number]))
        done.append(rewritten)
    for name in sorted(unlike_user):
        raise InputError(
            f"--user and --{name} give different genders, but in every string the {name} is the "
            "user or has a fixed gender; leave out one of the two."
        )
    write_files(contents)
    return done


def _as_texts(**options: str | Path | Iterable[str] | None) -> dict[str, str]:
    """The given options, as a rewriter takes them."""
    return {
        name: str(value) if isinstance(value, str | Path) else ",".join(value)
        for name, value in options.items()
        if value is not None
    }


# --- the rewriter --------------------------------------------------------------------------------


def _open_rewriter(
    language: str, options: Mapping[str, str], model: str | None, min_confidence: float | None
) -> Rewrite:
    """A function that rewrites texts and rates its changes, and makes only those that are likely
    enough.
    """
    from epicene.rewriting import find_rewriter

    rewriter = find_rewriter(language) if model is None else _tagger_rewriter(model, language)
    for name in options:
        if name not in (*rewriter.takes, "syntax"):
            takes = ", ".join(f"--{each}" for each in rewriter.takes)
            default = ", which is the default," if language == "en" else ""
            raise InputError(
                f"The language {language!r}{default} does not support --{name}; it takes {takes}."
            )
    return _rated(rewriter.open(options), "" if model is not None else language, min_confidence)


def _tagger_rewriter(model: str, language: str) -> Rewriter:
    """A trained tagger as a rewriter."""
    from epicene.models import parse_spec
    from epicene.models.tagger.model import open_rewriter

    spec = parse_spec(model)
    if spec.kind != "tagger" or not spec.name:
        raise InputError(f"--model must be a trained tagger, tagger:FOLDER, not {model!r}.")
    return open_rewriter(Path(spec.name).expanduser(), language)


def _rated(rewrite_all: Rewrite, language: str, least: float | None) -> Rewrite:
    """The same function with a probability for each change; a trained tagger, which has no language
    here, knows none.
    """
    from epicene.rewriting.confidence import (
        add_probabilities,
        knows_probabilities,
        leave_out_doubtful,
    )

    if least is not None and not 0 <= least <= 1:
        raise InputError(f"--min-confidence must be a probability from 0 to 1, not {least}.")
    if not language or not knows_probabilities(language):
        if least is not None:
            rules = f"the rules for {language!r}" if language else "a trained tagger"
            raise InputError(
                f"--min-confidence cannot be used with {rules}: the probability that a change is "
                "right is unknown."
            )
        return rewrite_all

    def rewrite_rated(texts: Iterable[str]) -> Iterator[Rewriting]:
        for each in rewrite_all(texts):
            rated = add_probabilities(language, each)
            yield rated if least is None else leave_out_doubtful(rated, least)

    return rewrite_rated


def _with_places(rewriting: Rewriting) -> Rewritten:
    """The rewritten text, with the position of each change in it."""
    made, shift = Rewritten(rewriting.text), 0
    placed = []
    for change in rewriting.changes:
        start = change.start + shift
        shift += len(change.after) - len(change.before)
        fields = msgspec.structs.asdict(change)
        placed.append(RewrittenChange(**fields, new_start=start, new_end=start + len(change.after)))
    made.changes, made.left_out = tuple(placed), rewriting.left_out
    return made


# --- lines of standard input ---------------------------------------------------------------------


class RewrittenLines:
    """The lines of standard input, which are read and rewritten one by one."""

    def __init__(self, rewrite_all: Rewrite) -> None:
        self._rewrite = rewrite_all

    def __iter__(self) -> Iterator[tuple[Rewriting, bytes]]:
        """Each line, rewritten, and its ending."""
        endings: deque[bytes] = deque()

        def texts() -> Iterator[str]:
            for line in read_lines(sys.stdin.buffer):
                endings.append(line.ending)
                yield line.text

        for each in self._rewrite(texts()):
            yield each, endings.popleft()

    def _print_(self, output: Output) -> None:
        from epicene.rewriting.explain import explain, to_record
        from epicene.rewriting.neutral import LEFT_OUT

        formless = 0
        out = sys.stdout.buffer
        for number, (each, ending) in enumerate(self, start=1):
            if output.json:
                out.write(msgspec.json.encode({"line": number, **to_record(each)}) + b"\n")
                continue
            formless += any(change.rule in LEFT_OUT for change in each.left_out)
            out.write(each.text.encode() + ending)
            if output.explain:
                end = ending or b"\n"
                out.write(b"" if ending else end)  # the last line may have none of its own
                for line in explain(each):
                    out.write(f"    {line}".encode() + end)
        out.flush()
        if formless:
            note(
                f"{pluralise(formless, 'line')} with words that could not be reworded; --explain "
                "lists them."
            )


# --- files ---------------------------------------------------------------------------------------


class RewrittenFiles(list["RewrittenFile"]):
    """Files with translated strings that were rewritten."""

    def _print_(self, output: Output) -> None:
        from epicene.rewriting import Rewriting
        from epicene.rewriting.explain import explain

        for file in self:
            if output.json:
                sys.stdout.buffer.write(msgspec.json.encode(file) + b"\n")
            elif output.explain:
                shown = {each.index: each for each in (*file.changed, *file.doubtful)}
                for _, string in sorted(shown.items()):
                    print_line(f"{file.path}, line {string.line}: {string.key}")
                    rewriting = Rewriting(
                        text=string.new_text, changes=string.changes, left_out=string.left_out
                    )
                    for line in explain(rewriting):
                        print_line(f"    {line}")
            note(_file_sentence(file))
        if not (output.json or any(each.out for each in self)):
            note("Nothing was written; use --out FILE or FOLDER, or --in-place.")
        sys.stdout.flush()


def _file_sentence(file: RewrittenFile) -> str:
    """How many strings of a file changed, what was left out, and where it was written."""
    from epicene.rewriting.neutral import LEFT_OUT

    sentence = f"{len(file.changed)} of {pluralise(file.strings, 'string')} changed in {file.path}"
    if file.left:
        sentence += f"; {pluralise(file.left, 'change')} inside mark-up skipped"
    formless = sum(
        any(change.rule in LEFT_OUT for change in each.left_out) for each in file.doubtful
    )
    if formless:
        sentence += f"; {pluralise(formless, 'string')} with words that could not be reworded"
    if doubtful := len(file.doubtful) - formless:
        sentence += f"; {pluralise(doubtful, 'string')} not changed because the change is too "
        sentence += "uncertain"
    written = file.out not in ("", file.path)
    return f"{sentence}; written to {file.out}" if written else sentence


@contextmanager
def _file_progress(name: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar for the strings of a file, if standard error is a terminal; yields a function
    to call with the number done.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from epicene.app.progress import progress_bars

    with progress_bars(transient=True) as bars:
        task = bars.add_task(name, total=total, rate="")
        yield lambda count: bars.advance(task, count)
