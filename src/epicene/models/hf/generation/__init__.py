"""Text generation: sampling, decoding with growing key-value caches, and translation languages."""
