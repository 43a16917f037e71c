"""Forward passes that score texts: fast routes for causal models, masked rows for masked ones."""
