"""Human studies of minimal pairs and of what models put in the gap."""
