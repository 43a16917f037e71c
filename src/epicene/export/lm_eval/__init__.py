"""A suite's items as tasks of lm-evaluation-harness.

Exported folders contain a copy of `judging.py`, which imports `outcome_shares` from here.
"""

from epicene.export.lm_eval.suite_judge import outcome_shares

__all__ = ["outcome_shares"]
