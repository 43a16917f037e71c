"""The study of misgendering for people: labels of continuations."""
