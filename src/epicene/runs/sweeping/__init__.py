"""Many runs as one: models × suites × protocols × languages, estimated, limited and resumed."""
