"""Agreement of two raters, against published strings and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from epicene.errors import InputError
from epicene.records import Estimate
from epicene.stats.agreement import cohen, fisher, matthews, raw_agreement, standard_error

# Two evaluations of misgendering, [[both wrong, only the first], [only the second, both right]],
# with κ ± half its interval as printed in Tables 4 and MCC in Tables 1 and 3 of "Agree to
# Disagree? A Meta-Evaluation of LLM Misgendering"; the tables were solved from the strings.
PRINTED = [
    ((2, 11, 44, 693), "0.042 ± 0.089", "0.051 (-0.020, 0.122)"),
    ((0, 13, 17, 720), "-0.020 ± 0.007", "-0.020 (-0.092, 0.051)"),
    ((0, 12, 13, 725), "-0.017 ± 0.007", "-0.017 (-0.088, 0.055)"),
    ((3, 28, 21, 698), "0.076 ± 0.116", "0.076 (0.005, 0.147)"),
    ((19, 20, 237, 474), "0.042 ± 0.046", ""),
    ((33, 50, 115, 552), "0.168 ± 0.082", ""),
]
