"""Sweeps: models × suites × protocols × languages, forecast, limited and resumed."""
