"""What leaves the house: results for a paper, items for other programs, each with its card.

An export is a new folder. Items go out as their suite asks and judges them, so that another
program measures the same thing; what it cannot measure so is left out and named.
"""
