"""Epicene measures what generative models do with grammatical gender and agreement.

Everything a command can do has a function here. Nothing is imported before it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from epicene.api.auditing import Audit as Audit
    from epicene.api.auditing import audit as audit
    from epicene.api.auditing import audit_text as audit_text
    from epicene.api.checking import check as check
    from epicene.api.data import BuiltData as BuiltData
    from epicene.api.data import SuiteData as SuiteData
    from epicene.api.data import build_data as build_data
    from epicene.api.data import collect_data as collect_data
    from epicene.api.data import extract_wording as extract_wording
    from epicene.api.data import read_data as read_data
    from epicene.api.demo import Demo as Demo
    from epicene.api.demo import demo as demo
    from epicene.api.exports import ExportedData as ExportedData
    from epicene.api.exports import export_data as export_data
    from epicene.api.exports import export_results as export_results
    from epicene.api.models import fetch_model as fetch_model
    from epicene.api.models import models as models
    from epicene.api.models import open_model as open_model
    from epicene.api.open_model import OpenModel as OpenModel
    from epicene.api.planning import Plan as Plan
    from epicene.api.planning import plan as plan
    from epicene.api.results import Comparison as Comparison
    from epicene.api.results import Figure as Figure
    from epicene.api.results import Run as Run
    from epicene.api.results import Runs as Runs
    from epicene.api.results import Scored as Scored
    from epicene.api.results import compare as compare
    from epicene.api.results import load as load
    from epicene.api.results import report as report
    from epicene.api.results import score as score
    from epicene.api.results import tabulate as tabulate
    from epicene.api.rewriting import Rewritten as Rewritten
    from epicene.api.rewriting import RewrittenChange as RewrittenChange
    from epicene.api.rewriting import open_rewriter as open_rewriter
    from epicene.api.rewriting import rewrite as rewrite
    from epicene.api.rewriting import rewrite_files as rewrite_files
    from epicene.api.running import run as run
    from epicene.api.selecting import CheckedSelector as CheckedSelector
    from epicene.api.selecting import check_selectors as check_selectors
    from epicene.api.selecting import check_selectors_in_files as check_selectors_in_files
    from epicene.api.selecting import make_selectors as make_selectors
    from epicene.api.selecting import make_selectors_in_files as make_selectors_in_files
    from epicene.api.studies import AdjudicationSheet as AdjudicationSheet
    from epicene.api.studies import Sheets as Sheets
    from epicene.api.studies import Study as Study
    from epicene.api.studies import StudyCheck as StudyCheck
    from epicene.api.studies import check_study_file as check_study_file
    from epicene.api.studies import load_study as load_study
    from epicene.api.studies import new_study as new_study
    from epicene.api.studies import restore_study as restore_study
    from epicene.api.studies import sample_study as sample_study
    from epicene.api.studies import serve_studies as serve_studies
    from epicene.api.study_results import CorrectedResults as CorrectedResults
    from epicene.api.study_results import StudyAnswers as StudyAnswers
    from epicene.api.study_results import StudyResults as StudyResults
    from epicene.api.suites import suites as suites
    from epicene.api.sweeping import Sweep as Sweep
    from epicene.api.sweeping import sweep as sweep
    from epicene.api.training import train as train
    from epicene.core.errors import EpiceneError as EpiceneError
    from epicene.core.errors import EpiceneWarning as EpiceneWarning
    from epicene.core.errors import InputError as InputError
    from epicene.core.errors import RunError as RunError
    from epicene.core.records import Choice as Choice
    from epicene.core.records import Completions as Completions
    from epicene.core.records import Decoding as Decoding
    from epicene.core.records import Draw as Draw
    from epicene.core.records import Estimate as Estimate
    from epicene.core.records import Expected as Expected
    from epicene.core.records import Fill as Fill
    from epicene.core.records import Generate as Generate
    from epicene.core.records import Images as Images
    from epicene.core.records import Item as Item
    from epicene.core.records import Judgement as Judgement
    from epicene.core.records import Look as Look
    from epicene.core.records import Message as Message
    from epicene.core.records import Score as Score
    from epicene.core.records import Scores as Scores
    from epicene.core.records import Texts as Texts
    from epicene.core.records import Translate as Translate
    from epicene.localisation.rewrite_files import RewrittenFile as RewrittenFile
    from epicene.localisation.rewrite_files import RewrittenString as RewrittenString
    from epicene.localisation.selector_checks import SelectorProblem as SelectorProblem
    from epicene.models.functions import PythonModel as PythonModel
    from epicene.suites.definition import SuiteDefinition as SuiteDefinition
    from epicene.suites.definition import choose as choose
    from epicene.suites.definition import suite as suite
    from epicene.suites.definition_items import RowItem as RowItem

# Where each public name is defined. A test holds this, `__all__` and the imports above together.
_HOMES = {
    "epicene.api.auditing": ("Audit", "audit", "audit_text"),
    "epicene.api.checking": ("check",),
    "epicene.api.data": (
        "BuiltData", "SuiteData", "build_data", "collect_data", "extract_wording", "read_data",
    ),
    "epicene.api.demo": ("Demo", "demo"),
    "epicene.api.exports": ("ExportedData", "export_data", "export_results"),
    "epicene.api.models": ("fetch_model", "models", "open_model"),
    "epicene.api.open_model": ("OpenModel",),
    "epicene.api.planning": ("Plan", "plan"),
    "epicene.api.results": (
        "Comparison", "Figure", "Run", "Runs", "Scored", "compare", "load", "report", "score",
        "tabulate",
    ),
    "epicene.api.rewriting": (
        "Rewritten", "RewrittenChange", "open_rewriter", "rewrite", "rewrite_files",
    ),
    "epicene.api.running": ("run",),
    "epicene.api.selecting": (
        "CheckedSelector", "check_selectors", "check_selectors_in_files", "make_selectors",
        "make_selectors_in_files",
    ),
    "epicene.api.studies": (
        "AdjudicationSheet",
        "Sheets",
        "Study",
        "StudyCheck",
        "check_study_file",
        "load_study",
        "new_study",
        "restore_study",
        "sample_study",
        "serve_studies",
    ),
    "epicene.api.study_results": ("CorrectedResults", "StudyAnswers", "StudyResults"),
    "epicene.api.suites": ("suites",),
    "epicene.api.sweeping": ("Sweep", "sweep"),
    "epicene.api.training": ("train",),
    "epicene.core.errors": ("EpiceneError", "EpiceneWarning", "InputError", "RunError"),
    "epicene.core.records": (
        "Choice", "Completions", "Decoding", "Draw", "Estimate", "Expected", "Fill", "Generate",
        "Images", "Item", "Judgement", "Look", "Message", "Score", "Scores", "Texts", "Translate",
    ),
    "epicene.localisation.rewrite_files": ("RewrittenFile", "RewrittenString"),
    "epicene.localisation.selector_checks": ("SelectorProblem",),
    "epicene.models.functions": ("PythonModel",),
    "epicene.suites.definition": ("SuiteDefinition", "choose", "suite"),
    "epicene.suites.definition_items": ("RowItem",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AdjudicationSheet",
    "Audit",
    "BuiltData",
    "CheckedSelector",
    "Choice",
    "Comparison",
    "Completions",
    "CorrectedResults",
    "Decoding",
    "Demo",
    "Draw",
    "EpiceneError",
    "EpiceneWarning",
    "Estimate",
    "Expected",
    "ExportedData",
    "Figure",
    "Fill",
    "Generate",
    "Images",
    "InputError",
    "Item",
    "Judgement",
    "Look",
    "Message",
    "OpenModel",
    "Plan",
    "PythonModel",
    "Rewritten",
    "RewrittenChange",
    "RewrittenFile",
    "RewrittenString",
    "RowItem",
    "Run",
    "RunError",
    "Runs",
    "Score",
    "Scored",
    "Scores",
    "SelectorProblem",
    "Sheets",
    "Study",
    "StudyAnswers",
    "StudyCheck",
    "StudyResults",
    "SuiteData",
    "SuiteDefinition",
    "Sweep",
    "Texts",
    "Translate",
    "__version__",
    "audit",
    "audit_text",
    "build_data",
    "check",
    "check_selectors",
    "check_selectors_in_files",
    "check_study_file",
    "choose",
    "collect_data",
    "compare",
    "demo",
    "export_data",
    "export_results",
    "extract_wording",
    "fetch_model",
    "load",
    "load_study",
    "make_selectors",
    "make_selectors_in_files",
    "models",
    "new_study",
    "open_model",
    "open_rewriter",
    "plan",
    "read_data",
    "report",
    "restore_study",
    "rewrite",
    "rewrite_files",
    "run",
    "sample_study",
    "score",
    "serve_studies",
    "suite",
    "suites",
    "sweep",
    "tabulate",
    "train",
]

# Packages that are also functions; see core/callable_package.py.
_CALLABLE_PACKAGES = ("models", "report", "suites")


def api_function(name: str) -> Any:
    """The object of that name in the Python API."""
    home = _HOME_OF[name]
    return getattr(sys.modules.get(home) or import_module(home), name)


def __getattr__(name: str) -> Any:
    if name in _CALLABLE_PACKAGES:
        return import_module(f"epicene.{name}")
    if name in _HOME_OF:
        return api_function(name)
    raise AttributeError(f"module 'epicene' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
