"""Audit files in one pass: read their strings, analyse, count and compare them, apply rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, pluralise, unknown
from epicene.core.files import refuse_inputs
from epicene.localisation.audit.analysis import Analyser
from epicene.localisation.audit.rules import check_rules, parse_rule
from epicene.localisation.audit.summary import Counts, FileCounts, Summary, key_prefixes
from epicene.localisation.file_languages import foreign_language_of_path
from epicene.localisation.formats import check_columns, read_localised_file
from epicene.localisation.people import PeopleRules
from epicene.localisation.strings import LocalisedString
from epicene.rewriting import rewritable_languages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.localisation.audit.comparison import Baseline, Gone, Status
    from epicene.localisation.audit.findings import Finding
    from epicene.localisation.strings import LocalisedFile

NO_FILE = Path("-")  # the place of strings that are in no file


class AuditedString(NamedTuple):
    """A finding, its key's prefix, how it compares, and the `--fail-on` rules that it matches."""

    finding: Finding
    prefix: str = ""
    status: Status = ""
    failed: tuple[str, ...] = ()


class FileAudit:
    """An audit of files. Iterate over it once; then `summary`, `gone` and `failed` are complete."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        texts: Sequence[str] = (),
        language: str | None = None,
        format: str | None = None,  # noqa: A002 - as a user calls it
        columns: Mapping[str, str] | None = None,
        people: PeopleRules | None = None,
        baseline: Baseline | None = None,
        fail_on: Iterable[str] = (),
        also_read: Iterable[Path] = (),
    ) -> None:
        """Check the options; nothing is read yet. `texts` are strings in no file, in `language`;
        `also_read` are files that `people` and `baseline` come from."""
        self._inputs = [*paths, *also_read]
        self._paths = paths
        self._texts = texts
        self._language = language
        self._format = format
        self._columns = columns
        self._people = people or PeopleRules()
        self._baseline = baseline
        self._rules = [parse_rule(rule) for rule in fail_on]
        check_columns(paths, format, columns)
        check_rules(self._rules, has_baseline=baseline is not None)
        known = rewritable_languages()
        self._base = (language or "").partition("-")[0].partition("_")[0].lower()
        if language and self._base not in known:
            raise unknown("rewriter for the language", language, known, every=True)
        self._known = frozenset(known)
        self._analysers: dict[str, Analyser] = {}
        self.summary = Summary()
        self.statuses: Counter[str] = Counter()
        self.failed: dict[str, int] = {rule.text: 0 for rule in self._rules}

    def check_output(self, out: Path) -> None:
        """Raise if the audit would overwrite one of its inputs."""
        refuse_inputs(out, self._inputs)

    @property
    def gone(self) -> list[Gone]:
        """The strings of the earlier audit, in the same files, that no longer show a gender."""
        return self._baseline.gone(map(str, self._paths)) if self._baseline else []

    def __iter__(self) -> Iterator[AuditedString]:
        """Every string that shows, or may show, a gender, file by file."""
        if self._texts:
            texts = [
                LocalisedString(index=at, key="", text=text, line=at + 1, language=self._base)
                for at, text in enumerate(self._texts)
            ]
            yield from self._audit_strings(NO_FILE, "text", self._base, texts)
        for path in self._paths:
            file = read_localised_file(
                path,
                format=self._format,
                language=self._language,
                columns=self._columns,
            )
            yield from self._audit_file(file)
        if self.summary.not_read and not self.summary.total.strings:
            languages = ", ".join(sorted(self.summary.not_read))
            raise InputError(
                f"No string is in a language that can be audited, only in {languages}; supported "
                f"languages: {', '.join(sorted(self._known))}."
            )

    def _audit_file(self, file: LocalisedFile) -> Iterator[AuditedString]:
        by_language: dict[str, list[LocalisedString]] = {}
        foreign = foreign_language_of_path(file.path)
        for string in file.strings:
            language = string.language or foreign
            if not language:
                raise InputError(
                    f"{file.path}, line {string.line}, is in an unknown language; name it with "
                    "--language."
                )
            if string.text.strip():
                by_language.setdefault(language, []).append(string)
        for language, strings in by_language.items():
            if language in self._known:
                yield from self._audit_strings(file.path, file.format, language, strings)
            else:
                not_read = self.summary.not_read
                not_read[language] = not_read.get(language, 0) + len(strings)

    def _audit_strings(
        self,
        path: Path,
        kind: str,
        language: str,
        strings: Sequence[LocalisedString],
    ) -> Iterator[AuditedString]:
        if language not in self._analysers:
            self._analysers[language] = Analyser(language)
        counted = FileCounts(file=str(path), format=kind, language=language, counts=Counts())
        self.summary.files.append(counted)
        prefixes = key_prefixes([string.key for string in strings])
        found = self._analysers[language].analyse(strings, path, self._people)
        for prefix, finding in zip(prefixes, found, strict=True):
            self.summary.total.add(finding)
            counted.counts.add(finding)
            if prefix:
                counted.prefixes.setdefault(prefix, Counts()).add(finding)
            if finding is not None:
                yield self._judge(finding, prefix)

    def _judge(self, finding: Finding, prefix: str) -> AuditedString:
        status = self._baseline.compare(finding) if self._baseline else ""
        failed = tuple(rule.text for rule in self._rules if rule.matches(finding, status))
        self.statuses[status] += 1
        for rule in failed:
            self.failed[rule] += 1
        return AuditedString(finding, prefix, status, failed)

    @property
    def is_compared(self) -> bool:
        """Whether there is an earlier audit to compare with."""
        return self._baseline is not None

    def failures(self) -> list[str]:
        """One sentence per `--fail-on` rule that strings match."""
        return [
            f"{pluralise(number, 'string')} matched --fail-on {rule}."
            for rule, number in self.failed.items()
            if number
        ]

    def notes(self) -> list[str]:
        """Notes on the counts: what was not read, what changed, what failed."""
        sentences = [
            f"{pluralise(number, 'string')} in {language} could not be audited."
            for language, number in self.summary.not_read.items()
        ]
        if self._baseline is not None:
            if self._baseline.has_other_files(map(str, self._paths)):
                sentences.append(
                    "The earlier audit has no findings in these files; its paths are relative to "
                    "the current folder."
                )
            new, changed = (self.statuses[status] for status in ("new", "changed"))
            sentences.append(
                f"Since the earlier audit: {new} new, {changed} changed, {len(self.gone)} gone."
            )
        return sentences + self.failures()
