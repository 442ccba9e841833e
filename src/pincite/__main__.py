"""`python -m pincite` is the command line."""

from pincite.cli import main

main()
