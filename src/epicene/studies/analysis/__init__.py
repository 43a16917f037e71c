"""Build studies from runs, and analyse responses: quality, agreement, exclusions, results."""
