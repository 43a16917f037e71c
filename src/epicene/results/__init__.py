"""What stored runs and external answers say: summaries, comparisons, rankings, how much data."""
