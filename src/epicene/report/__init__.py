"""What is left of the reports: tables of gates, plans and sweeps."""

from __future__ import annotations

import sys

from epicene.core.callable_package import CallablePackage

sys.modules[__name__].__class__ = CallablePackage  # `epicene.report(…)` writes one
