"""The HTTP client of the hosted services: addresses, retries, load balancing and costs."""
