"""Audit translated strings: whose gender they show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.app.arguments import paths_of
from epicene.api.wording import keyword_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from epicene.app.arguments import PathLike
    from epicene.localisation.audit.comparison import Gone
    from epicene.localisation.audit.files import FileAudit
    from epicene.localisation.audit.findings import Finding
    from epicene.localisation.audit.summary import Summary


class Audit:
    """What an audit found: `findings`, their `summary`, and what `fail_on` matched."""

    def __init__(self, done: FileAudit) -> None:
        """Run the audit and keep what it finds."""
        self._strings = list(done)
        self._done = done

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

    @keyword_errors
    def write(self, out: PathLike, form: str | None = None) -> Path:
        """Write the audit as json, csv, sarif or html (default: from the file's extension)."""
        from epicene.core.files import write_atomically
        from epicene.localisation.audit.writers import write_audit

        path = Path(out)
        self._done.check_output(path)
        made = b"".join(write_audit(self._strings, self._done, form or path.suffix[1:]))
        write_atomically(path, made)
        return path

    def __repr__(self) -> str:
        return f"<Audit: {self.summary.headline()}>"


@keyword_errors
def audit(
    files: PathLike | Iterable[PathLike],
    language: str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as on the command line
    columns: Mapping[str, str] | None = None,
    people: PathLike | None = None,
    baseline: PathLike | None = None,
    fail_on: str | Iterable[str] = (),
) -> Audit:
    """Report whose gender translated strings show, and where forms are inconsistent.

    >>> from pathlib import Path
    >>> import epicene
    >>> _ = Path("fr.txt").write_text("Vous êtes connecté.\\nFichier enregistré.\\n", "utf-8")
    >>> found = epicene.audit("fr.txt", "fr")
    >>> found.summary.headline()
    '1 of 2 strings address a man, 0 a woman.'
    >>> found.findings[0].people, found.findings[0].forms[0].text
    ({'listener': 'masculine'}, 'Vous êtes connectée.')

    files: translation files: PO, XLIFF, Android, iOS, JSON, CSV, subtitles, text …
    language: the language of the files, if neither the file nor its path names it.
    format, columns, people: as for `rewrite_files`.
    baseline: a JSON file of an earlier audit to compare with.
    fail_on: rules such as listener=masculine, mixed or new; the findings that match are in
        `failed`.
    """
    return Audit(
        open_audit(
            files,
            language,
            format=format,
            columns=columns,
            people=people,
            baseline=baseline,
            fail_on=fail_on,
        )
    )


@keyword_errors
def open_audit(
    files: PathLike | Iterable[PathLike],
    language: str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as on the command line
    columns: Mapping[str, str] | None = None,
    people: PathLike | None = None,
    baseline: PathLike | None = None,
    fail_on: str | Iterable[str] = (),
) -> FileAudit:
    """An audit that runs while you iterate over it; it takes the options of `audit`."""
    from epicene.localisation.audit.comparison import read_baseline
    from epicene.localisation.audit.files import FileAudit
    from epicene.localisation.people import read_people_rules

    people, baseline = (path and Path(path).expanduser() for path in (people, baseline))
    return FileAudit(
        [path.expanduser() for path in paths_of(files)],
        language=language,
        format=format,
        columns=columns,
        people=None if people is None else read_people_rules(Path(people)),
        baseline=None if baseline is None else read_baseline(Path(baseline)),
        fail_on=[fail_on] if isinstance(fail_on, str) else fail_on,
        also_read=[Path(path) for path in (people, baseline) if path is not None],
    )


@keyword_errors
def audit_text(text: str, language: str) -> Finding | None:
    """Return what one text shows about gender, or None if it shows nothing.

    >>> import epicene
    >>> found = epicene.audit_text("Je suis prêt·e et content.", "fr")
    >>> [(word.text, word.gender) for word in found.words]
    [('prêt·e', 'both'), ('content', 'masculine')]
    >>> [problem.kind for problem in found.problems]
    ['partly-inclusive']
    """
    from epicene.localisation.audit.analysis import Analyser
    from epicene.localisation.people import PeopleRules
    from epicene.localisation.strings import LocalisedString

    string = LocalisedString(index=0, key="", text=text, line=1, language=language)
    return next(Analyser(language).analyse([string], Path(), PeopleRules()))
