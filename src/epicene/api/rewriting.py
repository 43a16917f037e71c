"""Rewrite text with other pronouns or for another gender."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, overload

import msgspec

from epicene.app.arguments import paths_of
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.rewriting import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from epicene.app.arguments import PathLike
    from epicene.localisation.rewrite_files import RewrittenFile
    from epicene.rewriting import Rewrite, Rewriter, Rewriting


class RewrittenChange(Change, frozen=True, kw_only=True):
    """A change: characters [start, end) of the source became [new_start, new_end) of the result.

    `whose` says whose gender it shows, or which pronoun set it belonged to; `sure` is certain,
    likely or guess; `probability` is the probability that the change is right (None if unknown).
    """

    new_start: int
    new_end: int


class Rewritten(Record, frozen=True, kw_only=True):
    """A rewritten text and its changes, in order; the changes in `left_out` were too uncertain
    to make.
    """

    text: str
    changes: tuple[RewrittenChange, ...] = ()
    left_out: tuple[Change, ...] = ()


class RewriteOptions(TypedDict, total=False):
    """The options of `rewrite` that say what to rewrite; each language takes some of them."""

    speaker: str | None
    listener: str | None
    others: str | None
    style: str | None
    pronouns: str | None
    from_: str | Iterable[str] | None
    sets: str | Path | None
    route: str | None
    min_confidence: float | None


@overload
def rewrite(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too
    text: str,
    language: str = "en",
    *,
    model: str | None = None,
    changes: Literal[False] = False,
    **options: Unpack[RewriteOptions],
) -> str: ...


@overload
def rewrite(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too
    text: str,
    language: str = "en",
    *,
    model: str | None = None,
    changes: Literal[True],
    **options: Unpack[RewriteOptions],
) -> Rewritten: ...


@overload
def rewrite(
    text: Iterable[str],
    language: str = "en",
    *,
    model: str | None = None,
    changes: Literal[False] = False,
    **options: Unpack[RewriteOptions],
) -> list[str]: ...


@overload
def rewrite(
    text: Iterable[str],
    language: str = "en",
    *,
    model: str | None = None,
    changes: Literal[True],
    **options: Unpack[RewriteOptions],
) -> list[Rewritten]: ...


@keyword_errors
def rewrite(
    text: str | Iterable[str],
    language: str = "en",
    *,
    speaker: str | None = None,
    listener: str | None = None,
    others: str | None = None,
    style: str | None = None,
    pronouns: str | None = None,
    from_: str | Iterable[str] | None = None,
    sets: str | Path | None = None,
    route: str | None = None,
    min_confidence: float | None = None,
    model: str | None = None,
    changes: bool = False,
) -> str | Rewritten | list[str] | list[Rewritten]:
    """Rewrite a text, or each of several, for another person.

    >>> import epicene
    >>> epicene.rewrite("She knows herself.", pronouns="they")
    'They know themself.'
    >>> epicene.rewrite(["Je suis prêt.", "Il est prêt."], "fr", speaker="f")
    ['Je suis prête.', 'Il est prêt.']
    >>> found = epicene.rewrite("Tu es prêt ?", "fr", listener="f", changes=True)
    >>> found.text
    'Tu es prête ?'
    >>> [(each.before, each.after, each.whose, each.sure) for each in found.changes]
    [('prêt', 'prête', 'listener', 'certain')]
    >>> found.text[found.changes[0].new_start : found.changes[0].new_end]
    'prête'

    language: English is rewritten by pronouns, other languages by gender; people you do not name
        are left unchanged.
    speaker, listener, others: m, f or n (neutral: German, French, Spanish, Italian), the gender of
        the person who says "I", of the person spoken to, and of everyone who is only spoken about.
    style: how neutral forms are written: reword (the default), star, colon, pair (German), median
        (French), e, pair (Spanish), schwa (Italian). `left_out` lists words without a neutral form.
    pronouns: the pronoun set to rewrite to: they, he, she, xe …
    from_: rewrite only the pronouns of these sets.
    sets: a TOML file with your own pronoun sets.
    route: `spacy` (requires an installed pipeline), `rules` (requires none) or `auto`, the default.
    min_confidence: the minimum probability that a change is right, from 0 to 1. If any change for a
        person is less likely to be right, nothing is changed for that person in that text;
        `left_out` lists these changes.
    model: `tagger:FOLDER`, to rewrite with a tagger trained by `epicene.train` instead of rules.
    changes: return each text with its changes.
    """
    rewrite_all = open_rewriter(
        language,
        speaker=speaker,
        listener=listener,
        others=others,
        style=style,
        pronouns=pronouns,
        from_=from_,
        sets=sets,
        route=route,
        min_confidence=min_confidence,
        model=model,
    )
    found = rewrite_all([text] if isinstance(text, str) else text)
    if isinstance(text, str):
        return _with_new_places(next(found)) if changes else next(found).text
    if changes:
        return [_with_new_places(each) for each in found]
    return [each.text for each in found]


@keyword_errors
def open_rewriter(
    language: str = "en", *, model: str | None = None, **options: Unpack[RewriteOptions]
) -> Rewrite:
    """Return a function that rewrites many texts; takes the options of `rewrite`.

    The function takes any iterable of texts and yields a record with `text` and `changes` for each.

    >>> import epicene
    >>> rewrite_all = epicene.open_rewriter("fr", speaker="f")
    >>> [each.text for each in rewrite_all(["Je suis prêt.", "Je suis venu."])]
    ['Je suis prête.', 'Je suis venue.']
    """
    least = options.pop("min_confidence", None)
    return _opened(language, model, _as_texts(options), least)


def _opened(
    language: str, model: str | None, given: Mapping[str, str], least: float | None
) -> Rewrite:
    from epicene.rewriting import find_rewriter

    rewriter = find_rewriter(language) if model is None else _tagger_rewriter(model, language)
    for name in given:
        if name not in (*rewriter.takes, "syntax"):
            takes = ", ".join(f"--{each}" for each in rewriter.takes)
            default = ", which is the default," if language == "en" else ""
            raise InputError(
                f"The language {language!r}{default} does not support --{name}; it takes {takes}."
            )
    return _rated(rewriter.open(given), "" if model is not None else language, least)


def _rated(rewrite_all: Rewrite, language: str, least: float | None) -> Rewrite:
    """The same function with a probability for each change, making only those that are likely
    enough.

    No probability is known for a trained tagger, which has no language here.
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


@keyword_errors
def rewrite_files(
    files: PathLike | Iterable[PathLike],
    language: str | None = None,
    *,
    out: PathLike | None = None,
    in_place: bool = False,
    user: str | None = None,
    people: PathLike | None = None,
    format: str | None = None,  # noqa: A002 - as in the command
    columns: Mapping[str, str] | None = None,
    force_language: bool = False,
    model: str | None = None,
    progress: bool = False,
    **options: Unpack[RewriteOptions],
) -> list[RewrittenFile]:
    """Rewrite the translated strings of files: PO, XLIFF, TMX, Android, Apple, ARB, JSON, YAML,
    Fluent, CSV, SRT, VTT, Markdown, HTML or plain text. Every other byte stays as it is.

    >>> import epicene
    >>> from pathlib import Path
    >>> _ = Path("fr.json").write_text('{"state": "Vous êtes connecté."}', encoding="utf-8")
    >>> [done] = epicene.rewrite_files("fr.json", listener="f", out="fr-f.json")
    >>> done.strings, [each.new_text for each in done.changed]
    (1, ['Vous êtes connectée.'])
    >>> Path("fr-f.json").read_text(encoding="utf-8")
    '{"state": "Vous êtes connectée."}'

    Nothing is written if any of the files is invalid.

    language: the language (default: from the files or their paths); a region is dropped (fr-CA
        becomes fr).
    out: a file, or a folder. With neither `out` nor `in_place`, nothing is written.
    in_place: overwrite the files.
    user: m, f or n (neutral, as in `rewrite`), the gender of the user, who is the person spoken to
        unless a string or `people` says otherwise.
    people: a TOML file that says who "I" and "you" are, per string key.
    format: the format of all files (default: from their names).
    columns: for CSV and TSV, the names of the columns for text, key, source, comment and people.
    force_language: read a file as `language` even if it names another language.
    progress: show a bar on a terminal.
    options: the options of `rewrite`: speaker, listener, others, pronouns …
    """
    from epicene.core.files import refuse_inputs
    from epicene.localisation.formats import check_columns, read_localised_file
    from epicene.localisation.people import PeopleRules, read_people_rules
    from epicene.localisation.rewrite_files import (
        check_user,
        output_paths,
        rewrite_strings,
        without_effect,
        write_files,
    )
    from epicene.rewriting.persons import PERSONS

    paths = paths_of(files)
    if in_place and out is not None:
        raise InputError("Use either --out or --in-place, not both.")
    check_columns(paths, format, columns)
    outs = paths if in_place else output_paths(paths, Path(out)) if out is not None else []
    rules = PeopleRules()
    if people is not None:
        rules = read_people_rules(Path(people))
        for each in outs:
            refuse_inputs(each, [Path(people)])
    least = options.pop("min_confidence", None)
    given = _as_texts(options) | ({"user": user} if user is not None else {})
    unlike_user: set[str] = set()
    if user is not None:
        check_user(user)
        unlike_user = {name for name in PERSONS if given.get(name, user)[:1] != user[:1]}
    contents: dict[Path, bytes] = {}
    done: list[RewrittenFile] = []

    def opened(code: str, wanted: Mapping[str, str]) -> Rewrite:
        return _opened(code, model, wanted, least)

    for number, path in enumerate(paths):
        file = read_localised_file(
            path, format=format, language=language, columns=columns, force_language=force_language
        )
        if unlike_user:
            unlike_user = without_effect(unlike_user, file, rules)
        with _file_progress(path.name, len(file.strings), shown=progress) as advance:
            data, rewritten = rewrite_strings(file, opened, given, rules, advance)
        if outs:
            if rewritten.changed or not in_place:
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


@contextmanager
def _file_progress(name: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal for the strings of a file; yields a function to call with the
    number done.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _: None
        return
    from epicene.app.progress import progress_bars

    with progress_bars(transient=True) as bars:
        task = bars.add_task(name, total=total, rate="")
        yield lambda count: bars.advance(task, count)


def _as_texts(options: RewriteOptions) -> dict[str, str]:
    """The given options, as a rewriter takes them."""
    given: dict[str, str] = {}
    for name, value in options.items():
        if isinstance(value, Iterable) and not isinstance(value, str):
            given[name.rstrip("_")] = ",".join(value)
        elif value is not None:
            given[name.rstrip("_")] = str(value)
    return given


def _tagger_rewriter(model: str, language: str) -> Rewriter:
    """A trained tagger as a rewriter."""
    from epicene.models import parse_spec
    from epicene.models.tagger.model import open_rewriter as open_tagger

    spec = parse_spec(model)
    if spec.kind != "tagger" or not spec.name:
        raise InputError(f"--model must be a trained tagger, tagger:FOLDER, not {model!r}.")
    return open_tagger(Path(spec.name).expanduser(), language)


def _with_new_places(rewriting: Rewriting) -> Rewritten:
    """The rewriting, with the position of each change in the rewritten text."""
    placed, shift = [], 0
    for change in rewriting.changes:
        start = change.start + shift
        end = start + len(change.after)
        shift += len(change.after) - len(change.before)
        fields = msgspec.structs.asdict(change)
        placed.append(RewrittenChange(**fields, new_start=start, new_end=end))
    return Rewritten(text=rewriting.text, changes=tuple(placed), left_out=rewriting.left_out)
