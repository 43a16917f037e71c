"""From counts to numbers: averages, effects and tests, agreement of judges, the mixed model."""
