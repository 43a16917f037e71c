"""Turn results into what people read: tables, figures and one self-contained HTML page.

`layout`, `table_formats`, `latex`, `figures` and `page` format records and do not depend on suites
or runs; the other modules compute those records from stored runs.
"""

from __future__ import annotations

import sys

from epicene.core.callable_package import CallablePackage

sys.modules[__name__].__class__ = CallablePackage  # `epicene.report(…)` writes one
