"""What people are asked: which sentence, which word, and what is wrong with a completion."""
