"""Human studies of rewritten sentences."""
