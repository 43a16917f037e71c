"""Study folders: the database of responses, assignment of items, participants, adjudication."""
