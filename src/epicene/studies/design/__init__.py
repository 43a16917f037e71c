"""What a study shows and asks, whom, and which answers are valid."""
