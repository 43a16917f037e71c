"""Audit texts, and the strings of files: whose gender they show."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from epicene.app.arguments import TEXTS, Columns, texts_of
from epicene.app.output import note, print_line, print_tables
from epicene.app.texts import (
    FileOption,
    Given,
    LanguageOption,
    OutOption,
    refuse_file_options,
    texts_or_files,
)
from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError, RunError

if TYPE_CHECKING:
    from epicene.app.output import Output
    from epicene.localisation.audit.comparison import Gone
    from epicene.localisation.audit.files import FileAudit
    from epicene.localisation.audit.findings import Finding
    from epicene.localisation.audit.summary import Summary


def audit(
    given: Given = None,
    language: LanguageOption = None,
    *,
    out: OutOption = None,
    format: str | None = None,
    columns: Columns = None,
    people: FileOption = None,
    baseline: Annotated[str | Path | None, Parameter(metavar="AUDIT.json")] = None,
    fail_on: Annotated[str | Iterable[str], TEXTS, Parameter(metavar="RULE")] = (),
) -> Audit:
    """Report whose gender texts or translated strings show, and where forms are inconsistent.

    The command prints counts per file and key. Its exit code is 1 if a `--fail-on` rule matched,
    and 2 if the input is wrong or the output could not be written.

    Args:
        given: Files with translated strings, or folders with such files: PO, XLIFF, Android, iOS,
            JSON, CSV, subtitles, text … In Python, a `Path` is a file or folder and a `str` is a
            text (default: the lines of standard input).
        language: The language, if neither the file nor its path names it.
        out: The file to write every string to, with its words, their offsets, and the form for the
            other gender: .json, .csv, .sarif (for code scanning) or .html (a page with filters).
        format: The format of the files (default: from their names).
        columns: For CSV and TSV: the names of the columns for text, key, source, comment and
            people.
        people: A TOML file that says who "I" and "you" are, per string key.
        baseline: An earlier audit (JSON) to compare with.
        fail_on: Fail if a string matches: masculine, user=masculine, mixed, problem, undecided, new
            … (an unknown rule lists all). Join conditions with +; may be repeated.

    Examples:
        >>> found = epicene.audit("Je suis prêt·e et content.", "fr").findings[0]
        >>> [(word.text, word.gender) for word in found.words]
        [('prêt·e', 'both'), ('content', 'masculine')]
        >>> [problem.kind for problem in found.problems]
        ['partly-inclusive']
        >>> from pathlib import Path
        >>> _ = Path("fr.txt").write_text("Vous êtes connecté.\\nFichier enregistré.\\n", "utf-8")
        >>> found = epicene.audit(Path("fr.txt"), "fr")
        >>> found.summary.headline()
        '1 of 2 strings address a man, 0 a woman.'
        >>> found.findings[0].people, found.findings[0].forms[0].text
        ({'listener': 'masculine'}, 'Vous êtes connectée.')
    """
    from epicene.localisation.audit.comparison import read_baseline
    from epicene.localisation.audit.files import FileAudit
    from epicene.localisation.people import read_people_rules

    texts, files = texts_or_files(given, language)
    if not files:
        refuse_file_options(format=format, column=columns, people=people)
        if not language:
            raise InputError("Name the language of the text with --language.")
    rules, earlier = (
        None if path is None else Path(path).expanduser() for path in (people, baseline)
    )
    found = FileAudit(
        files,
        texts=texts,
        language=language,
        format=format,
        columns=columns,
        people=None if rules is None else read_people_rules(rules),
        baseline=None if earlier is None else read_baseline(earlier),
        fail_on=texts_of(fail_on),
        also_read=[path for path in (rules, earlier) if path is not None],
    )
    if out is not None:
        _form_of(Path(out))
        found.check_output(Path(out).expanduser())
    done = Audit(found)
    if out is not None:
        done.write(out)
    return done


class Audit:
    """What an audit found: `findings`, their `summary`, and what `fail_on` matched."""

    def __init__(self, done: FileAudit) -> None:
        """Run the audit and keep what it finds."""
        self._strings = list(done)
        self._done = done
        self._written: Path | None = None

    @property
    def findings(self) -> list[Finding]:
        """The strings that show, or may show, a gender, in the order of the files."""
        return [each.finding for each in self._strings]

    @property
    def new(self) -> list[Finding]:
        """The findings that the earlier audit does not have."""
        return [each.finding for each in self._strings if each.status == "new"]

    @property
    def changed(self) -> list[Finding]:
        """The findings whose words differ from those in the earlier audit."""
        return [each.finding for each in self._strings if each.status == "changed"]

    @property
    def gone(self) -> list[Gone]:
        """The strings of the earlier audit that no longer show a gender."""
        return self._done.gone

    @property
    def failed(self) -> list[Finding]:
        """The findings that match a rule of `fail_on`."""
        return [each.finding for each in self._strings if each.failed]

    @property
    def summary(self) -> Summary:
        """The counts: in total, per file and per prefix of the keys."""
        return self._done.summary

    def write(self, out: str | Path) -> Path:
        """Write the audit as JSON, CSV, SARIF or HTML, by the file's extension."""
        from epicene.core.files import write_atomically
        from epicene.localisation.audit.writers import write_audit

        path = Path(out).expanduser()
        form = _form_of(path)
        self._done.check_output(path)
        try:
            write_atomically(path, b"".join(write_audit(self._strings, self._done, form)))
        except RunError as error:
            raise InputError(str(error)) from None  # exit code 1 says that a rule matched
        self._written = path
        return path

    def __repr__(self) -> str:
        return f"<Audit: {self.summary.headline()}>"

    def _print_(self, output: Output) -> int:
        try:
            self._show(output)
            sys.stdout.flush()
        except OSError as error:  # exit code 1 says that a rule matched
            raise InputError(f"Could not write standard output: {error.strerror}.") from error
        return 1 if self._done.failures() else 0

    def _show(self, output: Output) -> None:
        from epicene.localisation.audit.tables import summary_tables
        from epicene.localisation.audit.writers import write_audit

        if output.json:
            document = b"".join(write_audit(self._strings, self._done, "json"))
            if sys.stdout.isatty():
                document = escape_controls(document.decode()).encode()
            sys.stdout.buffer.write(document)
        else:
            print_line(self.summary.headline())
            print_tables(summary_tables(self.summary))
        if self._written is not None:
            note(f"The audit is in {self._written}")
        for sentence in self._done.notes():
            note(sentence)


def _form_of(path: Path) -> str:
    from epicene.localisation.audit.writers import OUTPUT_FORMS

    form = path.suffix[1:].lower()
    if form not in OUTPUT_FORMS:
        raise InputError(
            f"The format of {path} is not clear from its name; use the extension "
            f".{', .'.join(OUTPUT_FORMS)}."
        )
    return form
