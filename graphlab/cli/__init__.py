"""The command line. commands: trace, draw and check a formula, or open the app; bert: the cross-check of BERT."""

from graphlab.cli.bert import bert
from graphlab.cli.commands import main

main.add_command(bert)

__all__ = ["main"]
