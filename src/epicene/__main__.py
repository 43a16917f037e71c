"""`python -m epicene`, where the command is not on the path."""

from epicene.app.commands import main

if __name__ == "__main__":
    main()
