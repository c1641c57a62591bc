"""`python -m submitter` is the command `submitter`."""

from submitter.cli import main

if __name__ == "__main__":
    main()
