"""Human studies: sample one, have people answer it, and tabulate their answers.

Each function is a command of `epicene annotate`; `import_answers` is `annotate import`.
"""

from epicene.app.annotate.answers import (
    AdjudicationSheet,
    ExportedAnswers,
    adjudicate,
    export,
    tables,
)
from epicene.app.annotate.drawing import StudyCheck, check, new, sample
from epicene.app.annotate.exchange import Imported, Sheets, import_answers, project, sheets
from epicene.app.annotate.pages import Links, links, preview, serve
from epicene.app.annotate.people import Excluded, exclude, forget

__all__ = [
    "AdjudicationSheet",
    "Excluded",
    "ExportedAnswers",
    "Imported",
    "Links",
    "Sheets",
    "StudyCheck",
    "adjudicate",
    "check",
    "exclude",
    "export",
    "forget",
    "import_answers",
    "links",
    "new",
    "preview",
    "project",
    "sample",
    "serve",
    "sheets",
    "tables",
]
