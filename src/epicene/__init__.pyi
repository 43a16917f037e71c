"""What `import epicene` gives, and where it is defined: `__init__.py` reads this file, too."""

from typing import Any

from epicene.app import annotate as annotate
from epicene.app.audit import Audit as Audit, audit as audit
from epicene.app.check import Checked as Checked, check as check
from epicene.app.compare import (
    Comparison as Comparison,
    WithinMargin as WithinMargin,
    compare as compare,
)
from epicene.app.data import (
    BuiltData as BuiltData,
    Collected as Collected,
    SuiteData as SuiteData,
    build_data as build_data,
    collect_data as collect_data,
    extract_wording as extract_wording,
    read_data as read_data,
)
from epicene.app.demo import Demo as Demo, demo as demo
from epicene.app.export import (
    ExportedData as ExportedData,
    export_data as export_data,
    export_results as export_results,
)
from epicene.app.models import fetch_model as fetch_model, models as models
from epicene.app.open_model import OpenModel as OpenModel
from epicene.app.opening import open_model as open_model
from epicene.app.plan import Plan as Plan, plan as plan
from epicene.app.report import report as report
from epicene.app.results import (
    Figure as Figure,
    Run as Run,
    Runs as Runs,
    load as load,
    tables as tables,
)
from epicene.app.rewrite import (
    Rewritten as Rewritten,
    RewrittenChange as RewrittenChange,
    rewrite as rewrite,
)
from epicene.app.run import run as run
from epicene.app.score import Scored as Scored, score as score
from epicene.app.select import check_selectors as check_selectors, select as select
from epicene.app.studies import Study as Study
from epicene.app.study_results import (
    CorrectedResults as CorrectedResults,
    StudyAnswers as StudyAnswers,
    StudyResults as StudyResults,
)
from epicene.app.suites import SuiteFacts as SuiteFacts, suites as suites
from epicene.app.sweep import (
    Sweep as Sweep,
    sweep as sweep,
    sweep_plan as sweep_plan,
)
from epicene.app.train import train as train
from epicene.core.errors import (
    EpiceneError as EpiceneError,
    EpiceneWarning as EpiceneWarning,
    InputError as InputError,
    RunError as RunError,
)
from epicene.core.records import (
    Choice as Choice,
    Completions as Completions,
    Decoding as Decoding,
    Draw as Draw,
    Estimate as Estimate,
    Expected as Expected,
    Fill as Fill,
    Generate as Generate,
    Images as Images,
    Item as Item,
    Judgement as Judgement,
    Look as Look,
    Message as Message,
    Score as Score,
    Scores as Scores,
    Texts as Texts,
    Translate as Translate,
)
from epicene.localisation.rewrite_files import (
    RewrittenFile as RewrittenFile,
    RewrittenString as RewrittenString,
)
from epicene.localisation.select_files import SelectedFile as SelectedFile
from epicene.localisation.selector_checks import SelectorProblem as SelectorProblem
from epicene.models.functions import PythonModel as PythonModel
from epicene.suites.definition import (
    SuiteDefinition as SuiteDefinition,
    choose as choose,
    suite as suite,
)
from epicene.suites.definition_items import RowItem as RowItem

__version__: str
__all__: list[str]
_HOMES: dict[str, str]

def function(name: str) -> Any: ...
