"""What `import epicene` gives, and where it is defined: `__init__.py` reads this file, too."""

from typing import Any

from epicene.app import annotate as annotate
from epicene.app.audit import Audit as Audit
from epicene.app.audit import audit as audit
from epicene.app.check import Checked as Checked
from epicene.app.check import check as check
from epicene.app.compare import (
    Comparison as Comparison,
)
from epicene.app.compare import (
    WithinMargin as WithinMargin,
)
from epicene.app.compare import (
    compare as compare,
)
from epicene.app.data import (
    BuiltData as BuiltData,
)
from epicene.app.data import (
    Collected as Collected,
)
from epicene.app.data import (
    SuiteData as SuiteData,
)
from epicene.app.data import (
    build_data as build_data,
)
from epicene.app.data import (
    collect_data as collect_data,
)
from epicene.app.data import (
    extract_wording as extract_wording,
)
from epicene.app.data import (
    read_data as read_data,
)
from epicene.app.demo import Demo as Demo
from epicene.app.demo import demo as demo
from epicene.app.export import (
    ExportedData as ExportedData,
)
from epicene.app.export import (
    export_data as export_data,
)
from epicene.app.export import (
    export_results as export_results,
)
from epicene.app.models import fetch_model as fetch_model
from epicene.app.models import models as models
from epicene.app.open_model import OpenModel as OpenModel
from epicene.app.opening import open_model as open_model
from epicene.app.plan import Plan as Plan
from epicene.app.plan import plan as plan
from epicene.app.report import report as report
from epicene.app.results import (
    Figure as Figure,
)
from epicene.app.results import (
    Run as Run,
)
from epicene.app.results import (
    Runs as Runs,
)
from epicene.app.results import (
    load as load,
)
from epicene.app.results import (
    tables as tables,
)
from epicene.app.rewrite import (
    Rewritten as Rewritten,
)
from epicene.app.rewrite import (
    RewrittenChange as RewrittenChange,
)
from epicene.app.rewrite import (
    rewrite as rewrite,
)
from epicene.app.run import run as run
from epicene.app.score import Scored as Scored
from epicene.app.score import score as score
from epicene.app.select import check_selectors as check_selectors
from epicene.app.select import select as select
from epicene.app.studies import Study as Study
from epicene.app.study_results import (
    CorrectedResults as CorrectedResults,
)
from epicene.app.study_results import (
    StudyAnswers as StudyAnswers,
)
from epicene.app.study_results import (
    StudyResults as StudyResults,
)
from epicene.app.suites import SuiteFacts as SuiteFacts
from epicene.app.suites import suites as suites
from epicene.app.sweep import (
    Sweep as Sweep,
)
from epicene.app.sweep import (
    sweep as sweep,
)
from epicene.app.sweep import (
    sweep_plan as sweep_plan,
)
from epicene.app.train import train as train
from epicene.core.errors import (
    EpiceneError as EpiceneError,
)
from epicene.core.errors import (
    EpiceneWarning as EpiceneWarning,
)
from epicene.core.errors import (
    InputError as InputError,
)
from epicene.core.errors import (
    RunError as RunError,
)
from epicene.core.records import (
    Choice as Choice,
)
from epicene.core.records import (
    Completions as Completions,
)
from epicene.core.records import (
    Decoding as Decoding,
)
from epicene.core.records import (
    Draw as Draw,
)
from epicene.core.records import (
    Estimate as Estimate,
)
from epicene.core.records import (
    Expected as Expected,
)
from epicene.core.records import (
    Fill as Fill,
)
from epicene.core.records import (
    Generate as Generate,
)
from epicene.core.records import (
    Images as Images,
)
from epicene.core.records import (
    Item as Item,
)
from epicene.core.records import (
    Judgement as Judgement,
)
from epicene.core.records import (
    Look as Look,
)
from epicene.core.records import (
    Message as Message,
)
from epicene.core.records import (
    Score as Score,
)
from epicene.core.records import (
    Scores as Scores,
)
from epicene.core.records import (
    Texts as Texts,
)
from epicene.core.records import (
    Translate as Translate,
)
from epicene.localisation.rewrite_files import (
    RewrittenFile as RewrittenFile,
)
from epicene.localisation.rewrite_files import (
    RewrittenString as RewrittenString,
)
from epicene.localisation.select_files import SelectedFile as SelectedFile
from epicene.localisation.selector_checks import SelectorProblem as SelectorProblem
from epicene.models.functions import PythonModel as PythonModel
from epicene.suites.definition import (
    SuiteDefinition as SuiteDefinition,
)
from epicene.suites.definition import (
    choose as choose,
)
from epicene.suites.definition import (
    suite as suite,
)
from epicene.suites.definition_items import RowItem as RowItem

__version__: str
__all__: list[str]
_HOMES: dict[str, str]

def function(name: str) -> Any: ...
