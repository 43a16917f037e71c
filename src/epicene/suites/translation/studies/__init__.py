"""Human studies of translations."""
