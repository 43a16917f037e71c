"""The judge under the name by which tasks exported by Epicene 0.1 import it."""

from epicene.export.lm_eval.suite_judge import outcome_shares as outcomes

__all__ = ["outcomes"]
