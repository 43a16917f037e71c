"""A suite's items as tasks of lm-evaluation-harness."""
