"""Export results for a paper, and items for other programs, each with a card.

An export is a new folder. Items are exported as their suite asks and judges them; anything that
another program cannot measure in the same way is left out and listed.
"""
