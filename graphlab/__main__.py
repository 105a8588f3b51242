"""`python -m graphlab` is the command line."""

from graphlab.cli import main

main()
